//! What each thread of a client does, whatever it reads: put together from all executions of the client.
//!
//! A thread is deterministic but for what it reads. So its executions form a tree of their own, in which a step has one child
//! for each thing that it may have read. For memory that is not atomic, and for what locks protect, it is not known what was
//! read; there the step of whoever wrote last stands for it, or of whoever unlocked last, which determines it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use linchpin_graph::{Event, EventId, Execution, Kind, Site, ThreadId, Verb};
use linchpin_model::Value;

use crate::sequential::{NotSequential, in_sequence};
use crate::trace::Place;
use crate::tree::bits::Bits;

/// An invocation of a client in one of its executions. Invocations come in the order of the text.
#[derive(Debug, Clone)]
pub struct Called {
    /// The operation's name, without arguments.
    pub name: Arc<str>,
    /// The thread that called.
    pub thread: ThreadId,
    /// Which of the thread's events belong to it.
    pub events: Range<u32>,
    /// What it returned.
    pub result: Value,
    /// Where each of its events counts; empty if that is where it was asked for.
    pub places: Vec<Place>,
}

/// What a location holds: its value, and whose step stands for what is not known otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Content {
    pub value: u64,
    pub by: Option<(usize, usize)>,
}

/// A step of a thread: an access, or a read-modify-write, or a choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub kind: Kind,
    pub verb: Verb,
    pub location: Option<usize>,
    pub site: Site,
    /// Where it counts: there, or in the line of its operation that called.
    pub place: Place,
    /// What was read, if it reads.
    pub read: Option<Content>,
    /// The value that was written, if it writes.
    pub written: Option<u64>,
    /// What was chosen, if there was a choice.
    pub chosen: Option<u64>,
}

impl Step {
    fn is_same(&self, other: &Step) -> bool {
        let key = |step: &Step| {
            (step.kind, step.verb, step.location, step.site, step.place, step.read, step.written, step.chosen)
        };
        key(self) == key(other)
    }

    pub fn is_write(&self) -> bool {
        self.written.is_some() || self.kind == Kind::PlainWrite
    }

    /// Must it be known who wrote what it reads, or that it wrote what others read?
    fn is_by(&self) -> bool {
        matches!(self.kind, Kind::PlainRead | Kind::PlainWrite) || is_lock(self.verb)
    }
}

fn is_lock(verb: Verb) -> bool {
    use Verb::*;
    matches!(verb, Lock | TryLock | Unlock | LockShared | TryLockShared | UnlockShared | Wait | Notify)
}

/// A point of a thread's run.
#[derive(Debug)]
pub(crate) struct Point {
    /// The point before; of the start, itself.
    pub parent: usize,
    /// The step that leads here; none leads to the start.
    pub step: Option<Step>,
    /// The invocation that it is a step of.
    pub invocation: Option<usize>,
    pub children: Vec<usize>,
    /// Invocations that are called by the step.
    pub calls: Vec<usize>,
    /// Invocations that return after it, in order.
    pub returns: Vec<usize>,
    /// Those among them that have no step: they are called then, too.
    instant: Vec<usize>,
    /// What invocations have returned.
    pub results: Vec<(usize, Value)>,
    /// Executions that come by here,
    runs: Vec<usize>,
    /// and those among them in which nobody had written what the step reads.
    initial: Vec<usize>,
    /// Locations that may still be accessed from here on, and those that may be written.
    pub accessed: Bits,
    pub written: Bits,
}

/// What each thread of a client does.
#[derive(Debug, Default)]
pub struct Program {
    /// For each thread its points, the start first. The main thread is the first.
    pub(crate) threads: Vec<Vec<Point>>,
    /// The point of the main thread at which it spawns the others.
    pub(crate) spawned: Option<usize>,
    locations: HashMap<(usize, u32), usize>,
    /// The operations of the client's invocations.
    invocations: Vec<Arc<str>>,
    runs: usize,
}

impl Program {
    /// A program of which nothing is known yet.
    pub fn new() -> Program {
        Program::default()
    }

    /// How many executions it is made from.
    pub fn executions(&self) -> usize {
        self.runs
    }

    /// How many invocations the client has.
    pub(crate) fn invocations(&self) -> usize {
        self.invocations.len()
    }

    /// The name of an invocation's operation.
    pub(crate) fn operation(&self, invocation: usize) -> &str {
        &self.invocations[invocation]
    }

    pub(crate) fn locations(&self) -> usize {
        self.locations.len()
    }

