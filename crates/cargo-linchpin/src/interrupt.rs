//! Ctrl-C: the first asks a command to stop and to say what it knows, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a shell reports a process that Ctrl-C has ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// A flag that becomes true with the first Ctrl-C.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let asked = flag.clone();
    let on_interrupt = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED_BY_INTERRUPT);
        }
    };
    // Where the handler cannot be set, Ctrl-C ends the process at once, as usual.
    let _ = ctrlc::set_handler(on_interrupt);
    flag
}
