//! The end of a test that fails: what is known is printed, and kept.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use linchpin_report::Report;
use linchpin_report::text::{self, Style};

use super::origin::complete;
use super::{Found, Reports};
use crate::replay_file::{self, test_name};

/// Panics with a report, after the replay and the report were kept.
#[track_caller]
pub(crate) fn fail(found: impl Into<Found>) -> ! {
    let Found { mut report, replay } = found.into();
    match replay.map(replay_file::keep) {
        None => end(report, None),
        Some(Ok(kept)) => {
            report.replay = Some(kept.file.display().to_string());
            report.replay_command = Some(kept.replay);
            let explain = kept.explain.filter(|_| report.explanation.is_none());
            end(
                report,
                explain.map(|command| format!("Why it fails, and what would have to be atomic:\n    {command}\n")),
            )
        }
        Some(Err(problem)) => end(report, Some(problem)),
    }
}

/// The text is made first: whatever fails after that, it is what the test says.
#[track_caller]
fn end(mut report: Report, also: Option<String>) -> ! {
    report.test = Some(test_name());
    report.name = unique(&format!("{}.{}", program(), test_name()));
    let report = complete(report);
    let text = text::report(&report, Style::default());
    let kept = catch_unwind(AssertUnwindSafe(|| Reports::of_tests().keep(&report)));
    let pictures = match kept {
        Ok(Ok(kept)) => format!("With pictures: {}\n", kept.page.display()),
        Ok(Err(error)) => format!("The report could not be written: {error}\n"),
        Err(_) => "The page could not be made, which is a bug in Linchpin; the finding is the one above.\n".to_owned(),
    };
    panic!("{text}{}{pictures}", also.unwrap_or_default());
}

/// The name of the running program, without what Cargo adds to it.
fn program() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_stem().and_then(|name| name.to_str()).unwrap_or("test").to_owned();
    let is_hash = |hash: &str| hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit());
    match name.rsplit_once('-') {
        Some((name, hash)) if is_hash(hash) => name.to_owned(),
        _ => name,
    }
}

/// The name, with a number if this process has had it before: a test may catch its panics and fail again.
fn unique(name: &str) -> String {
    static USED: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    let times = used.entry(name.to_owned()).or_default();
    *times += 1;
    if *times == 1 { name.to_owned() } else { format!("{name}.{times}") }
}

impl Reports {
    /// The reports of tests: `target/linchpin/report`.
    fn of_tests() -> Reports {
        let target: &Path = &replay_file::target_directory();
        Reports::new(target.join("linchpin").join("report"))
    }
}
