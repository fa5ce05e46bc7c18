//! Runs programs in the engine, and puts its executions into the oracle's form.
//!
//! The binary must have [`linchpin_engine::Allocator`] as its global allocator. Loop reduction is off, since all accesses
//! of a program come from the same few lines of this interpreter.
//!
//! A location of the program is a word in one block that the main thread allocates before anything else. The block is
//! aligned such that a word's address tells its location, whichever block it was.

use std::cell::{Cell, UnsafeCell};
use std::collections::BTreeSet;
use std::fmt;
use std::panic::Location as SourceLocation;
use std::sync::{Mutex, PoisonError};

use linchpin_engine::rt::{self, Access, Body};
use linchpin_engine::{
    Call, Config, Exploration, Findings, Hooks, LoopReduction, Mutation, Sampling, SamplingHooks, ViolationKind,
    explore_with, sample_with,
};
use linchpin_graph::{Execution, Kind, Order, Request, Step, StepFn, ThreadId, Verb};
use linchpin_model::MemoryModel;

use crate::canon::{Canon, CanonEvent, CanonKind, Place, Source};
use crate::oracle::{Answer, Outcome};
use crate::program::{Instruction, Location, Operand, Program, Register, Registers};

/// What the engine says about a program.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The complete executions, sorted. Plain accesses have neither values nor sources; see [`Canon::forget_plain`].
    pub executions: Vec<Canon>,
    /// What the complete executions compute.
    pub outcomes: BTreeSet<Outcome>,
    /// Was a deadlock found?
    pub deadlock: bool,
    /// Was a data race found?
    pub race: bool,
    /// What else the engine complained about: always a defect, as programs do nothing else that is wrong.
    pub complaint: Option<String>,
    /// How many executions were given up because a thread waited.
    pub blocked: u64,
}

/// A way in which engine and oracle disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The engine did not find an execution.
    Missing(Box<Canon>),
    /// The engine found an execution that is not one.
    Extra(Box<Canon>),
    /// The engine found an execution more than once.
    Twice(Box<Canon>),
    /// The executions agree but what they compute does not.
    Outcomes,
    /// Only one of them found a deadlock; the engine's answer.
    Deadlock(bool),
    /// Only one of them found a race; the engine's answer.
    Race(bool),
    /// The engine complained about something else.
    Complaint(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Missing(graph) => write!(f, "the engine misses\n{graph}"),
            Difference::Extra(graph) => write!(f, "the engine has, and should not have,\n{graph}"),
            Difference::Twice(graph) => write!(f, "the engine has more than once\n{graph}"),
            Difference::Outcomes => write!(f, "the executions agree, but not what they compute"),
            Difference::Deadlock(found) => write!(f, "deadlock found by the engine: {found}"),
            Difference::Race(found) => write!(f, "race found by the engine: {found}"),
            Difference::Complaint(complaint) => write!(f, "the engine complains: {complaint}"),
        }
    }
}

/// How the engine is asked to run programs: with this model and defect.
pub fn config(model: MemoryModel, mutation: Option<Mutation>) -> Config {
    Config {
        model,
        mutation,
        workers: 1,
        loops: LoopReduction::Off,
        keep_going: true,
        // An explorer with a defect may never end.
        max_executions: mutation.map(|_| 20_000),
        ..Config::default()
    }
}

/// Lets the engine explore a program.
pub fn explore(program: &Program, config: &Config) -> Explored {
    let none =
        Findings { data_races: false, unpublished_memory: true, use_after_free: true, leaks: false, deadlocks: false };
    // Only the first violation is reported, so races and deadlocks are looked for one after the other.
    let for_deadlocks = Config { findings: Findings { deadlocks: true, ..none }, ..config.clone() };
    let found = Mutex::new((Vec::new(), BTreeSet::new()));
    let observe = |execution: &Execution| {
        let outcome = last_outcome(program);
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.0.push(canon(program, execution));
        found.1.insert(outcome);
    };
    let exploration = run(program, &for_deadlocks, &observe);
    let (mut executions, outcomes) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    executions.sort();
    let mut explored =
        Explored { executions, outcomes, deadlock: false, race: false, complaint: None, blocked: exploration.blocked };
    explored.note(&exploration);
    if program.has_plain_accesses() {
        let for_races = Config { findings: Findings { data_races: true, ..none }, keep_going: false, ..config.clone() };
        explored.note(&run(program, &for_races, &|_| {}));
    }
    explored
}

