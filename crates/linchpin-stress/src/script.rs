//! A client whose operations have been looked up.

use linchpin_model::{Client, Invocation, Object, Value};

/// An invocation that is ready to run.
#[derive(Debug)]
pub(crate) struct Step {
    /// Its position in the client's text.
    pub place: usize,
    /// The operation's position in the object.
    pub operation: usize,
    pub arguments: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Script {
    pub setup: Vec<Step>,
    /// At least one.
    pub threads: Vec<Vec<Step>>,
    pub epilogue: Vec<Step>,
}

impl Script {
    /// # Panics
    /// When the object does not have an operation that the client invokes.
    pub fn of<O: Object>(client: &Client) -> Script {
        let operations = O::operations();
        let mut place = 0;
        let mut steps = |invocations: &[Invocation]| -> Vec<Step> {
            let step = |invocation: &Invocation| {
                place += 1;
                let is_meant = |operation: &linchpin_model::ObjectOperation| *operation.name == *invocation.operation;
                let Some(operation) = operations.iter().position(is_meant) else {
                    panic!("`{invocation}`: {} has no operation `{}`", O::name(), invocation.operation)
                };
                Step { place: place - 1, operation, arguments: invocation.arguments.clone() }
            };
            invocations.iter().map(step).collect()
        };
        let setup = steps(&client.setup);
        let mut threads: Vec<Vec<Step>> = client.threads.iter().map(|thread| steps(thread)).collect();
        // Somebody has to run setup and epilogue.
        threads.resize_with(threads.len().max(1), Vec::new);
        Script { setup, threads, epilogue: steps(&client.epilogue) }
    }
}
