//! Reports of what fails: made of what was found, printed, and kept as files.

pub(crate) mod alone;
mod directory;
mod failure;
mod found;
mod made;
pub(crate) mod native;
mod origin;

pub use directory::{Kept, Reports};
pub(crate) use failure::fail;
pub(crate) use found::Found;
pub(crate) use made::told;
pub(crate) use origin::complete;
