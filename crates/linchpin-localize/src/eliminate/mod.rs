//! Trace eliminators: sets of atomic sections that rule a failing execution out, and all that are equivalent to it.
//!
//! An execution is ruled out if its intervals, which are the sections as they ran and every other access by itself, are not
//! serializable: program order and the order of conflicting accesses, taken between intervals, form a cycle. So the sets to be
//! found are those that close a cycle, and it is enough to look at cycles that visit each thread at most once (`cycles`,
//! section 6.1 of the paper). Where such a cycle goes back in a thread it needs a section there: its critical segments.
//!
//! Segments are of one execution. What is reported are lines of code, which may run more than once, and in other operations
//! too ([`Section`]). A run of a section lies within one pass of the loops around it; a segment that spans several passes
//! needs a section that begins before the loop. Only then are sets that contain others dropped, so what is reported is
//! minimal among sections of lines.

mod cause;
mod cycles;
mod intervals;
mod optimal;
mod rank;
mod section;
mod traces;

pub use cause::{Cause, Repair, cause, repair};
pub use intervals::is_eliminated;
pub use optimal::{Eliminators, Limits, eliminators, flatten};
pub use rank::{Ranked, rank};
pub use section::{Extent, Section, Sections};
pub use traces::{Class, Traces};

pub(crate) use cause::{cause_of, failing};
pub(crate) use rank::rank_by;
pub(crate) use traces::Costs;
