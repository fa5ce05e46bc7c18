//! What goes to standard output.

use std::io::{self, Write};
use std::path::Path;

use linchpin::command::Exit;
use serde::Serialize;

/// Prints, unless nobody reads any more.
pub(crate) fn printed(text: &str, exit: Exit) -> Exit {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot print: {error}");
            Exit::Unusable
        }
        _ => exit,
    }
}

/// Writes a file, and says so on standard error.
pub(crate) fn written(file: &Path, text: &str) -> Exit {
    match std::fs::write(file, text) {
        Ok(()) => {
            eprintln!("written: {}", file.display());
            Exit::Holds
        }
        Err(error) => {
            eprintln!("error: cannot write {}: {error}", file.display());
            Exit::Unusable
        }
    }
}

/// A value as a line of JSON.
pub(crate) fn line(value: &impl Serialize) -> String {
    // Nothing here has keys that are not text, which is all that could fail.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}
