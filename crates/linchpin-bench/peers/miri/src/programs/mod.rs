//! The programs of the bench, from its own sources, on std.

#[path = "../../../../src/programs/catalogue.rs"]
mod catalogue;
mod on_std;
#[allow(dead_code, reason = "the bench has programs that are not in the catalogue")]
#[path = "../../../../src/programs/program.rs"]
mod program;

pub(crate) use catalogue::CATALOGUE;
pub(crate) use on_std::run;
pub(crate) use program::{Fault, Program, Shape, Strength};
