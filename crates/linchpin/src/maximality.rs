//! How much each operation of an object promises, found out by trying.

use std::fmt;

use linchpin_generate::{Options, admitted_at, generate_from};
use linchpin_model::{AnyObject, Client, Consistency, ObjectOperation, Outcome};

use crate::{Builder, ClientTest};

/// What the operations of an object promise, as far as clients have shown.
#[derive(Clone, Debug)]
pub struct Maximality {
    /// The object's name.
    pub object: &'static str,
    /// In the order of the description.
    pub operations: Vec<Promise>,
}

/// What one operation promises.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The operation.
    pub operation: &'static str,
    /// The strongest level that it has kept. `None`: not even the weakest.
    pub level: Option<Consistency>,
    /// How many clients were explored.
    pub clients: usize,
    /// How many clients were given up, since a budget ran out or they violate something else.
    pub given_up: usize,
    /// Why it is no stronger level: a client, and an outcome of it that the next stronger level forbids.
    pub broken_by: Option<(Client, Outcome)>,
}

pub(crate) fn find(object: AnyObject, builder: &Builder, options: &Options, clients: usize, seed: u64) -> Maximality {
    let operations = object.operations();
    let promises =
        (0..operations.len()).map(|suspect| promise(object, &operations, suspect, builder, options, clients, seed));
    Maximality { object: object.name(), operations: promises.collect() }
}

fn promise(
    object: AnyObject,
    operations: &[ObjectOperation],
    suspect: usize,
    builder: &Builder,
    options: &Options,
    clients: usize,
    seed: u64,
) -> Promise {
    let operation = operations[suspect].name;
    // Clients of the suspect and of what is trusted: another suspect must not be what it is blamed for.
    let nothing_said = operations.iter().all(|operation| operation.trusted.is_none());
    let is_trusted = |operation: &ObjectOperation| match nothing_said {
        true => !operation.read_only,
        false => operation.trusted == Some(true),
    };
    let blamed: Vec<ObjectOperation> = operations
        .iter()
        .enumerate()
        .filter(|&(number, operation)| number == suspect || is_trusted(operation))
        .map(|(number, operation)| ObjectOperation { trusted: Some(number != suspect), ..operation.clone() })
        .collect();
    // Setups and epilogues find no more here, and outcomes of weaker levels are exponential in the number of invocations.
    let options = Options { one_untrusted: true, setup: 0..=0, epilogue: 0..=0, ..options.clone() };
    let mut promise =
        Promise { operation, level: Some(Consistency::Complete), clients: 0, given_up: 0, broken_by: None };
    for client in generate_from(&blamed, seed, options).take(clients) {
        let Some(observed) = ClientTest::new(object, client.clone()).with(builder.clone()).observed() else {
            promise.given_up += 1;
            continue;
        };
        promise.clients += 1;
        while let Some(level) = promise.level {
            let admitted = admitted_at(object, &client, |invocation| match *invocation.operation == *operation {
                true => level,
                false => Consistency::Complete,
            });
            let Some(outcome) = observed.iter().find(|outcome| !admitted.contains(outcome)) else { break };
            promise.broken_by = Some((client.clone(), outcome.clone()));
            promise.level = Consistency::ALL.into_iter().rev().find(|&weaker| weaker < level);
        }
        if promise.level.is_none() {
            break;
        }
    }
    promise
}

/// A table.
impl fmt::Display for Maximality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.operations.iter().map(|promise| promise.operation.len()).max().unwrap_or(0).max(9);
        writeln!(f, "{:width$}  {:9}  {:>7}  why no stronger", "operation", "level", "clients")?;
        for promise in &self.operations {
            let level = promise.level.map_or("none".to_owned(), |level| level.to_string());
            let why = match &promise.broken_by {
                Some((client, outcome)) => format!("{client} returned {outcome}"),
                None => String::new(),
            };
            let line = format!("{:width$}  {level:9}  {:>7}  {why}", promise.operation, promise.clients);
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
