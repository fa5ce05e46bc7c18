//! What a recording has on one operation, and the ways in which models read it.

use linchpin_model::Value;

use super::{OperationDescription, Problem};
use crate::{Call, Layout};

/// One operation of a recording, as it was found.
pub(super) struct Found<'a> {
    /// What the model calls it.
    pub(super) operation: OperationDescription,
    pub(super) call: &'a Call,
    /// `None` when not known.
    pub(super) result: Option<&'a Value>,
    pub(super) returned: bool,
    pub(super) layout: Layout,
    pub(super) nil_read_says_nothing: bool,
}

/// The call.
impl Found<'_> {
    /// There is none. An event's value is what was asked for and what was found in one, so there it may be anything.
    pub(super) fn no_argument(&self) -> Result<(), Problem> {
        match self.layout {
            Layout::Operations if !self.call.argument.is_nil() => Err(self.bad_argument()),
            _ => Ok(()),
        }
    }

    /// A value that may be nothing: a register can hold that.
    pub(super) fn value(&self) -> Value {
        self.call.argument.clone()
    }

    /// A value that is something: a result of nothing means that a collection was empty.
    pub(super) fn element(&self) -> Result<Value, Problem> {
        if self.call.argument.is_nil() { Err(self.bad_argument()) } else { Ok(self.value()) }
    }

    /// Two values in a list.
    pub(super) fn pair(&self) -> Result<(Value, Value), Problem> {
        match self.call.argument.as_list() {
            Some([first, second]) => Ok((first.clone(), second.clone())),
            _ => Err(self.bad_argument()),
        }
    }

    pub(super) fn number(&self) -> Result<i64, Problem> {
        self.call.argument.as_integer().ok_or_else(|| self.bad_argument())
    }

    /// How many; 1 when nothing is said.
    pub(super) fn amount(&self) -> Result<u64, Problem> {
        match &self.call.argument {
            Value::Nil => Ok(1),
            Value::Integer(number) => u64::try_from(*number).map_err(|_| self.bad_argument()),
            _ => Err(self.bad_argument()),
        }
    }

    pub(super) fn key(&self) -> Result<Value, Problem> {
        self.some_key().ok_or(Problem::NoKey { operation: self.operation })
    }

    /// The key; nothing where the object has only one.
    pub(super) fn key_or_nothing(&self) -> Value {
        self.some_key().unwrap_or_default()
    }

    /// The element of a set, which some formats have as a key and some as an argument.
    pub(super) fn key_or_element(&self) -> Result<Value, Problem> {
        self.some_key().map_or_else(|| self.element(), Ok)
    }

    pub(super) fn no_key(&self) -> Result<(), Problem> {
        match self.some_key() {
            Some(found) => Err(Problem::UnexpectedKey { operation: self.operation, found }),
            None => Ok(()),
        }
    }

    fn some_key(&self) -> Option<Value> {
        self.call.key.clone().filter(|key| !key.is_nil())
    }

    pub(super) fn bad_argument(&self) -> Problem {
        Problem::Argument { operation: self.operation, found: self.call.argument.clone() }
    }
}

/// The return.
impl Found<'_> {
    /// Of an operation whose return says only that it is done.
    pub(super) fn done<R>(&self, done: R) -> Result<Option<R>, Problem> {
        match (self.layout, self.result) {
            _ if !self.returned => Ok(None),
            (Layout::Events, _) | (Layout::Operations, None | Some(Value::Nil | Value::Bool(true))) => Ok(Some(done)),
            (Layout::Operations, Some(found)) => Err(self.bad_result(found)),
        }
    }

    /// Of an operation that succeeds unless it says that it did not.
    pub(super) fn succeeded(&self) -> Result<Option<bool>, Problem> {
        match self.result {
            Some(Value::Bool(false)) => Ok(Some(false)),
            _ => self.done(true),
        }
    }

    /// Of an operation that changes something or not: unknown unless it says.
    pub(super) fn changed(&self) -> Result<Option<bool>, Problem> {
        match (self.layout, self.result) {
            (_, Some(Value::Bool(changed))) => Ok(Some(*changed)),
            (Layout::Events, _) | (Layout::Operations, None | Some(Value::Nil)) => Ok(None),
            (Layout::Operations, Some(found)) => Err(self.bad_result(found)),
        }
    }

    /// Of a comparison. What is recorded as an event that is `ok` has succeeded.
    pub(super) fn compared(&self) -> Result<Option<bool>, Problem> {
        match self.layout {
            Layout::Events => self.succeeded(),
            Layout::Operations => self.answer(),
        }
    }

    /// Of a question.
    pub(super) fn answer(&self) -> Result<Option<bool>, Problem> {
        match (self.layout, self.result) {
            (_, None) | (Layout::Events, Some(Value::Nil)) => Ok(None),
            (_, Some(Value::Bool(answer))) => Ok(Some(*answer)),
            (_, Some(found)) => Err(self.bad_result(found)),
        }
    }

    /// Of a look at a register.
    pub(super) fn read(&self) -> Option<Value> {
        self.result.cloned().and_then(|value| self.meant(value))
    }

    /// What a value that was read means; `None`: nothing at all.
    pub(super) fn meant(&self, value: Value) -> Option<Value> {
        let says_nothing = self.layout == Layout::Events && self.nil_read_says_nothing && value.is_nil();
        (!says_nothing).then_some(value)
    }

    /// Of an operation that finds a value, or none.
    pub(super) fn maybe(&self) -> Option<Option<Value>> {
        self.result.map(|value| (!value.is_nil()).then(|| value.clone()))
    }

    pub(super) fn bad_result(&self, found: &Value) -> Problem {
        Problem::Result { operation: self.operation, found: found.clone() }
    }
}
