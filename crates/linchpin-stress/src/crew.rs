//! The threads, what they share, and who looks after them.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use linchpin_generate::Outcomes;
use linchpin_model::{AnyObject, Script};

use crate::barrier::Barrier;
use crate::catch::install_hook;
use crate::counts::Counts;
use crate::padded::Padded;
use crate::plan::Plan;
use crate::watch::{Post, Watch};
use crate::worker::{Notes, Share, work};
use crate::{Ended, Hooks, Options, Progress, Stressed, cores};

/// So often the caller's thread looks whether all is well.
const LOOK: Duration = Duration::from_millis(10);
/// After so many looks it tells about the progress.
const LOOKS_PER_PROGRESS: u32 = 10;

/// Runs a client on native threads until a budget is reached, and counts its outcomes.
///
/// Each of the client's threads is a native thread, on a core of its own where there are enough. With fewer cores than
/// threads, what overlaps is up to the scheduler, and much less is seen.
///
/// Outcomes are judged by whether some order of the invocations explains them. When invocations began and ended is not
/// measured, so what only real time forbids is not seen.
///
/// ```
/// use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
///
/// use linchpin_generate::{admitted_by_object, parse};
/// use linchpin_model::{AnyObject, Object, ObjectOperation, Value};
/// use linchpin_stress::{Hooks, Options, stress};
///
/// struct Counter;
///
/// // `linchpin::object!` writes this for you.
/// impl Object for Counter {
///     type Instance = AtomicU8;
///     const NAME: &'static str = "Counter";
///     fn create() -> AtomicU8 { AtomicU8::new(0) }
///     fn operations() -> Vec<ObjectOperation> {
///         vec![ObjectOperation::new("increment", vec![])]
///     }
///     fn invoke(counter: &AtomicU8, _: usize, _: &[Value]) -> Value {
///         Value::Integer(counter.fetch_add(1, SeqCst).into())
///     }
/// }
///
/// let object = AnyObject::of::<Counter>();
/// let client = parse("{ increment() } || { increment() }").unwrap();
/// let admitted = admitted_by_object(object, &client).unwrap();
/// let options = Options { max_runs: Some(10_000), ..Options::default() };
/// let stressed = stress(object, &admitted, &options, Hooks::default());
/// assert!(!stressed.is_violated(), "{}", stressed.table());
/// ```
///
/// # Panics
///
/// When the client of these outcomes is not one of this object, or there is no further thread.
pub fn stress(object: AnyObject, admitted: &Outcomes, options: &Options, hooks: Hooks<'_>) -> Stressed {
    let begin = Instant::now();
    let mut script = Script::of(object, admitted.client());
    // Somebody has to run setup and epilogue.
    script.threads.resize_with(script.threads.len().max(1), Vec::new);
    let (threads, cores) = (script.threads.len(), cores::available());
    let crew = Arc::new(Crew {
        object,
        barrier: Barrier::new(threads, cores),
        plan: RwLock::new(Plan::first(threads, threads <= cores, options)),
        shares: (0..threads).map(|_| Padded(RwLock::default())).collect(),
        notes: (0..threads).map(|_| Padded(RwLock::default())).collect(),
        posts: (0..threads).map(|_| Post::default()).collect(),
        counts: Mutex::default(),
        stop: AtomicBool::new(false),
        pinned: AtomicUsize::new(0),
        script,
        cores,
    });
    let ended = attend(&crew, admitted, options, hooks, begin);
    let counts = crew.counts();
    let frequencies = counts.frequencies(admitted);
    Stressed {
        object: object.name(),
        client: admitted.client().clone(),
        runs: frequencies.iter().map(|frequency| frequency.count).sum(),
        frequencies,
        elapsed: begin.elapsed(),
        ended,
        cores,
        pinned: crew.pinned.load(Relaxed),
    }
}

/// Starts the threads and looks after them until they are done, or one of them never will be.
fn attend(crew: &Arc<Crew>, admitted: &Outcomes, options: &Options, hooks: Hooks<'_>, begin: Instant) -> Ended {
    install_hook();
    // However this ends, nobody waits for ever.
    let _sent_home = SendHome(&crew.barrier);
    let (working, all_done) = mpsc::channel::<()>();
    for me in 0..crew.script.threads.len() {
        let (crew, working) = (crew.clone(), working.clone());
        let thread = thread::Builder::new().name(format!("stress thread {}", me + 1));
        let spawned = thread.spawn(move || {
            // A defect of ours: the others must not wait for this thread. Panics of the code under test do not come here.
            if let Err(defect) = panic::catch_unwind(AssertUnwindSafe(|| work(&crew, me))) {
                crew.barrier.abandon();
                panic::resume_unwind(defect);
            }
            drop((crew, working));
        });
        spawned.unwrap_or_else(|error| panic!("thread {} of the client cannot be started: {error}", me + 1));
    }
    drop(working);

    let mut watch = Watch::new(crew.posts.len(), options.stuck_after);
    let mut looks = 0;
    while all_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        looks += 1;
        if looks % LOOKS_PER_PROGRESS == 0 {
            let (runs, forbidden) = crew.counts().totals(admitted);
            (hooks.progress)(&Progress { runs, forbidden, elapsed: begin.elapsed() });
        }
        if hooks.interrupt.is_some_and(|interrupt| interrupt.load(Relaxed)) {
            crew.stop.store(true, Relaxed);
        }
        let stuck = watch.look(&crew.posts);
        if !stuck.is_empty() {
            return Ended::Stuck(stuck);
        }
    }
    let plan = crew.plan.read().unwrap_or_else(PoisonError::into_inner);
    plan.ended.clone().expect("a thread of linchpin-stress has panicked: a defect of linchpin, not of the object")
}

/// What the threads share. Those that are stuck keep it for ever.
pub(crate) struct Crew {
    pub object: AnyObject,
    /// Of at least one thread.
    pub script: Script,
    pub barrier: Barrier,
    pub plan: RwLock<Plan>,
    /// For each thread its share.
    pub shares: Vec<Padded<RwLock<Share>>>,
    /// For each thread, what its invocations returned.
    pub notes: Vec<Padded<RwLock<Notes>>>,
    pub posts: Vec<Post>,
    counts: Mutex<Counts>,
    stop: AtomicBool,
    pinned: AtomicUsize,
    cores: usize,
}

impl Crew {
    /// Is there a core for each thread?
    pub fn roomy(&self) -> bool {
        self.script.threads.len() <= self.cores
    }

    pub fn note_pinned(&self) {
        self.pinned.fetch_add(1, Relaxed);
    }

    /// Plans the next batch.
    pub fn next(&self) {
        let mut plan = self.plan.write().unwrap_or_else(PoisonError::into_inner);
        plan.next();
        if self.stop.load(Relaxed) {
            plan.end(Ended::Interrupted);
        }
    }

    /// Adds the counts of a batch.
    pub fn add(&self, counts: &mut Counts) {
        self.counts().absorb(counts);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct SendHome<'a>(&'a Barrier);

impl Drop for SendHome<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
