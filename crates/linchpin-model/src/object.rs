//! What clients are generated for and run on.

use crate::{Consistency, ObjectSource, State, Value};

/// A type with its operations, described once for everything that runs or generates clients.
///
/// Written by `linchpin::object!`; nobody has to implement it by hand.
pub trait Object: 'static {
    /// What the operations work on, shared by all threads.
    type Instance: Send + Sync + 'static;

    /// The object's name.
    const NAME: &'static str;

    /// A new instance.
    fn create() -> Self::Instance;

    /// The operations, in the order in which they were described.
    fn operations() -> Vec<ObjectOperation>;

    /// Runs the operation with this position on an instance. What it returns is made comparable.
    ///
    /// # Panics
    /// When there is no such operation, or the arguments are not of its types.
    fn invoke(instance: &Self::Instance, operation: usize, arguments: &[Value]) -> Value;

    /// The type that an argument of this operation must have, by their positions, if the value is not of it. `None`: it is, as far
    /// as is known.
    fn refuses(_operation: usize, _argument: usize, _value: &Value) -> Option<&'static str> {
        None
    }

    /// Was a specification given, so that the object is not its own?
    const IS_SPECIFIED: bool = false;

    /// What the object is measured against, one operation after the other. If no specification was given, an instance of
    /// the object.
    fn specification() -> SequentialRun {
        let instance = Self::create();
        Box::new(move |operation, arguments| Self::invoke(&instance, operation, arguments))
    }

    /// The state that the specification starts in. One that can be copied and compared makes it possible to decide long
    /// histories.
    fn initial_state() -> State {
        State::of_runs(Self::specification)
    }

    /// What the description says, as source text. `None`: the object was not described by `object!`.
    fn source() -> Option<ObjectSource> {
        None
    }
}

/// Runs the operation with this position, and with these arguments, after all that it has run before.
pub type SequentialRun = Box<dyn FnMut(usize, &[Value]) -> Value>;

/// What is known about an operation of an object.
#[derive(Debug, Clone)]
pub struct ObjectOperation {
    /// Its name.
    pub name: &'static str,
    /// Its arguments, without the object itself.
    pub arguments: Vec<ObjectArgument>,
    /// Does it leave every state as it is?
    pub read_only: bool,
    /// Is it beyond suspicion (`Some(true)`), or to be tested one at a time (`Some(false)`)? `None`: nothing was said.
    pub trusted: Option<bool>,
    /// How much of what comes before it must it see?
    pub consistency: Consistency,
}

impl ObjectOperation {
    /// An operation of which nothing else is said: it may change the state, and is atomic.
    pub fn new(name: &'static str, arguments: Vec<ObjectArgument>) -> ObjectOperation {
        ObjectOperation { name, arguments, read_only: false, trusted: None, consistency: Consistency::Complete }
    }
}

/// What is known about an argument of an operation.
#[derive(Debug, Clone)]
pub struct ObjectArgument {
    /// Its name.
    pub name: &'static str,
    /// Up to so many different values of its type, the simplest first.
    pub domain: fn(usize) -> Vec<Value>,
}
