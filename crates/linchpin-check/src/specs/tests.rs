//! Laws that every specification keeps, checked for all small states; and what its operations look like in sentences.

use std::collections::HashSet;
use std::fmt::Debug;

use linchpin_model::{Kind, Role, Specification, Value};

use super::*;

/// All that is tried with a specification: every call with every result, in every state that is at most `steps` calls
/// away from the initial one.
struct World<S: Specification> {
    spec: S,
    calls: Vec<S::Invocation>,
    results: Vec<S::Returned>,
    steps: usize,
}

impl<S: Specification> World<S> {
    fn keeps_all_laws(&self)
    where
        S::State: Debug,
    {
        let states = self.states();
        for state in &states {
            self.unknown_results_allow_what_all_results_allow(state);
            self.reads_change_nothing(state);
            self.parts_are_independent(state);
            assert!(self.spec.state_bytes(state) >= size_of_val(state));
        }
        self.roles_say_what_steps_do();
    }

    fn states(&self) -> HashSet<S::State> {
        let mut states = HashSet::from([self.spec.initial()]);
        for _ in 0..self.steps {
            let next: Vec<_> = states
                .iter()
                .flat_map(|state| self.calls.iter().flat_map(|call| self.step(state, call, None)))
                .collect();
            states.extend(next);
        }
        states
    }

    fn step(&self, state: &S::State, call: &S::Invocation, result: Option<&S::Returned>) -> Vec<S::State> {
        let mut next = Vec::new();
        self.spec.step(state, call, result, &mut next);
        next
    }

    fn results(&self) -> impl Iterator<Item = Option<&S::Returned>> + Clone {
        self.results.iter().map(Some).chain([None])
    }

    fn unknown_results_allow_what_all_results_allow(&self, state: &S::State) {
        for call in &self.calls {
            let unknown: HashSet<_> = self.step(state, call, None).into_iter().collect();
            let all: HashSet<_> = self.results.iter().flat_map(|result| self.step(state, call, Some(result))).collect();
            assert_eq!(unknown, all, "{call:?} in {state:?}");
        }
    }

    fn reads_change_nothing(&self, state: &S::State) {
        for call in &self.calls {
            for result in self.results().filter(|result| self.spec.is_read_only(call, *result)) {
                for next in self.step(state, call, result) {
                    assert_eq!(next, *state, "{call:?} → {result:?}");
                }
            }
        }
    }

    fn parts_are_independent(&self, state: &S::State) {
        let after_both = |first: (&S::Invocation, _), second: (&S::Invocation, _)| -> HashSet<S::State> {
            let between = self.step(state, first.0, first.1);
            between.iter().flat_map(|state| self.step(state, second.0, second.1)).collect()
        };
        for a in &self.calls {
            for b in &self.calls {
                let (Some(part), Some(other)) = (self.spec.part(a), self.spec.part(b)) else { continue };
                if part == other {
                    continue;
                }
                for of_a in self.results() {
                    for of_b in self.results() {
                        assert_eq!(after_both((a, of_a), (b, of_b)), after_both((b, of_b), (a, of_a)));
                    }
                }
            }
        }
    }

