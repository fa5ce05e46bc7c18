//! Which retry loops have no effect: evidence from executions in which they were explored.
//!
//! Take an execution with a read *e2* that repeats an earlier read *e1* with no effect in between. If the iteration
//! has no effect, the thread would have done the same without it. So it is cut out of the graph and the test is run
//! along what is left: with *e2* in the place of *e1*; or, for loops that go on with the value which the failed
//! compare-exchange returned, or with one that was read after it, with an earlier read *q* of the location taking what the last one
//! before *e2* has read, and *e2* right after it. If the
//! test follows none of these graphs to the letter (it asks for something else, or with other operands), the
//! iteration did matter, and loops at this position are explored in full. So they are if *q* acquires what the last read did not: with
//! what the thread then knows, there may be less that it can read later, and no race.
//!
//! A loop that gives up after so many failures is seen through only in an execution in which it does. So where a thread
//! has gone round a few times reading the same from every location, it is let go on for long, still reading the same; if
//! it then does anything but go round, the iterations did matter. A loop that is bound to end does that at once, so that
//! in tests whose executions all end little is spent on this.
//!
//! A spin hint (`spin_loop()`, `yield_now()`, `sleep()`) is the author's word that what was read is of no use, and its thread waits for
//! another execution. The word is not taken for it where there is no loop: the first threads that wait at a hint are let go on in the same way,
//! and if one does not come back to it again and again, the hint is no wait, and the exploration starts over without heeding it.
//!
//! Operations that are marked end an iteration, and what they return must be the same without it.
//!
//! This is evidence from samples, not proof: the positions that are relied upon are listed as assumptions. When the
//! sample is the whole exploration and every iteration in it was tried, nothing is assumed. A livelock that they lead to is not claimed before the thread has
//! been followed: where it does go on, the position was misjudged, and the exploration starts over without relying on it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use linchpin_graph::{Event, EventId, Execution, Kind, MemoryModel, Order, Site, ThreadId};

use crate::call::Call;
use crate::loops::{Loops, Repeats, same_site};
use crate::runtime::context::{Context, Mode, RunEnd};
use crate::runtime::outliving::Moved;
use crate::runtime::thread::State;
use crate::violation::{Violation, ViolationKind};

/// How many executions are looked at first.
const SAMPLES: usize = 1_000;
/// In how many other parts of the exploration half as many are looked at, if there are more.
const PARTS: usize = 5;
/// How often a loop goes round in these.
const ROUNDS: usize = 4;
/// How often it does in those that come after a complete one, if none of the first is complete.
const FEW_ROUNDS: usize = 2;
/// How often it goes round reading the same, before that is taken for the rule.
const LONG: usize = 1_000;
/// How many iterations of a kind are cut out.
const TRIALS: u32 = 10;
/// How many threads are let go on for long at one position.
const STUTTERS: u32 = 64;

/// What the sample executions have shown.
pub(crate) struct Evidence {
    /// Positions whose iterations had no effect.
    pub accepted: Vec<Site>,
    /// The sample was all there is, and every iteration in it was tried.
    pub exhaustive: bool,
    /// A violation that the sample came across, after so many complete and blocked executions.
    pub violation: Option<(Box<Violation>, u64, u64)>,
    /// A spin hint that turned out to be no wait.
    pub misjudged: Option<Site>,
}

/// What is known of the iterations at one position.
struct Position {
    site: Site,
    /// How many iterations of each kind were cut out.
    trials: HashMap<IterationKind, u32>,
    /// There were more.
    more: bool,
    /// How the last one that was cut out began the next one: the same code will do so again.
    way: Way,
    /// How many threads were let go on for long.
    stutters: u32,
    rejected: bool,
}

/// How a loop begins its next iteration.
#[derive(Clone, Copy)]
enum Way {
    /// With all of its reads.
    Anew,
    /// With what the last read returned, in place of an earlier one.
    Onward,
}

