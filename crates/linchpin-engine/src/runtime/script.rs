//! Runs an execution again as a replay says.

use std::fmt::Debug;

use linchpin_graph::{EventId, Kind, LocationId, Site, Step, ThreadId, Verb};

use super::context::{Context, Mode, RunEnd};
use super::thread::State;
use crate::loops::{Past, Repeat, Repeats};
use crate::replay::{Decision, Replay, ReplayDiverged, ReplayStep};
use crate::rt::Access;
use crate::sampling::Reuse;
use crate::violation::{Violation, ViolationKind};

/// What a replay says, and how far it is.
#[derive(Debug, Default)]
pub(crate) struct Script {
    steps: Vec<ReplayStep>,
    pub(super) done: usize,
    /// What the test did instead of the next step.
    diverged: Option<String>,
    /// Of a run in the order of time: where freed memory goes.
    pub(super) reuse: Option<Reuse>,
}

impl Context {
    /// Runs the execution of `replay`; returns its violation, if it has one still.
    pub fn replay(&mut self, replay: &Replay) -> Result<Option<Box<Violation>>, ReplayDiverged> {
        self.script = Script { steps: replay.steps.clone(), done: 0, diverged: None, reuse: replay.reuse };
        self.lane.reuse = replay.reuse.unwrap_or_default();
        self.loops.repeats = Repeats::Cut;
        self.explorer.restart();
        let end = self.run(Mode::Replay);
        let done = self.script.done;
        let expected = self.script.steps.get(done).map(ReplayStep::describe);
        if let Some(found) = self.script.diverged.take() {
            return Err(ReplayDiverged { events: done, expected, found });
        }
        match end {
            RunEnd::Violation(violation) => Ok(Some(violation)),
            _ if expected.is_some() => {
                Err(ReplayDiverged { events: done, expected, found: "its threads ended or wait".into() })
            }
            _ => Ok(None),
        }
    }

    /// The thread of the replay's next event, if it can run.
    pub(super) fn next_of_replay(&mut self) -> Option<ThreadId> {
        let thread = self.script.steps.get(self.script.done)?.thread;
        let can_run = self.threads.get(thread.at()).is_some_and(|known| known.is_ready());
        if !can_run {
            self.diverge(format!("thread {} does not exist, has ended or waits", thread.0));
        }
        can_run.then_some(thread)
    }

    /// May `thread` add an event as far as the replay is concerned, if there is one?
    #[inline]
    pub(super) fn is_next_of_replay(&self, thread: ThreadId) -> bool {
        self.mode != Mode::Replay || self.script.steps.get(self.script.done).is_none_or(|step| step.thread == thread)
    }

    fn diverge(&mut self, found: String) {
        self.script.diverged.get_or_insert(found);
        // Any reason to end the run will do: the caller looks at the script first.
        self.violation(ViolationKind::NotDeterministic { expected: None, found: String::new() });
    }

    /// Takes the next step if it is what `thread` is about to do. Parks the thread at the end of the replay.
    pub(super) fn take_step(&mut self, thread: ThreadId, verb: impl Debug, site: Site) -> Option<Decision> {
        let Some(step) = self.script.steps.get(self.script.done) else {
            self.threads[thread.at()].state = State::Parked;
            return None;
        };
        if step.thread != thread || step.verb != format!("{verb:?}") {
            let found = format!("{verb:?} of thread {} at {}:{}", thread.0, site.file(), site.line());
            self.diverge(found);
            return None;
        }
        self.script.done += 1;
        Some(step.decision)
    }

    /// Adds a read as the replay says, and the rest of it if it is a read-modify-write. `false` if it cannot.
    pub(super) fn replay_read(&mut self, thread: ThreadId, location: LocationId, access: &Access) -> bool {
        let past = Past { execution: self.explorer.execution(), thread, last_turn: self.calls.last_turn(thread) };
        if self.script.done == self.script.steps.len()
            && !self.is_timed
            && let Some(Repeat::Retry { same }) = self.loops.repeat(past, location, access)
        {
            self.threads[thread.at()].state = State::Retrying { site: access.site, same };
            return false;
        }
        let position = match self.take_step(thread, access.verb, access.site) {
            Some(Decision::FromInitial) => 0,
            Some(Decision::None) if self.is_timed => self.explorer.execution().location(location).last_position(),
            Some(Decision::From(of, index)) => match self.write_at(of, index, location) {
                Some(source) => self.explorer.execution().event(source).mo_position(),
                None => {
                    self.diverge(format!("no write of thread {} to read from", of.0));
                    return false;
                }
            },
            Some(_) => {
                self.diverge("a read".into());
                return false;
            }
            None => return false,
        };
        let initial = self.explorer.execution().location(location).initial;
        let execution = self.explorer.execution_mut();
        let read = execution.add_read(thread, location, position, initial, access.verb, &access.request, access.site);
        self.replay_write_half(thread, read, access)
    }

    fn write_at(&self, thread: ThreadId, index: u32, location: LocationId) -> Option<EventId> {
        let execution = self.explorer.execution();
        let id = *execution.threads().get(thread.at())?.events().get(index as usize)?;
        let event = execution.event(id);
        (event.kind == Kind::Write && event.location == location).then_some(id)
    }

    fn replay_write_half(&mut self, thread: ThreadId, read: EventId, access: &Access) -> bool {
        let event = *self.explorer.execution().event(read);
        if !event.exclusive {
            return true;
        }
        let mut answer = event.request.answer(event.value);
        if let Step::Choose(options) = answer {
            let Some(Decision::Choose(taken)) = self.take_step(thread, Verb::Choose, access.site) else {
                return false;
            };
            self.explorer.execution_mut().add_choice(thread, options, taken, access.site);
            answer = event.request.answer_with(event.value, taken.into());
        }
        let (Step::Write(value), Some(Decision::After(_) | Decision::None)) =
            (answer, self.take_step(thread, access.verb, access.site))
        else {
            return false;
        };
        let execution = self.explorer.execution_mut();
        let after = execution.source_position(read);
        let write = execution.add_write(thread, event.location, access.verb, event.order, value, true, access.site);
        execution.place(write, after);
        true
    }

    /// Adds a store as the replay says.
    pub(super) fn replay_write(&mut self, thread: ThreadId, location: LocationId, access: &Access, value: u64) -> bool {
        let Some(decision) = self.take_step(thread, access.verb, access.site) else {
            return false;
        };
        let last = self.explorer.execution().location(location).last_position();
        let after = match decision {
            Decision::After(after) => after.min(last),
            Decision::None if self.is_timed => last,
            _ => {
                self.diverge("a write".into());
                return false;
            }
        };
        let execution = self.explorer.execution_mut();
        let write = execution.add_write(thread, location, access.verb, access.request.order, value, false, access.site);
        execution.place(write, after);
        true
    }

    /// Adds a choice as the replay says.
    pub(super) fn replay_choice(&mut self, thread: ThreadId, options: u32, site: Site) {
        if let Some(Decision::Choose(taken)) = self.take_step(thread, Verb::Choose, site) {
            self.explorer.execution_mut().add_choice(thread, options, taken.min(options - 1), site);
        }
    }
}
