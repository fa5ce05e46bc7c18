//! One worker's runs: which model thread runs when, and how a run ends.
//!
//! Every run executes all of the test again from its beginning. Threads first do what the execution graph has already,
//! then the *leader*, the first thread that can go on, adds events. User code runs in an order that extends po ∪ rf: a
//! thread whose next read has a source that has not run yet is suspended until that source has run. Real memory is then
//! right for race-free code.
//!
//! User code reaches the context through a raw pointer in a thread-local. No reference to the context may live across a
//! switch of coroutines, since the other side uses it too: functions that suspend take the pointer.

use std::cell::Cell;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corosensei::Coroutine;
use linchpin_graph::{EventId, Execution, Kind, Site, ThreadId};

use super::lane::Lane;
use super::memory::Place;
use super::panics::{self, PanicNote};
use super::script::Script;
use super::thread::{ModelThread, State};
use crate::config::{Config, LoopReduction};
use crate::explore::explorer::Explorer;
use crate::loops::{Loops, Repeats, same_site};
use crate::violation::{Violation, ViolationKind, WaitReason, Waiting};

thread_local! {
    /// The context of the exploration that this OS thread works on.
    static CURRENT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
    /// Set while user code runs; unset in the engine.
    static IN_USER_CODE: Cell<bool> = const { Cell::new(false) };
}

/// The context of the calling model thread, if the caller is user code in an execution.
#[inline]
pub(crate) fn current() -> Option<*mut Context> {
    if IN_USER_CODE.get() { Some(CURRENT.get()) } else { None }
}

/// Marks the change between user code and engine.
#[inline]
pub(crate) fn set_in_user_code(on: bool) {
    IN_USER_CODE.set(on);
}

/// Makes `context` the one that user code on this OS thread reaches; returns what was there.
pub(super) fn enter(context: *mut Context) -> *mut Context {
    CURRENT.replace(context)
}

/// Puts back what [`enter`] returned.
pub(super) fn leave(outer: *mut Context) {
    CURRENT.set(outer);
}

/// What a run may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Do what the graph has, then let the leader add to it.
    Grow,
    /// Do what the graph has and nothing else.
    Follow,
    /// As `Follow`, for a graph made elsewhere: addresses and values are taken from this run.
    Rebase,
    /// Let threads add events as a replay says, then run on to where each would add another.
    Replay,
}

/// Why a run ended before its threads did.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The graph cannot be continued.
    Dead,
    /// A thread waits for something that will never come in what is still to be explored from here.
    Hopeless,
    /// A violation.
    Violation(ThreadId, ViolationKind),
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum RunEnd {
    /// All threads ended.
    Complete,
    /// Some thread waits, or the graph could not be continued.
    Blocked,
    /// As [`Stop::Dead`]: not an execution at all.
    Dead,
    /// A thread wanted too many events.
    TooManyEvents,
    /// A violation.
    Violation(Box<Violation>),
}

/// Everything one worker needs to run a test again and again.
pub(crate) struct Context {
    pub config: Arc<Config>,
    pub explorer: Explorer,
    pub lane: Lane,
    pub loops: Loops,
    /// Boxed, since a running coroutine must stay where it is when threads are added.
    #[expect(clippy::vec_box, reason = "see above")]
    pub(super) threads: Vec<Box<ModelThread>>,
    /// The thread whose code is running.
    pub(super) current: ThreadId,
    /// The thread that may add events.
    pub(super) leader: Option<ThreadId>,
    pub(super) mode: Mode,
    /// Events that have to run before whoever asked for them can go on; innermost last.
    pub(super) demands: Vec<EventId>,
    /// Number of the run.
    pub(super) run: u64,
    pub(super) places: Vec<Place>,
    /// Addresses that serve another location than the first.
    pub(super) generations: HashMap<usize, u32>,
    /// Plain data outside the lane as it was before this run.
    pub(super) borrowed: Vec<(usize, Vec<MaybeUninit<u8>>)>,
    /// The test uses plain data outside the lane, so no other worker may run it at the same time.
    pub needs_to_be_alone: bool,
    pub(super) stop: Option<Stop>,
    /// Of the last run: see [`Context::paused`].
    paused: Vec<(ThreadId, Site, bool)>,
    /// In [`Mode::Replay`]: what to do, and how much of it is done.
    pub(super) script: Script,
    /// A panic that is unwinding a model thread.
    pub(super) unwinding: bool,
    pub(super) panic_note: Option<PanicNote>,
    /// Call stacks from which blocks were freed, and whether a reference count stood behind it.
    pub(super) counted_frees: HashMap<u64, bool>,
    /// The test.
    test: *const (dyn Fn() + Sync),
    /// Counts entries into the engine, for the watchdog.
    pub(super) heartbeat: Arc<AtomicU64>,
}

