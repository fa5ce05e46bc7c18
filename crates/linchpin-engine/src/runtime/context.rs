//! One worker's state: what runs of a test share, and what belongs to the current run.
//!
//! User code reaches the context through a raw pointer in a thread-local. No reference to the context may live across a
//! switch of coroutines, since the other side uses it too: functions that suspend take the pointer.

use std::cell::Cell;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linchpin_graph::{EventId, Execution, Site, ThreadId, Verb};
use linchpin_model::Value;

use super::alone::Alone;
use super::crash;
use super::lane::Lane;
use super::memory::{Found, Place};
use super::outliving::Outliving;
use super::panics;
use super::sample::{self, SampleEnd};
use super::sampler::Sampler;
use super::schedule::{drain, schedule};
use super::script::Script;
use super::switch::Left;
use super::thread::{ModelThread, State};
use crate::call::{Call, Calls, Judge, Point, Target};
use crate::config::{Config, LoopReduction};
use crate::explore::explorer::Explorer;
use crate::loops::{Loops, Repeats};
use crate::orders::Change;
use crate::stack::Stacks;
use crate::violation::{Violation, ViolationKind};

thread_local! {
    /// The context of the exploration that this OS thread works on.
    static CURRENT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
    /// Set while user code runs; unset in the engine.
    static IN_USER_CODE: Cell<bool> = const { Cell::new(false) };
    /// Set while user code does what is not part of its execution.
    static HAS_STEPPED_OUT: Cell<bool> = const { Cell::new(false) };
}

/// The context of the calling model thread, if the caller is user code in an execution.
#[inline]
pub(crate) fn current() -> Option<*mut Context> {
    if IN_USER_CODE.get() { Some(CURRENT.get()) } else { None }
}

/// The context of the calling model thread.
pub(super) fn running() -> *mut Context {
    CURRENT.get()
}

/// Marks the change between user code and engine.
#[inline]
pub(crate) fn set_in_user_code(on: bool) {
    IN_USER_CODE.set(on);
}

/// Calls `f` as if outside the execution.
pub(crate) fn step_out<T>(f: impl FnOnce() -> T) -> T {
    /// Steps in again, also when `f` panics.
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            HAS_STEPPED_OUT.set(false);
            set_in_user_code(true);
        }
    }
    let _back = current().map(|_| {
        set_in_user_code(false);
        HAS_STEPPED_OUT.set(true);
        Back
    });
    f()
}

/// Is the caller user code that does something as if outside its execution?
pub(crate) fn has_stepped_out() -> bool {
    HAS_STEPPED_OUT.get()
}

/// Makes `context` the one that user code on this OS thread reaches; returns what was there.
pub(super) fn enter(context: *mut Context) -> *mut Context {
    CURRENT.replace(context)
}

/// Puts back what [`enter`] returned.
pub(super) fn leave(outer: *mut Context) {
    CURRENT.set(outer);
}

/// Pointers to what is explored, without their lifetimes, so that coroutines can have them.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub test: *const (dyn Fn() + Sync),
    pub judge: *const Judge<'static>,
    pub alone: *const Alone,
}

impl Subject {
    /// The subject; whoever uses it makes sure that all of this outlives it.
    pub fn new(test: &(dyn Fn() + Sync), judge: &Judge<'_>, alone: &Alone) -> Subject {
        // SAFETY: only lifetimes are forgotten, and a pointer may outlive what it points to.
        unsafe {
            Subject {
                test: std::mem::transmute::<*const (dyn Fn() + Sync), *const (dyn Fn() + Sync)>(test),
                judge: std::mem::transmute::<*const Judge<'_>, *const Judge<'static>>(judge),
                alone,
            }
        }
    }
}

