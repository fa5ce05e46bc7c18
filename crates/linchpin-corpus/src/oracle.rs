//! All consistent executions of a small program, by brute force: the answer that the explorer is measured by.
//!
//! **Source.** C11 is RC11: Lahav, Vafeiadis, Kang, Hur, Dreyer, *Repairing Sequential Consistency in C/C++11*, PLDI
//! 2017; names of relations are the paper's. SC is the acyclicity of po ∪ rf ∪ mo ∪ fr, with read-modify-writes atomic.
//!
//! **Deviations.**
//! - Release sequences are those of C++20: `rs = [W⊒rlx] ; (rf ; rmw)*`. The paper still has C++11's, which a relaxed
//!   write of the same thread continues.
//! - Programs start and end threads. The setup comes before all else and the finish after, by edges `asw` that are part
//!   of hb but not of sb. Whether they were part of sb too makes no difference to psc: an edge of psc from a thread into
//!   the setup, or from the finish into a thread, would contradict coherence, so no cycle passes there.
//! - A failed compare-exchange is a read of its failure order; `lock` is a read-modify-write that only accepts 0.
//!
//! **How.** A graph is extended, from nothing, by every instruction that is next in any thread, in every way: a read
//! takes any write that is there, a write goes anywhere in the modification order. Read-modify-writes add both halves at
//! once, and the write goes right after what was read, since coherence and atomicity leave no other place. Graphs are in
//! canonical form, and one that was seen before is not extended again. Inconsistent graphs are dropped at once. That is complete because po ∪ rf is acyclic in both models, so every execution can be built so that
//! a write is there before its readers; and because every prefix of a consistent graph under po ∪ rf is consistent: hb
//! does not lose a path in a prefix, and all other relations only lose edges. The axioms themselves are in
//! [`axioms`](crate::axioms).
//!
//! **Not covered.** Consume; mixed-size accesses; loops; memory that is allocated or freed. Plain accesses take part like
//! relaxed ones that never synchronise; executions of a program with a race are therefore listed though C11 gives it no
//! meaning.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use linchpin_model::{MemoryModel, Order};

use crate::axioms::{Axioms, Shape};
use crate::canon::{Canon, CanonEvent, CanonKind, Place, Source};
use crate::program::{Instruction, Location, Operand, Program, Register, Registers};

/// The registers that a program sets, by section and register, with their values at the end.
pub type Outcome = BTreeMap<(usize, Register), u64>;

/// What there is to know about a program under a memory model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// All complete executions: those in which every section reaches its end.
    pub executions: BTreeSet<Canon>,
    /// What the complete executions compute.
    pub outcomes: BTreeSet<Outcome>,
    /// Is there a consistent graph in which all who are not done wait, each for a location whose last write in the
    /// modification order is not what it waits for?
    pub deadlock: bool,
    /// Is there a consistent graph, complete or not, with a data race?
    pub race: bool,
    /// How many consistent graphs were visited, complete or not.
    pub graphs: usize,
}

/// All consistent executions of `program`.
pub fn enumerate(program: &Program, model: MemoryModel) -> Answer {
    enumerate_with(program, &Axioms::of(model))
}

/// All executions that satisfy these axioms.
pub fn enumerate_with(program: &Program, axioms: &Axioms) -> Answer {
    match search(program, axioms, usize::MAX) {
        Some(answer) => answer,
        None => unreachable!("a search without a limit does not reach it"),
    }
}

/// All executions that satisfy these axioms; `None` if there are more than `limit` graphs to visit.
pub fn enumerate_within(program: &Program, axioms: &Axioms, limit: usize) -> Option<Answer> {
    search(program, axioms, limit)
}

/// One thing that a section does: an instruction without nested ones, or a jump.
enum Op {
    Do(Instruction),
    SkipUnless { register: Register, equals: u64, target: usize },
}

fn flatten(body: &[Instruction], code: &mut Vec<Op>) {
    for instruction in body {
        if let Instruction::If { register, equals, body } = instruction {
            let at = code.len();
            code.push(Op::SkipUnless { register: *register, equals: *equals, target: 0 });
            flatten(body, code);
            code[at] = Op::SkipUnless { register: *register, equals: *equals, target: code.len() };
        } else {
            code.push(Op::Do(instruction.clone()));
        }
    }
}

/// What an instruction does with the value that it read.
enum Reaction {
    /// The read is all, with this order.
    Read(Order),
    /// It writes this, with this order for both halves.
    Write(u64, Order),
    /// It does not accept the value.
    Wait,
}

