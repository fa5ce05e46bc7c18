//! Brute force, the general search and whatever `check` chooses agree on every small random history, and what they say
//! besides the verdict is true.

mod oracle;
mod random;
mod searched;

use std::collections::HashMap;

use fastrand::Rng;
use linchpin_check::specs::*;
use linchpin_check::{Contradiction, Evidence, Limits, Verdict, check, prefix, verify, witnesses_of_prefixes};
use linchpin_model::{History, Kind, Operation, OperationId, Role, Specification, Value};
use oracle::HistoryOf;
use random::Alphabet;
use searched::{Saying, Says};

/// How many histories of each type are tried.
const HISTORIES: usize = 100_000;

/// Tries many histories, and that both verdicts come up often.
fn agree<S: Specification>(specification: &S, alphabet: &Alphabet<S>) {
    let mut rng = Rng::with_seed(0x11a5);
    let limits = Limits::default();
    let mut violations = 0;
    for _ in 0..HISTORIES {
        let history = random::history(specification, alphabet, 6, &mut rng);
        let expected = oracle::is_linearizable(specification, &history);
        violations += usize::from(!expected);
        let fails_at = if expected { None } else { oracle::fails_at(specification, &history) };

        let context = || show(&history);
        let consider = |verdict: Verdict, found_by: &str| match verdict {
            Verdict::Linearizable(witness) => {
                assert!(expected, "{found_by} found an order that is none: {witness:?}\n{}", context());
                assert_eq!(verify(specification, &history, &witness), Ok(()), "{found_by}: {witness:?}\n{}", context());
                None
            }
            Verdict::Violation(evidence) => {
                assert!(!expected, "{found_by} found no order: {evidence:?}\n{}", context());
                assert_eq!(evidence.fails_at, fails_at, "{found_by}: {evidence:?}\n{}", context());
                Some(evidence)
            }
            Verdict::Unknown(reason) => panic!("{found_by} gave up: {reason:?}\n{}", context()),
        };
        if let Some(evidence) = consider(check(&Saying(Says::Everything, specification), &history, &limits), "check") {
            holds(specification, &history, &evidence);
            needs_every_value(specification, &history, &evidence);
        }
        consider(check(&Saying(Says::NoKind, specification), &history, &limits), "the search");
        consider(check(&Saying(Says::Nothing, specification), &history, &limits), "the plain search");
    }
    assert!((HISTORIES / 10..HISTORIES * 9 / 10).contains(&violations), "{violations} of {HISTORIES} fail");
}

/// The operations of a contradiction suffice for it, and none that may be left out is too many.
fn holds<S: Specification>(specification: &S, history: &HistoryOf<S>, evidence: &Evidence) {
    let context = || format!("{evidence:?}\n{}", show(history));
    let operations = evidence.contradiction.operations();
    let Contradiction::Stuck { since, .. } = &evidence.contradiction else {
        let some = history.restricted(|id| operations.contains(&id)).0;
        assert!(!oracle::is_linearizable(specification, &some), "not a contradiction: {}", context());
        return;
    };
    let states = if since.is_empty() {
        vec![specification.initial()]
    } else {
        let known = reachable(specification, history);
        since.iter().map(|text| known[text].clone()).collect()
    };
    let (begun, ids) = prefix(history, evidence.fails_at.expect("a history in real time")).expect("it returned");
    let fails = |without: Option<OperationId>| {
        let keep = |id: OperationId| operations.contains(&ids[id.index()]) && Some(ids[id.index()]) != without;
        let some = begun.restricted(keep).0;
        states.iter().all(|state| !oracle::is_linearizable_from(specification, &some, state))
    };
    assert!(fails(None), "not a contradiction: {}", context());
    for &id in &operations {
        if specification.is_read_only(&history[id].invocation, history[id].result.as_ref()) {
            assert!(!fails(Some(id)), "{id} is not needed: {}", context());
        }
    }
}

