//! What goes to standard output.

use std::io::{self, Write};
use std::path::Path;

use console::Term;
use linchpin::command::Exit;
use linchpin_report::text::Style;
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

/// How text looks on standard output: with colours in a terminal that has them and whose user has not turned them off
/// (`NO_COLOR`), and as wide as it is.
pub(crate) fn style() -> Style {
    let terminal = Term::stdout();
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let usual = Style::default();
    Style {
        colour: terminal.is_term() && !is_set("NO_COLOR") && !is_dumb,
        width: terminal.size_checked().map_or(usual.width, |(_, columns)| usize::from(columns).max(40)),
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
