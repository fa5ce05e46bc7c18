//! The programs of the table, and how many executions they must have: the counts of the design notes.

use crate::programs::{Program, Shape, Strength};

/// A program and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its name in the table: what, threads × operations of each.
    pub name: &'static str,
    /// What is explored.
    pub program: Program,
    /// Complete executions under C11.
    pub complete: u64,
    /// Complete executions when iterations without effect are left out.
    pub reduced: u64,
}

/// The row that the rate and time targets for stacks are about.
pub(crate) const TREIBER: &str = "Treiber 2×2";
/// The row that the rate and time targets for queues are about.
pub(crate) const QUEUE: &str = "M&S 2×2";

const fn loops(name: &'static str, program: Program, complete: u64, reduced: u64) -> Row {
    Row { name, program, complete, reduced }
}

const fn straight(name: &'static str, program: Program, complete: u64) -> Row {
    loops(name, program, complete, complete)
}

const fn litmus(name: &'static str, shape: Shape, strength: Strength, complete: u64) -> Row {
    straight(name, Program::Litmus(shape, strength), complete)
}

/// All rows, in the order of the table.
pub(crate) const ROWS: &[Row] = &[
    // Without failed iterations only the order of the threads is left: n! executions.
    loops("counter 2×1", Program::Counter { threads: 2 }, 4, 2),
    loops("counter 3×1", Program::Counter { threads: 3 }, 48, 6),
    straight("fetch_add 3×2", Program::FetchAdd { threads: 3, rounds: 2 }, 90),
    loops("Treiber 2×1", Program::Treiber { threads: 2, rounds: 1 }, 40, 10),
    loops(TREIBER, Program::Treiber { threads: 2, rounds: 2 }, 6_372, 194),
    loops("Treiber 3×1", Program::Treiber { threads: 3, rounds: 1 }, 25_680, 270),
    loops("M&S 2×1", Program::MichaelScott { threads: 2, rounds: 1 }, 100, 16),
    loops(QUEUE, Program::MichaelScott { threads: 2, rounds: 2 }, 53_700, 488),
    straight("mutex 3×1", Program::Lock { threads: 3, rounds: 1 }, 6),
    straight("mutex 3×2", Program::Lock { threads: 3, rounds: 2 }, 90),
    straight("writers 3", Program::Writers { threads: 3 }, 6),
    straight("writers 4", Program::Writers { threads: 4 }, 24),
    litmus("SB relaxed", Shape::StoreBuffering, Strength::Relaxed, 4),
    litmus("SB acq-rel", Shape::StoreBuffering, Strength::AcqRel, 4),
    litmus("SB seq-cst", Shape::StoreBuffering, Strength::SeqCst, 3),
    litmus("MP relaxed", Shape::MessagePassing, Strength::Relaxed, 4),
    litmus("MP acq-rel", Shape::MessagePassing, Strength::AcqRel, 3),
    litmus("MP seq-cst", Shape::MessagePassing, Strength::SeqCst, 3),
    litmus("IRIW relaxed", Shape::Iriw, Strength::Relaxed, 16),
    litmus("IRIW acq-rel", Shape::Iriw, Strength::AcqRel, 16),
    litmus("IRIW seq-cst", Shape::Iriw, Strength::SeqCst, 15),
    litmus("2+2W relaxed", Shape::TwoPlusTwoWrites, Strength::Relaxed, 4),
    litmus("2+2W seq-cst", Shape::TwoPlusTwoWrites, Strength::SeqCst, 3),
    litmus("R relaxed", Shape::R, Strength::Relaxed, 4),
    litmus("R seq-cst", Shape::R, Strength::SeqCst, 3),
    litmus("LB relaxed", Shape::LoadBuffering, Strength::Relaxed, 3),
    litmus("swap relaxed", Shape::Swap, Strength::Relaxed, 12),
];
