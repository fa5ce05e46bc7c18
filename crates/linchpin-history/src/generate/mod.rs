//! Histories whose verdict is known before anybody has checked them.
//!
//! Every operation gets a hidden moment between its call and its return, at which a sequential object performs it: the
//! history is linearizable, and the hidden order is the proof. Every process is always inside an operation, which makes
//! the history as concurrent as so many processes can be.
//!
//! A violation is then made by changing what one or two operations returned, at a place where the order of calls and
//! returns alone excludes the new results. Why they are excluded is said where each is made; that they are, and that
//! the hidden order is one, is tested by trying all orders of thousands of small histories.
//!
//! The same options give the same history, on every machine and in every release that does not say otherwise.

mod cells;
mod collections;
mod gauges;
mod random;
mod schedule;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;

use linchpin_check::Witness;
use linchpin_model::{OperationId, Value};

use crate::Recording;
use crate::models::{self, Model, ModelError};

use cells::Cells;
use collections::Collection;
use gauges::{Counter, Locks};
use schedule::{Family, build, schedule};

/// What to generate.
///
/// ```
/// use linchpin_history::generate::{Options, generate};
/// let options = Options { model: "stack".into(), operations: 100, ..Options::default() };
/// assert_eq!(generate(&options).unwrap().recording.history.len(), 100);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The model's name.
    pub model: String,
    /// How many operations are called.
    pub operations: usize,
    /// How many processes call them.
    pub processes: usize,
    /// Chooses among the histories that are possible.
    pub seed: u64,
    /// Shall the history not be linearizable?
    pub violate: bool,
    /// Which values are written and put in.
    pub values: Values,
    /// How many keys there are, for models that have keys; locks are told apart only if there is more than one.
    pub keys: u64,
    /// Which fraction of the operations does not return.
    pub pending: f64,
    /// How many elements a bounded queue has room for.
    pub capacity: u64,
    /// How many permits a semaphore starts with.
    pub permits: u64,
}

impl Default for Options {
    /// A linearizable history of a queue.
    fn default() -> Self {
        Options {
            model: "queue".into(),
            operations: 1000,
            processes: 8,
            seed: 0,
            violate: false,
            values: Values::Distinct,
            keys: 8,
            pending: 0.0,
            capacity: 4,
            permits: 2,
        }
    }
}

/// Which values are written and put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// No value twice: what the monitors need.
    Distinct,
    /// So many different ones, over and over.
    Few(u64),
}

/// A history and what is known about it.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The history, in the order of calls.
    pub recording: Recording,
    /// What it is a history of.
    pub model: Model,
    /// Whether it is linearizable.
    pub verdict: Known,
}

/// What is known about a generated history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It is linearizable: the hidden order.
    Linearizable(Witness),
    /// It is not: the operations that were changed, then those that they contradict. Of a counter or a lock, which is
    /// contradicted by all that was done before, only the one that was changed.
    Violation(Vec<OperationId>),
}

/// Why nothing was generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenerateError {
    /// The model does not exist, or its options make no sense.
    Model(ModelError),
    /// There must be at least one of these.
    None {
        /// Which option is 0.
        option: &'static str,
    },
    /// In this history no result can be changed such that it is certain that it is not linearizable.
    NoPlace {
        /// The model's name.
        model: &'static str,
    },
}

impl Error for GenerateError {}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Model(error) => error.fmt(f),
            GenerateError::None { option } => write!(f, "there must be at least one of the {option}"),
            GenerateError::NoPlace { model } => write!(
                f,
                "this history of a {model} has no place for a certain violation; \
                 more operations, fewer processes, or another seed will do"
            ),
        }
    }
}

/// A history with these properties.
pub fn generate(options: &Options) -> Result<Generated, GenerateError> {
    let positive = [
        ("processes", options.processes != 0),
        ("keys", options.keys != 0),
        ("values", options.values != Values::Few(0)),
        ("permits", options.permits != 0),
    ];
    if let Some((option, _)) = positive.into_iter().find(|(_, positive)| !positive) {
        return Err(GenerateError::None { option });
    }
    let model = model(options).map_err(GenerateError::Model)?;
    match model.name() {
        "queue" => made(Collection::queue(options), options, model),
        "bounded-queue" => made(Collection::bounded_queue(options), options, model),
        "stack" => made(Collection::stack(options), options, model),
        "deque" => made(Collection::deque(options), options, model),
        "priority-queue" => made(Collection::priority_queue(options), options, model),
        "counter" => made(Counter::new(), options, model),
        "mutex" => made(Locks::mutex(options), options, model),
        "rwlock" => made(Locks::rw_lock(options), options, model),
        "semaphore" => made(Locks::semaphore(options), options, model),
        name => made(Cells::named(name, options), options, model),
    }
}

/// The model, told what it needs.
fn model(options: &Options) -> Result<Model, ModelError> {
    let name = &options.model;
    let given = |capacity, permits| models::Options { initial: None, capacity, permits };
    match Model::by_name(name, given(None, None)) {
        Err(ModelError::MissingOption { option: "capacity", .. }) => {
            Model::by_name(name, given(Some(options.capacity), None))
        }
        Err(ModelError::MissingOption { .. }) => Model::by_name(name, given(None, Some(options.permits))),
        other => other,
    }
}

fn made<F: Family>(mut family: F, options: &Options, model: Model) -> Result<Generated, GenerateError> {
    let (mut operations, mut random) = schedule(&mut family, options);
    let verdict = if options.violate {
        let contradiction =
            family.violate(&mut operations, &mut random).ok_or(GenerateError::NoPlace { model: model.name() })?;
        Known::Violation(contradiction.into_iter().map(|at| OperationId(at as u32)).collect())
    } else {
        let mut order: Vec<u32> = (0..operations.len() as u32).collect();
        order.retain(|&at| operations[at as usize].point.is_some());
        order.sort_unstable_by_key(|&at| operations[at as usize].point);
        Known::Linearizable(Witness { order: order.into_iter().map(OperationId).collect() })
    };
    Ok(Generated { recording: build(&family, operations), model, verdict })
}

/// A number, or nothing.
fn value(number: Option<i64>) -> Value {
    number.map_or(Value::Nil, Value::Integer)
}
