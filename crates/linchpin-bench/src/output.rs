//! What a command prints, and what it exits with.

use std::process::ExitCode;

use serde::Serialize;

use crate::progress;

/// Prints a report as JSON, or as the text that `render` makes of it.
pub(crate) fn print<Report: Serialize + ?Sized>(
    report: &Report,
    as_json: bool,
    render: impl FnOnce(&Report) -> String,
) {
    progress::end();
    if as_json {
        println!("{}", serde_json::to_string_pretty(report).expect("a report is plain data"));
    } else {
        print!("{}", render(report));
    }
}

/// Says what was wrong, and fails if anything was.
pub(crate) fn conclude(wrong: &[String]) -> ExitCode {
    for wrong in wrong {
        eprintln!("wrong: {wrong}");
    }
    exit_code(wrong.is_empty())
}

/// Fails unless all is right.
pub(crate) fn exit_code(is_right: bool) -> ExitCode {
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
