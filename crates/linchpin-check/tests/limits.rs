//! Many operations at once, and questions that are given up.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use linchpin_check::specs::*;
use linchpin_check::{Contradiction, Limits, Unknown, Verdict, check, verify};
use linchpin_model::{History, Value};

/// `n` increments, all open at the same time, that return what they found: in the order of their calls, but for one.
fn increments(n: i64, twice: bool) -> History<CounterCall, CounterReturned> {
    let mut history = History::new();
    for i in 0..n {
        let found = if twice && i == n / 2 { i - 1 } else { i };
        history.returned(i as u64, CounterCall::Increment, CounterReturned::Previous(found), i, n + i);
    }
    history
}

#[test]
fn any_number_of_operations_may_be_open_at_once() {
    for n in [60, 64, 65, 100, 128, 129, 500, 512, 513, 700] {
        let counter = Counter { initial: 0 };
        let history = increments(n, false);
        let Verdict::Linearizable(witness) = check(&counter, &history, &Limits::default()) else { panic!("{n}") };
        assert_eq!(verify(&counter, &history, &witness), Ok(()), "{n}");
        // Two find the same number, so nobody finds the next one, and the order gets no further.
        let Verdict::Violation(evidence) = check(&counter, &increments(n, true), &Limits::default()) else {
            panic!("{n}")
        };
        let Contradiction::Stuck { states, .. } = &evidence.contradiction else { panic!("{evidence:?}") };
        assert_eq!(states, &[(n / 2).to_string()], "{n}");
    }
}

/// Pushes and pops of one value by many processes at both ends, all open at once, and a pop that finds what nobody pushed:
/// whoever wants to show that there is no order has to try very many.
fn hopeless() -> History<DequeCall, DequeReturned> {
    let mut history = History::new();
    let n = 40;
    for i in 0..n {
        let value: Value = (i % 3).into();
        let call = if i % 2 == 0 { DequeCall::PushFront(value) } else { DequeCall::PushBack(value) };
        history.returned(i as u64, call, DequeReturned::Pushed, i, 10 * n - i);
    }
    let nobodys = DequeReturned::Popped(Some(7.into()));
    history.returned(n as u64, DequeCall::PopFront, nobodys, n, 10 * n + 1);
    history
}

#[test]
fn time_that_is_up_is_not_a_verdict() {
    let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    assert_eq!(check(&Deque, &hopeless(), &limits), Verdict::Unknown(Unknown::TimeLimit));
}

#[test]
fn memory_that_is_used_up_is_not_a_verdict() {
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    assert_eq!(check(&Deque, &hopeless(), &limits), Verdict::Unknown(Unknown::MemoryLimit));
}

#[test]
fn a_question_can_be_taken_back() {
    let limits = Limits { interrupt: Some(Arc::new(AtomicBool::new(true))), ..Limits::default() };
    assert_eq!(check(&Deque, &hopeless(), &limits), Verdict::Unknown(Unknown::Interrupted));
}

#[test]
fn a_violation_in_one_part_counts_even_if_another_is_undecided() {
    // Key 1 is hopeless to decide within the limits; key 2 has a read of what nobody wrote.
    let mut history = History::new();
    let key = |key: i64| Value::from(key);
    for i in 0..60 {
        let call = KeyValueCall::Append { key: key(1), value: ["a", "b"][i as usize % 2].into() };
        history.returned(i as u64, call, KeyValueReturned::Done, i, 1000 - i);
    }
    let text = KeyValueReturned::Found("c".into());
    history.returned(100, KeyValueCall::Get { key: key(1) }, text.clone(), 100, 2000);
    history.returned(101, KeyValueCall::Get { key: key(2) }, text, 101, 2001);
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    let Verdict::Violation(evidence) = check(&KeyValue { initial: "".into() }, &history, &limits) else { panic!() };
    assert_eq!(evidence.part, Some(key(2)));
}