/// Of a queue, stack or priority queue, all operations on one value may be left out; so none of a contradiction's values
/// is too many. (Unless an operation may have worked on any value.)
fn needs_every_value<S: Specification>(specification: &S, history: &HistoryOf<S>, evidence: &Evidence) {
    if !matches!(specification.kind(), Some(Kind::Queue | Kind::Stack | Kind::PriorityQueue)) {
        return;
    }
    let operations = evidence.contradiction.operations();
    let role = |id: OperationId| specification.role(&history[id].invocation, history[id].result.as_ref());
    let value = |id: OperationId| match role(id) {
        Some(Role::Add(value) | Role::Remove(value)) => Some(value),
        _ => None,
    };
    if operations.iter().any(|&id| matches!(role(id), Some(Role::RemoveUnknown))) {
        return;
    }
    let (begun, ids) = match &evidence.contradiction {
        Contradiction::Stuck { since, .. } if !since.is_empty() => return,
        Contradiction::Stuck { .. } => prefix(history, evidence.fails_at.expect("in real time")).expect("it returned"),
        _ => history.restricted(|_| true),
    };
    for left_out in operations.iter().filter_map(|&id| value(id)) {
        let keep = |id: OperationId| {
            let id = ids[id.index()];
            operations.contains(&id) && value(id).as_ref() != Some(&left_out)
        };
        let some = begun.restricted(keep).0;
        let context = || format!("{left_out} is not needed: {evidence:?}\n{}", show(history));
        assert!(oracle::is_linearizable(specification, &some), "{}", context());
    }
}

/// A history, one operation per line.
fn show<I: std::fmt::Debug, R: std::fmt::Debug>(history: &History<I, R>) -> String {
    let line = |id: OperationId| {
        let Operation { process, invocation, result, .. } = &history[id];
        let interval = history.intervals().map(|intervals| intervals[id.index()]);
        format!("{id} by {process}: {invocation:?} → {result:?}, {interval:?}\n")
    };
    history.ids().map(line).collect()
}

/// All states that operations of this history can lead to, by their descriptions.
fn reachable<S: Specification>(specification: &S, history: &HistoryOf<S>) -> HashMap<String, S::State> {
    let mut known: HashMap<String, S::State> = HashMap::new();
    let mut new = vec![specification.initial()];
    for _ in 0..=history.len() {
        let mut next = Vec::new();
        for state in new.drain(..) {
            if known.insert(specification.describe_state(&state), state.clone()).is_none() {
                for operation in history.operations() {
                    specification.step(&state, &operation.invocation, operation.result.as_ref(), &mut next);
                }
            }
        }
        new = next;
    }
    known
}

fn values(n: i64) -> impl Iterator<Item = Value> + Clone {
    (0..n).map(Value::from)
}

fn queue(n: i64) -> Alphabet<Queue> {
    let results = [None].into_iter().chain(values(n).map(Some)).map(QueueReturned::Dequeued).collect();
    let dequeues = std::iter::repeat_n((QueueCall::Dequeue, results), n as usize);
    let enqueues = values(n).map(|value| (QueueCall::Enqueue(value), vec![QueueReturned::Enqueued]));
    Alphabet { calls: enqueues.chain(dequeues).collect() }
}

#[test]
fn queues_with_repeated_values_are_decided_as_by_brute_force() {
    agree(&Queue, &queue(2));
}

#[test]
fn queues_with_mostly_distinct_values_are_decided_as_by_brute_force() {
    agree(&Queue, &queue(8));
}

fn stack(n: i64) -> Alphabet<Stack> {
    let results = [None].into_iter().chain(values(n).map(Some)).map(StackReturned::Popped).collect();
    let pops = std::iter::repeat_n((StackCall::Pop, results), n as usize);
    let pushes = values(n).map(|value| (StackCall::Push(value), vec![StackReturned::Pushed]));
    Alphabet { calls: pushes.chain(pops).collect() }
}

#[test]
fn stacks_with_repeated_values_are_decided_as_by_brute_force() {
    agree(&Stack, &stack(2));
}

#[test]
fn stacks_with_mostly_distinct_values_are_decided_as_by_brute_force() {
    agree(&Stack, &stack(8));
}

