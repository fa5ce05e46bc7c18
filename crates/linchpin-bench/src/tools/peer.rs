//! Peers tell by panicking that they cannot go on. That is an answer, and none of our business otherwise.

use std::any::Any;
use std::panic;
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::measurement::{End, Run};

const THREAD_NAME: &str = "peer";

/// Lets a peer explore in a thread of its own, so that a panic leaves nothing behind, and says how that ended.
///
/// `explore` gets what it has to call once per execution. Peers do not say whether they stopped since there was nothing
/// left or since their time was up: who took less than `budget` has finished.
pub(super) fn explore(budget: Duration, explore: impl FnOnce(Box<dyn Fn() + Send + Sync>) + Send + 'static) -> Run {
    keep_panics_quiet();
    let executions = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&executions);
    let count = Box::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let begin = Instant::now();
    let thread = thread::Builder::new().name(THREAD_NAME.into()).spawn(move || explore(count));
    let end = match thread.expect("another thread").join() {
        Ok(()) if begin.elapsed() < budget => End::Finished,
        Ok(()) => End::Cut,
        Err(panic) => End::Failed(message_of(panic.as_ref())),
    };
    Run { complete: executions.load(Ordering::Relaxed), blocked: 0, end }
}

/// The first line of what a panic said.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without text");
    text.trim().lines().next().unwrap_or_default().to_owned()
}

fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(THREAD_NAME) {
                previous(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        let run = explore(Duration::from_secs(9), |count| {
            count();
            panic!("exceeded\nand more");
        });
        assert_eq!((run.complete, run.end), (1, End::Failed("exceeded".into())));
    }

    #[test]
    fn who_takes_all_the_time_was_cut() {
        let budget = Duration::from_millis(5);
        assert_eq!(explore(budget, move |_| thread::sleep(budget)).end, End::Cut);
        assert_eq!(explore(Duration::from_secs(9), |_| ()).end, End::Finished);
    }
}