// SAFETY: what the pointers point to is `Sync`, and outlives the workers, which are scoped.
unsafe impl Send for Subject {}
// SAFETY: as above.
unsafe impl Sync for Subject {}

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
    /// Let threads take turns at random, on real memory and without a graph.
    Sample,
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
    /// A thread that may go on does nothing, which must not happen.
    Lost,
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
    pub loops: Loops,
    /// Boxed, since a running coroutine must stay where it is when threads are added.
    #[expect(clippy::vec_box, reason = "see above")]
    pub(super) threads: Vec<Box<ModelThread>>,
    /// How many of its events each of them has run in this run.
    pub(super) executed: Vec<u32>,
    /// The thread whose code is running.
    pub(super) current: ThreadId,
    /// Where the worker itself runs, while a model thread does.
    pub(super) worker_stack: Option<Left>,
    /// The thread that may add events.
    pub(super) leader: Option<ThreadId>,
    pub(super) mode: Mode,
    /// Nothing is going on that the short way (the module `rerun`) does not know: no graph made elsewhere or none at all, no
    /// address with a second object, no thread that is drained.
    pub(super) is_usual: bool,
    /// Events that have to run before whoever asked for them can go on; innermost last.
    pub(super) demands: Vec<EventId>,
    pub(super) places: Vec<Place>,
    pub(super) found: Found,
    /// Addresses that serve another location than the first.
    pub(super) generations: HashMap<usize, u32>,
    /// Plain data outside the lane as it was before this run.
    pub(super) borrowed: Vec<(usize, Vec<MaybeUninit<u8>>)>,
    /// The test uses plain data outside the lane, so no other worker may run it at the same time.
    pub needs_to_be_alone: bool,
    pub(super) stop: Option<Stop>,
    /// The threads that had not ended when the last run was over, and where they were.
    pub stopped: Vec<(ThreadId, State)>,
    /// Spin hints after which threads do go on, so that they are no waits.
    pub unheeded: Vec<Site>,
    /// In [`Mode::Replay`]: what to do, and how much of it is done.
    pub(super) script: Script,
    /// In [`Mode::Sample`]: who can go on, and who is chosen.
    pub sampler: Sampler,
    /// What happens in this run happens in the order of time, so that memory is right and may be used again.
    pub(super) is_timed: bool,
    /// The run is over and a thread that was unwinding comes to its end.
    pub(super) draining: bool,
    /// The engine has found the stack of this thread used up, which is given up as soon as that is possible.
    pub(super) overflowed: Option<ThreadId>,
    /// How many answers the thread that is drained has got.
    pub(super) drained_calls: u32,
    /// A thread could not be drained, so this thread of the operating system will count as panicking for ever.
    pub is_tainted: bool,
    /// Call stacks from which blocks were freed, and whether a reference count stood behind it.
    pub(super) counted_frees: HashMap<u64, bool>,
    /// Operations that were marked in this run.
    pub(super) calls: Calls,
    /// Those of this run's events, if they are asked for.
    pub(super) stacks: Stacks,
    /// The test, and who judges its executions.
    pub(super) subject: Subject,
    /// Counts entries into the engine, for the watchdog.
    pub(super) heartbeat: Arc<AtomicU64>,
    pub(super) outliving: Outliving,
    /// Last, since it is given back when it is dropped: nothing of this context may be in it by then.
    pub lane: Lane,
}

/// A lane keeps graphs for later explorations with room for so many events, which is 16 MB.
const EVENTS_KEPT: usize = 1 << 17;

/// Leaves the graphs with the lane: fresh memory costs more than to use it.
impl Drop for Context {
    fn drop(&mut self) {
        self.lane.levels = self.explorer.take_levels(EVENTS_KEPT);
    }
}

impl Context {
    /// A context that runs `subject`, which must outlive it.
    pub fn new(config: Arc<Config>, mut lane: Lane, subject: Subject) -> Box<Context> {
        panics::install_hook();
        crash::install_handlers();
        Box::new(Context {
            explorer: Explorer::new(config.model, config.mutation, std::mem::take(&mut lane.levels)),
            loops: Loops::new(match config.loops {
                LoopReduction::Unchecked => Repeats::Cut,
                LoopReduction::Off | LoopReduction::CrossChecked => Repeats::Explored,
            }),
            config,
            lane,
            threads: Vec::new(),
            executed: Vec::new(),
            current: ThreadId::MAIN,
            worker_stack: None,
            leader: None,
            mode: Mode::Grow,
            is_usual: false,
            demands: Vec::new(),
            places: Vec::new(),
            found: Found::NOTHING,
            generations: HashMap::new(),
            borrowed: Vec::new(),
            needs_to_be_alone: false,
            stop: None,
            stopped: Vec::new(),
            unheeded: Vec::new(),
            script: Script::default(),
            sampler: Sampler::default(),
            is_timed: false,
            draining: false,
            overflowed: None,
            drained_calls: 0,
            is_tainted: false,
            counted_frees: HashMap::new(),
            calls: Calls::default(),
            stacks: Stacks::default(),
            subject,
            heartbeat: Arc::new(AtomicU64::new(0)),
            outliving: Outliving::default(),
        })
    }

    /// Runs the test once, as `mode` says.
    pub fn run(&mut self, mode: Mode) -> RunEnd {
        let race = if mode == Mode::Grow { self.find_new_race() } else { None };
        self.prepare(if race.is_some() { Mode::Follow } else { mode });
        let context: *mut Context = self;
        let outer = enter(context);
        // SAFETY: `context` is this context, which nobody else uses meanwhile: `self` is not touched until the schedule
        // is done.
        unsafe { schedule(context) };
        let is_lost = matches!(self.stop, Some(Stop::Lost));
        let end = match (self.conclude(), race) {
            (RunEnd::Complete | RunEnd::Blocked, Some((thread, kind))) => self.found(thread, kind),
            (end, _) => end,
        };
        // SAFETY: as above.
        unsafe { drain(context) };
        leave(outer);
        self.clean_up();
        assert!(
            !is_lost,
            "a defect of linchpin: a thread that may go on does nothing. Please report it, with the test that shows it"
        );
        end
    }

