//! Every execution.

use linchpin_report::report::Kind;

use super::answer::{Details, exit, heading, keep, model_of};
use crate::command::known::Known;
use crate::command::{About, Answer, ClientRequest, Session, serve};
use crate::reports::Found;
use crate::{Builder, ClientTest, Hooks, Progress, report};

pub(super) fn answer(about: &About<'_>, test: &ClientTest, request: &ClientRequest, session: &Session<'_>) -> Answer {
    let test = test.clone().with(builder(request));
    let on_progress = |now: &Progress| (session.progress)(Some(now.done), &report::progress(now));
    let hooks = Hooks { progress: &on_progress, interrupt: Some(session.interrupt), ..Hooks::default() };
    let exploration = test.explore_with(hooks);

    let found = exploration.violation.as_ref().map(|violation| {
        (session.progress)(None, "looking for the cause");
        let report = test.reported(violation).explored(&exploration);
        let mut report = test.with_cause_soon(report, violation, session.interrupt);
        if let (Kind::NotLinearizable, None) = (report.kind, &report.explanation) {
            let explain = format!("{} explain {} '{}'", serve::asked_by(), about.name, test.client());
            report
                .next
                .push(format!("{explain} makes the client smaller, and says which lines would have to be atomic."));
        }
        Found::of(report, test.replay_of(violation))
    });
    let known = Known {
        exit: exit(found.is_some(), &exploration.coverage),
        text: format!("{}\n{}", heading(about, test.client()), report::summary(&exploration)),
        covered: (&exploration.coverage).into(),
        seconds: [("exploring".to_owned(), exploration.elapsed.as_secs_f64())].into(),
        found,
        details: Details {
            assumptions: exploration.assumptions.iter().map(ToString::to_string).collect(),
            runs: exploration.complete + exploration.violations,
            ..Details::of(test.client(), request)
        },
    };
    known.answer(about, &keep(request))
}

fn builder(request: &ClientRequest) -> Builder {
    let mut builder = Builder::new().memory_model(model_of(request).into());
    if let Some(runs) = request.runs {
        builder = builder.max_executions(runs);
    }
    if let Some(limit) = request.time_limit {
        builder = builder.max_time(limit);
    }
    builder
}
