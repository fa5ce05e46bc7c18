//! What has been seen.

use std::time::Duration;

use linchpin_model::{Client, Outcome};

/// What many runs of a client on native threads have shown. [`table`](Self::table) for people.
#[derive(Debug, Clone)]
pub struct Stressed {
    /// The object's name.
    pub object: &'static str,
    /// The client.
    pub client: Client,
    /// What was seen, and what is admitted and was not seen: first what is not admitted, then by count.
    pub frequencies: Vec<Frequency>,
    /// How many runs were counted.
    pub runs: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Why it stopped.
    pub ended: Ended,
    /// How many cores there were for the client's threads.
    pub cores: usize,
    /// How many of the threads stayed on a core of their own.
    pub pinned: usize,
}

/// How a run can go, and how often it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequency {
    /// How it went.
    pub seen: Seen,
    /// Does some order of the invocations explain it?
    pub admitted: bool,
    /// How often.
    pub count: u64,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seen {
    /// All invocations returned.
    Returned(Outcome),
    /// These panicked. What comes after a panic in the same thread has not run, and neither has the epilogue.
    Panicked(Vec<Panic>),
}

/// A panic of the code under test.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Panic {
    /// What panicked.
    pub place: Place,
    /// The message, quoted, and where it came from.
    pub message: String,
}

/// What a thread is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Making an instance.
    Create,
    /// Running the invocation with this position in the client's text.
    Invocation(usize),
    /// Dropping an instance.
    Drop,
}

/// Why it stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// So many runs were asked for.
    Runs,
    /// The time was over.
    Time,
    /// Somebody has interrupted it.
    Interrupted,
    /// These threads did not come back. Native threads cannot be ended: they, and what they hold, stay until the process
    /// ends. The runs of their batch are not counted.
    Stuck(Vec<Stuck>),
}

/// A thread that does not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    /// The thread's position in the client.
    pub thread: usize,
    /// From where it does not come back. A thread may also be at an invocation of the setup or the epilogue: threads share
    /// that work.
    pub place: Place,
}

impl Stressed {
    /// Was anything seen that should not happen: an outcome that is not admitted, a panic, a thread that does not come back?
    pub fn is_violated(&self) -> bool {
        matches!(self.ended, Ended::Stuck(_)) || self.forbidden().next().is_some()
    }

    /// What was seen and is not admitted, the most frequent first.
    pub fn forbidden(&self) -> impl Iterator<Item = &Frequency> {
        self.frequencies.iter().filter(|frequency| !frequency.admitted)
    }

    /// A place in words: `pop() of thread 2`.
    pub(crate) fn describe(&self, place: Place) -> String {
        match place {
            Place::Create => format!("making an instance of {}", self.object),
            Place::Invocation(position) => linchpin_generate::name(&self.client, position),
            Place::Drop => format!("dropping an instance of {}", self.object),
        }
    }
}
