//! `linchpin completions`: for shells.

use clap::CommandFactory;
use linchpin::command::Exit;

use crate::arguments::{Arguments, Completions};
use crate::output::printed;

pub(crate) fn run(options: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "linchpin", &mut script);
    printed(&String::from_utf8_lossy(&script), Exit::Holds)
}
