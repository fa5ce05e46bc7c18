//! Every execution.

use linchpin_model::Object;

use super::answer::{Finding, Report, heading, model_of};
use crate::command::{About, Answer, ClientRequest, Session};
use crate::{Builder, ClientTest, Hooks, Progress, report};

pub(super) fn answer<O: Object>(
    about: &About<'_>,
    test: &ClientTest<O>,
    request: &ClientRequest,
    session: &Session<'_>,
) -> Answer {
    let test = test.clone().with(builder(request));
    let on_progress = |now: &Progress| (session.progress)(Some(now.done), &report::progress(now));
    let hooks = Hooks { progress: &on_progress, interrupt: Some(session.interrupt), ..Hooks::default() };
    let exploration = test.explore_with(hooks);

    let mut report = Report::of(about, test.client(), request);
    let exit = report.conclude(exploration.violation.is_some(), &exploration.coverage);
    report.assumptions = exploration.assumptions.iter().map(ToString::to_string).collect();
    report.runs = exploration.complete + exploration.violations;
    report.seconds = exploration.elapsed.as_secs_f64();
    report.violation = exploration.violation.as_ref().map(Finding::of);

    let text = format!("{}\n{}", heading(about, test.client()), report::summary(&exploration));
    let violation = exploration.violation.as_ref();
    let found = violation.map(|violation| about.reported(test.reported(violation).explored(&exploration)));
    let replay = violation.filter(|_| request.save_replay);
    let answer = Answer::new(exit, text, &report).with_report(found);
    Answer { replay: replay.map(|found| about.named(test.replay_of(found))), ..answer }
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
