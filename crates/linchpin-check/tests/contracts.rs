//! Contracts against a brute-force reading of Definitions 1 to 6 of the paper, which shares no code with them: sequential
//! objects as plain functions, all permutations of all calls of all objects, and r closed by hand.

use std::collections::{BTreeMap, VecDeque};

use linchpin_check::contracts::{
    Breach, CallOrder, Clause, Conformance, Contract, Contracts, Histories, Inadmissible, Observed,
};
use linchpin_graph::ThreadId;
use linchpin_model::Value;

struct Loose;
struct Strict;
struct Register;

fn contracts() -> Contracts {
    let loose = Contract::of::<Loose>(VecDeque::<i64>::new)
        .operation("enq", |queue, call| queue.push_back(call.argument(0)))
        .operation("deq", |queue, call| if call.c_ret.is_nil() { queue.front().copied() } else { queue.pop_front() })
        .postcondition(|_, call| call.c_ret.is_nil() || call.c_ret == call.s_ret)
        .justifying_postcondition(|_, call| !call.c_ret.is_nil() || call.s_ret.is_nil());
    let strict = Contract::of::<Strict>(VecDeque::<i64>::new)
        .admit("deq", "enq", |deq, _| deq.c_ret.is_nil())
        .operation("enq", |queue, call| queue.push_back(call.argument(0)))
        .operation("deq", |queue, _| queue.pop_front())
        .precondition(|queue, call| *call.c_ret == queue.front().map_or(Value::Nil, |&front| front.into()));
    let register = Contract::of::<Register>(|| 0)
        .operation("write", |value, call| *value = call.argument(0))
        .passive("read")
        .justifying_precondition(|value, call| {
            *call.c_ret == (*value).into()
                || call.concurrent().any(|other| other.is("write") && other.value(0) == call.c_ret)
        });
    Contracts::from(loose).and(strict).and(register)
}

fn call<T>(object: u64, operation: &'static str, argument: Option<i64>, returned: Value) -> Observed {
    Observed {
        object,
        kind: std::any::type_name::<T>(),
        operation,
        arguments: argument.map(Value::Integer).into_iter().collect(),
        returned,
        thread: ThreadId::MAIN,
        events: 0..0,
        points: vec![],
    }
}

/// The reading.
mod oracle {
    use super::*;

    pub struct Reading<'a> {
        pub calls: &'a [Observed],
        /// r, closed.
        pub before: Vec<Vec<bool>>,
    }

    #[derive(Debug, PartialEq, Eq, Clone, Copy, Hash, PartialOrd, Ord)]
    pub enum Answer {
        Holds,
        Inadmissible,
        Broken,
    }

    type Memory = BTreeMap<u64, Vec<i64>>;

    impl<'a> Reading<'a> {
        pub fn new(calls: &'a [Observed], pairs: &[(usize, usize)]) -> Self {
            let n = calls.len();
            let mut before = vec![vec![false; n]; n];
            for &(a, b) in pairs {
                before[a][b] = true;
            }
            for _ in 0..n {
                let known = before.clone();
                for (a, row) in before.iter_mut().enumerate() {
                    for (b, is_before) in row.iter_mut().enumerate() {
                        *is_before |= (0..n).any(|middle| known[a][middle] && known[middle][b]);
                    }
                }
            }
            Reading { calls, before }
        }

        pub fn answer(&self) -> Answer {
            let n = self.calls.len();
            let everything: Vec<usize> = (0..n).collect();
            let all_pairs = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            // Definition 1.
            if all_pairs().any(|(a, b)| self.are_concurrent(a, b) && self.want_order(a, b)) {
                return Answer::Inadmissible;
            }
            // Definition 4, for all calls.
            let is_justified = |m: usize| {
                let mut members: Vec<usize> = (0..n).filter(|&other| self.before[other][m]).collect();
                members.push(m);
                !self.is_loose(m)
                    || permutations(&members)
                        .iter()
                        .any(|j| j.last() == Some(&m) && self.respects(j) && self.justifies(j))
            };
            let holds = everything.iter().all(|&m| is_justified(m))
                // Definitions 2, 5 and 6.
                && permutations(&everything).iter().filter(|h| self.respects(h)).all(|h| self.breaks_at(h).is_none());
            if holds { Answer::Holds } else { Answer::Broken }
        }

        pub fn are_concurrent(&self, a: usize, b: usize) -> bool {
            let same_object = self.calls[a].object == self.calls[b].object;
            a != b && same_object && !self.before[a][b] && !self.before[b][a]
        }

        fn want_order(&self, a: usize, b: usize) -> bool {
            let (a, b) = (&self.calls[a], &self.calls[b]);
            a.kind.ends_with("Strict") && a.operation == "deq" && b.operation == "enq" && a.returned.is_nil()
        }

        pub fn respects(&self, order: &[usize]) -> bool {
            let later = |at: usize| &order[at + 1..];
            (0..order.len()).all(|at| later(at).iter().all(|&next| !self.before[next][order[at]]))
        }

        fn is_loose(&self, m: usize) -> bool {
            let call = &self.calls[m];
            call.kind.ends_with("Loose") && call.operation == "deq" || call.operation == "read"
        }

        /// Does the last call of the list return there what it does in the execution?
        fn justifies(&self, j: &[usize]) -> bool {
            let mut memory = Memory::new();
            for &m in &j[..j.len() - 1] {
                self.run(&mut memory, m);
            }
            let m = j[j.len() - 1];
            let call = &self.calls[m];
            let state = memory.entry(call.object).or_default();
            match (call.operation, call.returned.as_integer()) {
                ("deq", None) => state.is_empty(),
                ("read", Some(value)) => {
                    let concurrent = (0..self.calls.len()).filter(|&other| self.are_concurrent(m, other));
                    let writes = |other: usize| {
                        self.calls[other].operation == "write" && self.calls[other].arguments[0] == value.into()
                    };
                    state.last().copied().unwrap_or(0) == value || concurrent.into_iter().any(writes)
                }
                _ => true,
            }
        }

        /// The place in a history of a call that must not return what it returns.
        pub fn breaks_at(&self, history: &[usize]) -> Option<usize> {
            let mut memory = Memory::new();
            history.iter().position(|&m| {
                let call = &self.calls[m];
                let front = memory.get(&call.object).and_then(|queue| queue.first().copied());
                let broken = match (call.operation, call.returned.as_integer()) {
                    ("deq", None) => call.kind.ends_with("Strict") && front.is_some(),
                    ("deq", returned) => returned != front,
                    _ => false,
                };
                self.run(&mut memory, m);
                broken
            })
        }

        fn run(&self, memory: &mut Memory, m: usize) {
            let call = &self.calls[m];
            let state = memory.entry(call.object).or_default();
            match call.operation {
                "enq" | "write" => state.push(call.arguments[0].as_integer().unwrap()),
                "deq" if !state.is_empty() && (!call.returned.is_nil() || call.kind.ends_with("Strict")) => {
                    state.remove(0);
                }
                _ => {}
            }
        }
    }

    fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
        if of.is_empty() {
            return vec![vec![]];
        }
        let with_first = |(at, &first): (usize, &usize)| {
            let rest: Vec<usize> = of.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, &m)| m).collect();
            permutations(&rest).into_iter().map(move |mut tail| {
                tail.insert(0, first);
                tail
            })
        };
        of.iter().enumerate().flat_map(with_first).collect()
    }
}

