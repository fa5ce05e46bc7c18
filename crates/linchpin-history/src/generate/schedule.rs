//! Who calls what when: the part that all objects have in common.

use std::sync::Arc;

use linchpin_model::{History, Interval, Operation, Time, Value};

use super::Options;
use super::random::Random;
use crate::{Call, Conventions, FailedCas, Initial, Layout, Lines, Recording};

/// A family of sequential objects that perform operations at their hidden moments.
pub(super) trait Family {
    /// What can be called.
    type Act;

    /// What the process in this slot calls next.
    fn next(&mut self, slot: usize, random: &mut Random) -> Self::Act;

    /// Performs an operation and says what it returns; `None` when it has to wait for another. `give_up`: nobody else
    /// is there to be waited for, so the operation must become one that fails instead.
    fn perform(&mut self, slot: usize, act: &mut Self::Act, give_up: bool) -> Option<Value>;

    /// Does an operation that does not return take effect? `None`: it may or may not.
    fn takes_effect_when_pending(&self, act: &Self::Act) -> Option<bool>;

    /// How a recording has it: name, key, argument.
    fn call(&self, act: &Self::Act) -> (&'static str, Option<Value>, Value);

    /// Changes results such that the history is certainly not linearizable; says which operations contradict each
    /// other, those that were changed first. `None` if there is no place for it.
    fn violate(&self, operations: &mut [Made<Self::Act>], random: &mut Random) -> Option<Vec<usize>>;
}

/// One operation that was made.
pub(super) struct Made<A> {
    pub(super) process: u64,
    pub(super) act: A,
    /// What it returned; [`Value::Nil`] if it did not.
    pub(super) output: Value,
    pub(super) call: Time,
    /// [`Interval::NEVER`] if it did not return.
    pub(super) ret: Time,
    /// When the object performed it, counted in operations; `None` if it never did.
    pub(super) point: Option<u32>,
}

impl<A> Made<A> {
    pub(super) fn returned(&self) -> bool {
        self.ret != Interval::NEVER
    }

    /// Did it return before the other was called?
    pub(super) fn precedes(&self, other: &Self) -> bool {
        self.ret < other.call
    }
}

/// What a process is about to do.
#[derive(Clone, Copy)]
enum Next {
    Call,
    Perform(usize),
    Return(usize),
}

/// Lets processes call, perform and return in a random order. Operations are in the order of their calls.
pub(super) fn schedule<F: Family>(family: &mut F, options: &Options) -> (Vec<Made<F::Act>>, Random) {
    let mut random = Random::new(options.seed);
    let mut run = Run {
        family,
        operations: Vec::with_capacity(options.operations),
        time: 0,
        points: 0,
        process: (0..options.processes as u64).collect(),
        pending: options.pending,
        limbo: Vec::new(),
    };
    let mut processes: Vec<(usize, Next)> = (0..options.processes).map(|slot| (slot, Next::Call)).collect();
    let mut waits = 0;
    while !processes.is_empty() {
        if !run.limbo.is_empty() && random.one_in(32) {
            run.perform_in_limbo(&mut random);
        }
        let at = random.index(processes.len());
        let (slot, next) = processes[at];
        let next = match next {
            Next::Call if run.operations.len() == options.operations => None,
            Next::Call => Some(run.call(slot, &mut random)),
            Next::Perform(operation) => {
                let performed = run.perform(slot, operation, waits > 8 * processes.len());
                waits = if performed { 0 } else { waits + 1 };
                Some(if performed { Next::Return(operation) } else { next })
            }
            Next::Return(operation) => {
                run.ret(operation);
                (run.operations.len() < options.operations).then(|| run.call(slot, &mut random))
            }
        };
        match next {
            Some(next) => processes[at].1 = next,
            None => {
                processes.swap_remove(at);
            }
        }
    }
    (run.operations, random)
}

struct Run<'a, F: Family> {
    family: &'a mut F,
    operations: Vec<Made<F::Act>>,
    time: Time,
    points: u32,
    /// By slot: the process that is in it. One whose operation does not return is never heard of again, and another
    /// takes its place.
    process: Vec<u64>,
    /// The fraction of operations that do not return.
    pending: f64,
    /// Operations that will not return and that have still to be performed, with their slots.
    limbo: Vec<(usize, usize)>,
}

impl<F: Family> Run<'_, F> {
    fn call(&mut self, slot: usize, random: &mut Random) -> Next {
        let operation = self.operations.len();
        let act = self.family.next(slot, random);
        let pending = random.fraction(self.pending);
        let effect = pending && self.family.takes_effect_when_pending(&act).unwrap_or_else(|| random.one_in(2));
        let (process, call) = (self.process[slot], self.tick());
        self.operations.push(Made { process, act, output: Value::Nil, call, ret: Interval::NEVER, point: None });
        if effect {
            self.limbo.push((slot, operation));
        }
        if !pending {
            return Next::Perform(operation);
        }
        self.process[slot] += self.process.len() as u64;
        Next::Call
    }

    /// Did it not have to wait?
    fn perform(&mut self, slot: usize, operation: usize, give_up: bool) -> bool {
        let made = &mut self.operations[operation];
        let Some(output) = self.family.perform(slot, &mut made.act, give_up) else { return false };
        made.output = output;
        made.point = Some(self.points);
        self.points += 1;
        true
    }

    fn perform_in_limbo(&mut self, random: &mut Random) {
        let at = random.index(self.limbo.len());
        let (slot, operation) = self.limbo[at];
        if self.perform(slot, operation, false) {
            self.limbo.swap_remove(at);
            // Nobody gets to know what it returned.
            self.operations[operation].output = Value::Nil;
        }
    }

    fn ret(&mut self, operation: usize) {
        self.operations[operation].ret = self.tick();
    }

    fn tick(&mut self) -> Time {
        self.time += 1;
        self.time
    }
}

/// The operations as a recording, as if it had been read from a file with a line for each.
pub(super) fn build<F: Family>(family: &F, operations: Vec<Made<F::Act>>) -> Recording {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut history = History::new();
    let mut lines = Vec::with_capacity(operations.len());
    for (at, made) in operations.into_iter().enumerate() {
        let (name, key, argument) = family.call(&made.act);
        let name = match names.iter().find(|known| ***known == *name) {
            Some(known) => known.clone(),
            None => {
                names.push(name.into());
                names[names.len() - 1].clone()
            }
        };
        let returned = made.returned();
        let invocation = Call { name, key, argument };
        let operation =
            Operation { process: made.process, invocation, result: returned.then_some(made.output), returned };
        history.push(operation, Interval { call: made.call, ret: made.ret });
        lines.push(Lines { call: at + 1, ret: if returned { at + 1 } else { 0 } });
    }
    let conventions =
        Conventions { failed_cas: FailedCas::DidNotHappen, nil_read_says_nothing: false, initial: Some(Initial::Zero) };
    Recording { history, lines, layout: Layout::Operations, conventions, origin: None }
}
