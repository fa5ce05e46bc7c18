//! Who a thread is: its handle, and parking, which waits for the handle's token.

use std::cell::OnceCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use linchpin_engine::rt;
use linchpin_graph::{Order, Step, StepFn, Verb};

use super::owner::{Owner, release};
use super::word::{Ask, Word};

/// [`std::thread::Thread`], modelled.
#[derive(Clone)]
pub struct Thread(Handle);

#[derive(Clone)]
enum Handle {
    Native(Arc<About>),
    Model(Owner),
}

/// What is known of a thread.
pub(crate) struct About {
    /// Written when the thread is started, by who starts it.
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

impl About {
    pub(crate) fn new(id: ThreadId, name: Option<String>) -> Self {
        About { id: AtomicU64::new(id.0), name, token: Word::new(0) }
    }
}

/// The handle of a thread of the execution.
impl From<Owner> for Thread {
    fn from(owner: Owner) -> Self {
        Thread(Handle::Model(owner))
    }
}

impl Thread {
    /// The handle of a thread outside executions.
    pub(crate) fn native(id: ThreadId, name: Option<String>) -> Self {
        Thread(Handle::Native(Arc::new(About::new(id, name))))
    }

    fn about(&self) -> &About {
        match &self.0 {
            Handle::Native(about) => about,
            Handle::Model(owner) => owner.about(),
        }
    }

    /// The thread's id.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.about().id.load(Relaxed))
    }

    /// For handles that are made before their thread, and with it its id, exists.
    pub(crate) fn set_id(&self, id: ThreadId) {
        self.about().id.store(id.0, Relaxed);
    }

    /// The thread's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.about().name.as_deref()
    }

    /// Gives the thread its token: its current or next [`park`] returns.
    #[track_caller]
    pub fn unpark(&self) {
        let step = |_, _, _| Step::Write(1);
        self.about().token.ask(Ask::new(Verb::Unpark, Order::Release, step, Location::caller()));
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
    current().about().token.ask(Ask::new(Verb::Park, Order::Acquire, TAKE_TOKEN, Location::caller()));
}

/// As [`park`], but not longer than `duration`. In an execution it may return at any time.
#[track_caller]
pub fn park_timeout(duration: Duration) {
    let thread = current();
    let site = Location::caller();
    if rt::active() {
        // Taking the token if it is there comes before or after each `unpark`: every way in which a timeout can go.
        let step = |token, _, _| if token == 1 { Step::Write(0) } else { Step::Return };
        thread.about().token.ask(Ask::new(Verb::Park, Order::Acquire, step, site));
        return;
    }
    let ask = Ask::new(Verb::Park, Order::Acquire, TAKE_TOKEN, site);
    match Instant::now().checked_add(duration) {
        Some(deadline) => thread.about().token.ask_until(ask, deadline),
        None => Some(thread.about().token.ask(ask)),
    };
}

/// [`park_timeout`] with milliseconds.
#[deprecated(note = "use park_timeout instead")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(ms.into()));
}

std::thread_local! {
    static CURRENT: OnceCell<Thread> = const { OnceCell::new() };
}

/// The handle of the calling thread.
pub fn current() -> Thread {
    if rt::active() {
        return model_current();
    }
    let make = || Thread::native(ThreadId::unused(), std::thread::current().name().map(str::to_owned));
    CURRENT.try_with(|current| current.get_or_init(make).clone()).unwrap_or_else(|_| make())
}

/// Makes `thread` the handle of the calling thread, which has just started, outside executions.
pub(crate) fn install(thread: Thread) {
    let _ = CURRENT.try_with(|current| current.set(thread));
}

/// Its address is the key under which the engine keeps what belongs to threads of executions.
static MODEL: u8 = 0;

/// The key under which the engine keeps what belongs to threads of executions.
pub(crate) fn model_key() -> usize {
    (&raw const MODEL).addr()
}

/// The calling thread's handle in this execution.
fn model_current() -> Thread {
    let owner = rt::body(model_key()).unwrap_or_else(|| rt::local(model_key(), &mut make_main));
    // SAFETY: the engine keeps an owner until the thread ends, the one of the body or what was made for this key. It stays where it is.
    let kept = ManuallyDrop::new(unsafe { Owner::from_raw(owner) });
    Owner::clone(&kept).into()
}

/// What is known of a thread of an execution that was not started by this crate: only its first one is.
fn make_main() -> (*mut u8, unsafe fn(*mut u8)) {
    let id = rt::current();
    let name = (id == linchpin_graph::ThreadId::MAIN).then(|| "main".to_owned());
    (Owner::alone(About::new(ThreadId::of_model(id), name)).into_raw(), release)
}