use oracle::{Answer, Reading};

/// A few calls on up to two objects, and an order on them.
fn sample(random: &mut fastrand::Rng) -> (Vec<Observed>, Vec<(usize, usize)>) {
    let kinds = [random.u8(0..3), random.u8(0..3)];
    let count = random.usize(1..=6);
    let calls = (0..count).map(|_| {
        let object = random.usize(0..2);
        let kind = kinds[object];
        let object = object as u64;
        let value = random.i64(1..=2);
        let taken = if random.bool() { Value::Nil } else { value.into() };
        match (kind, random.bool()) {
            (0, true) => call::<Loose>(object, "enq", Some(value), Value::Nil),
            (0, false) => call::<Loose>(object, "deq", None, taken),
            (1, true) => call::<Strict>(object, "enq", Some(value), Value::Nil),
            (1, false) => call::<Strict>(object, "deq", None, taken),
            (_, true) => call::<Register>(object, "write", Some(value), Value::Nil),
            (_, false) => call::<Register>(object, "read", None, random.i64(0..=2).into()),
        }
    });
    let calls: Vec<Observed> = calls.collect();
    let density = random.f64();
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).filter(|_| random.f64() < density);
    let pairs = pairs.collect();
    (calls, pairs)
}

#[test]
fn verdicts_agree_with_the_definitions_on_random_executions() {
    let contracts = contracts();
    let mut random = fastrand::Rng::with_seed(7);
    let mut seen = BTreeMap::new();
    for _ in 0..10_000 {
        let (calls, pairs) = sample(&mut random);
        let reading = Reading::new(&calls, &pairs);
        let order = CallOrder::from_pairs(calls.len(), pairs.iter().copied());
        let verdict = contracts.check_order(&calls, &order, Histories::All);
        let answer = match &verdict {
            Conformance::Holds { .. } => Answer::Holds,
            Conformance::Inadmissible(_) => Answer::Inadmissible,
            Conformance::Broken(_) => Answer::Broken,
        };
        assert_eq!(answer, reading.answer(), "{verdict:?} of {calls:?} in the order {pairs:?}");
        *seen.entry(answer).or_insert(0) += 1;
        // The evidence is what it says it is.
        match verdict {
            Conformance::Broken(Breach {
                clause: Clause::Precondition | Clause::Postcondition, call, history, ..
            }) => {
                assert!(reading.respects(&history));
                assert_eq!((reading.breaks_at(&history), history.last()), (Some(history.len() - 1), Some(&call)));
            }
            Conformance::Inadmissible(Inadmissible { calls: (a, b), .. }) => assert!(reading.are_concurrent(a, b)),
            _ => {}
        }
    }
    assert!(seen.len() == 3 && seen.values().all(|&count| count > 500), "{seen:?}");
}

