//! The sequential specifications of well-known objects, over [`Value`]s.
//!
//! Each has a type for what is called (`QueueCall`) and one for what is returned (`QueueReturned`), so that a result
//! which makes no sense for its operation is not a violation but a mistake that the translation from a recording can
//! name. A step whose result does not belong to its operation leads nowhere.
//!
//! What holds for every one of them is tested for all small states in `tests.rs`: operations that are said to only
//! read leave every state alone, operations of different parts commute, an unknown result allows what all results
//! together allow, and the roles say what the steps do.

mod bounded_queue;
mod cas_register;
mod cells;
mod counter;
mod deque;
mod key_value;
mod map;
mod multi_register;
mod mutex;
mod priority_queue;
mod queue;
mod register;
mod rw_lock;
mod semaphore;
mod set;
mod stack;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt::Display;

use linchpin_model::Value;

pub use bounded_queue::{BoundedQueue, BoundedQueueCall, BoundedQueueReturned};
pub use cas_register::{CasRegister, CasRegisterCall, CasRegisterReturned};
pub use cells::Cells;
pub use counter::{Counter, CounterCall, CounterReturned};
pub use deque::{Deque, DequeCall, DequeReturned};
pub use key_value::{KeyValue, KeyValueCall, KeyValueReturned};
pub use map::{Map, MapCall, MapReturned};
pub use multi_register::{Access, MultiRegister, Transaction};
pub use mutex::{Mutex, MutexCall};
pub use priority_queue::{PriorityQueue, PriorityQueueCall, PriorityQueueReturned};
pub use queue::{Queue, QueueCall, QueueReturned};
pub use register::{Register, RegisterCall, RegisterReturned};
pub use rw_lock::{Locked, RwLock, RwLockCall};
pub use semaphore::{Semaphore, SemaphoreCall};
pub use set::{Set, SetCall};
pub use stack::{Stack, StackCall, StackReturned};
pub use tree::Tree;

/// `call → result`, or only the call when the result is not known or says nothing.
fn sentence(call: String, result: Option<impl Display>) -> String {
    match result {
        Some(result) => format!("{call} → {result}"),
        None => call,
    }
}

/// A value that was taken out of a collection, or that there was none.
fn taken(value: &Option<Value>) -> String {
    value.as_ref().map_or("empty".into(), Value::to_string)
}

/// A sequence as it appears in sentences.
fn listed<'a>(items: impl Iterator<Item = &'a Value>) -> String {
    let items: Vec<String> = items.map(Value::to_string).collect();
    format!("[{}]", items.join(", "))
}

/// Keys and what belongs to them as they appear in sentences.
fn braced(items: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
}

/// A lock's name as an argument; nothing when there is only one lock.
fn lock_name(lock: &Value) -> String {
    if lock.is_nil() { String::new() } else { lock.to_string() }
}
