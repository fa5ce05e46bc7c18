//! A value that is written and read.

use linchpin_model::{Kind, Role, Specification, Value};

use super::sentence;

/// A register: a read returns what was written last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Register {
    /// What is read before the first write.
    pub initial: Value,
}

/// What a [`Register`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RegisterCall {
    /// Set the register.
    Write(Value),
    /// Look at it.
    Read,
}

/// What the operations of a [`Register`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RegisterReturned {
    /// A write is done.
    Written,
    /// A read found this.
    Read(Value),
}

impl Specification for Register {
    type Invocation = RegisterCall;
    type Returned = RegisterReturned;
    type State = Value;

    fn initial(&self) -> Value {
        self.initial.clone()
    }

    fn step(&self, state: &Value, call: &RegisterCall, result: Option<&RegisterReturned>, next: &mut Vec<Value>) {
        use {RegisterCall as Call, RegisterReturned as Returned};
        match (call, result) {
            (Call::Write(value), None | Some(Returned::Written)) => next.push(value.clone()),
            (Call::Read, None) => next.push(state.clone()),
            (Call::Read, Some(Returned::Read(value))) if value == state => next.push(state.clone()),
            _ => {}
        }
    }

    fn is_read_only(&self, call: &RegisterCall, _: Option<&RegisterReturned>) -> bool {
        *call == RegisterCall::Read
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Register { initial: self.initial.clone() })
    }

    fn role(&self, call: &RegisterCall, result: Option<&RegisterReturned>) -> Option<Role> {
        use {RegisterCall as Call, RegisterReturned as Returned};
        match (call, result) {
            (Call::Write(value), None | Some(Returned::Written)) => Some(Role::Write(value.clone())),
            (Call::Read, None) => Some(Role::Nothing),
            (Call::Read, Some(Returned::Read(value))) => Some(Role::Read(value.clone())),
            _ => None,
        }
    }

    fn describe(&self, call: &RegisterCall, result: Option<&RegisterReturned>) -> String {
        match call {
            RegisterCall::Write(value) => format!("write({value})"),
            RegisterCall::Read => sentence(
                "read()".into(),
                result.and_then(|result| match result {
                    RegisterReturned::Read(value) => Some(value),
                    RegisterReturned::Written => None,
                }),
            ),
        }
    }

    fn describe_state(&self, state: &Value) -> String {
        state.to_string()
    }

    fn state_bytes(&self, state: &Value) -> usize {
        size_of_val(state)
    }
}
