//! `linchpin reproduce`: the papers' tables, theirs and ours.

mod violat;

use linchpin::Builder;
use linchpin::command::Exit;
use linchpin_reproduce::{Row, causes, cdsspec, cgvt, fgvt, render};

use crate::arguments::{Cgvt, Paper, Rows};
use crate::output::{line, printed};
use crate::{interrupt, progress};

pub(crate) fn run(paper: &Paper) -> Exit {
    match paper {
        Paper::Violat(options) => violat::run(options),
        Paper::Cdsspec(Rows { json }) => {
            let compute = || cdsspec::rows(&Builder::new().workers(1));
            rows(*json, "exploring the structures of CDSSpec", compute, render)
        }
        Paper::Cgvt(Cgvt { share, json }) => {
            let interrupt = interrupt::flag();
            rows(*json, "hunting the objects of CGVT", || cgvt::rows(*share, &interrupt), render)
        }
        Paper::Causes(Rows { json }) => rows(*json, "looking for causes", causes::rows, causes::table),
        Paper::Fgvt(Rows { json }) => rows(*json, "looking for critical races", fgvt::rows, fgvt::table),
    }
}

/// Computes rows and prints them.
fn rows(json: bool, message: &str, compute: impl FnOnce() -> Vec<Row>, table: fn(&[Row]) -> String) -> Exit {
    let spinner = progress::spinner(message.into());
    let rows = compute();
    spinner.finish_and_clear();
    let text = if json { line(&rows) } else { table(&rows) };
    printed(&text, exit(&rows))
}

/// Does everything agree that can?
fn exit(rows: &[Row]) -> Exit {
    if rows.iter().any(|row| row.agrees == Some(false)) { Exit::Violation } else { Exit::Holds }
}
