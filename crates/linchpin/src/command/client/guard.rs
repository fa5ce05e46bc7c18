//! Code of an object that runs in this process as it is, outside of any exploration.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};

/// Runs `code`, and returns what it says if it panics, without printing that.
pub(super) fn quietly<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    let said = Arc::new(Mutex::new(String::new()));
    let (note, usual) = (said.clone(), panic::take_hook());
    panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        let place = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        let message = format!("an operation panics: {:?}{place}", text.unwrap_or_default());
        *note.lock().unwrap_or_else(PoisonError::into_inner) = message;
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(code));
    panic::set_hook(usual);
    result.map_err(|_| said.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

#[cfg(test)]
mod tests {
    use super::quietly;

    #[test]
    fn a_panic_is_returned_with_its_place() {
        assert_eq!(quietly(|| 7), Ok(7));
        let message = quietly(|| panic!("no {}", "luck")).unwrap_err();
        assert!(
            message.starts_with("an operation panics: \"no luck\" at ") && message.contains("guard.rs:"),
            "{message}"
        );
    }
}
