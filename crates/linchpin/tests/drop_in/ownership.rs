//! Whoever owns an atomic or a lock has it to itself.

use std::mem::{swap, take};

use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use linchpin::sync::{Mutex, OnceLock, RwLock};
use linchpin::thread;

use crate::explores;

#[test]
fn what_threads_have_done_is_there_for_the_owner() {
    explores(2, || {
        let mut value = AtomicU32::new(1);
        thread::scope(|scope| {
            scope.spawn(|| value.fetch_add(2, Relaxed));
            scope.spawn(|| value.fetch_add(4, Relaxed));
        });
        assert_eq!(*value.get_mut(), 7);
        assert_eq!(value.into_inner(), 7);
    });
}

#[test]
fn what_the_owner_has_done_is_there_for_threads() {
    explores(2, || {
        let mut value = AtomicU32::new(1);
        for round in 1..=2 {
            *value.get_mut() += 1;
            let before = *value.get_mut();
            thread::scope(|scope| {
                scope.spawn(|| assert_eq!(value.fetch_add(10, Relaxed), before));
            });
            assert_eq!(value.load(Relaxed), 11 * round + 1);
        }
        // Once more, with two who meet.
        *value.get_mut() = 0;
        thread::scope(|scope| {
            scope.spawn(|| value.fetch_add(1, Relaxed));
            scope.spawn(|| value.fetch_add(1, Relaxed));
        });
        assert_eq!(value.into_inner(), 2);
    });
}

#[test]
fn an_atomic_that_has_moved_keeps_its_value() {
    explores(1, || {
        let here = AtomicU32::new(0);
        here.store(1, Relaxed);
        let there = here;
        assert_eq!(there.fetch_add(1, Relaxed), 1);
        let boxed = Box::new(there);
        assert_eq!(boxed.fetch_add(1, Relaxed), 2);
        let thread = thread::spawn(move || {
            boxed.fetch_add(1, Relaxed);
            boxed
        });
        let back = *thread.join().unwrap();
        assert_eq!(back.load(Relaxed), 4);
    });
}

#[test]
fn atomics_that_change_places_take_their_values_along() {
    explores(1, || {
        let (mut left, mut right) = (AtomicU32::new(1), AtomicU32::new(2));
        left.fetch_add(10, Relaxed);
        right.fetch_add(20, Relaxed);
        swap(&mut left, &mut right);
        assert_eq!((left.load(Relaxed), right.load(Relaxed)), (22, 11));
        left.store(5, Relaxed);
        assert_eq!(take(&mut left).into_inner(), 5);
        assert_eq!(left.load(Relaxed), 0);
    });
}

#[test]
fn a_vector_of_atomics_may_grow() {
    explores(4, || {
        let mut values = Vec::new();
        for round in 0..2_u32 {
            values.push(AtomicU32::new(10 * round));
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| values[round as usize].fetch_add(1, Relaxed));
                }
            });
            values.reserve(100);
        }
        let found: Vec<_> = values.into_iter().map(AtomicU32::into_inner).collect();
        assert_eq!(found, [2, 12]);
    });
}

#[test]
fn an_atomic_on_the_stack_is_new_in_each_round() {
    explores(8, || {
        for round in 0..3 {
            let value = AtomicU32::new(round);
            thread::scope(|scope| {
                scope.spawn(|| value.fetch_add(10, Relaxed));
                scope.spawn(|| value.fetch_add(20, Relaxed));
            });
            assert_eq!(value.load(Relaxed), round + 30);
        }
    });
}

#[test]
fn an_atomic_that_is_new_with_the_old_value_is_new_all_the_same() {
    explores(4, || {
        for _ in 0..2 {
            let flag = AtomicBool::new(true);
            thread::scope(|scope| {
                scope.spawn(|| flag.swap(true, Relaxed));
                assert!(flag.swap(true, Relaxed));
            });
        }
    });
}

#[test]
fn locks_and_cells_give_back_what_they_hold() {
    explores(2, || {
        let mut guarded = Mutex::new(vec![1]);
        guarded.get_mut().unwrap().push(2);
        let shared = RwLock::new(1);
        thread::scope(|scope| {
            scope.spawn(|| guarded.lock().unwrap().push(3));
            scope.spawn(|| guarded.lock().unwrap().push(3));
        });
        *shared.write().unwrap() += 1;
        assert_eq!(guarded.into_inner().unwrap(), [1, 2, 3, 3]);
        assert_eq!(shared.into_inner().unwrap(), 2);
        let mut cell = OnceLock::from(5);
        assert_eq!((cell.take(), cell.get()), (Some(5), None));
        assert_eq!(cell.get_or_init(|| 6), &6);
    });
}
