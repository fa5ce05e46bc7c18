//! Ctrl-C: the first asks a command to stop and to say what it knows, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How a shell reports a process that Ctrl-C has ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Signals that come as soon after the first are the first: `timeout`, for one, sends it to the process and to its group.
const AT_ONCE: Duration = Duration::from_millis(500);

/// A flag that becomes true with the first Ctrl-C; the same for all who ask.
pub(crate) fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(watched).clone()
}

fn watched() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let (asked, mut first) = (flag.clone(), None);
    let on_interrupt = move || {
        asked.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > AT_ONCE {
            std::process::exit(ENDED_BY_INTERRUPT);
        }
    };
    // Where the handler cannot be set, Ctrl-C ends the process at once, as usual.
    let _ = ctrlc::set_handler(on_interrupt);
    flag
}