impl Context {
    /// A context that runs `test`, which must outlive it.
    pub fn new(config: Arc<Config>, lane: Lane, test: *const (dyn Fn() + Sync)) -> Box<Context> {
        panics::install_hook();
        Box::new(Context {
            explorer: Explorer::new(config.model, config.symmetry, config.mutation),
            loops: Loops::new(match config.loops {
                LoopReduction::Unchecked => Repeats::Cut,
                LoopReduction::Off | LoopReduction::CrossChecked => Repeats::Explored,
            }),
            config,
            lane,
            threads: Vec::new(),
            current: ThreadId::MAIN,
            leader: None,
            mode: Mode::Grow,
            demands: Vec::new(),
            run: 0,
            places: Vec::new(),
            generations: HashMap::new(),
            borrowed: Vec::new(),
            needs_to_be_alone: false,
            stop: None,
            paused: Vec::new(),
            script: Script::default(),
            unwinding: false,
            panic_note: None,
            counted_frees: HashMap::new(),
            test,
            heartbeat: Arc::new(AtomicU64::new(0)),
        })
    }

    /// Runs the test once, as `mode` says.
    pub fn run(&mut self, mode: Mode) -> RunEnd {
        self.prepare(mode);
        let context: *mut Context = self;
        let outer = enter(context);
        // SAFETY: `context` is this context, which nobody else uses meanwhile: `self` is not touched until the schedule
        // is done.
        unsafe { schedule(context) };
        leave(outer);
        let end = self.conclude();
        self.clean_up();
        end
    }

    fn prepare(&mut self, mode: Mode) {
        self.mode = mode;
        self.run += 1;
        self.stop = None;
        self.leader = None;
        self.unwinding = false;
        self.panic_note = None;
        self.demands.clear();
        if !self.generations.is_empty() {
            self.generations.clear();
        }
        if mode == Mode::Rebase {
            self.explorer.execution_mut().locations_mut().forget_addresses();
        }
        self.lane.reset();
        self.model_thread(ThreadId::MAIN).state = State::Ready;
    }

    fn clean_up(&mut self) {
        for thread in &mut self.threads {
            thread.reset();
        }
        self.give_back();
    }

    pub(super) fn model_thread(&mut self, id: ThreadId) -> &mut ModelThread {
        while self.threads.len() <= id.at() {
            self.threads.push(Box::new(ModelThread::new()));
        }
        &mut self.threads[id.at()]
    }

    /// Has the event run in this run?
    #[inline]
    pub(super) fn has_run(&self, id: EventId) -> bool {
        let event = self.explorer.execution().event(id);
        self.threads.get(event.thread.at()).is_some_and(|thread| thread.executed > event.index)
    }

    /// The next event of `thread` that the graph has already.
    #[inline]
    pub(super) fn next_event(&self, thread: ThreadId) -> Option<EventId> {
        let executed = self.threads[thread.at()].executed as usize;
        self.explorer.execution().thread(thread).events().get(executed).copied()
    }

    /// The first thread, by origin, that can go on.
    fn first_ready(&self) -> Option<ThreadId> {
        let execution = self.explorer.execution();
        let ready = |id: &ThreadId| self.threads[id.at()].state == State::Ready;
        let mut ids = (0..self.threads.len() as u32).map(ThreadId).filter(ready);
        if execution.is_flat() { ids.next() } else { ids.min_by(|a, b| execution.compare_threads(*a, *b)) }
    }

