//! Stacks: what goes wrong, in which client, and in no other way.

use crate::common::{expect, expect_bounded, expect_complete, expect_right, sc};
use linchpin::sync::Arc;
use linchpin::{Reuse, Sampling, thread};
use linchpin_zoo::objects::*;

linchpin::object! {
    LastFirst: linchpin_zoo::RecyclingStack<false, true> = linchpin_zoo::RecyclingStack::default();
    fn push(&self, value: u32);
    fn pop(&self) -> Option<u32>;
}

#[test]
fn a_treiber_stack_that_ignores_a_failed_pop_pops_one_value_twice() {
    expect::<TreiberStack, TreiberStackFixed>("[push(1)] { pop() } || { pop() }", &["nil, 1, 1"], [4, 4]);
}

#[test]
fn a_treiber_stack_that_ignores_a_failed_pop_leaves_the_value_to_be_popped_again() {
    expect::<TreiberStack, TreiberStackFixed>(
        "[push(1)] { pop() } || { push(2) } [pop(); pop()]",
        &["nil, 1, nil, 2, 1"],
        [4, 4],
    );
}

#[test]
fn a_stack_that_recycles_the_oldest_node_resurrects_a_value() {
    expect::<RecyclingStack, RecyclingStackFixed>(
        "[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]",
        &["nil, nil, 3, 2, 1, nil, 1, nil"],
        [32, 32],
    );
}

#[test]
fn a_stack_that_recycles_the_newest_node_is_lucky() {
    expect_right::<LastFirst>("[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]");
}

#[test]
fn a_stack_that_frees_nodes_reads_freed_memory() {
    let exploration = linchpin::client::<BoxedStack>("[push(1)] { pop() } || { pop() }").with(sc()).explore();
    assert_eq!(exploration.violation.expect("a read of freed memory").kind.name(), "use after free");
}

#[test]
fn a_stack_that_frees_nodes_is_right_as_long_as_addresses_do_not_come_again() {
    let client = "[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]";
    let exploration = linchpin::client::<BoxedStack>(client).with(sc().use_after_free(false)).explore();
    expect_complete(&exploration);
}

#[test]
fn a_stack_that_recycles_is_fine_when_only_two_values_are_popped() {
    expect::<RecyclingStack, RecyclingStackFixed>(
        "[push(1); push(2)] { pop() } || { pop(); pop() } [pop(); pop()]",
        &[],
        [15, 15],
    );
}

/// Two values are pushed, then one thread pops while another pops twice and pushes a third; what is left is popped. Nothing is
/// popped twice.
fn nothing_is_popped_twice() {
    let stack = Arc::new(linchpin_zoo::BoxedStack::new());
    stack.push(1);
    stack.push(2);
    let first = thread::spawn({
        let stack = stack.clone();
        move || vec![stack.pop()]
    });
    let second = thread::spawn({
        let stack = stack.clone();
        move || {
            let popped = vec![stack.pop(), stack.pop()];
            stack.push(3);
            popped
        }
    });
    let mut popped = [first.join().unwrap(), second.join().unwrap(), vec![stack.pop(), stack.pop()]].concat();
    popped.retain(Option::is_some);
    popped.sort();
    assert_eq!(popped, [Some(1), Some(2), Some(3)]);
}

#[test]
fn a_stack_that_frees_nodes_pops_one_value_twice_where_the_oldest_address_comes_again() {
    let sample = |reuse| {
        let sampling = Sampling { runs: 20_000, seed: 1, reuse, ..Sampling::default() };
        sc().use_after_free(false).sample(&sampling, nothing_is_popped_twice)
    };
    let found = sample(Reuse::Fifo).found.expect("the fault");
    assert_eq!(found.violation.kind.name(), "panic");
    assert!(sample(Reuse::Never).found.is_none());
}

#[test]
fn an_array_stack_that_empties_cells_in_two_steps_pops_one_value_twice() {
    expect::<ArrayStack, ArrayStackFixed>("[push(1)] { pop() } || { pop() }", &["nil, 1, 1"], [4, 2]);
}

#[test]
fn an_array_stack_that_empties_cells_in_two_steps_fails_in_the_client_of_the_paper() {
    expect::<ArrayStack, ArrayStackFixed>(
        "{ push(1) } || { push(2); pop() } || { pop() }",
        // Besides the paper's, in which 2 is popped twice: an empty cell is emptied just after a value came.
        &["nil, nil, 1, 1", "nil, nil, 2, 2", "nil, nil, nil, 1", "nil, nil, nil, nil"],
        [155, 33],
    );
}

#[test]
fn a_k_stack_that_looks_at_its_top_pushes_what_was_popped_again() {
    expect::<KStack, KStackFixed>("{ push(1) } || { pop() } [pop()]", &["nil, 1, 1"], [3, 2]);
}

#[test]
fn a_k_stack_that_looks_at_its_top_loses_and_repeats_values() {
    // Two pushes that repeat may do so in turns, for ever.
    expect_bounded::<KStack, KStackFixed>(
        60,
        "{ push(1) } || { push(2) } [pop(); pop(); pop()]",
        &["nil, nil, 1, 2, 1", "nil, nil, 1, nil, nil", "nil, nil, 2, 1, 2", "nil, nil, 2, nil, nil"],
        [36, 4],
    );
}
