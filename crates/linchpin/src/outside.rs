//! The way out of an execution, for what is to be kept.

/// Calls `f` as if outside the execution: what it allocates may be kept beyond the execution.
///
/// All memory that a test allocates belongs to its execution, and the next one overwrites it, but for what is made once and used from then on,
/// such as a `LazyLock` of `std`'s. What a test collects over all executions,
/// such as the outcomes that there are, is therefore put into statics, or into what the test has captured, in here. Make everything that is
/// to be kept in `f`, and lock what holds it there, with `std`'s locks: a string that was made before belongs to the execution.
///
/// Outside executions this just calls `f`.
///
/// # Panics
///
/// If `f` uses modelled types ([`sync`](crate::sync), [`thread`](crate::thread), …). Read them before.
///
/// ```
/// use std::collections::BTreeSet;
/// use std::sync::Mutex;
///
/// use linchpin::sync::Arc;
/// use linchpin::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use linchpin::thread;
///
/// static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
///
/// linchpin::model(|| {
///     let number = Arc::new(AtomicUsize::new(0));
///     let other = number.clone();
///     let thread = thread::spawn(move || other.store(1, Relaxed));
///     let seen = number.load(Relaxed);
///     thread.join().unwrap();
///     linchpin::outside(|| SEEN.lock().unwrap().insert(format!("saw {seen}")));
/// });
/// assert_eq!(SEEN.lock().unwrap().iter().collect::<Vec<_>>(), ["saw 0", "saw 1"]);
/// ```
pub fn outside<T>(f: impl FnOnce() -> T) -> T {
    linchpin_engine::rt::outside(f)
}
