//! From what was found to a report.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use linchpin_engine::{Violation, ViolationKind};
use linchpin_generate::Outcomes;
use linchpin_localize::Verification;
use linchpin_localize::eliminate::Limits;
use linchpin_model::{AnyObject, Outcome, Value};
use linchpin_report::Report;
use linchpin_report::report::{Closest, Kind, json};

use super::origin;
use crate::ClientTest;

/// For a cause that nobody has asked for, executions are looked at for so long at most, each of the few times that it takes. Machines
/// differ, so numbers are to end it where they can.
const MOST_TIME: Duration = Duration::from_secs(10);
/// Threads that go round in them, which nobody stops there, are cut after so many events.
const MOST_EVENTS: u32 = 1_000;
/// Of a client that may be large, so many are looked at,
const FEW_EXECUTIONS: u64 = 10_000;
/// for so long,
const LITTLE_TIME: Duration = Duration::from_secs(3);
/// and none at all if it has more pairs of invocations that may overlap: what real time says about them takes as long as there are
/// sets of pairs.
const FEW_PAIRS: usize = 12;

impl ClientTest {
    /// Explores the client and says all that is known about its first violation, if it has one: the execution, what comes closest to
    /// its outcome, and, for a wrong outcome, what would have to be atomic ([`explain`](Self::explain)). Prints nothing and keeps
    /// no file; [`Reports`](crate::Reports) does.
    ///
    /// ```
    /// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    ///
    /// linchpin::object! {
    ///     Counter: AtomicU8 = AtomicU8::new(0);
    ///     fn increment(&self) -> u8 = |count: &AtomicU8| {
    ///         let read = count.load(SeqCst);
    ///         count.store(read + 1, SeqCst);
    ///         read
    ///     };
    /// }
    ///
    /// let report = linchpin::client::<Counter>("{ increment() } || { increment() }").report().unwrap();
    /// assert_eq!(report.outcome, [0, 0]);
    /// assert_eq!(report.closest.len(), 2);
    /// assert!(linchpin::report::report(&report, Default::default()).contains("`increment` must be atomic here"));
    /// ```
    #[track_caller]
    pub fn report(&self) -> Option<Report> {
        let exploration = self.explore();
        let violation = exploration.violation.as_ref()?;
        let report = self.reported(violation).explored(&exploration);
        let report = self.with_cause(report, violation, &AtomicBool::new(false));
        Some(origin::complete(report))
    }

    /// With what would have to be atomic, if the violation is a wrong outcome and that can be said soon; before `interrupt` is set, in
    /// any case.
    pub(crate) fn with_cause(&self, report: Report, violation: &Violation, interrupt: &AtomicBool) -> Report {
        if !matches!(violation.kind, ViolationKind::Rejected { .. }) || interrupt.load(Relaxed) {
            return report;
        }
        let start = Instant::now();
        let builder = self.builder.clone().at_most_events(MOST_EVENTS).max_time_unless_given(MOST_TIME);
        let explanation = self.clone().with(builder).explain_until(&Limits::default(), interrupt);
        if explanation.verification() == Verification::NothingFails {
            return report;
        }
        let mut report = report.explained(&explanation);
        report.seconds.insert("explaining".to_owned(), start.elapsed().as_secs_f64());
        report
    }

    /// As [`with_cause`](Self::with_cause), for a client that somebody has written, and that may be large: a short look, or none.
    pub(crate) fn with_cause_soon(&self, report: Report, violation: &Violation, interrupt: &AtomicBool) -> Report {
        let threads: Vec<usize> = self.client().threads.iter().map(Vec::len).collect();
        let pairs = |first: usize| threads[first] * threads[first + 1..].iter().sum::<usize>();
        if (0..threads.len()).map(pairs).sum::<usize>() > FEW_PAIRS {
            return report;
        }
        let builder = self.builder.clone().at_most(FEW_EXECUTIONS).max_time_unless_given(LITTLE_TIME);
        self.clone().with(builder).with_cause(report, violation, interrupt)
    }

