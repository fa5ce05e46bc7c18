//! A client whose operations have been looked up: what those run who run clients.

use crate::{AnyObject, Client, Invocation, ObjectOperation, Value};

/// The invocations of a client, ready to run.
///
/// ```
/// # use linchpin_model::{AnyObject, Client, Script};
/// fn run(object: AnyObject, client: &Client) {
///     let instance = object.create();
///     for step in &Script::of(object, client).setup {
///         object.invoke(&instance, step.operation, &step.arguments);
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Run before the threads.
    pub setup: Vec<Step>,
    /// Run at the same time, each in its own order.
    pub threads: Vec<Vec<Step>>,
    /// Run after all threads have ended.
    pub epilogue: Vec<Step>,
}

/// An invocation that is ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its position in the client's text.
    pub place: usize,
    /// The operation's position in the object's description.
    pub operation: usize,
    /// What it is called with.
    pub arguments: Vec<Value>,
}

impl Script {
    /// Looks up the operations of a client.
    ///
    /// # Panics
    ///
    /// When the object does not have an operation that the client invokes.
    pub fn of(object: AnyObject, client: &Client) -> Script {
        let operations = object.operations();
        let mut places = 0..;
        let mut step = |invocation: &Invocation| {
            let is_meant = |operation: &ObjectOperation| *operation.name == *invocation.operation;
            let Some(operation) = operations.iter().position(is_meant) else {
                panic!("`{invocation}`: {} has no operation `{}`", object.name(), invocation.operation)
            };
            let place = places.next().expect("numbers do not end");
            Step { place, operation, arguments: invocation.arguments.clone() }
        };
        Script {
            setup: client.setup.iter().map(&mut step).collect(),
            threads: client.threads.iter().map(|thread| thread.iter().map(&mut step).collect()).collect(),
            epilogue: client.epilogue.iter().map(&mut step).collect(),
        }
    }
}