/// Iterations at one position that may well be alike: those of a thread that begin the next one at the same point of it, and then take
/// the same path. A thread may go round several loops in the same code, and give up in one of them.
#[derive(PartialEq, Eq, Hash)]
struct IterationKind {
    thread: ThreadId,
    index: u32,
    /// A hash of [`path_from`].
    path: u64,
}

/// Explores a sample in full and tries to leave iterations out.
pub(crate) fn gather(context: &mut Context, is_halted: &dyn Fn() -> bool) -> Evidence {
    loop {
        if let Ok(evidence) = try_to_gather(context, is_halted) {
            return evidence;
        }
    }
}

fn try_to_gather(context: &mut Context, is_halted: &dyn Fn() -> bool) -> Result<Evidence, Moved> {
    context.loops = Loops::new(Repeats::Unrolled(ROUNDS));
    context.explorer.restart();
    let mut sample = Sample::new(context.config.model);
    let size = context.config.max_executions.map_or(SAMPLES, |limit| SAMPLES.min(limit as usize));
    let mut left = sample.take(context, size, is_halted)?;
    let exhaustive = left == Left::Nothing && sample.is_whole();
    if left == Left::More && sample.complete == 0 && turn_to_complete(context, 10 * size, is_halted) {
        left = sample.take(context, size, is_halted)?;
    }
    // The first executions differ in what happens last. What would be explored last differs from them in what happens first.
    let parts = if context.config.max_executions.is_none() { PARTS } else { 0 };
    for _ in 0..parts {
        if left != Left::More || !turn_to_last_part(context) {
            break;
        }
        left = sample.take(context, SAMPLES / PARTS / 2, is_halted)?;
    }
    // A position at which nothing was cut out is unknown, and explored in full.
    let accepted = sample.positions.iter().filter(|position| !position.rejected && !position.trials.is_empty());
    let accepted = accepted.map(|position| position.site).collect();
    let violation = sample.violation.map(|violation| (violation, sample.complete, sample.blocked));
    Ok(Evidence { accepted, exhaustive, violation, misjudged: sample.misjudged })
}

/// Turns to what comes after a complete execution, if one is found. Where threads wait for each other in loops, the first ones may all
/// come to nothing, since loops go round until they have gone round often enough. If none does, some execution is soon complete, and those that
/// come after it differ from it in what happens last: such as a loop that does go round.
fn turn_to_complete(context: &mut Context, tries: usize, is_halted: &dyn Fn() -> bool) -> bool {
    context.loops = Loops::new(Repeats::Cut);
    context.explorer.restart();
    for _ in 0..tries {
        let end = context.run(Mode::Grow);
        // What is wrong with an execution is for the exploration to say, which has other executions.
        if context.is_tainted || is_halted() || !context.explorer.advance() {
            return false;
        }
        if matches!(end, RunEnd::Complete) {
            context.loops = Loops::new(Repeats::Unrolled(FEW_ROUNDS));
            return true;
        }
    }
    false
}

/// Leaves all but what would be explored last; `false` if there is nothing else than what is being explored.
fn turn_to_last_part(context: &mut Context) -> bool {
    let Some(part) = context.explorer.split() else {
        return false;
    };
    context.explorer.adopt(part);
    !matches!(context.run(Mode::Rebase), RunEnd::Violation(_)) && context.explorer.advance()
}

/// What has been seen so far.
struct Sample {
    positions: Vec<Position>,
    /// Spin hints, and how many of the threads that waited there were let go on.
    hints: Vec<(Site, u32)>,
    misjudged: Option<Site>,
    complete: u64,
    blocked: u64,
    /// Some execution was cut short.
    cut: bool,
    violation: Option<Box<Violation>>,
    /// While iterations are tried, the execution that has them. Only the buffers matter otherwise, as of the next one.
    tried: Execution,
    /// That execution without one of them.
    shorter: Execution,
}

/// What is left to be sampled.
#[derive(PartialEq, Eq)]
enum Left {
    Nothing,
    More,
    /// Something is wrong, or there is no time.
    Unwanted,
}