/// What a reading instruction does with `value`.
fn react(instruction: &Instruction, registers: &Registers, value: u64) -> Reaction {
    match *instruction {
        Instruction::Load { order, .. } => Reaction::Read(order),
        Instruction::Swap { value: new, order, .. } => Reaction::Write(new.value(registers), order),
        Instruction::FetchAdd { value: add, order, .. } => {
            Reaction::Write(value.wrapping_add(add.value(registers)), order)
        }
        Instruction::CompareExchange { expected, new, success, failure, .. } => {
            if value == expected.value(registers) {
                Reaction::Write(new.value(registers), success)
            } else {
                Reaction::Read(failure)
            }
        }
        Instruction::Lock(_) if value == 0 => Reaction::Write(1, Order::Acquire),
        Instruction::Await { value: wanted, order, .. } if value == wanted => Reaction::Read(order),
        _ => Reaction::Wait,
    }
}

/// Where a section stands. Follows from the section's events; kept so that it need not be computed again.
#[derive(Clone)]
struct Section {
    next: usize,
    registers: Registers,
}

#[derive(Clone)]
struct State {
    graph: Canon,
    sections: Vec<Section>,
}

struct Search<'a> {
    code: Vec<Vec<Op>>,
    axioms: &'a Axioms,
    limit: usize,
    seen: HashSet<Canon>,
    registers: BTreeSet<(usize, Register)>,
    answer: Answer,
}

fn search(program: &Program, axioms: &Axioms, limit: usize) -> Option<Answer> {
    let code: Vec<Vec<Op>> = program
        .sections()
        .map(|section| {
            let mut code = Vec::new();
            flatten(section, &mut code);
            code
        })
        .collect();
    let sections = vec![Section { next: 0, registers: [0; Register::COUNT] }; code.len()];
    let mut search = Search {
        code,
        axioms,
        limit,
        seen: HashSet::new(),
        registers: program.registers(),
        answer: Answer {
            executions: BTreeSet::new(),
            outcomes: BTreeSet::new(),
            deadlock: false,
            race: false,
            graphs: 0,
        },
    };
    let within = search.visit(State { graph: Canon::start(program), sections });
    search.answer.graphs = search.seen.len();
    within.then_some(search.answer)
}

impl Search<'_> {
    /// Visits a consistent graph and all that it can be extended to. False if there are too many.
    fn visit(&mut self, mut state: State) -> bool {
        if self.seen.contains(&state.graph) {
            return true;
        }
        if self.seen.len() == self.limit {
            return false;
        }
        self.seen.insert(state.graph.clone());

        for number in 0..self.code.len() {
            self.jump(&mut state, number);
        }
        let done = |number: usize| state.sections[number].next == self.code[number].len();
        let threads = 1..self.code.len() - 1;
        // The setup alone, then the threads, then the finish alone.
        let running: Vec<usize> = if !done(0) {
            vec![0]
        } else if !threads.clone().all(done) {
            threads.filter(|&number| !done(number)).collect()
        } else if !done(self.code.len() - 1) {
            vec![self.code.len() - 1]
        } else {
            self.complete(&state);
            return true;
        };

        if running.iter().all(|&number| self.may_wait(&state, number)) {
            self.answer.deadlock = true;
        }
        for number in running {
            for next in self.extensions(&state, number) {
                let shape = Shape::of(&next.graph);
                if !shape.is_consistent(self.axioms) {
                    continue;
                }
                self.answer.race = self.answer.race || shape.has_race(self.axioms);
                if !self.visit(next) {
                    return false;
                }
            }
        }
        true
    }

    fn complete(&mut self, state: &State) {
        let value = |section: usize, register: Register| state.sections[section].registers[usize::from(register.0)];
        let outcome = self.registers.iter().map(|&(section, register)| ((section, register), value(section, register)));
        self.answer.outcomes.insert(outcome.collect());
        self.answer.executions.insert(state.graph.clone());
    }

    /// Lets a section pass its conditions, up to the next instruction that has an event.
    fn jump(&self, state: &mut State, number: usize) {
        let section = &mut state.sections[number];
        while let Some(Op::SkipUnless { register, equals, target }) = self.code[number].get(section.next) {
            let holds = section.registers[usize::from(register.0)] == *equals;
            section.next = if holds { section.next + 1 } else { *target };
        }
    }

    /// The next instruction of a section that is not done.
    fn next(&self, state: &State, number: usize) -> &Instruction {
        match &self.code[number][state.sections[number].next] {
            Op::Do(instruction) => instruction,
            Op::SkipUnless { .. } => unreachable!("conditions were passed before"),
        }
    }

    /// Does the section's next instruction not accept the last write of its location? Then it may wait forever: reading
    /// that write is always consistent.
    fn may_wait(&self, state: &State, number: usize) -> bool {
        let instruction = self.next(state, number);
        let (Instruction::Lock(location) | Instruction::Await { location, .. }) = *instruction else {
            return false;
        };
        let last = state.graph.mo_of(location).last().map_or(Source::Initial, |&place| Source::Write(place));
        let registers = &state.sections[number].registers;
        matches!(react(instruction, registers, state.graph.value_of(last)), Reaction::Wait)
    }

    /// All graphs that have the section's next instruction in addition, consistent or not.
    fn extensions(&self, state: &State, number: usize) -> Vec<State> {
        let instruction = self.next(state, number).clone();
        let mut start = state.clone();
        start.sections[number].next += 1;
        let registers = start.sections[number].registers;
        let write = |location: Location, kind: CanonKind, value: Operand, order: Option<Order>| {
            let event = access(kind, location, order, value.value(&registers), None);
            with_write(&start, number, event, None)
        };
        match instruction {
            Instruction::Fence(order) => {
                let fence =
                    CanonEvent { kind: CanonKind::Fence, location: None, order: Some(order), value: 0, source: None };
                start.graph.sections[number].push(fence);
                vec![start]
            }
            Instruction::Store { location, value, order } => write(location, CanonKind::Write, value, Some(order)),
            Instruction::Unlock(location) => {
                write(location, CanonKind::Write, Operand::constant(0), Some(Order::Release))
            }
            Instruction::PlainWrite { location, value } => write(location, CanonKind::PlainWrite, value, None),
            _ => with_read(&start, number, &instruction, self.axioms),
        }
    }
}

