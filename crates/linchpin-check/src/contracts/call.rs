//! Calls as contracts see them.

use std::fmt;
use std::ops::Range;

use linchpin_graph::ThreadId;
use linchpin_model::{Argument, Value};

/// A call in an execution: what is known of it before any contract is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// Which object; equal for calls of the same one.
    pub object: u64,
    /// What sort of object: the name of its type.
    pub kind: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// What it was called with.
    pub arguments: Vec<Value>,
    /// What it returned: C_RET.
    pub returned: Value,
    /// The thread that called.
    pub thread: ThreadId,
    /// Which of the thread's events are the call's.
    pub events: Range<u32>,
    /// Which of the thread's events are its ordering points; if none, its whole extent is.
    pub points: Vec<u32>,
}

/// `enq(1)`, `deq() = 1`
impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.operation)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(")")?;
        if self.returned.is_nil() { Ok(()) } else { write!(f, " = {}", self.returned) }
    }
}

/// A call as the clauses of a contract see it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What the call returned in the concurrent execution.
    pub c_ret: &'a Value,
    /// What the contract's side effect returned for it; nil before that.
    pub s_ret: &'a Value,
    /// The call itself.
    pub observed: &'a Observed,
    pub(super) concurrent: &'a [&'a Observed],
}

impl<'a> Call<'a> {
    /// An argument as its type.
    ///
    /// # Panics
    ///
    /// If there is no such argument, or it is not of this type.
    #[track_caller]
    pub fn argument<T: Argument>(&self, at: usize) -> T {
        let Some(value) = self.observed.arguments.get(at) else {
            panic!(
                "the contract asks for argument {at} of {}, which has {}",
                self.observed,
                self.observed.arguments.len()
            )
        };
        T::from_value(value).unwrap_or_else(|| {
            let wanted = std::any::type_name::<T>();
            panic!("the contract takes argument {at} of {} as {wanted}, which {value} is not", self.observed)
        })
    }

    /// An argument as a value; nil if there is no such argument.
    pub fn value(&self, at: usize) -> &'a Value {
        self.observed.arguments.get(at).unwrap_or(&Value::Nil)
    }

    /// CONCURRENT: the calls of the same object that r does not order with this one. They have no S_RET.
    pub fn concurrent(&self) -> impl Iterator<Item = Call<'a>> {
        self.concurrent.iter().map(|&observed| Call::alone(observed))
    }

    /// Is it a call of this operation?
    pub fn is(&self, operation: &str) -> bool {
        self.observed.operation == operation
    }

    pub(super) fn alone(observed: &'a Observed) -> Call<'a> {
        Call { c_ret: &observed.returned, s_ret: &Value::Nil, observed, concurrent: &[] }
    }
}
