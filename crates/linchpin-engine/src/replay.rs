//! Replay: one execution again, from a small text.
//!
//! The text lists the events of the execution in an order that extends po ∪ rf, each with what was decided there: what
//! a read reads from, where a write stands in mo among those before it in the list, what was chosen. Addresses and values are
//! not in it; they follow from the test. So a file is good for any run of the same test:
//!
//! ```text
//! linchpin replay 1
//! # data race
//! package my-queue
//! test two_pops
//! model c11
//! spin-is-wait true
//! spurious-failures false
//! thread 1
//! events
//! 0 Spawn                    # tests/queue.rs:12:9
//! 1 Load from initial        # src/queue.rs:30:18
//! 1 CompareExchange from 0.3 # src/queue.rs:31:18
//! 1 CompareExchange after 2  # src/queue.rs:31:18
//! ```

use std::fmt;
use std::str::FromStr;

use linchpin_graph::{EventId, Execution, Kind, MemoryModel, Site, ThreadId};

use crate::config::Config;
use crate::orders::Orders;
use crate::sampling::Reuse;
use crate::violation::{Violation, ViolationKind};

const HEADER: &str = "linchpin replay 1";

/// One execution, as decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// What happens in it, in words.
    pub headline: String,
    /// Whose execution it is.
    pub origin: Origin,
    /// The memory model.
    pub model: MemoryModel,
    /// See [`Config::spin_is_wait`].
    pub spin_is_wait: bool,
    /// See [`Config::spurious_failures`].
    pub spurious_failures: bool,
    /// Of a run that sampling made: where freed memory goes. Its events are listed in the order of time, each read takes the
    /// newest value, and operations are listed where they are called.
    pub reuse: Option<Reuse>,
    /// The thread to which it happens.
    pub thread: ThreadId,
    pub(crate) steps: Vec<ReplayStep>,
}

/// Whose execution a replay is, as far as that is known. Replaying needs none of it; people and programs that have nothing but the
/// file do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The package that the test belongs to.
    pub package: Option<String>,
    /// The test's name, as `cargo test` has it.
    pub test: Option<String>,
    /// If the test is a client of an object: the object's name,
    pub object: Option<String>,
    /// and the client's text.
    pub client: Option<String>,
}

impl Origin {
    /// The fields by their names in the text, in its order.
    fn fields(&self) -> [(&'static str, &Option<String>); 4] {
        let Origin { package, test, object, client } = self;
        [("package", package), ("test", test), ("object", object), ("client", client)]
    }

    /// The field of this name, if there is one.
    fn field_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
        match name {
            "package" => Some(&mut self.package),
            "test" => Some(&mut self.test),
            "object" => Some(&mut self.object),
            "client" => Some(&mut self.client),
            _ => None,
        }
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplayStep {
    pub thread: ThreadId,
    /// Name of its verb.
    pub verb: String,
    pub decision: Decision,
    /// Where it was, for people.
    site: String,
}

/// What was decided at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Nothing.
    None,
    /// A read takes the initial value.
    FromInitial,
    /// A read takes what this event of this thread wrote.
    From(ThreadId, u32),
    /// A write stands right after this mo position.
    After(u32),
    /// This possibility was chosen.
    Choose(u32),
}

impl Replay {
    /// The replay of a violation that an exploration with `config` found.
    pub fn of(violation: &Violation, config: &Config) -> Self {
        Replay {
            headline: violation.kind.name().into(),
            origin: Origin::default(),
            model: config.model,
            // Who waits does not matter to other violations, and hints after which threads go on are no waits.
            spin_is_wait: config.spin_is_wait && matches!(violation.kind, ViolationKind::Livelock { .. }),
            spurious_failures: config.spurious_failures,
            reuse: None,
            thread: violation.thread,
            steps: steps(&violation.execution),
        }
    }

    /// The same, with what is known about whose execution it is.
    pub fn with_origin(self, origin: Origin) -> Self {
        Replay { origin, ..self }
    }

