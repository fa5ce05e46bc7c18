//! The oracle against what is known, and against itself with less cleverness.

use linchpin_corpus::axioms::{Axioms, is_consistent};
use linchpin_corpus::litmus::corpus;
use linchpin_corpus::oracle::{Answer, enumerate, enumerate_with};
use linchpin_corpus::program::Program;
use linchpin_corpus::random::{self, Flavour};
use linchpin_model::MemoryModel::{self, C11, Sc};

/// No axiom but that of no thin air, which the oracle cannot do without.
const NOTHING: Axioms =
    Axioms { atomicity: false, coherence: false, psc_base: false, psc_fence: false, ..Axioms::of(C11) };

fn program(text: &str) -> Program {
    text.parse().unwrap()
}

fn litmus(name: &str) -> Program {
    corpus().unwrap().into_iter().find(|test| test.name == name).unwrap_or_else(|| panic!("no test {name}")).program
}

fn count(name: &str, axioms: Axioms) -> usize {
    enumerate_with(&litmus(name), &axioms).executions.len()
}

fn check_counts(model: MemoryModel, table: &[(&str, usize)]) {
    for &(name, expected) in table {
        assert_eq!(count(name, Axioms::of(model)), expected, "{name} under {model:?}");
    }
}

#[test]
fn c11_counts_are_those_of_the_literature() {
    let table = [
        ("SB+rlx", 4),
        ("SB+rel+acq", 4),
        ("SB+sc", 3),
        ("MP+rlx", 4),
        ("MP+rel+acq", 3),
        ("MP+sc", 3),
        ("IRIW+rlx", 16),
        ("IRIW+rel+acq", 16),
        ("IRIW+sc", 15),
        ("2+2W+rlx", 4),
        ("2+2W+sc", 3),
        ("R+rlx", 4),
        ("R+sc", 3),
        ("LB+rlx", 3),
        ("3writers", 6),
        ("4writers", 24),
        ("fetch_add 3×2", 90),
        ("mutex 3×1", 6),
        ("mutex 3×2", 90),
        ("mutex 4×1", 24),
        ("swap+2loads", 12),
    ];
    check_counts(C11, &table);
}

#[test]
fn sc_counts_are_those_of_the_literature() {
    let table = [("SB+rlx", 3), ("MP+rlx", 3), ("2+2W+rlx", 3), ("IRIW+rlx", 15), ("fetch_add 3×2", 90)];
    check_counts(Sc, &table);
}

#[test]
fn without_psc_the_readers_of_iriw_may_disagree() {
    let axioms = Axioms { psc_base: false, psc_fence: false, ..Axioms::of(C11) };
    assert_eq!(count("IRIW+sc", axioms), 16);
    assert_eq!(count("SB+sc", axioms), 4);
    assert_eq!(count("SB+fence-sc", axioms), 4);
}

#[test]
fn psc_of_fences_alone_forbids_iriw_with_fences() {
    let without_fences = Axioms { psc_fence: false, ..Axioms::of(C11) };
    assert_eq!(count("IRIW+rlx+fence-sc", without_fences), 16);
    assert_eq!(count("IRIW+sc", without_fences), 15);
    let fences_only = Axioms { psc_base: false, ..Axioms::of(C11) };
    assert_eq!(count("IRIW+rlx+fence-sc", fences_only), 15);
    assert_eq!(count("IRIW+sc", fences_only), 16);
    assert_eq!(count("SB+fence-sc+sc", fences_only), 4);
}

#[test]
fn without_coherence_loads_go_back() {
    let axioms = Axioms { coherence: false, ..Axioms::of(C11) };
    assert_eq!(count("CoRR", axioms), 4);
    assert_eq!(count("MP+rel+acq", axioms), 4);
}