    /// Adds a complete execution of the client. All must come from one worker, so that memory has the same addresses.
    ///
    /// # Errors
    /// If no interleaving of its threads has this execution.
    pub fn add(&mut self, execution: &Execution, calls: &[Called]) -> Result<(), NotSequential> {
        let order = in_sequence(execution)?;
        let run = self.runs;
        self.runs += 1;
        self.invocations = calls.iter().map(|call| call.name.clone()).collect();
        let threads = execution.threads().iter().filter(|thread| thread.is_alive()).count();
        while self.threads.len() < threads {
            self.threads.push(vec![Point::new(0, None)]);
        }
        let mut at = vec![0; threads];
        let mut who: HashMap<usize, (usize, usize)> = HashMap::new();
        for thread in 0..threads {
            self.threads[thread][0].runs.push(run);
            self.pass(thread, 0, calls, 0..0);
        }
        for id in order {
            let event = execution.event(id);
            let thread = event.thread.at();
            if event.kind == Kind::Spawn {
                // All spawns are at the same point: nothing comes between them.
                self.spawned = Some(at[0]);
            }
            let Some((mut step, length)) = self.step(execution, calls, id) else {
                self.pass(thread, at[thread], calls, event.index..event.index + 1);
                continue;
            };
            if step.is_by() {
                let by = step.location.and_then(|location| who.get(&location).copied());
                step.read = step.read.map(|read| Content { by, ..read });
            }
            let to = self.follow(thread, at[thread], step);
            at[thread] = to;
            let is_own = |call: &Called| call.thread == event.thread && call.events.contains(&event.index);
            self.threads[thread][to].invocation = calls.iter().position(is_own);
            self.threads[thread][to].runs.push(run);
            let is_initial = match event.kind {
                Kind::Read => !event.source.is_some(),
                Kind::PlainRead => step.read.is_some_and(|read| read.by.is_none()),
                _ => false,
            };
            if is_initial {
                self.threads[thread][to].initial.push(run);
            }
            if let (Some(location), true, true) = (step.location, step.is_by(), step.is_write()) {
                who.insert(location, (thread, to));
            }
            self.pass(thread, to, calls, event.index..event.index + length);
        }
        Ok(())
    }

    /// The step that begins with this event, and how many events it has. `None`: the event is no step, or its step has begun
    /// before.
    fn step(&mut self, execution: &Execution, calls: &[Called], id: EventId) -> Option<(Step, u32)> {
        let event = execution.event(id);
        let own = execution.thread(event.thread).events();
        let later = |by: u32| own.get((event.index + by) as usize).map(|&id| execution.event(id));
        let is_half = |other: &&Event| other.kind == Kind::Write && other.exclusive;
        let mut length = 1;
        let (mut written, mut chosen) = (None, None);
        match event.kind {
            Kind::Read => {
                if event.exclusive
                    && let Some(choice) = later(length).filter(|other| other.kind == Kind::Choice)
                {
                    chosen = Some(choice.value);
                    length += 1;
                }
                if event.exclusive
                    && let Some(half) = later(length).filter(is_half)
                {
                    written = Some(half.value);
                    length += 1;
                }
            }
            Kind::Write if event.exclusive => return None,
            Kind::Write => written = Some(event.value),
            Kind::Choice if event.index > 0 => {
                let before = execution.event(own[event.index as usize - 1]);
                if before.kind == Kind::Read && before.exclusive {
                    return None;
                }
                chosen = Some(event.value);
            }
            Kind::Choice => chosen = Some(event.value),
            Kind::PlainRead | Kind::PlainWrite => {}
            Kind::Fence | Kind::Spawn | Kind::Join | Kind::End => return None,
        }
        let location = (event.kind != Kind::Choice).then(|| {
            let location = execution.location(event.location);
            let fresh = self.locations.len();
            *self.locations.entry((location.address, location.generation)).or_insert(fresh)
        });
        let is_own = |call: &&Called| call.thread == event.thread && call.events.contains(&event.index);
        let place = calls.iter().find(is_own).and_then(|call| {
            let position = event.index - call.events.start;
            call.places.get(position as usize).copied()
        });
        let reads = matches!(event.kind, Kind::Read | Kind::PlainRead);
        let value = if event.kind == Kind::Read { event.value } else { 0 };
        let step = Step {
            kind: event.kind,
            verb: event.verb,
            location,
            site: event.site,
            place: place.unwrap_or_else(|| event.site.into()),
            read: reads.then_some(Content { value, by: None }),
            written,
            chosen,
        };
        Some((step, length))
    }