    /// The replay of a run that sampling with `config` made; what came of it is not known yet.
    pub(crate) fn of_run(steps: Vec<ReplayStep>, reuse: Reuse, config: &Config) -> Self {
        Replay {
            headline: String::new(),
            origin: Origin::default(),
            model: MemoryModel::Sc,
            spin_is_wait: config.spin_is_wait,
            spurious_failures: config.spurious_failures,
            reuse: Some(reuse),
            thread: ThreadId::MAIN,
            steps,
        }
    }

    /// Changes `config` so that it fits the replay.
    pub(crate) fn settle(&self, config: &mut Config) {
        config.model = self.model;
        config.spin_is_wait = self.spin_is_wait;
        config.spurious_failures = self.spurious_failures;
        if self.reuse.is_some() {
            settle_for_sampling(config);
        }
    }
}

/// Changes `config` to what sampling can do: sequential consistency, for which memory orders mean nothing, and no questions about
/// what might have been.
pub(crate) fn settle_for_sampling(config: &mut Config) {
    config.model = MemoryModel::Sc;
    config.orders = Orders::of_the_source();
    config.findings.data_races = false;
    config.findings.unpublished_memory = false;
}

/// The events in an order that extends po ∪ rf, each with its decision.
fn steps(execution: &Execution) -> Vec<ReplayStep> {
    let mut listed = vec![false; execution.len()];
    let mut steps = Vec::new();
    for id in in_porf_order(execution) {
        let event = execution.event(id);
        let decision = match event.kind {
            Kind::Read if event.source.is_some() => {
                let source = execution.event(event.source);
                Decision::From(source.thread, source.index)
            }
            Kind::Read => Decision::FromInitial,
            Kind::Write => {
                let mo = execution.location(event.location).mo();
                let before = mo.iter().take_while(|&&write| write != id).filter(|write| listed[write.at()]);
                Decision::After(before.count() as u32)
            }
            Kind::Choice => Decision::Choose(event.value as u32),
            _ => Decision::None,
        };
        listed[id.at()] = true;
        steps.push(ReplayStep::new(event.thread, format!("{:?}", event.verb), decision, event.site));
    }
    steps
}

/// All events, each after its predecessors in po and rf; lower threads go on as long as they can, but who sees another thread end does so
/// when nobody else can go on. This is the order in which an exploration adds them, but for reads that were revisited.
fn in_porf_order(execution: &Execution) -> Vec<EventId> {
    let mut next = vec![0; execution.threads().len()];
    let mut listed = vec![false; execution.len()];
    let mut order = Vec::new();
    while order.len() < execution.len() {
        let ready = |thread: usize| {
            let id = *execution.threads()[thread].events().get(next[thread])?;
            let event = execution.event(id);
            let source_listed = !event.source.is_some() || listed[event.source.at()];
            let spawned = thread == 0 || next[thread] > 0 || {
                let spawn = execution.spawn_of(ThreadId(thread as u32));
                listed[spawn.at()]
            };
            (source_listed && spawned).then_some((thread, id))
        };
        let all = || (0..next.len()).filter_map(ready);
        let first = all().find(|&(_, id)| execution.event(id).kind != Kind::Join).or_else(|| all().next());
        let (thread, id) = first.expect("po ∪ rf is acyclic");
        next[thread] += 1;
        listed[id.at()] = true;
        order.push(id);
    }
    order
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        writeln!(f, "# {}", self.headline)?;
        for (name, value) in self.origin.fields() {
            if let Some(value) = value {
                // Names of threads, which tests take theirs from, may be anything.
                writeln!(f, "{name} {}", value.replace(['\n', '\r'], " ").trim())?;
            }
        }
        writeln!(f, "model {}", model_name(self.model))?;
        writeln!(f, "spin-is-wait {}", self.spin_is_wait)?;
        writeln!(f, "spurious-failures {}", self.spurious_failures)?;
        if let Some(reuse) = self.reuse {
            writeln!(f, "sampled, reuse {}", reuse_name(reuse))?;
        }
        writeln!(f, "thread {}", self.thread.0)?;
        writeln!(f, "events")?;
        for step in &self.steps {
            let decision = match step.decision {
                Decision::None => String::new(),
                Decision::FromInitial => " from initial".into(),
                Decision::From(thread, index) => format!(" from {}.{index}", thread.0),
                Decision::After(position) => format!(" after {position}"),
                Decision::Choose(taken) => format!(" choose {taken}"),
            };
            writeln!(f, "{} {}{decision} # {}", step.thread.0, step.verb, step.site)?;
        }
        Ok(())
    }
}

