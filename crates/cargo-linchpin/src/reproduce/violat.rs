//! `linchpin reproduce violat`.

use std::sync::atomic::Ordering;

use linchpin_reproduce::{render, violat};

use super::exit;
use linchpin::command::Exit;

use crate::arguments::Violat;
use crate::output::{line, printed};
use crate::{interrupt, progress};

const ABOUT: &str = "\
Figure 2: outcomes of a hash map that no order of its operations explains. Figure 4: all outcomes of the client of
containsValue; paths and runs are those of Java Pathfinder and jcstress there, of exploring and of native threads here,
and are not expected to agree.
";

pub(crate) fn run(options: &Violat) -> Exit {
    let interrupt = interrupt::flag();
    let progress = progress::spinner("exploring the clients of Violat's figures".into());
    let rows = violat::reproduce(options.time_limit, &interrupt);
    progress.finish_and_clear();
    let exit = if interrupt.load(Ordering::Relaxed) { exit(&rows).or(Exit::Undecided) } else { exit(&rows) };
    if options.json {
        return printed(&line(&rows), exit);
    }
    let mut text = format!("{}\n{ABOUT}\nThe clients:\n", render(&rows));
    for (method, client) in violat::clients() {
        text.push_str(&format!("  {method:13}  {client}\n"));
    }
    printed(&text, exit)
}
