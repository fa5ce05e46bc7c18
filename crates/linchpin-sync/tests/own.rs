//! What this crate has and `std` has not, and what it must share with `std` besides behaviour: layout, constness and
//! which threads may have what. Outside executions, with and without the feature `model`.

use std::mem::{align_of, size_of};

use linchpin_sync::cell::UnsafeCell;
use linchpin_sync::sync::atomic::*;
use linchpin_sync::sync::{
    Barrier, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock, RwLock, RwLockReadGuard, mpsc,
};
use linchpin_sync::thread;

macro_rules! same_layout {
    ($($ours:ty, $stds:ty;)*) => {$(
        assert_eq!(size_of::<$ours>(), size_of::<$stds>());
        assert_eq!(align_of::<$ours>(), align_of::<$stds>());
    )*};
}

#[test]
fn atomics_and_cells_have_the_layout_of_stds() {
    use std::sync::atomic as stds;
    same_layout! {
        AtomicBool, stds::AtomicBool;
        AtomicI8, stds::AtomicI8;
        AtomicI16, stds::AtomicI16;
        AtomicI32, stds::AtomicI32;
        AtomicI64, stds::AtomicI64;
        AtomicIsize, stds::AtomicIsize;
        AtomicU8, stds::AtomicU8;
        AtomicU16, stds::AtomicU16;
        AtomicU32, stds::AtomicU32;
        AtomicU64, stds::AtomicU64;
        AtomicUsize, stds::AtomicUsize;
        AtomicPtr<u8>, stds::AtomicPtr<u8>;
        UnsafeCell<[u8; 3]>, std::cell::UnsafeCell<[u8; 3]>;
    }
}

#[test]
fn everything_can_be_made_in_constants() {
    const _: (AtomicBool, AtomicI8, AtomicU64) = (AtomicBool::new(true), AtomicI8::new(-1), AtomicU64::new(1));
    const _: (Mutex<u8>, RwLock<u8>, Condvar, Barrier) =
        (Mutex::new(1), RwLock::new(2), Condvar::new(), Barrier::new(3));
    const _: (Once, OnceLock<u8>, LazyLock<u8>) = (Once::new(), OnceLock::new(), LazyLock::new(|| 4));
    const CONTENT: u8 = UnsafeCell::new(5).into_inner();
    const VALUE: u16 = AtomicU16::new(6).into_inner();
    assert_eq!((CONTENT, VALUE), (5, 6));
}

#[test]
fn what_crosses_threads_is_send_and_sync() {
    fn is_send<T: Send + ?Sized>() {}
    fn is_sync<T: Sync + ?Sized>() {}
    fn is_both<T: Send + Sync + ?Sized>() {}
    is_both::<(AtomicBool, AtomicU64, AtomicPtr<u8>)>();
    is_both::<(Mutex<std::cell::Cell<u8>>, RwLock<u8>, Condvar, Barrier, Once, OnceLock<u8>, LazyLock<u8>)>();
    is_both::<(mpsc::Sender<u8>, mpsc::SyncSender<u8>, thread::JoinHandle<u8>, thread::Thread)>();
    is_both::<(thread::Scope<'static, 'static>, thread::JoinHandle<*const u8>)>();
    is_send::<(mpsc::Receiver<u8>, UnsafeCell<u8>, OnceLock<std::cell::Cell<u8>>)>();
    is_sync::<(MutexGuard<'static, u8>, RwLockReadGuard<'static, u8>)>();
}

/// `ANSWER` of the probe is `true` for types that have the trait; for others the constant of the trait is found.
macro_rules! lacks {
    ($type:ty: $trait:path) => {{
        struct Probe<T>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "found only for types that have the trait")]
        impl<T: $trait> Probe<T> {
            const ANSWER: bool = true;
        }
        #[allow(dead_code, reason = "needed only for types that do not have the trait")]
        trait Otherwise {
            const ANSWER: bool = false;
        }
        impl<T> Otherwise for Probe<T> {}
        !<Probe<$type>>::ANSWER
    }};
}