fn model_name(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "sc",
        MemoryModel::C11 => "c11",
    }
}

fn reuse_name(reuse: Reuse) -> &'static str {
    match reuse {
        Reuse::Never => "never",
        Reuse::Lifo => "lifo",
        Reuse::Fifo => "fifo",
    }
}

/// A text that is not a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseReplayError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
}

impl fmt::Display for ParseReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the replay: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for ParseReplayError {}

impl FromStr for Replay {
    type Err = ParseReplayError;

    fn from_str(text: &str) -> Result<Self, ParseReplayError> {
        let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let mut take = |expected: &str| {
            lines.next().ok_or_else(|| ParseReplayError { line: text.lines().count() + 1, expected: expected.into() })
        };
        let (line, header) = take(HEADER)?;
        if header != HEADER {
            return Err(ParseReplayError { line, expected: format!("`{HEADER}`, the version that this is") });
        }
        let (_, headline) = take("a comment that says what happens")?;
        let headline = headline.trim_start_matches('#').trim().to_owned();
        let mut origin = Origin::default();
        let mut next = take("model c11")?;
        while let Some((name, value)) = next.1.split_once(' ')
            && let Some(known) = origin.field_mut(name)
        {
            *known = Some(value.trim().to_owned());
            next = take("model c11")?;
        }
        let model = match field(next, "model")? {
            (_, "c11") => MemoryModel::C11,
            (_, "sc") => MemoryModel::Sc,
            (line, _) => {
                return Err(ParseReplayError { line, expected: "`model sc` or `model c11`".into() });
            }
        };
        let spin_is_wait = parse(field(take("spin-is-wait true")?, "spin-is-wait")?, "true or false")?;
        let spurious_failures = parse(field(take("spurious-failures false")?, "spurious-failures")?, "true or false")?;
        let mut next = take("thread 0")?;
        let mut reuse = None;
        if let Ok((line, name)) = field(next, "sampled, reuse") {
            let known = [Reuse::Never, Reuse::Lifo, Reuse::Fifo].into_iter().find(|&known| reuse_name(known) == name);
            let expected = || ParseReplayError { line, expected: "`sampled, reuse never`, `lifo` or `fifo`".into() };
            reuse = Some(known.ok_or_else(expected)?);
            next = take("thread 0")?;
        }
        let thread = ThreadId(parse(field(next, "thread")?, "a thread number")?);
        field(take("events")?, "events")?;
        let mut steps = Vec::new();
        for (line, text) in lines {
            if let Some(step) = parse_step(line, text)? {
                steps.push(step);
            }
        }
        Ok(Replay { headline, origin, model, spin_is_wait, spurious_failures, reuse, thread, steps })
    }
}

fn field<'a>((line, text): (usize, &'a str), name: &str) -> Result<(usize, &'a str), ParseReplayError> {
    match text.strip_prefix(name) {
        Some(value) => Ok((line, value.trim())),
        None => Err(ParseReplayError { line, expected: format!("`{name} …`") }),
    }
}

fn parse<T: FromStr>((line, text): (usize, &str), expected: &str) -> Result<T, ParseReplayError> {
    text.parse().map_err(|_| ParseReplayError { line, expected: expected.into() })
}