impl Sample {
    fn new(model: MemoryModel) -> Self {
        Sample {
            positions: Vec::new(),
            hints: Vec::new(),
            misjudged: None,
            complete: 0,
            blocked: 0,
            cut: false,
            violation: None,
            tried: Execution::new(model),
            shorter: Execution::new(model),
        }
    }

    /// Takes up to `size` executions, beginning with the current one.
    fn take(&mut self, context: &mut Context, size: usize, is_halted: &dyn Fn() -> bool) -> Result<Left, Moved> {
        for _ in 0..size {
            let end = context.grow()?;
            self.misjudged = self.try_hints(context);
            if self.misjudged.is_some() {
                return Ok(Left::Unwanted);
            }
            match end {
                RunEnd::Complete => {
                    self.complete += 1;
                    self.try_iterations(context);
                }
                RunEnd::Blocked => self.blocked += 1,
                RunEnd::TooManyEvents => {
                    self.cut = true;
                    try_patience(context, &mut self.positions);
                }
                RunEnd::Dead => {}
                // The exploration will count it with the others.
                RunEnd::Violation(_) if context.config.keep_going => {}
                RunEnd::Violation(violation) => {
                    self.misjudged = find_misjudged(context, &violation);
                    self.violation = Some(violation);
                    return Ok(Left::Unwanted);
                }
            }
            if context.is_tainted {
                return Ok(Left::Unwanted);
            }
            if !context.explorer.advance() {
                return Ok(Left::Nothing);
            }
            if is_halted() {
                return Ok(Left::Unwanted);
            }
        }
        Ok(Left::More)
    }

    /// Has every iteration of every execution been tried that anything may be concluded from?
    fn is_whole(&self) -> bool {
        !self.cut && !self.positions.iter().any(|position| position.more && !position.rejected)
    }

    /// Lets threads go on that wait at spin hints, some at each; returns where one of them does not wait.
    fn try_hints(&mut self, context: &mut Context) -> Option<Site> {
        let mut is_new = false;
        for (_, site) in spinning(context) {
            let known = self.hints.iter().position(|&(hint, _)| same_site(hint, site));
            let at = known.unwrap_or_else(|| {
                self.hints.push((site, 0));
                self.hints.len() - 1
            });
            let (_, trials) = &mut self.hints[at];
            *trials += 1;
            is_new |= *trials <= TRIALS;
        }
        if is_new { find_unheeded(context, finds_change) } else { None }
    }

    /// Tries to leave out every iteration of the current execution that only read.
    fn try_iterations(&mut self, context: &mut Context) {
        let iterations: Vec<_> = repetitions(context.explorer.execution(), context.calls()).collect();
        if iterations.is_empty() {
            return;
        }
        let calls = context.calls().to_vec();
        std::mem::swap(context.explorer.execution_mut(), &mut self.tried);
        let execution = &self.tried;
        let mut trial = Trial { context, execution, calls: &calls, shorter: &mut self.shorter };
        for iteration in iterations {
            let &Event { site, thread, index, .. } = execution.event(iteration.repeating);
            let position = position_at(&mut self.positions, site);
            if position.rejected {
                continue;
            }
            let path = path_from(execution, iteration.repeating);
            let trials = position.trials.entry(IterationKind { thread, index, path }).or_default();
            if *trials >= TRIALS {
                position.more = true;
                continue;
            }
            *trials += 1;
            position.rejected = !trial.can_leave_out(iteration, &mut position.way);
        }
        std::mem::swap(context.explorer.execution_mut(), &mut self.tried);
    }
}

/// What is known of the loop at `site`.
fn position_at(positions: &mut Vec<Position>, site: Site) -> &mut Position {
    let at = positions.iter().position(|position| same_site(position.site, site)).unwrap_or_else(|| {
        let (trials, way) = (HashMap::new(), Way::Anew);
        positions.push(Position { site, trials, more: false, way, stutters: 0, rejected: false });
        positions.len() - 1
    });
    &mut positions[at]
}

