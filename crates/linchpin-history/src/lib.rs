//! Recorded histories: what files hold, and what they are checked against.

mod format;
pub mod generate;
pub mod models;
mod read;
mod recording;

pub use format::{Format, ReadError, ReadErrorKind, is_compare_and_set, write_json_lines};
pub use read::{ReadOptions, read};
pub use recording::{Call, Conventions, FailedCas, Initial, Layout, LeftOut, Lines, Origin, Recording};
