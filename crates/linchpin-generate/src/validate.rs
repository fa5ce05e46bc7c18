//! Does a client call what its object has?

use std::error::Error;
use std::fmt;

use linchpin_model::{AnyObject, Client, Invocation, Value};

/// Checks that the object has every operation that the client invokes, with so many arguments of its types.
///
/// # Errors
/// For the first invocation, in the order of the text, that the object does not have.
pub fn validate(object: AnyObject, client: &Client) -> Result<(), Invalid> {
    let operations = object.operations();
    for (position, invocation) in client.invocations().enumerate() {
        let is_meant = |operation: &linchpin_model::ObjectOperation| *operation.name == *invocation.operation;
        let Some(number) = operations.iter().position(is_meant) else {
            return Err(Invalid::UnknownOperation {
                object: object.name(),
                position,
                invocation: invocation.clone(),
                known: operations.iter().map(|operation| operation.name).collect(),
            });
        };
        let operation = &operations[number];
        if operation.arguments.len() != invocation.arguments.len() {
            return Err(Invalid::WrongNumberOfArguments {
                position,
                invocation: invocation.clone(),
                arguments: operation.arguments.iter().map(|argument| argument.name).collect(),
            });
        }
        for (place, value) in invocation.arguments.iter().enumerate() {
            if let Some(wanted) = object.refuses(number, place, value) {
                let (invocation, value) = (invocation.clone(), value.clone());
                let argument = operation.arguments[place].name;
                return Err(Invalid::WrongType { position, invocation, argument, value, wanted });
            }
        }
    }
    Ok(())
}

/// Why a client cannot be run on an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invalid {
    /// The object has no operation of this name.
    UnknownOperation {
        /// The object's name.
        object: &'static str,
        /// Which invocation of the client it is, in the order of the text.
        position: usize,
        /// The invocation.
        invocation: Invocation,
        /// The operations that there are.
        known: Vec<&'static str>,
    },
    /// The operation has more or fewer arguments.
    WrongNumberOfArguments {
        /// Which invocation of the client it is, in the order of the text.
        position: usize,
        /// The invocation.
        invocation: Invocation,
        /// The names of the arguments that the operation has.
        arguments: Vec<&'static str>,
    },
    /// An argument is not of the operation's type.
    WrongType {
        /// Which invocation of the client it is, in the order of the text.
        position: usize,
        /// The invocation.
        invocation: Invocation,
        /// The name of the argument.
        argument: &'static str,
        /// What was given.
        value: Value,
        /// The type that it must have.
        wanted: &'static str,
    },
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::UnknownOperation { object, invocation, known, .. } => {
                write!(f, "`{invocation}`: {object} has no operation `{}`", invocation.operation)?;
                match known[..] {
                    [] => f.write_str(", and no other"),
                    _ => write!(f, ", only `{}`", known.join("`, `")),
                }
            }
            Invalid::WrongNumberOfArguments { invocation, arguments, .. } => {
                let count = |n: usize| match n {
                    0 => "no arguments".to_owned(),
                    1 => "1 argument".to_owned(),
                    n => format!("{n} arguments"),
                };
                let (takes, given) = (count(arguments.len()), invocation.arguments.len());
                write!(f, "`{invocation}`: `{}({})` takes {takes}", invocation.operation, arguments.join(", "))?;
                write!(f, ", not {given}")
            }
            Invalid::WrongType { invocation, argument, value, wanted, .. } => {
                write!(f, "`{invocation}`: {value} cannot be the argument `{argument}`, which has the type {wanted}")
            }
        }
    }
}

impl Error for Invalid {}

#[cfg(test)]
mod tests {
    use linchpin_model::{Object, ObjectArgument, ObjectOperation, Value};

    use super::*;
    use crate::parse;

    struct Map;

    impl Object for Map {
        type Instance = ();
        const NAME: &'static str = "Map";
        fn create() {}
        fn operations() -> Vec<ObjectOperation> {
            let argument = |name| ObjectArgument { name, domain: |_| vec![] };
            let operation = ObjectOperation::new;
            vec![
                operation("put", vec![argument("key"), argument("value")]),
                operation("get", vec![argument("key")]),
                operation("len", vec![]),
            ]
        }
        fn invoke(_: &(), _: usize, _: &[Value]) -> Value {
            Value::Nil
        }
        fn refuses(operation: usize, argument: usize, value: &Value) -> Option<&'static str> {
            ((operation, argument) == (0, 1) && !matches!(value, Value::Integer(_))).then_some("u32")
        }
    }

    fn message(text: &str) -> Option<String> {
        validate(AnyObject::of::<Map>(), &parse(text).unwrap()).err().map(|invalid| invalid.to_string())
    }

    #[test]
    fn what_the_object_has_is_valid() {
        assert_eq!(message("[put(1, 2)] { get(\"any\") } || { } [len()]"), None);
    }

    #[test]
    fn an_unknown_operation_is_reported_with_those_that_there_are() {
        let expected = "`push(1)`: Map has no operation `push`, only `put`, `get`, `len`";
        assert_eq!(message("{ get(1) } || { push(1) }").as_deref(), Some(expected));
    }

    #[test]
    fn an_argument_of_another_type_is_reported_with_the_type_that_it_must_have() {
        let expected = "`put(1, true)`: true cannot be the argument `value`, which has the type u32";
        assert_eq!(message("{ get(true) } || { put(1, true) }").as_deref(), Some(expected));
    }

    #[test]
    fn a_wrong_number_of_arguments_is_reported_with_their_names() {
        let expected = "`put(1)`: `put(key, value)` takes 2 arguments, not 1";
        assert_eq!(message("[put(1)] { len() }").as_deref(), Some(expected));
        assert_eq!(message("{ len() } [len(1)]").as_deref(), Some("`len(1)`: `len()` takes no arguments, not 1"));
    }
}
