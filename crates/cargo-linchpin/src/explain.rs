//! `linchpin explain`: the smallest client that fails, what would have to be atomic, and the races that decide.

use std::path::Path;

use linchpin::localize::Explanation;
use linchpin::{
    Builder, Check, ClientTest, Coverage, Left, MemoryModel, Object, Replay, Shrunk, Violation, ViolationKind, check,
    explain_command, replay_command, report,
};
use linchpin_zoo::{Entry, Visitor, visit};
use serde::Serialize;

use crate::arguments::{self, Model};
use crate::exit::Exit;
use crate::hunt::{AtomicSection, Cause, CriticalRaces, MinimumTest, causes, critical_races, sections};
use crate::output::{json, line, printed};
use crate::{interrupt, progress, replay, zoo};

/// So many clients are generated to hold the cause of one against them,
const CLIENTS: usize = 50;
/// and so many to find all causes of an object.
const LIBRARY_CLIENTS: usize = 200;

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
    Library(&'static Entry),
}

fn subject(options: &arguments::Explain) -> Result<Subject, String> {
    let file = Path::new(&options.subject);
    match &options.client {
        Some(client) => Ok(Subject::Client(client.clone(), zoo::find::entry(&options.subject)?)),
        None if options.library => Ok(Subject::Library(zoo::find::entry(&options.subject)?)),
        None if file.is_file() => {
            let replay = replay::read(file)?;
            match replay::entry_of(&replay) {
                Some(entry) => Ok(Subject::Failure(replay, entry)),
                None => Err(elsewhere(&replay, file)),
            }
        }
        None => match zoo::find::entry(&options.subject) {
            Ok(Entry { name, .. }) => Err(format!(
                "which client of {name}? `linchpin explain {name} CLIENT`, or `linchpin explain {name} --library`"
            )),
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
        let (Subject::Failure(_, entry) | Subject::Client(_, entry) | Subject::Library(entry)) = self;
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
        let (client, replayed, model): (ClientTest<O>, Option<Violation>, MemoryModel) = match &self.subject {
            Subject::Client(text, _) => (text.parse().map_err(|error| format!("{error}"))?, None, MemoryModel::C11),
            Subject::Failure(replay, _) => {
                let client = replay::client_of(replay)?;
                let violation = replay::again(entry, &client, replay)?;
                (client, violation, replay.model)
            }
            Subject::Library(_) => return Ok(library::<O>(entry, self.options)),
        };
        let spinner = progress::spinner(format!("looking for the cause of {}", client.client()));
        let builder = builder(self.options, model);
        let check =
            check::<O>().with(builder.clone()).clients(self.options.clients.unwrap_or(CLIENTS)).seed(self.options.seed);
        let explained = explain(client.clone(), builder, replayed, &check);
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
    /// Which generated clients fail, and still do if the cause is ruled out.
    left: Option<Left>,
}

fn explain<O: Object>(
    client: ClientTest<O>,
    builder: Builder,
    replayed: Option<Violation>,
    check: &Check<O>,
) -> Explained {
    let client = client.with(builder.clone());
    let exploration = client.explore();
    let smallest = exploration.violation.as_ref().and_then(|_| client.shrink());
    let violation = match &smallest {
        Some(smallest) => smallest.exploration.violation.clone(),
        None => exploration.violation.or(replayed),
    };
    let is_explained = violation.as_ref().is_some_and(|found| matches!(found.kind, ViolationKind::Rejected { .. }));
    let (explanation, left) = smallest
        .as_ref()
        .filter(|_| is_explained)
        .and_then(|smallest| smallest.minimum.client.to_string().parse::<ClientTest<O>>().ok())
        .map(|smallest| {
            let smallest = smallest.with(builder);
            let explanation = smallest.explain();
            let is_of_use = !explanation.cause.sections.is_empty();
            let left = is_of_use.then(|| check.verify(&smallest, &explanation));
            (explanation, left)
        })
        .unzip();
    Explained { shrunk: smallest, coverage: exploration.coverage, violation, explanation, left: left.flatten() }
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
    if let Some(left) = &explained.left {
        text.push_str(&format!("\n{left}\n"));
    }
    text
}

/// What is wrong with the object, over generated clients.
fn library<O: Object>(entry: &Entry, options: &arguments::Explain) -> Exit {
    let clients = options.clients.unwrap_or(LIBRARY_CLIENTS);
    let spinner = progress::spinner(format!("looking for the causes of all failures of {}", entry.name));
    let builder = builder(options, MemoryModel::C11);
    let causes = check::<O>().with(builder).clients(clients).seed(options.seed).causes_until(&interrupt::flag());
    spinner.finish_and_clear();
    let (cause, is_complete) = (&causes.repair.cause, causes.coverage.is_complete());
    // That none of these clients fails says nothing about others.
    let exit = if causes.repair.failing + causes.otherwise > 0 { Exit::Violation } else { Exit::Undecided };
    let text = match options.json {
        true => line(&LibraryReport {
            object: entry.name,
            verdict: if exit == Exit::Violation { "violation" } else { "unknown" },
            coverage: if is_complete { "complete" } else { "bounded" },
            clients: causes.repair.clients,
            failing: causes.repair.failing,
            sections: sections(&cause.sections),
            disables: cause.disables,
            left: cause.left + causes.weak,
        }),
        false => format!("{} ({})\n{causes}\n", entry.name, entry.description),
    };
    printed(&text, exit)
}

/// What `--library --json` prints.
#[derive(Serialize)]
struct LibraryReport {
    object: &'static str,
    verdict: &'static str,
    /// How much of the clients was looked at.
    coverage: &'static str,
    clients: usize,
    failing: usize,
    /// What would have to be atomic.
    sections: Vec<AtomicSection>,
    /// How many linearizable executions of the failing clients would be forbidden as well.
    disables: u64,
    /// How many failing executions would still be possible.
    left: u64,
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
    /// How many clients were generated to hold the first cause against them,
    generated_clients: usize,
    /// how many of them fail,
    failing_clients: usize,
    /// and which still do if it is ruled out.
    clients_left: Vec<String>,
    /// The whole report, as people read it.
    report: String,
}

impl Report {
    fn of(entry: &Entry, client: &linchpin::Client, explained: &Explained) -> Report {
        let Explained { shrunk, coverage, violation, explanation, left } = explained;
        let left = left.as_ref();
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
            generated_clients: left.map_or(0, |left| left.clients),
            failing_clients: left.map_or(0, |left| left.failing),
            clients_left: left.map_or(Vec::new(), |left| left.clients_left.iter().map(ToString::to_string).collect()),
            report: text(entry, client, explained),
        }
    }
}
