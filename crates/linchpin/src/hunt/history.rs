//! Histories of long runs, and whether they are linearizable.

use std::collections::HashSet;

use linchpin_check::{Limits, Verdict, check, is_linearizable, verify};
use linchpin_engine::Call;
use linchpin_model::{Client, History, Invocation, Kind, Object, ObjectOperation, Role, Specification, State, Value};

use super::kind::Recognised;

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

/// Decides histories of an object's clients.
///
/// Where the specification looks like a queue, a stack or a set, a monitor is asked first. That it is one is a guess, so what the
/// monitor says is checked: an order that explains a history has to do so on the specification itself, and where there is none, the
/// general search has to say so too. A wrong guess costs time and nothing else.
pub(crate) struct Decider {
    specified: Specified,
    /// With what it looks like.
    recognised: Option<Specified>,
}

impl Decider {
    pub fn new<O: Object>() -> Decider {
        let specified = Specified { initial: O::initial_state(), operations: O::operations(), looks_like: None };
        let recognised = Recognised::of(&specified.initial, &specified.operations)
            .map(|recognised| Specified { looks_like: Some(recognised), ..specified.clone() });
        Decider { specified, recognised }
    }

    /// Is the history one of the object's specification?
    pub fn decide(&self, history: &ClientHistory) -> Verdict {
        match self.by_monitor(history) {
            Some(Verdict::Linearizable(witness)) if verify(&self.specified, history, &witness).is_ok() => {
                Verdict::Linearizable(witness)
            }
            Some(Verdict::Violation(evidence)) if self.is_searched_in_vain(history) => Verdict::Violation(evidence),
            _ => check(&self.specified, history, &Limits::default()),
        }
    }

    /// Is it certain that the history is not one of the object's specification?
    pub fn is_wrong(&self, history: &ClientHistory) -> bool {
        let is_right = |verdict| matches!(verdict, Verdict::Linearizable(witness) if verify(&self.specified, history, &witness).is_ok());
        !self.by_monitor(history).is_some_and(is_right) && self.is_searched_in_vain(history)
    }

    fn is_searched_in_vain(&self, history: &ClientHistory) -> bool {
        is_linearizable(&self.specified, history, &Limits::default()) == Ok(false)
    }

    /// What a monitor says, if there is one and it can tell values apart.
    fn by_monitor(&self, history: &ClientHistory) -> Option<Verdict> {
        let recognised = self.recognised.as_ref()?;
        let mut put = HashSet::new();
        for operation in history.operations() {
            if let Some(Role::Add(value)) = recognised.role(&operation.invocation, operation.result.as_ref())
                && !put.insert(value)
            {
                return None;
            }
        }
        Some(check(recognised, history, &Limits::default()))
    }

    /// Gives everything that is put into a queue or a stack a value of its own, if there are as many: histories can then be decided by
    /// a monitor, and what comes out twice is seen at once.
    pub fn tell_apart(&self, client: &mut Client) {
        let Some(recognised) = &self.recognised else { return };
        let adds = |invocation: &Invocation| matches!(recognised.role(invocation, None), Some(Role::Add(_)));
        let mut puts: Vec<&mut Invocation> =
            client.threads.iter_mut().flatten().filter(|invocation| adds(invocation)).collect();
        let domain = |invocation: &Invocation| {
            let operation = &self.specified.operations[self.specified.position(invocation)];
            operation.arguments.first().map(|argument| argument.domain)
        };
        let Some(domain) = puts.first().and_then(|first| domain(first)) else { return };
        let values = domain(puts.len());
        if values.len() == puts.len() {
            puts.iter_mut().zip(values).for_each(|(put, value)| put.arguments = vec![value]);
        }
    }
}

/// An object's specification, for histories of its clients.
#[derive(Clone)]
struct Specified {
    initial: State,
    operations: Vec<ObjectOperation>,
    looks_like: Option<Recognised>,
}

impl Specified {
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

    fn part(&self, invocation: &Invocation) -> Option<Value> {
        self.looks_like.as_ref()?.part(&invocation.arguments)
    }

    fn kind(&self) -> Option<Kind> {
        Some(self.looks_like.as_ref()?.kind())
    }

    fn role(&self, invocation: &Invocation, result: Option<&Value>) -> Option<Role> {
        self.looks_like.as_ref()?.role(self.position(invocation), &invocation.arguments, result)
    }

    fn describe(&self, invocation: &Invocation, result: Option<&Value>) -> String {
        match result {
            Some(result) => format!("{invocation} → {result}"),
            None => invocation.to_string(),
        }
    }
}
