//! The graph crate's check of a whole execution against the oracle's axioms.

use std::sync::Mutex;

use linchpin_corpus::axioms::{Axioms, is_consistent};
use linchpin_corpus::random::{self, Flavour};
use linchpin_corpus::run::{canon, config, run};
use linchpin_engine::{Findings, Mutation};
use linchpin_model::MemoryModel;

#[global_allocator]
static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);

/// How many executions of random programs are consistent and how many are not, where check and axioms must agree on each.
fn compare(model: MemoryModel, flavour: Flavour, mutation: Option<Mutation>) -> (u32, u32) {
    let counts = Mutex::new((0, 0));
    for seed in 0..300 {
        let program = random::program(flavour, seed);
        let mut config = config(model, mutation);
        config.findings = Findings { data_races: false, deadlocks: false, ..Findings::default() };
        run(&program, &config, &|execution| {
            let checked = execution.check();
            let expected = is_consistent(&canon(&program, execution), &Axioms::of(model));
            assert_eq!(
                checked.is_ok(),
                expected,
                "{checked:?} of seed {seed} of {flavour:?} under {model:?}:\n{program}"
            );
            let mut counts = counts.lock().expect("no panic");
            if expected { counts.0 += 1 } else { counts.1 += 1 }
        });
    }
    counts.into_inner().expect("no panic")
}

#[test]
fn what_the_explorer_visits_is_consistent() {
    for model in [MemoryModel::Sc, MemoryModel::C11] {
        for flavour in [Flavour::Mixed, Flavour::Psc] {
            let (consistent, inconsistent) = compare(model, flavour, None);
            assert!(consistent > 1_000);
            assert_eq!(inconsistent, 0);
        }
    }
}

#[test]
fn what_a_broken_explorer_visits_is_told_apart_rule_by_rule() {
    // The explorer with this defect breaks coherence, and the order of SC events.
    assert!(compare(MemoryModel::C11, Flavour::Mixed, Some(Mutation::BoundIgnoresRead)).1 > 0);
    assert!(compare(MemoryModel::C11, Flavour::Psc, Some(Mutation::NoPsc)).1 > 0);
    // Under SC it breaks the one rule that there is.
    assert!(compare(MemoryModel::Sc, Flavour::Mixed, Some(Mutation::BoundIgnoresRead)).1 > 0);
}
