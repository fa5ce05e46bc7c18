use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use sync::{Arc, Barrier, Condvar, Mutex, RwLock, TryLockError};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(5);

#[test]
fn a_mutex_lets_one_in_at_a_time() {
    static TOTAL: Mutex<u32> = Mutex::new(0);
    let add = || {
        for _ in 0..1000 {
            let mut total = TOTAL.lock().unwrap();
            let old = *total;
            thread::yield_now();
            *total = old + 1;
        }
    };
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(add)).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*TOTAL.lock().unwrap(), 4000);
}

#[test]
fn try_lock_fails_while_the_lock_is_held() {
    let mutex = Mutex::new(1);
    let guard = mutex.lock().unwrap();
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    assert!(format!("{mutex:?}").contains("<locked>"));
    drop(guard);
    *mutex.try_lock().unwrap() += 1;
    assert_eq!(format!("{mutex:?}"), "Mutex { data: 2, poisoned: false, .. }");
    assert_eq!(
        format!("{} {:?}", mutex.lock().unwrap(), mutex.try_lock().is_err()),
        "2 true"
    );
    assert_eq!(mutex.into_inner().unwrap(), 2);
}

#[test]
fn a_panic_poisons_a_mutex_until_it_is_cleared() {
    let mut mutex = Mutex::from(1);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _guard = mutex.lock().unwrap();
        panic!("while the lock is held");
    }));
    assert!(result.is_err());
    assert!(mutex.is_poisoned());
    assert!(mutex.get_mut().is_err());
    assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
    let guard = mutex.lock().unwrap_or_else(|error| {
        mutex.clear_poison();
        error.into_inner()
    });
    drop(guard);
    assert!(!mutex.is_poisoned());
    assert_eq!(*mutex.lock().unwrap(), 1);
}

#[test]
fn a_poisoned_mutex_stays_so_when_it_is_unlocked() {
    let mutex = Arc::new(Mutex::new(()));
    let poisoner = Arc::clone(&mutex);
    let poison = move || {
        let _guard = poisoner.lock();
        panic!("while the lock is held");
    };
    assert!(thread::spawn(poison).join().is_err());
    drop(mutex.lock().unwrap_err());
    assert!(mutex.is_poisoned());
}

#[test]
fn a_lock_taken_during_a_panic_is_not_poisoned_by_it() {
    struct LocksOnDrop<'a>(&'a Mutex<u8>);
    impl Drop for LocksOnDrop<'_> {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let mutex = Mutex::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _locks = LocksOnDrop(&mutex);
        panic!("before the lock is taken");
    }));
    assert!(result.is_err());
    assert_eq!(*mutex.lock().unwrap(), 1);
}

#[test]
fn locks_hold_what_has_no_size() {
    let mutex: &Mutex<[u8]> = &Mutex::new([1, 2, 3]);
    mutex.lock().unwrap()[0] = 9;
    assert_eq!(*mutex.lock().unwrap(), [9, 2, 3]);
    let lock: &RwLock<dyn std::fmt::Debug + Send + Sync> = &RwLock::new(5);
    assert_eq!(format!("{:?}", lock.read().unwrap()), "5");
}

#[test]
fn readers_share_and_writers_do_not() {
    let lock = RwLock::new(1);
    let readers = (lock.read().unwrap(), lock.try_read().unwrap());
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    assert_eq!(*readers.0 + *readers.1, 2);
    drop(readers);
    *lock.try_write().unwrap() += 1;
    let writer = lock.write().unwrap();
    assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    drop(writer);
    assert_eq!(format!("{lock:?}"), "RwLock { data: 2, poisoned: false, .. }");
    assert_eq!(lock.into_inner().unwrap(), 2);
}

#[test]
fn writers_poison_and_readers_do_not() {
    let mut lock = RwLock::default();
    let read = catch_unwind(AssertUnwindSafe(|| {
        let _guard = lock.read().unwrap();
        panic!("while reading");
    }));
    assert!(read.is_err() && !lock.is_poisoned());
    let write = catch_unwind(AssertUnwindSafe(|| {
        *lock.write().unwrap() = 4;
        let _guard = lock.write().unwrap();
        panic!("while writing");
    }));
    assert!(write.is_err() && lock.is_poisoned());
    assert_eq!(**lock.read().unwrap_err().get_ref(), 4);
    assert!(matches!(lock.try_write(), Err(TryLockError::Poisoned(_))));
    assert_eq!(**lock.get_mut().unwrap_err().get_ref(), 4);
    lock.clear_poison();
    assert_eq!(*lock.read().unwrap(), 4);
}

#[test]
fn readers_never_see_half_a_write() {
    let lock = RwLock::new((0, 0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let mut pair = lock.write().unwrap();
                    pair.0 += 1;
                    thread::yield_now();
                    pair.1 += 1;
                }
            });
            scope.spawn(|| {
                for _ in 0..500 {
                    let pair = lock.read().unwrap();
                    assert_eq!(pair.0, pair.1);
                }
            });
        }
    });
    assert_eq!(*lock.read().unwrap(), (1000, 1000));
}

