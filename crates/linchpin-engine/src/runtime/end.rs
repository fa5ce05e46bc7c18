//! How a run ended: all threads did, or some wait, and if so whether for ever.

use linchpin_graph::{EventId, Execution, Kind, Site, ThreadId, Verb};

use super::context::{Context, Mode, RunEnd, Stop};
use super::thread::State;
use crate::call::Call;
use crate::loops::{Repeats, same_site};
use crate::violation::{Violation, ViolationKind, WaitReason, Waiting};

impl Context {
    /// How the run ended.
    pub(super) fn conclude(&mut self) -> RunEnd {
        self.stopped.clear();
        for (number, thread) in self.threads.iter().enumerate() {
            if !matches!(thread.state, State::Unborn | State::Done) {
                self.stopped.push((ThreadId(number as u32), thread.state));
            }
        }
        match self.stop.take() {
            Some(Stop::Dead) => return RunEnd::Dead,
            Some(Stop::Hopeless | Stop::Lost) => return RunEnd::Blocked,
            Some(Stop::Violation(thread, kind)) => return self.found(thread, kind),
            None => {}
        }
        if matches!(self.mode, Mode::Follow | Mode::Rebase) {
            self.finish_calls();
            return if self.has_followed() { RunEnd::Complete } else { RunEnd::Blocked };
        }
        if matches!(self.loops.repeats, Repeats::Stuttering { .. }) {
            // What is read again and again need not be what the memory model allows: nobody shall judge that.
            return RunEnd::Blocked;
        }
        let alive = |id: usize| self.explorer.execution().threads()[id].is_alive();
        if (0..self.threads.len()).filter(|&id| alive(id)).all(|id| matches!(self.threads[id].state, State::Done)) {
            let leak = if self.config.findings.leaks { self.leaks() } else { None };
            let wrong = leak.or_else(|| Some(ViolationKind::Rejected { message: self.judge()? }));
            return wrong.map_or(RunEnd::Complete, |kind| self.found(ThreadId::MAIN, kind));
        }
        match self.standstill() {
            Some(kind) if self.config.findings.deadlocks => {
                let thread = match &kind {
                    ViolationKind::Deadlock { waiting } | ViolationKind::Livelock { waiting } => waiting[0].thread,
                    _ => ThreadId::MAIN,
                };
                let (thread, kind) = self.blame(thread, kind);
                self.found(thread, kind)
            }
            _ if self.threads.iter().any(|thread| thread.is_cut_short()) => RunEnd::TooManyEvents,
            _ => RunEnd::Blocked,
        }
    }

    /// Has everything run that the graph has?
    fn has_followed(&self) -> bool {
        let threads = self.explorer.execution().threads();
        threads
            .iter()
            .enumerate()
            .filter(|(_, thread)| thread.is_alive())
            .all(|(number, thread)| self.executed(ThreadId(number as u32)) as usize == thread.events().len())
    }

    pub(super) fn found(&mut self, thread: ThreadId, kind: ViolationKind) -> RunEnd {
        let names = (0..self.threads.len() as u32)
            .filter_map(|id| Some((ThreadId(id), self.threads[id as usize].name.clone()?)))
            .collect();
        let mut execution = self.explorer.execution().clone();
        for (number, thread) in self.threads.iter().enumerate() {
            let id = ThreadId(number as u32);
            if thread.state == State::Exhausted {
                // A few rounds say it all.
                let all = execution.thread(id).events().len() as u32;
                let idle = since_effect(&execution, id).count() as u32;
                let long = execution.clone();
                long.copy_without(id, all - idle.saturating_sub(FEW_EVENTS), all, &mut execution);
            }
        }
        let calls = self.finish_calls().to_vec();
        RunEnd::Violation(Box::new(Violation { kind, thread, execution, names, calls }))
    }

    /// What is wrong with the complete execution, in the judge's words.
    pub(super) fn judge(&mut self) -> Option<String> {
        // SAFETY: the subject outlives the context.
        let judge = unsafe { &*self.subject.judge };
        self.finish_calls();
        judge(self.explorer.execution(), self.calls.all())
    }

    fn finish_calls(&mut self) -> &[Call] {
        let executed = &self.executed;
        self.calls.finish(|thread| executed[thread.at()]);
        if self.config.call_stacks {
            self.calls.give_stacks(&self.stacks);
        }
        self.calls.all()
    }

