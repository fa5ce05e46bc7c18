//! `linchpin replay`: the one execution of a replay file again.

use std::path::Path;

use linchpin::command::{Exit, ReplayRequest, Request};
use linchpin::{Replay, replay_command};

use crate::arguments::{self, Location};
use crate::object::{self, Called, Wanted};

pub(crate) fn run(options: &arguments::Replay, called: Called) -> Exit {
    let file = &options.file;
    let read = read(file).and_then(|(text, replay)| {
        let object = object_of(&replay, &options.location, called)
            .ok_or_else(|| elsewhere(file, replay_command(&replay, file)))?;
        Ok((object, ReplayRequest { replay: text }))
    });
    match read {
        Ok((object, request)) => {
            let wanted = Wanted::just(&options.output);
            object::answer(&object, &Request::Replay(request), &options.location, called, &wanted)
        }
        Err(message) => object::unusable(&message),
    }
}

/// Reads a replay file: its text, and what it says.
pub(crate) fn read(file: &Path) -> Result<(String, Replay), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let replay = text.parse().map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((text, replay))
}

/// The object whose client failed, if it is of the zoo or may be in the crate. What tests write has names of types, which are
/// never those of the zoo.
pub(crate) fn object_of(replay: &Replay, location: &Location, called: Called) -> Option<String> {
    replay.origin.client.as_ref()?;
    let object = replay.origin.object.clone()?;
    let is_here = linchpin_zoo::find(&object).is_some() || object::is_in_workspace(&object, location, called);
    is_here.then_some(object)
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
