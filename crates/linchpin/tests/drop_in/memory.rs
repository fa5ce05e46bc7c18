//! Memory that becomes an atomic, or ceases to be one.

use std::mem::{MaybeUninit, transmute, zeroed};

use linchpin::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use linchpin::thread;

use crate::common::in_threads;
use crate::explores;

#[test]
fn zeroes_are_atomics_of_zero() {
    explores(2, || {
        // SAFETY: all zeroes are a value of each of these.
        let (number, flag): (AtomicU32, AtomicBool) = unsafe { zeroed() };
        thread::scope(|scope| {
            scope.spawn(|| number.fetch_add(1, Relaxed));
            scope.spawn(|| number.fetch_add(1, Relaxed));
        });
        assert_eq!((number.into_inner(), flag.into_inner()), (2, false));
    });
}

#[test]
fn numbers_are_atomics_once_they_are_taken_as_such() {
    explores(2, || {
        // SAFETY: an atomic has the layout of its number.
        let numbers: [AtomicU64; 2] = unsafe { transmute([3_u64, 4]) };
        thread::scope(|scope| {
            scope.spawn(|| numbers[0].fetch_add(1, Relaxed));
            scope.spawn(|| numbers[0].fetch_add(1, Relaxed));
        });
        // SAFETY: as above.
        assert_eq!(unsafe { transmute::<[AtomicU64; 2], [u64; 2]>(numbers) }, [5, 4]);
    });
}

#[test]
fn a_number_may_be_an_atomic_for_a_while() {
    explores(4, || {
        let mut number = 1_u32;
        for _ in 0..2 {
            number *= 10;
            // SAFETY: the reference to the number is not used while the atomic is.
            let atomic = unsafe { AtomicU32::from_ptr(&raw mut number) };
            thread::scope(|scope| {
                scope.spawn(|| atomic.fetch_add(1, Relaxed));
                scope.spawn(|| atomic.fetch_add(1, Relaxed));
            });
        }
        assert_eq!(number, 122);
    });
}

#[test]
fn memory_may_be_made_an_atomic_in_place() {
    explores(2, || {
        let mut place = Box::new(MaybeUninit::<AtomicU32>::uninit());
        for start in [7, 9] {
            let value = place.write(AtomicU32::new(start));
            assert_eq!(value.fetch_add(1, Relaxed), start);
        }
        // SAFETY: it has been written.
        let value = unsafe { place.assume_init() };
        in_threads(2, move |_| {
            value.fetch_add(1, Relaxed);
        });
    });
}
