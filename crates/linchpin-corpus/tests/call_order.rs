//! The order of calls that contracts go by, against a reading of its definition: all total orders of SC events are gone through.

use std::sync::Mutex;

use linchpin_check::contracts::{CallOrder, Observed};
use linchpin_corpus::axioms::Certain;
use linchpin_corpus::canon::Place;
use linchpin_corpus::program::Program;
use linchpin_corpus::random::{self, Flavour};
use linchpin_corpus::run::{canon, config, run};
use linchpin_graph::{EventId, Execution, Kind, MemoryModel, ThreadId};
use linchpin_model::Value;

#[global_allocator]
static ALLOCATOR: linchpin_engine::Allocator = linchpin_engine::Allocator::new(std::alloc::System);

/// All orders of more events than this take too long.
const MOST_EVENTS: usize = 7;

/// The events of each section that canonical graphs have, in program order.
fn sections(program: &Program, execution: &Execution) -> Vec<Vec<EventId>> {
    let mut sections = vec![Vec::new(); program.threads.len() + 2];
    let mut of_thread = vec![0; execution.threads().len()];
    let mut next = 1;
    for &id in execution.thread(ThreadId::MAIN).events() {
        let event = execution.event(id);
        match event.kind {
            Kind::Spawn => {
                of_thread[event.value as usize] = next;
                next += 1;
                of_thread[0] = sections.len() - 1;
            }
            Kind::Join | Kind::End | Kind::Choice => {}
            _ => sections[of_thread[0]].push(id),
        }
    }
    for (number, thread) in execution.threads().iter().enumerate().skip(1) {
        let counts = |&&id: &&EventId| !matches!(execution.event(id).kind, Kind::End | Kind::Choice);
        sections[of_thread[number]].extend(thread.events().iter().filter(counts));
    }
    sections
}

/// Cuts sections into calls with a few ordering points; each comes with the places at which it begins and ends for the order.
fn calls(
    execution: &Execution,
    sections: &[Vec<EventId>],
    random: &mut fastrand::Rng,
) -> Vec<(Observed, Vec<Place>, Vec<Place>)> {
    let mut calls = Vec::new();
    for (number, events) in sections.iter().enumerate() {
        let mut at = 0;
        while at < events.len() {
            let end = random.usize(at + 1..=events.len());
            let points: Vec<usize> = (at..end).filter(|_| random.u8(0..3) == 0).collect();
            let index = |at: usize| execution.event(events[at]).index;
            let observed = Observed {
                object: 0,
                kind: "",
                operation: "",
                arguments: vec![],
                returned: Value::Nil,
                thread: execution.event(events[at]).thread,
                events: index(at)..index(end - 1) + 1,
                points: points.iter().map(|&at| index(at)).collect(),
            };
            let place = |at: usize| Place { section: number as u8, index: at as u8 };
            let (starts, ends) = match points.is_empty() {
                true => (vec![place(at)], vec![place(end - 1)]),
                false => (points.iter().copied().map(place).collect(), points.iter().copied().map(place).collect()),
            };
            calls.push((observed, starts, ends));
            at = end;
        }
    }
    calls
}

fn agree(flavour: Flavour, model: MemoryModel, programs: u64) {
    let random = Mutex::new(fastrand::Rng::with_seed(3));
    let (ordered, by_sc) = (Mutex::new(0), Mutex::new(0));
    for seed in 0..programs {
        let program = random::program(flavour, seed);
        if program.len() > MOST_EVENTS {
            continue;
        }
        run(&program, &config(model, None), &|execution| {
            let sections = sections(&program, execution);
            if sections.iter().map(Vec::len).sum::<usize>() > MOST_EVENTS {
                return;
            }
            let certain = Certain::of(&canon(&program, execution), model);
            let calls = calls(execution, &sections, &mut random.lock().unwrap());
            let n = calls.len();
            let mut expected = vec![vec![false; n]; n];
            for (a, (_, _, ends)) in calls.iter().enumerate() {
                for (b, (_, starts, _)) in calls.iter().enumerate().filter(|&(b, _)| b != a) {
                    expected[a][b] = ends.iter().any(|&end| starts.iter().any(|&start| certain.orders(end, start)));
                }
            }
            for _ in 0..n {
                let known = expected.clone();
                for (a, row) in expected.iter_mut().enumerate() {
                    for (b, is_before) in row.iter_mut().enumerate() {
                        *is_before |= (0..n).any(|middle| known[a][middle] && known[middle][b]);
                    }
                }
            }
            let observed: Vec<Observed> = calls.into_iter().map(|(observed, ..)| observed).collect();
            let order = CallOrder::of(execution, &observed);
            for (a, row) in expected.iter().enumerate() {
                for (b, &is_before) in row.iter().enumerate() {
                    assert_eq!(order.orders(a, b), is_before, "seed {seed}: {program}{a} and {b} of {observed:?}");
                    let across = is_before && observed[a].thread != observed[b].thread;
                    *ordered.lock().unwrap() += u64::from(across);
                    let last = |call: &Observed| execution.thread(call.thread).events()[call.events.end as usize - 1];
                    let by_hb = execution.happens_before(last(&observed[a]), last(&observed[b]));
                    *by_sc.lock().unwrap() += u64::from(across && !by_hb);
                }
            }
        });
    }
    let counts = (*ordered.lock().unwrap(), *by_sc.lock().unwrap());
    assert!(
        counts.0 > 1_000 && counts.1 > 100,
        "calls of different threads ordered, and not by their ends: {counts:?}"
    );
}

#[test]
fn calls_are_ordered_as_defined_under_c11() {
    agree(Flavour::Mixed, MemoryModel::C11, 3_000);
}

#[test]
fn calls_are_ordered_as_defined_with_many_sc_events_and_fences() {
    agree(Flavour::Psc, MemoryModel::C11, 1_000);
}

#[test]
fn calls_are_ordered_as_defined_under_sc() {
    agree(Flavour::Mixed, MemoryModel::Sc, 500);
}