/// What random runs of a program have shown.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// What the complete runs computed.
    pub outcomes: BTreeSet<Outcome>,
    /// How many runs ended in a deadlock. They are counted if the configuration says that nobody minds deadlocks; else the first one is a
    /// violation.
    pub deadlocks: u64,
    /// The violation that was found, by name.
    pub violation: Option<&'static str>,
}

/// Runs a program at random.
pub fn sample(program: &Program, config: &Config, sampling: &Sampling) -> Samples {
    let outcomes = Mutex::new(BTreeSet::new());
    // Not to judge, but to look: the run that is judged is the one that ended last on this thread.
    let judge = |_: &[Call]| {
        outcomes.lock().unwrap_or_else(PoisonError::into_inner).insert(last_outcome(program));
        None
    };
    let hooks = SamplingHooks { judge: &judge, ..SamplingHooks::default() };
    let sampled = sample_with(config, sampling, &|| main_thread(program), hooks);
    Samples {
        outcomes: outcomes.into_inner().unwrap_or_else(PoisonError::into_inner),
        deadlocks: sampled.blocked,
        violation: sampled.found.map(|found| found.violation.kind.name()),
    }
}

impl Explored {
    fn note(&mut self, exploration: &Exploration) {
        match exploration.violation.as_ref().map(|violation| &violation.kind) {
            None => {}
            Some(ViolationKind::Deadlock { .. }) => self.deadlock = true,
            Some(ViolationKind::DataRace { .. }) => self.race = true,
            Some(other) => self.complaint = Some(format!("{other}: {other:?}")),
        }
    }

    /// The first disagreement with the oracle. Of a program with a race only the race is compared.
    pub fn difference(&self, answer: &Answer) -> Option<Difference> {
        if let Some(complaint) = &self.complaint {
            return Some(Difference::Complaint(complaint.clone()));
        }
        if self.race != answer.race {
            return Some(Difference::Race(self.race));
        }
        if self.race {
            return None;
        }
        let expected: BTreeSet<Canon> = answer.executions.iter().map(|graph| graph.clone().forget_plain()).collect();
        if let Some(twice) = self.executions.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(Difference::Twice(Box::new(twice[0].clone())));
        }
        if let Some(extra) = self.executions.iter().find(|graph| !expected.contains(graph)) {
            return Some(Difference::Extra(Box::new(extra.clone())));
        }
        if let Some(missing) = expected.iter().find(|graph| self.executions.binary_search(graph).is_err()) {
            return Some(Difference::Missing(Box::new(missing.clone())));
        }
        if self.outcomes != answer.outcomes {
            return Some(Difference::Outcomes);
        }
        (self.deadlock != answer.deadlock).then_some(Difference::Deadlock(self.deadlock))
    }
}

/// How many sections a program may have to be run.
const MAX_SECTIONS: usize = 16;

thread_local! {
    /// The registers that the sections of the last run had at their ends. All threads of a run share one thread of the
    /// operating system, and this memory, unlike the heap, is not undone when a run ends.
    static RESULTS: [Cell<Registers>; MAX_SECTIONS] = const { [const { Cell::new([0; Register::COUNT]) }; MAX_SECTIONS] };
}

/// What the last run on this thread of the operating system computed.
fn last_outcome(program: &Program) -> Outcome {
    let value =
        |section: usize, register: Register| RESULTS.with(|results| results[section].get()[usize::from(register.0)]);
    program.registers().iter().map(|&(section, register)| ((section, register), value(section, register))).collect()
}

/// The memory of a program: a word for each letter. The alignment is a power of two that is no smaller than the size.
#[repr(align(256))]
struct Words([UnsafeCell<u64>; 26]);

/// Size of [`Words`] and of its alignment.
const BLOCK: usize = size_of::<Words>();