    /// Does every thread that has not ended wait for something that cannot come, since all that it read was the newest
    /// there is?
    fn standstill(&self) -> Option<ViolationKind> {
        let execution = self.explorer.execution();
        let mut waiting = Vec::new();
        let mut spinning = false;
        for (number, model_thread) in self.threads.iter().enumerate() {
            let thread = ThreadId(number as u32);
            let reason = match model_thread.state {
                State::Done | State::Unborn => continue,
                State::Ready | State::Parked | State::Paused { .. } | State::Retrying { same: false, .. } => {
                    return None;
                }
                // So many rounds of reading what nobody will change any more: it goes round for ever.
                State::Exhausted => {
                    let site = endless_round(execution, thread)?;
                    spinning = true;
                    WaitReason::Change(site)
                }
                State::Joining(child, site) => WaitReason::End(child, site),
                State::Waiting => {
                    let read = execution.last_of(thread)?;
                    // A failure for no reason that turned out to have one: no execution, so nobody waits for ever in it.
                    let is_excluded = execution.event(read).verb == Verb::CompareExchange;
                    if is_excluded || !execution.reads_newest(read) {
                        return None;
                    }
                    WaitReason::Value(read)
                }
                State::Spinning(site) | State::Retrying { site, same: true } => {
                    if !reads_only_newest(execution, thread) {
                        return None;
                    }
                    spinning = true;
                    WaitReason::Change(site)
                }
            };
            waiting.push(Waiting { thread, reason });
        }
        if waiting.is_empty() {
            return None;
        }
        Some(if spinning { ViolationKind::Livelock { waiting } } else { ViolationKind::Deadlock { waiting } })
    }

    /// Has the thread read or chosen anything since its last effect that it could do otherwise next time?
    pub(super) fn can_wait(&self, thread: ThreadId) -> bool {
        let execution = self.explorer.execution();
        since_effect(execution, thread).any(|id| matches!(execution.event(id).kind, Kind::Read | Kind::Choice))
    }

    /// Has the thread just read something old, so that its read will never be revisited?
    pub(super) fn is_hopeless(&self, thread: ThreadId) -> bool {
        let execution = self.explorer.execution();
        let Some(last) = execution.last_of(thread) else { return false };
        let read = if is_idle_write(execution, last) { execution.read_of(last) } else { last };
        if !execution.event(read).is_read() {
            return false;
        }
        let newer = execution.source_position(read) as usize;
        let location = execution.event(read).location;
        execution.location(location).mo()[newer..].iter().any(|&write| write < read)
    }
}

/// So many of the events that a thread repeats for ever are shown.
const FEW_EVENTS: u32 = 4;

/// So many rounds in which nothing changes are taken for endless.
const MANY_ROUNDS: usize = 1_000;

/// The events of the thread since its last effect, newest first. A read-modify-write that left the value as it was is no
/// effect.
fn since_effect(execution: &Execution, thread: ThreadId) -> impl Iterator<Item = EventId> {
    let events = execution.thread(thread).events().iter().rev().copied();
    events.take_while(|&id| !execution.event(id).is_effect() || is_idle_write(execution, id))
}

/// Does the write leave the value as it was?
fn is_idle_write(execution: &Execution, id: EventId) -> bool {
    let event = execution.event(id);
    event.is_write() && event.exclusive && execution.event(execution.read_of(id)).value == event.value
}

/// Would the thread read the same again, for ever? Not if it chose to, nor if there is something newer than what it read.
fn reads_only_newest(execution: &Execution, thread: ThreadId) -> bool {
    since_effect(execution, thread).all(|id| {
        let event = execution.event(id);
        match event.kind {
            Kind::Choice => false,
            Kind::Read if !event.exclusive => execution.reads_newest(id),
            Kind::Write => event.mo_position() == execution.location(event.location).last_position(),
            _ => true,
        }
    })
}

/// Where the thread goes round and round, if its last events are many rounds that read the same newest values.
fn endless_round(execution: &Execution, thread: ThreadId) -> Option<Site> {
    let last = execution.event(execution.last_of(thread)?);
    let is_like_last = |id: &EventId| {
        let event = execution.event(*id);
        event.kind == last.kind
            && event.location == last.location
            && event.source == last.source
            && event.request.a == last.request.a
            && event.request.b == last.request.b
            && same_site(event.site, last.site)
    };
    let rounds = since_effect(execution, thread).filter(is_like_last).count();
    (rounds >= MANY_ROUNDS && reads_only_newest(execution, thread)).then_some(last.site)
}
