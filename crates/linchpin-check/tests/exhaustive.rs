//! All histories of up to four operations: brute force, the general search and whatever `check` chooses agree on each.

mod oracle;
mod searched;

use linchpin_check::specs::*;
use linchpin_check::{Limits, Verdict, check, verify};
use linchpin_model::{History, Interval, Operation, Specification, Value};
use oracle::HistoryOf;
use searched::{Saying, Says};

/// Every way in which the calls and returns of `n` operations can follow each other: for each operation, in the order
/// of their calls, when it is called and when it returns.
fn interleavings(n: usize) -> Vec<Vec<(i64, i64)>> {
    fn extend(n: usize, time: i64, open: &[usize], begun: &mut Vec<(i64, i64)>, all: &mut Vec<Vec<(i64, i64)>>) {
        if begun.len() == n && open.is_empty() {
            all.push(begun.clone());
            return;
        }
        if begun.len() < n {
            begun.push((time, 0));
            extend(n, time + 1, &[open, &[begun.len() - 1]].concat(), begun, all);
            begun.pop();
        }
        for (i, &operation) in open.iter().enumerate() {
            begun[operation].1 = time;
            let left = [&open[..i], &open[i + 1..]].concat();
            extend(n, time + 1, &left, begun, all);
        }
    }
    let mut all = Vec::new();
    extend(n, 0, &[], &mut Vec::new(), &mut all);
    all
}

type Acts<S> = Vec<(<S as Specification>::Invocation, <S as Specification>::Returned)>;

/// Decides every history of up to four of these operations; with every choice of pending ones if there are up to three.
fn agree<S: Specification>(specification: &S, acts: &Acts<S>) {
    let mut histories = 0;
    let mut violations = 0;
    for n in 1..=4_usize {
        for intervals in interleavings(n) {
            for choice in 0..acts.len().pow(n as u32) {
                let chosen = (0..n).map(|i| &acts[choice / acts.len().pow(i as u32) % acts.len()]);
                let chosen: Vec<_> = chosen.collect();
                for pending in 0..if n <= 3 { 1_u32 << n } else { 1 } {
                    let mut history: HistoryOf<S> = History::new();
                    for (i, ((invocation, result), &(call, ret))) in chosen.iter().zip(&intervals).enumerate() {
                        let returned = pending >> i & 1 == 0;
                        let result = returned.then(|| result.clone());
                        let ret = if returned { ret } else { Interval::NEVER };
                        let operation =
                            Operation { process: i as u64, invocation: invocation.clone(), result, returned };
                        history.push(operation, Interval { call, ret });
                    }
                    histories += 1;
                    violations += usize::from(!agree_on(specification, &history));
                }
            }
        }
    }
    assert!(violations > histories / 10 && violations < histories * 9 / 10, "{violations} of {histories} fail");
}

/// Is it linearizable? Everybody has to say the same.
fn agree_on<S: Specification>(specification: &S, history: &HistoryOf<S>) -> bool {
    let expected = oracle::is_linearizable(specification, history);
    let limits = Limits::default();
    let fails_at = if expected { None } else { oracle::fails_at(specification, history) };
    let verdicts = [Says::Everything, Says::NoKind, Says::Nothing]
        .map(|says| check(&Saying(says, specification), history, &limits));
    for verdict in verdicts {
        match verdict {
            Verdict::Linearizable(witness) => {
                assert!(expected, "no order explains this: {history:?}");
                assert_eq!(verify(specification, history, &witness), Ok(()), "{witness:?} of {history:?}");
            }
            Verdict::Violation(evidence) => {
                assert!(!expected, "{evidence:?} in {history:?}");
                assert_eq!(evidence.fails_at, fails_at, "{evidence:?} in {history:?}");
            }
            Verdict::Unknown(reason) => panic!("{reason:?}"),
        }
    }
    expected
}

fn values(n: i64) -> impl Iterator<Item = Value> {
    (1..=n).map(Value::from)
}

#[test]
fn four_operations_have_as_many_interleavings_as_four_pairs_have_matchings() {
    assert_eq!((1..=4).map(|n| interleavings(n).len()).collect::<Vec<_>>(), [1, 3, 15, 105]);
}

#[test]
fn all_small_histories_of_a_register() {
    let writes = values(2).map(|value| (RegisterCall::Write(value), RegisterReturned::Written));
    let reads = (0..=2).map(|value| (RegisterCall::Read, RegisterReturned::Read(value.into())));
    agree(&Register { initial: 0.into() }, &writes.chain(reads).collect());
}

#[test]
fn all_small_histories_of_a_set() {
    let calls = [SetCall::Add, SetCall::Remove, SetCall::Contains];
    let acts = calls.into_iter().flat_map(|call| [false, true].map(|result| (call(1.into()), result)));
    agree(&Set, &acts.collect());
}

#[test]
fn all_small_histories_of_a_queue() {
    let adds = values(2).map(|value| (QueueCall::Enqueue(value), QueueReturned::Enqueued));
    let removes = [None].into_iter().chain(values(2).map(Some));
    let removes = removes.map(|value| (QueueCall::Dequeue, QueueReturned::Dequeued(value)));
    agree(&Queue, &adds.chain(removes).collect());
}

#[test]
fn all_small_histories_of_a_stack() {
    let adds = values(2).map(|value| (StackCall::Push(value), StackReturned::Pushed));
    let removes = [None].into_iter().chain(values(2).map(Some));
    let removes = removes.map(|value| (StackCall::Pop, StackReturned::Popped(value)));
    agree(&Stack, &adds.chain(removes).collect());
}
