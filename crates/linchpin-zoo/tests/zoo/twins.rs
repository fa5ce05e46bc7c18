//! The correct twins hold in larger clients, with all kinds of operations beside each other.

use crate::common::expect_right;
use linchpin_zoo::objects::*;

#[test]
fn correct_stacks_return_what_some_order_of_the_calls_returns() {
    expect_right::<TreiberStackFixed>("[push(1)] { push(2); pop() } || { push(3); pop() } [pop(); pop()]");
    expect_right::<TreiberStackFixed>("{ push(1); pop() } || { pop() } || { push(2) } [pop(); pop()]");
    expect_right::<KStackFixed>("[push(1)] { push(2); pop() } || { push(3); pop() } [pop(); pop()]");
    expect_right::<ArrayStackFixed>("[push(1)] { push(2); pop() } || { push(3); pop() } [pop(); pop()]");
    expect_right::<ArrayStackFixed>("{ push(1); pop() } || { push(2) } || { pop() } [pop(); pop()]");
}

#[test]
fn correct_lists_return_what_some_order_of_the_calls_returns() {
    expect_right::<LockFreeListFixed>(
        "[add(2)] { add(1); remove(2) } || { remove(1); add(2) } [contains(1); contains(2)]",
    );
    expect_right::<LockFreeListFixed>(
        "[add(1); add(2)] { remove(1); contains(2) } || { remove(2); contains(1) } [add(1); add(2)]",
    );
    expect_right::<LockFreeListFixed>("[add(1)] { remove(1) } || { remove(1) } || { add(1) } [contains(1)]");
    expect_right::<SimpleListFixed>(
        "[add(2)] { add(1); contains(2) } || { remove(2); contains(1) } || { remove(1) } [contains(1)]",
    );
    expect_right::<SimpleListFixed>("[add(1)] { remove(1); add(2) } || { contains(1); contains(2) }");
    expect_right::<SizeListFixed>("[add(1)] { add(2); size() } || { remove(1); size() } [size()]");
    expect_right::<UnknownList4Fixed>(
        "[add(2)] { add(1); remove(2) } || { remove(1); add(2) } [contains(1); contains(2)]",
    );
    expect_right::<UnknownList4Fixed>(
        "[add(1)] { remove(1) } || { remove(1) } || { add(2) } [contains(1); contains(2)]",
    );
    expect_right::<UnknownList4Fixed>("[add(1)] { remove(1); add(2) } || { contains(1); contains(2) }");
}

#[test]
fn correct_queues_and_deques_return_what_some_order_of_the_calls_returns() {
    expect_right::<OptimisticQueueFixed>("[offer(1)] { offer(2); poll() } || { poll() } [poll()]");
    expect_right::<OptimisticQueueFixed>("{ offer(1); poll() } || { offer(2) } [poll(); poll()]");
    expect_right::<UnknownQueueChecked>("{ enqueue(1); dequeue() } || { enqueue(2) } || { dequeue() } [dequeue()]");
    expect_right::<UnknownQueue>("{ enqueue(1); dequeue() } || { enqueue(2) } || { dequeue() } [dequeue()]");
    expect_right::<SnarkDequeFixed>("[push_right(1)] { push_left(2); pop_right() } || { pop_left() } [pop_left()]");
}

#[test]
fn correct_snapshots_return_what_some_order_of_the_calls_returns() {
    expect_right::<PairSnapshotFixed>(
        "{ write(0, 2); write(1, 2) } || { write(1, 3); write(0, 1) } || { read() } [read()]",
    );
}
