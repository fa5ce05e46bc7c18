//! `linchpin explain`: the smallest client that fails, what would have to be atomic, and the races that decide.

use std::path::Path;

use linchpin::localize::Explanation;
use linchpin::{
    Builder, ClientTest, Coverage, MemoryModel, Object, Replay, Shrunk, Violation, ViolationKind, explain_command,
    replay_command, report,
};
use linchpin_zoo::{Entry, Visitor, visit};
use serde::Serialize;

use crate::arguments::{self, Model};
use crate::exit::Exit;
use crate::hunt::{Cause, CriticalRaces, MinimumTest, causes, critical_races};
use crate::output::{json, line, printed};
use crate::{progress, replay, zoo};

pub(crate) fn run(options: &arguments::Explain) -> Exit {
    subject(options).and_then(|subject| subject.explain(options)).unwrap_or_else(|message| {
        eprintln!("error: {message}");
        Exit::Unusable
    })
}

/// What is to be explained.
enum Subject {
    Failure(Replay, &'static Entry),
    Client(String, &'static Entry),
}

fn subject(options: &arguments::Explain) -> Result<Subject, String> {
    let file = Path::new(&options.subject);
    match &options.client {
        Some(client) => Ok(Subject::Client(client.clone(), zoo::find::entry(&options.subject)?)),
        None if file.is_file() => {
            let replay = replay::read(file)?;
            match replay::entry_of(&replay) {
                Some(entry) => Ok(Subject::Failure(replay, entry)),
                None => Err(elsewhere(&replay, file)),
            }
        }
        None => match zoo::find::entry(&options.subject) {
            Ok(entry) => Err(format!("which client of {}? `linchpin explain {} CLIENT`", entry.name, entry.name)),
            Err(error) => Err(format!("there is no file {}, and {error}", file.display())),
        },
    }
}

/// What to do where the code is not here.
fn elsewhere(replay: &Replay, file: &Path) -> String {
    match explain_command(replay, file) {
        Some(command) => replay::elsewhere(file, Some(command)),
        None => format!(
            "explanations are for clients of objects; {}",
            replay::elsewhere(file, replay_command(replay, file)) + "\n\nto see what happens"
        ),
    }
}

impl Subject {
    fn explain(self, options: &arguments::Explain) -> Result<Exit, String> {
        let (Subject::Failure(_, entry) | Subject::Client(_, entry)) = self;
        let explain = Explain { subject: self, options };
        visit(entry.name, explain).unwrap_or_else(|| Err(format!("{} is not in the zoo", entry.name)))
    }
}

/// Explains, whatever type the object has.
struct Explain<'a> {
    subject: Subject,
    options: &'a arguments::Explain,
}

impl Visitor for Explain<'_> {
    type Answer = Result<Exit, String>;

    fn visit<O: Object>(self, entry: &'static Entry) -> Result<Exit, String> {
        let (client, replayed): (ClientTest<O>, Option<Violation>) = match &self.subject {
            Subject::Client(text, _) => (text.parse().map_err(|error| format!("{error}"))?, None),
            Subject::Failure(replay, _) => {
                let client = replay::client_of(replay)?;
                let violation = replay::again(entry, &client, replay)?;
                (client, violation)
            }
        };
        let model = match &self.subject {
            Subject::Failure(replay, _) => replay.model,
            Subject::Client(..) => MemoryModel::C11,
        };
        let spinner = progress::spinner(format!("looking for the cause of {}", client.client()));
        let explained = explain(client.clone(), builder(self.options, model), replayed);
        spinner.finish_and_clear();
        let exit = explained.exit();
        let text = match self.options.json {
            true => line(&Report::of(entry, client.client(), &explained)),
            false => text(entry, client.client(), &explained),
        };
        Ok(printed(&text, exit))
    }
}

fn builder(options: &arguments::Explain, usual: MemoryModel) -> Builder {
    let model = match options.model {
        Some(Model::Sc) => MemoryModel::Sc,
        Some(Model::C11) => MemoryModel::C11,
        None => usual,
    };
    let builder = Builder::new().memory_model(model);
    match options.time_limit {
        Some(limit) => builder.max_time(limit),
        None => builder,
    }
}

