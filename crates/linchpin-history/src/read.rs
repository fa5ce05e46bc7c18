//! Reading a history, whatever its format.

use std::io::BufRead;

use crate::format::{self, Format, ReadError};
use crate::recording::{FailedCas, Recording};

/// How to read. What is not given is told by the input, or is the format's convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The format; told by the beginning of the input otherwise.
    pub format: Option<Format>,
    /// What a compare-and-set did whose event says `fail`.
    pub failed_cas: Option<FailedCas>,
    /// Does a read that returned nil say nothing?
    pub nil_read_says_nothing: Option<bool>,
}

/// Reads a history. The input is streamed: memory is needed for the operations, not for the file.
///
/// ```
/// # use linchpin_history::{Format, ReadOptions, read};
/// let input = r#"{"process": 0, "type": "invoke", "f": "write", "value": 3}
///                {"process": 0, "type": "ok",     "f": "write", "value": 3}"#;
/// let recording = read(input.as_bytes(), &ReadOptions::default())?;
/// assert_eq!(recording.history.len(), 1);
/// assert_eq!(recording.origin.map(|origin| origin.format), Some(Format::JsonEvents));
/// # Ok::<(), linchpin_history::ReadError>(())
/// ```
///
/// # Errors
/// When the input cannot be read, does not tell its format, or is not a history of its format. The message says where.
pub fn read(mut input: impl BufRead, options: &ReadOptions) -> Result<Recording, ReadError> {
    format::read(&mut input, options.format, |conventions| {
        if let Some(failed_cas) = options.failed_cas {
            conventions.failed_cas = failed_cas;
        }
        if let Some(says_nothing) = options.nil_read_says_nothing {
            conventions.nil_read_says_nothing = says_nothing;
        }
    })
}
