//! Models by name: what the operations of a recording mean.
//!
//! A file says `{"f": "enq", "a": 3}`; a specification wants `QueueCall::Enqueue(3)`. Each model is a table of its
//! operations: the names each goes by, what it takes and gives, and how it is read. Whatever does not fit the table is an
//! error that names the line, what stands there and what the model expects; nothing is guessed.

mod collections;
mod counter;
mod error;
mod found;
mod locks;
mod registers;
mod stores;
mod table;
#[cfg(test)]
mod tests;

use linchpin_check::{Evidence, Fault, Limits, Partial, Verdict, Witness};
use linchpin_model::{OperationId, Value};

use crate::Recording;

pub use error::{ModelError, Problem};
use table::{Starts, Table};

/// An object with a sequential specification, against which recordings are checked.
///
/// ```
/// use linchpin_history::models::{Model, Options};
/// let queue = Model::by_name("queue", Options::default()).unwrap();
/// assert_eq!(queue.name(), "queue");
/// assert!(Model::by_name("bounded-queue", Options::default()).is_err()); // It needs a capacity.
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    table: &'static dyn Table,
    options: Options,
}

/// How an object starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What registers, keys and counters hold at first; by default what the recording's conventions say.
    pub initial: Option<Value>,
    /// How many elements a bounded queue has room for.
    pub capacity: Option<u64>,
    /// How many permits a semaphore starts with.
    pub permits: Option<u64>,
}

/// What there is to know about a model before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// Other names for it. Case, `-` and `_` make no difference in any name.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub explanation: &'static str,
    /// What it holds at first.
    pub initially: &'static str,
}

/// What there is to know about an operation of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationDescription {
    /// The names it goes by, the usual one first. Case, `-` and `_` make no difference.
    pub names: &'static [&'static str],
    /// Its argument; empty when it has none.
    pub takes: &'static str,
    /// Its result; empty when that says nothing.
    pub gives: &'static str,
}

/// Every model, in the order in which they are best explained.
static TABLES: [&dyn Table; 15] = [
    &registers::REGISTER,
    &registers::CAS_REGISTER,
    &registers::MULTI_REGISTER,
    &stores::KEY_VALUE,
    &stores::MAP,
    &stores::SET,
    &collections::QUEUE,
    &collections::BOUNDED_QUEUE,
    &collections::STACK,
    &collections::DEQUE,
    &collections::PRIORITY_QUEUE,
    &counter::COUNTER,
    &locks::MUTEX,
    &locks::RW_LOCK,
    &locks::SEMAPHORE,
];

impl Model {
    /// The model of this name.
    pub fn by_name(name: &str, options: Options) -> Result<Model, ModelError> {
        let named = |table: &&&dyn Table| {
            let Description { name: own, aliases, .. } = table.description();
            same_name(own, name) || aliases.iter().any(|alias| same_name(alias, name))
        };
        let table = *TABLES.iter().find(named).ok_or_else(|| ModelError::NoSuchModel { name: name.into() })?;
        let model = Model { table, options };
        model.check_options()?;
        Ok(model)
    }

    /// All models, each with its operations.
    pub fn all() -> impl Iterator<Item = (Description, Vec<OperationDescription>)> {
        TABLES.iter().map(|table| (*table.description(), table.operations()))
    }

    /// The model's name.
    pub fn name(&self) -> &'static str {
        self.table.description().name
    }

    /// What there is to know about the model.
    pub fn description(&self) -> Description {
        *self.table.description()
    }

    /// Its operations.
    pub fn operations(&self) -> Vec<OperationDescription> {
        self.table.operations()
    }

    /// Is the recording linearizable?
    pub fn check(&self, recording: &Recording, limits: &Limits) -> Result<Verdict, ModelError> {
        self.table.check(&self.options, recording, limits)
    }

    /// Does this order explain what all operations of the recording returned?
    pub fn verify(&self, recording: &Recording, witness: &Witness) -> Result<Result<(), Fault>, ModelError> {
        self.table.verify(&self.options, recording, witness)
    }

    /// How far one can get with a recording that fails, for pictures.
    pub fn partial_linearizations(
        &self,
        recording: &Recording,
        evidence: &Evidence,
        limits: &Limits,
    ) -> Result<Vec<Partial>, ModelError> {
        self.table.partials(&self.options, recording, evidence, limits)
    }

    /// An operation as it appears in sentences and pictures: `deq() → 5`. One that the model does not understand
    /// appears as the recording has it.
    pub fn describe_operation(&self, recording: &Recording, id: OperationId) -> String {
        self.table.describe(&self.options, recording, id).unwrap_or_else(|_| {
            let call = &recording.history[id].invocation;
            let arguments = [call.key.as_ref(), Some(&call.argument)].into_iter().flatten().filter(|v| !v.is_nil());
            let arguments: Vec<String> = arguments.map(Value::to_string).collect();
            format!("{}({})", call.name, arguments.join(", "))
        })
    }

    /// What trying all orders says.
    #[cfg(test)]
    pub(crate) fn try_all_orders(&self, recording: &Recording) -> Result<bool, ModelError> {
        self.table.try_all_orders(&self.options, recording)
    }

    /// What the model needs is there, and nothing is there that it has no use for.
    fn check_options(&self) -> Result<(), ModelError> {
        let Options { initial, capacity, permits } = &self.options;
        let model = self.name();
        let starts = self.table.starts();
        let uses = |option| match option {
            "initial" => matches!(starts, Starts::Value | Starts::Zeroes | Starts::Number),
            "capacity" => matches!(starts, Starts::Capacity),
            _ => matches!(starts, Starts::Permits),
        };
        let given = [("initial", initial.is_some()), ("capacity", capacity.is_some()), ("permits", permits.is_some())];
        for (option, is_given) in given {
            if is_given && !uses(option) {
                return Err(ModelError::UselessOption { model, option });
            }
            if !is_given && uses(option) && option != "initial" {
                return Err(ModelError::MissingOption { model, option });
            }
        }
        if *capacity == Some(0) {
            return Err(ModelError::NoCapacity);
        }
        match (starts, initial) {
            (Starts::Number, Some(value)) if value.as_integer().is_none() => {
                Err(ModelError::NotANumber { model, found: value.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Do these name the same, apart from case, `-` and `_`?
fn same_name(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
        name.chars().filter(|letter| !matches!(letter, '-' | '_')).map(|letter| letter.to_ascii_lowercase())
    }
    one == other || letters(one).eq(letters(other))
}
