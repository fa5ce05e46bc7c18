//! What an exploration has established, in a few lines.

use std::time::Duration;

use linchpin_engine::{Exploration, Progress, Sampled};

/// How far an exploration is, in a line.
pub(crate) fn progress(progress: &Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
    let rate = (progress.complete + progress.blocked) as f64 / seconds;
    // The guess is good for its order of magnitude at best, so few digits of it are shown.
    let done = match progress.done * 100.0 {
        percent if percent < 0.01 => "less than 0.01".to_owned(),
        percent if percent < 1.0 => format!("{percent:.2}"),
        percent => format!("{percent:.0}"),
    };
    let executions = counted(progress.complete, "execution");
    format!("{executions} and {} blocked so far, {rate:.0} per second; {done} % done, as a guess", progress.blocked)
}

pub(crate) fn summary(exploration: &Exploration) -> String {
    let mut text = format!("{}; {}\n", verdict(exploration), time(exploration.elapsed));
    if let Some(warning) = warning(exploration) {
        text.push_str(&format!("  {warning}\n"));
    }
    for assumption in &exploration.assumptions {
        text.push_str(&format!("  assumed: {assumption}\n"));
    }
    text
}

/// What sampling has found, in a line.
pub(crate) fn sampled(sampled: &Sampled) -> String {
    let runs = counted(sampled.runs, "random run");
    let verdict = match &sampled.found {
        Some(found) if sampled.violations > 1 => {
            format!(
                "{} violations in {runs}, the first a {} in run {}",
                sampled.violations, found.violation.kind, found.run
            )
        }
        Some(found) => format!("violation ({}) in run {}", found.violation.kind, found.run),
        None => format!("no violation in {runs}, which is no proof"),
    };
    let mut unfinished = Vec::new();
    if sampled.blocked > 0 {
        unfinished.push(format!("{} blocked", sampled.blocked));
    }
    if sampled.cut > 0 {
        unfinished.push(format!("{} cut, since some thread wanted too many events", sampled.cut));
    }
    let unfinished = if unfinished.is_empty() { String::new() } else { format!(" ({})", unfinished.join(", ")) };
    format!("{verdict}{unfinished}; seed {}; {}", sampled.seed, time(sampled.elapsed))
}

fn verdict(exploration: &Exploration) -> String {
    let executions = executions(exploration);
    match &exploration.violation {
        Some(violation) if exploration.violations > 1 => {
            format!("{} violations in {executions}, the first a {}", exploration.violations, violation.kind)
        }
        Some(violation) => format!("violation ({}) after {executions} without one", violation.kind),
        None => format!("no violation in {executions}; coverage: {}", exploration.coverage),
    }
}

fn executions(exploration: &Exploration) -> String {
    let complete = counted(exploration.complete, "execution");
    match exploration.blocked {
        0 => complete,
        blocked => format!("{complete} ({blocked} more blocked)"),
    }
}

/// What a reader might otherwise take for proven.
fn warning(exploration: &Exploration) -> Option<&'static str> {
    if exploration.violation.is_some() {
        return None;
    }
    if exploration.complete == 0 {
        return Some("no execution came to its end, so this says nothing about what the test asserts");
    }
    (!exploration.coverage.is_complete())
        .then_some("a budget ran out: this is no proof, the executions that were not looked at may fail")
}

pub(crate) fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Three digits are enough for a person.
fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}
