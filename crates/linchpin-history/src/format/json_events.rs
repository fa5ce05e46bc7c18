//! One JSON object per event, in Jepsen's terms.

use std::sync::Arc;

use linchpin_model::Value;

use super::cursor::Cursor;
use super::error::{ReadError, excerpt};
use super::events::{Event, Events, Kind, Process};
use super::json::Json;

type Result<T> = std::result::Result<T, ReadError>;

const KEYS: [&str; 8] = ["process", "type", "f", "value", "key", "time", "index", "error"];

/// Is this a key of this layout?
pub(crate) fn is_key(key: &str) -> bool {
    KEYS.contains(&key)
}

/// How a field is written, for messages.
pub(crate) fn field(name: &str) -> String {
    format!("\"{name}\"")
}

/// Reads all events.
pub(crate) fn read(cursor: Cursor<'_>, events: &mut Events) -> Result<()> {
    let mut json = Json::new(cursor);
    while let Some(line) = json.next_object()? {
        events.push(event(&mut json, line)?)?;
    }
    Ok(())
}

fn event(json: &mut Json<'_>, line: usize) -> Result<Event> {
    let mut event = Event { line, ..Event::default() };
    let mut seen = [false; KEYS.len()];
    let mut first = true;
    while json.next_key(&mut first)? {
        let key = json.cursor.token()?;
        let Some(known) = KEYS.iter().position(|known| *known == key) else {
            if key.starts_with('_') {
                json.skip()?;
                continue;
            }
            return Err(unknown_key(line, key));
        };
        if std::mem::replace(&mut seen[known], true) {
            return Err(ReadError::content(line, format!("{key:?} is given twice")));
        }
        match KEYS[known] {
            "process" => event.process = Some(json.value()?.and_then(|value| process(line, &value))),
            "type" => event.kind = Some(json.value()?.and_then(|value| kind(line, &value))),
            "f" => event.name = Some(json.value()?.and_then(|value| name(line, value))),
            "value" => event.value = Some(json.value()?),
            "key" => event.key = Some(json.value()?),
            _ => json.skip()?,
        }
    }
    Ok(event)
}

fn process(line: usize, value: &Value) -> Result<Process> {
    match value {
        Value::Integer(number @ 0..) => Ok(Process::Client(*number as u64)),
        Value::Text(_) => Ok(Process::Other),
        value => Err(not_such(line, "process", value, "a number from 0, or a name if it is not a client")),
    }
}

fn kind(line: usize, value: &Value) -> Result<Kind> {
    let kind = value.as_text().and_then(Kind::from_name);
    kind.ok_or_else(|| not_such(line, "type", value, "\"invoke\", \"ok\", \"fail\" or \"info\""))
}

fn name(line: usize, value: Value) -> Result<Arc<str>> {
    match value {
        Value::Text(name) if !name.is_empty() => Ok(name),
        value => Err(not_such(line, "f", &value, "a name in double quotes")),
    }
}

fn not_such(line: usize, key: &str, value: &Value, expected: &str) -> ReadError {
    let value = match value {
        Value::Nil => "null".to_owned(),
        value => excerpt(&value.to_string()),
    };
    ReadError::content(line, format!("\"{key}\" is {value}: it must be {expected}"))
}

fn unknown_key(line: usize, key: &str) -> ReadError {
    let known = KEYS.map(|key| format!("{key:?}")).join(", ");
    let key = excerpt(key);
    let message = format!("{key:?} is not a key of an event: they are {known}, and any that begin with \"_\"");
    ReadError::content(line, message)
}