fn priority_queue(n: i64) -> Alphabet<PriorityQueue> {
    let results = [None].into_iter().chain(values(n).map(Some)).map(PriorityQueueReturned::Popped).collect();
    let pops = std::iter::repeat_n((PriorityQueueCall::PopMax, results), n as usize);
    let inserts = values(n).map(|value| (PriorityQueueCall::Insert(value), vec![PriorityQueueReturned::Inserted]));
    Alphabet { calls: inserts.chain(pops).collect() }
}

#[test]
fn priority_queues_with_repeated_values_are_decided_as_by_brute_force() {
    agree(&PriorityQueue, &priority_queue(2));
}

#[test]
fn priority_queues_with_mostly_distinct_values_are_decided_as_by_brute_force() {
    agree(&PriorityQueue, &priority_queue(8));
}

fn register(n: i64) -> Alphabet<Register> {
    let results: Vec<_> = values(n).map(RegisterReturned::Read).collect();
    let reads = std::iter::repeat_n((RegisterCall::Read, results), n as usize);
    let writes = values(n).map(|value| (RegisterCall::Write(value), vec![RegisterReturned::Written]));
    Alphabet { calls: writes.chain(reads).collect() }
}

#[test]
fn registers_with_repeated_values_are_decided_as_by_brute_force() {
    agree(&Register { initial: 0.into() }, &register(3));
}

#[test]
fn registers_with_mostly_distinct_values_are_decided_as_by_brute_force() {
    agree(&Register { initial: 100.into() }, &register(8));
}

#[test]
fn sets_are_decided_as_by_brute_force() {
    let calls =
        values(2).flat_map(|key| [SetCall::Add(key.clone()), SetCall::Remove(key.clone()), SetCall::Contains(key)]);
    agree(&Set, &Alphabet { calls: calls.map(|call| (call, vec![false, true])).collect() });
}

#[test]
fn mutexes_are_decided_as_by_brute_force() {
    let lock = Value::Nil;
    let calls = vec![
        (MutexCall::Acquire(lock.clone()), vec![true]),
        (MutexCall::TryAcquire(lock.clone()), vec![true, false]),
        (MutexCall::Release(lock), vec![true, false]),
    ];
    agree(&Mutex, &Alphabet { calls });
}

#[test]
fn compare_and_set_registers_are_decided_as_by_brute_force() {
    let mut calls = register(2)
        .calls
        .into_iter()
        .map(|(call, results)| match call {
            RegisterCall::Write(value) => (CasRegisterCall::Write(value), vec![CasRegisterReturned::Written]),
            RegisterCall::Read => {
                let read = |result| match result {
                    RegisterReturned::Read(value) => CasRegisterReturned::Read(value),
                    RegisterReturned::Written => CasRegisterReturned::Written,
                };
                (CasRegisterCall::Read, results.into_iter().map(read).collect())
            }
        })
        .collect::<Vec<_>>();
    for expected in values(2) {
        for new in values(2) {
            let call = CasRegisterCall::Cas { expected: expected.clone(), new };
            calls.push((call, vec![CasRegisterReturned::Compared(true), CasRegisterReturned::Compared(false)]));
        }
    }
    agree(&CasRegister { initial: 0.into() }, &Alphabet { calls });
}

#[test]
fn deques_are_decided_as_by_brute_force() {
    let results: Vec<_> = [None].into_iter().chain(values(2).map(Some)).map(DequeReturned::Popped).collect();
    let mut calls = Vec::new();
    for value in values(2) {
        calls.push((DequeCall::PushFront(value.clone()), vec![DequeReturned::Pushed]));
        calls.push((DequeCall::PushBack(value), vec![DequeReturned::Pushed]));
        calls.push((DequeCall::PopFront, results.clone()));
        calls.push((DequeCall::PopBack, results.clone()));
    }
    agree(&Deque, &Alphabet { calls });
}

