//! Maps and sets as values: lists in the order of their keys, so that equal ones are equal however they were written.

use linchpin_model::Value;

/// A map as the list of its `[key, value]` pairs; or a key that it has twice.
pub(crate) fn sorted(mut entries: Vec<(Value, Value)>) -> Result<Value, Value> {
    entries.sort();
    match entries.windows(2).find(|two| two[0].0 == two[1].0) {
        Some(two) => Err(two[0].0.clone()),
        None => Ok(Value::list(entries.into_iter().map(|(key, value)| Value::list([key, value])))),
    }
}

/// A set as the list of its elements; or one that it has twice.
pub(crate) fn sorted_set(mut items: Vec<Value>) -> Result<Value, Value> {
    items.sort();
    match items.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(two[0].clone()),
        None => Ok(Value::List(items.into())),
    }
}