/// Lets threads that go round reading the same go on for long. Whoever leaves the loop has counted the rounds.
fn try_patience(context: &mut Context, positions: &mut Vec<Position>) {
    let mut waiting: Vec<(ThreadId, Site)> = Vec::new();
    for (thread, site, stutters) in paused(context) {
        let position = position_at(positions, site);
        if stutters && !position.rejected && position.stutters < STUTTERS {
            position.stutters += 1;
            waiting.push((thread, site));
        }
    }
    if waiting.is_empty() {
        return;
    }
    go_on(context, |context| {
        for (thread, site) in waiting {
            let still_there = paused(context).any(|(other, at, _)| other == thread && same_site(at, site));
            position_at(positions, site).rejected |= !still_there;
        }
    });
}

/// The threads that the last run has left at spin hints, and where.
fn spinning(context: &Context) -> impl Iterator<Item = (ThreadId, Site)> {
    context.stopped.iter().filter_map(|&(thread, state)| match state {
        State::Spinning(site) => Some((thread, site)),
        _ => None,
    })
}

/// The threads that have gone round a loop often enough in the last run, and where; with whether their last rounds were all the same.
fn paused(context: &Context) -> impl Iterator<Item = (ThreadId, Site, bool)> {
    context.stopped.iter().filter_map(|&(thread, state)| match state {
        State::Paused { site, stutters } => Some((thread, site, stutters)),
        _ => None,
    })
}

/// Where a thread was stopped at a spin hint in the last run to which it does not come back again and again, if it is let go on while
/// nothing changes, nor may do without: `may_leave` says so of an execution, a thread and how many events it had done at the hint.
fn find_unheeded(context: &mut Context, may_leave: fn(&Execution, ThreadId, usize) -> bool) -> Option<Site> {
    let execution = context.explorer.execution();
    let waiting: Vec<_> =
        spinning(context).map(|(thread, site)| (thread, site, execution.thread(thread).events().len())).collect();
    if waiting.is_empty() {
        return None;
    }
    go_on(context, |context| {
        let waits = |&(thread, site, done): &(ThreadId, Site, usize)| {
            let times = context.loops.passed(thread, site);
            match context.stopped.iter().find(|(other, _)| *other == thread) {
                // It has gone round for long, though perhaps somewhere else.
                Some((_, State::Paused { .. })) => times >= LONG / 10,
                Some((_, State::Exhausted)) => times > 1,
                _ => may_leave(context.explorer.execution(), thread, done),
            }
        };
        waiting.iter().find(|waiting| !waits(waiting)).map(|&(_, site, _)| site)
    })
}

/// Has the thread, from its event number `from` on, read something else than it had last found there? What it looks at may be a
/// read-modify-write, which has to take the newest value.
fn finds_change(execution: &Execution, thread: ThreadId, from: usize) -> bool {
    let mut found = HashMap::new();
    let events = execution.thread(thread).events().iter().map(|&id| execution.event(id));
    let mut accesses = events.enumerate().filter(|(_, event)| event.is_read() || event.is_write());
    accesses.any(|(number, event)| {
        let before = found.insert(event.location, event.value);
        number >= from && event.is_read() && before.is_some_and(|before| before != event.value)
    })
}

/// Runs on from the current execution, which stays as it is: each thread for long, but reading the same again and again. Then has a look.
fn go_on<T>(context: &mut Context, look: impl FnOnce(&Context) -> T) -> T {
    let fork = context.explorer.fork();
    let explorer = std::mem::replace(&mut context.explorer, fork);
    let events = context.config.max_events_per_thread as usize;
    let repeats = context.loops.turn_to(Repeats::Stuttering { rounds: LONG, events });
    let stopped = std::mem::take(&mut context.stopped);
    context.run(Mode::Grow);
    let seen = look(context);
    context.stopped = stopped;
    context.loops.turn_to(repeats);
    context.explorer = explorer;
    seen
}

