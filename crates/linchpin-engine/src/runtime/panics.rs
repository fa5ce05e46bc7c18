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
}

impl PanicNote {
    /// The note of a panic that the hook did not see, since it was resumed.
    pub fn from_payload(payload: &(dyn Any + Send), events: u32) -> Self {
        PanicNote { message: message_of(payload), position: "an unknown position".into(), events }
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
    context.model_thread(thread).panic = Some(PanicNote { message: message_of(info.payload()), position, events });
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
