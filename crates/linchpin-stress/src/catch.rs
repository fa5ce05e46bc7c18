//! Panics of operations: noted, not printed. There may be a million of them.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// Is the code under test running?
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on, panics that are going to be caught are not printed. All others go to the hook that was there before.
pub(crate) fn install_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if QUIET.try_with(Cell::get).unwrap_or(false) {
                note(info);
            } else {
                previous(info);
            }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    let text = format!("{:?}{place}", message(info.payload()));
    // Earlier ones did not get as far as here: the code under test has caught them itself.
    NOTED.set(Some(text));
}

fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("something that is not text")
}

/// What `f` returns, or the message of its panic and where it came from.
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic leaves behind is used by others, as it would be with threads of their own.
    QUIET.set(true);
    let caught = panic::catch_unwind(AssertUnwindSafe(f));
    QUIET.set(false);
    caught.map_err(|payload| {
        // Somebody may have replaced the hook since.
        NOTED.take().unwrap_or_else(|| format!("{:?}", message(&*payload)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_noted_with_its_place() {
        let caught = std::thread::spawn(|| {
            install_hook();
            let fine = catch(|| panic::catch_unwind(|| panic!("caught by itself")).map_or(7, |()| 8));
            (fine, catch(|| -> u8 { panic!("no {}", "luck") }), catch(|| -> u8 { panic::panic_any(7) }))
        });
        let (fine, text, other) = caught.join().unwrap();
        assert_eq!(fine, Ok(7));
        assert!(text.unwrap_err().starts_with("\"no luck\" at crates/linchpin-stress/src/catch.rs:"));
        assert!(other.unwrap_err().starts_with("\"something that is not text\" at "));
    }
}