/// Lets the engine explore a program, and shows every complete execution to `observe`.
pub fn run(program: &Program, config: &Config, observe: &(dyn Fn(&Execution) + Sync)) -> Exploration {
    assert!(program.threads.len() + 2 <= MAX_SECTIONS, "the program has too many threads");
    explore_with(config, &|| main_thread(program), Hooks { observe, ..Hooks::default() })
}

fn main_thread(program: &Program) {
    let site = SourceLocation::caller();
    let words = Box::new(Words([const { UnsafeCell::new(0) }; 26]));
    let base = words.0.as_ptr().expose_provenance();
    run_section(base, 0, &program.setup);
    // Without any thread the graph would not tell where the setup ends.
    let idle = [Vec::new()];
    let threads = if program.threads.is_empty() { &idle[..] } else { &program.threads };
    let spawned: Vec<ThreadId> = threads
        .iter()
        .enumerate()
        .map(|(i, thread)| {
            let thread: *const [Instruction] = thread.as_slice();
            // SAFETY: the program outlives the exploration, and the idle thread is joined or abandoned below.
            let body = move || run_section(base, i + 1, unsafe { &*thread });
            rt::spawn(Body::new(body), None, site)
        })
        .collect();
    for thread in spawned {
        rt::join(thread, site);
    }
    run_section(base, program.threads.len() + 1, &program.finish);
}

fn run_section(base: usize, number: usize, body: &[Instruction]) {
    let mut registers = [0; Register::COUNT];
    run_body(base, body, &mut registers);
    RESULTS.with(|results| results[number].set(registers));
}

fn address(base: usize, location: Location) -> usize {
    base + (location.0 as usize - 'a' as usize) * size_of::<u64>()
}

fn location(address: usize) -> Location {
    Location(char::from(b'a' + (address % BLOCK / size_of::<u64>()) as u8))
}

/// What a reading instruction asks of the engine: what it is called, what it does with the value, its operands, and its
/// orders.
type Asked = (Verb, StepFn, [u64; 2], [Order; 2]);

fn request(instruction: &Instruction, registers: &Registers) -> Option<Asked> {
    let value = |operand: Operand| operand.value(registers);
    Some(match *instruction {
        Instruction::Load { order, .. } => (Verb::Load, |_, _, _| Step::Return, [0, 0], [order; 2]),
        Instruction::Swap { value: new, order, .. } => {
            (Verb::Swap, |_, new, _| Step::Write(new), [value(new), 0], [order; 2])
        }
        Instruction::FetchAdd { value: add, order, .. } => {
            (Verb::FetchAdd, |old, add, _| Step::Write(old.wrapping_add(add)), [value(add), 0], [order; 2])
        }
        Instruction::CompareExchange { expected, new, success, failure, .. } => {
            let step: StepFn = |old, expected, new| {
                if old == expected { Step::Write(new) } else { Step::Return }
            };
            (Verb::CompareExchange, step, [value(expected), value(new)], [success, failure])
        }
        Instruction::Lock(_) => {
            let step: StepFn = |old, _, _| if old == 0 { Step::Write(1) } else { Step::Wait };
            (Verb::Lock, step, [0, 0], [Order::Acquire; 2])
        }
        Instruction::Await { value, order, .. } => {
            let step: StepFn = |old, wanted, _| if old == wanted { Step::Return } else { Step::Wait };
            (Verb::Await, step, [value, 0], [order; 2])
        }
        _ => return None,
    })
}

