//! What eliminators are computed from: the accesses of the operations of one execution, and the order of those that conflict.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use linchpin_graph::{Event, EventId, Execution, Kind, Site, ThreadId, Verb};

use crate::sequential::{NotSequential, in_sequence};

/// A line of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file, as [`Location::file`](std::panic::Location::file) has it.
    pub file: &'static str,
    /// The line, from 1 on.
    pub line: u32,
}

impl From<Site> for Place {
    fn from(site: Site) -> Place {
        Place { file: site.file(), line: site.line() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An operation of an execution, as its thread's events from one to another.
#[derive(Debug, Clone)]
pub struct Marked {
    /// The operation's name, without arguments: sections belong to it, whoever calls it with what.
    pub name: Arc<str>,
    /// The thread that called it.
    pub thread: ThreadId,
    /// Which of the thread's events are its own.
    pub events: Range<u32>,
    /// Where each of them counts; empty if that is where it was asked for.
    pub places: Vec<Place>,
}

/// Which events are accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accesses {
    /// Reads and writes of memory. What locks and the like do is none: it has put the others in order, and that is all.
    Memory,
    /// Taking a lock is one, too: it stands for what the lock protects, if nobody sees that otherwise.
    MemoryAndLocks,
}

impl Accesses {
    /// Is an event of this kind an access?
    pub fn count(self, kind: Kind, verb: Verb) -> bool {
        match (kind, verb) {
            (_, Verb::Lock | Verb::TryLock | Verb::LockShared | Verb::TryLockShared) => {
                self == Accesses::MemoryAndLocks
            }
            (_, Verb::Unlock | Verb::UnlockShared | Verb::Wait | Verb::Notify | Verb::Park | Verb::Unpark) => false,
            (Kind::Read | Kind::Write | Kind::PlainRead | Kind::PlainWrite, _) => true,
            _ => false,
        }
    }

    /// Is this event an access; and does it write?
    fn is_write(self, event: &Event) -> Option<bool> {
        // The first half of a read-modify-write has counted for both.
        let is_second_half = event.kind == Kind::Write && event.exclusive;
        let is_write = match (event.kind, event.verb) {
            (_, Verb::LockShared | Verb::TryLockShared) => false,
            (Kind::Read, _) => event.exclusive,
            (Kind::PlainRead, _) => false,
            _ => true,
        };
        (self.count(event.kind, event.verb) && !is_second_half).then_some(is_write)
    }
}

/// An operation of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Its name, without arguments.
    pub name: Arc<str>,
    /// Its thread; threads are numbered from 0 on.
    pub thread: usize,
}

/// An access of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Access {
    /// The operation, by number.
    pub operation: usize,
    /// The location, by number.
    pub location: usize,
    /// Does it write? A read-modify-write does.
    pub is_write: bool,
    /// Where it counts: in the line that asked for it, or that called the function in which it was asked for.
    pub place: Place,
}

/// Operations of several threads, and their accesses in an order in which they may have happened.
///
/// Two traces are equal if and only if they have the same operations with the same accesses, and the same order of those that
/// conflict: of different threads, at the same location, one of them a write. Which of all the possible orders is kept
/// depends on nothing else, except for what is said about [time](Self::in_time).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Trace {
    operations: Vec<Operation>,
    accesses: Vec<Access>,
    /// Pairs of operations of which the first had returned before the second was called.
    times: Vec<(usize, usize)>,
}

impl Trace {
    /// A trace of these accesses, in this order. The operations of a thread come one after another.
    pub fn new(operations: Vec<Operation>, accesses: Vec<Access>) -> Trace {
        Trace { accesses: canonical(&operations, &accesses, &[]), operations, times: Vec::new() }
    }

    /// The trace of those executions alone in which these pairs of operations did not overlap: the first had returned before the
    /// second was called. The paper's traces say nothing of time, and equivalent ones may differ in whether they are
    /// linearizable. With time, all of the first operation comes before all of the second.
    ///
    /// There must be such executions.
    pub fn in_time(mut self, mut times: Vec<(usize, usize)>) -> Trace {
        times.sort();
        times.dedup();
        self.accesses = canonical(&self.operations, &self.accesses, &times);
        self.times = times;
        self
    }

    /// Pairs of operations of which the first had returned before the second was called, as far as it matters.
    pub fn times(&self) -> &[(usize, usize)] {
        &self.times
    }

