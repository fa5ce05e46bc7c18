//! `linchpin reproduce`: the papers' tables, theirs and ours.

mod violat;

use linchpin::Builder;
use linchpin_reproduce::{Row, cdsspec, render};

use crate::arguments::{Paper, Rows};
use crate::exit::Exit;
use crate::output::{line, printed};
use crate::progress;

pub(crate) fn run(paper: &Paper) -> Exit {
    match paper {
        Paper::Violat(options) => violat::run(options),
        Paper::Cdsspec(options) => {
            rows(options, "exploring the structures of CDSSpec", || cdsspec::rows(&Builder::new().workers(1)))
        }
    }
}

/// Computes rows and prints them.
fn rows(options: &Rows, message: &str, compute: impl FnOnce() -> Vec<Row>) -> Exit {
    let spinner = progress::spinner(message.into());
    let rows = compute();
    spinner.finish_and_clear();
    let text = if options.json { line(&rows) } else { render(&rows) };
    printed(&text, exit(&rows))
}

/// Does everything agree that can?
fn exit(rows: &[Row]) -> Exit {
    if rows.iter().any(|row| row.agrees == Some(false)) { Exit::Violation } else { Exit::Holds }
}
