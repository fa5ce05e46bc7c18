//! Which model thread runs when.
//!
//! Every run executes all of the test again from its beginning. Threads first do what the execution graph has already,
//! then the *leader*, the first thread that can go on, adds events. User code runs in an order that extends po ∪ rf: a
//! thread whose next read has a source that has not run yet is suspended until that source has run. Real memory is then
//! right for race-free code.

use std::panic::{AssertUnwindSafe, catch_unwind};

use linchpin_graph::{EventId, ThreadId};

use super::context::{Context, Mode, Stop, running, set_in_user_code};
use super::panics::PanicNote;
use super::switch::{Left, change_over};
use super::thread::{Farewell, ModelThread, State};

impl Context {
    /// Has the event run in this run?
    #[inline(always)]
    pub(super) fn has_run(&self, id: EventId) -> bool {
        let event = self.explorer.execution().event(id);
        self.executed.get(event.thread.at()).is_some_and(|&executed| executed > event.index)
    }

    /// How many events `thread` has run; none if it is not there yet.
    #[inline]
    pub(super) fn executed(&self, thread: ThreadId) -> u32 {
        self.executed.get(thread.at()).copied().unwrap_or(0)
    }

    /// The next event of `thread` that the graph has already.
    #[inline]
    pub(super) fn next_event(&self, thread: ThreadId) -> Option<EventId> {
        let executed = self.executed[thread.at()] as usize;
        self.explorer.execution().thread(thread).events().get(executed).copied()
    }

    /// The first thread, by origin, that can go on.
    #[inline]
    fn first_ready(&self) -> Option<ThreadId> {
        self.first_thread(ModelThread::is_ready)
    }

    /// The first thread, by origin, of which this is so.
    #[inline]
    pub(super) fn first_thread(&self, is_it: impl Fn(&ModelThread) -> bool) -> Option<ThreadId> {
        if self.explorer.execution().is_flat() {
            return self.threads.iter().position(|thread| is_it(thread)).map(|number| ThreadId(number as u32));
        }
        self.first_by_origin(&is_it)
    }

    #[inline(never)]
    fn first_by_origin(&self, is_it: &dyn Fn(&ModelThread) -> bool) -> Option<ThreadId> {
        let execution = self.explorer.execution();
        let ids = (0..self.threads.len() as u32).map(ThreadId).filter(|id| is_it(&self.threads[id.at()]));
        ids.min_by(|a, b| execution.compare_threads(*a, *b))
    }

    /// The thread that has to run next, if the run is not over.
    fn pick(&mut self) -> Option<ThreadId> {
        if self.stop.is_some() {
            return None;
        }
        while let Some(&wanted) = self.demands.last() {
            if self.has_run(wanted) {
                self.demands.pop();
                continue;
            }
            let thread = self.explorer.execution().event(wanted).thread;
            if self.threads.get(thread.at()).is_none_or(|thread| matches!(thread.state, State::Unborn)) {
                let spawn = self.explorer.execution().spawn_of(thread);
                if self.has_run(spawn) {
                    return None;
                }
                self.demands.push(spawn);
                continue;
            }
            return Some(thread);
        }
        match self.mode {
            Mode::Grow => {
                self.leader = self.first_ready().or_else(|| self.wake_joining());
                self.leader
            }
            Mode::Sample => self.sampler.pick(),
            Mode::Replay => self.pick_for_replay(),
            Mode::Follow | Mode::Rebase => self.pick_behind(),
        }
    }

    /// Out of line, as the next one is: exploring has to do with neither.
    #[inline(never)]
    fn pick_for_replay(&mut self) -> Option<ThreadId> {
        self.leader = self.next_of_replay().or_else(|| self.first_ready()).or_else(|| self.wake_joining());
        self.leader
    }

    /// A thread that has not done all that the graph has.
    #[inline(never)]
    fn pick_behind(&self) -> Option<ThreadId> {
        let execution = self.explorer.execution();
        let behind =
            |id: &ThreadId| self.is_ready(*id) && (self.executed(*id) as usize) < execution.thread(*id).events().len();
        (0..self.threads.len() as u32).map(ThreadId).find(behind)
    }

    /// A thread that was unwinding when the run ended; each once.
    fn take_unwinding(&mut self) -> Option<ThreadId> {
        if !std::thread::panicking() {
            return None;
        }
        let is_unwinding = |thread: &ModelThread| thread.panic.is_some() && !thread.is_over;
        let number = self.threads.iter().position(|thread| is_unwinding(thread))?;
        self.threads[number].panic = None;
        Some(ThreadId(number as u32))
    }

    /// `thread` was let go on and could do nothing, which must not happen: it would be asked again and again.
    #[cold]
    pub(super) fn resumed_in_vain(&mut self, thread: ThreadId) {
        if self.stop.is_some() || self.draining {
            return;
        }
        if self.leader == Some(thread) {
            self.stop = Some(Stop::Lost);
        } else {
            // It should have done what the graph says and did something else that it may not do now.
            self.diverged(thread, "nothing that the earlier run did");
        }
    }
}

/// Lets threads run until none can.
///
/// # Safety
/// `context` is valid, and nobody holds a reference to it.
pub(super) unsafe fn schedule(context: *mut Context) {
    // SAFETY: as promised; references last for one call each.
    unsafe {
        if let Some(thread) = (*context).pick() {
            resume(context, thread);
        }
    }
}

/// Runs `thread`, and after it whoever is picked, until nobody is.
///
/// # Safety
/// As for [`schedule`].
unsafe fn resume(context: *mut Context, thread: ThreadId) {
    // SAFETY: as promised; the stack is that of the thread, which is not running.
    unsafe {
        let stack = (*context).turn_to(thread);
        change_over(&raw mut (*context).worker_stack, stack);
    }
}