    /// The report of a violation of this client, with what comes closest to its outcome.
    pub(crate) fn reported(&self, violation: &Violation) -> Report {
        let mut report = Report::of(violation).of_client(self.object.name(), self.client());
        let results: Option<Vec<Value>> = violation.calls.iter().map(|call| call.result.clone()).collect();
        if let (ViolationKind::Rejected { .. }, Some(results)) = (&violation.kind, results) {
            report.closest = closest(&self.admitted(), &Outcome(results));
        }
        report
    }
}

/// What is wrong without any execution: the first line is the headline.
pub(crate) fn told(object: AnyObject, kind: Kind, message: &str) -> Report {
    let (headline, rest) = message.split_once('\n').unwrap_or((message, ""));
    let mut report = Report::told(kind, format!("{}: {headline}", object.name()));
    report.object = Some(object.name().to_owned());
    report.why.extend((!rest.is_empty()).then(|| rest.to_owned()));
    report
}

/// The admitted outcomes that come closest to one that is not.
pub(super) fn closest(admitted: &Outcomes, outcome: &Outcome) -> Vec<Closest> {
    let Some(explanation) = admitted.explain(outcome) else { return Vec::new() };
    let client = admitted.client();
    let near = explanation.nearest.iter().map(|near| {
        let difference = |&position: &usize| {
            let (found, expected) = (&outcome.0[position], &near.outcome.0[position]);
            format!("{} returned {found} instead of {expected}", linchpin_generate::name(client, position))
        };
        Closest {
            order: near.linearization.iter().map(|&position| linchpin_generate::name(client, position)).collect(),
            differences: near.differing.iter().map(difference).collect(),
            outcome: near.outcome.0.iter().map(json).collect(),
        }
    });
    near.collect()
}

#[cfg(test)]
mod tests {
    use linchpin_model::{Bound, Coverage};
    use linchpin_sync::sync::atomic::{AtomicU8, Ordering::SeqCst};

    use super::*;
    use crate::client;

    crate::object! {
        Counter: AtomicU8 = AtomicU8::new(0);
        fn add(&self) -> u8 = |count: &AtomicU8| {
            let read = count.load(SeqCst);
            count.store(read + 1, SeqCst);
            read
        };
    }

    /// The report of a client that fails, with its cause if there is time.
    fn report(text: &str, interrupt: bool) -> Report {
        let test = client::<Counter>(text);
        let violation = test.explore().violation.unwrap();
        test.with_cause_soon(test.reported(&violation), &violation, &AtomicBool::new(interrupt))
    }

    #[test]
    fn who_interrupts_gets_the_finding_without_its_cause() {
        let [explained, interrupted] = [false, true].map(|interrupt| report("{ add() } || { add() }", interrupt));
        assert!(explained.explanation.is_some() && interrupted.explanation.is_none());
        assert_eq!((explained.headline, explained.execution), (interrupted.headline, interrupted.execution));
    }

    #[test]
    fn what_is_known_of_the_cause_so_far_says_that_it_was_interrupted() {
        // It has so many executions that somebody asks whether to go on before all of them were looked at.
        let test = client::<Counter>("{ add(); add(); add(); add(); add() } || { add(); add(); add(); add(); add() }");
        let explanation = test.explain_until(&Limits::default(), &AtomicBool::new(true));
        assert_eq!(explanation.explored.coverage, Coverage::Bounded(vec![Bound::Interrupted]));
    }

    #[test]
    fn many_invocations_that_may_overlap_are_not_explained_unasked() {
        assert!(report("{ add(); add(); add() } || { add(); add(); add(); add() }", false).explanation.is_some());
        assert!(report("{ add(); add(); add() } || { add(); add(); add() } || { add() }", false).explanation.is_none());
    }
}
