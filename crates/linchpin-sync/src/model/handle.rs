//! Who a thread is: its handle, and parking, which waits for the handle's token.

use std::cell::OnceCell;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use linchpin_engine::rt;
use linchpin_graph::{Order, Step, StepFn, Verb};

use super::word::{Ask, Word};

/// [`std::thread::Thread`], modelled.
#[derive(Clone)]
pub struct Thread(Arc<Inner>);

struct Inner {
    /// Written when the thread is started, by itself and by who starts it, with the same value.
    id: AtomicU64,
    name: Option<String>,
    /// 1 if the next [`park`] returns at once.
    token: Word,
}

/// [`std::thread::ThreadId`], modelled.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(u64);

/// Ids of threads that are not in an execution begin here, so that they differ from those of threads that are.
const FIRST_NATIVE_ID: u64 = 1 << 32;

impl ThreadId {
    /// The thread of the current execution that the engine knows by this number.
    pub(crate) fn of_model(thread: linchpin_graph::ThreadId) -> Self {
        ThreadId(u64::from(thread.0))
    }

    /// An id that no thread has had.
    pub(crate) fn unused() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(FIRST_NATIVE_ID);
        ThreadId(NEXT.fetch_add(1, Relaxed))
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ThreadId").field(&self.0).finish()
    }
}

/// Takes the token, or waits for it.
const TAKE_TOKEN: StepFn = |token, _, _| if token == 1 { Step::Write(0) } else { Step::Wait };

impl Thread {
    pub(crate) fn new(id: ThreadId, name: Option<String>) -> Self {
        Thread(Arc::new(Inner { id: AtomicU64::new(id.0), name, token: Word::new(0) }))
    }

    /// The thread's id.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.0.id.load(Relaxed))
    }

    /// For handles that are made before their thread, and with it its id, exists.
    pub(crate) fn set_id(&self, id: ThreadId) {
        self.0.id.store(id.0, Relaxed);
    }

    /// The thread's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Gives the thread its token: its current or next [`park`] returns.
    #[track_caller]
    pub fn unpark(&self) {
        let step = |_, _, _| Step::Write(1);
        self.0.token.ask(Ask::new(Verb::Unpark, Order::Release, step, Location::caller()));
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Waits for the thread's token, which [`Thread::unpark`] gives, and takes it.
#[track_caller]
pub fn park() {
    current().0.token.ask(Ask::new(Verb::Park, Order::Acquire, TAKE_TOKEN, Location::caller()));
}

/// As [`park`], but not longer than `duration`. In an execution it may return at any time.
#[track_caller]
pub fn park_timeout(duration: Duration) {
    let thread = current();
    let site = Location::caller();
    if rt::active() {
        // Taking the token if it is there comes before or after each `unpark`: every way in which a timeout can go.
        let step = |token, _, _| if token == 1 { Step::Write(0) } else { Step::Return };
        thread.0.token.ask(Ask::new(Verb::Park, Order::Acquire, step, site));
        return;
    }
    let ask = Ask::new(Verb::Park, Order::Acquire, TAKE_TOKEN, site);
    match Instant::now().checked_add(duration) {
        Some(deadline) => thread.0.token.ask_until(ask, deadline),
        None => Some(thread.0.token.ask(ask)),
    };
}

std::thread_local! {
    static CURRENT: OnceCell<Thread> = const { OnceCell::new() };
}

/// The handle of the calling thread.
pub fn current() -> Thread {
    if rt::active() {
        return model_current(|| Thread::new(ThreadId::of_model(rt::current()), main_name()));
    }
    let make = || Thread::new(ThreadId::unused(), std::thread::current().name().map(str::to_owned));
    CURRENT.try_with(|current| current.get_or_init(make).clone()).unwrap_or_else(|_| make())
}

/// The name of a thread of an execution that was started without a handle: only its first one is.
fn main_name() -> Option<String> {
    (rt::current() == linchpin_graph::ThreadId(0)).then(|| "main".to_owned())
}

/// Makes `thread` the handle of the calling thread, which has just started.
pub(crate) fn install(thread: Thread) {
    if rt::active() {
        thread.set_id(ThreadId::of_model(rt::current()));
        rt::add_local((&raw const MODEL_CURRENT).addr(), into_raw(thread), drop_thread);
    } else {
        let _ = CURRENT.try_with(|current| current.set(thread));
    }
}

/// Its address is the key under which the engine keeps the handles of threads of executions.
static MODEL_CURRENT: u8 = 0;

fn into_raw(thread: Thread) -> *mut u8 {
    Arc::into_raw(thread.0).cast_mut().cast::<u8>()
}

/// The calling thread's handle in this execution, made by `make` if there is none yet.
fn model_current(make: impl Fn() -> Thread) -> Thread {
    let mut make_raw = || (into_raw(make()), drop_thread as unsafe fn(*mut u8));
    let inner = rt::local((&raw const MODEL_CURRENT).addr(), &mut make_raw).cast_const().cast::<Inner>();
    // SAFETY: the engine returns what was made for this key, which has a reference of its own until the thread ends.
    unsafe {
        Arc::increment_strong_count(inner);
        Thread(Arc::from_raw(inner))
    }
}

/// # Safety
///
/// `thread` is the reference that [`model_current`] made, and is not used again.
unsafe fn drop_thread(thread: *mut u8) {
    // SAFETY: as the caller says.
    drop(unsafe { Arc::from_raw(thread.cast_const().cast::<Inner>()) });
}