#[test]
fn a_notification_ends_a_wait() {
    static READY: Mutex<bool> = Mutex::new(false);
    static CHANGED: Condvar = Condvar::new();
    let waiter = thread::spawn(|| *CHANGED.wait_while(READY.lock().unwrap(), |ready| !*ready).unwrap());
    *READY.lock().unwrap() = true;
    CHANGED.notify_one();
    assert!(waiter.join().unwrap());
}

#[test]
fn each_notification_wakes_one_and_the_last_wakes_all() {
    // Tickets are handed out one by one; every waiter takes one.
    let state = Arc::new((Mutex::new((0, 0)), Condvar::new()));
    let wait = |state: Arc<(Mutex<(u32, u32)>, Condvar)>| {
        move || {
            let (mutex, condvar) = &*state;
            let mut guard = mutex.lock().unwrap();
            guard.0 += 1;
            while guard.1 == 0 {
                guard = condvar.wait(guard).unwrap();
            }
            guard.1 -= 1;
        }
    };
    let threads: Vec<_> = (0..6).map(|_| thread::spawn(wait(Arc::clone(&state)))).collect();
    let (mutex, condvar) = &*state;
    while mutex.lock().unwrap().0 < 6 {
        thread::yield_now();
    }
    for _ in 0..3 {
        mutex.lock().unwrap().1 += 1;
        condvar.notify_one();
    }
    mutex.lock().unwrap().1 += 3;
    condvar.notify_all();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*mutex.lock().unwrap(), (6, 0));
}

#[test]
fn two_threads_take_turns_without_losing_a_notification() {
    let state = Arc::new((Mutex::new(0), Condvar::new()));
    let play = |state: Arc<(Mutex<u32>, Condvar)>, parity| {
        move || {
            for _ in 0..500 {
                let turn = state.0.lock().unwrap();
                *state.1.wait_while(turn, |turn| *turn % 2 != parity).unwrap() += 1;
                state.1.notify_one();
            }
        }
    };
    let threads = [0, 1].map(|parity| thread::spawn(play(Arc::clone(&state), parity)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*state.0.lock().unwrap(), 1000);
}

#[test]
fn a_wait_that_nobody_ends_times_out() {
    let (mutex, condvar) = (Mutex::new(3), Condvar::default());
    condvar.notify_one();
    condvar.notify_all();
    let (guard, result) = condvar.wait_timeout(mutex.lock().unwrap(), SHORT).unwrap();
    assert!(result.timed_out() && *guard == 3);
    drop(guard);
    let (guard, result) = condvar
        .wait_timeout_while(mutex.lock().unwrap(), SHORT, |_| true)
        .unwrap();
    assert!(result.timed_out() && *guard == 3);
    drop(guard);
    let (_guard, result) = condvar
        .wait_timeout_while(mutex.lock().unwrap(), SHORT, |value| *value != 3)
        .unwrap();
    assert!(!result.timed_out());
}

#[test]
fn a_wait_with_a_timeout_can_be_notified() {
    let state = Arc::new((Mutex::new(false), Condvar::new()));
    let notifier = thread::spawn({
        let state = Arc::clone(&state);
        move || {
            *state.0.lock().unwrap() = true;
            state.1.notify_all();
        }
    });
    let guard = state.0.lock().unwrap();
    let (guard, result) = state.1.wait_timeout_while(guard, LONG, |ready| !*ready).unwrap();
    assert!(*guard && !result.timed_out());
    drop(guard);
    notifier.join().unwrap();
}

#[test]
fn a_barrier_has_one_leader_per_round() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 50;
    let barrier = Barrier::new(THREADS);
    let arrived = sync::atomic::AtomicUsize::new(0);
    let arrive = || {
        let mut led = 0;
        for round in 1..=ROUNDS {
            arrived.fetch_add(1, sync::atomic::Ordering::Relaxed);
            led += usize::from(barrier.wait().is_leader());
            assert!(arrived.load(sync::atomic::Ordering::Relaxed) >= round * THREADS);
        }
        led
    };
    let led: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(arrive)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(led, ROUNDS);
}

#[test]
fn a_barrier_for_nobody_or_one_holds_nobody_up() {
    for threads in [0, 1] {
        let barrier = Barrier::new(threads);
        assert!(barrier.wait().is_leader() && barrier.wait().is_leader());
    }
    assert_eq!(
        format!("{:?}", Barrier::new(1).wait()),
        "BarrierWaitResult { is_leader: true }"
    );
}

#[test]
fn any_number_of_threads_can_wait_for_a_condition() {
    const THREADS: usize = 70;
    let (ready, waiting, condvar) = (Mutex::new(false), Mutex::new(0), Condvar::new());
    let wait = |with_timeout: bool| {
        let mut guard = ready.lock().unwrap();
        *waiting.lock().unwrap() += 1;
        while !*guard {
            guard = match with_timeout {
                true => condvar.wait_timeout(guard, LONG).unwrap().0,
                false => condvar.wait(guard).unwrap(),
            };
        }
    };
    thread::scope(|scope| {
        for number in 0..THREADS {
            scope.spawn(move || wait(number % 2 == 0));
        }
        while *waiting.lock().unwrap() < THREADS {
            thread::yield_now();
        }
        // All have unlocked, and have therefore begun to wait.
        *ready.lock().unwrap() = true;
        condvar.notify_all();
    });
}
