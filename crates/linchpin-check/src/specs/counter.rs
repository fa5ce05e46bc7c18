//! A number that is added to.

use linchpin_model::Specification;

use super::sentence;

/// A counter. It wraps around at the ends of 64 bits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counter {
    /// Where it starts.
    pub initial: i64,
}

/// What a [`Counter`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CounterCall {
    /// Add 1.
    Increment,
    /// Subtract 1.
    Decrement,
    /// Add this.
    Add(i64),
    /// Look at it.
    Get,
}

/// What the operations of a [`Counter`] return. Those that change it may return any of the first three.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CounterReturned {
    /// It is done.
    Done,
    /// It is done; this was the number before.
    Previous(i64),
    /// It is done; this is the number now.
    New(i64),
    /// This is the number.
    Found(i64),
}

impl Specification for Counter {
    type Invocation = CounterCall;
    type Returned = CounterReturned;
    type State = i64;

    fn initial(&self) -> i64 {
        self.initial
    }

    fn step(&self, state: &i64, call: &CounterCall, result: Option<&CounterReturned>, next: &mut Vec<i64>) {
        let after = state.wrapping_add(call.change());
        let changes = *call != CounterCall::Get;
        let fits = match result {
            None => true,
            Some(CounterReturned::Done) => changes,
            Some(CounterReturned::Previous(number)) => changes && number == state,
            Some(CounterReturned::New(number)) => changes && *number == after,
            Some(CounterReturned::Found(number)) => !changes && number == state,
        };
        if fits {
            next.push(after);
        }
    }

    fn is_read_only(&self, call: &CounterCall, _: Option<&CounterReturned>) -> bool {
        call.change() == 0
    }

    fn describe(&self, call: &CounterCall, result: Option<&CounterReturned>) -> String {
        let call = match call {
            CounterCall::Increment => "increment()".into(),
            CounterCall::Decrement => "decrement()".into(),
            CounterCall::Add(change) => format!("add({change})"),
            CounterCall::Get => "get()".into(),
        };
        match result {
            None | Some(CounterReturned::Done) => call,
            Some(CounterReturned::Previous(number)) => format!("{call} → previously {number}"),
            Some(CounterReturned::New(number)) => format!("{call} → now {number}"),
            Some(CounterReturned::Found(number)) => sentence(call, Some(number)),
        }
    }
}

impl CounterCall {
    /// What it adds.
    pub fn change(&self) -> i64 {
        match self {
            CounterCall::Increment => 1,
            CounterCall::Decrement => -1,
            CounterCall::Add(change) => *change,
            CounterCall::Get => 0,
        }
    }
}
