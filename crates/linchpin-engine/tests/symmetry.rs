//! Exploring one of each set of mirrored executions loses none of the sets.

mod common;

use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use common::Atomic;
use linchpin_engine::{Config, Hooks, LoopReduction, explore_with, rt};
use linchpin_graph::{Execution, Kind, MemoryModel, Order, ThreadId};

#[derive(Clone, Copy, Debug)]
enum Op {
    Load(usize),
    Store(usize, usize),
    Add(usize),
    Cas(usize, usize, usize),
}

fn run(ops: &[Op], memory: &[Atomic], order: Order) {
    for &op in ops {
        match op {
            Op::Load(x) => drop(memory[x].load(order)),
            Op::Store(x, value) => memory[x].store(value, order),
            Op::Add(x) => drop(memory[x].fetch_add(1, order)),
            Op::Cas(x, expected, new) => drop(memory[x].compare_exchange(expected, new, order, order)),
        }
    }
}

/// Groups of interchangeable threads: how many, and what each of them does.
type Groups = Vec<(usize, Vec<Op>)>;

fn test(groups: Groups, order: Order) -> impl Fn() + Sync {
    move || {
        let memory: Arc<Vec<Atomic>> = Arc::new((0..2).map(|_| Atomic::new(0)).collect());
        let site = Location::caller();
        let mut threads = Vec::new();
        for (size, ops) in &groups {
            let bodies = (0..*size).map(|_| {
                let (memory, ops) = (memory.clone(), ops.clone());
                rt::Body::new(move || run(&ops, &memory, order))
            });
            threads.extend(rt::spawn_symmetric(bodies.collect(), site));
        }
        for thread in threads {
            rt::join(thread, site);
        }
    }
}

/// All ways to rename threads within their groups.
fn renamings(groups: &[usize]) -> Vec<Vec<u32>> {
    let mut all = vec![vec![ThreadId::MAIN.0]];
    let mut first = 1;
    for size in groups {
        let members: Vec<u32> = (first..first + *size as u32).collect();
        first += *size as u32;
        let extend = |names: &Vec<u32>| {
            let names = names.clone();
            permutations(&members).into_iter().map(move |members| [names.clone(), members].concat())
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

type Place = (u32, u32);

/// The execution with threads renamed as `names` says, as something that can be compared.
fn renamed(execution: &Execution, names: &[u32]) -> (Vec<(Place, String)>, Vec<Vec<Place>>) {
    let place = |id| {
        let event = execution.event(id);
        (names[event.thread.at()], event.index)
    };
    // Places that only other branches have touched may be left in the graph.
    let touched = || execution.locations().iter().map(|(_, location)| location).filter(|at| !at.is_untouched());
    let first = touched().map(|location| location.address).min().unwrap_or(0);
    let mut events = Vec::new();
    for event in execution.events() {
        if !matches!(event.kind, Kind::Read | Kind::Write) {
            continue;
        }
        let source = if event.is_read() && event.source.is_some() { Some(place(event.source)) } else { None };
        let at = execution.location(event.location).address - first;
        events.push(((names[event.thread.at()], event.index), format!("{:?} {at} {source:?}", event.kind)));
    }
    events.sort();
    let mut mo: Vec<(usize, Vec<Place>)> = touched()
        .map(|location| (location.address, location.mo().iter().map(|&write| place(write)).collect()))
        .collect();
    mo.sort();
    (events, mo.into_iter().map(|(_, mo)| mo).collect())
}

fn permutations(items: &[u32]) -> Vec<Vec<u32>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &item) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(i);
        for mut tail in permutations(&rest) {
            tail.insert(0, item);
            all.push(tail);
        }
    }
    all
}

type Class = (Vec<(Place, String)>, Vec<Vec<Place>>);

/// The classes of executions that are found, and how many executions that took.
fn classes(config: &Config, groups: &[usize], test: &(dyn Fn() + Sync)) -> (BTreeSet<Class>, u64) {
    let names = renamings(groups);
    let found = Mutex::new(BTreeSet::new());
    let observe = |execution: &Execution| {
        let class = names.iter().map(|names| renamed(execution, names)).min().expect("a renaming");
        found.lock().expect("no panic").insert(class);
    };
    let exploration = explore_with(config, test, Hooks { observe: &observe, ..Hooks::default() });
    assert!(exploration.violation.is_none());
    (found.into_inner().expect("no panic"), exploration.complete)
}

