//! What is known of a structure.

use linchpin::sync::Arc;
use linchpin::{Contracts, Watched, thread};

/// A structure with its contract and tests.
#[derive(Clone, Debug)]
pub struct Structure {
    /// What the paper calls it.
    pub name: &'static str,
    /// The source, for finding accesses that are marked there.
    pub source: &'static str,
    /// The name of that file, as positions have it.
    pub file: &'static str,
    /// Its contract.
    pub contract: fn() -> Contracts,
    /// Its unit tests.
    pub tests: &'static [Test],
}

/// A unit test.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// What it does, as a client.
    pub name: &'static str,
    /// One execution of it.
    pub run: fn(),
}

/// One execution of a test in which threads share an object.
pub(super) fn parallel<T: Send + Sync + 'static, const N: usize>(object: T, threads: [fn(&Watched<T>); N]) {
    let object = Arc::new(Watched::new(object));
    let threads = threads.map(|body| spawn(&object, body));
    for thread in threads {
        join(thread);
    }
}

/// A thread that does something to an object.
pub(super) fn spawn<T: Send + Sync + 'static>(
    object: &Arc<Watched<T>>,
    body: fn(&Watched<T>),
) -> thread::JoinHandle<()> {
    let object = object.clone();
    thread::spawn(move || body(&object))
}

/// Waits for a thread. One that panics is a violation of its own.
pub(super) fn join(thread: thread::JoinHandle<()>) {
    let _ = thread.join();
}

impl Structure {
    /// How many lines of the source are specification: the contract, and the marks of ordering points.
    pub fn specification_lines(&self) -> usize {
        let lines = || self.source.lines().map(str::trim);
        let contract =
            lines().skip_while(|line| !line.starts_with("Contract::of")).take_while(|line| *line != ".into()");
        contract.count() + lines().filter(|line| line.starts_with("point::")).count()
    }
}
