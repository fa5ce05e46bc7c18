//! `linchpin reproduce`: the papers' tables, theirs and ours.

mod violat;

use linchpin_reproduce::Row;

use crate::arguments::Paper;
use crate::exit::Exit;

pub(crate) fn run(paper: &Paper) -> Exit {
    match paper {
        Paper::Violat(options) => violat::run(options),
    }
}

/// Does everything agree that can?
fn exit(rows: &[Row]) -> Exit {
    if rows.iter().any(|row| row.agrees == Some(false)) { Exit::Violation } else { Exit::Holds }
}
