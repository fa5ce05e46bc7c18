//! Threads that borrow: a scope ends when all of its threads have.
//!
//! Outside executions this is `std`'s scope under another name. In an execution the scope keeps a list of its threads
//! and joins them at its end.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use linchpin_engine::rt;
use linchpin_graph::{Site, ThreadId};

use super::handle::{Thread, install};
use super::spawn::{Builder, Running, spawn_model};

/// [`std::thread::Scope`], modelled.
pub struct Scope<'scope, 'env: 'scope> {
    /// Outside executions: the scope of `std` that this one stands for.
    native: AtomicPtr<std::thread::Scope<'static, 'static>>,
    /// In an execution: the threads that the end of the scope has to join. Locked only to add or take one.
    threads: Mutex<BTreeSet<ThreadId>>,
    /// In an execution: the thread that opened the scope.
    owner: Option<ThreadId>,
    /// Both lifetimes are exactly what they are, as in `std`: neither may shrink or grow.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Opens a scope in which threads can borrow, calls `f` with it, and waits for the threads. See
/// [`std::thread::scope`].
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope {
        native: AtomicPtr::new(ptr::null_mut()),
        threads: Mutex::new(BTreeSet::new()),
        owner: rt::active().then(rt::current),
        scope: PhantomData,
        env: PhantomData,
    };
    if scope.owner.is_none() {
        return std::thread::scope(|native| {
            scope.native.store((&raw const *native).cast_mut().cast(), Relaxed);
            f(&scope)
        });
    }
    let site = Location::caller();
    // Threads may still use what `f` borrowed when it panics, so they come first.
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    scope.join_all(site);
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread that ends before the scope does.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new().spawn_scoped(self, f).expect("failed to spawn thread")
    }

    fn threads(&self) -> MutexGuard<'_, BTreeSet<ThreadId>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scope of `std`, outside executions.
    fn native(&self) -> &'scope std::thread::Scope<'scope, 'scope> {
        // SAFETY: the pointer was set before anybody saw this scope; the scope that it leads to ends only after all
        // threads that were started in it. Only lifetimes differ, and the bounds of our callers guard those.
        unsafe { &*self.native.load(Relaxed).cast() }
    }

    /// Joins all threads, those included that threads of the scope have started.
    ///
    /// Always takes the thread of the smallest number next. Threads have greater numbers than those who started them,
    /// so the order does not depend on which of them happen to be on the list already, and replays are exact.
    fn join_all(&self, site: Site) {
        loop {
            let next = self.threads().pop_first();
            let Some(thread) = next else { return };
            rt::join(thread, site);
        }
    }

    /// The calling thread has joined `thread`. Only the owner's word counts: whether another thread has come to that
    /// point when the scope ends may differ from replay to replay, and joining twice does no harm.
    fn joined(&self, thread: ThreadId) {
        if self.owner == Some(rt::current()) {
            self.threads().remove(&thread);
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl Builder {
    /// Starts a thread that ends before the scope does.
    ///
    /// # Errors
    ///
    /// If the operating system does not give us another thread.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if scope.owner.is_some() {
            // SAFETY: the scope joins the thread before `'scope` ends.
            let running = unsafe { spawn_model(self.name, f, Location::caller()) };
            if let Running::Model { id, .. } = &running {
                scope.threads().insert(*id);
            }
            return Ok(ScopedJoinHandle::Model { running, joined: Joined(scope) });
        }
        let (thread, builder) = self.into_native();
        let handle = thread.clone();
        let body = move || {
            install(handle);
            f()
        };
        let native = builder.spawn_scoped(scope.native(), body)?;
        Ok(ScopedJoinHandle { thread, native })
    }
}
