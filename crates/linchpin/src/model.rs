//! The shortest way in.

use crate::builder::Builder;

/// Runs `test` through every execution that the C11 memory model allows.
///
/// As [`Builder::check`] with everything at its default.
///
/// # Panics
///
/// With a report if there is a violation.
///
/// ```
/// use linchpin::sync::Arc;
/// use linchpin::sync::Mutex;
/// use linchpin::thread;
///
/// linchpin::model(|| {
///     let total = Arc::new(Mutex::new(0));
///     let other = total.clone();
///     let thread = thread::spawn(move || *other.lock().unwrap() += 1);
///     *total.lock().unwrap() += 1;
///     thread.join().unwrap();
///     assert_eq!(*total.lock().unwrap(), 2);
/// });
/// ```
#[track_caller]
pub fn model(test: impl Fn() + Send + Sync + 'static) {
    Builder::new().check(test);
}
