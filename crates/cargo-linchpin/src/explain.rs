//! `linchpin explain`: the smallest client that fails, what would have to be atomic, and the races that decide.

use std::path::Path;

use linchpin::command::{Exit, ExplainRequest, Request, Subject};
use linchpin::{Replay, explain_command, replay_command};
use linchpin_zoo::Entry;

use crate::arguments::Explain;
use crate::object::{self, Called, Wanted};
use crate::{replay, zoo};

pub(crate) fn run(options: &Explain, called: Called) -> Exit {
    match subject(options, called) {
        Ok((object, subject)) => {
            let request = ExplainRequest {
                subject,
                model: options.model,
                time_limit: options.time_limit,
                clients: options.clients,
                seed: options.seed,
            };
            let wanted = Wanted::just(&options.output);
            object::answer(&object, &Request::Explain(request), &options.location, called, &wanted)
        }
        Err(message) => object::unusable(&message),
    }
}

/// The object, and what is to be explained about it.
fn subject(options: &Explain, called: Called) -> Result<(String, Subject), String> {
    let file = Path::new(&options.subject);
    match &options.client {
        Some(client) => Ok((options.subject.clone(), Subject::Client(client.clone()))),
        None if options.library => Ok((options.subject.clone(), Subject::Library)),
        None if file.is_file() => {
            let (text, replay) = replay::read(file)?;
            match replay::object_of(&replay, &options.location, called) {
                Some(object) => Ok((object, Subject::Replay(text))),
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
