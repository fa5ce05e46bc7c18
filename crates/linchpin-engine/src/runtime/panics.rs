//! Panics of model threads: noted where they start, kept quiet, and attributed.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use super::context;

/// What a panic said, in memory that outlives the execution.
#[derive(Debug)]
pub(crate) struct PanicNote {
    pub message: String,
    pub position: String,
}

impl PanicNote {
    pub fn from_payload(payload: &(dyn Any + Send)) -> Self {
        PanicNote { message: message_of(payload), position: "an unknown position".into() }
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

fn note(context: &mut context::Context, info: &PanicHookInfo<'_>) {
    let position = match info.location() {
        Some(at) => format!("{}:{}:{}", at.file(), at.line(), at.column()),
        None => "an unknown position".into(),
    };
    context.panic_note = Some(PanicNote { message: message_of(info.payload()), position });
    context.unwinding = true;
}
