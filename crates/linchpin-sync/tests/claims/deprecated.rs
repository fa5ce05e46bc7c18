use sync::atomic::Ordering::*;

#[test]
#[allow(deprecated)]
fn compare_and_swap_returns_the_old_value_in_any_order() {
    use sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU64};
    for order in [Relaxed, Acquire, Release, AcqRel, SeqCst] {
        let number = AtomicU64::new(1);
        assert_eq!(number.compare_and_swap(1, 2, order), 1);
        assert_eq!(number.compare_and_swap(1, 3, order), 2);
        assert_eq!(number.into_inner(), 2);
    }
    assert_eq!(AtomicI8::new(-1).compare_and_swap(-1, 0, SeqCst), -1);
    assert!(AtomicBool::new(true).compare_and_swap(false, true, SeqCst));
    let mut value = 5_u8;
    let pointer = AtomicPtr::new(std::ptr::null_mut());
    assert!(pointer.compare_and_swap(std::ptr::null_mut(), &mut value, SeqCst).is_null());
    assert_eq!(pointer.into_inner(), &raw mut value);
}

#[test]
#[allow(deprecated)]
fn old_constants_are_initial_values() {
    use sync::atomic::{ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT, AtomicBool};
    static FLAG: AtomicBool = ATOMIC_BOOL_INIT;
    static ONCE: sync::Once = sync::ONCE_INIT;
    assert!(!FLAG.load(SeqCst) && !ONCE.is_completed());
    assert_eq!((ATOMIC_ISIZE_INIT.into_inner(), ATOMIC_USIZE_INIT.into_inner()), (0, 0));
}

#[test]
#[allow(deprecated)]
fn times_may_be_milliseconds() {
    thread::sleep_ms(1);
    thread::current().unpark();
    thread::park_timeout_ms(60_000);
    let (mutex, condvar) = (sync::Mutex::new(4), sync::Condvar::new());
    let mut guard = mutex.lock().unwrap();
    // It may also wake up for no reason.
    let mut was_woken = true;
    while was_woken {
        (guard, was_woken) = condvar.wait_timeout_ms(guard, 5).unwrap();
    }
    assert_eq!(*guard, 4);
}
