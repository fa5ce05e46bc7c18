//! Executions, built by hand, as text and as drawings; summaries.

use std::panic::Location;
use std::time::Duration;

use linchpin_engine::{Allocator, Config, Exploration, explore};
use linchpin_graph::{Execution, MemoryModel, Order, Request, Step, ThreadId, Verb};
use linchpin_model::{Assumption, Bound, Coverage};
use linchpin_report::{dot, text};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(std::alloc::System);

/// Main stores 1 to A and to B; thread 1 sees the new B and then the old A. It also swaps C.
fn message_that_overtakes(model: MemoryModel) -> Execution {
    let site = Location::caller();
    let mut execution = Execution::new(model);
    let [a, b, c] = [0x1000, 0x2000, 0x3000].map(|address| execution.locations_mut().add(address, 0, 8));
    let child = execution.add_spawn(ThreadId::MAIN, site).thread;
    for location in [a, b] {
        let write = execution.add_write(ThreadId::MAIN, location, Verb::Store, Order::Relaxed, 1, false, site);
        execution.place(write, 0);
    }
    for (location, position) in [(b, 1), (a, 0)] {
        execution.add_read(child, location, position, 0, Verb::Load, &Request::load(Order::Relaxed), site);
    }
    let (order, failure) = (Order::AcqRel, Order::Acquire);
    let swap = Request { step: |_, new, _| Step::Write(new), a: 5, b: 0, order, failure };
    execution.add_read(child, c, 0, 0, Verb::Swap, &swap, site);
    let write = execution.add_write(child, c, Verb::Swap, order, 5, true, site);
    execution.place(write, 0);
    execution.add_end(child, site);
    execution.add_join(ThreadId::MAIN, child, site);
    execution
}

#[test]
fn an_execution_without_an_interleaving_says_so() {
    let execution = message_that_overtakes(MemoryModel::C11);
    insta::assert_snapshot!(text::execution(&execution));
}

#[test]
fn a_drawing_has_threads_and_relations() {
    let execution = message_that_overtakes(MemoryModel::C11);
    insta::assert_snapshot!(dot::execution(&execution));
}

/// An exploration without a violation, with these results.
fn clean(complete: u64, blocked: u64, coverage: Coverage, assumptions: Vec<Assumption>) -> Exploration {
    let exploration = explore(&Config::default(), &|| {});
    Exploration { complete, blocked, coverage, assumptions, elapsed: Duration::from_micros(12_345), ..exploration }
}

#[test]
fn a_complete_exploration_is_summed_up_in_a_line() {
    let summary = text::summary(&clean(40, 3, Coverage::Complete, Vec::new()));
    assert_eq!(summary, "no violation in 40 executions (3 more blocked); coverage: complete; 12.3 ms\n");
}

#[test]
fn a_budget_that_ran_out_is_not_taken_for_a_proof() {
    let bounded = Coverage::Bounded(vec![Bound::Executions(1000)]);
    let summary = text::summary(&clean(1000, 0, bounded, Vec::new()));
    assert!(summary.starts_with("no violation in 1000 executions; coverage: bounded by 1000 executions; 12.3 ms\n"));
    assert!(summary.contains("this is no proof"));
}

#[test]
fn an_exploration_in_which_nothing_ended_claims_nothing() {
    let summary = text::summary(&clean(0, 7, Coverage::Complete, Vec::new()));
    assert!(summary.contains("no execution came to its end"));
}

#[test]
fn assumptions_are_listed() {
    let assumption = Assumption::SpinIsWait { position: "src/lock.rs:7:9".into() };
    let summary = text::summary(&clean(2, 0, Coverage::Complete, vec![assumption]));
    assert!(
        summary
            .ends_with("\n  assumed: the spin hint at src/lock.rs:7:9 waits for a change of what was read before it\n")
    );
}

#[test]
fn a_violation_is_summed_up_with_what_came_before() {
    let exploration = explore(&Config::default(), &|| panic!("no luck"));
    let summary = text::summary(&exploration);
    assert!(summary.starts_with("violation (panic) after 0 executions without one; "), "{summary}");
}
