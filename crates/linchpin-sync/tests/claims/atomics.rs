use std::panic::catch_unwind;

use sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use sync::atomic::*;

macro_rules! integers {
    ($($test:ident: $atomic:ident, $value:ident;)*) => {$(
        #[test]
        fn $test() {
            const MIN: $value = $value::MIN;
            const MAX: $value = $value::MAX;
            let atomic = $atomic::new(MAX);
            assert_eq!(atomic.fetch_add(1, SeqCst), MAX);
            assert_eq!(atomic.fetch_sub(1, SeqCst), MIN);
            assert_eq!(atomic.swap(0b1100, AcqRel), MAX);
            assert_eq!(atomic.fetch_and(0b0110, SeqCst), 0b1100);
            assert_eq!(atomic.fetch_or(0b0011, SeqCst), 0b0100);
            assert_eq!(atomic.fetch_xor(0b0001, SeqCst), 0b0111);
            assert_eq!(atomic.fetch_nand(0b0010, SeqCst), 0b0110);
            assert_eq!(atomic.load(Acquire), !0b0010);
            atomic.store(5, Release);
            assert_eq!(atomic.fetch_max(MIN, SeqCst), 5);
            assert_eq!(atomic.fetch_max(7, SeqCst), 5);
            assert_eq!(atomic.fetch_min(MAX, SeqCst), 7);
            assert_eq!(atomic.fetch_min(MIN, SeqCst), 7);
            assert_eq!(atomic.compare_exchange(MAX, 0, SeqCst, Relaxed), Err(MIN));
            assert_eq!(atomic.compare_exchange(MIN, 1, SeqCst, Relaxed), Ok(MIN));
            while atomic.compare_exchange_weak(1, 2, AcqRel, Acquire).is_err() {}
            assert_eq!(atomic.fetch_update(SeqCst, Relaxed, |old| old.checked_add(1)), Ok(2));
            assert_eq!(atomic.fetch_update(SeqCst, Relaxed, |_| None), Err(3));
            assert_eq!(atomic.into_inner(), 3);
        }
    )*};
}

integers! {
    arithmetic_of_i8_wraps_and_compares_as_signed: AtomicI8, i8;
    arithmetic_of_i16_wraps_and_compares_as_signed: AtomicI16, i16;
    arithmetic_of_i32_wraps_and_compares_as_signed: AtomicI32, i32;
    arithmetic_of_i64_wraps_and_compares_as_signed: AtomicI64, i64;
    arithmetic_of_isize_wraps_and_compares_as_signed: AtomicIsize, isize;
    arithmetic_of_u8_wraps_and_compares_as_unsigned: AtomicU8, u8;
    arithmetic_of_u16_wraps_and_compares_as_unsigned: AtomicU16, u16;
    arithmetic_of_u32_wraps_and_compares_as_unsigned: AtomicU32, u32;
    arithmetic_of_u64_wraps_and_compares_as_unsigned: AtomicU64, u64;
    arithmetic_of_usize_wraps_and_compares_as_unsigned: AtomicUsize, usize;
}

#[test]
fn booleans_combine_logically() {
    let atomic = AtomicBool::default();
    assert!(!atomic.fetch_or(true, SeqCst));
    assert!(atomic.fetch_and(true, SeqCst));
    assert!(atomic.fetch_nand(true, SeqCst));
    assert!(!atomic.fetch_nand(false, SeqCst));
    assert!(atomic.fetch_xor(true, SeqCst));
    assert_eq!(atomic.compare_exchange(true, false, SeqCst, SeqCst), Err(false));
    assert!(!atomic.fetch_not(SeqCst));
    assert_eq!(atomic.fetch_update(SeqCst, SeqCst, |old| Some(!old)), Ok(true));
    assert!(!atomic.swap(true, SeqCst));
    assert!(atomic.into_inner());
}

#[test]
fn pointers_keep_leading_where_they_led() {
    let mut values = [1, 2];
    let first = values.as_mut_ptr();
    let atomic = AtomicPtr::new(first);
    let second = first.wrapping_add(1);
    assert_eq!(atomic.swap(second, AcqRel), first);
    assert_eq!(atomic.compare_exchange(first, first, SeqCst, SeqCst), Err(second));
    // SAFETY: the pointer leads to the second value, which nobody else accesses now.
    assert_eq!(unsafe { *atomic.load(Acquire) }, 2);
    assert_eq!(
        atomic.fetch_update(SeqCst, SeqCst, |old| Some(old.wrapping_sub(1))),
        Ok(second)
    );
    assert_eq!(atomic.into_inner(), first);
}

#[test]
fn updates_repeat_until_nobody_interferes() {
    let atomic = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                (0..500).for_each(|_| assert!(atomic.fetch_update(AcqRel, Relaxed, |old| Some(old + 1)).is_ok()))
            });
        }
    });
    assert_eq!(atomic.load(Relaxed), 2000);
}

#[test]
fn exclusive_access_sees_and_makes_the_value() {
    let mut atomic = AtomicI16::from(-3);
    *atomic.get_mut() -= 1;
    assert_eq!(atomic.load(Relaxed), -4);
    // SAFETY: the memory lives on and is accessed by this thread only.
    assert_eq!(unsafe { AtomicI16::from_ptr(atomic.as_ptr()) }.swap(9, Relaxed), -4);
    assert_eq!(
        format!("{atomic:?} {:?} {:?}", AtomicBool::new(true), AtomicU8::default()),
        "9 true 0"
    );
    assert_eq!(format!("{:p}", AtomicPtr::<u8>::default()), "0x0");
}

#[test]
fn orders_that_make_no_sense_panic_and_say_so() {
    fn message<R>(f: impl FnOnce() -> R + std::panic::UnwindSafe) -> String {
        let payload = catch_unwind(f).err().unwrap();
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap()
    }
    // Kept from the compiler, which refuses to compile them.
    let (release, acquire, acq_rel, relaxed) = hint::black_box((Release, Acquire, AcqRel, Relaxed));
    assert_eq!(
        message(|| AtomicU8::new(0).load(release)),
        "there is no such thing as a release load"
    );
    assert_eq!(
        message(|| AtomicU8::new(0).load(acq_rel)),
        "there is no such thing as an acquire-release load"
    );
    assert_eq!(
        message(|| AtomicU8::new(0).store(0, acquire)),
        "there is no such thing as an acquire store"
    );
    assert_eq!(
        message(|| AtomicU8::new(0).store(0, acq_rel)),
        "there is no such thing as an acquire-release store"
    );
    let failing = |order| move || AtomicU8::new(0).compare_exchange(0, 1, SeqCst, order);
    assert_eq!(
        message(failing(release)),
        "there is no such thing as a release failure ordering"
    );
    assert_eq!(
        message(failing(acq_rel)),
        "there is no such thing as an acquire-release failure ordering"
    );
    assert_eq!(message(|| fence(relaxed)), "there is no such thing as a relaxed fence");
}

#[test]
fn fences_can_be_called() {
    fence(Acquire);
    fence(SeqCst);
    compiler_fence(Release);
    hint::spin_loop();
}
