//! Sharing an exploration among workers, with the same result whatever their number.
//!
//! The executions have an order: that in which a single worker meets them. A task is an interval of that order. A worker
//! that has nothing to do gets what another one would explore last, so the interval is cut in two, and the list
//! of all tasks stays in order. The violation that counts is the first in this order; tasks after it are cancelled and
//! what they found or counted is ignored, so neither finding nor counts depend on who was quick.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use linchpin_graph::Site;

use super::explorer::Subtree;
use crate::loops::Repeats;
use crate::violation::Violation;

/// An interval of the exploration.
#[derive(Default)]
pub(crate) struct Task {
    /// Where it starts; `None` for the whole exploration, and once a worker has it.
    subtree: Mutex<Option<Subtree>>,
    pub cancelled: AtomicBool,
    pub complete: AtomicU64,
    pub blocked: AtomicU64,
    pub violations: AtomicU64,
    pub cut: AtomicBool,
    /// Bits of an `f64`: which share of the exploration is done.
    done: AtomicU64,
    /// Its first violation.
    pub violation: Mutex<Option<Box<Violation>>>,
    /// Where a loop turned out to have an effect that was taken to have none, or a spin hint to be no wait.
    pub misjudged: Mutex<Option<Site>>,
}

impl Task {
    /// Where the task starts; `None` for the whole exploration.
    pub fn take_subtree(&self) -> Option<Subtree> {
        lock(&self.subtree).take()
    }

    /// Counts one more execution. Only the task's worker calls this.
    pub fn count(&self, counter: &AtomicU64, share: f64) {
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        let done = f64::from_bits(self.done.load(Ordering::Relaxed)) + share;
        self.done.store(done.to_bits(), Ordering::Relaxed);
    }

