//! Requests about an object, answered where its type is known: here if it is one of the zoo, in the user's test binary
//! otherwise. What is printed is the same.

use std::path::Path;

use linchpin::command::{About, Answer, Exit, Request, Scheduler, Session, Tester, run};
use linchpin::{Object, Reports};
use linchpin_report::sarif;
use linchpin_zoo::{Entry, Visitor, visit};

use crate::arguments::{Audit, Check, Client, Hunt, Location};
use crate::output::{printed, style, written};
use crate::progress::Shown;
use crate::workspace::Workspace;
use crate::{interrupt, zoo};

/// What is printed, and what is written.
#[derive(Default)]
pub(crate) struct Wanted<'a> {
    pub json: bool,
    pub emit_test: Option<&'a Path>,
    pub save_replay: Option<&'a Path>,
    pub report: Option<&'a Path>,
    pub sarif: Option<&'a Path>,
}

/// Where objects are looked for that the zoo does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    /// The command was called by its own name: only if it is told where.
    Alone,
    /// Cargo called the command: in the crate.
    ByCargo,
}

pub(crate) fn client(options: &Client, called: Called) -> Exit {
    let wanted = Wanted {
        json: options.output.json,
        emit_test: options.output.emit_test.as_deref(),
        save_replay: options.save_replay.as_deref(),
        report: options.output.report.as_deref(),
        sarif: options.output.sarif.as_deref(),
    };
    answer(&options.object, &Request::Client(options.request()), &options.location, called, &wanted)
}

pub(crate) fn hunt(options: &Hunt, called: Called) -> Exit {
    let wanted = Wanted {
        json: options.output.json,
        emit_test: options.output.emit_test.as_deref(),
        report: options.output.report.as_deref(),
        sarif: options.output.sarif.as_deref(),
        ..Wanted::default()
    };
    answer(&options.object, &Request::Hunt(options.request()), &options.location, called, &wanted)
}

pub(crate) fn check(name: &str, request: Request, options: &Check, called: Called) -> Exit {
    let wanted = Wanted { json: options.json, emit_test: options.emit_test.as_deref(), ..Wanted::default() };
    answer(name, &request, &options.location, called, &wanted)
}

/// An object, or a test of the user's. `others` are names that could be meant as well.
pub(crate) fn audit(name: &str, others: &[String], options: &Audit, called: Called) -> Exit {
    let wanted = Wanted { json: options.json, ..Wanted::default() };
    if !is_in_workspace(name, &options.location, called) {
        if let Err(message) = zoo::find::entry_among(name, others) {
            return unusable(&message);
        }
        return answer(name, &Request::Audit(options.request()), &options.location, called, &wanted);
    }
    let answers = Workspace::build(&options.location).and_then(|workspace| match workspace.test(name) {
        Some(test) => workspace.orders(&test, options.question()),
        None => workspace.ask(name, &Request::Audit(options.request())).map(|answer| vec![answer]),
    });
    match answers {
        Ok(answers) => answers.iter().fold(Exit::Holds, |exit, answer| exit.or(told(answer, &wanted))),
        Err(message) => unusable(&message),
    }
}

pub(crate) fn answer(name: &str, request: &Request, location: &Location, called: Called, wanted: &Wanted<'_>) -> Exit {
    let answer = if is_in_workspace(name, location, called) {
        Workspace::build(location).and_then(|workspace| workspace.ask(name, request))
    } else {
        of_zoo(name, request)
    };
    match answer {
        Ok(answer) => told(&answer, wanted),
        Err(message) => unusable(&message),
    }
}

pub(crate) fn unusable(message: &str) -> Exit {
    eprintln!("error: {message}");
    Exit::Unusable
}

/// Names of the zoo are the zoo's: they are not those of types.
pub(crate) fn is_in_workspace(name: &str, location: &Location, called: Called) -> bool {
    location.is_given() || called == Called::ByCargo && linchpin_zoo::find(name).is_none()
}

/// Prints an answer, and then writes what was to be written: what goes wrong there loses nothing.
pub(crate) fn told(answer: &Answer, wanted: &Wanted<'_>) -> Exit {
    let exit = match wanted.json {
        true => printed(&answer.json, answer.exit),
        false => printed(&answer.told(style()), answer.exit),
    };
    let exit = exit.or(reported(answer, wanted));
    let exit = match (wanted.save_replay, &answer.replay) {
        (Some(file), Some(replay)) => exit.or(written(file, replay)),
        _ => exit,
    };
    let Some(file) = wanted.emit_test else { return exit };
    exit.or(match &answer.test {
        Some(Ok(source)) => written(file, source),
        Some(Err(message)) => unusable(message),
        None => {
            eprintln!("no client fails, so there is no test to write");
            Exit::Holds
        }
    })
}

/// Keeps the report of what fails, if it is wanted.
fn reported(answer: &Answer, wanted: &Wanted<'_>) -> Exit {
    let report = answer.report.as_deref();
    let mut exit = Exit::Holds;
    if let (Some(directory), Some(report)) = (wanted.report, report) {
        exit = match Reports::new(directory).keep(report) {
            Ok(kept) => {
                eprintln!("written: {}", kept.page.display());
                exit
            }
            Err(error) => unusable(&format!("cannot write to {}: {error}", directory.display())),
        };
    }
    if let Some(file) = wanted.sarif {
        exit = exit.or(written(file, &sarif::log(report.map(std::slice::from_ref).unwrap_or_default())));
    }
    exit
}

fn of_zoo(name: &str, request: &Request) -> Result<Answer, String> {
    let entry = zoo::find::entry(name)?;
    if runs_natively(request) && !entry.memory_safe {
        return Err(format!(
            "{} may leave its memory when it goes wrong, so it is not run on native threads; explore or sample it instead",
            entry.name
        ));
    }
    visit(entry.name, Ask(request)).unwrap_or_else(|| Err(format!("{} is not in the zoo", entry.name)))
}

fn runs_natively(request: &Request) -> bool {
    match request {
        Request::Client(client) => client.tester == Tester::Stress,
        Request::Hunt(hunt) => hunt.scheduler == Scheduler::Native,
        Request::Replay(_) | Request::Explain(_) | Request::Check(_) | Request::Audit(_) => false,
    }
}

/// Answers a request about whatever type the object has.
struct Ask<'a>(&'a Request);

impl Visitor for Ask<'_> {
    type Answer = Result<Answer, String>;

    fn visit<O: Object>(self, entry: &'static Entry) -> Self::Answer {
        // Objects of the zoo name their types in full, so that a test has nothing to import.
        let about = About { name: entry.name, description: Some(entry.description), imports: Some("") };
        let (interrupt, shown) = (interrupt::flag(), Shown::default());
        run::<O>(
            &about,
            self.0,
            &Session { interrupt: &interrupt, progress: &|done, message| shown.tell(done, message) },
        )
    }
}