#[test]
fn without_atomicity_increments_are_lost() {
    for model in [Sc, C11] {
        let axioms = Axioms { atomicity: false, ..Axioms::of(model) };
        // Both in either order, each reading the other or, twice, the initial value.
        assert_eq!(count("fetch_add 2×1", axioms), 4, "{model:?}");
    }
}

#[test]
fn without_chains_a_read_modify_write_ends_a_release_sequence() {
    let axioms = Axioms { rmw_chains: false, ..Axioms::of(C11) };
    assert_eq!(count("RS+rmw", axioms), 10);
    assert_eq!(count("RS+same-thread-rlx", axioms), count("RS+same-thread-rlx", Axioms::of(C11)));
}

#[test]
fn dropping_inconsistent_graphs_early_loses_no_execution() {
    for flavour in Flavour::ALL {
        for seed in 0..150 {
            let program = random::program(flavour, seed);
            if program.len() > 7 {
                continue;
            }
            let everything = enumerate_with(&program, &NOTHING).executions;
            for model in [Sc, C11] {
                let axioms = Axioms::of(model);
                let filtered = everything.iter().filter(|graph| is_consistent(graph, &axioms));
                assert!(filtered.eq(&enumerate_with(&program, &axioms).executions), "{model:?}\n{program}");
            }
        }
    }
}

#[test]
fn programs_with_sc_accesses_only_have_their_sc_executions_only() {
    for seed in 0..300 {
        let text = random::program(Flavour::Psc, seed).to_string();
        let strong = ["rlx", "acqrel", "acq", "rel"].iter().fold(text, |text, order| text.replace(order, "sc"));
        let program = program(&strong);
        assert_eq!(enumerate(&program, Sc).executions, enumerate(&program, C11).executions, "{program}");
    }
}

#[test]
fn sc_fences_between_all_accesses_give_sc() {
    for seed in 0..300 {
        let program = random::program(Flavour::Psc, seed);
        let text = program.to_string().replace("; ", "; fence(sc); ");
        let fenced = self::program(&text);
        assert_eq!(enumerate(&fenced, Sc).executions, enumerate(&fenced, C11).executions, "{fenced}");
    }
}

#[test]
fn reads_after_joining_everything_do_not_multiply_executions() {
    for seed in 0..100 {
        let mut program = random::program(Flavour::Psc, seed);
        let without = enumerate(&program, C11).executions.len();
        program.finish = self::program("end: r0 = x.load(rlx); r1 = y.load(sc); r2 = x.load(acq)").finish;
        let Answer { executions, outcomes, .. } = enumerate(&program, C11);
        assert_eq!(executions.len(), without, "{program}");
        let end = program.threads.len() + 1;
        let register = linchpin_corpus::program::Register;
        assert!(outcomes.iter().all(|outcome| outcome[&(end, register(0))] == outcome[&(end, register(2))]));
    }
}

#[test]
fn spawning_publishes_the_setup() {
    let answer = enumerate(&program("main: x.store(1, rlx); x.store(2, rlx)\nT1: r0 = x.load(rlx)"), C11);
    assert_eq!(answer.executions.len(), 1);
    assert_eq!(answer.outcomes.first().unwrap().values().copied().collect::<Vec<_>>(), [2]);
}

#[test]
fn a_race_in_a_thread_that_then_waits_forever_is_found() {
    let answer = enumerate(&program("T1: d.write(1); x.await(1, rlx)\nT2: d.write(2)"), C11);
    assert!(answer.race && answer.deadlock && answer.executions.is_empty());
}

#[test]
fn a_race_free_program_has_one_write_for_every_plain_read() {
    for seed in 0..300 {
        let program = random::program(Flavour::Plain, seed);
        let answer = enumerate(&program, C11);
        if !answer.race {
            let forgotten: std::collections::BTreeSet<_> =
                answer.executions.iter().map(|graph| graph.clone().forget_plain()).collect();
            assert_eq!(forgotten.len(), answer.executions.len(), "{program}");
        }
    }
}
