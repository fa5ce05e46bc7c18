//! The programs that run in processes of other tools, by the names by which these are told them.

use super::{Fault, Program, Shape, Strength};

/// A program and its name on a command line.
pub(crate) type Entry = (&'static str, Program);

/// First those that are right, then the faulty ones.
pub(crate) const CATALOGUE: &[Entry] = &[
    ("sb-seq-cst", Program::Litmus(Shape::StoreBuffering, Strength::SeqCst)),
    ("mp-acq-rel", Program::Litmus(Shape::MessagePassing, Strength::AcqRel)),
    ("iriw-seq-cst", Program::Litmus(Shape::Iriw, Strength::SeqCst)),
    ("treiber-2x2", Program::Treiber { threads: 2, rounds: 2 }),
    ("michael-scott-2x1", Program::MichaelScott { threads: 2, rounds: 1 }),
    ("michael-scott-2x2", Program::MichaelScott { threads: 2, rounds: 2 }),
    ("faulty-sb", Program::Faulty(Fault::StoreBuffering)),
    ("faulty-mp", Program::Faulty(Fault::MessagePassing)),
    ("unchecked-pop", Program::Faulty(Fault::UncheckedPop)),
    ("array-stack", Program::Faulty(Fault::ArrayStack)),
    ("pair-snapshot", Program::Faulty(Fault::PairSnapshot)),
    ("recycled-node", Program::Faulty(Fault::RecycledNode)),
];
