//! What operations take and return when it is known only at run time: in recorded histories, in clients written as text.

use std::fmt;
use std::sync::Arc;

/// A plain value. Cheap to clone, and totally ordered (integers by size, texts by their bytes; different kinds in the
/// order of the variants), so that it can be a key, an element or a priority.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Value {
    /// Nothing: `null`, `nil`, `()`, `None`.
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A text; also what a format has as symbols or keywords.
    Text(Arc<str>),
    /// Several values.
    List(Arc<[Value]>),
}

impl Value {
    /// A list of these values.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::List(items.into_iter().collect())
    }

    /// A copy that shares no memory with this value, for when that is about to go away.
    pub fn detached(&self) -> Value {
        match self {
            Value::Nil | Value::Bool(_) | Value::Integer(_) => self.clone(),
            Value::Text(text) => Value::Text(Arc::from(&**text)),
            Value::List(items) => Value::list(items.iter().map(Value::detached)),
        }
    }

    /// Is this nothing?
    pub fn is_nil(&self) -> bool {
        *self == Value::Nil
    }

    /// The number, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a list, if it is one.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }
}

/// As it is written in a client or a sentence: `nil`, `true`, `7`, `"text"`, `[1, 2]`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("nil"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}
