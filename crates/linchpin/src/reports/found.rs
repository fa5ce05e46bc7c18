//! What a check or a hunt has found, as a report.

use std::sync::atomic::AtomicBool;

use linchpin_engine::{Exploration, Replay, Violation};
use linchpin_localize::Minimum;
use linchpin_model::AnyObject;
use linchpin_report::Report;
use linchpin_report::report::{Kind, ShownClient};

use super::{alone, told};
use crate::{Builder, Checked, ClientTest, Failure, Hunted, Shrunk};

/// A finding, and what leads to its execution again if it has one.
pub(crate) struct Found {
    pub report: Report,
    pub replay: Option<Replay>,
}

impl Found {
    /// A finding that `replay` leads to, if a single execution shows it.
    pub fn of(report: Report, replay: Replay) -> Found {
        let replay = (report.kind != Kind::KeptMemory).then_some(replay);
        Found { report, replay }
    }
}

impl From<Report> for Found {
    fn from(report: Report) -> Found {
        Found { report, replay: None }
    }
}

/// How a client fails that was made as small as it could be.
struct Smallest<'a> {
    minimum: Option<&'a Minimum>,
    exploration: &'a Exploration,
    /// What it was made from.
    original: Option<ShownClient>,
}

impl Smallest<'_> {
    fn found(self, test: &ClientTest, violation: &Violation, interrupt: &AtomicBool) -> Found {
        let mut report = test.reported(violation).explored(self.exploration);
        report.original_test = self.original;
        if let Some(minimum) = self.minimum {
            report = report.shrunk(minimum);
        }
        Found::of(test.with_cause(report, violation, interrupt), test.replay_of(violation))
    }
}

impl Checked {
    /// What is wrong, if anything is; and why, as far as that is known when `interrupt` is set. Clients were explored as `builder`
    /// says.
    pub(crate) fn found(&self, object: AnyObject, builder: &Builder, interrupt: &AtomicBool) -> Option<Found> {
        let mut found = match self.failure.as_ref()? {
            Failure::Execution { found, client, minimum, exploration } => {
                let test = ClientTest::new(object, client.clone()).with(builder.clone());
                let original = Some(found.into());
                let smallest = Smallest { minimum: minimum.as_ref(), exploration, original };
                smallest.found(&test, exploration.violation.as_ref()?, interrupt)
            }
            Failure::Disagreement(disagreement) => alone::disagreement(object, disagreement).into(),
            Failure::NotDeterministic(error) => alone::not_deterministic(object, error).into(),
            Failure::NoClients(ended) => alone::no_clients(object, *ended).into(),
        };
        found.report.seconds.insert("checking".to_owned(), self.elapsed.as_secs_f64());
        Some(found)
    }
}

impl Hunted {
    /// What is wrong, if anything is; and why, as far as that is known when `interrupt` is set. Clients were explored as `builder`
    /// says.
    pub(crate) fn found(&self, object: AnyObject, builder: &Builder, interrupt: &AtomicBool) -> Option<Found> {
        let detected = self.detected.as_ref()?;
        let of_smallest = self.shrunk.as_ref().and_then(|Shrunk { minimum, exploration }| {
            let test = ClientTest::new(object, minimum.client.clone()).with(builder.clone());
            let original = self.located.as_ref().map(|located| (&located.client).into());
            let smallest = Smallest { minimum: Some(minimum), exploration, original };
            Some(smallest.found(&test, exploration.violation.as_ref()?, interrupt))
        });
        let mut found = of_smallest.unwrap_or_else(|| {
            let mut report = told(object, Kind::NotLinearizable, &detected.message);
            report.next.push(
                "No client that is small enough to be explored was found to fail like that. Hunt with fewer operations in each \
                 thread, or with another seed: what fails sooner is easier to make small."
                    .to_owned(),
            );
            report.into()
        });
        found.report.seconds.extend(self.phases.seconds());
        Some(found)
    }
}
