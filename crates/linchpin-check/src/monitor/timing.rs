//! How long decisions of long histories take; on demand, since clocks are no judges:
//! `cargo test --release -p linchpin-check -- --ignored --nocapture long_histories`.

use std::time::Instant;

use fastrand::Rng;

use super::generate::{self, BIT, REGISTER};
use super::{Act, Decision, Observed, Watched, decide};
use crate::Limits;
use crate::limits::Budget;

const OPERATIONS: usize = 100_000;

fn time(what: &str, watched: Watched, history: &[Observed]) {
    let begin = Instant::now();
    let decision = decide(watched, history, &Budget::new(&Limits::default())).unwrap();
    let elapsed = begin.elapsed();
    let answer = match decision {
        Decision::Order(order) => format!("in order ({})", order.len()),
        Decision::Violation { fails_at, contradiction } => {
            let operations = contradiction.map_or(0, |contradiction| contradiction.operations().len());
            format!("fails at {fails_at}, {operations} operations")
        }
        Decision::NotApplicable => "not applicable".to_owned(),
    };
    println!("{elapsed:>12.1?}  {what}: {answer}");
}

/// Exchanges what two removals took out, or two reads read, the second of them later by `distance` at least; if
/// `in_time`, what the second one took out was there when the first one was called. Of a bit, observes something else.
fn exchange(history: &mut [Observed], at: usize, distance: usize, in_time: bool) {
    let is_removal = |at: &usize| matches!(history[*at].act, Act::Remove(_) | Act::Read(_));
    if let Some(Act::Observe(bit)) =
        history[at..].iter().map(|seen| seen.act).find(|act| matches!(act, Act::Observe(_)))
    {
        let wrong = history[at..].iter_mut().filter(|seen| seen.act == Act::Observe(bit)).take(distance);
        wrong.for_each(|seen| seen.act = Act::Observe(!bit));
        return;
    }
    let there: std::collections::HashSet<Act> = match in_time {
        true => history[..at].iter().map(|seen| seen.act).collect(),
        false => std::collections::HashSet::new(),
    };
    let is_there = |at: &usize| match history[*at].act {
        Act::Remove(value) => !in_time || there.contains(&Act::Add(value)),
        _ => true,
    };
    let Some(first) = (at..history.len()).find(is_removal) else { return };
    let act = history[first].act;
    let mut later = (first + distance..history.len()).filter(is_removal).filter(is_there);
    if let Some(second) = later.find(|&at| history[at].act != act) {
        history[first].act = history[second].act;
        history[second].act = act;
    }
}

#[test]
#[ignore = "measures"]
fn long_histories() {
    for watched in [REGISTER, BIT, Watched::Queue, Watched::Stack, Watched::PriorityQueue] {
        for (clients, depth) in [(4, 3), (16, 10), (16, 2000), (200, 30)] {
            let mut rng = Rng::with_seed(1);
            let history = generate::long(watched, OPERATIONS, clients, depth, &mut rng);
            let name = format!("{watched:?}, {clients} clients, depth {depth}");
            time(&name, watched, &history);
            for at in [1000, OPERATIONS / 2, OPERATIONS - 6000] {
                for (distance, in_time) in [(20, true), (300, true), (300, false), (5000, true)] {
                    let mut wrong = history.clone();
                    exchange(&mut wrong, at, distance, in_time);
                    time(&format!("{name}, wrong at {at} by {distance}"), watched, &wrong);
                }
            }
        }
    }
}

#[test]
#[ignore = "measures"]
fn long_histories_that_are_hard() {
    // An element that is taken out while others are there, one after another.
    for watched in [Watched::Stack, Watched::PriorityQueue, Watched::Queue] {
        let mut history = chain(OPERATIONS as u32 / 2);
        time(&format!("{watched:?}, chain"), watched, &history);
        (history[0].act, history[1].act) = (Act::Nothing, Act::FindEmpty);
        time(&format!("{watched:?}, chain around what finds nothing"), watched, &history);
        history.truncate(history.len() - 2);
        time(&format!("{watched:?}, chain with an end"), watched, &history);
    }
    // Everything is out of order.
    for watched in [REGISTER, Watched::Stack, Watched::PriorityQueue, Watched::Queue] {
        let mut rng = Rng::with_seed(2);
        let mut history = generate::long(watched, OPERATIONS, 16, 100, &mut rng);
        for at in (0..OPERATIONS - 500).step_by(50) {
            exchange(&mut history, at, 20, true);
        }
        time(&format!("{watched:?}, all wrong"), watched, &history);
        // Everything is open until the end, and then some.
        let mut history = generate::long(watched, OPERATIONS, OPERATIONS / 4, 100, &mut rng);
        time(&format!("{watched:?}, much overlap"), watched, &history);
        exchange(&mut history, OPERATIONS / 3, OPERATIONS / 2, true);
        time(&format!("{watched:?}, much overlap, wrong"), watched, &history);
    }
}

/// The removal of the first element lasts as long as the others, but the last, are there, each until the next one is.
fn chain(elements: u32) -> Vec<Observed> {
    let mut history = Vec::new();
    for value in 0..elements {
        let begin = 3 * value + u32::from(value > 0);
        history.push(Observed { act: Act::Add(value), call: begin, ret: begin + 1 });
        // All others are taken out at the end.
        history.push(Observed { act: Act::Remove(value), call: begin + 5, ret: 3 * elements + 10 + value });
    }
    history[1].call = 6;
    history[1].ret = 3 * elements + 1;
    let last = history.len() - 1;
    history[last].call = 3 * elements + 5;
    // Distinct times, in the same order.
    let mut times: Vec<(u32, bool, usize)> = Vec::new();
    for (at, seen) in history.iter().enumerate() {
        times.extend([(seen.call, false, at), (seen.ret, true, at)]);
    }
    times.sort_unstable();
    for (rank, (_, is_return, at)) in (0..).zip(times) {
        *(if is_return { &mut history[at].ret } else { &mut history[at].call }) = rank;
    }
    history
}
