//! Threads that borrow: a scope ends when all of its threads have.
//!
//! Outside executions this is `std`'s scope under another name. In an execution the scope keeps a list of its threads
//! and joins them at its end.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linchpin_engine::rt;
use linchpin_graph::{Site, ThreadId};

use super::handle::{Thread, install};
use super::spawn::{Builder, ModelThread, spawn_model};

/// [`std::thread::Scope`], modelled.
pub struct Scope<'scope, 'env: 'scope> {
    threads: Threads,
    /// Both lifetimes are exactly what they are, as in `std`: neither may shrink or grow.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Who sees to it that the threads of a scope end before it does.
enum Threads {
    /// Outside executions: the scope of `std` that ours stands for.
    Native(AtomicPtr<std::thread::Scope<'static, 'static>>),
    /// In an execution: a list.
    Model(Unjoined),
}

/// The threads that a scope in an execution has to join when it ends.
///
/// Threads of the scope may add others at the same time, and the engine orders that only as far as the program does. A
/// list does with that what a growing table would not: to add a thread allocates once, whatever others have added.
struct Unjoined {
    /// The thread added last. Locked only to look at it or to add one.
    newest: Mutex<Option<Arc<Member>>>,
    /// The thread that opened the scope.
    owner: ThreadId,
}

/// A thread of a scope.
struct Member {
    thread: ThreadId,
    /// The owner of the scope has joined it.
    joined: AtomicBool,
    /// The one added before.
    older: Option<Arc<Member>>,
}

/// Opens a scope in which threads can borrow, calls `f` with it, and waits for the threads. See
/// [`std::thread::scope`].
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let threads = if rt::active() {
        Threads::Model(Unjoined::new(rt::current()))
    } else {
        Threads::Native(AtomicPtr::new(ptr::null_mut()))
    };
    let scope = Scope { threads, scope: PhantomData, env: PhantomData };
    match &scope.threads {
        Threads::Native(place) => std::thread::scope(|native| {
            place.store((&raw const *native).cast_mut().cast(), Relaxed);
            f(&scope)
        }),
        Threads::Model(unjoined) => {
            let site = Location::caller();
            // Threads may still use what `f` borrowed when it panics, so they come first.
            let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
            unjoined.join_all(site);
            result.unwrap_or_else(|panic| resume_unwind(panic))
        }
    }
}

impl Unjoined {
    fn new(owner: ThreadId) -> Self {
        Unjoined { newest: Mutex::new(None), owner }
    }

    fn newest(&self) -> MutexGuard<'_, Option<Arc<Member>>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, thread: ThreadId) -> Arc<Member> {
        let mut newest = self.newest();
        let member = Arc::new(Member { thread, joined: AtomicBool::new(false), older: newest.take() });
        *newest = Some(Arc::clone(&member));
        member
    }

    /// The calling thread has joined `member`. Only the owner's word counts: whether another thread has come to that
    /// point when the scope ends may differ from replay to replay, and joining twice does no harm.
    fn joined(&self, member: &Member) {
        if self.owner == rt::current() {
            member.joined.store(true, Relaxed);
        }
    }

    /// Joins all threads, those included that threads of the scope have started.
    ///
    /// Always takes the thread of the smallest number next. Threads have greater numbers than those who started them,
    /// so the order does not depend on which of them happen to be on the list already, and replays are exact.
    fn join_all(&self, site: Site) {
        while let Some(member) = self.first_unjoined() {
            rt::join(member.thread, site);
            member.joined.store(true, Relaxed);
        }
    }

    fn first_unjoined(&self) -> Option<Arc<Member>> {
        let newest = self.newest().clone();
        let members = std::iter::successors(newest, |member| member.older.clone());
        members.filter(|member| !member.joined.load(Relaxed)).min_by_key(|member| member.thread)
    }
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
        let place = match &scope.threads {
            Threads::Native(place) => place,
            Threads::Model(unjoined) => {
                // SAFETY: the scope joins the thread before `'scope` ends.
                let running = unsafe { spawn_model(self.name, f, Location::caller()) };
                let member = unjoined.add(running.id);
                return Ok(ScopedJoinHandle(Scoped::Model { running, member, unjoined }));
            }
        };
        // SAFETY: the pointer was set before anybody saw this scope; what it leads to ends only after all threads that
        // were started in it. Only lifetimes differ, and the bounds of this function guard those.
        let native_scope: &'scope std::thread::Scope<'scope, 'env> = unsafe { &*place.load(Relaxed).cast() };
        let (thread, builder) = self.into_native();
        let handle = thread.clone();
        let body = move || {
            install(handle);
            f()
        };
        let native = builder.spawn_scoped(native_scope, body)?;
        Ok(ScopedJoinHandle(Scoped::Native { native, thread }))
    }
}

/// [`std::thread::ScopedJoinHandle`], modelled.
pub struct ScopedJoinHandle<'scope, T>(Scoped<'scope, T>);

enum Scoped<'scope, T> {
    Native { native: std::thread::ScopedJoinHandle<'scope, T>, thread: Thread },
    Model { running: ModelThread<T>, member: Arc<Member>, unjoined: &'scope Unjoined },
}

impl<T> ScopedJoinHandle<'_, T> {
    /// The handle of the thread itself.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Scoped::Native { thread, .. } => thread,
            Scoped::Model { running, .. } => running.thread(),
        }
    }

    /// Waits until the thread ends. Returns its result.
    ///
    /// # Errors
    ///
    /// If the thread panicked. In an execution a panic is a violation that ends it, so that this is not seen there.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.0 {
            Scoped::Native { native, .. } => native.join(),
            Scoped::Model { running, member, unjoined } => {
                let result = running.join(Location::caller());
                unjoined.joined(&member);
                result
            }
        }
    }

    /// Has the thread's closure returned?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Scoped::Native { native, .. } => native.is_finished(),
            Scoped::Model { running, .. } => rt::is_finished(running.id, Location::caller()),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
