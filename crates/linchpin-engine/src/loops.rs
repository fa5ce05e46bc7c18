//! Retry loops: iterations that only read.
//!
//! `loop { h = top.load(); if top.compare_exchange(h, …).is_ok() { break } }`: a failed iteration leaves no trace, so an
//! execution with one is no different from the execution in which the next iteration came first. The sign of such an
//! iteration is a read that repeats the source position and the location of an earlier one of its thread with no effect
//! in between, nor the call or the return of a marked operation. It is only a sign: an accessor that is called twice, or a
//! loop that counts its failures, looks the same. See the module `cross_check` for how these are told apart.

use linchpin_graph::{EventId, Execution, Kind, LocationId, Site, Step, ThreadId, Verb};

use crate::rt::Access;

/// Which repeated reads end a run.
#[derive(Clone, Debug)]
pub(crate) enum Repeats {
    /// None.
    Explored,
    /// All, but only after so many repetitions: for looking at how a loop behaves.
    Unrolled(usize),
    /// As `Unrolled`, and a repeated read takes what it took the last time, although there may be something newer. Of
    /// long rounds a tenth is enough, if no more fit into so many events.
    Stuttering { rounds: usize, events: usize },
    /// Those at these positions.
    Accepted(Vec<Site>),
    /// All.
    Cut,
}

/// What is known of the loops of a test.
#[derive(Debug)]
pub(crate) struct Loops {
    pub repeats: Repeats,
    /// In [`Repeats::Stuttering`]: how often reads have been repeated. Counting them again each time would take most of the
    /// time.
    rounds: Vec<Rounds>,
    /// In [`Repeats::Stuttering`]: which threads have come to which spin hints, and how often.
    passed: Vec<(ThreadId, Site, usize)>,
    /// Positions at which a run was ended.
    used: Vec<Site>,
    /// Spin hints that were taken as waits.
    spins: Vec<Site>,
    /// Where interchangeable threads were spawned.
    symmetries: Vec<Site>,
}

/// How often a thread has done a read again and again.
#[derive(Debug)]
struct Rounds {
    thread: ThreadId,
    location: LocationId,
    verb: Verb,
    site: Site,
    count: usize,
    /// The number of the thread's event which is the last of them.
    last: u32,
}

/// Are these the same position in the source?
pub(crate) fn same_site(a: Site, b: Site) -> bool {
    std::ptr::eq(a, b) || (a.line() == b.line() && a.column() == b.column() && a.file() == b.file())
}

fn note(sites: &mut Vec<Site>, site: Site) {
    if !sites.iter().any(|&known| same_site(known, site)) {
        sites.push(site);
    }
}

/// Why a thread should not do the read that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It begins another iteration after one that only read; `same` if it asks just what it asked before.
    Retry { same: bool },
    /// It has gone round often enough for now; `stutters` if the last rounds were all the same.
    Enough { stutters: bool },
}

impl Loops {
    pub fn new(repeats: Repeats) -> Self {
        Loops {
            repeats,
            rounds: Vec::new(),
            passed: Vec::new(),
            used: Vec::new(),
            spins: Vec::new(),
            symmetries: Vec::new(),
        }
    }

    /// Notes that a spin hint was taken as a wait.
    pub fn note_spin(&mut self, site: Site) {
        note(&mut self.spins, site);
    }

    /// Notes that the threads spawned here are interchangeable.
    pub fn note_symmetry(&mut self, site: Site) {
        note(&mut self.symmetries, site);
    }

    /// Where interchangeable threads were spawned.
    pub fn symmetries(&self) -> &[Site] {
        &self.symmetries
    }

    /// Spin hints that were taken as waits.
    pub fn spins(&self) -> &[Site] {
        &self.spins
    }

    /// Positions of reads that were not repeated.
    pub fn used(&self) -> &[Site] {
        &self.used
    }

    /// Is every iteration explored?
    #[inline]
    pub fn are_explored(&self) -> bool {
        matches!(self.repeats, Repeats::Explored)
    }

    /// Should the thread not do this read?
    pub fn repeat(&mut self, past: Past<'_>, location: LocationId, access: &Access) -> Option<Repeat> {
        let applies = match &self.repeats {
            Repeats::Explored => false,
            Repeats::Unrolled(_) | Repeats::Stuttering { .. } | Repeats::Cut => true,
            Repeats::Accepted(sites) => sites.iter().any(|&site| same_site(site, access.site)),
        };
        if !applies {
            return None;
        }
        let Past { execution, thread, .. } = past;
        let events = execution.thread(thread).events();
        let mut earlier = past.rounds(location, access);
        let last = execution.event(earlier.next()?);
        let same = last.request.has_operands_of(&access.request);
        let is_enough = match self.repeats {
            Repeats::Unrolled(limit) => earlier.clone().count() + 1 >= limit,
            Repeats::Stuttering { rounds: limit, events: most } => {
                let (done, length) = (events.len(), events.len() - last.index as usize);
                let rounds = self.count_round(thread, location, access, last.index, done as u32);
                rounds >= limit || (rounds >= limit / 10 && done + length >= most)
            }
            Repeats::Explored | Repeats::Accepted(_) | Repeats::Cut => {
                note(&mut self.used, access.site);
                return Some(Repeat::Retry { same });
            }
        };
        let before = execution.event(earlier.next()?);
        let stutters = || {
            same && before.request.has_operands_of(&last.request)
                && is_steady(execution, &events[before.index as usize..], (last.index - before.index) as usize)
        };
        is_enough.then(|| Repeat::Enough { stutters: stutters() })
    }
}