fn run_body(base: usize, body: &[Instruction], registers: &mut Registers) {
    let site = SourceLocation::caller();
    const SIZE: usize = size_of::<u64>();
    let write = |verb, location, order, value| rt::write(verb, address(base, location), SIZE as u8, order, value, site);
    for instruction in body {
        match *instruction {
            Instruction::Store { location, value, order } => {
                write(Verb::Store, location, order, value.value(registers));
            }
            Instruction::Unlock(location) => write(Verb::Unlock, location, Order::Release, 0),
            Instruction::Fence(order) => rt::fence(order, site),
            Instruction::PlainRead { into, location } => {
                let address = address(base, location);
                rt::plain(address, SIZE, false, site);
                // SAFETY: the word is part of the block at `base`, which lives until all threads were joined; they run
                // one at a time.
                let value = unsafe { *std::ptr::with_exposed_provenance::<u64>(address) };
                registers[usize::from(into.0)] = value;
            }
            Instruction::PlainWrite { location, value } => {
                let address = address(base, location);
                rt::plain(address, SIZE, true, site);
                // SAFETY: as above.
                unsafe { *std::ptr::with_exposed_provenance_mut::<u64>(address) = value.value(registers) };
            }
            Instruction::If { register, equals, ref body } => {
                if registers[usize::from(register.0)] == equals {
                    run_body(base, body, registers);
                }
            }
            _ => {
                let (Some((verb, mut step, [a, b], [order, failure])), Some(location)) =
                    (request(instruction, registers), instruction.location())
                else {
                    unreachable!("all other instructions read");
                };
                if verb == Verb::CompareExchange {
                    step = rt::spurious_failure(site).unwrap_or(step);
                }
                let address = address(base, location);
                let taken = rt::read(&Access {
                    verb,
                    address,
                    size: SIZE as u8,
                    request: Request { step, a, b, order, failure },
                    site,
                });
                if let Some(into) = instruction.target() {
                    registers[usize::from(into.0)] = taken.value;
                }
            }
        }
    }
}

/// The canonical form of an execution that the engine found for `program`.
pub fn canon(program: &Program, execution: &Execution) -> Canon {
    let mut graph = Canon::start(program);
    let mut places = vec![None; execution.len()];
    let mut children = Vec::new();
    // The main thread is the setup up to the first spawn, and the finish from there.
    let mut section = 0;
    for &id in execution.thread(ThreadId::MAIN).events() {
        let event = execution.event(id);
        if event.kind == Kind::Spawn {
            children.push(ThreadId(event.value as u32));
            section = program.threads.len() + 1;
        } else {
            places[id.at()] = count(&mut graph, section, event.kind);
        }
    }
    for (i, child) in children.into_iter().enumerate() {
        for &id in execution.thread(child).events() {
            places[id.at()] = count(&mut graph, i + 1, execution.event(id).kind);
        }
    }
    for (event, place) in execution.events().iter().zip(&places) {
        let &Some(place) = place else { continue };
        let entry = &mut graph.sections[usize::from(place.section)][usize::from(place.index)];
        let atomic = matches!(event.kind, Kind::Read | Kind::Write);
        *entry = CanonEvent {
            kind: match (event.kind, event.exclusive) {
                (Kind::Read, true) => CanonKind::RmwRead,
                (Kind::Write, true) => CanonKind::RmwWrite,
                _ => entry.kind,
            },
            location: (event.kind != Kind::Fence).then(|| location(execution.location(event.location).address)),
            order: (atomic || event.kind == Kind::Fence).then_some(event.order),
            value: if atomic { event.value } else { 0 },
            source: (event.kind == Kind::Read).then(|| match event.source.is_some() {
                true => places[event.source.at()].map_or(Source::Initial, Source::Write),
                false => Source::Initial,
            }),
        };
    }
    for (_, of_engine) in execution.locations().iter() {
        let name = location(of_engine.address);
        if let Some((_, writes)) = graph.mo.iter_mut().find(|(location, _)| *location == name) {
            writes.extend(of_engine.mo().iter().filter_map(|id| places[id.at()]));
        }
    }
    graph
}

/// Makes room for an event of this kind in a section, unless it is one that canonical graphs do not have.
fn count(graph: &mut Canon, section: usize, kind: Kind) -> Option<Place> {
    let kind = match kind {
        Kind::Read => CanonKind::Read,
        Kind::Write => CanonKind::Write,
        Kind::Fence => CanonKind::Fence,
        Kind::PlainRead => CanonKind::PlainRead,
        Kind::PlainWrite => CanonKind::PlainWrite,
        Kind::Spawn | Kind::Join | Kind::End | Kind::Choice => return None,
    };
    let events = &mut graph.sections[section];
    let place = Place { section: section as u8, index: events.len() as u8 };
    events.push(CanonEvent { kind, location: None, order: None, value: 0, source: None });
    Some(place)
}