    /// Walks through specification and kind together: what one allows, the other must allow too.
    fn roles_say_what_steps_do(&self) {
        let Some(kind) = self.spec.kind() else {
            for call in &self.calls {
                assert!(self.results().all(|result| self.spec.role(call, result).is_none()), "{call:?}");
            }
            return;
        };
        let parts: HashSet<Option<Value>> = self.calls.iter().map(|call| self.spec.part(call)).collect();
        for part in parts {
            let mut pairs = HashSet::from([(self.spec.initial(), Reference::new(&kind))]);
            for _ in 0..self.steps {
                for (state, reference) in pairs.clone() {
                    for call in self.calls.iter().filter(|call| self.spec.part(call) == part) {
                        for result in self.results() {
                            let Some(role) = self.spec.role(call, result) else { continue };
                            match (self.step(&state, call, result).as_slice(), reference.step(&kind, &role)) {
                                ([], None) => {}
                                ([next], Some(reference)) => {
                                    pairs.insert((next.clone(), reference));
                                }
                                different => panic!("{call:?} → {result:?} as {role:?} in {state:?}: {different:?}"),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The sequential meaning of a [`Kind`], in the plainest terms.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Reference {
    value: Value,
    bit: bool,
    elements: Vec<Value>,
}

impl Reference {
    fn new(kind: &Kind) -> Self {
        let mut reference = Reference { value: Value::Nil, bit: false, elements: Vec::new() };
        match kind {
            Kind::Register { initial } => reference.value = initial.clone(),
            Kind::Bit { initial } => reference.bit = *initial,
            Kind::Queue | Kind::Stack | Kind::PriorityQueue => {}
        }
        reference
    }

    fn step(&self, kind: &Kind, role: &Role) -> Option<Self> {
        let mut next = self.clone();
        let front = match kind {
            Kind::Queue => (!self.elements.is_empty()).then_some(0),
            Kind::Stack => self.elements.len().checked_sub(1),
            Kind::PriorityQueue => (0..self.elements.len()).max_by_key(|&at| &self.elements[at]),
            Kind::Register { .. } | Kind::Bit { .. } => None,
        };
        match role {
            Role::Write(value) => next.value = value.clone(),
            Role::Read(value) => return (self.value == *value).then_some(next),
            Role::Switch { to } => {
                next.bit = *to;
                return (self.bit != *to).then_some(next);
            }
            Role::Observe(bit) => return (self.bit == *bit).then_some(next),
            Role::Add(value) => next.elements.push(value.clone()),
            Role::Remove(value) => return (next.elements.remove(front?) == *value).then_some(next),
            Role::RemoveUnknown => {
                front.map(|front| next.elements.remove(front));
            }
            Role::FindEmpty => return front.is_none().then_some(next),
            Role::Nothing => {}
        }
        if *kind == Kind::PriorityQueue {
            next.elements.sort();
        }
        Some(next)
    }
}

fn v(number: i64) -> Value {
    number.into()
}

/// Nothing, a number, another number.
fn values() -> Vec<Value> {
    vec![Value::Nil, v(0), v(1)]
}

fn maybe_values() -> Vec<Option<Value>> {
    [None].into_iter().chain(values().into_iter().map(Some)).collect()
}

/// Every call that `make` gives for one of these.
fn each<A: Clone, C>(of: &[A], make: impl FnMut(A) -> C) -> Vec<C> {
    of.iter().cloned().map(make).collect()
}

/// Every call that `make` gives for one of these and one of those.
fn each_pair<A: Clone, B: Clone, C>(of: &[A], and: &[B], make: impl Fn(A, B) -> C) -> Vec<C> {
    of.iter().flat_map(|a| and.iter().map(|b| make(a.clone(), b.clone()))).collect()
}

#[test]
fn register() {
    World {
        spec: Register { initial: v(0) },
        calls: [each(&values(), RegisterCall::Write), vec![RegisterCall::Read]].concat(),
        results: [each(&values(), RegisterReturned::Read), vec![RegisterReturned::Written]].concat(),
        steps: 3,
    }
    .keeps_all_laws();
}

#[test]
fn cas_register() {
    let cas = |expected, new| CasRegisterCall::Cas { expected, new };
    World {
        spec: CasRegister { initial: Value::Nil },
        calls: [
            each(&values(), CasRegisterCall::Write),
            vec![CasRegisterCall::Read],
            each_pair(&values(), &values(), cas),
        ]
        .concat(),
        results: [
            each(&values(), CasRegisterReturned::Read),
            each(&[false, true], CasRegisterReturned::Compared),
            vec![CasRegisterReturned::Written],
        ]
        .concat(),
        steps: 3,
    }
    .keeps_all_laws();
}

#[test]
fn key_value() {
    let texts = ["", "a"].map(Value::from);
    let found = ["", "a", "aa"].map(Value::from);
    World {
        spec: KeyValue { initial: "".into() },
        calls: [
            each(&[v(0), v(1)], |key| KeyValueCall::Get { key }),
            each_pair(&[v(0), v(1)], &texts, |key, value| KeyValueCall::Put { key, value }),
            each_pair(&[v(0), v(1)], &texts, |key, value| KeyValueCall::Append { key, value }),
        ]
        .concat(),
        results: [each(&found, KeyValueReturned::Found), vec![KeyValueReturned::Done]].concat(),
        steps: 2,
    }
    .keeps_all_laws();
}

#[test]
fn appending_to_what_is_not_a_text() {
    let spec = KeyValue { initial: Value::Nil };
    let append = |value| KeyValueCall::Append { key: v(1), value };
    let mut states = Vec::new();
    spec.step(&spec.initial(), &append("x".into()), None, &mut states);
    spec.step(&states[0].clone(), &append(v(7)), None, &mut states);
    assert_eq!(states[1].get(&v(1)), Some(&"x7".into()));
}

#[test]
fn map() {
    World {
        spec: Map,
        calls: [
            each_pair(&[v(0), v(1)], &values(), |key, value| MapCall::Insert { key, value }),
            each_pair(&[v(0), v(1)], &values(), |key, value| MapCall::InsertIfAbsent { key, value }),
            each(&[v(0), v(1)], |key| MapCall::Get { key }),
            each(&[v(0), v(1)], |key| MapCall::Remove { key }),
            each(&[v(0), v(1)], |key| MapCall::Contains { key }),
        ]
        .concat(),
        results: [each(&maybe_values(), MapReturned::Had), each(&[false, true], MapReturned::Did)].concat(),
        steps: 2,
    }
    .keeps_all_laws();
}

#[test]
fn set() {
    World {
        spec: Set,
        calls: [each(&values(), SetCall::Add), each(&values(), SetCall::Remove), each(&values(), SetCall::Contains)]
            .concat(),
        results: vec![false, true],
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn queue() {
    World {
        spec: Queue,
        calls: [each(&values(), QueueCall::Enqueue), vec![QueueCall::Dequeue]].concat(),
        results: [each(&maybe_values(), QueueReturned::Dequeued), vec![QueueReturned::Enqueued]].concat(),
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn bounded_queue() {
    World {
        spec: BoundedQueue { capacity: 2 },
        calls: [each(&values(), BoundedQueueCall::Enqueue), vec![BoundedQueueCall::Dequeue]].concat(),
        results: [
            each(&maybe_values(), BoundedQueueReturned::Dequeued),
            each(&[false, true], BoundedQueueReturned::Enqueued),
        ]
        .concat(),
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn stack() {
    World {
        spec: Stack,
        calls: [each(&values(), StackCall::Push), vec![StackCall::Pop]].concat(),
        results: [each(&maybe_values(), StackReturned::Popped), vec![StackReturned::Pushed]].concat(),
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn deque() {
    World {
        spec: Deque,
        calls: [
            each(&values(), DequeCall::PushFront),
            each(&values(), DequeCall::PushBack),
            vec![DequeCall::PopFront, DequeCall::PopBack],
        ]
        .concat(),
        results: [each(&maybe_values(), DequeReturned::Popped), vec![DequeReturned::Pushed]].concat(),
        steps: 3,
    }
    .keeps_all_laws();
}

#[test]
fn priority_queue() {
    World {
        spec: PriorityQueue,
        calls: [each(&values(), PriorityQueueCall::Insert), vec![PriorityQueueCall::PopMax]].concat(),
        results: [each(&maybe_values(), PriorityQueueReturned::Popped), vec![PriorityQueueReturned::Inserted]].concat(),
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn mutex() {
    World {
        spec: Mutex,
        calls: [
            each(&values(), MutexCall::Acquire),
            each(&values(), MutexCall::TryAcquire),
            each(&values(), MutexCall::Release),
            each(&values(), MutexCall::TryRelease),
        ]
        .concat(),
        results: vec![false, true],
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn rw_lock() {
    let locks = [Value::Nil, v(0)];
    World {
        spec: RwLock,
        calls: [
            each(&locks, RwLockCall::ReadLock),
            each(&locks, RwLockCall::TryReadLock),
            each(&locks, RwLockCall::ReadUnlock),
            each(&locks, RwLockCall::WriteLock),
            each(&locks, RwLockCall::TryWriteLock),
            each(&locks, RwLockCall::WriteUnlock),
        ]
        .concat(),
        results: vec![false, true],
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn semaphore() {
    let amounts = [0, 1, 2];
    World {
        spec: Semaphore { permits: 2 },
        calls: [
            each(&amounts, SemaphoreCall::Acquire),
            each(&amounts, SemaphoreCall::TryAcquire),
            each(&amounts, SemaphoreCall::Release),
        ]
        .concat(),
        results: vec![false, true],
        steps: 4,
    }
    .keeps_all_laws();
}

#[test]
fn counter() {
    let numbers: Vec<i64> = (-9..=9).collect();
    World {
        spec: Counter { initial: 1 },
        calls: [
            each(&[0, 2, -2], CounterCall::Add),
            vec![CounterCall::Increment, CounterCall::Decrement, CounterCall::Get],
        ]
        .concat(),
        results: [
            each(&numbers, CounterReturned::Previous),
            each(&numbers, CounterReturned::New),
            each(&numbers, CounterReturned::Found),
            vec![CounterReturned::Done],
        ]
        .concat(),
        steps: 3,
    }
    .keeps_all_laws();
}

#[test]
fn multi_register() {
    let reads = each(&[v(0), v(1)], |key| Access::Read { key });
    let writes = each_pair(&[v(0), v(1)], &values(), |key, value| Access::Write { key, value });
    let accesses = [reads, writes].concat();
    let found = [None, Some(Value::Nil), Some(v(0)), Some(v(1))];
    World {
        spec: MultiRegister { initial: v(0) },
        calls: [
            vec![Transaction(Vec::new())],
            each(&accesses, |one| Transaction(vec![one])),
            each_pair(&accesses, &accesses, |one, two| Transaction(vec![one, two])),
        ]
        .concat(),
        results: [
            vec![Vec::new()],
            each(&found, |value| vec![value]),
            each_pair(&found, &found, |one, two| vec![one, two]),
        ]
        .concat(),
        steps: 1,
    }
    .keeps_all_laws();
}

/// A witness of a long history is verified with one state after another.
#[test]
fn a_step_of_a_long_queue_is_quick() {
    let mut states = vec![Queue.initial()];
    for element in 0..200_000 {
        Queue.step(&states.pop().unwrap(), &QueueCall::Enqueue(v(element)), None, &mut states);
    }
    for element in 0..200_000 {
        let result = QueueReturned::Dequeued(Some(v(element)));
        Queue.step(&states.pop().unwrap(), &QueueCall::Dequeue, Some(&result), &mut states);
    }
    assert!(states[0].is_empty());
}

#[test]
fn operations_as_they_appear_in_sentences() {
    fn says<S: Specification>(spec: S, call: S::Invocation, result: Option<S::Returned>, sentence: &str) {
        assert_eq!(spec.describe(&call, result.as_ref()), sentence);
    }
    let k = || Value::from("k");
    let register = Register::default;
    says(register(), RegisterCall::Write(v(3)), Some(RegisterReturned::Written), "write(3)");
    says(register(), RegisterCall::Read, Some(RegisterReturned::Read(v(3))), "read() → 3");
    says(register(), RegisterCall::Read, None, "read()");
    let cas = CasRegisterCall::Cas { expected: v(1), new: v(2) };
    says(CasRegister::default(), cas, Some(CasRegisterReturned::Compared(true)), "cas(1 → 2) → true");
    let get = KeyValueCall::Get { key: k() };
    says(KeyValue::default(), get, Some(KeyValueReturned::Found(v(3))), "get(\"k\") → 3");
    let append = KeyValueCall::Append { key: k(), value: "x".into() };
    says(KeyValue::default(), append, Some(KeyValueReturned::Done), "append(\"k\", \"x\")");
    let insert = MapCall::Insert { key: k(), value: v(3) };
    says(Map, insert, Some(MapReturned::Had(None)), "insert(\"k\", 3) → none");
    says(Map, MapCall::Remove { key: k() }, Some(MapReturned::Did(true)), "remove(\"k\") → true");
    says(Set, SetCall::Add(v(7)), Some(true), "add(7) → true");
    says(Queue, QueueCall::Enqueue(v(3)), Some(QueueReturned::Enqueued), "enq(3)");
    says(Queue, QueueCall::Dequeue, Some(QueueReturned::Dequeued(Some(v(5)))), "deq() → 5");
    says(Queue, QueueCall::Dequeue, Some(QueueReturned::Dequeued(None)), "deq() → empty");
    says(Queue, QueueCall::Dequeue, None, "deq()");
    let full = BoundedQueueReturned::Enqueued(false);
    says(BoundedQueue { capacity: 1 }, BoundedQueueCall::Enqueue(v(3)), Some(full), "enq(3) → full");
    says(Stack, StackCall::Pop, Some(StackReturned::Popped(Some(v(5)))), "pop() → 5");
    says(Deque, DequeCall::PopBack, Some(DequeReturned::Popped(None)), "pop_back() → empty");
    says(PriorityQueue, PriorityQueueCall::PopMax, Some(PriorityQueueReturned::Popped(Some(v(9)))), "pop_max() → 9");
    says(Mutex, MutexCall::Acquire(Value::Nil), Some(true), "acquire()");
    says(Mutex, MutexCall::TryAcquire(k()), Some(false), "try_acquire(\"k\") → false");
    says(RwLock, RwLockCall::ReadUnlock(Value::Nil), Some(false), "read_unlock() → false");
    says(Semaphore { permits: 2 }, SemaphoreCall::TryAcquire(2), Some(true), "try_acquire(2) → true");
    says(Counter::default(), CounterCall::Increment, Some(CounterReturned::New(4)), "increment() → now 4");
    let transaction = Transaction(vec![Access::Read { key: k() }, Access::Write { key: v(1), value: v(2) }]);
    let found = Some(vec![Some(v(0))]);
    says(MultiRegister::default(), transaction, found, "txn(read(\"k\") → 0, write(1, 2))");
}