fn access(kind: CanonKind, location: Location, order: Option<Order>, value: u64, source: Option<Source>) -> CanonEvent {
    CanonEvent { kind, location: Some(location), order, value, source }
}

/// The state with a write added, once for every place in the modification order, or only right `after` one.
fn with_write(state: &State, number: usize, event: CanonEvent, after: Option<Source>) -> Vec<State> {
    let place = Place { section: number as u8, index: state.graph.sections[number].len() as u8 };
    let mut with_event = state.clone();
    with_event.graph.sections[number].push(event);
    let Some(at) = with_event.graph.mo.iter().position(|(location, _)| Some(*location) == event.location) else {
        unreachable!("every location of the program has a modification order");
    };
    let writes = &with_event.graph.mo[at].1;
    let positions = match after {
        None => 0..=writes.len(),
        Some(Source::Initial) => 0..=0,
        Some(Source::Write(before)) => {
            let position = writes.iter().take_while(|&&write| write != before).count() + 1;
            position..=position
        }
    };
    positions
        .map(|position| {
            let mut next = with_event.clone();
            next.graph.mo[at].1.insert(position, place);
            next
        })
        .collect()
}

/// The state with a reading instruction added, once for every write it can read from.
fn with_read(state: &State, number: usize, instruction: &Instruction, axioms: &Axioms) -> Vec<State> {
    let Some(location) = instruction.location() else {
        unreachable!("instructions that read have a location");
    };
    let registers = &state.sections[number].registers;
    let mut result = Vec::new();
    let writes = state.graph.mo_of(location).iter().map(|&place| Source::Write(place));
    for source in std::iter::once(Source::Initial).chain(writes) {
        let value = state.graph.value_of(source);
        let with_read = |kind, order| {
            let mut next = state.clone();
            if let Some(into) = instruction.target() {
                next.sections[number].registers[usize::from(into.0)] = value;
            }
            next.graph.sections[number].push(access(kind, location, order, value, Some(source)));
            next
        };
        if let Instruction::PlainRead { .. } = instruction {
            result.push(with_read(CanonKind::PlainRead, None));
            continue;
        }
        match react(instruction, registers, value) {
            Reaction::Wait => {}
            Reaction::Read(order) => result.push(with_read(CanonKind::Read, Some(order))),
            Reaction::Write(new, order) => {
                if let &Instruction::CompareExchange { failure, .. } = instruction
                    && axioms.spurious_failures
                {
                    result.push(with_read(CanonKind::Read, Some(failure)));
                }
                let next = with_read(CanonKind::RmwRead, Some(order));
                let write = access(CanonKind::RmwWrite, location, Some(order), new, None);
                // Without the two axioms that leave only one place for it, the write goes everywhere.
                let after = (axioms.atomicity && axioms.coherence).then_some(source);
                result.extend(with_write(&next, number, write, after));
            }
        }
    }
    result
}
