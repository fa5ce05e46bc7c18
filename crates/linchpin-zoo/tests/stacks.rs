//! Stacks: what goes wrong, in which client, and in no other way.

mod common;

use common::{expect, expect_bounded};
use linchpin_zoo::{ArrayStack, KStack, RecyclingStack, TreiberStack};

#[test]
fn a_treiber_stack_that_ignores_a_failed_pop_pops_one_value_twice() {
    expect(clients!(TreiberStack<true>, TreiberStack<false>: [push(1)] { pop() } || { pop() } []), &["1 || 1"], [4, 4]);
}

#[test]
fn a_treiber_stack_that_ignores_a_failed_pop_leaves_the_value_to_be_popped_again() {
    expect(
        clients!(TreiberStack<true>, TreiberStack<false>: [push(1)] { pop() } || { push(2) } [pop(); pop()]),
        &["1 || () | 2; 1"],
        [4, 4],
    );
}

#[test]
fn a_stack_that_recycles_the_oldest_node_resurrects_a_value() {
    expect(
        clients!(RecyclingStack<true>, RecyclingStack<false>: [push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]),
        &["3 || 2; 1; () | 1; empty"],
        [32, 35],
    );
}

#[test]
fn a_stack_that_recycles_is_fine_when_only_two_values_are_popped() {
    expect(
        clients!(RecyclingStack<true>, RecyclingStack<false>: [push(1); push(2)] { pop() } || { pop(); pop() } [pop(); pop()]),
        &[],
        [15, 15],
    );
}

#[test]
fn an_array_stack_that_empties_cells_in_two_steps_pops_one_value_twice() {
    expect(clients!(ArrayStack<true>, ArrayStack<false>: [push(1)] { pop() } || { pop() } []), &["1 || 1"], [4, 2]);
}

#[test]
fn an_array_stack_that_empties_cells_in_two_steps_fails_in_the_client_of_the_paper() {
    expect(
        clients!(ArrayStack<true>, ArrayStack<false>: [] { push(1) } || { push(2); pop() } || { pop() } []),
        // Besides the paper's, in which 2 is popped twice: an empty cell is emptied just after a value came.
        &["() || (); 1 || 1", "() || (); 2 || 2", "() || (); empty || 1", "() || (); empty || empty"],
        [155, 33],
    );
}

#[test]
fn a_k_stack_that_looks_at_its_top_pushes_what_was_popped_again() {
    expect(clients!(KStack<true>, KStack<false>: [] { push(1) } || { pop() } [pop()]), &["() || 1 | 1"], [3, 2]);
}

#[test]
fn a_k_stack_that_looks_at_its_top_loses_and_repeats_values() {
    // Two pushes that repeat may do so in turns, for ever.
    expect_bounded(
        60,
        clients!(KStack<true>, KStack<false>: [] { push(1) } || { push(2) } [pop(); pop(); pop()]),
        &["() || () | 1; 2; 1", "() || () | 1; empty; empty", "() || () | 2; 1; 2", "() || () | 2; empty; empty"],
        [72, 8],
    );
}
