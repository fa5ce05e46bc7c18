//! What would have to be atomic for no generated client of an object to fail.

use linchpin_model::{AnyObject, MemoryModel};
use linchpin_report::report::Section;
use serde::Serialize;

use super::explain::builder;
use super::{About, Answer, Exit, ExplainRequest, Session};
use crate::Check;

/// So many clients are generated, unless told otherwise.
const CLIENTS: usize = 200;

pub(super) fn answer(object: AnyObject, about: &About<'_>, request: &ExplainRequest, session: &Session<'_>) -> Answer {
    (session.progress)(None, &format!("looking for the causes of all failures of {}", about.name));
    let check = Check::of(object).with(builder(request, MemoryModel::C11));
    let check = check.clients(request.clients.unwrap_or(CLIENTS)).seed(request.seed);
    let causes = check.causes_until(session.interrupt);
    let cause = &causes.repair.cause;
    // That none of these clients fails says nothing about others.
    let exit = if causes.repair.failing + causes.otherwise > 0 { Exit::Violation } else { Exit::Undecided };
    let report = Report {
        object: about.name.to_owned(),
        verdict: exit.verdict(),
        coverage: if causes.coverage.is_complete() { "complete" } else { "bounded" },
        clients: causes.repair.clients,
        failing: causes.repair.failing,
        sections: cause.sections.iter().map(Section::from).collect(),
        disables: cause.disables,
        left: cause.left + causes.weak,
    };
    Answer::new(exit, format!("{about}\n{causes}\n"), &report)
}

/// What `--library --json` prints.
#[derive(Serialize)]
struct Report {
    object: String,
    verdict: &'static str,
    /// How much of the clients was looked at.
    coverage: &'static str,
    clients: usize,
    failing: usize,
    /// What would have to be atomic.
    sections: Vec<Section>,
    /// How many linearizable executions of the failing clients would be forbidden as well.
    disables: u64,
    /// How many failing executions would still be possible.
    left: u64,
}
