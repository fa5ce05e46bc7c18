//! Reports of what fails: made of what was found, printed, and kept as files.

mod directory;
mod failure;
mod made;
mod origin;

pub use directory::{Kept, Reports};
pub(crate) use failure::{fail, fail_without_execution};
pub(crate) use made::told;
pub(crate) use origin::complete;
