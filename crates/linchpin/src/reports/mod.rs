//! Reports of what fails: made of what was found, printed, and kept as files.

mod directory;
mod made;
mod origin;

pub use directory::{Kept, Reports};
