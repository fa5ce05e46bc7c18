//! Queues: what goes wrong, in which client, and what does not.

use crate::common::expect;
use linchpin_zoo::objects::*;

#[test]
fn an_optimistic_queue_that_reads_the_head_again_polls_one_value_twice() {
    expect::<OptimisticQueue, OptimisticQueueFixed>(
        "[offer(1); offer(2)] { poll() } || { poll() }",
        &["nil, nil, 2, 2"],
        [16, 8],
    );
}

#[test]
fn an_optimistic_queue_is_fine_with_one_consumer() {
    expect::<OptimisticQueue, OptimisticQueueFixed>(
        "{ offer(1) } || { offer(2) } || { poll() } [poll(); poll()]",
        &[],
        [80, 80],
    );
}

#[test]
fn a_queue_with_a_check_less_enqueues_all_the_same() {
    expect::<UnknownQueue, UnknownQueueChecked>(
        "{ enqueue(1); enqueue(2) } || { enqueue(3) } [dequeue(); dequeue(); dequeue()]",
        &[],
        [110, 218],
    );
}

#[test]
fn a_queue_with_a_check_less_dequeues_all_the_same() {
    expect::<UnknownQueue, UnknownQueueChecked>(
        "[enqueue(1)] { enqueue(2); dequeue() } || { enqueue(3); dequeue() } [dequeue(); dequeue()]",
        &[],
        [156, 222],
    );
}
