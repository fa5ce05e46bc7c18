//! Random runs against the oracle: under sequential consistency they get to everything that there is, and to nothing else.

use linchpin_corpus::axioms::Axioms;
use linchpin_corpus::oracle::{Answer, enumerate_within};
use linchpin_corpus::program::Program;
use linchpin_corpus::random::{self, Flavour};
use linchpin_corpus::run::{config, sample};
use linchpin_engine::{Config, Findings, Sampling, Strategy};
use linchpin_model::MemoryModel;

#[global_allocator]
static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);

/// Programs with more graphs than this have outcomes that take too many runs.
const LIMIT: usize = 2_000;

/// How often a program is run, until all that is possible has been seen.
const RUNS: [u64; 3] = [200, 5_000, 200_000];

/// How many random programs of each flavour: 150, or as many as LINCHPIN_PROGRAMS says.
fn programs() -> u64 {
    std::env::var("LINCHPIN_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(150)
}

/// The programs, each with what it can do.
fn answers() -> impl Iterator<Item = (String, Program, Answer)> {
    let seeds = (0..programs()).flat_map(|seed| Flavour::ALL.map(|flavour| (flavour, seed)));
    seeds.filter_map(|(flavour, seed)| {
        let program = random::program(flavour, seed);
        let answer = enumerate_within(&program, &Axioms::of(MemoryModel::Sc), LIMIT)?;
        Some((format!("seed {seed} of {flavour:?}:\n{program}"), program, answer))
    })
}

/// Nobody minds deadlocks: they are counted.
fn counting() -> Config {
    let mut config = config(MemoryModel::Sc, None);
    config.findings.deadlocks = false;
    config
}

#[test]
fn random_walks_see_all_outcomes_and_no_others() {
    for (name, program, answer) in answers() {
        for (at, runs) in RUNS.into_iter().enumerate() {
            let samples = sample(&program, &counting(), &Sampling { runs, seed: runs, ..Sampling::default() });
            assert_eq!(samples.violation, None, "{name}");
            assert!(samples.outcomes.is_subset(&answer.outcomes), "{name}{:?}", samples.outcomes);
            assert!(samples.deadlocks == 0 || answer.deadlock, "{name}");
            if samples.outcomes == answer.outcomes && (samples.deadlocks > 0) == answer.deadlock {
                break;
            }
            assert!(at + 1 < RUNS.len(), "{name}{:?} of {:?}", samples.outcomes, answer.outcomes);
        }
    }
}

#[test]
fn priorities_keep_to_what_is_possible() {
    let strategies = [Strategy::Pct { depth: 3, steps: None }, Strategy::DPct { depth: 3, structures: None }];
    for (name, program, answer) in answers() {
        for strategy in strategies.clone() {
            let samples = sample(&program, &counting(), &Sampling { strategy, runs: 50, ..Sampling::default() });
            assert_eq!(samples.violation, None, "{name}");
            assert!(samples.outcomes.is_subset(&answer.outcomes), "{name}{:?}", samples.outcomes);
            assert!(samples.deadlocks == 0 || answer.deadlock, "{name}");
        }
    }
}

/// What is found is recorded and replayed before it is reported, and a replay that does something else is another violation.
#[test]
fn deadlocks_are_found_and_come_again_from_their_replays() {
    let mut found = 0;
    let findings = Findings { deadlocks: true, ..counting().findings };
    let minding = Config { findings, keep_going: false, ..counting() };
    for (name, program, answer) in answers().filter(|(.., answer)| answer.deadlock) {
        let samples = sample(&program, &minding, &Sampling { runs: RUNS[2], ..Sampling::default() });
        assert_eq!(samples.violation, Some("deadlock"), "{name}{:?}", answer.outcomes);
        found += 1;
    }
    assert!(found > 10, "{found}");
}
