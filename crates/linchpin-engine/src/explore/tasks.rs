//! Sharing an exploration among workers, with the same result whatever their number.
//!
//! The executions have an order: that in which a single worker meets them. A task is an interval of that order. A worker
//! that has nothing to do gets what another one would explore last, so the interval is cut in two, and the list
//! of all tasks stays in order. The violation that counts is the first in this order; tasks after it are cancelled and
//! what they found or counted is ignored, so neither finding nor counts depend on who was quick.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

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
    /// Where a loop turned out to have an effect that was taken to have none.
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
    /// Decided by the preparations.
    repeats: Option<Repeats>,
}

/// What the workers of one exploration share.
#[derive(Default)]
pub(crate) struct Tasks {
    board: Mutex<Board>,
    change: Condvar,
    /// How many workers have nothing to do and nothing is waiting for them.
    hungry: AtomicUsize,
    /// Everybody should stop.
    halt: AtomicBool,
    /// The test may not be run by several workers at the same time.
    alone: AtomicBool,
}

impl Tasks {
    /// No task yet: the one who calls [`Tasks::open`] is still preparing.
    pub fn new() -> Self {
        let tasks = Tasks::default();
        lock(&tasks.board).running = 1;
        tasks
    }

    /// Preparations are over: there is one task, the whole exploration, with these repeated reads left out.
    pub fn open(&self, repeats: Repeats) {
        let whole = Arc::new(Task::default());
        let mut board = lock(&self.board);
        board.repeats = Some(repeats);
        board.tasks.push(whole.clone());
        board.waiting.push(whole);
        board.running -= 1;
        self.change.notify_all();
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
        let mut board = lock(&self.board);
        board.tasks.push(Arc::new(task));
        board.running -= 1;
        self.change.notify_all();
    }

    /// Which repeated reads are left out.
    pub fn repeats(&self) -> Repeats {
        lock(&self.board).repeats.clone().unwrap_or(Repeats::Explored)
    }

    /// The next task for a worker; `None` when the exploration is over.
    pub fn take(&self) -> Option<Arc<Task>> {
        let mut board = lock(&self.board);
        loop {
            if self.is_halted() {
                return None;
            }
            if let Some(task) = board.waiting.pop() {
                board.running += 1;
                return Some(task);
            }
            if board.running == 0 {
                self.change.notify_all();
                return None;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            board = self.change.wait(board).unwrap_or_else(|poisoned| poisoned.into_inner());
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Does some worker have nothing to do?
    #[inline]
    pub fn is_somebody_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0 && !self.is_claimed()
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
        self.change.notify_one();
    }

    /// A worker has finished its task.
    pub fn finish(&self) {
        let mut board = lock(&self.board);
        board.running -= 1;
        self.change.notify_all();
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

    /// Lets everybody stop.
    pub fn halt(&self) {
        let _board = lock(&self.board);
        self.halt.store(true, Ordering::Relaxed);
        self.change.notify_all();
    }

    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Waits until the exploration is over or `time` has passed; says which.
    pub fn wait(&self, time: Duration) -> bool {
        let board = lock(&self.board);
        let over = |board: &mut Board| board.running > 0 || !board.waiting.is_empty();
        let (mut board, _) = self
            .change
            .wait_timeout_while(board, time, |board| over(board) && !self.is_halted())
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        !over(&mut board)
    }

    /// All tasks in order, up to and including the first that found a violation if later ones do not count.
    pub fn results(&self) -> Vec<Arc<Task>> {
        lock(&self.board).tasks.iter().filter(|task| !task.cancelled.load(Ordering::Relaxed)).cloned().collect()
    }
}