#[test]
fn counters_are_decided_as_by_brute_force() {
    let calls = vec![
        (CounterCall::Increment, vec![CounterReturned::Done]),
        (CounterCall::Decrement, (-2..2).map(CounterReturned::Previous).collect()),
        (CounterCall::Get, (-2..3).map(CounterReturned::Found).collect()),
    ];
    agree(&Counter { initial: 0 }, &Alphabet { calls });
}

#[test]
fn stores_of_keys_and_values_are_decided_as_by_brute_force() {
    let texts = ["", "a", "b", "ab", "ba", "aa"];
    let found: Vec<_> = texts.map(|text| KeyValueReturned::Found(text.into())).into();
    let mut calls = Vec::new();
    for key in values(2) {
        let done = vec![KeyValueReturned::Done];
        calls.push((KeyValueCall::Get { key: key.clone() }, found.clone()));
        calls.push((KeyValueCall::Get { key: key.clone() }, found.clone()));
        calls.push((KeyValueCall::Put { key: key.clone(), value: "a".into() }, done.clone()));
        calls.push((KeyValueCall::Put { key: key.clone(), value: "b".into() }, done.clone()));
        calls.push((KeyValueCall::Append { key: key.clone(), value: "b".into() }, done));
    }
    agree(&KeyValue { initial: "".into() }, &Alphabet { calls });
}

#[test]
fn maps_are_decided_as_by_brute_force() {
    let had: Vec<_> = [None].into_iter().chain(values(2).map(Some)).map(MapReturned::Had).collect();
    let did = vec![MapReturned::Did(false), MapReturned::Did(true)];
    let mut calls = Vec::new();
    for key in values(2) {
        calls.push((MapCall::Get { key: key.clone() }, had.clone()));
        calls.push((MapCall::Remove { key: key.clone() }, [had.clone(), did.clone()].concat()));
        calls.push((MapCall::Contains { key: key.clone() }, did.clone()));
        for value in values(2) {
            calls.push((MapCall::Insert { key: key.clone(), value: value.clone() }, had.clone()));
            calls.push((MapCall::InsertIfAbsent { key: key.clone(), value }, did.clone()));
        }
    }
    agree(&Map, &Alphabet { calls });
}

#[test]
fn bounded_queues_are_decided_as_by_brute_force() {
    let dequeued: Vec<_> = [None].into_iter().chain(values(2).map(Some)).map(BoundedQueueReturned::Dequeued).collect();
    let enqueued = vec![BoundedQueueReturned::Enqueued(true), BoundedQueueReturned::Enqueued(false)];
    let mut calls: Vec<_> = values(2).map(|value| (BoundedQueueCall::Enqueue(value), enqueued.clone())).collect();
    calls.extend(std::iter::repeat_n((BoundedQueueCall::Dequeue, dequeued), 2));
    agree(&BoundedQueue { capacity: 2 }, &Alphabet { calls });
}

#[test]
fn readers_writer_locks_are_decided_as_by_brute_force() {
    let lock = || Value::Nil;
    let calls = vec![
        (RwLockCall::ReadLock(lock()), vec![true]),
        (RwLockCall::TryReadLock(lock()), vec![true, false]),
        (RwLockCall::ReadUnlock(lock()), vec![true]),
        (RwLockCall::WriteLock(lock()), vec![true]),
        (RwLockCall::TryWriteLock(lock()), vec![true, false]),
        (RwLockCall::WriteUnlock(lock()), vec![true]),
    ];
    agree(&RwLock, &Alphabet { calls });
}

#[test]
fn semaphores_are_decided_as_by_brute_force() {
    let calls = vec![
        (SemaphoreCall::Acquire(1), vec![true]),
        (SemaphoreCall::TryAcquire(1), vec![true, false]),
        (SemaphoreCall::TryAcquire(2), vec![true, false]),
        (SemaphoreCall::Release(1), vec![true]),
    ];
    agree(&Semaphore { permits: 1 }, &Alphabet { calls });
}

