//! Why a recording cannot be read as the history of a model.

use std::error::Error;
use std::fmt;

use linchpin_model::{OperationId, Value};

use super::{Model, OperationDescription};

/// Why a model cannot be used, or not for this recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelError {
    /// No model has this name.
    NoSuchModel {
        /// The name.
        name: String,
    },
    /// The model cannot do without an option.
    MissingOption {
        /// The model's name.
        model: &'static str,
        /// The name of the option.
        option: &'static str,
    },
    /// The model has no use for an option.
    UselessOption {
        /// The model's name.
        model: &'static str,
        /// The name of the option.
        option: &'static str,
    },
    /// A bounded queue has room for nothing.
    NoCapacity,
    /// The initial value has to be a number.
    NotANumber {
        /// The model's name.
        model: &'static str,
        /// The value that was given.
        found: Value,
    },
    /// An operation of the recording means nothing to the model.
    Operation {
        /// The model's name.
        model: &'static str,
        /// Which operation.
        operation: OperationId,
        /// The line of the file that shows it; 0 when it is not known.
        line: usize,
        /// What is wrong.
        problem: Problem,
    },
}

/// What is wrong with an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The model has no operation of this name.
    NoSuchOperation {
        /// The name.
        name: String,
        /// The operations that it has.
        has: Vec<OperationDescription>,
    },
    /// The argument is not what the operation takes.
    Argument {
        /// The operation.
        operation: OperationDescription,
        /// The argument.
        found: Value,
    },
    /// The result is not what the operation gives.
    Result {
        /// The operation.
        operation: OperationDescription,
        /// The result.
        found: Value,
    },
    /// The operation works on a key, and there is none.
    NoKey {
        /// The operation.
        operation: OperationDescription,
    },
    /// There is a key, and the model has none.
    UnexpectedKey {
        /// The operation.
        operation: OperationDescription,
        /// The key.
        found: Value,
    },
}

impl Error for ModelError {}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::NoSuchModel { name } => {
                let names: Vec<&str> = Model::all().map(|(model, _)| model.name).collect();
                write!(f, "there is no model {name:?}; there are {}", sequence(&names))
            }
            ModelError::MissingOption { model, option: "capacity" } => {
                write!(f, "model {model} needs a capacity: how many elements there is room for")
            }
            ModelError::MissingOption { model, option } => {
                write!(f, "model {model} needs {option}: how many there are at first")
            }
            ModelError::UselessOption { model, option: "initial" } => {
                write!(f, "model {model} takes no initial value")
            }
            ModelError::UselessOption { model, option } => write!(f, "model {model} takes no {option}"),
            ModelError::NoCapacity => f.write_str("a capacity of 0 leaves no room for any element"),
            ModelError::NotANumber { model, found } => {
                write!(f, "the initial value of model {model} is a number, not {found}")
            }
            ModelError::Operation { model, operation, line, problem } => {
                match line {
                    0 => write!(f, "operation {operation}: ")?,
                    line => write!(f, "line {line}: ")?,
                }
                problem.write(f, model)
            }
        }
    }
}

impl Problem {
    /// Is it the return of the operation that is wrong, rather than the call?
    pub(super) fn is_about_the_return(&self) -> bool {
        matches!(self, Problem::Result { .. })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, model: &str) -> fmt::Result {
        match self {
            Problem::NoSuchOperation { name, has } => {
                let has: Vec<String> = has.iter().map(OperationDescription::to_string).collect();
                write!(f, "model {model} has no operation {name:?}; it has {}", sequence(&has))
            }
            Problem::Argument { operation, found } => {
                let OperationDescription { names, takes, .. } = operation;
                match (*takes, found) {
                    ("", found) => write!(f, "{} of model {model} takes no argument, but has {found}", names[0]),
                    (takes, Value::Nil) => {
                        write!(f, "{} of model {model} takes {takes}, but has no argument", names[0])
                    }
                    (takes, found) => write!(f, "{} of model {model} takes {takes}, but has {found}", names[0]),
                }
            }
            Problem::Result { operation, found } => {
                let OperationDescription { names, gives, .. } = operation;
                match *gives {
                    "" => write!(f, "{} of model {model} returns nothing, but returned {found}", names[0]),
                    gives => write!(f, "{} of model {model} returns {gives}, but returned {found}", names[0]),
                }
            }
            Problem::NoKey { operation } => {
                write!(f, "{} of model {model} works on a key, but has none", operation.names[0])
            }
            Problem::UnexpectedKey { operation, found } => {
                write!(f, "{} of model {model} works on no key, but has {found}", operation.names[0])?;
                match model {
                    "register" => f.write_str("; model kv has a register for each key"),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// `enq (enqueue, push)`.
impl fmt::Display for OperationDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names[0])?;
        match &self.names[1..] {
            [] => Ok(()),
            others => write!(f, " ({})", others.join(", ")),
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn sequence(items: &[impl AsRef<str>]) -> String {
    match items {
        [] => "none".into(),
        [only] => only.as_ref().into(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}
