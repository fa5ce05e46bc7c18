//! Requests about an object, answered where its type is known: here if it is one of the zoo, in the user's test binary
//! otherwise. What is printed is the same.

use std::path::Path;

use linchpin::command::{About, Answer, Exit, Request, Scheduler, Session, Tester, run};
use linchpin::{Report, Reports};
use linchpin_report::sarif;

use crate::arguments::{Audit, Check, Client, Hunt, Location, Output};
use crate::output::{printed, style, written};
use crate::progress::Shown;
use crate::workspace::Workspace;
use crate::{interrupt, zoo};

/// What is printed, and what is written.
#[derive(Default)]
pub(crate) struct Wanted<'a> {
    pub output: Output,
    pub emit_test: Option<&'a Path>,
    pub save_replay: Option<&'a Path>,
}

impl Wanted<'static> {
    /// Nothing but what every command can print and write.
    pub fn just(output: &Output) -> Self {
        Wanted { output: output.clone(), ..Wanted::default() }
    }
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
        emit_test: options.emit.emit_test.as_deref(),
        save_replay: options.save_replay.as_deref(),
        ..Wanted::just(&options.output)
    };
    answer(&options.object, &Request::Client(options.request()), &options.location, called, &wanted)
}

pub(crate) fn hunt(options: &Hunt, called: Called) -> Exit {
    let wanted = Wanted { emit_test: options.emit.emit_test.as_deref(), ..Wanted::just(&options.output) };
    answer(&options.object, &Request::Hunt(options.request()), &options.location, called, &wanted)
}

pub(crate) fn check(name: &str, request: Request, options: &Check, called: Called) -> Exit {
    let wanted = Wanted { emit_test: options.emit.emit_test.as_deref(), ..Wanted::just(&options.output) };
    answer(name, &request, &options.location, called, &wanted)
}

/// An object, or a test of the user's. `others` are names that could be meant as well.
pub(crate) fn audit(name: &str, others: &[String], options: &Audit, called: Called) -> Exit {
    let wanted = Wanted::just(&options.output);
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
        Ok(answers) => told(&answers, &wanted),
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
        Ok(answer) => told(&[answer], wanted),
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

/// Prints answers, and then writes what was to be written: what goes wrong there loses nothing.
pub(crate) fn told(answers: &[Answer], wanted: &Wanted<'_>) -> Exit {
    let mut exit = Exit::Holds;
    for answer in answers {
        exit = exit.or(match wanted.output.json {
            true => printed(&answer.json, answer.exit),
            false => printed(&answer.told(style()), answer.exit),
        });
    }
    exit = exit.or(reported(answers, &wanted.output));
    for answer in answers {
        if let (Some(file), Some(replay)) = (wanted.save_replay, &answer.replay) {
            exit = exit.or(written(file, replay));
        }
        if let Some(file) = wanted.emit_test {
            exit = exit.or(emitted(answer, file));
        }
    }
    exit
}

/// Writes the test that was to be written.
fn emitted(answer: &Answer, file: &Path) -> Exit {
    match &answer.test {
        Some(Ok(source)) => written(file, source),
        Some(Err(message)) => unusable(message),
        None => {
            eprintln!("no client fails, so there is no test to write");
            Exit::Holds
        }
    }
}

/// The same reports by names of their own, so that none takes the place of another: a test may explore several things.
fn told_apart(mut reports: Vec<Report>) -> Vec<Report> {
    let names: Vec<String> = reports.iter().map(|report| report.name.clone()).collect();
    for (number, report) in reports.iter_mut().enumerate() {
        let before = names[..number].iter().filter(|name| **name == names[number]).count();
        if before > 0 {
            report.name += &format!(".{}", before + 1);
        }
    }
    reports
}

/// Keeps the reports of what fails, if they are wanted.
fn reported(answers: &[Answer], output: &Output) -> Exit {
    let reports = told_apart(answers.iter().filter_map(|answer| answer.report.as_deref().cloned()).collect());
    let mut exit = Exit::Holds;
    if let Some(directory) = &output.report {
        for report in &reports {
            exit = exit.or(match Reports::new(directory).keep(report) {
                Ok(kept) => {
                    eprintln!("written: {}", kept.page.display());
                    Exit::Holds
                }
                Err(error) => unusable(&format!("cannot write to {}: {error}", directory.display())),
            });
        }
        if reports.is_empty() {
            eprintln!("nothing fails, so there is no report to keep");
        }
    }
    match &output.sarif {
        Some(file) => exit.or(written(file, &sarif::log(&reports))),
        None => exit,
    }
}

fn of_zoo(name: &str, request: &Request) -> Result<Answer, String> {
    let entry = zoo::find::entry(name)?;
    if runs_natively(request) && !entry.memory_safe {
        return Err(format!(
            "{} may leave its memory when it goes wrong, so it is not run on native threads; explore or sample it instead",
            entry.name
        ));
    }
    // Objects of the zoo name their types in full, so that a test has nothing to import.
    let about = About { name: entry.name, description: Some(entry.description), imports: Some("") };
    let (interrupt, shown) = (interrupt::flag(), Shown::default());
    let session = Session { interrupt: &interrupt, progress: &|done, message| shown.tell(done, message) };
    run(entry.object, &about, request, &session)
}

fn runs_natively(request: &Request) -> bool {
    match request {
        Request::Client(client) => client.tester == Tester::Stress,
        Request::Hunt(hunt) => hunt.scheduler == Scheduler::Native,
        Request::Replay(_) | Request::Explain(_) | Request::Check(_) | Request::Audit(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use linchpin_report::report::Kind;

    use super::*;

    #[test]
    fn no_report_takes_the_place_of_another() {
        let report = |name: &str| Report { name: name.to_owned(), ..Report::told(Kind::Leak, "two blocks leak") };
        let names: Vec<String> =
            told_apart(["a", "a", "b", "a"].map(report).to_vec()).into_iter().map(|report| report.name).collect();
        assert_eq!(names, ["a", "a.2", "b", "a.3"]);
    }
}
