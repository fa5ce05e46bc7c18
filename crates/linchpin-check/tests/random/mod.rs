//! Small random histories of any specification.

use fastrand::Rng;
use linchpin_model::{History, Interval, Operation, OperationId, Specification};

use crate::oracle::HistoryOf;

/// What may be called, and what each call may return.
pub struct Alphabet<S: Specification> {
    pub calls: Vec<(S::Invocation, Vec<S::Returned>)>,
}

/// A history of up to `operations` operations by up to four processes. Its results come from a hidden order; then some
/// are changed, so that about half of the histories fail.
pub fn history<S: Specification>(
    specification: &S,
    alphabet: &Alphabet<S>,
    operations: usize,
    rng: &mut Rng,
) -> HistoryOf<S> {
    struct Open<I> {
        process: u64,
        call: i64,
        invocation: I,
        result: Option<usize>,
        choices: usize,
    }
    let n = rng.usize(1..=operations);
    let processes = rng.u64(1..=4);
    let mut state = specification.initial();
    let mut open: Vec<Open<usize>> = Vec::new();
    let mut done: Vec<(Open<usize>, i64)> = Vec::new();
    let mut called = 0;
    let mut time = 0;
    while called < n || !open.is_empty() {
        time += 1;
        let idle: Vec<u64> = (0..processes).filter(|p| open.iter().all(|o| o.process != *p)).collect();
        let effective = open.iter().position(|o| o.result.is_some());
        match rng.u8(0..3) {
            0 if called < n && !idle.is_empty() => {
                called += 1;
                let invocation = rng.usize(..alphabet.calls.len());
                let process = idle[rng.usize(..idle.len())];
                open.push(Open {
                    process,
                    call: time,
                    invocation,
                    result: None,
                    choices: alphabet.calls[invocation].1.len(),
                });
            }
            1 if open.iter().any(|o| o.result.is_none()) => {
                let waiting: Vec<usize> = (0..open.len()).filter(|&i| open[i].result.is_none()).collect();
                let chosen = &mut open[waiting[rng.usize(..waiting.len())]];
                let (call, results) = &alphabet.calls[chosen.invocation];
                let mut possible = Vec::new();
                for (i, result) in results.iter().enumerate() {
                    let mut next = Vec::new();
                    specification.step(&state, call, Some(result), &mut next);
                    possible.extend(next.into_iter().map(|next| (i, next)));
                }
                if possible.is_empty() {
                    // It cannot be called here: as if it never had been.
                    chosen.result = Some(usize::MAX);
                } else {
                    let (result, next) = possible.swap_remove(rng.usize(..possible.len()));
                    (chosen.result, state) = (Some(result), next);
                }
            }
            2 if effective.is_some() => {
                let ready: Vec<usize> = (0..open.len()).filter(|&i| open[i].result.is_some()).collect();
                let chosen = open.swap_remove(ready[rng.usize(..ready.len())]);
                if chosen.result != Some(usize::MAX) {
                    done.push((chosen, time));
                }
            }
            _ => {}
        }
    }
    let changes = if rng.bool() { rng.usize(1..=2) } else { 0 };
    for _ in 0..changes {
        if !done.is_empty() {
            let i = rng.usize(..done.len());
            done[i].0.result = Some(rng.usize(..done[i].0.choices));
        }
    }
    let some_pending = rng.bool();
    done.sort_by_key(|(open, _)| open.call);
    let mut history = History::new();
    for (open, ret) in done {
        let (invocation, results) = &alphabet.calls[open.invocation];
        let result = open.result.map(|result| results[result].clone());
        let interval = Interval { call: open.call, ret };
        let operation = Operation { process: open.process, invocation: invocation.clone(), result, returned: true };
        match rng.u8(0..20) {
            0..4 if some_pending => {
                let ret = Interval::NEVER;
                // An operation that is open at the end of a prefix is pending and yet has a result.
                let result = if rng.u8(0..3) == 0 { operation.result.clone() } else { None };
                history.push(Operation { result, returned: false, ..operation }, Interval { ret, ..interval })
            }
            4 => history.push(Operation { result: None, ..operation }, interval),
            _ => history.push(operation, interval),
        };
    }
    history
}

/// The same operations with an order of their own: some of the pairs that real time has.
pub fn with_explicit_order<I: Clone, R: Clone>(history: &History<I, R>, rng: &mut Rng) -> History<I, R> {
    let pairs = history.ids().flat_map(|a| history.ids().map(move |b| (a, b)));
    let pairs: Vec<(OperationId, OperationId)> =
        pairs.filter(|&(a, b)| history.precedes(a, b)).filter(|_| rng.u8(0..4) > 0).collect();
    History::ordered(history.operations().to_vec(), pairs)
}
