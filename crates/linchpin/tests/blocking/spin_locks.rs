//! Locks made of atomics.

use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering, Ordering::*};
use linchpin::{Builder, LoopReduction, MemoryModel, hint};

use crate::common::{LOOPS, MODELS, Shared, executions, finding, in_threads, under};

/// Both models, each with and without loop reduction.
fn builders() -> impl Iterator<Item = Builder> {
    MODELS.into_iter().flat_map(|model| LOOPS.map(|loops| under(model).loops(loops)))
}

/// What the tests need of a lock.
trait Lock: Default + Send + Sync + 'static {
    fn lock(&self);
    fn unlock(&self, order: Ordering);
}

#[derive(Default)]
struct ByCompareExchange(AtomicBool);

impl Lock for ByCompareExchange {
    fn lock(&self) {
        while self.0.compare_exchange(false, true, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
    }

    fn unlock(&self, order: Ordering) {
        self.0.store(false, order);
    }
}

#[derive(Default)]
struct BySwap(AtomicBool);

impl Lock for BySwap {
    fn lock(&self) {
        while self.0.swap(true, Acquire) {
            hint::spin_loop();
        }
    }

    fn unlock(&self, order: Ordering) {
        self.0.store(false, order);
    }
}

/// Looks before it swaps, so that those who wait share the cache line.
#[derive(Default)]
struct ByLookingFirst(AtomicBool);

impl Lock for ByLookingFirst {
    fn lock(&self) {
        while self.0.swap(true, Acquire) {
            while self.0.load(Relaxed) {
                hint::spin_loop();
            }
        }
    }

    fn unlock(&self, order: Ordering) {
        self.0.store(false, order);
    }
}

#[derive(Default)]
struct ByTicket {
    next: AtomicU32,
    serving: AtomicU32,
}

impl Lock for ByTicket {
    fn lock(&self) {
        let mine = self.next.fetch_add(1, Relaxed);
        while self.serving.load(Acquire) != mine {
            hint::spin_loop();
        }
    }

    fn unlock(&self, order: Ordering) {
        self.serving.store(self.serving.load(Relaxed) + 1, order);
    }
}

/// Threads that increment what the lock guards; `order` is that of the unlocks.
fn counting<L: Lock>(threads: usize, order: Ordering) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let (lock, guarded) = (L::default(), Shared::new(0));
        in_threads(threads, move |_| {
            lock.lock();
            guarded.increment();
            lock.unlock(order);
        });
    }
}

/// The second thread never gets in.
fn forgetting<L: Lock>() {
    let lock = L::default();
    in_threads(2, move |_| lock.lock());
}

#[test]
fn a_lock_by_compare_exchange_has_an_execution_per_order_of_its_holders() {
    for builder in builders() {
        assert_eq!(executions(&builder, counting::<ByCompareExchange>(2, Release)), 2);
        assert_eq!(executions(&builder, counting::<ByCompareExchange>(3, Release)), 6);
    }
}

#[test]
fn a_ticket_lock_has_an_execution_per_order_of_its_holders() {
    for builder in builders() {
        assert_eq!(executions(&builder, counting::<ByTicket>(2, Release)), 2);
        assert_eq!(executions(&builder, counting::<ByTicket>(3, Release)), 6);
    }
}

#[test]
fn an_unlock_that_publishes_nothing_makes_a_race() {
    assert_eq!(finding(counting::<ByCompareExchange>(2, Relaxed)), "data race");
    assert_eq!(finding(counting::<BySwap>(2, Relaxed)), "data race");
    assert_eq!(finding(counting::<ByLookingFirst>(2, Relaxed)), "data race");
    assert_eq!(finding(counting::<ByTicket>(2, Relaxed)), "data race");
}

#[test]
fn a_lock_that_is_never_unlocked_is_a_livelock() {
    assert_eq!(finding(forgetting::<ByCompareExchange>), "livelock");
    assert_eq!(finding(forgetting::<BySwap>), "livelock");
    assert_eq!(finding(forgetting::<ByLookingFirst>), "livelock");
    assert_eq!(finding(forgetting::<ByTicket>), "livelock");
}

#[test]
fn a_lock_that_looks_before_it_swaps_comes_to_an_end() {
    for builder in builders() {
        // Either is first; the other finds the lock free at once, or after a swap in vain, which is there to be seen.
        assert_eq!(executions(&builder, counting::<ByLookingFirst>(2, Release)), 4);
        executions(&builder, counting::<ByLookingFirst>(3, Release));
    }
}

/// Without any hint the engine has to see for itself that an iteration has no effect.
#[test]
fn a_lock_without_a_hint_comes_to_an_end() {
    let test = || {
        let (lock, guarded) = (AtomicBool::new(false), Shared::new(0));
        in_threads(3, move |_| {
            while lock.compare_exchange(false, true, Acquire, Relaxed).is_err() {}
            guarded.increment();
            lock.store(false, Release);
        });
    };
    for model in MODELS {
        assert_eq!(executions(&under(model), test), 6);
    }
    assert_eq!(executions(&Builder::new().loops(LoopReduction::Unchecked), test), 6);
}

/// Peterson's lock for two, with stores and loads of these orders.
fn peterson(store: Ordering, load: Ordering) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let (wants, turn) = ([AtomicBool::new(false), AtomicBool::new(false)], AtomicU32::new(0));
        let guarded = Shared::new(0);
        in_threads(2, move |me| {
            let other = 1 - me;
            wants[me].store(true, store);
            turn.store(other as u32, store);
            while wants[other].load(load) && turn.load(load) == other as u32 {
                hint::spin_loop();
            }
            guarded.increment();
            wants[me].store(false, store);
        });
    }
}

#[test]
fn petersons_lock_needs_seq_cst() {
    for model in MODELS {
        executions(&under(model), peterson(SeqCst, SeqCst));
    }
    executions(&under(MemoryModel::Sc), peterson(Release, Acquire));
    assert_eq!(finding(peterson(Release, Acquire)), "data race");
}

#[test]
fn a_lock_without_a_hint_that_is_never_unlocked_is_a_livelock() {
    let test = || {
        let lock = AtomicBool::new(false);
        in_threads(2, move |_| while lock.compare_exchange(false, true, Acquire, Relaxed).is_err() {});
    };
    assert_eq!(finding(test), "livelock");
}
