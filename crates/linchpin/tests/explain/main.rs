//! What is said about why a client fails.

mod callers;
mod library;
mod objects;

use linchpin::localize::eliminate::Section;
use linchpin::localize::{Accesses, Verification};
use linchpin::{Builder, MemoryModel, cause_of_all, client, report};
use linchpin_graph::{Event, EventId, Kind};
use objects::{Counter, Relaxedly, Snapshot, Stack};

fn sc() -> Builder {
    Builder::new().memory_model(MemoryModel::Sc)
}

#[test]
fn the_cause_of_figure_1_is_pop_and_push_comes_second() {
    let explanation = client::<Stack>("{ push(1) } || { push(2); pop() } || { pop() }").with(sc()).explain();
    assert_eq!(explanation.verification(), Verification::Verified);
    insta::assert_snapshot!(report::explanation(&explanation));
}

#[test]
fn an_explanation_of_what_is_right_is_short() {
    let explanation = client::<Stack>("{ push(1) } || { push(2) } [pop(); pop()]").with(sc()).explain();
    assert_eq!(report::explanation(&explanation), "Nothing fails that could be explained.\n");
}

#[test]
fn all_clients_together_have_one_cause() {
    let clients = [
        "{ push(1) } || { push(2) }",
        "[push(1)] { pop() } || { pop() }",
        "{ push(1); pop() } || { pop() }",
        "{ push(1) } || { push(2); pop() } || { pop() }",
        "[push(1); push(2)] { pop() } || { pop() } [pop()]",
    ];
    let repair = cause_of_all(clients.map(|text| client::<Stack>(text).with(sc())));
    let sections: Vec<&Section> = repair.cause.sections.iter().collect();
    assert_eq!(sections.iter().map(|section| &*section.operation).collect::<Vec<_>>(), ["pop"]);
    assert_eq!((repair.clients, repair.failing, repair.rounds, repair.cause.left), (5, 4, 1, 0));
}

#[test]
fn if_nobody_sees_what_a_lock_protects_the_lock_stands_for_it() {
    let explanation = client::<Counter>("{ increment() } || { increment() }").with(sc()).explain();
    assert_eq!(explanation.explored.accesses, Accesses::MemoryAndLocks);
    insta::assert_snapshot!(report::explanation(&explanation));
}

#[test]
fn what_no_interleaving_has_is_no_matter_of_atomicity() {
    let explanation = client::<Relaxedly>("{ meet(0) } || { meet(1) }").explain();
    let weak = explanation.explored.weak.as_ref().expect("both see nothing");
    assert_eq!((weak.executions, weak.reason.cycle.len()), (1, 4));
    // Each event of the cycle comes before the next by po, rf, mo or fr, straight from what these are.
    let execution = &weak.example;
    let cycle: Vec<_> = weak.reason.cycle.iter().map(|&id| (id, execution.event(id))).collect();
    for (at, (id, event)) in cycle.iter().enumerate() {
        let (next_id, next) = &cycle[(at + 1) % cycle.len()];
        let is_write = |event: &Event| event.kind == Kind::Write;
        let mo = execution.location(event.location).mo();
        let position = |id: &EventId| mo.iter().position(|write| write == id);
        let po = event.thread == next.thread && event.index < next.index;
        let rf = next.kind == Kind::Read && next.source == *id;
        let mo =
            event.location == next.location && is_write(event) && is_write(next) && position(id) < position(next_id);
        let fr = event.kind == Kind::Read
            && is_write(next)
            && event.location == next.location
            && position(&event.source) < position(next_id);
        assert!(po || rf || mo || fr, "{event:?} does not come before {next:?}");
    }
    assert_eq!(explanation.verification(), Verification::Partly(1));
    insta::assert_snapshot!(report::explanation(&explanation));
}

#[test]
fn what_violates_real_time_alone_has_a_cause_as_well() {
    // The look misses the first cell and sees the second, although the first was set before: an order by time, which the
    // accesses do not show, as different threads set the cells.
    let explanation = client::<Snapshot>("{ look() } || { set(0) } || { set(1) }").with(sc()).explain();
    assert_eq!(explanation.verification(), Verification::Verified);
    insta::assert_snapshot!(report::explanation(&explanation));
}

#[test]
fn a_bounded_exploration_verifies_within_bounds() {
    let builder = sc().max_executions(3);
    let explanation = client::<Stack>("[push(1)] { pop() } || { pop() }").with(builder).explain();
    assert!(matches!(explanation.verification(), Verification::WithinBounds(_)), "{}", explanation.verification());
}