    /// The thread that has to run next, if the run is not over.
    fn pick(&mut self) -> Option<ThreadId> {
        if self.stop.is_some() {
            return None;
        }
        while let Some(&wanted) = self.demands.last() {
            if self.has_run(wanted) {
                self.demands.pop();
                continue;
            }
            let thread = self.explorer.execution().event(wanted).thread;
            if self.model_thread(thread).state == State::Unborn {
                let spawn = self.explorer.execution().spawn_of(thread);
                if self.has_run(spawn) {
                    return None;
                }
                self.demands.push(spawn);
                continue;
            }
            return Some(thread);
        }
        match self.mode {
            Mode::Grow => {
                self.leader = self.first_ready();
                self.leader
            }
            Mode::Replay => {
                self.leader = self.next_of_replay().or_else(|| self.first_ready());
                self.leader
            }
            Mode::Follow | Mode::Rebase => {
                let execution = self.explorer.execution();
                let behind = |id: &ThreadId| {
                    let thread = &self.threads[id.at()];
                    thread.state == State::Ready && (thread.executed as usize) < execution.thread(*id).events().len()
                };
                (0..self.threads.len() as u32).map(ThreadId).find(behind)
            }
        }
    }

    /// What changes when a thread that was resumed does something.
    fn progress_of(&self, thread: ThreadId) -> (u32, usize, State) {
        let model_thread = &self.threads[thread.at()];
        (model_thread.executed, self.demands.len(), model_thread.state)
    }

    pub(super) fn violation(&mut self, kind: ViolationKind) {
        if self.stop.is_none() {
            self.stop = Some(Stop::Violation(self.current, kind));
        }
    }

    /// How the run ended.
    fn conclude(&mut self) -> RunEnd {
        self.paused.clear();
        for (number, thread) in self.threads.iter().enumerate() {
            if let State::Paused { site, stutters } = thread.state {
                self.paused.push((ThreadId(number as u32), site, stutters));
            }
        }
        match self.stop.take() {
            Some(Stop::Dead) => return RunEnd::Dead,
            Some(Stop::Hopeless) => return RunEnd::Blocked,
            Some(Stop::Violation(thread, kind)) => return self.found(thread, kind),
            None => {}
        }
        if matches!(self.mode, Mode::Follow | Mode::Rebase) {
            return if self.has_followed() { RunEnd::Complete } else { RunEnd::Blocked };
        }
        let alive = |id: usize| self.explorer.execution().threads()[id].is_alive();
        if (0..self.threads.len()).filter(|&id| alive(id)).all(|id| self.threads[id].state == State::Done) {
            return match self.leaks() {
                Some(kind) if self.config.findings.leaks => self.found(ThreadId::MAIN, kind),
                _ => RunEnd::Complete,
            };
        }
        match self.standstill() {
            Some(kind) if self.config.findings.deadlocks => {
                let thread = match &kind {
                    ViolationKind::Deadlock { waiting } | ViolationKind::Livelock { waiting } => waiting[0].thread,
                    _ => ThreadId::MAIN,
                };
                self.found(thread, kind)
            }
            _ if self.threads.iter().any(|thread| thread.is_cut_short()) => RunEnd::TooManyEvents,
            _ => RunEnd::Blocked,
        }
    }

    /// Has everything run that the graph has?
    fn has_followed(&self) -> bool {
        let threads = self.explorer.execution().threads();
        threads.iter().enumerate().filter(|(_, thread)| thread.is_alive()).all(|(number, thread)| {
            let executed = self.threads.get(number).map_or(0, |model_thread| model_thread.executed);
            executed as usize == thread.events().len()
        })
    }

    /// Runs `execution` again, exactly; `false` if the test does something else.
    pub fn follow(&mut self, execution: &mut Execution) -> bool {
        std::mem::swap(self.explorer.execution_mut(), execution);
        let end = self.run(Mode::Follow);
        std::mem::swap(self.explorer.execution_mut(), execution);
        matches!(end, RunEnd::Complete)
    }