/// Is this livelock, with which the last run ended, none, since some thread does go on? Returns where that thread was
/// stopped.
pub(crate) fn find_misjudged(context: &mut Context, violation: &Violation) -> Option<Site> {
    if !matches!(violation.kind, ViolationKind::Livelock { .. }) {
        return None;
    }
    let retrying = |&(thread, state): &(ThreadId, State)| match state {
        State::Retrying { site, .. } => Some((thread, site)),
        _ => None,
    };
    let stopped: Vec<_> = context.stopped.iter().filter_map(retrying).collect();
    let leaves_loop = |context: &mut Context| {
        go_on(context, |context| {
            let goes_round = |thread| paused(context).any(|(other, _, stutters)| other == thread && stutters);
            stopped.iter().find(|&&(thread, _)| !goes_round(thread)).map(|&(_, site)| site)
        })
    };
    let misjudged = if stopped.is_empty() { None } else { leaves_loop(context) };
    // Nobody will change anything any more: who finds a change goes on.
    misjudged.or_else(|| find_unheeded(context, |_, _, _| false))
}

/// What may be an iteration without effect: two reads by one thread, at one position, of one location, with no effect,
/// call or return in between and no third such read between them.
#[derive(Clone, Copy)]
struct Iteration {
    thread: ThreadId,
    repeated: EventId,
    repeating: EventId,
    /// The iterations of the same loop have no events before this one.
    begin: usize,
}

fn repetitions(execution: &Execution, calls: &[Call]) -> impl Iterator<Item = Iteration> {
    let threads = (0..execution.threads().len() as u32).map(ThreadId);
    threads.flat_map(move |thread| {
        let events = execution.thread(thread).events();
        events.iter().enumerate().filter_map(move |(index, &later)| {
            let event = execution.event(later);
            if !event.is_read() {
                return None;
            }
            let begin = last_turn(calls, thread, event.index);
            let before = events[begin..index].iter().rev().copied();
            let mut before = before.take_while(|&id| !execution.event(id).is_effect());
            let repeated = before.find(|&id| is_same_read(execution.event(id), event))?;
            Some(Iteration { thread, repeated, repeating: later, begin })
        })
    })
}

/// Do both read the same location, at the same position?
fn is_same_read(some: &Event, other: &Event) -> bool {
    some.is_read() && some.location == other.location && some.verb == other.verb && same_site(some.site, other.site)
}

/// Which way the thread goes from `read` on, up to an effect or the same read once more: a hash of where in the source it comes by, and of
/// whether it succeeds there.
fn path_from(execution: &Execution, read: EventId) -> u64 {
    let first = execution.event(read);
    let mut hasher = DefaultHasher::new();
    for &id in &execution.thread(first.thread).events()[first.index as usize..] {
        let event = execution.event(id);
        (event.site.line(), event.site.column(), event.exclusive).hash(&mut hasher);
        if event.is_effect() || (id != read && is_same_read(event, first)) {
            break;
        }
    }
    hasher.finish()
}

/// How many events the thread had done when it last called or returned before its event number `index`.
fn last_turn(calls: &[Call], thread: ThreadId, index: u32) -> usize {
    let turns = calls.iter().filter(|call| call.thread == thread).flat_map(|call| [call.events.start, call.events.end]);
    turns.filter(|&turn| turn <= index).max().unwrap_or(0) as usize
}

/// An execution whose iterations are left out one by one.
struct Trial<'a> {
    context: &'a mut Context,
    execution: &'a Execution,
    calls: &'a [Call],
    /// Scratch.
    shorter: &'a mut Execution,
}

