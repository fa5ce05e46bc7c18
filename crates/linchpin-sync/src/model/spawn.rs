//! Starting threads and waiting for their end.

use std::any::Any;
use std::fmt;
use std::io;
use std::panic::Location;
use std::sync::Arc;

use linchpin_engine::rt::{self, Body};
use linchpin_graph::Site;

use super::handle::{About, Thread, ThreadId, install, model_key};
use super::owner::{Asker, started};

/// Starts a thread. See [`std::thread::spawn`].
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

/// Spawns `count` threads that all run `f`.
///
/// Says that the threads are interchangeable: of executions that differ only in which of them is which, one is
/// explored.
#[track_caller]
pub fn spawn_symmetric<F, T>(count: usize, f: F) -> Vec<JoinHandle<T>>
where
    F: Fn() -> T + Send + Sync + 'static,
    T: Send + 'static,
{
    let f = Arc::new(f);
    let run = |f: &Arc<F>| {
        let f = Arc::clone(f);
        move || f()
    };
    if !rt::active() {
        return (0..count).map(|_| spawn(run(&f))).collect();
    }
    // SAFETY: what outlives everything outlives the threads.
    let (askers, bodies): (Vec<_>, Vec<_>) = (0..count).map(|_| unsafe { prepare(None, run(&f)) }).unzip();
    let ids = rt::spawn_symmetric(bodies, Location::caller());
    let start = |(asker, id)| JoinHandle(Running::Model(ModelThread::new(asker, id)));
    askers.into_iter().zip(ids).map(start).collect()
}

/// [`std::thread::Builder`], modelled.
#[derive(Debug)]
pub struct Builder {
    pub(crate) name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A builder of a thread without a name and with a stack of the usual size.
    #[expect(clippy::new_without_default, reason = "`std`'s has no default either")]
    pub fn new() -> Self {
        Builder { name: None, stack_size: None }
    }

    /// Names the thread.
    pub fn name(self, name: String) -> Self {
        Builder { name: Some(name), ..self }
    }

    /// Sets the size of the stack. In executions each thread has 4 MiB, whatever is asked for.
    pub fn stack_size(self, size: usize) -> Self {
        Builder { stack_size: Some(size), ..self }
    }

    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// If the operating system does not give us another thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: what outlives everything outlives the thread.
        unsafe { self.spawn_unchecked(f) }
    }

    /// Starts the thread although `f` and its result may borrow.
    ///
    /// # Errors
    ///
    /// If the operating system does not give us another thread.
    ///
    /// # Safety
    ///
    /// What `f` and its result borrow outlives the thread.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        if rt::active() {
            // SAFETY: as the caller says.
            return Ok(JoinHandle(Running::Model(unsafe { spawn_model(self.name, f, Location::caller()) })));
        }
        let (thread, builder) = self.into_native();
        let handle = thread.clone();
        let body = move || {
            install(handle);
            f()
        };
        // SAFETY: as the caller says.
        let native = unsafe { builder.spawn_unchecked(body) }?;
        Ok(JoinHandle(Running::Native { native, thread }))
    }

    /// The handle of a thread outside executions, and `std`'s builder for it.
    pub(crate) fn into_native(self) -> (Thread, std::thread::Builder) {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = &self.name {
            builder = builder.name(name.clone());
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        (Thread::native(ThreadId::unused(), self.name), builder)
    }
}

/// Starts a thread of the execution.
///
/// # Safety
///
/// What `f` and its result borrow outlives the thread.
#[track_caller]
pub(crate) unsafe fn spawn_model<F, T>(name: Option<String>, f: F, site: Site) -> ModelThread<T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    let has_null = name.as_ref().is_some_and(|name| name.contains('\0'));
    assert!(!has_null, "thread name may not contain interior null bytes");
    // SAFETY: as the caller says; who asks for the result may borrow what that does.
    let (asker, body) = unsafe { prepare(name.clone(), f) };
    ModelThread::new(asker, rt::spawn(body, name, site))
}

/// A thread that is about to start, and what it is going to run.
///
/// # Safety
///
/// What `f` and its result borrow outlives the thread and who asks for the result.
unsafe fn prepare<F: FnOnce() -> T, T>(name: Option<String>, f: F) -> (Asker<T>, Body) {
    // The engine numbers the thread when it starts; until then nobody asks for the number.
    let about = About::new(ThreadId::of_model(linchpin_graph::ThreadId(u32::MAX)), name);
    // SAFETY: as the caller says.
    unsafe { started(model_key(), about, f) }
}

/// A thread of the execution that nobody has joined through this.
pub(crate) struct ModelThread<T> {
    pub(crate) id: linchpin_graph::ThreadId,
    asker: Asker<T>,
}

impl<T> ModelThread<T> {
    fn new(asker: Asker<T>, id: linchpin_graph::ThreadId) -> Self {
        asker.thread.set_id(ThreadId::of_model(id));
        ModelThread { id, asker }
    }

    pub(crate) fn thread(&self) -> &Thread {
        &self.asker.thread
    }

    pub(crate) fn join(self, site: Site) -> std::thread::Result<T> {
        rt::join(self.id, site);
        self.asker.take().ok_or_else(|| Box::new("the thread panicked") as Box<dyn Any + Send>)
    }
}

/// [`std::thread::JoinHandle`], modelled.
pub struct JoinHandle<T>(Running<T>);

// SAFETY: whoever has the handle can do no more with the result than take it, and what a thread returns may go to another.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: a shared handle does not lead to the result.
unsafe impl<T> Sync for JoinHandle<T> {}

enum Running<T> {
    Native { native: std::thread::JoinHandle<T>, thread: Thread },
    Model(ModelThread<T>),
}

impl<T> JoinHandle<T> {
    /// The handle of the thread itself.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Running::Native { thread, .. } => thread,
            Running::Model(running) => running.thread(),
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
            Running::Native { native, .. } => native.join(),
            Running::Model(running) => running.join(Location::caller()),
        }
    }

    /// Has the thread's closure returned?
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Running::Native { native, .. } => native.is_finished(),
            Running::Model(running) => rt::is_finished(running.id, Location::caller()),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