/// What is known about a client.
struct Explained {
    /// The smallest one that fails like it, if it fails.
    shrunk: Option<Shrunk>,
    /// How much of the client itself was looked at.
    coverage: Coverage,
    /// What the smallest client violates; or if no execution that was explored does, what the one of the file does.
    violation: Option<Violation>,
    /// Why the smallest client fails, if what it returns is wrong.
    explanation: Option<Explanation>,
}

fn explain<O: Object>(client: ClientTest<O>, builder: Builder, replayed: Option<Violation>) -> Explained {
    let client = client.with(builder.clone());
    let exploration = client.explore();
    let smallest = exploration.violation.as_ref().and_then(|_| client.shrink());
    let violation = match &smallest {
        Some(smallest) => smallest.exploration.violation.clone(),
        None => exploration.violation.or(replayed),
    };
    let is_explained = violation.as_ref().is_some_and(|found| matches!(found.kind, ViolationKind::Rejected { .. }));
    let explanation = smallest.as_ref().filter(|_| is_explained).and_then(|smallest| {
        let smallest: ClientTest<O> = smallest.minimum.client.to_string().parse().ok()?;
        Some(smallest.with(builder).explain())
    });
    Explained { shrunk: smallest, coverage: exploration.coverage, violation, explanation }
}

impl Explained {
    fn exit(&self) -> Exit {
        match (&self.violation, &self.coverage) {
            (Some(_), _) => Exit::Violation,
            (None, Coverage::Complete) => Exit::Holds,
            (None, Coverage::Bounded(_)) => Exit::Undecided,
        }
    }
}

fn text(entry: &Entry, client: &linchpin::Client, explained: &Explained) -> String {
    let mut text = format!("{client} as a client of {} ({})\n", entry.name, entry.description);
    match &explained.shrunk {
        Some(shrunk) => text.push_str(&format!("{}\n", shrunk.minimum)),
        None if explained.violation.is_none() => {
            text.push_str(&format!("no violation; coverage: {}\n", explained.coverage));
        }
        None => text.push_str(
            "Smaller clients were not looked for: none of the executions that were explored fails, or the failure is of the \
             client's own making.\n",
        ),
    }
    if let Some(violation) = &explained.violation {
        text.push_str(&format!("\n{}", report::violation(violation)));
    }
    if let Some(explanation) = &explained.explanation {
        text.push_str(&format!("\n{}", report::explanation(explanation)));
    }
    text
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    object: &'static str,
    client: String,
    verdict: &'static str,
    coverage: &'static str,
    kind: Option<String>,
    minimum_test: Option<MinimumTest>,
    minimal_proven: bool,
    outcome: Option<Vec<serde_json::Value>>,
    /// What leaves no failing execution of the smallest client, first; then what rules one of them out, by cost.
    causes: Vec<Cause>,
    critical_races: Vec<CriticalRaces>,
    /// The whole report, as people read it.
    report: String,
}

impl Report {
    fn of(entry: &Entry, client: &linchpin::Client, explained: &Explained) -> Report {
        let Explained { shrunk, coverage, violation, explanation } = explained;
        Report {
            object: entry.name,
            client: client.to_string(),
            verdict: match explained.exit() {
                Exit::Violation => "violation",
                Exit::Holds => "linearizable",
                Exit::Unusable | Exit::Undecided => "unknown",
            },
            coverage: if coverage.is_complete() { "complete" } else { "bounded" },
            kind: violation.as_ref().map(|violation| violation.kind.name().to_owned()),
            minimum_test: shrunk.as_ref().map(|shrunk| MinimumTest::of(&shrunk.minimum.client)),
            minimal_proven: shrunk.as_ref().is_some_and(|shrunk| shrunk.minimum.is_proven),
            outcome: violation.as_ref().map(|violation| {
                violation.calls.iter().map(|call| call.result.as_ref().map(json).unwrap_or_default()).collect()
            }),
            causes: explanation.as_ref().map(causes).unwrap_or_default(),
            critical_races: explanation.as_ref().map(critical_races).unwrap_or_default(),
            report: text(entry, client, explained),
        }
    }
}