impl Context {
    /// Makes `thread` the one that runs; returns its stack.
    #[inline]
    fn turn_to(&mut self, thread: ThreadId) -> Left {
        self.current = thread;
        match self.threads[thread.at()].stack {
            Some(stack) => stack,
            // SAFETY: the thread has none, so nobody uses that of its slot.
            None => unsafe { Left::at_the_beginning(self.lane.slot(thread).end_of_stack(), run_thread) },
        }
    }

    /// The stack on which to go on when `thread` cannot; `None` if it can.
    #[inline(never)]
    fn stack_after(&mut self, thread: ThreadId) -> Option<Left> {
        let next = if self.draining { None } else { self.pick() };
        match next {
            Some(next) if next == thread => None,
            Some(next) => Some(self.turn_to(next)),
            None => self.worker_stack,
        }
    }
}

/// What a model thread does on its stack, in one run after the other.
extern "C" fn run_thread() -> ! {
    // SAFETY: whoever starts a thread has made its context the current one; references to it last for one call each, and a model thread is boxed,
    // so it stays where it is.
    unsafe {
        let context = running();
        let thread = (*context).current;
        let model_thread: *mut ModelThread = (*context).model_thread(thread);
        loop {
            if (*model_thread).state == State::Done {
                // The run that has seen its end asks again, which must not happen.
                (*context).resumed_in_vain(thread);
            } else {
                (*model_thread).is_over = false;
                run_body(context, thread);
                (*model_thread).is_over = true;
            }
            suspend(context, thread);
        }
    }
}

/// What a model thread does in one run.
///
/// # Safety
/// Runs on the stack of `thread`.
unsafe fn run_body(context: *mut Context, thread: ThreadId) {
    // SAFETY: references to the context last for one call each; user code gets none.
    unsafe {
        let body = (*context).body();
        let test = &*(*context).subject.test;
        set_in_user_code(true);
        let result = catch_unwind(AssertUnwindSafe(|| {
            match body {
                Some(body) => body.run(),
                None => test(),
            }
            say_farewell(context, thread);
            drop_locals(context, thread);
            if let Some(body) = body {
                body.release();
            }
        }));
        set_in_user_code(false);
        match result {
            Ok(()) => Context::end(context, thread),
            Err(payload) => {
                let events = (*context).executed(thread);
                let note = (*context)
                    .model_thread(thread)
                    .panic
                    .take()
                    .unwrap_or_else(|| PanicNote::from_payload(&*payload, events));
                // The payload lies in the arena.
                std::mem::forget(payload);
                if !(*context).draining {
                    (*context).violation(note.into_kind());
                }
            }
        }
    }
}

/// Lets threads that were unwinding when the run ended come to the end of that.
///
/// # Safety
/// As for [`schedule`].
pub(super) unsafe fn drain(context: *mut Context) {
    // SAFETY: as promised; references last for one call each.
    unsafe {
        (*context).draining = true;
        (*context).is_usual = false;
        while let Some(thread) = (*context).take_unwinding() {
            (*context).drained_calls = 0;
            resume(context, thread);
        }
        (*context).draining = false;
        (*context).is_tainted = std::thread::panicking();
    }
}

impl Context {
    /// Has the running thread do something more before it ends.
    pub(crate) fn add_farewell(&mut self, farewell: Farewell) {
        self.threads[self.current.at()].farewells.push(farewell);
    }
}

/// Does what the thread has to do before it ends, newest first; that may make new locals, and more to do.
///
/// # Safety
/// Runs on the coroutine of `thread`, in user code.
unsafe fn say_farewell(context: *mut Context, thread: ThreadId) {
    // SAFETY: references to the context last for one call each; each farewell is run once, as its maker says.
    unsafe {
        while let Some(farewell) = (&mut (*context).threads)[thread.at()].farewells.pop() {
            (farewell.run)(farewell.data);
        }
    }
}

/// Drops the thread's locals, newest first.
///
/// # Safety
/// Runs on the coroutine of `thread`, in user code.
unsafe fn drop_locals(context: *mut Context, thread: ThreadId) {
    // SAFETY: references to the context last for one call each; each local is dropped once, as its maker says.
    unsafe {
        while let Some(local) = (&mut (*context).threads)[thread.at()].locals.pop() {
            (local.drop)(local.value);
        }
    }
}

/// Suspends the running model thread until it has to run next, or is drained.
///
/// # Safety
/// Runs on the coroutine of the current thread, in the engine; no reference to the context is alive.
#[inline(always)]
pub(super) unsafe fn suspend(context: *mut Context, thread: ThreadId) {
    // SAFETY: as promised; references last for one call each. A model thread is boxed, so it stays where it is.
    unsafe {
        if let Some(next) = (*context).stack_after(thread) {
            let model_thread: *mut ModelThread = &mut *(&mut (*context).threads)[thread.at()];
            change_over(&raw mut (*model_thread).stack, next);
        }
    }
}

/// Suspends the running model thread for the rest of the run. Returns only when the thread is drained.
///
/// # Safety
/// As for [`suspend`].
pub(super) unsafe fn abandon(context: *mut Context, thread: ThreadId) {
    loop {
        // SAFETY: as promised.
        unsafe {
            suspend(context, thread);
            if (*context).draining {
                return;
            }
            (*context).resumed_in_vain(thread);
        }
    }
}

/// Suspends the running model thread for good.
///
/// # Safety
/// As for [`suspend`].
pub(super) unsafe fn abandon_for_good(context: *mut Context, thread: ThreadId) -> ! {
    loop {
        // SAFETY: as promised.
        unsafe {
            suspend(context, thread);
            (*context).resumed_in_vain(thread);
        }
    }
}
