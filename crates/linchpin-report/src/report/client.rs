//! A client as text.

use std::fmt;

use linchpin_model::{Client, Invocation};
use serde::{Deserialize, Serialize};

/// The invocations of a client, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownClient {
    /// Run before the threads.
    pub setup: Vec<String>,
    /// Run at the same time.
    pub threads: Vec<Vec<String>>,
    /// Run after the threads.
    pub epilogue: Vec<String>,
}

impl From<&Client> for ShownClient {
    fn from(client: &Client) -> ShownClient {
        let texts = |part: &Vec<Invocation>| -> Vec<String> { part.iter().map(ToString::to_string).collect() };
        ShownClient {
            setup: texts(&client.setup),
            threads: client.threads.iter().map(texts).collect(),
            epilogue: texts(&client.epilogue),
        }
    }
}

/// As it is written: `[setup] { first; thread } || { second } [epilogue]`.
impl fmt::Display for ShownClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.setup.is_empty() {
            write!(f, "[{}] ", self.setup.join("; "))?;
        }
        let threads: Vec<String> = self.threads.iter().map(|thread| format!("{{ {} }}", thread.join("; "))).collect();
        f.write_str(&threads.join(" || "))?;
        if !self.epilogue.is_empty() {
            write!(f, " [{}]", self.epilogue.join("; "))?;
        }
        Ok(())
    }
}
