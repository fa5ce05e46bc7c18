//! The search itself.

use hashbrown::{HashMap, HashSet};

use super::{Frontier, Steps};
use crate::Unknown;
use crate::limits::{Account, Budget};

/// What a search comes back with.
#[derive(Debug)]
pub(crate) enum Found {
    /// An order of operations.
    Order(Vec<u32>),
    /// There is none, and this is how far one can get.
    Nothing(Stuck),
    /// The search ended at the number of configurations that it was given.
    GaveUp,
    /// Another part fails before the next return of this one, which therefore does not matter any more.
    Overtaken,
}

/// Where a search that found nothing got stuck.
#[derive(Debug, Default)]
pub(crate) struct Stuck {
    /// The furthest position that was reached: the return with this number cannot be passed.
    pub(crate) position: u32,
    /// The states that the object can have been in there.
    pub(crate) states: Vec<u32>,
    /// The first order that got there.
    pub(crate) order: Vec<u32>,
    /// For each position that was asked for, the states in which everything up to it is in order; one more than
    /// [`STATES_KEPT`] of them are not all.
    pub(crate) states_at: HashMap<u32, Vec<u32>>,
}

/// Whoever wants to know how far an order has come.
pub(crate) type Progress<'a> = dyn FnMut(u32, &[u32]) + 'a;

/// Whoever wants to know where an order ends.
pub(crate) type DeadEnd<'a> = dyn FnMut(&[u32]) + 'a;

/// What a search writes down on its way besides the answer.
#[derive(Default)]
pub(crate) struct Keep<'a> {
    /// Positions at which no operation is open, whose states are of interest; in ascending order.
    pub(crate) cuts: Vec<u32>,
    /// Called with the order so far whenever it reaches a position that none had reached before.
    pub(crate) progress: Option<&'a mut Progress<'a>>,
    /// Called with the order so far at every dead end.
    pub(crate) dead_end: Option<&'a mut DeadEnd<'a>>,
    /// Give up after this many configurations. What is left of them is left here.
    pub(crate) configurations: Option<u64>,
}

/// How many states are kept for a diagnosis: more than these nobody reads.
pub(crate) const STATES_KEPT: usize = 64;

/// A configuration whose continuations are being tried.
struct Level {
    /// How many operations were in order there.
    placed: usize,
    /// Where its continuations begin in the list of all that are still to be tried.
    untried: usize,
}

/// An operation to be put in order next, and the state that it leads to.
struct Move {
    operation: u32,
    state: u32,
}

/// Looks for an order of all operations that have to be in one.
pub(crate) fn walk<F: Frontier>(
    frontier: &mut F,
    steps: &mut dyn Steps,
    keep: &mut Keep<'_>,
    budget: &Budget,
) -> Result<Found, Unknown> {
    let mut search =
        Search { frontier, steps, order: Vec::new(), keys: Vec::new(), stuck: Stuck::default(), shared: 0 };
    let mut met: HashSet<(F::Key, u32)> = HashSet::new();
    let mut levels: Vec<Level> = Vec::new();
    let mut untried: Vec<Move> = Vec::new();
    let mut candidates = Vec::new();
    let mut account = Account::new(budget);
    let mut turns: u64 = 0;

    // The roots: the states in which the history may begin.
    let mut starts = search.steps.initial();
    loop {
        // Go on from the deepest configuration that has something untried, or from the next root.
        let state = loop {
            let Some(level) = levels.last() else {
                search.take_back_to(0);
                let Some(start) = starts.pop() else {
                    return Ok(Found::Nothing(search.stuck));
                };
                search.arrive(start, keep);
                break start;
            };
            search.take_back_to(level.placed);
            if untried.len() > level.untried {
                let Move { operation, state } = untried.pop().expect("something is untried");
                search.place(operation);
                search.arrive(state, keep);
                break state;
            }
            levels.pop();
        };

        turns += 1;
        if turns.is_multiple_of(256) {
            budget.check_time()?;
            // Tables grow by doubling, so look at what they take only now and then.
            let entry = size_of::<(F::Key, u32)>() + search.frontier.key_bytes();
            let taken = met.allocation_size() + met.len() * search.frontier.key_bytes() + search.order.len() * entry;
            account.grow_to(taken)?;
        }
        if let Some(left) = &mut keep.configurations {
            if *left == 0 {
                return Ok(Found::GaveUp);
            }
            *left -= 1;
        }

        // What only reads goes in at once where its result fits; then more may have become possible.
        loop {
            candidates.clear();
            search.frontier.candidates(&mut candidates);
            let before = search.order.len();
            for &operation in &candidates {
                if search.steps.is_read_only(operation) && !search.steps.step(state, operation)?.is_empty() {
                    search.place(operation);
                    search.arrive(state, keep);
                }
            }
            if search.order.len() == before {
                break;
            }
        }
        if search.frontier.is_complete() {
            return Ok(Found::Order(search.order));
        }
        if search.frontier.deadline() > budget.fails_by() {
            return Ok(Found::Overtaken);
        }
        budget.check_time_to_grow(met.len(), met.capacity())?;
        if !met.insert((search.frontier.key(), state)) {
            continue;
        }

        // Everything else is a choice.
        let start = untried.len();
        for &operation in &candidates {
            if !search.steps.is_read_only(operation) {
                for target in search.steps.step(state, operation)?.rev() {
                    untried.push(Move { operation, state: search.steps.target(target) });
                }
            }
        }
        if untried.len() > start {
            levels.push(Level { placed: search.order.len(), untried: start });
        } else if let Some(dead_end) = &mut keep.dead_end {
            dead_end(&search.order);
        }
    }
}

struct Search<'a, F: Frontier> {
    frontier: &'a mut F,
    steps: &'a mut dyn Steps,
    order: Vec<u32>,
    /// The frontier's key before each operation of the order was placed.
    keys: Vec<F::Key>,
    stuck: Stuck,
    /// How much of `stuck.order` is also the beginning of `order`: so much need not be copied.
    shared: usize,
}

impl<F: Frontier> Search<'_, F> {
    fn place(&mut self, operation: u32) {
        self.keys.push(self.frontier.key());
        self.frontier.place(operation);
        self.order.push(operation);
    }

    fn take_back_to(&mut self, placed: usize) {
        self.shared = self.shared.min(placed);
        while self.order.len() > placed {
            let operation = self.order.pop().expect("longer than `placed`");
            let key = self.keys.pop().expect("one for each operation");
            self.frontier.take_back(operation, &key);
        }
    }

    /// Notes how far the order has come.
    fn arrive(&mut self, state: u32, keep: &mut Keep<'_>) {
        let position = self.frontier.position();
        if position > self.stuck.position {
            self.stuck.position = position;
            self.stuck.states.clear();
            self.stuck.order.truncate(self.shared);
            self.stuck.order.extend_from_slice(&self.order[self.shared..]);
            self.shared = self.order.len();
            if let Some(progress) = &mut keep.progress {
                progress(position, &self.order);
            }
        }
        if position == self.stuck.position
            && self.stuck.states.len() < STATES_KEPT
            && !self.stuck.states.contains(&state)
        {
            self.stuck.states.push(state);
        }
        // At a cut, as many operations have been called as have returned; one more in order is one from beyond.
        if self.order.len() == position as usize && keep.cuts.binary_search(&position).is_ok() {
            let states = self.stuck.states_at.entry(position).or_default();
            if states.len() <= STATES_KEPT && !states.contains(&state) {
                states.push(state);
            }
        }
    }
}
