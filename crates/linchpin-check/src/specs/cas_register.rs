//! A register with compare-and-set.

use linchpin_model::{Kind, Role, Specification, Value};

use super::sentence;

/// A register whose value can be replaced on condition that it is an expected one.
///
/// Its kind is that of a register, but a compare-and-set that changes something has no role in it: histories with such
/// operations go to the general search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CasRegister {
    /// What is read before the first write.
    pub initial: Value,
}

/// What a [`CasRegister`] can be asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CasRegisterCall {
    /// Set the register.
    Write(Value),
    /// Look at it.
    Read,
    /// Set the register if it is as expected.
    Cas {
        /// What it has to be.
        expected: Value,
        /// What it then becomes.
        new: Value,
    },
}

/// What the operations of a [`CasRegister`] return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CasRegisterReturned {
    /// A write is done.
    Written,
    /// A read found this.
    Read(Value),
    /// Was the register as expected?
    Compared(bool),
}

impl Specification for CasRegister {
    type Invocation = CasRegisterCall;
    type Returned = CasRegisterReturned;
    type State = Value;

    fn initial(&self) -> Value {
        self.initial.clone()
    }

    fn step(&self, state: &Value, call: &CasRegisterCall, result: Option<&CasRegisterReturned>, next: &mut Vec<Value>) {
        use {CasRegisterCall as Call, CasRegisterReturned as Returned};
        match (call, result) {
            (Call::Write(value), None | Some(Returned::Written)) => next.push(value.clone()),
            (Call::Read, None) => next.push(state.clone()),
            (Call::Read, Some(Returned::Read(value))) if value == state => next.push(state.clone()),
            (Call::Cas { expected, new }, None | Some(Returned::Compared(true))) if expected == state => {
                next.push(new.clone());
            }
            (Call::Cas { expected, .. }, None | Some(Returned::Compared(false))) if expected != state => {
                next.push(state.clone());
            }
            _ => {}
        }
    }

    fn is_read_only(&self, call: &CasRegisterCall, result: Option<&CasRegisterReturned>) -> bool {
        match call {
            CasRegisterCall::Write(_) => false,
            CasRegisterCall::Read => true,
            CasRegisterCall::Cas { expected, new } => {
                expected == new || result == Some(&CasRegisterReturned::Compared(false))
            }
        }
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Register { initial: self.initial.clone() })
    }

    fn role(&self, call: &CasRegisterCall, result: Option<&CasRegisterReturned>) -> Option<Role> {
        use {CasRegisterCall as Call, CasRegisterReturned as Returned};
        match (call, result) {
            (Call::Write(value), None | Some(Returned::Written)) => Some(Role::Write(value.clone())),
            (Call::Read, None) => Some(Role::Nothing),
            (Call::Read, Some(Returned::Read(value))) => Some(Role::Read(value.clone())),
            // Replacing a value by itself only says that it was there.
            (Call::Cas { expected, new }, Some(Returned::Compared(true))) if expected == new => {
                Some(Role::Read(new.clone()))
            }
            (Call::Cas { expected, new }, None) if expected == new => Some(Role::Nothing),
            _ => None,
        }
    }

    fn describe(&self, call: &CasRegisterCall, result: Option<&CasRegisterReturned>) -> String {
        let call = match call {
            CasRegisterCall::Write(value) => format!("write({value})"),
            CasRegisterCall::Read => "read()".into(),
            CasRegisterCall::Cas { expected, new } => format!("cas({expected} → {new})"),
        };
        match result {
            None | Some(CasRegisterReturned::Written) => call,
            Some(CasRegisterReturned::Read(value)) => sentence(call, Some(value)),
            Some(CasRegisterReturned::Compared(equal)) => sentence(call, Some(equal)),
        }
    }

    fn describe_state(&self, state: &Value) -> String {
        state.to_string()
    }
}
