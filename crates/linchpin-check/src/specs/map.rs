//! A map that says what was there before.

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Cells, braced, sentence};

/// A map from keys to values.
///
/// Each key is a register that holds nothing at first, as far as an operation either writes or reads it: an insertion
/// that says what it replaced does both, and has no role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map;

/// What a [`Map`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MapCall {
    /// Give a key a value, whatever it had.
    Insert {
        /// Which.
        key: Value,
        /// What it gets.
        value: Value,
    },
    /// Give a key a value unless it has one.
    InsertIfAbsent {
        /// Which.
        key: Value,
        /// What it gets.
        value: Value,
    },
    /// Look at a key's value.
    Get {
        /// Which.
        key: Value,
    },
    /// Take a key's value away.
    Remove {
        /// Which.
        key: Value,
    },
    /// Look whether a key has a value.
    Contains {
        /// Which.
        key: Value,
    },
}

/// What the operations of a [`Map`] return. Removals and conditional insertions may return either.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MapReturned {
    /// The value that the key had before, if it had one.
    Had(Option<Value>),
    /// Whether the operation did what it was asked to do: removed a value, inserted one, found one.
    Did(bool),
}

impl Specification for Map {
    type Invocation = MapCall;
    type Returned = MapReturned;
    type State = Cells<Value>;

    fn initial(&self) -> Cells<Value> {
        Cells::EMPTY
    }

    fn step(&self, state: &Cells<Value>, call: &MapCall, result: Option<&MapReturned>, next: &mut Vec<Cells<Value>>) {
        let had = state.get(call.key());
        let fits = match (call, result) {
            (_, None) => true,
            (MapCall::Contains { .. }, Some(MapReturned::Had(_))) => false,
            (_, Some(MapReturned::Had(value))) => value.as_ref() == had,
            (MapCall::Insert { .. } | MapCall::Get { .. }, Some(MapReturned::Did(_))) => false,
            (MapCall::InsertIfAbsent { .. }, Some(MapReturned::Did(did))) => *did == had.is_none(),
            (MapCall::Remove { .. } | MapCall::Contains { .. }, Some(MapReturned::Did(did))) => *did == had.is_some(),
        };
        if fits {
            next.push(match call {
                MapCall::Insert { key, value } => state.with(key, value.clone()),
                MapCall::InsertIfAbsent { key, value } if had.is_none() => state.with(key, value.clone()),
                MapCall::Remove { key } if had.is_some() => state.without(key),
                _ => state.clone(),
            });
        }
    }

    fn part(&self, call: &MapCall) -> Option<Value> {
        Some(call.key().clone())
    }

    fn is_read_only(&self, call: &MapCall, result: Option<&MapReturned>) -> bool {
        match call {
            MapCall::Get { .. } | MapCall::Contains { .. } => true,
            // Whoever replaces a value by itself has not changed it.
            MapCall::Insert { value, .. } => {
                matches!(result, Some(MapReturned::Had(Some(had))) if had == value)
            }
            MapCall::InsertIfAbsent { .. } => {
                matches!(result, Some(MapReturned::Had(Some(_)) | MapReturned::Did(false)))
            }
            MapCall::Remove { .. } => matches!(result, Some(MapReturned::Had(None) | MapReturned::Did(false))),
        }
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Register { initial: Value::Nil })
    }

    /// A value that is itself nothing cannot be told from none, so it has no role.
    fn role(&self, call: &MapCall, result: Option<&MapReturned>) -> Option<Role> {
        use {MapCall as Call, MapReturned as Returned};
        match (call, result) {
            (Call::Insert { value, .. }, None) if !value.is_nil() => Some(Role::Write(value.clone())),
            (Call::Remove { .. }, None) => Some(Role::Write(Value::Nil)),
            (Call::Get { .. } | Call::Contains { .. }, None) => Some(Role::Nothing),
            (Call::Insert { value, .. }, Some(Returned::Had(Some(had)))) if had == value && !had.is_nil() => {
                Some(Role::Read(had.clone()))
            }
            (Call::Get { .. } | Call::InsertIfAbsent { .. }, Some(Returned::Had(Some(had)))) if !had.is_nil() => {
                Some(Role::Read(had.clone()))
            }
            (Call::Get { .. } | Call::Remove { .. }, Some(Returned::Had(None)))
            | (Call::Remove { .. } | Call::Contains { .. }, Some(Returned::Did(false))) => Some(Role::Read(Value::Nil)),
            _ => None,
        }
    }

    fn describe(&self, call: &MapCall, result: Option<&MapReturned>) -> String {
        let call = match call {
            MapCall::Insert { key, value } => format!("insert({key}, {value})"),
            MapCall::InsertIfAbsent { key, value } => format!("insert_if_absent({key}, {value})"),
            MapCall::Get { key } => format!("get({key})"),
            MapCall::Remove { key } => format!("remove({key})"),
            MapCall::Contains { key } => format!("contains({key})"),
        };
        let result = result.map(|result| match result {
            MapReturned::Had(Some(value)) => value.to_string(),
            MapReturned::Had(None) => "none".into(),
            MapReturned::Did(did) => did.to_string(),
        });
        sentence(call, result)
    }

    fn describe_state(&self, state: &Cells<Value>) -> String {
        braced(state.iter().map(|(key, value)| format!("{key}: {value}")))
    }

    fn state_bytes(&self, state: &Cells<Value>) -> usize {
        state.bytes()
    }
}

impl MapCall {
    /// The key it is about.
    pub fn key(&self) -> &Value {
        let (MapCall::Insert { key, .. }
        | MapCall::InsertIfAbsent { key, .. }
        | MapCall::Get { key }
        | MapCall::Remove { key }
        | MapCall::Contains { key }) = self;
        key
    }
}
