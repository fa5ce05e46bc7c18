//! A model thread: the coroutine that runs a thread of the test in one execution.

use corosensei::{Coroutine, Yielder};
use linchpin_graph::{Site, ThreadId};

use super::lane::SlotStack;
use super::panics::PanicNote;
use crate::rt::RawBody;

pub(crate) type ModelCoroutine = Coroutine<(), (), (), SlotStack>;

/// Where a model thread is in the current run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its spawn has not run yet.
    Unborn,
    /// It can run.
    Ready,
    /// It waits for another thread to end.
    Joining(ThreadId, Site),
    /// Its last read was of no use; only another execution helps.
    Waiting,
    /// It said that it would read the same again; only another execution helps.
    Spinning(Site),
    /// It was about to repeat an iteration that only reads; `same` if it would ask just the same again.
    Retrying { site: Site, same: bool },
    /// It wants more events than allowed.
    Exhausted,
    /// It has gone round a loop often enough to see how the loop behaves; `stutters` if the last rounds were all the same.
    Paused { site: Site, stutters: bool },
    /// It wants an event that is not in the replay.
    Parked,
    /// It has ended.
    Done,
}

/// What a thread-local of a model thread needs to be dropped.
pub(crate) struct Local {
    pub key: usize,
    pub value: *mut u8,
    pub drop: unsafe fn(*mut u8),
}

pub(crate) struct ModelThread {
    /// Kept from run to run, unless the thread had not come to its end.
    pub coroutine: Option<ModelCoroutine>,
    /// The coroutine has done all there is to do in this run, and waits for the next one.
    pub is_over: bool,
    /// How the running coroutine is suspended; null before its start.
    pub yielder: *const Yielder<(), ()>,
    /// What it runs; `None` for the main thread.
    pub body: Option<RawBody>,
    pub state: State,
    /// How often it had nothing to do until something changes; counted when sampling.
    pub spins: u32,
    pub locals: Vec<Local>,
    pub name: Option<String>,
    /// The panic that is unwinding it.
    pub panic: Option<PanicNote>,
}

impl ModelThread {
    pub fn new() -> Self {
        ModelThread {
            coroutine: None,
            is_over: true,
            yielder: std::ptr::null(),
            body: None,
            state: State::Unborn,
            spins: 0,
            locals: Vec::new(),
            name: None,
            panic: None,
        }
    }

    /// Can it run?
    #[inline]
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready)
    }

    /// Has the engine stopped it although it could go on?
    pub fn is_cut_short(&self) -> bool {
        matches!(self.state, State::Exhausted | State::Paused { .. })
    }

    /// Forgets the last run.
    pub fn reset(&mut self) {
        if !self.is_over {
            self.forget_coroutine();
        }
        self.body = None;
        self.state = State::Unborn;
        self.spins = 0;
        self.locals.clear();
        self.name = None;
        self.panic = None;
    }

    /// Forgets the coroutine, and what is left of the thread on its stack.
    pub fn forget_coroutine(&mut self) {
        if let Some(mut coroutine) = self.coroutine.take() {
            // SAFETY: what is left on the stack is forgotten without running destructors, which is sound, and all of
            // its memory belongs to the arenas, which are reset before anything else uses them.
            unsafe { coroutine.force_reset() };
        }
        self.is_over = true;
        self.yielder = std::ptr::null();
    }
}

/// A coroutine that is dropped would run its destructors, which may be those of user code.
impl Drop for ModelThread {
    fn drop(&mut self) {
        self.forget_coroutine();
    }
}
