//! Real-time orders that are derived from executions, against all interleavings.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;

use linchpin_corpus::prng::Prng;
use linchpin_corpus::random::{self, Flavour};
use linchpin_corpus::run::{config, run};
use linchpin_graph::{EventId, Execution, Kind, RealTime, ThreadId};
use linchpin_model::MemoryModel;

#[global_allocator]
static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);

/// Executions with more interleavings are left out.
const LIMIT: usize = 300;

type Operation = (ThreadId, Range<u32>);

/// Pairs of operations of which the first returns before the second is called.
type Order = BTreeSet<(usize, usize)>;

/// Cuts the events of each thread but the first into operations, now and then one without events. Read-modify-writes stay in
/// one piece.
fn operations(execution: &Execution, random: &mut Prng) -> Vec<Operation> {
    let mut operations = Vec::new();
    for number in 1..execution.threads().len() as u32 {
        let thread = ThreadId(number);
        let events = execution.thread(thread).events();
        let mut start = 0;
        while start < events.len() as u32 - 1 {
            let mut end = start + random.below(3) as u32;
            let splits = |end: u32| {
                let event = execution.event(events[end as usize]);
                event.is_write() && event.exclusive
            };
            while end > start && end < events.len() as u32 - 1 && splits(end) {
                end += 1;
            }
            end = end.min(events.len() as u32 - 1);
            operations.push((thread, start..end));
            // Between operations, something that belongs to none.
            start = end + u32::from(end == start || random.chance(20));
            while start < events.len() as u32 && splits(start) {
                start += 1;
            }
        }
    }
    operations
}

/// One step of an interleaving: an event, a whole read-modify-write, or nothing, where an operation without events is.
struct Step {
    thread: ThreadId,
    events: Vec<EventId>,
    operation: Option<usize>,
}

/// Threads as steps.
fn steps(execution: &Execution, operations: &[Operation]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (number, thread) in execution.threads().iter().enumerate() {
        let id = ThreadId(number as u32);
        for (index, &event) in thread.events().iter().enumerate() {
            let here = |(_, (of, events)): &(usize, &Operation)| *of == id && events.contains(&(index as u32));
            let empty = |(_, (of, events)): &(usize, &Operation)| {
                *of == id && events.is_empty() && events.start == index as u32
            };
            for (operation, _) in operations.iter().enumerate().filter(empty) {
                steps.push(Step { thread: id, events: Vec::new(), operation: Some(operation) });
            }
            let value = execution.event(event);
            if value.is_write() && value.exclusive {
                steps.last_mut().unwrap().events.push(event);
                continue;
            }
            let operation = operations.iter().enumerate().find(here).map(|(operation, _)| operation);
            steps.push(Step { thread: id, events: vec![event], operation });
        }
    }
    steps
}

/// Must the first event come before the second, by po ∪ rf ∪ mo ∪ fr or the life of threads, directly?
fn comes_before(execution: &Execution, first: EventId, second: EventId) -> bool {
    let (one, other) = (execution.event(first), execution.event(second));
    if one.thread == other.thread {
        return one.index < other.index;
    }
    match (one.kind, other.kind) {
        (Kind::Spawn, _) => u64::from(other.thread.0) == one.value,
        (Kind::End, Kind::Join) => u64::from(one.thread.0) == other.value,
        (Kind::Write, Kind::Read) => other.source == first,
        _ if one.location != other.location => false,
        (Kind::Write, Kind::Write) => one.mo_position() < other.mo_position(),
        (Kind::Read, Kind::Write) => execution.source_position(first) < other.mo_position(),
        _ => false,
    }
}

/// All orders that some interleaving gives; `None` if there are too many interleavings.
fn by_brute_force(execution: &Execution, operations: &[Operation]) -> Option<BTreeSet<Order>> {
    let steps = steps(execution, operations);
    let needs: Vec<Vec<usize>> = (0..steps.len())
        .map(|later| {
            let is_needed = |&earlier: &usize| {
                let (first, second) = (&steps[earlier], &steps[later]);
                if first.thread == second.thread {
                    return earlier < later;
                }
                let pairs = first.events.iter().flat_map(|&one| second.events.iter().map(move |&other| (one, other)));
                let spawns = first.events.iter().any(|&one| {
                    let event = execution.event(one);
                    event.kind == Kind::Spawn && event.value == u64::from(second.thread.0)
                });
                let mut pairs = pairs;
                spawns || pairs.any(|(one, other)| comes_before(execution, one, other))
            };
            (0..steps.len()).filter(is_needed).collect()
        })
        .collect();
    let mut search = Search {
        steps: &steps,
        needs: &needs,
        operations: operations.len(),
        done: Vec::new(),
        found: BTreeSet::new(),
        left: LIMIT,
    };
    search.extend().then_some(search.found)
}