    /// The point that a step leads to.
    fn follow(&mut self, thread: usize, from: usize, step: Step) -> usize {
        let points = &mut self.threads[thread];
        let known = points[from]
            .children
            .iter()
            .find(|&&child| points[child].step.as_ref().is_some_and(|other| other.is_same(&step)));
        if let Some(&known) = known {
            return known;
        }
        let fresh = points.len();
        points.push(Point::new(from, Some(step)));
        points[from].children.push(fresh);
        fresh
    }

    /// Notes at a point which invocations are called by these events and which return after them.
    fn pass(&mut self, thread: usize, point: usize, calls: &[Called], events: Range<u32>) {
        let own = calls.iter().enumerate().filter(|(_, call)| call.thread.at() == thread);
        let point = &mut self.threads[thread][point];
        for (number, call) in own {
            let is_known = |list: &[usize]| list.contains(&number);
            if !call.events.is_empty() && events.contains(&call.events.start) && !is_known(&point.calls) {
                point.calls.push(number);
            }
            let is_last = match call.events.is_empty() {
                true => call.events.start == events.end,
                false => events.contains(&(call.events.end - 1)),
            };
            if is_last && !is_known(&point.returns) {
                point.returns.push(number);
                if call.events.is_empty() {
                    point.instant.push(number);
                }
                point.results.push((number, call.result.clone()));
            }
        }
    }

    /// Computes what may still be done at each point, when all executions have been added.
    pub fn look_ahead(&mut self) {
        for points in &mut self.threads {
            // Children have greater numbers.
            for point in (0..points.len()).rev() {
                let (mut accessed, mut written) = (Bits::default(), Bits::default());
                for &child in &points[point].children.clone() {
                    accessed.absorb(&points[child].accessed);
                    written.absorb(&points[child].written);
                    let Some((step, location)) = points[child].step.and_then(|step| Some((step, step.location?)))
                    else {
                        continue;
                    };
                    accessed.insert(location);
                    if step.is_write() {
                        written.insert(location);
                    }
                }
                points[point].accessed = accessed;
                points[point].written = written;
            }
        }
    }

    /// Where a thread may go from where it is, with what is in memory. Nowhere: it has ended, or it waits.
    ///
    /// More than one place is possible if the thread chooses. If the memory that it reads was never written, its initial value is
    /// that of executions that come by where all threads are.
    pub(crate) fn next(&self, at: &[usize], thread: usize, memory: impl Fn(usize) -> Option<Content>) -> Vec<usize> {
        let points = &self.threads[thread];
        let fits = |&child: &usize| {
            let Some(step) = &points[child].step else { return false };
            let (Some(location), Some(read)) = (step.location, step.read) else { return true };
            match (memory(location), step.is_by()) {
                (Some(content), true) => content == read,
                (Some(content), false) => content.value == read.value,
                (None, _) => !points[child].initial.is_empty(),
            }
        };
        let mut fitting: Vec<usize> = points[at[thread]].children.iter().copied().filter(fits).collect();
        let is_initial = |&child: &usize| {
            points[child].step.is_some_and(|step| step.location.is_some_and(|location| memory(location).is_none()))
        };
        if fitting.len() > 1 && fitting.iter().all(is_initial) {
            let passes = |run: &usize| {
                let passes = |(other, &point): (usize, &usize)| {
                    other == thread || self.threads[other][point].runs.binary_search(run).is_ok()
                };
                at.iter().enumerate().all(passes)
            };
            fitting.retain(|&child| points[child].initial.iter().any(passes));
        }
        fitting
    }

    /// What a step to this point writes, and where.
    pub(crate) fn write(&self, thread: usize, point: usize) -> Option<(usize, Content)> {
        let step = self.threads[thread][point].step.as_ref().filter(|step| step.is_write())?;
        let by = step.is_by().then_some((thread, point));
        Some((step.location?, Content { value: step.written.unwrap_or_default(), by }))
    }
}

impl Point {
    /// Has an invocation that returns here been called by a step?
    pub fn has_steps(&self, invocation: usize) -> bool {
        !self.instant.contains(&invocation)
    }

    fn new(parent: usize, step: Option<Step>) -> Point {
        Point {
            parent,
            step,
            invocation: None,
            children: Vec::new(),
            calls: Vec::new(),
            returns: Vec::new(),
            instant: Vec::new(),
            results: Vec::new(),
            runs: Vec::new(),
            initial: Vec::new(),
            accessed: Bits::default(),
            written: Bits::default(),
        }
    }
}
