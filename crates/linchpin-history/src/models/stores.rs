//! Objects with keys: stores, maps, sets.

use linchpin_check::specs::{KeyValue, KeyValueCall, KeyValueReturned, Map, MapCall, MapReturned, Set, SetCall};
use linchpin_model::Value;

use super::found::Found;
use super::table::{Entry, Starts, TableOf};
use super::{Description, OperationDescription, Problem};
use crate::Layout;

pub(super) static KEY_VALUE: TableOf<KeyValue> = TableOf {
    description: Description {
        name: "kv",
        aliases: &["key-value", "kv-store"],
        explanation: "a register for each key, to which texts can be appended",
        initially: "for every key what the recording's format has by convention, or nil",
    },
    starts: Starts::Value,
    specification: |initial| KeyValue { initial },
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["get", "read", "r", "load"],
                takes: "",
                gives: "the key's value",
            },
            read: |found| {
                found.no_argument()?;
                Ok((KeyValueCall::Get { key: found.key()? }, found.read().map(KeyValueReturned::Found)))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["put", "write", "w", "set", "store"],
                takes: "a value",
                gives: "",
            },
            read: |found| {
                let call = KeyValueCall::Put { key: found.key()?, value: found.value() };
                Ok((call, found.done(KeyValueReturned::Done)?))
            },
        },
        Entry {
            description: OperationDescription { names: &["append"], takes: "a text", gives: "" },
            read: |found| {
                let call = KeyValueCall::Append { key: found.key()?, value: found.element()? };
                Ok((call, found.done(KeyValueReturned::Done)?))
            },
        },
    ],
};

pub(super) static MAP: TableOf<Map> = TableOf {
    description: Description {
        name: "map",
        aliases: &["hash-map", "dictionary"],
        explanation: "a map that says what a key had before",
        initially: "no key has a value",
    },
    starts: Starts::Empty,
    specification: |_| Map,
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["insert", "put", "set"],
                takes: "a value",
                gives: "the value before, or null",
            },
            read: |found| Ok((MapCall::Insert { key: found.key()?, value: found.element()? }, replaced(found)?)),
        },
        Entry {
            description: OperationDescription {
                names: &["insert_if_absent", "put_if_absent", "try_insert"],
                takes: "a value",
                gives: "the value before, or null; or whether it was inserted",
            },
            read: |found| {
                Ok((MapCall::InsertIfAbsent { key: found.key()?, value: found.element()? }, had_or_did(found)))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["get", "read", "lookup"],
                takes: "",
                gives: "the key's value, or null",
            },
            read: |found| {
                found.no_argument()?;
                Ok((MapCall::Get { key: found.key()? }, found.maybe().map(MapReturned::Had)))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["remove", "delete", "erase"],
                takes: "",
                gives: "the value before, or null; or whether there was one",
            },
            read: |found| {
                found.no_argument()?;
                Ok((MapCall::Remove { key: found.key()? }, had_or_did(found)))
            },
        },
        Entry {
            description: OperationDescription {
                names: &["contains", "contains_key", "has"],
                takes: "",
                gives: "true or false",
            },
            read: |found| {
                found.no_argument()?;
                Ok((MapCall::Contains { key: found.key()? }, found.answer()?.map(MapReturned::Did)))
            },
        },
    ],
};

/// What an insertion returned. An event's value is what was inserted, and says nothing about what was there.
fn replaced(found: &Found<'_>) -> Result<Option<MapReturned>, Problem> {
    match (found.layout, found.result) {
        (Layout::Events, _) => Ok(None),
        (Layout::Operations, Some(truth @ Value::Bool(_))) if !matches!(found.call.argument, Value::Bool(_)) => {
            Err(found.bad_result(truth))
        }
        (Layout::Operations, _) => Ok(found.maybe().map(MapReturned::Had)),
    }
}

/// What an operation returned that may say what was there, or whether it did something. An event's value says the
/// latter, or nothing.
fn had_or_did(found: &Found<'_>) -> Option<MapReturned> {
    match (found.layout, found.result?) {
        (_, Value::Bool(did)) => Some(MapReturned::Did(*did)),
        (Layout::Events, _) => None,
        (Layout::Operations, _) => found.maybe().map(MapReturned::Had),
    }
}

pub(super) static SET: TableOf<Set> = TableOf {
    description: Description {
        name: "set",
        aliases: &["hash-set"],
        explanation: "a set that says whether an element was added, was removed, is there",
        initially: "empty",
    },
    starts: Starts::Empty,
    specification: |_| Set,
    operations: &[
        Entry {
            description: OperationDescription {
                names: &["add", "insert", "put"],
                takes: "an element",
                gives: "true if it was not there, else false",
            },
            read: |found| Ok((SetCall::Add(found.key_or_element()?), found.changed()?)),
        },
        Entry {
            description: OperationDescription {
                names: &["remove", "delete", "erase"],
                takes: "an element",
                gives: "true if it was there, else false",
            },
            read: |found| Ok((SetCall::Remove(found.key_or_element()?), found.changed()?)),
        },
        Entry {
            description: OperationDescription {
                names: &["contains", "has", "member", "find"],
                takes: "an element",
                gives: "true or false",
            },
            read: |found| Ok((SetCall::Contains(found.key_or_element()?), found.answer()?)),
        },
    ],
};
