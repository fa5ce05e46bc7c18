//! A counter.

use linchpin_check::specs::{Counter, CounterCall, CounterReturned};
use linchpin_model::Value;

use super::found::Found;
use super::table::{Entry, Starts, TableOf};
use super::{Description, OperationDescription, Problem};
use crate::Layout;

const PREVIOUS: &str = "nothing, or the number before";
const NEW: &str = "the new number";

pub(super) static COUNTER: TableOf<Counter> = TableOf {
    description: Description {
        name: "counter",
        aliases: &["atomic-counter", "fetch-and-add"],
        explanation: "a number that is added to",
        initially: "0, or the initial value",
    },
    starts: Starts::Number,
    specification: |initial| Counter { initial: initial.as_integer().unwrap_or(0) },
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["increment", "inc", "incr", "get_and_increment"],
                takes: "",
                gives: PREVIOUS,
            },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((CounterCall::Increment, changed(found, CounterReturned::Previous)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["decrement", "dec", "decr", "get_and_decrement"],
                takes: "",
                gives: PREVIOUS,
            },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((CounterCall::Decrement, changed(found, CounterReturned::Previous)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["add", "fetch_add", "get_and_add"],
                takes: "a number",
                gives: PREVIOUS,
            },
            read: |found| {
                found.no_key()?;
                Ok((CounterCall::Add(found.number()?), changed(found, CounterReturned::Previous)?))
            },
        },
        Entry {
            description: OperationDescription { names: &["increment_and_get"], takes: "", gives: NEW },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((CounterCall::Increment, changed(found, CounterReturned::New)?))
            },
        },
        Entry {
            description: OperationDescription { names: &["decrement_and_get"], takes: "", gives: NEW },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((CounterCall::Decrement, changed(found, CounterReturned::New)?))
            },
        },
        Entry {
            description: OperationDescription { names: &["add_and_get"], takes: "a number", gives: NEW },
            read: |found| {
                found.no_key()?;
                Ok((CounterCall::Add(found.number()?), changed(found, CounterReturned::New)?))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["get", "read", "load", "value"],
                takes: "",
                gives: "the number",
            },
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                let number = match (found.layout, found.result) {
                    (_, None) | (Layout::Events, Some(Value::Nil)) => None,
                    (_, Some(Value::Integer(number))) => Some(*number),
                    (_, Some(other)) => return Err(found.bad_result(other)),
                };
                Ok((CounterCall::Get, number.map(CounterReturned::Found)))
            },
        },
    ],
};

/// What a change returned. An event's value is what was added, and says nothing about the number.
fn changed(found: &Found<'_>, means: fn(i64) -> CounterReturned) -> Result<Option<CounterReturned>, Problem> {
    match (found.layout, found.result) {
        (Layout::Operations, Some(Value::Integer(number))) => Ok(Some(means(*number))),
        _ => found.done(CounterReturned::Done),
    }
}