#[test]
fn a_sample_of_histories_finds_only_what_all_of_them_have() {
    let contracts = contracts();
    let mut random = fastrand::Rng::with_seed(8);
    let (mut found, mut missed) = (0, 0);
    for seed in 0..3_000 {
        let (calls, pairs) = sample(&mut random);
        let order = CallOrder::from_pairs(calls.len(), pairs);
        let all = contracts.check_order(&calls, &order, Histories::All);
        match contracts.check_order(&calls, &order, Histories::Sample { count: 2, seed }) {
            Conformance::Broken(_) => {
                assert!(matches!(all, Conformance::Broken(_)));
                found += 1;
            }
            _ if matches!(all, Conformance::Broken(_)) => missed += 1,
            _ => {}
        }
    }
    assert!(found > 500 && missed > 0, "{found} found, {missed} missed");
}

fn verdict(calls: &[Observed], pairs: &[(usize, usize)]) -> Conformance {
    contracts().check_order(calls, &CallOrder::from_pairs(calls.len(), pairs.iter().copied()), Histories::All)
}

fn clause(verdict: Conformance) -> Clause {
    match verdict {
        Conformance::Broken(breach) => breach.clause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_queues_may_both_be_found_empty_by_threads_that_do_not_see_each_other() {
    let calls = [
        call::<Loose>(0, "enq", Some(1), Value::Nil),
        call::<Loose>(1, "deq", None, Value::Nil),
        call::<Loose>(1, "enq", Some(1), Value::Nil),
        call::<Loose>(0, "deq", None, Value::Nil),
    ];
    // Two calls per object, unordered: two histories each.
    assert_eq!(verdict(&calls, &[(0, 1), (2, 3)]), Conformance::Holds { histories: 4 });
}

#[test]
fn a_thread_does_not_find_empty_what_it_has_filled() {
    let calls = [call::<Loose>(0, "enq", Some(1), Value::Nil), call::<Loose>(0, "deq", None, Value::Nil)];
    assert_eq!(clause(verdict(&calls, &[(0, 1)])), Clause::Justification);
}

#[test]
fn the_deterministic_queue_speaks_only_of_ordered_calls() {
    let calls = [call::<Strict>(0, "enq", Some(1), Value::Nil), call::<Strict>(0, "deq", None, Value::Nil)];
    assert!(matches!(verdict(&calls, &[]), Conformance::Inadmissible(_)));
    assert_eq!(clause(verdict(&calls, &[(0, 1)])), Clause::Precondition);
    assert_eq!(verdict(&calls, &[(1, 0)]), Conformance::Holds { histories: 1 });
}

#[test]
fn what_a_contract_does_not_have_is_said() {
    let unknown = [call::<Loose>(0, "len", None, Value::Nil)];
    assert_eq!(clause(verdict(&unknown, &[])), Clause::Missing);
    assert_eq!(clause(verdict(&[call::<u8>(0, "enq", None, Value::Nil)], &[])), Clause::Missing);
}

#[test]
fn a_rule_for_an_operation_that_is_not_there_is_an_error() {
    let contract = Contract::of::<Loose>(|| ()).passive("enq").admit("enq", "dequeue", |_, _| true);
    let calls = [call::<Loose>(0, "enq", Some(1), Value::Nil)];
    let verdict = Contracts::from(contract).check_order(&calls, &CallOrder::from_pairs(1, []), Histories::All);
    assert!(matches!(verdict, Conformance::Broken(breach) if breach.sentence.contains("the operation dequeue")));
}

#[test]
#[should_panic(expected = "has the operation enq twice")]
fn an_operation_is_described_once() {
    let _ = Contract::of::<Loose>(|| 0).passive("enq").passive("enq");
}

#[test]
fn an_order_that_goes_round_is_an_error() {
    let calls = [call::<Loose>(0, "enq", Some(1), Value::Nil), call::<Loose>(0, "deq", None, 1.into())];
    assert_eq!(clause(verdict(&calls, &[(0, 1), (1, 0)])), Clause::Order);
}

#[test]
#[should_panic(expected = "stands before the first operation")]
fn a_clause_belongs_to_an_operation() {
    let _ = Contract::of::<Loose>(|| 0).precondition(|_, _| true);
}

#[test]
#[should_panic(expected = "takes argument 0 of enq(1) as bool")]
fn an_argument_is_of_the_type_that_the_contract_says() {
    let contract = Contract::of::<Loose>(|| false).operation("enq", |state, call| *state = call.argument(0));
    let order = CallOrder::from_pairs(1, []);
    let calls = [call::<Loose>(0, "enq", Some(1), Value::Nil)];
    let _ = Contracts::from(contract).check_order(&calls, &order, Histories::All);
}