    /// Runs the test once, as [`Context::sampler`] says.
    pub fn run_sample(&mut self) -> SampleEnd {
        self.prepare(Mode::Sample);
        let context: *mut Context = self;
        let outer = enter(context);
        // SAFETY: as in `run`.
        unsafe { schedule(context) };
        let end = self.conclude_sample();
        // SAFETY: as in `run`.
        unsafe { drain(context) };
        leave(outer);
        self.clean_up();
        end
    }

    fn prepare(&mut self, mode: Mode) {
        self.mode = mode;
        self.is_usual = !matches!(mode, Mode::Rebase | Mode::Sample) && !self.config.call_stacks;
        self.stacks.clear();
        self.is_timed = mode == Mode::Sample || (mode == Mode::Replay && self.script.reuse.is_some());
        self.stop = None;
        self.overflowed = None;
        self.leader = None;
        self.demands.clear();
        self.calls.clear(self.is_timed);
        if !self.generations.is_empty() {
            self.generations.clear();
        }
        if mode == Mode::Rebase {
            self.explorer.execution_mut().locations_mut().forget_addresses();
            self.places.clear();
        } else {
            self.expect_places();
        }
        self.lane.reset();
        self.model_thread(ThreadId::MAIN).state = State::Ready;
    }

    fn clean_up(&mut self) {
        for thread in &mut self.threads {
            thread.reset();
            if self.is_tainted {
                // The next run is on another thread of the operating system.
                thread.forget_stack();
            }
        }
        self.executed.fill(0);
        self.give_back();
    }

    #[inline]
    pub(super) fn model_thread(&mut self, id: ThreadId) -> &mut ModelThread {
        if self.threads.len() <= id.at() {
            self.threads.resize_with(id.at() + 1, || Box::new(ModelThread::new()));
            self.executed.resize(id.at() + 1, 0);
        }
        &mut self.threads[id.at()]
    }

    pub(super) fn violation(&mut self, kind: ViolationKind) {
        if self.stop.is_none() {
            let (thread, kind) = self.blame(self.current, kind);
            self.stop = Some(Stop::Violation(thread, kind));
        }
    }

    /// Runs `execution` again, exactly; `false` if the test does something else.
    pub fn follow(&mut self, execution: &mut Execution) -> bool {
        std::mem::swap(self.explorer.execution_mut(), execution);
        let end = self.run(Mode::Follow);
        std::mem::swap(self.explorer.execution_mut(), execution);
        matches!(end, RunEnd::Complete)
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

    /// What was called in the last run, in the order of tags.
    pub fn calls(&self) -> &[Call] {
        self.calls.all()
    }

    /// Counts entries into the engine.
    pub fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }

    /// The running thread calls an operation.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub unsafe fn operation_begins(context: *mut Context, tag: u64, target: Option<&Target>) {
        // SAFETY: as promised by the caller; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            if (*context).is_timed && !(*context).calls.is_open(thread) && !(*context).draining {
                sample::call(context, thread, tag);
            }
            let executed = (*context).executed(thread);
            (*context).calls.begin(thread, tag, target, executed);
        }
    }

    /// The running thread marks its last event.
    pub fn mark(&mut self, point: Point) {
        let thread = self.current;
        self.calls.mark(thread, point, self.executed[thread.at()]);
    }

    /// What the running thread called returns this.
    pub fn operation_ends(&mut self, result: &Value) {
        let thread = self.current;
        self.calls.end(thread, self.executed[thread.at()], result);
        if self.is_timed && !self.calls.is_open(thread) {
            self.sampler.returned(thread);
        }
    }

    /// What the configuration changes about the access at this position.
    #[inline]
    pub(super) fn change_of(&self, site: Site, verb: Verb) -> Option<Change> {
        self.config.orders.change_of(site, verb)
    }

    /// May there be accesses whose memory orders are not those in the source?
    #[inline]
    pub(super) fn has_other_orders(&self) -> bool {
        !self.config.orders.changes().is_empty()
    }

    /// The thread whose code is running.
    pub fn current_thread(&self) -> ThreadId {
        self.current
    }

    /// How many events the thread whose code is running has run.
    pub fn events_of_current(&self) -> u32 {
        self.executed(self.current)
    }
}
