//! What is run against an object: invocations in sequence, in parallel, and in sequence again.

use std::fmt;
use std::sync::Arc;

use crate::Value;

/// An operation with concrete arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Invocation {
    /// The operation's name.
    pub operation: Arc<str>,
    /// Its arguments, without the object itself.
    pub arguments: Vec<Value>,
}

/// Sequential invocations that build a state, threads that run in parallel on it, and sequential invocations that look
/// at what they left behind.
///
/// In text: `[setup] { first; thread } || { second } [epilogue]`, where either bracket may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Client {
    /// Run before the threads.
    pub setup: Vec<Invocation>,
    /// Run at the same time, each in its own order.
    pub threads: Vec<Vec<Invocation>>,
    /// Run after all threads have ended.
    pub epilogue: Vec<Invocation>,
}

/// What the invocations of a client returned, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Outcome(pub Vec<Value>);

impl Client {
    /// All invocations, in the order of the text.
    pub fn invocations(&self) -> impl Iterator<Item = &Invocation> {
        self.setup.iter().chain(self.threads.iter().flatten()).chain(&self.epilogue)
    }

    /// All invocations, in the order of the text, to be changed.
    pub fn invocations_mut(&mut self) -> impl Iterator<Item = &mut Invocation> {
        self.setup.iter_mut().chain(self.threads.iter_mut().flatten()).chain(&mut self.epilogue)
    }

    /// How many invocations there are.
    pub fn len(&self) -> usize {
        self.invocations().count()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.operation)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{argument}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sequence =
            |invocations: &[Invocation]| invocations.iter().map(Invocation::to_string).collect::<Vec<_>>().join("; ");
        if !self.setup.is_empty() {
            write!(f, "[{}] ", sequence(&self.setup))?;
        }
        let thread = |thread: &Vec<Invocation>| match thread.is_empty() {
            true => "{ }".to_owned(),
            false => format!("{{ {} }}", sequence(thread)),
        };
        let threads: Vec<String> = self.threads.iter().map(thread).collect();
        f.write_str(&threads.join(" || "))?;
        if !self.epilogue.is_empty() {
            write!(f, " [{}]", sequence(&self.epilogue))?;
        }
        Ok(())
    }
}

/// The values, separated by commas.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.0.iter().map(Value::to_string).collect();
        f.write_str(&values.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(operation: &str, arguments: &[i64]) -> Invocation {
        Invocation { operation: operation.into(), arguments: arguments.iter().map(|&n| n.into()).collect() }
    }

    #[test]
    fn a_thread_without_invocations_is_a_pair_of_braces() {
        let client = Client { threads: vec![vec![], vec![call("pop", &[])]], ..Client::default() };
        assert_eq!(client.to_string(), "{ } || { pop() }");
    }

    #[test]
    fn a_client_is_printed_as_it_is_written() {
        let client = Client {
            setup: vec![call("push", &[1])],
            threads: vec![vec![call("pop", &[]), call("put", &[1, 2])], vec![call("pop", &[])]],
            epilogue: vec![],
        };
        assert_eq!(client.to_string(), "[push(1)] { pop(); put(1, 2) } || { pop() }");
        assert_eq!(client.len(), 4);
        assert_eq!(Outcome(vec![Value::Nil, 3.into(), "x".into()]).to_string(), "nil, 3, \"x\"");
    }
}
