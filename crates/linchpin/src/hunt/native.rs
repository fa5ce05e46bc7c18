//! One run of a long client on native threads, with the times of its calls and returns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use linchpin_model::{AnyObject, Client, Script, Step, Value};

use super::history::ClientHistory;

/// A thread that does not come back within this time never will.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no history.
#[derive(Debug)]
pub(crate) enum NoHistory {
    /// An operation panicked.
    Panicked,
    /// An operation does not return. Its thread goes on for ever: native threads cannot be stopped.
    Stuck,
}

/// What a thread's invocations returned, with the times of their calls and returns.
type Results = Vec<(Value, u64, u64)>;

/// Runs the threads of a client, which has neither setup nor epilogue.
pub(crate) fn run(object: AnyObject, client: &Client) -> Result<ClientHistory, NoHistory> {
    let script = Arc::new(Script::of(object, client));
    let instance = Arc::new(object.create());
    let clock = Arc::new(AtomicU64::new(0));
    let waiting = Arc::new(AtomicUsize::new(client.threads.len()));
    let (sender, receiver) = mpsc::channel();
    for thread in 0..client.threads.len() {
        let (script, instance) = (script.clone(), instance.clone());
        let (clock, waiting, sender) = (clock.clone(), waiting.clone(), sender.clone());
        std::thread::spawn(move || {
            waiting.fetch_sub(1, SeqCst);
            while waiting.load(SeqCst) > 0 {
                std::hint::spin_loop();
            }
            let run = |step: &Step| {
                let call = clock.fetch_add(1, SeqCst);
                let value = object.invoke(&instance, step.operation, &step.arguments);
                (value, call, clock.fetch_add(1, SeqCst))
            };
            let results = catch_unwind(AssertUnwindSafe(|| script.threads[thread].iter().map(run).collect()));
            // Nobody listens any more if another thread was stuck.
            let _ = sender.send((thread, results.ok()));
        });
    }
    let mut results: Vec<Results> = vec![Vec::new(); client.threads.len()];
    for _ in 0..client.threads.len() {
        match receiver.recv_timeout(PATIENCE) {
            Ok((thread, Some(of_thread))) => results[thread] = of_thread,
            Ok((_, None)) => return Err(NoHistory::Panicked),
            Err(_) => return Err(NoHistory::Stuck),
        }
    }
    let mut history = ClientHistory::new();
    for (thread, (invocations, results)) in client.threads.iter().zip(results).enumerate() {
        for (invocation, (value, call, ret)) in invocations.iter().zip(results) {
            history.returned(thread as u64, invocation.clone(), value, call as i64, ret as i64);
        }
    }
    Ok(history)
}
