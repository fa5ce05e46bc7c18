//! `linchpin client` and `linchpin stress`: one client of an object, tried by one of three means.

mod answer;
mod explore;
mod guard;
mod sample;
mod stress;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use linchpin::{ClientTest, Object};
use linchpin_zoo::{Entry, Visitor, visit};

use crate::arguments::{Client, Strategy, Tester};
use crate::exit::Exit;
use crate::output::{line, printed, written};
use crate::{interrupt, replay, zoo};
use answer::Answer;

pub(crate) fn run(options: &Client) -> Exit {
    let result = usage(options).and_then(|()| zoo::find::entry(&options.object)).and_then(|entry| {
        visit(entry.name, Try(options)).unwrap_or_else(|| Err(format!("{} is not in the zoo", entry.name)))
    });
    result.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        Exit::Unusable
    })
}

/// Does each option go with the tester?
fn usage(options: &Client) -> Result<(), String> {
    let has_depth = matches!(options.strategy, Some(Strategy::Pct | Strategy::DPct));
    let for_sampling = [
        ("--strategy", options.strategy.is_some()),
        ("--depth", options.depth.is_some()),
        ("--reuse", options.reuse.is_some()),
        ("--seed", options.seed.is_some()),
    ];
    if options.model.is_some() && options.tester != Tester::Explore {
        return Err(
            "--model goes with --tester explore: sampling is sequentially consistent, and native threads are what \
                    they are"
                .into(),
        );
    }
    if options.save_replay.is_some() && options.tester == Tester::Stress {
        return Err(
            "--save-replay goes with --tester explore or sample: what native threads do cannot be run again".into()
        );
    }
    if let Some((option, _)) = for_sampling.iter().find(|(_, is_given)| *is_given && options.tester != Tester::Sample) {
        return Err(format!("{option} goes with --tester sample: nothing else chooses schedules at random"));
    }
    match options.depth {
        Some(_) if !has_depth => Err("--depth goes with --strategy pct or d-pct: a random walk has none".into()),
        _ => Ok(()),
    }
}

/// Tries the client on whatever type the object has.
struct Try<'a>(&'a Client);

impl Visitor for Try<'_> {
    type Answer = Result<Exit, String>;

    fn visit<O: Object>(self, entry: &'static Entry) -> Result<Exit, String> {
        let options = self.0;
        let test: ClientTest<O> = options.client.parse().map_err(|error| format!("{error}"))?;
        if options.tester == Tester::Stress && !entry.memory_safe {
            return Err(format!(
                "{} may leave its memory when it goes wrong, so it is not run on native threads; use --tester sample or explore",
                entry.name
            ));
        }
        let answer = answer(entry, &test, options, &interrupt::flag());
        let text = if options.output.json { line(&answer.report) } else { answer.text };
        let exit = printed(&text, answer.exit);
        // After the verdict is out: what goes wrong here loses nothing.
        let exit = options.output.emit_test.as_ref().map_or(exit, |file| exit.or(emit(&test, file)));
        Ok(match (&options.save_replay, answer.replay) {
            (Some(file), Some(replay)) => exit.or(written(file, &replay::named(replay, entry).to_string())),
            _ => exit,
        })
    }
}

/// Writes the client as a test. Objects of the zoo name their types in full, so nothing has to be imported.
fn emit<O: Object>(test: &ClientTest<O>, file: &Path) -> Exit {
    match test.emit_test(Some("")) {
        Ok(source) => written(file, &source),
        Err(error) => {
            eprintln!("error: {error}");
            Exit::Unusable
        }
    }
}

/// Tries the client, after a look at what it does in one thread.
fn answer<O: Object>(entry: &Entry, test: &ClientTest<O>, options: &Client, interrupt: &AtomicBool) -> Answer {
    match guard::quietly(|| test.disagreement()) {
        Err(panic) => return Answer::alone(entry, test.client(), options, format!("in one thread, {panic}")),
        Ok(Some(disagreement)) => {
            let message = linchpin::Failure::Disagreement(disagreement).to_string();
            return Answer::alone(entry, test.client(), options, message);
        }
        Ok(None) => {}
    }
    match options.tester {
        Tester::Explore => explore::answer(entry, test, options, interrupt),
        Tester::Sample => sample::answer(entry, test, options, interrupt),
        Tester::Stress => stress::answer(entry, test, options, interrupt),
    }
}
