//! Data races: which accesses to plain memory are taken to race, and which are not.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{MODELS, executions, under, violation};
use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::AtomicU32;
use linchpin::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use linchpin::{Builder, hint, thread};

/// What threads share although the compiler would not let them.
struct Shared<T>(T);

// SAFETY: the tests share it across threads on purpose; accesses that race are found.
unsafe impl<T: Send> Sync for Shared<T> {}

/// Two threads: `first` and, in the main thread, `second`.
fn pair<T: Send + 'static>(make: fn() -> T, first: fn(&T), second: fn(&T)) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let shared = Arc::new(Shared(make()));
        let other = shared.clone();
        let thread = thread::spawn(move || first(&other.0));
        second(&shared.0);
        thread.join().unwrap();
    }
}

#[track_caller]
fn is_a_race(test: impl Fn() + Send + Sync + Copy + 'static) {
    for model in MODELS {
        assert_eq!(violation(&under(model), test).kind.name(), "data race", "{model:?}");
    }
}

#[track_caller]
fn is_fine(test: impl Fn() + Send + Sync + Copy + 'static) {
    for model in MODELS {
        executions(&under(model), test);
    }
}

/// A lock by spinning. Its content, if it has no size, is where the next field of whatever the lock is in begins.
#[repr(C)]
#[derive(Default)]
struct Lock<T> {
    is_taken: AtomicU32,
    content: UnsafeCell<T>,
}

impl<T> Lock<T> {
    fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        while self.is_taken.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
        let result = self.content.with_mut(f);
        self.is_taken.store(0, Release);
        result
    }
}

#[test]
fn what_has_no_size_races_with_nothing() {
    #[repr(C)]
    #[derive(Default)]
    struct Stats {
        lock: Lock<()>,
        calls: AtomicU32,
    }
    let call = |stats: &Stats| {
        stats.lock.with(|_| ());
        stats.calls.fetch_add(1, Relaxed);
    };
    let stats = Stats::default();
    assert_eq!(stats.lock.content.get().addr(), (&raw const stats.calls).addr());
    is_fine(pair(Stats::default, call, call));
}

#[test]
fn what_has_a_size_races_with_the_same_bytes() {
    is_a_race(pair(UnsafeCell::<u8>::default, |cell| cell.with_mut(|_| ()), |cell| cell.with(|_| ())));
}

/// Plain memory and a flag.
#[derive(Default)]
struct Mailbox {
    letter: UnsafeCell<u32>,
    is_full: AtomicU32,
}

impl Mailbox {
    /// Reads the letter if it is said to be there.
    fn receive(&self) {
        if self.is_full.load(Acquire) == 1 {
            // SAFETY: the pointer is valid; races are found before the access.
            self.letter.with(|letter| unsafe { *letter });
        }
    }
}

#[test]
fn a_write_that_goes_on_after_it_was_announced_races() {
    let send = |mailbox: &Mailbox| {
        mailbox.letter.with_mut(|letter| {
            mailbox.is_full.store(1, Release);
            // SAFETY: a lie, which is to be found out.
            unsafe { *letter = 1 };
        });
    };
    is_a_race(pair(Mailbox::default, send, Mailbox::receive));
}

#[test]
fn a_read_that_goes_on_after_it_was_announced_races() {
    let read = |mailbox: &Mailbox| {
        mailbox.letter.with(|letter| {
            mailbox.is_full.store(1, Release);
            // SAFETY: a lie, which is to be found out.
            unsafe { *letter }
        });
    };
    let write = |mailbox: &Mailbox| {
        if mailbox.is_full.load(Acquire) == 1 {
            // SAFETY: as above.
            mailbox.letter.with_mut(|letter| unsafe { *letter = 1 });
        }
    };
    is_a_race(pair(Mailbox::default, read, write));
}

#[test]
fn a_write_that_is_over_when_it_is_announced_does_not_race() {
    let send = |mailbox: &Mailbox| {
        // SAFETY: nobody reads before the flag is set.
        mailbox.letter.with_mut(|letter| unsafe { *letter = 1 });
        mailbox.is_full.store(1, Release);
    };
    is_fine(pair(Mailbox::default, send, Mailbox::receive));
}

#[test]
fn an_access_may_do_other_things_meanwhile() {
    // Both hold the lock all the while, and look at the letter in the midst of writing it.
    let write = |lock: &Lock<Mailbox>| {
        // SAFETY: who holds the lock is alone.
        let mailbox = unsafe { &*lock.content.get() };
        while lock.is_taken.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
        mailbox.letter.with_mut(|letter| {
            mailbox.is_full.fetch_add(1, Relaxed);
            mailbox.letter.with(|_| ());
            // SAFETY: who holds the lock is alone.
            unsafe { *letter += 1 };
        });
        lock.is_taken.store(0, Release);
    };
    is_fine(pair(Lock::default, write, write));
}

#[test]
fn only_accesses_with_something_in_between_are_noted_twice() {
    let events = |is_busy: bool| {
        let test = move || {
            let mailbox = Mailbox::default();
            mailbox.letter.with(|_| {
                if is_busy {
                    mailbox.is_full.load(Relaxed);
                }
            });
            panic!("to see what happened");
        };
        violation(&Builder::new(), test).execution.len()
    };
    assert_eq!((events(false), events(true)), (1, 3));
}

#[test]
fn an_access_that_panics_is_over() {
    // The flag says that there is no access any more, and the other thread has it then.
    let test = || {
        let mailbox = Arc::new(Shared(Mailbox::default()));
        let other = mailbox.clone();
        let thread = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                other.0.letter.with_mut(|_| {
                    other.0.is_full.store(1, Release);
                    panic!("caught by the test");
                });
            }));
            assert!(caught.is_err());
        });
        mailbox.0.receive();
        thread.join().unwrap();
    };
    is_fine(test);
}

#[test]
fn an_access_may_free_what_it_was_about() {
    let test = || {
        let mailbox = Box::into_raw(Box::new(Mailbox::default()));
        // SAFETY: nobody else has it, and nobody uses it afterwards.
        unsafe { &*mailbox }.letter.with_mut(|_| unsafe {
            (*mailbox).is_full.store(1, Relaxed);
            drop(Box::from_raw(mailbox));
        });
    };
    is_fine(test);
}
