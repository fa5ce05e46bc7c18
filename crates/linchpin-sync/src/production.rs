//! Without the feature `model`: `std` under the names of this crate.

/// [`std::sync`].
pub mod sync {
    pub use std::sync::*;
}

/// [`std::hint`].
pub mod hint {
    pub use std::hint::*;
}

/// [`std::thread`], and threads that are alike.
pub mod thread {
    use std::sync::Arc;

    pub use std::thread::*;

    /// Spawns `count` threads that all run `f`.
    ///
    /// Says that the threads are interchangeable, which lets a model checker skip executions that differ only in
    /// which of them is which.
    pub fn spawn_symmetric<F, T>(count: usize, f: F) -> Vec<JoinHandle<T>>
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Send + 'static,
    {
        let f = Arc::new(f);
        let start = |_| {
            let f = Arc::clone(&f);
            spawn(move || f())
        };
        (0..count).map(start).collect()
    }
}
