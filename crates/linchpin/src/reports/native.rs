//! What native threads have shown, as a report.

use linchpin_model::{Bound, Coverage, Outcome};
use linchpin_report::Report;
use linchpin_report::report::{Kind, json};
use linchpin_stress::{Ended, Panic, Seen, Stressed};

use super::made::closest;
use crate::ClientTest;

impl ClientTest {
    /// What is wrong with what was seen on native threads, if anything is: the most frequent outcome that is not admitted, and how
    /// often each was seen. `explore` is what to type for all executions of the client.
    pub(crate) fn report_of_native(&self, stressed: &Stressed, explore: &str) -> Option<Report> {
        let mut report = match (stressed.forbidden().next().map(|frequency| &frequency.seen), &stressed.ended) {
            (Some(Seen::Returned(outcome)), _) => self.wrong_outcome(outcome),
            (Some(Seen::Panicked(panics)), _) => self.panicked(panics),
            (None, Ended::Stuck(_)) => Report::told(
                Kind::Stuck,
                format!("{}: {}: an operation does not return on native threads", self.object.name(), self.client()),
            ),
            (None, _) => return None,
        };
        report = report.of_client(self.object.name(), self.client());
        report.why.push(stressed.table().trim_end().to_owned());
        report.executions = Some(stressed.runs);
        report.covered = (&coverage(stressed)).into();
        report.seconds.insert("running".to_owned(), stressed.elapsed.as_secs_f64());
        report.next.push(format!(
            "What native threads do cannot be run again. If the object's types are those of `linchpin_sync`, {explore} looks at every \
             execution, shows one that fails step by step, and says which lines are to blame."
        ));
        Some(report)
    }

    fn wrong_outcome(&self, outcome: &Outcome) -> Report {
        let admitted = self.admitted();
        let told = admitted.explain(outcome).map(|explanation| explanation.to_string()).unwrap_or_default();
        let (headline, rest) = told.split_once('\n').unwrap_or((&told, ""));
        Report {
            why: (!rest.is_empty()).then(|| rest.to_owned()).into_iter().collect(),
            outcome: outcome.0.iter().map(json).collect(),
            closest: closest(&admitted, outcome),
            ..Report::told(Kind::NotLinearizable, format!("wrong result: {}: {headline}", self.client()))
        }
    }

    fn panicked(&self, panics: &[Panic]) -> Report {
        let messages: Vec<&str> = panics.iter().map(|panic| panic.message.as_str()).collect();
        Report::told(Kind::Panic, format!("panic: {}: {}", self.client(), messages.join(", then ")))
    }
}

/// How much was looked at.
pub(crate) fn coverage(stressed: &Stressed) -> Coverage {
    Coverage::Bounded(vec![match &stressed.ended {
        Ended::Runs => Bound::Executions(stressed.runs),
        Ended::Time => Bound::Time(stressed.elapsed),
        Ended::Interrupted => Bound::Interrupted,
        Ended::Stuck(_) => Bound::FirstViolation,
    }])
}
