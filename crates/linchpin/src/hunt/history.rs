//! Histories of long runs, and whether they are linearizable.

use linchpin_check::{Limits, Verdict, check};
use linchpin_engine::Call;
use linchpin_model::{Client, History, Invocation, Object, ObjectOperation, Specification, State, Value};

/// A history of a client; operations are numbered as in the client's text.
pub(crate) type ClientHistory = History<Invocation, Value>;

/// The history of a run in time.
pub(crate) fn history(client: &Client, calls: &[Call]) -> ClientHistory {
    let mut history = History::new();
    for (call, invocation) in calls.iter().zip(client.invocations()) {
        let time = call.time.clone().unwrap_or_default();
        let process = u64::from(call.thread.0);
        match &call.result {
            Some(result) => {
                history.returned(process, invocation.clone(), result.clone(), time.start as i64, time.end as i64)
            }
            None => history.pending(process, invocation.clone(), time.start as i64),
        };
    }
    history
}

/// Is the history one of the object's specification?
pub(crate) fn decide<O: Object>(history: &ClientHistory) -> Verdict {
    check(&Specified::new::<O>(), history, &Limits::default())
}

/// An object's specification, for histories of its clients.
struct Specified {
    initial: State,
    operations: Vec<ObjectOperation>,
}

impl Specified {
    fn new<O: Object>() -> Specified {
        Specified { initial: O::initial_state(), operations: O::operations() }
    }

    fn position(&self, invocation: &Invocation) -> usize {
        let is_meant = |operation: &ObjectOperation| *operation.name == *invocation.operation;
        self.operations.iter().position(is_meant).expect("the client is valid")
    }
}

impl Specification for Specified {
    type Invocation = Invocation;
    type Returned = Value;
    type State = State;

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn step(&self, state: &State, invocation: &Invocation, result: Option<&Value>, next: &mut Vec<State>) {
        let (after, value) = state.after(self.position(invocation), &invocation.arguments);
        if result.is_none_or(|result| *result == value) {
            next.push(after);
        }
    }

    fn is_read_only(&self, invocation: &Invocation, _: Option<&Value>) -> bool {
        self.operations[self.position(invocation)].read_only
    }

    fn describe(&self, invocation: &Invocation, result: Option<&Value>) -> String {
        match result {
            Some(result) => format!("{invocation} → {result}"),
            None => invocation.to_string(),
        }
    }
}
