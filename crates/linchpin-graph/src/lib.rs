//! Executions as graphs: events, the relations between them, and which graphs a memory model admits.
//!
//! An [`Execution`] is a plain value: it can be cloned, compared and inspected, and knows nothing of scheduling,
//! printing or the program that it came from. The names are those of the literature: *po* program order, *rf*
//! reads-from, *mo* modification order, *fr* from-reads, *hb* happens-before, *psc* the partial order of SC events.

mod consistency;
mod event;
mod execution;
mod location;
mod race;
mod real_time;
mod restrict;
mod rows;
mod symmetry;
mod views;

pub use consistency::{Inconsistency, ScOrder};
pub use event::{Event, EventId, Kind, LocationId, NOT_CHOSEN, Request, Shape, Site, Step, StepFn, ThreadId, Verb};
pub use execution::{Execution, Spawned, Thread};
pub use linchpin_model::{MemoryModel, Order};
pub use location::{AddressHasher, Location, Locations};
pub use real_time::{Precedence, RealTime};
pub use views::Known;
