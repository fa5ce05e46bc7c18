//! Clients of an object, and what they may return: read from text, drawn at random or enumerated, and the outcomes that
//! the object admits when it is run sequentially.
//!
//! Generation and outcomes follow Violat (Emmi and Enea, CAV 2019). Nothing here starts a thread, reads a file or knows
//! how a client is run in parallel.

mod alphabet;
mod disagree;
mod explain;
mod in_time;
mod long;
mod mixed;
mod outcomes;
mod random;
mod regression;
mod rerun;
mod sequential;
mod symmetry;
mod systematic;
mod text;
mod validate;
mod visibility;

pub use alphabet::{LeftOut, Why};
pub use disagree::{Disagreement, disagreement};
pub use explain::{Explanation, Near, name};
pub use in_time::{in_time, in_time_by_object};
pub use long::long_client;
pub use mixed::{Mixed, generate_mixed};
pub use outcomes::Outcomes;
pub use random::{Clients, Ended, Options, generate, generate_from};
pub use regression::{NotWritten, regression_test};
pub use rerun::{NotDeterministic, admitted_at, admitted_by_object, admitted_by_running};
pub use sequential::{Sequential, admitted};
pub use symmetry::canonical;
pub use systematic::{Bounds, Enumeration, enumerate, enumerate_from};
pub use text::{ParseError, parse};
pub use validate::{Invalid, validate};
pub use visibility::admitted_weakly;