    pub fn done(&self) -> f64 {
        f64::from_bits(self.done.load(Ordering::Relaxed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[derive(Default)]
struct Board {
    /// All tasks, in the order of the executions.
    tasks: Vec<Arc<Task>>,
    /// Those that no worker has taken yet; few at any time.
    waiting: Vec<Arc<Task>>,
    /// How many tasks workers are at; preparations count.
    running: usize,
    /// How many workers have nothing to do.
    idle: usize,
    /// Decided by the preparations.
    repeats: Option<Repeats>,
}

impl Board {
    /// Is there nothing left to do?
    fn is_over(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }
}

/// A worker that has nothing to do looks out for so long before it sleeps: others need less to pass something on, and to be woken takes longer.
const LOOKOUT: Duration = Duration::from_micros(50);

/// What the workers of one exploration share.
#[derive(Default)]
pub(crate) struct Tasks {
    board: Mutex<Board>,
    /// There may be something to do for workers.
    work: Condvar,
    /// The exploration is over.
    end: Condvar,
    /// How many workers have nothing to do and nothing is waiting for them. Those that are about to be woken do not count, or
    /// others would pass on more and more until they are awake.
    hungry: AtomicUsize,
    /// Counts changes of the board, for those who look out for one.
    changes: AtomicUsize,
    /// Everybody should stop.
    halt: AtomicBool,
    /// The test may not be run by several workers at the same time.
    alone: AtomicBool,
    /// The exploration has to begin again, since memory outlives its executions.
    moved: AtomicBool,
}

impl Tasks {
    /// No task yet: the one who calls [`Tasks::open`] is still preparing.
    pub fn new() -> Self {
        let tasks = Tasks::default();
        lock(&tasks.board).running = 1;
        tasks
    }

    /// The board has changed: tells everybody concerned.
    fn announce(&self, board: &Board) {
        self.hungry.store(board.idle.saturating_sub(board.waiting.len()), Ordering::Relaxed);
        self.changes.fetch_add(1, Ordering::Relaxed);
        if board.is_over() || self.is_halted() {
            self.work.notify_all();
            self.end.notify_all();
        } else if !board.waiting.is_empty() {
            self.work.notify_one();
        }
    }

    /// Preparations are over: there is one task, the whole exploration, with these repeated reads left out.
    pub fn open(&self, repeats: Repeats) {
        let whole = Arc::new(Task::default());
        let mut board = lock(&self.board);
        board.repeats = Some(repeats);
        board.tasks.push(whole.clone());
        board.waiting.push(whole);
        board.running -= 1;
        self.announce(&board);
    }

    /// Preparations have decided the matter: there is one task, and it has been done.
    pub fn open_decided(&self, violation: Box<Violation>, complete: u64, blocked: u64) {
        let task = Task {
            complete: complete.into(),
            blocked: blocked.into(),
            violations: 1.into(),
            violation: Mutex::new(Some(violation)),
            ..Task::default()
        };
        self.open_done(task);
    }

    /// Preparations have shown that the exploration has to start over.
    pub fn open_misjudged(&self, site: Site) {
        self.open_done(Task { misjudged: Mutex::new(Some(site)), ..Task::default() });
    }

    /// Preparations are over, and so is the only task.
    fn open_done(&self, task: Task) {
        let mut board = lock(&self.board);
        board.tasks.push(Arc::new(task));
        board.running -= 1;
        self.announce(&board);
    }

    /// Which repeated reads are left out.
    pub fn repeats(&self) -> Repeats {
        lock(&self.board).repeats.clone().unwrap_or(Repeats::Explored)
    }

    /// The next task for a worker; `None` when the exploration is over.
    pub fn take(&self) -> Option<Arc<Task>> {
        let mut board = lock(&self.board);
        board.idle += 1;
        let mut has_looked_out = false;
        let task = loop {
            if self.is_halted() || board.is_over() {
                break None;
            }
            if let Some(task) = board.waiting.pop() {
                board.running += 1;
                break Some(task);
            }
            self.announce(&board);
            if has_looked_out {
                board = self.work.wait(board).unwrap_or_else(|poisoned| poisoned.into_inner());
            } else {
                let changes = self.changes.load(Ordering::Relaxed);
                drop(board);
                self.look_out(changes);
                board = lock(&self.board);
            }
            has_looked_out = !has_looked_out;
        };
        board.idle -= 1;
        self.announce(&board);
        task
    }

    /// Waits until there are more than so many changes of the board, but not for long.
    fn look_out(&self, changes: usize) {
        let begin = Instant::now();
        while self.changes.load(Ordering::Relaxed) == changes && begin.elapsed() < LOOKOUT {
            std::hint::spin_loop();
        }
    }

    /// Does some worker have nothing to do?
    #[inline]
    pub fn is_somebody_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Passes on the last part of `donor`.
    pub fn pass_on(&self, donor: &Arc<Task>, subtree: Subtree) {
        let task = Arc::new(Task { subtree: Mutex::new(Some(subtree)), ..Task::default() });
        let mut board = lock(&self.board);
        let at = board.tasks.iter().position(|known| Arc::ptr_eq(known, donor)).expect("the donor is on the board");
        board.tasks.insert(at + 1, task.clone());
        if donor.cancelled.load(Ordering::Relaxed) {
            return;
        }
        board.waiting.push(task);
        self.announce(&board);
    }

    /// A worker has finished its task.
    pub fn finish(&self) {
        let mut board = lock(&self.board);
        board.running -= 1;
        self.announce(&board);
    }

    /// Cancels all tasks after `task`, in which something was found that makes them pointless.
    pub fn cancel_after(&self, task: &Arc<Task>) {
        let mut board = lock(&self.board);
        let at = board.tasks.iter().position(|known| Arc::ptr_eq(known, task)).expect("the task is on the board");
        let later = board.tasks.split_off(at + 1);
        for task in &later {
            task.cancelled.store(true, Ordering::Relaxed);
        }
        board.waiting.retain(|waiting| !later.iter().any(|task| Arc::ptr_eq(task, waiting)));
        // Cancelled tasks that are running still finish, and may pass on parts of themselves until they notice.
        board.tasks.extend(later);
        self.announce(&board);
    }

    /// From now on, only the worker that calls this may run the test. `false` if others have begun already.
    pub fn claim(&self) -> bool {
        self.alone.store(true, Ordering::Relaxed);
        lock(&self.board).tasks.len() <= 1
    }

    /// May only one worker run the test?
    pub fn is_claimed(&self) -> bool {
        self.alone.load(Ordering::Relaxed)
    }

    /// Memory outlives an execution: everybody stops, and the exploration begins again.
    pub fn begin_again(&self) {
        self.moved.store(true, Ordering::Relaxed);
        self.halt();
    }

    /// Does the exploration have to begin again?
    pub fn has_to_begin_again(&self) -> bool {
        self.moved.load(Ordering::Relaxed)
    }

    /// Lets everybody stop.
    pub fn halt(&self) {
        let board = lock(&self.board);
        self.halt.store(true, Ordering::Relaxed);
        self.announce(&board);
    }

    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Waits until the exploration is over or `time` has passed; says which.
    pub fn wait(&self, time: Duration) -> bool {
        let board = lock(&self.board);
        let goes_on = |board: &mut Board| !board.is_over() && !self.is_halted();
        let waited = self.end.wait_timeout_while(board, time, goes_on);
        waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0.is_over()
    }

    /// All tasks in order, up to and including the first that found a violation if later ones do not count.
    pub fn results(&self) -> Vec<Arc<Task>> {
        lock(&self.board).tasks.iter().filter(|task| !task.cancelled.load(Ordering::Relaxed)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Tasks of which the caller has the first.
    fn begun() -> (Tasks, Arc<Task>) {
        let tasks = Tasks::new();
        tasks.open(Repeats::Explored);
        let whole = tasks.take().expect("the whole exploration");
        (tasks, whole)
    }

    #[test]
    fn who_is_about_to_be_woken_is_not_hungry_any_more() {
        let (tasks, _whole) = begun();
        thread::scope(|scope| {
            let other = scope.spawn(|| tasks.take());
            // Asleep or still looking out: either way it takes a while until it has what is passed on.
            while !tasks.is_somebody_hungry() {
                thread::yield_now();
            }
            let mut board = lock(&tasks.board);
            board.waiting.push(Arc::default());
            tasks.announce(&board);
            assert!(!tasks.is_somebody_hungry());
            drop(board);
            assert!(other.join().is_ok_and(|task| task.is_some()));
        });
    }

    #[test]
    fn everybody_learns_of_the_end() {
        let (tasks, _whole) = &begun();
        thread::scope(|scope| {
            let idle: Vec<_> = (0..3).map(|_| scope.spawn(|| tasks.take())).collect();
            let (begin, minute) = (Instant::now(), Duration::from_secs(60));
            let supervisor = scope.spawn(move || tasks.wait(minute) && begin.elapsed() < minute);
            // For the workers to fall asleep: who still looks out sees the end without being told.
            thread::sleep(4 * LOOKOUT);
            assert!(!tasks.wait(Duration::ZERO));
            tasks.finish();
            assert!(idle.into_iter().all(|worker| worker.join().is_ok_and(|task| task.is_none())));
            assert!(supervisor.join().is_ok_and(|is_over| is_over));
        });
    }
}