impl Trial<'_> {
    /// Does the test follow some graph without the iteration, and do its calls return the same? `way` is tried first, and becomes the
    /// one that worked.
    fn can_leave_out(&mut self, iteration: Iteration, way: &mut Way) -> bool {
        let ways = match way {
            Way::Anew => [Way::Anew, Way::Onward],
            Way::Onward => [Way::Onward, Way::Anew],
        };
        let worked = ways.into_iter().find(|way| match way {
            Way::Anew => self.begins_anew(iteration),
            Way::Onward => self.goes_onward(iteration),
        });
        *way = worked.unwrap_or(*way);
        worked.is_some()
    }

    fn begins_anew(&mut self, Iteration { thread, repeated, repeating, .. }: Iteration) -> bool {
        let (from, to) = (beginning(self.execution, repeated), beginning(self.execution, repeating));
        self.execution.copy_without(thread, from, to, self.shorter);
        self.is_followed()
    }

    fn goes_onward(&mut self, Iteration { thread, repeated, repeating, begin }: Iteration) -> bool {
        let execution = self.execution;
        let &Event { index: from, location, .. } = execution.event(repeated);
        let to = beginning(execution, repeating);
        let events = execution.thread(thread).events();
        let reads = |id: &EventId| execution.event(*id).is_read() && execution.event(*id).location == location;
        let last = events[from as usize..to as usize].iter().copied().rfind(reads).unwrap_or(repeated);
        let before = events[begin..from as usize].iter().rev().copied();
        let mut before = before.take_while(|&id| !execution.event(id).is_effect()).filter(reads);
        before.any(|earlier| {
            execution.copy_without(thread, execution.event(earlier).index + 1, to, self.shorter);
            let Some(order) = redirect_by_place(self.shorter, execution, earlier, execution.event(last).source) else {
                return false;
            };
            learns_no_more(execution, order, last, repeating) && self.is_followed()
        })
    }

    fn is_followed(&mut self) -> bool {
        self.context.follow(self.shorter) && return_the_same(self.calls, self.context.calls())
    }
}

/// The number of the first event that belongs to `read`: what was chosen for it, right before and at its position, does. With one choice a weak
/// compare-exchange fails for no reason, and with another it does not.
fn beginning(execution: &Execution, read: EventId) -> u32 {
    let event = execution.event(read);
    let chosen = execution.previous(read).map(|before| execution.event(before));
    let is_own = |before: &Event| before.kind == Kind::Choice && same_site(before.site, event.site);
    if chosen.is_some_and(is_own) { event.index - 1 } else { event.index }
}

/// Are these calls of two runs, both in the order of tags, the same with the same results?
fn return_the_same(some: &[Call], others: &[Call]) -> bool {
    let returned = |call: &Call| (call.tag, call.result.clone());
    some.iter().map(returned).eq(others.iter().map(returned))
}

/// Would a read of `order` in the place of `read`, the last one before `repeating`, make nothing known to its thread that is not known
/// to it anyway, where it does anything but read the location again?
fn learns_no_more(execution: &Execution, order: Order, read: EventId, repeating: EventId) -> bool {
    let &Event { source, location, order: had, thread, .. } = execution.event(read);
    if execution.model() == MemoryModel::Sc || !source.is_some() {
        return true;
    }
    if order.is_seq_cst() && !had.is_seq_cst() {
        return false;
    }
    if !order.acquires() || had.acquires() {
        return true;
    }
    // What is handed on with a value is of no consequence for reading the location again: of its values, only older ones are known by it.
    let events = &execution.thread(thread).events()[execution.event(repeating).index as usize..];
    for &id in events {
        if execution.has_received(id, source) {
            return true;
        }
        let event = execution.event(id);
        if !event.is_read() || event.exclusive || event.location != location {
            return false;
        }
    }
    false
}

/// Lets `read` of `original` take `source` of `original`, in the copy `shorter`, where stamps differ; returns the order that it then has.
/// `None` if the read would then write, which it did not.
fn redirect_by_place(shorter: &mut Execution, original: &Execution, read: EventId, source: EventId) -> Option<Order> {
    let find = |execution: &Execution, id: EventId| {
        let event = original.event(id);
        // Events before the gap, and those of other threads, kept their places.
        execution.thread(event.thread).events()[event.index as usize]
    };
    let read = find(shorter, read);
    let source = if source.is_some() { find(shorter, source) } else { source };
    shorter.redirect(read, source);
    let &Event { exclusive, order, .. } = shorter.event(read);
    (!exclusive).then_some(order)
}
