//! Where a report comes from: the running test, the time, the source.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use linchpin_report::Report;

/// The report with all that only the running process knows.
pub(crate) fn complete(mut report: Report) -> Report {
    report.time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    report.run = run();
    report.with_sources(read)
}

/// What the tests of one `cargo test` have in common: the process that started them, by number and time. Numbers alone come
/// again.
fn run() -> String {
    let parent = std::os::unix::process::parent_id();
    let started = fs::read_to_string(format!("/proc/{parent}/stat")).ok().and_then(|stat| {
        // The name in brackets may have spaces in it. The time is the 22nd field, of which the name is the second.
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(19).map(str::to_owned)
    });
    format!("{parent}-{}", started.unwrap_or_default())
}

/// A file by the name that the compiler gave it. That is relative to where the compiler ran: the root of the workspace, which
/// is this directory or one above it.
fn read(file: &str) -> Option<String> {
    let here = env::current_dir().ok()?;
    let read = |directory: &Path| fs::read_to_string(directory.join(file)).ok();
    here.ancestors().find_map(read)
}