impl Loops {
    /// Goes on with `repeats`, counting from nothing; returns what was in force before.
    pub fn turn_to(&mut self, repeats: Repeats) -> Repeats {
        self.rounds.clear();
        self.passed.clear();
        std::mem::replace(&mut self.repeats, repeats)
    }

    /// Does the thread go on although it has come to a spin hint, since it is being followed? Then that is counted.
    pub fn passes_spin(&mut self, thread: ThreadId, site: Site) -> bool {
        if !matches!(self.repeats, Repeats::Stuttering { .. }) {
            return false;
        }
        let mut known = self.passed.iter_mut();
        match known.find(|(other, at, _)| *other == thread && same_site(at, site)) {
            Some((.., count)) => *count += 1,
            None => self.passed.push((thread, site, 1)),
        }
        true
    }

    /// How often the thread has come to the spin hint while it was followed.
    pub fn passed(&self, thread: ThreadId, site: Site) -> usize {
        let mut known = self.passed.iter();
        known.find(|(other, at, _)| *other == thread && same_site(at, site)).map_or(0, |&(.., count)| count)
    }

    /// The thread is going to repeat, as its event number `next`, the read that was its event number `last`; how often has
    /// it done so? The first ones are not told from each other.
    fn count_round(&mut self, thread: ThreadId, location: LocationId, access: &Access, last: u32, next: u32) -> usize {
        let is_same = |rounds: &&mut Rounds| {
            rounds.thread == thread
                && rounds.location == location
                && rounds.verb == access.verb
                && same_site(rounds.site, access.site)
        };
        let Some(rounds) = self.rounds.iter_mut().find(is_same) else {
            let &Access { verb, site, .. } = access;
            self.rounds.push(Rounds { thread, location, verb, site, count: 2, last: next });
            return 2;
        };
        rounds.count = if rounds.last == last { rounds.count + 1 } else { 2 };
        rounds.last = next;
        rounds.count
    }

    /// The mo position from which a repeated read is to read, if not the newest. One that would write this time, such as a compare-exchange
    /// that expects what it was shown the last time, ends the repetition.
    pub fn stutter(&self, past: Past<'_>, location: LocationId, access: &Access) -> Option<u32> {
        if !matches!(self.repeats, Repeats::Stuttering { .. }) {
            return None;
        }
        // Past a spin hint, a thread finds nothing changed wherever it looks.
        let is_past_hint = self.passed.iter().any(|&(thread, ..)| thread == past.thread);
        let last = if is_past_hint { past.reads(location).next() } else { past.rounds(location, access).next() }?;
        let answer = access.request.answer(past.execution.event(last).value);
        matches!(answer, Step::Return | Step::Wait).then(|| past.execution.source_position(last))
    }
}

/// Of these events, the first `length` are a round of a loop and the others the next one: has each read of the second taken
/// what the first has taken from the same location, and nothing been chosen? Then all that was read was there at once,
/// between the two, and the thread may go on reading it.
fn is_steady(execution: &Execution, events: &[EventId], length: usize) -> bool {
    let (first, second) = events.split_at(length);
    let chose = events.iter().any(|&id| execution.event(id).kind == Kind::Choice);
    !chose
        && second.iter().map(|&id| execution.event(id)).filter(|event| event.is_read()).all(|event| {
            let sources = first.iter().map(|&id| execution.event(id));
            let mut sources = sources.filter(|other| other.is_read() && other.location == event.location).peekable();
            sources.peek().is_some() && sources.all(|other| other.source == event.source)
        })
}

/// What a thread has done.
#[derive(Clone, Copy)]
pub(crate) struct Past<'a> {
    pub execution: &'a Execution,
    pub thread: ThreadId,
    /// How many events it had done when it last called a marked operation, or returned from one: loops do not reach further.
    pub last_turn: u32,
}

impl<'a> Past<'a> {
    /// Reads of `location` like `access` since the thread's last effect, call or return, newest first.
    fn rounds(self, location: LocationId, access: &Access) -> impl Iterator<Item = EventId> + Clone {
        self.reads(location).filter(move |&id| {
            let event = self.execution.event(id);
            // One line may hold both the load and the compare-exchange of a loop.
            event.verb == access.verb && same_site(event.site, access.site)
        })
    }

    /// Reads of `location` since the thread's last effect, call or return, newest first.
    fn reads(self, location: LocationId) -> impl Iterator<Item = EventId> + Clone {
        let Past { execution, thread, last_turn } = self;
        let events = execution.thread(thread).events()[last_turn as usize..].iter().rev().copied();
        events.take_while(|&id| !execution.event(id).is_effect()).filter(move |&id| {
            let event = execution.event(id);
            event.is_read() && event.location == location
        })
    }
}
