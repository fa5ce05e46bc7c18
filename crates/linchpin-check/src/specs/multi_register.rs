//! Registers that are read and written several at a time.

use std::fmt::Write;

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Cells, braced};

/// Registers by key, and transactions over them that happen at once.
///
/// A transaction of one key works on that part alone; one of several keys needs the whole object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MultiRegister {
    /// What every key holds at first.
    pub initial: Value,
}

/// What happens at once, one access after the other. Its result has for each of its reads what was found, as far as
/// that is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transaction(pub Vec<Access>);

/// One access of a [`Transaction`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Access {
    /// Look at a key.
    Read {
        /// Which.
        key: Value,
    },
    /// Set a key.
    Write {
        /// Which.
        key: Value,
        /// To what.
        value: Value,
    },
}

/// A key that holds the initial value is not in the state.
impl Specification for MultiRegister {
    type Invocation = Transaction;
    type Returned = Vec<Option<Value>>;
    type State = Cells<Value>;

    fn initial(&self) -> Cells<Value> {
        Cells::EMPTY
    }

    fn step(
        &self,
        state: &Cells<Value>,
        transaction: &Transaction,
        result: Option<&Vec<Option<Value>>>,
        next: &mut Vec<Cells<Value>>,
    ) {
        if result.is_some_and(|found| found.len() != transaction.reads()) {
            return;
        }
        let mut found = result.into_iter().flatten();
        let mut state = state.clone();
        for access in &transaction.0 {
            match access {
                Access::Read { key } => {
                    if let Some(Some(value)) = found.next()
                        && value != state.get(key).unwrap_or(&self.initial)
                    {
                        return;
                    }
                }
                Access::Write { key, value } if *value == self.initial => state = state.without(key),
                Access::Write { key, value } => state = state.with(key, value.clone()),
            }
        }
        next.push(state);
    }

    fn part(&self, transaction: &Transaction) -> Option<Value> {
        let first = transaction.0.first()?.key();
        transaction.0.iter().all(|access| access.key() == first).then(|| first.clone())
    }

    fn is_read_only(&self, transaction: &Transaction, _: Option<&Vec<Option<Value>>>) -> bool {
        transaction.0.iter().all(|access| matches!(access, Access::Read { .. }))
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Register { initial: self.initial.clone() })
    }

    /// Only a transaction of one access does what a register can do.
    fn role(&self, transaction: &Transaction, result: Option<&Vec<Option<Value>>>) -> Option<Role> {
        match (transaction.0.as_slice(), result.map(Vec::as_slice)) {
            ([Access::Write { value, .. }], None | Some([])) => Some(Role::Write(value.clone())),
            ([Access::Read { .. }], None | Some([None])) => Some(Role::Nothing),
            ([Access::Read { .. }], Some([Some(value)])) => Some(Role::Read(value.clone())),
            _ => None,
        }
    }

    fn describe(&self, transaction: &Transaction, result: Option<&Vec<Option<Value>>>) -> String {
        let mut found = result.into_iter().flatten();
        let mut text = String::from("txn(");
        for (at, access) in transaction.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            // Writing to a text cannot fail.
            let _ = match access {
                Access::Write { key, value } => write!(text, "{comma}write({key}, {value})"),
                Access::Read { key } => match found.next() {
                    Some(Some(value)) => write!(text, "{comma}read({key}) → {value}"),
                    _ => write!(text, "{comma}read({key})"),
                },
            };
        }
        text + ")"
    }

    fn describe_state(&self, state: &Cells<Value>) -> String {
        braced(state.iter().map(|(key, value)| format!("{key}: {value}")))
    }

    fn state_bytes(&self, state: &Cells<Value>) -> usize {
        state.bytes()
    }
}

impl Transaction {
    /// How many of its accesses are reads.
    pub fn reads(&self) -> usize {
        self.0.iter().filter(|access| matches!(access, Access::Read { .. })).count()
    }
}

impl Access {
    /// The key it is about.
    pub fn key(&self) -> &Value {
        let (Access::Read { key } | Access::Write { key, .. }) = self;
        key
    }
}
