//! A register per key, to which texts can be appended.

use std::borrow::Cow;

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Cells, braced, sentence};

/// A store of independent values by key.
///
/// Without appends each key is a register. An append has no role in one, so a history with appends goes to the general
/// search, key by key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyValue {
    /// What every key holds at first.
    pub initial: Value,
}

/// What a [`KeyValue`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyValueCall {
    /// Look at a key.
    Get {
        /// Which.
        key: Value,
    },
    /// Set a key.
    Put {
        /// Which.
        key: Value,
        /// To what.
        value: Value,
    },
    /// Append to the text of a key. Nothing is the empty text; what is neither a text nor nothing counts as it is
    /// written.
    Append {
        /// Which.
        key: Value,
        /// What comes behind what is there.
        value: Value,
    },
}

/// What the operations of a [`KeyValue`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyValueReturned {
    /// A put or an append is done.
    Done,
    /// A get found this.
    Found(Value),
}

/// Where a key that holds the initial value is not in the state: two states that look the same are the same.
impl Specification for KeyValue {
    type Invocation = KeyValueCall;
    type Returned = KeyValueReturned;
    type State = Cells<Value>;

    fn initial(&self) -> Cells<Value> {
        Cells::EMPTY
    }

    fn step(
        &self,
        state: &Cells<Value>,
        call: &KeyValueCall,
        result: Option<&KeyValueReturned>,
        next: &mut Vec<Cells<Value>>,
    ) {
        use {KeyValueCall as Call, KeyValueReturned as Returned};
        let held = |key| state.get(key).unwrap_or(&self.initial);
        match (call, result) {
            (Call::Get { .. }, None) => next.push(state.clone()),
            (Call::Get { key }, Some(Returned::Found(value))) if value == held(key) => next.push(state.clone()),
            (Call::Put { key, value }, None | Some(Returned::Done)) => next.push(self.with(state, key, value.clone())),
            (Call::Append { key, value }, None | Some(Returned::Done)) => {
                next.push(self.with(state, key, appended(held(key), value)));
            }
            _ => {}
        }
    }

    fn part(&self, call: &KeyValueCall) -> Option<Value> {
        let (KeyValueCall::Get { key } | KeyValueCall::Put { key, .. } | KeyValueCall::Append { key, .. }) = call;
        Some(key.clone())
    }

    fn is_read_only(&self, call: &KeyValueCall, _: Option<&KeyValueReturned>) -> bool {
        matches!(call, KeyValueCall::Get { .. })
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Register { initial: self.initial.clone() })
    }

    fn role(&self, call: &KeyValueCall, result: Option<&KeyValueReturned>) -> Option<Role> {
        use {KeyValueCall as Call, KeyValueReturned as Returned};
        match (call, result) {
            (Call::Get { .. }, None) => Some(Role::Nothing),
            (Call::Get { .. }, Some(Returned::Found(value))) => Some(Role::Read(value.clone())),
            (Call::Put { value, .. }, None | Some(Returned::Done)) => Some(Role::Write(value.clone())),
            _ => None,
        }
    }

    fn describe(&self, call: &KeyValueCall, result: Option<&KeyValueReturned>) -> String {
        let call = match call {
            KeyValueCall::Get { key } => format!("get({key})"),
            KeyValueCall::Put { key, value } => format!("put({key}, {value})"),
            KeyValueCall::Append { key, value } => format!("append({key}, {value})"),
        };
        match result {
            Some(KeyValueReturned::Found(value)) => sentence(call, Some(value)),
            None | Some(KeyValueReturned::Done) => call,
        }
    }

    /// Appending makes texts that no other state shares.
    fn describe_state(&self, state: &Cells<Value>) -> String {
        braced(state.iter().map(|(key, value)| format!("{key}: {value}")))
    }

    fn state_bytes(&self, state: &Cells<Value>) -> usize {
        state.bytes() + state.any().and_then(Value::as_text).map_or(0, str::len)
    }
}

impl KeyValue {
    fn with(&self, state: &Cells<Value>, key: &Value, value: Value) -> Cells<Value> {
        if value == self.initial { state.without(key) } else { state.with(key, value) }
    }
}

fn appended(there: &Value, value: &Value) -> Value {
    let (there, value) = (text(there), text(value));
    Value::Text([there, value].concat().into())
}

fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Nil => "".into(),
        Value::Text(text) => Cow::Borrowed(text),
        other => other.to_string().into(),
    }
}