/// Each class that an exploration without symmetry finds is explored exactly once with it, also when every part of the exploration
/// changes hands.
fn check(config: &Config, groups: &[usize], test: &(dyn Fn() + Sync), what: &str) {
    let (all, _) = classes(&Config { symmetry: false, ..config.clone() }, groups, test);
    for shares_always in [false, true] {
        let (found, explored) = classes(&Config { shares_always, ..config.clone() }, groups, test);
        let lost = all.difference(&found).count();
        assert!(all == found, "{lost} of {} classes lost, shared {shares_always}: {what}", all.len());
        assert_eq!(explored, found.len() as u64, "explored twice, shared {shares_always}: {what}");
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn ops(&mut self, n: usize) -> Vec<Op> {
        let op = |random: &mut Random| {
            let x = random.below(2) as usize;
            match random.below(4) {
                0 => Op::Load(x),
                1 => Op::Store(x, 1 + random.below(2) as usize),
                2 => Op::Add(x),
                _ => Op::Cas(x, random.below(2) as usize, random.below(3) as usize),
            }
        };
        (0..n).map(|_| op(self)).collect()
    }

    fn groups(&mut self) -> Groups {
        let shapes: [&[(usize, usize)]; 7] = [
            &[(2, 2), (1, 2)],
            &[(1, 2), (2, 2)],
            &[(2, 1), (2, 2)],
            &[(2, 2), (2, 1)],
            &[(3, 1), (1, 2)],
            &[(3, 1), (2, 1)],
            &[(2, 3)],
        ];
        self.pick(&shapes).iter().map(|&(size, ops)| (size, self.ops(ops))).collect()
    }
}

#[test]
fn each_class_of_mirrored_executions_is_explored_exactly_once() {
    let rounds = std::env::var("LINCHPIN_ROUNDS").map_or(150, |rounds| rounds.parse().expect("a number"));
    let mut random = Random(1);
    for _ in 0..rounds {
        let groups = random.groups();
        let order = random.pick(&[Order::Relaxed, Order::SeqCst]);
        for model in [MemoryModel::C11, MemoryModel::Sc] {
            let config = Config { model, workers: 1, loops: LoopReduction::Off, ..Config::default() };
            let sizes: Vec<usize> = groups.iter().map(|(size, _)| *size).collect();
            check(&config, &sizes, &test(groups.clone(), order), &format!("{model:?} {groups:?}"));
        }
    }
}

/// A stack whose nodes never move: pushing and popping meet at its head only.
struct Stack {
    head: Atomic,
}

struct Node {
    next: usize,
}

impl Stack {
    fn push(&self) {
        let node = Box::into_raw(Box::new(Node { next: 0 }));
        let mut head = self.head.load(Order::Relaxed);
        loop {
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = head };
            match self.head.compare_exchange(head, node as usize, Order::Release, Order::Relaxed) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }

    fn pop(&self) {
        let mut head = self.head.load(Order::Acquire);
        while head != 0 {
            // SAFETY: nodes are never freed.
            let next = unsafe { (*(head as *const Node)).next };
            match self.head.compare_exchange(head, next, Order::Acquire, Order::Acquire) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }
}

fn crowd(pushers: usize, poppers: usize) -> impl Fn() + Sync {
    move || {
        let stack = Arc::new(Stack { head: Atomic::new(0) });
        let site = Location::caller();
        let bodies = |count: usize, body: fn(&Stack)| -> Vec<rt::Body> {
            let stacks = (0..count).map(|_| stack.clone());
            stacks.map(|stack| rt::Body::new(move || body(&stack))).collect()
        };
        let mut threads = rt::spawn_symmetric(bodies(pushers, Stack::push), site);
        threads.extend(rt::spawn_symmetric(bodies(poppers, Stack::pop), site));
        for thread in threads {
            rt::join(thread, site);
        }
    }
}

#[test]
fn a_crowd_at_a_stack_is_explored_once_per_class_with_and_without_loop_reduction() {
    for (pushers, poppers) in [(2, 1), (1, 2), (2, 2), (3, 1), (3, 2), (2, 3)] {
        for loops in [LoopReduction::Off, LoopReduction::CrossChecked] {
            if loops == LoopReduction::Off && pushers + poppers > 4 {
                continue;
            }
            let config = Config { workers: 1, loops, ..Config::default() };
            check(&config, &[pushers, poppers], &crowd(pushers, poppers), &format!("{pushers}+{poppers} {loops:?}"));
        }
    }
}