#[test]
fn registers_that_are_accessed_together_are_decided_as_by_brute_force() {
    let read = |key: i64| Access::Read { key: key.into() };
    let write = |key: i64, value: i64| Access::Write { key: key.into(), value: value.into() };
    let found = |value: i64| Some(Value::from(value));
    let pairs = (0..4).map(|i| vec![found(i / 2), found(i % 2)]).collect();
    let calls = vec![
        (Transaction(vec![read(1)]), vec![vec![found(0)], vec![found(1)]]),
        (Transaction(vec![read(1), read(2)]), pairs),
        (Transaction(vec![write(1, 1)]), vec![vec![None]]),
        (Transaction(vec![write(1, 0), write(2, 1)]), vec![vec![None, None]]),
        (Transaction(vec![read(2), write(2, 0)]), vec![vec![found(0), None], vec![found(1), None]]),
    ];
    agree(&MultiRegister { initial: 0.into() }, &Alphabet { calls });
}

/// A channel that may lose what is sent: what a specification with choices looks like.
struct Lossy;

impl Specification for Lossy {
    type Invocation = QueueCall;
    type Returned = QueueReturned;
    type State = Vec<Value>;

    fn initial(&self) -> Vec<Value> {
        Vec::new()
    }

    fn step(&self, state: &Vec<Value>, call: &QueueCall, result: Option<&QueueReturned>, next: &mut Vec<Vec<Value>>) {
        match call {
            QueueCall::Enqueue(value) => {
                next.push(state.clone());
                next.push(state.iter().chain([value]).cloned().collect());
            }
            QueueCall::Dequeue => {
                let first = QueueReturned::Dequeued(state.first().cloned());
                if result.is_none_or(|result| *result == first) {
                    next.push(state.iter().skip(1).cloned().collect());
                }
            }
        }
    }
}

#[test]
fn a_specification_with_choices_is_decided_as_by_brute_force() {
    agree(&Lossy, &Alphabet { calls: queue(2).calls });
}

#[test]
fn histories_with_an_order_of_their_own_are_decided_as_by_brute_force() {
    let mut rng = Rng::with_seed(0x0bde);
    let mut violations = 0;
    for _ in 0..HISTORIES {
        let history = random::history(&Queue, &queue(2), 6, &mut rng);
        let history = random::with_explicit_order(&history, &mut rng);
        let expected = oracle::is_linearizable(&Queue, &history);
        match check(&Queue, &history, &Limits::default()) {
            Verdict::Linearizable(witness) => {
                assert!(expected, "{}", show(&history));
                assert_eq!(verify(&Queue, &history, &witness), Ok(()), "{witness:?}\n{}", show(&history));
            }
            Verdict::Violation(evidence) => {
                assert!(!expected, "{evidence:?}\n{}", show(&history));
                assert_eq!(evidence.fails_at, None);
                violations += 1;
            }
            Verdict::Unknown(reason) => panic!("{reason:?}"),
        }
    }
    assert!(violations > HISTORIES / 10);
}

#[test]
fn every_prefix_before_the_failing_one_has_a_witness() {
    let mut rng = Rng::with_seed(0x0b0d);
    for _ in 0..20_000 {
        let history = random::history(&Queue, &queue(2), 8, &mut rng);
        let witnesses = witnesses_of_prefixes(&Queue, &history, &Limits::default()).expect("no limits");
        let intervals = history.intervals().expect("in real time");
        let mut returns: Vec<_> = history.ids().filter(|id| history[*id].returned).collect();
        returns.sort_by_key(|id| intervals[id.index()].ret);
        let good = match oracle::fails_at(&Queue, &history) {
            Some(fails_at) => returns.iter().position(|id| *id == fails_at).expect("it returned"),
            None => returns.len(),
        };
        assert_eq!(witnesses.len(), good, "{}", show(&history));
        for (last, witness) in returns.iter().zip(&witnesses) {
            let (begun, ids) = prefix(&history, *last).expect("it returned");
            let number = |id| OperationId(ids.iter().position(|other| *other == id).expect("begun") as u32);
            let witness = linchpin_check::Witness { order: witness.order.iter().map(|id| number(*id)).collect() };
            assert_eq!(verify(&Queue, &begun, &witness), Ok(()), "{witness:?}\n{}", show(&history));
        }
    }
}
