//! A model thread: what runs a thread of the test, in one execution after the other.

use linchpin_graph::{Site, ThreadId};

use super::panics::PanicNote;
use super::switch::Left;
use crate::rt::RawBody;

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

/// What belongs to a model thread till its very end, and how it is dropped then.
pub(crate) struct Local {
    pub key: usize,
    pub value: *mut u8,
    pub drop: unsafe fn(*mut u8),
}

/// What a model thread has to do before it loses its locals.
pub(crate) struct Farewell {
    pub data: *mut u8,
    pub run: unsafe fn(*mut u8),
}

pub(crate) struct ModelThread {
    /// Its stack, once it has run. Kept from run to run, unless the thread had not come to its end.
    pub stack: Option<Left>,
    /// It has done all there is to do in this run, and waits for the next one.
    pub is_over: bool,
    /// What it runs; `None` for the main thread.
    pub body: Option<RawBody>,
    pub state: State,
    /// How often it had nothing to do until something changes; counted when sampling.
    pub spins: u32,
    pub locals: Vec<Local>,
    pub farewells: Vec<Farewell>,
    pub name: Option<String>,
    /// The panic that is unwinding it.
    pub panic: Option<PanicNote>,
}

impl ModelThread {
    pub fn new() -> Self {
        ModelThread {
            stack: None,
            is_over: true,
            body: None,
            state: State::Unborn,
            spins: 0,
            locals: Vec::new(),
            farewells: Vec::new(),
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
            self.forget_stack();
        }
        self.body = None;
        self.state = State::Unborn;
        self.spins = 0;
        self.locals.clear();
        self.farewells.clear();
        self.name = None;
        self.panic = None;
    }

    /// Forgets what is left of the thread on its stack: no destructors are run, which may be those of user code. What they would have given
    /// back belongs to the arenas, which are reset before anything else uses them.
    pub fn forget_stack(&mut self) {
        self.stack = None;
        self.is_over = true;
    }
}
