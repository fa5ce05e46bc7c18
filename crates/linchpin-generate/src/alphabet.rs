//! What clients are made of: the operations that can be invoked, with the values that their arguments take.

use std::fmt;
use std::slice::from_ref;
use std::sync::Arc;

use linchpin_model::{Invocation, ObjectOperation, Value};

/// An operation that no generated client invokes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The operation's name.
    pub operation: &'static str,
    /// Why it is left out.
    pub why: Why,
}

/// Why an operation is left out of generated clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Nothing is known that could be passed for an argument.
    NoValues {
        /// The argument's name.
        argument: &'static str,
    },
    /// An earlier operation has the same name, and invocations know operations by name.
    NameTaken,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::NoValues { argument } => {
                write!(f, "`{}` is left out: its argument `{argument}` has no values", self.operation)
            }
            Why::NameTaken => {
                write!(f, "a second `{}` is left out: invocations know operations by name", self.operation)
            }
        }
    }
}

/// An operation that can be invoked.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub name: Arc<str>,
    /// The values of each argument: at least one, and no two alike.
    pub domains: Vec<Vec<Value>>,
    pub read_only: bool,
    pub trusted: Option<bool>,
}

/// The operations that can be invoked with arguments of up to so many values, and those that cannot.
pub(crate) fn alphabet(operations: &[ObjectOperation], values: usize) -> (Vec<Letter>, Vec<LeftOut>) {
    let mut letters: Vec<Letter> = Vec::new();
    let mut left_out = Vec::new();
    for operation in operations {
        let domains: Vec<Vec<Value>> =
            operation.arguments.iter().map(|argument| different((argument.domain)(values), values)).collect();
        let empty = domains.iter().position(Vec::is_empty);
        let why = if letters.iter().any(|letter| *letter.name == *operation.name) {
            Some(Why::NameTaken)
        } else {
            empty.map(|argument| Why::NoValues { argument: operation.arguments[argument].name })
        };
        match why {
            Some(why) => left_out.push(LeftOut { operation: operation.name, why }),
            None => letters.push(Letter {
                name: operation.name.into(),
                domains,
                read_only: operation.read_only,
                trusted: operation.trusted,
            }),
        }
    }
    (letters, left_out)
}

/// The first so many different values. Domains promise that already, but whoever writes one may break the promise, and
/// then clients would come twice.
fn different(values: Vec<Value>, limit: usize) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        if kept.len() < limit && !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

impl Letter {
    /// Every invocation of the operation, the simplest arguments first.
    pub fn invocations(&self) -> Vec<Invocation> {
        let mut arguments = vec![Vec::new()];
        for domain in &self.domains {
            arguments = arguments
                .iter()
                .flat_map(|before| domain.iter().map(move |value| [&before[..], from_ref(value)].concat()))
                .collect();
        }
        arguments.into_iter().map(|arguments| Invocation { operation: self.name.clone(), arguments }).collect()
    }
}