    fn found(&mut self, thread: ThreadId, kind: ViolationKind) -> RunEnd {
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
                execution = execution.without(id, all - idle.saturating_sub(FEW_EVENTS), all);
            }
        }
        RunEnd::Violation(Box::new(Violation { kind, thread, execution, names }))
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
                    if !execution.reads_newest(read) {
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

/// Lets threads run until none can.
///
/// # Safety
/// `context` is valid, and nobody holds a reference to it.
unsafe fn schedule(context: *mut Context) {
    // SAFETY: as promised; references last for one call each.
    unsafe {
        while let Some(thread) = (*context).pick() {
            let before = (*context).progress_of(thread);
            resume(context, thread);
            let idle = before == (*context).progress_of(thread) && (*context).stop.is_none();
            if idle && (*context).leader != Some(thread) {
                // It should have done what the graph says and did something else that it may not do now.
                (*context).current = thread;
                (*context).diverged(thread, "nothing that the earlier run did");
            }
        }
    }
}

/// Runs `thread` until it suspends itself or ends.
///
/// # Safety
/// As for [`schedule`].
unsafe fn resume(context: *mut Context, thread: ThreadId) {
    // SAFETY: as promised; the coroutine is boxed with its thread and stays where it is while it runs, and only
    // this function uses it.
    unsafe {
        (*context).current = thread;
        if (&(*context).threads)[thread.at()].coroutine.is_none() {
            let stack = (*context).lane.slot(thread).stack();
            let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
                (&mut (*context).threads)[thread.at()].yielder = yielder;
                run_body(context, thread);
            });
            (&mut (*context).threads)[thread.at()].coroutine = Some(coroutine);
        }
        let coroutine: *mut _ = &mut (&mut (*context).threads)[thread.at()].coroutine;
        if let Some(coroutine) = &mut *coroutine {
            coroutine.resume(());
        }
    }
}

/// What a model thread's coroutine does.
///
/// # Safety
/// Runs on the coroutine of `thread`.
unsafe fn run_body(context: *mut Context, thread: ThreadId) {
    // SAFETY: references to the context last for one call each; user code gets none.
    unsafe {
        let body = (&mut (*context).threads)[thread.at()].body.take();
        let test = &*(*context).test;
        set_in_user_code(true);
        let result = catch_unwind(AssertUnwindSafe(|| {
            match body {
                Some(body) => body(),
                None => test(),
            }
            drop_locals(context, thread);
        }));
        set_in_user_code(false);
        match result {
            Ok(()) => Context::end(context, thread),
            Err(payload) => {
                let note = (*context).panic_note.take();
                let note = note.unwrap_or_else(|| PanicNote::from_payload(&*payload));
                // The payload lies in the arena.
                std::mem::forget(payload);
                (*context).unwinding = false;
                (*context).violation(ViolationKind::Panic { message: note.message, position: note.position });
            }
        }
    }
}

/// Runs the destructors of the thread's locals, newest first; they may make new ones.
///
/// # Safety
/// Runs on the coroutine of `thread`, in user code.
unsafe fn drop_locals(context: *mut Context, thread: ThreadId) {
    // SAFETY: references to the context last for one call each; each local is dropped once, as its maker says.
    unsafe {
        while let Some(local) = (&mut (*context).threads)[thread.at()].locals.pop() {
            (local.drop)(local.value);
        }
    }
}

/// Suspends the running model thread.
///
/// # Safety
/// Runs on the coroutine of the current thread, in the engine; no reference to the context is alive.
pub(super) unsafe fn suspend(context: *mut Context, thread: ThreadId) {
    // SAFETY: the yielder is that of the coroutine on which this runs.
    unsafe {
        let yielder = (&(*context).threads)[thread.at()].yielder;
        (*yielder).suspend(());
        (*context).current = thread;
    }
}

/// Suspends the running model thread for the rest of the run.
///
/// # Safety
/// As for [`suspend`].
pub(super) unsafe fn abandon(context: *mut Context, thread: ThreadId) -> ! {
    loop {
        // SAFETY: as promised.
        unsafe { suspend(context, thread) };
    }
}

impl Context {
    /// Notes that the program came to the engine.
    #[inline]
    pub(super) fn beat(&self) {
        let beats = self.heartbeat.load(Ordering::Relaxed);
        self.heartbeat.store(beats.wrapping_add(1), Ordering::Relaxed);
    }

    /// The test did something else than before.
    pub(super) fn diverged(&mut self, thread: ThreadId, found: impl Into<String>) {
        let expected = self.next_event(thread);
        self.violation(ViolationKind::NotDeterministic { expected, found: found.into() });
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

    /// Threads that went round a loop often enough, and where; with whether their last rounds were all the same.
    pub fn paused(&self) -> &[(ThreadId, Site, bool)] {
        &self.paused
    }

    /// Counts entries into the engine.
    pub fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }

    /// Gives the memory back.
    pub fn into_lane(self: Box<Self>) -> Lane {
        self.lane
    }

    /// Shall weak compare-exchanges fail now and then?
    pub fn spurious_failures(&self) -> bool {
        self.config.spurious_failures
    }

    /// The thread whose code is running.
    pub fn current_thread(&self) -> ThreadId {
        self.current
    }
}
