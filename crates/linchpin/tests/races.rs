//! Data races: which accesses to plain memory are taken to race, and which are not.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{MODELS, executions, under, violation};
use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use linchpin::sync::atomic::{AtomicU32, AtomicU64};
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

/// What is written as a whole and then used in parts.
#[repr(C)]
#[derive(Default)]
struct Node {
    key: UnsafeCell<u32>,
    next: AtomicU32,
}

type Nodes = UnsafeCell<Node>;

fn write_whole(node: &Nodes) {
    // SAFETY: the pointer is valid; races are found before the access.
    node.with_mut(|node| unsafe { *node = Node { key: UnsafeCell::new(1), next: AtomicU32::new(2) } });
}

fn load_next(node: &Nodes) {
    // SAFETY: the pointer is valid; races are found before the access.
    unsafe { &*node.get() }.next.load(Acquire);
}

fn write_key(node: &Nodes) {
    // SAFETY: the pointer is valid; races are found before the access.
    unsafe { &*node.get() }.key.with_mut(|key| unsafe { *key = 3 });
}

#[test]
fn a_write_of_the_whole_races_with_an_atomic_in_it() {
    is_a_race(pair(Nodes::default, write_whole, load_next));
    is_a_race(pair(Nodes::default, load_next, write_whole));
}

#[test]
fn a_read_of_the_whole_races_with_writes_to_an_atomic_in_it_only() {
    let read_whole = |node: &Nodes| node.with(|_| ());
    // SAFETY: the pointer is valid.
    let store_next = |node: &Nodes| unsafe { &*node.get() }.next.store(1, Release);
    is_a_race(pair(Nodes::default, read_whole, store_next));
    is_a_race(pair(Nodes::default, store_next, read_whole));
    is_fine(pair(Nodes::default, read_whole, load_next));
    is_fine(pair(Nodes::default, read_whole, read_whole));
}

#[test]
fn parts_side_by_side_do_not_race() {
    let write_and_load = |node: &Nodes| {
        write_key(node);
        load_next(node);
    };
    is_fine(pair(Nodes::default, write_and_load, load_next));
    is_a_race(pair(Nodes::default, write_and_load, write_and_load));
    // That the whole was written from the same address on makes the part no larger.
    let test = || {
        let node = Arc::new(Shared(Nodes::default()));
        write_whole(&node.0);
        let other = node.clone();
        let thread = thread::spawn(move || load_next(&other.0));
        write_key(&node.0);
        thread.join().unwrap();
        write_whole(&node.0);
        load_next(&node.0);
    };
    is_fine(test);
}

#[test]
fn a_write_of_an_array_races_with_any_element() {
    type Array = UnsafeCell<[UnsafeCell<u32>; 2]>;
    let write = |array: &Array| array.with_mut(|_| ());
    fn read<const INDEX: usize>(array: &Array) {
        // SAFETY: the pointer is valid.
        let elements = unsafe { &*array.get() };
        elements[INDEX].with(|_| ());
    }
    is_a_race(pair(Array::default, write, read::<0>));
    is_a_race(pair(Array::default, write, read::<1>));
    is_a_race(pair(Array::default, read::<1>, write));
    is_fine(pair(Array::default, read::<0>, read::<1>));
}

#[test]
fn an_atomic_races_with_what_begins_in_its_midst() {
    #[repr(align(8))]
    #[derive(Default)]
    struct Halves([UnsafeCell<u32>; 2]);
    let write = |halves: &Halves| halves.0[1].with_mut(|_| ());
    let load = |halves: &Halves| {
        // SAFETY: it is as large as that, and aligned like that.
        unsafe { &*(&raw const *halves).cast::<AtomicU64>() }.load(Acquire);
    };
    is_a_race(pair(Halves::default, write, load));
    is_a_race(pair(Halves::default, load, write));
}

#[test]
fn what_was_written_as_a_whole_before_it_was_published_is_used_in_parts() {
    let publish = |(node, is_there): &(Nodes, AtomicU32)| {
        write_whole(node);
        is_there.store(1, Release);
        load_next(node);
    };
    let take = |(node, is_there): &(Nodes, AtomicU32)| {
        if is_there.load(Acquire) == 1 {
            load_next(node);
            write_key(node);
        }
    };
    is_fine(pair(Default::default, publish, take));
}

#[test]
fn a_load_races_if_it_does_not_see_the_store_that_would_order_it() {
    // The last thread goes last, and sees the newest value first.
    for (index, is_update) in [(0, false), (0, true), (1, false), (1, true)] {
        is_a_race(move || {
            let array = Arc::new(Shared(UnsafeCell::new([AtomicU32::new(0), AtomicU32::new(0)])));
            let (writer, reader) = (array.clone(), array.clone());
            let writer = thread::spawn(move || {
                writer.0.with_mut(|_| ());
                // SAFETY: the pointer is valid.
                let elements = unsafe { &*writer.0.get() };
                elements[index].store(1, Release);
            });
            let reader = thread::spawn(move || {
                // SAFETY: the pointer is valid.
                let elements = unsafe { &*reader.0.get() };
                match is_update {
                    true => drop(elements[index].compare_exchange(0, 2, Acquire, Acquire)),
                    false => drop(elements[index].load(Acquire)),
                }
            });
            writer.join().unwrap();
            reader.join().unwrap();
        });
    }
}