/// One event; `None` for an empty line.
fn parse_step(line: usize, text: &str) -> Result<Option<ReplayStep>, ParseReplayError> {
    let (text, site) = text.split_once('#').unwrap_or((text, ""));
    let words: Vec<&str> = text.split_whitespace().collect();
    let expected = || ParseReplayError { line, expected: "an event such as `1 Load from 0.3`".into() };
    let (thread, verb, decision) = match *words.as_slice() {
        [] => return Ok(None),
        [thread, verb] => (thread, verb, Decision::None),
        [thread, verb, "from", "initial"] => (thread, verb, Decision::FromInitial),
        [thread, verb, "from", source] => {
            let (of, index) = source.split_once('.').ok_or_else(expected)?;
            let of = ThreadId(of.parse().map_err(|_| expected())?);
            (thread, verb, Decision::From(of, index.parse().map_err(|_| expected())?))
        }
        [thread, verb, "after", position] => (thread, verb, Decision::After(position.parse().map_err(|_| expected())?)),
        [thread, verb, "choose", taken] => (thread, verb, Decision::Choose(taken.parse().map_err(|_| expected())?)),
        _ => return Err(expected()),
    };
    let thread = ThreadId(thread.parse().map_err(|_| expected())?);
    Ok(Some(ReplayStep { thread, verb: verb.into(), decision, site: site.trim().into() }))
}

/// A test that does not do what a replay says, so that the replay does not apply: the test has changed since, or is not
/// deterministic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayDiverged {
    /// How many of the replay's events were run.
    pub events: usize,
    /// What came next in the replay; `None` if it was at its end.
    pub expected: Option<String>,
    /// What the test did.
    pub found: String,
}

impl fmt::Display for ReplayDiverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = self.expected.as_deref().unwrap_or("nothing more");
        let ReplayDiverged { events, found, .. } = self;
        write!(f, "after {events} events the replay has {expected}, but the test did something else: {found}")
    }
}

impl std::error::Error for ReplayDiverged {}

impl ReplayStep {
    pub fn new(thread: ThreadId, verb: String, decision: Decision, site: Site) -> Self {
        let site = format!("{}:{}:{}", site.file(), site.line(), site.column());
        ReplayStep { thread, verb, decision, site }
    }

    pub fn describe(&self) -> String {
        format!("{} of thread {} at {}", self.verb, self.thread.0, self.site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "linchpin replay 1\n# data race\nmodel sc\nspin-is-wait true\nspurious-failures false\nthread 1\n\
                        events\n0 Spawn # a.rs:1:2\n1 Load from initial # a.rs:2:2\n1 Swap from 0.3 # \n\
                        1 Swap after 2 # a.rs:3:3\n1 Choose choose 1 # \n";

    #[test]
    fn what_is_printed_is_read_again() {
        let replay: Replay = TEXT.parse().expect("a replay");
        assert_eq!(replay.steps.len(), 5);
        assert_eq!(replay.to_string(), TEXT);
    }

    #[test]
    fn whose_execution_it_is_is_read_again_whichever_part_of_it_is_known() {
        let known = ["package p", "test queue::two_pops", "object Fifo", "client [push(1)] { pop() } || { pop() }"];
        for chosen in 0..1 << known.len() {
            let lines = (0..known.len()).filter(|at| chosen >> at & 1 == 1).map(|at| known[at]);
            let text = TEXT.replace("model", &lines.chain(["model"]).collect::<Vec<_>>().join("\n"));
            let replay: Replay = text.parse().expect("a replay");
            assert_eq!(replay.to_string(), text);
            assert_eq!(replay.origin.client.is_some(), chosen >> 3 & 1 == 1);
        }
    }

    #[test]
    fn a_name_with_line_breaks_stays_one_line() {
        let mut replay: Replay = TEXT.parse().expect("a replay");
        replay.origin.test = Some("two\nlines\r\n".into());
        let again: Replay = replay.to_string().parse().expect("a replay");
        assert_eq!(again.origin.test.as_deref(), Some("two lines"));
    }

    #[test]
    fn a_bad_line_is_named() {
        for (broken, line) in [
            (TEXT.replace("replay 1", "replay 2"), 1),
            (TEXT.replace("model sc", "model tso"), 3),
            (TEXT.replace("from 0.3", "from 0-3"), 10),
            ("linchpin replay 1\n".into(), 2),
            (String::new(), 1),
        ] {
            assert_eq!(broken.parse::<Replay>().expect_err("broken").line, line, "{broken}");
        }
    }
}