    /// The trace of an execution: of the events of these operations those that are accesses.
    ///
    /// # Errors
    /// If no interleaving of its threads has this execution.
    pub fn of(execution: &Execution, operations: &[Marked], accesses: Accesses) -> Result<Trace, NotSequential> {
        let mut threads: Vec<ThreadId> = operations.iter().map(|operation| operation.thread).collect();
        threads.sort();
        threads.dedup();
        let mut owner: HashMap<EventId, (usize, Option<Place>)> = HashMap::new();
        for (number, operation) in operations.iter().enumerate() {
            let events = execution.thread(operation.thread).events();
            for (position, index) in operation.events.clone().enumerate() {
                owner.insert(events[index as usize], (number, operation.places.get(position).copied()));
            }
        }
        let access = |id: EventId| {
            let event = execution.event(id);
            let &(operation, place) = owner.get(&id)?;
            Some(Access {
                operation,
                location: event.location.at(),
                is_write: accesses.is_write(event)?,
                place: place.unwrap_or_else(|| event.site.into()),
            })
        };
        let in_sequence: Vec<Access> = in_sequence(execution)?.into_iter().filter_map(access).collect();
        let operation = |marked: &Marked| Operation {
            name: marked.name.clone(),
            thread: threads.binary_search(&marked.thread).expect("it was collected above"),
        };
        Ok(Trace::new(operations.iter().map(operation).collect(), in_sequence))
    }

    /// The operations.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The accesses, in an order in which they may have happened.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.operations.iter().map(|operation| operation.thread + 1).max().unwrap_or(0)
    }

    /// The thread of an access.
    pub fn thread_of(&self, access: &Access) -> usize {
        self.operations[access.operation].thread
    }

    /// The accesses of each thread in program order, by their numbers.
    pub(crate) fn by_thread(&self) -> Vec<Vec<usize>> {
        let mut threads = vec![Vec::new(); self.threads()];
        for (number, access) in self.accesses.iter().enumerate() {
            threads[self.thread_of(access)].push(number);
        }
        threads
    }

    /// How many pairs of accesses conflict.
    pub fn conflicts(&self) -> usize {
        let conflict = |first: &Access, second: &Access| {
            first.location == second.location
                && (first.is_write || second.is_write)
                && self.thread_of(first) != self.thread_of(second)
        };
        let after = |number: usize| &self.accesses[number + 1..];
        let numbered = self.accesses.iter().enumerate();
        numbered.map(|(number, first)| after(number).iter().filter(|second| conflict(first, second)).count()).sum()
    }
}

/// The same accesses, in the order that takes the first thread as soon as nothing is missing that conflicts and comes before,
/// or that belongs to an operation which had returned; locations numbered as they come.
fn canonical(operations: &[Operation], accesses: &[Access], times: &[(usize, usize)]) -> Vec<Access> {
    /// How many accesses of a location, and how many of them write.
    #[derive(Clone, Copy, Default, PartialEq)]
    struct Before {
        all: usize,
        writes: usize,
    }
    impl Before {
        fn add(&mut self, access: &Access) {
            self.all += 1;
            self.writes += usize::from(access.is_write);
        }
    }
    let threads = operations.iter().map(|operation| operation.thread + 1).max().unwrap_or(0);
    let mut counted: HashMap<usize, Before> = HashMap::new();
    let mut left = vec![Vec::new(); threads];
    let mut to_come = vec![0; operations.len()];
    for access in accesses {
        to_come[access.operation] += 1;
        let before = counted.entry(access.location).or_default();
        left[operations[access.operation].thread].push((*access, *before));
        before.add(access);
    }
    counted.clear();
    let mut next = vec![0; threads];
    let mut names: HashMap<usize, usize> = HashMap::new();
    let mut order = Vec::with_capacity(accesses.len());
    // Some thread is always ready: the one of the access that comes first among those left in the order given.
    while let Some((thread, access)) = (0..threads).find_map(|thread| {
        let (access, before) = left[thread].get(next[thread])?;
        let now = counted.get(&access.location).copied().unwrap_or_default();
        let is_ready = if access.is_write { now == *before } else { now.writes == before.writes };
        let in_time = times.iter().all(|&(first, second)| second != access.operation || to_come[first] == 0);
        (is_ready && in_time).then_some((thread, *access))
    }) {
        next[thread] += 1;
        to_come[access.operation] -= 1;
        counted.entry(access.location).or_default().add(&access);
        let fresh = names.len();
        let location = *names.entry(access.location).or_insert(fresh);
        order.push(Access { location, ..access });
    }
    order
}