struct Search<'a> {
    steps: &'a [Step],
    needs: &'a [Vec<usize>],
    operations: usize,
    done: Vec<usize>,
    found: BTreeSet<Order>,
    left: usize,
}

impl Search<'_> {
    /// `false` if there are too many.
    fn extend(&mut self) -> bool {
        if self.done.len() == self.steps.len() {
            let spans: Vec<(usize, usize)> = (0..self.operations)
                .map(|operation| {
                    let is_own = |step: &usize| self.steps[*step].operation == Some(operation);
                    let first = self.done.iter().position(is_own).unwrap();
                    (first, self.done.iter().rposition(is_own).unwrap())
                })
                .collect();
            let pairs = (0..spans.len()).flat_map(|a| (0..spans.len()).map(move |b| (a, b)));
            self.found.insert(pairs.filter(|&(a, b)| spans[a].1 < spans[b].0).collect());
            self.left -= 1;
            return self.left > 0;
        }
        for step in 0..self.steps.len() {
            if !self.done.contains(&step) && self.needs[step].iter().all(|need| self.done.contains(need)) {
                self.done.push(step);
                let goes_on = self.extend();
                self.done.pop();
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }
}

fn maximal(orders: &BTreeSet<Order>) -> BTreeSet<Order> {
    let is_maximal = |order: &&Order| !orders.iter().any(|other| other != *order && order.is_subset(other));
    orders.iter().filter(is_maximal).cloned().collect()
}

/// Compares for all executions of some programs; returns how many were compared, and how many of them have several orders.
fn compare(model: MemoryModel, flavour: Flavour, programs: Range<u64>) -> (usize, usize) {
    let counts = Mutex::new((0, 0));
    for seed in programs {
        let program = random::program(flavour, seed);
        let observe = |execution: &Execution| {
            let mut random = Prng::new(seed ^ execution.len() as u64);
            let operations = operations(execution, &mut random);
            let real_time = execution.real_time(&operations).unwrap();
            if matches!(real_time, RealTime::Weak(_)) {
                return;
            }
            let Some(expected) = by_brute_force(execution, &operations) else { return };
            let derived = real_time.orders();
            let pairs = |order: &linchpin_graph::Precedence| -> Order {
                let all = 0..operations.len();
                all.clone()
                    .flat_map(|a| all.clone().map(move |b| (a, b)))
                    .filter(|&(a, b)| order.precedes(a, b))
                    .collect()
            };
            let derived: BTreeSet<Order> = derived.iter().map(pairs).collect();
            assert_eq!(derived, maximal(&expected), "seed {seed}: {operations:?} in\n{program}");
            let mut counts = counts.lock().unwrap();
            counts.0 += 1;
            counts.1 += usize::from(derived.len() > 1);
        };
        let config = linchpin_engine::Config { max_executions: Some(20), ..config(model, None) };
        run(&program, &config, &observe);
    }
    counts.into_inner().unwrap()
}

#[test]
fn derived_orders_are_the_maximal_ones_of_all_interleavings() {
    for model in [MemoryModel::Sc, MemoryModel::C11] {
        let (compared, with_several) = compare(model, Flavour::Mixed, 0..500);
        assert!(compared > 1_000 && with_several > 100, "{compared} compared, {with_several} with several orders");
    }
}

#[test]
fn without_interleavings_happens_before_gives_the_order() {
    let compared = Mutex::new(0);
    for seed in 0..500 {
        let program = random::program(Flavour::Psc, seed);
        let observe = |execution: &Execution| {
            let operations = operations(execution, &mut Prng::new(seed));
            let Some(RealTime::Weak(order)) = execution.real_time(&operations) else { return };
            let event = |thread: ThreadId, index: u32| execution.thread(thread).events()[index as usize];
            for (a, (thread, events)) in operations.iter().enumerate() {
                for (b, (other, of_other)) in operations.iter().enumerate() {
                    if thread != other && !events.is_empty() && !of_other.is_empty() {
                        let expected =
                            execution.happens_before(event(*thread, events.end - 1), event(*other, of_other.start));
                        assert_eq!(order.precedes(a, b), expected, "seed {seed}: {operations:?} in\n{program}");
                        *compared.lock().unwrap() += 1;
                    }
                }
            }
        };
        run(&program, &config(MemoryModel::C11, None), &observe);
    }
    let compared = compared.into_inner().unwrap();
    assert!(compared > 1_000, "{compared} pairs compared");
}
