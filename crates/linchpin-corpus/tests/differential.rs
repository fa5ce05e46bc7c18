//! The engine against the oracle.

use linchpin_corpus::axioms::Axioms;
use linchpin_corpus::litmus::corpus;
use linchpin_corpus::oracle::{enumerate, enumerate_within};
use linchpin_corpus::program::Program;
use linchpin_corpus::random::{self, Flavour};
use linchpin_corpus::run::{Difference, config, explore};
use linchpin_corpus::shrink::shrink;
use linchpin_engine::{Config, Mutation};
use linchpin_model::MemoryModel;

#[global_allocator]
static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);

const MODELS: [MemoryModel; 2] = [MemoryModel::Sc, MemoryModel::C11];

/// Programs with more graphs than this take the oracle too long.
const LIMIT: usize = 2_000;

fn difference(program: &Program, model: MemoryModel, mutation: Option<Mutation>) -> Option<Difference> {
    let answer = enumerate_within(program, &Axioms::of(model), LIMIT)?;
    explore(program, &config(model, mutation)).difference(&answer)
}

/// How many random programs of each of the three flavours: 7,000, or as many as LINCHPIN_PROGRAMS says.
fn programs() -> u64 {
    std::env::var("LINCHPIN_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(7_000)
}

fn agree(flavour: Flavour) {
    for seed in 0..programs() {
        let program = random::program(flavour, seed);
        for model in MODELS {
            if difference(&program, model, None).is_some() {
                let small = shrink(&program, |program| difference(program, model, None).is_some());
                let difference = difference(&small, model, None).unwrap();
                panic!("seed {seed} of {flavour:?} under {model:?}, shrunk to\n{small}{difference}");
            }
        }
    }
}

#[test]
fn engine_and_oracle_agree_when_every_part_of_the_exploration_changes_hands() {
    for seed in 0..programs() / 4 {
        let program = random::program(Flavour::Mixed, seed);
        for model in MODELS {
            let Some(answer) = enumerate_within(&program, &Axioms::of(model), LIMIT) else { continue };
            let shared = Config { shares_always: true, ..config(model, None) };
            if let Some(difference) = explore(&program, &shared).difference(&answer) {
                panic!("seed {seed} under {model:?}:\n{program}{difference}");
            }
        }
    }
}

#[test]
fn engine_and_oracle_agree_on_the_corpus() {
    let mut wrong = Vec::new();
    for test in corpus().unwrap() {
        for model in MODELS {
            let answer = enumerate(&test.program, model);
            if let Some(difference) = explore(&test.program, &config(model, None)).difference(&answer) {
                wrong.push(format!("{} under {model:?}: {difference}", test.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn engine_and_oracle_agree_on_random_programs() {
    agree(Flavour::Mixed);
}

#[test]
fn engine_and_oracle_agree_on_critical_cycles() {
    agree(Flavour::Psc);
}

#[test]
fn engine_and_oracle_agree_on_exchanges_that_fail_for_no_reason() {
    let mut with_such = 0;
    for seed in 0..programs() / 8 {
        let program = random::program(Flavour::Mixed, seed);
        for model in MODELS {
            let axioms = Axioms { spurious_failures: true, ..Axioms::of(model) };
            let Some(answer) = enumerate_within(&program, &axioms, LIMIT) else { continue };
            let asked = Config { spurious_failures: true, ..config(model, None) };
            if let Some(difference) = explore(&program, &asked).difference(&answer) {
                panic!("seed {seed} under {model:?}:\n{program}{difference}");
            }
            with_such += u64::from(answer.executions.len() > enumerate(&program, model).executions.len());
        }
    }
    assert!(with_such > programs() / 40, "only {with_such} programs have such a failure");
}

#[test]
fn engine_and_oracle_agree_on_plain_accesses() {
    agree(Flavour::Plain);
}

#[test]
fn every_defect_of_the_explorer_is_noticed() {
    let defects = [
        Mutation::RmwDoesNotRevisit,
        Mutation::RmwSkipsTaken,
        Mutation::FailedCasSkipsTaken,
        Mutation::PrevWithoutPrefix,
        Mutation::ReadersDoNotCount,
        Mutation::PrevCountsWrite,
        Mutation::FrozenRead,
        Mutation::OnlyLastPosition,
        Mutation::BoundIgnoresRead,
        Mutation::NoPsc,
    ];
    for defect in defects {
        let noticed = (0..2_000).any(|seed| {
            [Flavour::Mixed, Flavour::Psc]
                .iter()
                .any(|&flavour| difference(&random::program(flavour, seed), MemoryModel::C11, Some(defect)).is_some())
        });
        assert!(noticed, "{defect:?}");
    }
}
