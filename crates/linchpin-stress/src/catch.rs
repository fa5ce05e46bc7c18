//! Panics of operations: noted, not printed. There may be a million of them.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on, panics of the calling thread are not printed. Those of all others go to the hook that was there before.
pub(crate) fn be_quiet() {
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
    QUIET.set(true);
}

fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    let text = format!("{:?}{place}", message(info.payload()));
    // Of a panic while another one unwinds, the first says what is wrong.
    NOTED.with_borrow_mut(|noted| _ = noted.get_or_insert(text));
}

fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("something that is not text")
}

/// What `f` returns, or the message of its panic and where it came from.
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic leaves behind is used by others, as it would be with threads of their own.
    panic::catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
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
            be_quiet();
            (catch(|| 7), catch(|| -> u8 { panic!("no {}", "luck") }), catch(|| -> u8 { panic::panic_any(7) }))
        });
        let (fine, text, other) = caught.join().unwrap();
        assert_eq!(fine, Ok(7));
        assert!(text.unwrap_err().starts_with("\"no luck\" at crates/linchpin-stress/src/catch.rs:"));
        assert!(other.unwrap_err().starts_with("\"something that is not text\" at "));
    }
}
