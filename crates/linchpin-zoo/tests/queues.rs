//! Queues: what goes wrong, in which client, and what does not.

mod common;

use common::expect;
use linchpin_zoo::{OptimisticQueue, UnknownQueue};

#[test]
fn an_optimistic_queue_that_reads_the_head_again_polls_one_value_twice() {
    expect(
        clients!(OptimisticQueue<true>, OptimisticQueue<false>: [offer(1); offer(2)] { poll() } || { poll() } []),
        &["2 || 2"],
        [16, 8],
    );
}

#[test]
fn an_optimistic_queue_is_fine_with_one_consumer() {
    expect(
        clients!(OptimisticQueue<true>, OptimisticQueue<false>: [] { offer(1) } || { offer(2) } || { poll() } [poll(); poll()]),
        &[],
        [160, 160],
    );
}

#[test]
fn a_queue_with_a_check_less_enqueues_all_the_same() {
    expect(
        clients!(UnknownQueue<false>, UnknownQueue<true>: [] { enqueue(1); enqueue(2) } || { enqueue(3) } [dequeue(); dequeue(); dequeue()]),
        &[],
        [236, 458],
    );
}

#[test]
fn a_queue_with_a_check_less_dequeues_all_the_same() {
    expect(
        clients!(UnknownQueue<false>, UnknownQueue<true>: [enqueue(1)] { enqueue(2); dequeue() } || { enqueue(3); dequeue() } [dequeue(); dequeue()]),
        &[],
        [312, 444],
    );
}
