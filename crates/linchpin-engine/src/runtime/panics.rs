//! Panics of model threads: noted where they start, kept quiet, and attributed.
//!
//! A thread that unwinds goes on like any other: what its destructors do are events. When a run ends while a thread is
//! unwinding, the thread is *drained*: it is resumed once more and gets its answers from plain memory, until it has caught
//! its panic or has come to its end. An abandoned panic would leave the operating system's thread panicking for ever. Where
//! a destructor waits in a loop and cannot be drained, the worker moves to another thread of the operating system.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use linchpin_graph::ThreadId;

use super::context::{self, Context};
use crate::violation::ViolationKind;

/// What a panic said, in memory that outlives the execution.
#[derive(Clone, Debug)]
pub(crate) struct PanicNote {
    pub message: String,
    pub position: String,
    /// How many events the thread had done.
    pub events: u32,
    /// The panic of the same thread before this one, and the one before that: what cannot unwind panics again.
    before: Option<Box<PanicNote>>,
}

/// What core says where a panic comes to what must not unwind.
const CANNOT_UNWIND: &str = "panic in a function that cannot unwind";
/// What core says where the panic of a destructor meets the one that is unwinding.
const IN_CLEANUP: &str = "panic in a destructor during cleanup";

impl PanicNote {
    /// The note of a panic that the hook did not see, since it was resumed.
    pub fn from_payload(payload: &(dyn Any + Send), events: u32) -> Self {
        PanicNote { message: message_of(payload), position: "an unknown position".into(), events, before: None }
    }

    /// The note of a panic that was not let come to its end: of the first one, if others only came of it.
    pub fn that_was_aborted(mut self) -> Self {
        let mut why = "The program was aborted before this panic had unwound.".to_owned();
        if (self.message == CANNOT_UNWIND || self.message == IN_CLEANUP)
            && let Some(before) = self.before.take()
        {
            let in_cleanup = self.message == IN_CLEANUP;
            self = *before;
            if in_cleanup && let Some(unwinding) = self.before.take() {
                why = format!("While it unwound, a destructor panicked at {}: {}\n{why}", self.position, self.message);
                self = *unwinding;
            }
        }
        PanicNote { message: format!("{}\n{why}", self.message), ..self }
    }

    pub fn into_kind(self) -> ViolationKind {
        ViolationKind::Panic { message: self.message, position: self.position, after_events: self.events }
    }
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    if let Some(message) = payload.downcast_ref::<&'static str>() {
        (*message).into()
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message.clone()
    } else {
        "a panic whose payload is not text".into()
    }
}

/// Model threads panic without noise: the finding is reported once, not once per execution. All other panics go to the
/// hook that was there before.
pub(crate) fn install_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| match context::current() {
            Some(context) => {
                context::set_in_user_code(false);
                // SAFETY: the panic started in user code of this context, which holds no reference to it.
                unsafe { note(&mut *context, info) };
                context::set_in_user_code(true);
            }
            // SAFETY: as above.
            None if context::has_stepped_out() => unsafe { note(&mut *context::running(), info) },
            None => previous(info),
        }));
    });
}

fn note(context: &mut Context, info: &PanicHookInfo<'_>) {
    let position = match info.location() {
        Some(at) => format!("{}:{}:{}", at.file(), at.line(), at.column()),
        None => "an unknown position".into(),
    };
    let thread = context.current_thread();
    let events = context.executed(thread);
    let panic = &mut context.model_thread(thread).panic;
    let mut before = panic.take().map(Box::new);
    if let Some(second) = before.as_mut().and_then(|first| first.before.as_mut()) {
        second.before = None;
    }
    *panic = Some(PanicNote { message: message_of(info.payload()), position, events, before });
}

impl Context {
    /// Is the running thread unwinding?
    pub fn is_panicking(&mut self) -> bool {
        let thread = self.current;
        let model_thread = self.model_thread(thread);
        if model_thread.panic.is_some() && !std::thread::panicking() {
            // The test has caught its own panic.
            model_thread.panic = None;
        }
        model_thread.panic.is_some()
    }

    /// Who is to blame for what `thread` ran into: a thread whose panic came first, if there is one.
    pub(super) fn blame(&mut self, thread: ThreadId, kind: ViolationKind) -> (ThreadId, ViolationKind) {
        let first = (0..self.threads.len()).find(|&number| self.threads[number].panic.is_some());
        match first {
            Some(number) if std::thread::panicking() => {
                let note = self.threads[number].panic.clone().expect("just seen");
                (ThreadId(number as u32), note.into_kind())
            }
            _ => (thread, kind),
        }
    }
}
