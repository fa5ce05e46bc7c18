//! Text for terminals and test output.

mod columns;
mod excerpt;
mod execution;
pub(crate) mod explanation;
pub(crate) mod finding;
mod link;
pub(crate) mod report;
mod style;
pub(crate) mod summary;
mod wrap;

use linchpin_engine::{Exploration, Progress, Sampled, Violation};
use linchpin_graph::Execution;
use linchpin_localize::Explanation;

pub use style::Style;

use crate::picture::Picture;
use crate::report::Report;

/// A report as a colleague would tell it: what happened and where, the client, the execution in columns, one per thread, why
/// it is wrong, its cause underlined in the source, what is known and what is not, what to do next. The first line says it
/// all in short.
///
/// ```
/// use linchpin_report::report::{Kind, Report};
/// use linchpin_report::text::{self, Style};
///
/// let report = Report::told(Kind::Disagreement, "the object and its specification disagree without any concurrency");
/// assert!(text::report(&report, Style::default()).starts_with("the object and its specification disagree"));
/// assert!(text::report(&report, Style { colour: true, width: 80 }).contains("\x1b["));
/// ```
pub fn report(report: &Report, style: Style) -> String {
    report::report(report, style)
}

/// What sampling has found, in a line that ends without a newline.
///
/// ```
/// # #[global_allocator]
/// # static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);
/// let sampled = linchpin_engine::sample(&Default::default(), &Default::default(), &|| {});
/// let line = linchpin_report::text::sampled(&sampled);
/// assert!(line.starts_with("no violation in 10000 random runs, which is no proof; seed 0; "));
/// ```
pub fn sampled(sampled: &Sampled) -> String {
    summary::sampled(sampled)
}

/// A violation as a colleague would tell it: what happened and where, the execution in columns, one per thread, why it
/// is wrong and what to do next. The first line says it all in short.
///
/// ```
/// # #[global_allocator]
/// # static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);
/// let exploration = linchpin_engine::explore(&Default::default(), &|| panic!("no luck"));
/// let report = linchpin_report::text::violation(&exploration.violation.unwrap());
/// assert!(report.starts_with("panic: the main thread says \"no luck\" at "));
/// ```
pub fn violation(violation: &Violation) -> String {
    report(&Report::of(violation), Style::default())
}

/// What an exploration has established, in a few lines: verdict, coverage, counts, time, and what was assumed.
///
/// ```
/// # #[global_allocator]
/// # static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);
/// let exploration = linchpin_engine::explore(&Default::default(), &|| {});
/// let summary = linchpin_report::text::summary(&exploration);
/// assert!(summary.starts_with("no violation in 1 execution; coverage: complete; "));
/// ```
pub fn summary(exploration: &Exploration) -> String {
    summary::summary(exploration)
}

/// How far an exploration is, in a line.
///
/// ```
/// use std::time::Duration;
///
/// use linchpin_engine::Progress;
///
/// let progress = Progress { complete: 900, blocked: 100, done: 0.25, elapsed: Duration::from_secs(2) };
/// assert_eq!(
///     linchpin_report::text::progress(&progress),
///     "900 executions and 100 blocked so far, 500 per second; 25 % done, as a guess"
/// );
/// ```
pub fn progress(progress: &Progress) -> String {
    summary::progress(progress)
}

/// Why a client fails: the sections that would have to be atomic, what that would cost, and the races that decide.
///
/// ```
/// use linchpin_localize::eliminate::{Limits, Traces};
/// use linchpin_localize::{Accesses, Explanation, Explored};
/// use linchpin_model::Coverage;
///
/// let nothing = Explored {
///     accesses: Accesses::Memory,
///     traces: Traces::default(),
///     weak: None,
///     wrong: Default::default(),
///     otherwise: 0,
///     coverage: Coverage::Complete,
/// };
/// let explanation = Explanation::of(nothing, &Limits::default());
/// assert_eq!(linchpin_report::text::explanation(&explanation), "Nothing fails that could be explained.\n");
/// ```
pub fn explanation(explanation: &Explanation) -> String {
    explanation::explanation(&explanation.into(), &[], Style::default())
}

/// An execution in columns, one per thread, in an order that extends program order and reads-from; an interleaving if
/// there is one.
///
/// ```
/// use linchpin_graph::{Execution, MemoryModel};
///
/// assert_eq!(linchpin_report::text::execution(&Execution::new(MemoryModel::C11)), "Nothing has happened yet.\n");
/// ```
pub fn execution(execution: &Execution) -> String {
    execution::execution(&Picture::of_execution(execution).shown(), Style::default())
}
