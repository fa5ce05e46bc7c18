//! Orders that the configuration changes, against programs that have those orders in their text.
//!
//! All instructions of a program are at one position of the source, so a change applies to all of one kind.

use std::collections::BTreeSet;
use std::sync::Mutex;

use linchpin_corpus::program::{Instruction, Program};
use linchpin_corpus::random::{self, Flavour};
use linchpin_corpus::run::{config, explore, run};
use linchpin_engine::{Change, Config, Orders, Place, has_order};
use linchpin_graph::{MemoryModel, Order, Verb};

#[global_allocator]
static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);

/// The kinds of accesses that the program makes, with their places.
fn places(program: &Program) -> Vec<Place> {
    let places = Mutex::new(BTreeSet::new());
    run(program, &config(MemoryModel::C11, None), &|execution| {
        let events = execution.events().iter().filter(|event| has_order(event));
        places.lock().unwrap().extend(events.map(Place::of));
    });
    places.into_inner().unwrap().into_iter().collect()
}

/// An order that an access of this kind can have.
fn some_order(verb: Verb, random: &mut fastrand::Rng) -> Order {
    use Order::*;
    let orders: &[Order] = match verb {
        Verb::Load => &[Relaxed, Acquire, SeqCst],
        Verb::Store => &[Relaxed, Release, SeqCst],
        Verb::Fence => &[Acquire, Release, AcqRel, SeqCst],
        _ => &[Relaxed, Acquire, Release, AcqRel, SeqCst],
    };
    orders[random.usize(..orders.len())]
}

fn verb_of(instruction: &Instruction) -> Option<Verb> {
    Some(match instruction {
        Instruction::Load { .. } => Verb::Load,
        Instruction::Store { .. } => Verb::Store,
        Instruction::Swap { .. } => Verb::Swap,
        Instruction::FetchAdd { .. } => Verb::FetchAdd,
        Instruction::CompareExchange { .. } => Verb::CompareExchange,
        Instruction::Fence(_) => Verb::Fence,
        _ => return None,
    })
}

/// The program with the change in its text.
fn rewritten(body: &[Instruction], verb: Verb, change: Change) -> Vec<Instruction> {
    let mut result = Vec::new();
    for instruction in body {
        let mut instruction = instruction.clone();
        if let Instruction::If { body, .. } = &mut instruction {
            *body = rewritten(body, verb, change);
        }
        if verb_of(&instruction) == Some(verb) {
            result.extend(change.fence_before.map(Instruction::Fence));
            match &mut instruction {
                Instruction::Load { order, .. }
                | Instruction::Store { order, .. }
                | Instruction::Swap { order, .. }
                | Instruction::FetchAdd { order, .. }
                | Instruction::Fence(order) => *order = change.order.unwrap_or(*order),
                Instruction::CompareExchange { success, failure, .. } => {
                    *success = change.order.unwrap_or(*success);
                    *failure = change.failure.unwrap_or(*failure);
                }
                _ => {}
            }
        }
        result.push(instruction);
    }
    result
}

fn agree(flavour: Flavour, programs: u64) {
    let mut random = fastrand::Rng::with_seed(11);
    let mut different = 0;
    for seed in 0..programs {
        let program = random::program(flavour, seed);
        let places = places(&program);
        // What never runs need not be changed; an empty change is not worth a run.
        let Some(place) = (!places.is_empty()).then(|| &places[random.usize(..places.len())]) else { continue };
        let verb = place.verb;
        let is_exchange = verb == Verb::CompareExchange;
        let change = Change {
            order: (random.u8(0..4) > 0).then(|| some_order(verb, &mut random)),
            failure: (is_exchange && random.bool()).then(|| some_order(Verb::Load, &mut random)),
            fence_before: (verb != Verb::Fence && random.u8(0..3) == 0).then(|| some_order(Verb::Fence, &mut random)),
        };
        let mut text = program.clone();
        for section in text.sections_mut() {
            *section = rewritten(section, verb, change);
        }
        let plain = config(MemoryModel::C11, None);
        let changed = Config { orders: Orders::of_the_source().with(place, change), ..plain.clone() };
        let (ours, expected) = (explore(&program, &changed), explore(&text, &plain));
        assert_eq!(ours.complaint, None);
        let same = ours.executions == expected.executions && ours.outcomes == expected.outcomes;
        assert!(same, "seed {seed}: {change:?} of {verb:?} in\n{program}");
        different += u32::from(ours.executions != explore(&program, &plain).executions);
    }
    assert!(different > 50, "only {different} changes change anything");
}

#[test]
fn changed_orders_act_as_if_they_were_in_the_source() {
    agree(Flavour::Mixed, 400);
}

#[test]
fn changed_orders_act_as_if_they_were_in_the_source_in_critical_cycles() {
    agree(Flavour::Psc, 200);
}