#[test]
fn what_must_not_cross_threads_does_not() {
    use std::cell::Cell;
    use std::rc::Rc;
    assert!(lacks!(MutexGuard<'static, u8>: Send));
    assert!(lacks!(MutexGuard<'static, Cell<u8>>: Sync));
    assert!(lacks!(RwLockReadGuard<'static, u8>: Send));
    assert!(lacks!(Mutex<Rc<u8>>: Sync));
    assert!(lacks!(RwLock<Cell<u8>>: Sync));
    assert!(lacks!(OnceLock<Cell<u8>>: Sync));
    assert!(lacks!(LazyLock<Cell<u8>>: Sync));
    assert!(lacks!(mpsc::Receiver<u8>: Sync));
    assert!(lacks!(mpsc::Sender<Rc<u8>>: Send));
    assert!(lacks!(UnsafeCell<u8>: Sync));
    assert!(!lacks!(Mutex<u8>: Sync));
}

#[test]
fn a_builder_has_no_default() {
    assert!(lacks!(thread::Builder: Default));
}

#[test]
fn guards_that_read_are_as_safe_to_unwind_as_stds() {
    use std::cell::Cell;
    use std::panic::{RefUnwindSafe, UnwindSafe};
    assert!(lacks!(RwLockReadGuard<'static, Cell<u8>>: UnwindSafe));
    assert!(lacks!(RwLockReadGuard<'static, Cell<u8>>: RefUnwindSafe));
    assert!(!lacks!(RwLockReadGuard<'static, u8>: UnwindSafe));
    assert!(!lacks!(RwLockReadGuard<'static, u8>: RefUnwindSafe));
}

#[test]
fn a_guard_of_something_that_lives_longer_is_one_of_something_that_lives_shorter() {
    fn shorten<'g, 'a>(guard: RwLockReadGuard<'g, &'static str>, _: &'a str) -> RwLockReadGuard<'g, &'a str> {
        guard
    }
    let lock = RwLock::new("for ever");
    assert_eq!(*shorten(lock.read().unwrap(), &String::from("for now")), "for ever");
}

#[test]
fn a_cell_hands_out_its_content() {
    let mut cell = UnsafeCell::from([1, 2]);
    // SAFETY: nobody else has access.
    cell.with_mut(|content| unsafe { (*content)[0] = 7 });
    // SAFETY: nobody else has access.
    assert_eq!(cell.with(|content| unsafe { *content }), [7, 2]);
    cell.get_mut()[1] = 8;
    assert_eq!(UnsafeCell::raw_get(&cell), cell.get());
    let slice: &UnsafeCell<[u8]> = &cell;
    // SAFETY: nobody else has access.
    assert_eq!(slice.with(|content| unsafe { (&*content).len() }), 2);
    assert_eq!(cell.into_inner(), [7, 8]);
    let mut value = 1;
    *UnsafeCell::from_mut(&mut value).get_mut() += 1;
    assert_eq!(value, 2);
}

#[test]
fn symmetric_threads_all_run_the_closure() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let threads = thread::spawn_symmetric(3, || RUNS.fetch_add(1, Ordering::SeqCst));
    let mut seen: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2]);
}

/// Methods that `std` has only since later versions of Rust than this crate asks for; here they are always.
#[cfg(feature = "model")]
mod newer_than_our_oldest_rust {
    use linchpin_sync::sync::RwLockWriteGuard;

    use super::*;

    #[test]
    fn pointers_move_by_elements_bytes_and_bits() {
        let mut values = [1u32, 2, 3];
        let first = values.as_mut_ptr();
        let pointer = AtomicPtr::new(first);
        assert_eq!(pointer.fetch_ptr_add(2, Ordering::SeqCst), first);
        assert_eq!(pointer.fetch_ptr_sub(1, Ordering::SeqCst), first.wrapping_add(2));
        assert_eq!(pointer.fetch_byte_add(1, Ordering::SeqCst), first.wrapping_add(1));
        assert_eq!(pointer.fetch_byte_sub(1, Ordering::SeqCst), first.wrapping_add(1).wrapping_byte_add(1));
        assert_eq!(pointer.fetch_or(1, Ordering::SeqCst), first.wrapping_add(1));
        assert_eq!(pointer.fetch_and(!1, Ordering::SeqCst).addr() & 1, 1);
        assert_eq!(pointer.fetch_xor(0, Ordering::SeqCst), first.wrapping_add(1));
        // SAFETY: the pointer leads to the second value, which nobody else accesses now.
        assert_eq!(unsafe { *pointer.load(Ordering::SeqCst) }, 2);
    }

    #[test]
    fn updates_return_the_old_value() {
        let number = AtomicU8::new(1);
        assert_eq!(number.update(Ordering::SeqCst, Ordering::SeqCst, |old| old + 1), 1);
        assert_eq!(number.try_update(Ordering::SeqCst, Ordering::SeqCst, |_| None), Err(2));
    }

    #[test]
    fn a_lazy_value_can_be_reached_exclusively() {
        let mut lazy = LazyLock::new(|| 1);
        assert_eq!(LazyLock::get(&lazy), None);
        *LazyLock::force_mut(&mut lazy) += 1;
        assert_eq!((LazyLock::get(&lazy), *lazy), (Some(&2), 2));
        assert_eq!(LazyLock::get_mut(&mut lazy), Some(&mut 2));
        *lazy += 1;
        assert_eq!(*LazyLock::force(&lazy), 3);
        assert_eq!(*LazyLock::<Vec<u8>>::default(), []);
    }

    #[test]
    fn a_downgraded_writer_is_a_reader() {
        let lock = RwLock::new(1);
        let mut writer = lock.write().unwrap();
        *writer = 7;
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!((*reader, *lock.read().unwrap()), (7, 7));
        assert!(lock.try_write().is_err());
        drop(reader);
        assert!(lock.try_write().is_ok());
    }
}
