//! `linchpin replay`: the one execution of a replay file again.

use std::path::Path;

use linchpin::{Builder, ClientTest, Object, Replay, Reuse, Violation, replay_command, report};
use linchpin_zoo::{Entry, Visitor, find, visit};
use serde::Serialize;

use crate::arguments;
use crate::exit::Exit;
use crate::output::{line, printed};

pub(crate) fn run(options: &arguments::Replay) -> Exit {
    let result = read(&options.file).and_then(|replay| {
        let again = Again { replay: &replay, json: options.json };
        let entry =
            entry_of(&replay).ok_or_else(|| elsewhere(&options.file, replay_command(&replay, &options.file)))?;
        visit(entry.name, again).unwrap_or_else(|| Err(format!("{} is not in the zoo", entry.name)))
    });
    result.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        Exit::Unusable
    })
}

/// Reads a replay file.
pub(crate) fn read(file: &Path) -> Result<Replay, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.parse().map_err(|error| format!("{}: {error}", file.display()))
}

/// A replay that says by which name the zoo knows the object, so that it is found again.
pub(crate) fn named(mut replay: Replay, entry: &Entry) -> Replay {
    replay.origin.object = Some(entry.name.to_owned());
    replay
}

/// The object of the zoo whose client failed. What tests write has names of types, which are never those of the zoo.
pub(crate) fn entry_of(replay: &Replay) -> Option<&'static Entry> {
    replay.origin.client.as_ref()?;
    find(replay.origin.object.as_ref()?)
}

/// What to do where the code is not here.
pub(crate) fn elsewhere(file: &Path, command: Option<String>) -> String {
    match command {
        Some(command) => {
            format!("{} is of a test whose code is not here. Where it is, type\n\n    {command}", file.display())
        }
        None => format!(
            "{} does not say what it is an execution of; run the test that wrote it with LINCHPIN_REPLAY={}",
            file.display(),
            file.display()
        ),
    }
}

/// The settings that fit a replay. Who lets addresses come again is after what an old pointer does then, and that is a use
/// after free first.
pub(crate) fn builder(replay: &Replay) -> Builder {
    let may_reuse = matches!(replay.reuse, Some(Reuse::Lifo | Reuse::Fifo));
    Builder::new().memory_model(replay.model).use_after_free(!may_reuse)
}

/// Parses the client of a replay.
pub(crate) fn client_of<O: Object>(replay: &Replay) -> Result<ClientTest<O>, String> {
    let text = replay.origin.client.as_deref().unwrap_or_default();
    Ok(text.parse::<ClientTest<O>>().map_err(|error| error.to_string())?.with(builder(replay)))
}

/// What the execution violates, if it still does.
pub(crate) fn again<O: Object>(
    entry: &Entry,
    client: &ClientTest<O>,
    replay: &Replay,
) -> Result<Option<Violation>, String> {
    client.replay(replay).map_err(|diverged| format!("the replay does not fit {} any more: {diverged}", entry.name))
}

/// Runs the execution, whatever type the object has.
struct Again<'a> {
    replay: &'a Replay,
    json: bool,
}

impl Visitor for Again<'_> {
    type Answer = Result<Exit, String>;

    fn visit<O: Object>(self, entry: &'static Entry) -> Result<Exit, String> {
        let client = client_of::<O>(self.replay)?;
        let violation = again(entry, &client, self.replay)?;
        let exit = if violation.is_some() { Exit::Violation } else { Exit::Undecided };
        let text = match self.json {
            true => line(&Report::of(entry, client.client(), violation.as_ref())),
            false => text(entry, client.client(), violation.as_ref()),
        };
        Ok(printed(&text, exit))
    }
}

fn text(entry: &Entry, client: &linchpin::Client, violation: Option<&Violation>) -> String {
    let outcome = match violation {
        Some(violation) => report::violation(violation),
        None => "This execution violates nothing any more. That says nothing about others.\n".to_owned(),
    };
    format!("{client} as a client of {} ({})\n\n{outcome}", entry.name, entry.description)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    object: &'static str,
    client: String,
    verdict: &'static str,
    /// The kind of violation,
    kind: Option<String>,
    /// and the whole report, as people read it.
    report: Option<String>,
}

impl Report {
    fn of(entry: &Entry, client: &linchpin::Client, violation: Option<&Violation>) -> Report {
        Report {
            object: entry.name,
            client: client.to_string(),
            verdict: if violation.is_some() { "violation" } else { "unknown" },
            kind: violation.map(|violation| violation.kind.name().to_owned()),
            report: violation.map(report::violation),
        }
    }
}
