//! Threads that never come back to the engine.
//!
//! User code that loops without touching anything modelled would hang the exploration. Who supervises a worker looks
//! at its heartbeat; if that stands still while user code runs, the worker gets a signal, whose handler lets it go on where
//! it is [given up](give_up), instead of in the loop: the model thread is abandoned like any other whose execution ends
//! early, and the finding is reported as usual.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};

use super::context;
use super::divert::{divert, give_up};
use crate::violation::ViolationKind;

/// What the supervisor knows of a worker.
#[derive(Default)]
pub(crate) struct Watched {
    state: Mutex<Option<Pulse>>,
}

struct Pulse {
    thread: libc::pthread_t,
    heartbeat: Arc<AtomicU64>,
    seen: u64,
    since: Instant,
}

impl Watched {
    /// The calling thread starts to work, and is done when what is returned is dropped: also if a panic ends it, since a
    /// thread that is gone must not be sent a signal.
    #[must_use = "the watch ends when this is dropped"]
    pub fn begin(&self, heartbeat: Arc<AtomicU64>) -> Watch<'_> {
        install_handler();
        // SAFETY: always allowed.
        let thread = unsafe { libc::pthread_self() };
        let pulse = Pulse { thread, heartbeat, seen: u64::MAX, since: Instant::now() };
        *self.lock() = Some(pulse);
        Watch(self)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Pulse>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Interrupts the worker if its user code has not come to the engine for `limit`.
    pub fn check(&self, limit: Duration) {
        let mut state = self.lock();
        let Some(pulse) = state.as_mut() else { return };
        let beats = pulse.heartbeat.load(Ordering::Relaxed);
        if beats != pulse.seen {
            pulse.seen = beats;
            pulse.since = Instant::now();
        } else if pulse.since.elapsed() >= limit {
            pulse.since = Instant::now();
            // SAFETY: the worker is alive: before it ends it drops its `Watch`, which waits for the lock.
            unsafe { libc::pthread_kill(pulse.thread, signal()) };
        }
    }
}

/// A thread that is being watched.
pub(crate) struct Watch<'a>(&'a Watched);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

/// The signal that tells a worker to give up its model thread: one that nobody else should be using.
fn signal() -> libc::c_int {
    libc::SIGRTMIN() + 7
}

fn install_handler() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // SAFETY: the handler does nothing but redirect the interrupted thread, and only out of user code of an
        // execution; no other code uses the signal.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal(), &action, std::ptr::null_mut());
        }
    });
}

/// Lets the interrupted thread be given up, if it was in user code.
extern "C" fn on_signal(_: libc::c_int, _: *mut libc::siginfo_t, interrupted: *mut libc::c_void) {
    let Some(context) = context::current() else { return };
    // SAFETY: user code holds no reference to the context, and runs on a model thread's stack; the kernel passes what was interrupted.
    unsafe {
        if let Some(slot) = (*context).current_slot() {
            divert(interrupted, slot, stuck);
        }
    }
}

/// Abandons the running model thread as stuck.
extern "C" fn stuck() -> ! {
    // SAFETY: only a thread that was diverted comes here.
    unsafe { give_up(|context| context.violation(ViolationKind::Stuck { last: context.last_event() })) }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;

    #[test]
    fn a_worker_is_not_watched_any_more_when_it_is_done_or_panics() {
        let watched = Watched::default();
        let watch = watched.begin(Arc::default());
        assert!(watched.lock().is_some());
        drop(watch);
        assert!(watched.lock().is_none());
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _watch = watched.begin(Arc::default());
            resume_unwind(Box::new(()));
        }));
        assert!(panic.is_err() && watched.lock().is_none());
    }
}
