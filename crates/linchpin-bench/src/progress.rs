//! What is being done right now, on the error stream.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};

/// Says what begins now. On a terminal it replaces what was said before.
pub(crate) fn begin(what: impl Display) {
    let mut stream = stderr().lock();
    // Who reads the error stream is not our business: nothing is measured by it.
    let _ = if stream.is_terminal() { write!(stream, "\r\x1b[K{what} …") } else { writeln!(stream, "{what} …") };
    let _ = stream.flush();
}

/// Leaves a clean line behind.
pub(crate) fn end() {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r\x1b[K");
    }
}
