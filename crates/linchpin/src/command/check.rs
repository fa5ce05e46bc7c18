//! Generated clients of an object, each explored.

use linchpin_model::{AnyObject, Coverage};
use serde::Serialize;

use super::known::{Keep, Known};
use super::{About, Answer, CheckRequest, Clients, Exit, Session};
use crate::settings::{self, Settings};
use crate::{Builder, Check, Checked, ClientTest, Failure, Options};

pub(super) fn answer(object: AnyObject, about: &About<'_>, request: &CheckRequest, session: &Session<'_>) -> Answer {
    let builder = builder(request);
    let tell = |done: Option<f64>, what: &str| (session.progress)(done, &format!("checking {}: {what}", about.name));
    let checked = checking(object, request, &builder).explore_telling(session.interrupt, &tell);
    if checked.failure.is_some() {
        (session.progress)(None, "looking for the cause");
    }
    let known = Known {
        exit: match (&checked.failure, &checked.coverage) {
            (Some(Failure::NoClients(_)), _) => Exit::Unusable,
            (Some(_), _) => Exit::Violation,
            (None, Coverage::Complete) => Exit::Holds,
            (None, Coverage::Bounded(_)) => Exit::Undecided,
        },
        text: text(about, &checked),
        covered: (&checked.coverage).into(),
        seconds: [("checking".to_owned(), checked.elapsed.as_secs_f64())].into(),
        found: checked.found(object, &builder, session.interrupt),
        details: Details {
            clients: checked.clients,
            executions: checked.executions,
            left_out: checked.left_out.iter().map(ToString::to_string).collect(),
        },
    };
    let mut answer = known.answer(about, &Keep::ByName);
    if let (true, Some(Failure::Execution { client, .. })) = (request.emit_test, &checked.failure) {
        let test = ClientTest::new(object, client.clone());
        answer.test = Some(test.emit_test(about.imports).map_err(|error| error.to_string()));
    }
    answer
}

/// What `--json` prints besides.
#[derive(Serialize)]
struct Details {
    clients: usize,
    executions: u64,
    /// Operations that no client invokes.
    left_out: Vec<String>,
}

/// What generated clients look like: as asked, or else as set.
pub(super) fn options(clients: &Clients) -> Options {
    settings::options(Settings::here().options(), clients.threads, clients.invocations, clients.values)
}

/// How each client is explored.
fn builder(request: &CheckRequest) -> Builder {
    let mut builder = Builder::new();
    if let Some(model) = request.model {
        builder = builder.memory_model(model.into());
    }
    if let Some(limit) = request.time_limit {
        builder = builder.max_time(limit);
    }
    builder
}

fn checking(object: AnyObject, request: &CheckRequest, builder: &Builder) -> Check {
    let mut check = Check::of(object).with(builder.clone());
    if let Clients { threads: Some(_), .. } | Clients { invocations: Some(_), .. } | Clients { values: Some(_), .. } =
        request.clients
    {
        check = check.options(options(&request.clients));
    }
    if let Some(clients) = request.clients.max_clients {
        check = check.clients(clients);
    }
    if let Some(seed) = request.clients.seed {
        check = check.seed(seed);
    }
    check
}

fn text(about: &About<'_>, checked: &Checked) -> String {
    let mut text = format!("{about}\n");
    for left_out in &checked.left_out {
        text.push_str(&format!("{left_out}\n"));
    }
    text.push_str(&format!("{}\n", checked.summary()));
    if let Some(Failure::Execution { found, .. }) = &checked.failure {
        text.push_str(&format!("{found} fails\n"));
    }
    text
}
