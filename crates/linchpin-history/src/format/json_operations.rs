//! One JSON object per operation: who called what when, and what came of it.

use std::collections::HashMap;
use std::sync::Arc;

use linchpin_model::{History, Interval, Operation, Time, Value};

use super::cursor::Cursor;
use super::error::{ReadError, excerpt};
use super::json::Json;
use super::{check_room, key_of};
use crate::recording::{Call, Lines};

type Result<T> = std::result::Result<T, ReadError>;

/// The fields, by their short and long names.
const FIELDS: [(Field, &str, &str); 7] = [
    (Field::Process, "c", "process"),
    (Field::Call, "call", "call"),
    (Field::Return, "ret", "return"),
    (Field::Operation, "f", "operation"),
    (Field::Key, "k", "key"),
    (Field::Argument, "a", "argument"),
    (Field::Result, "o", "result"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Process,
    Call,
    Return,
    Operation,
    Key,
    Argument,
    Result,
}

impl Field {
    /// The field of that name, and the name.
    fn named(key: &str) -> Option<(Field, &'static str)> {
        FIELDS.iter().find_map(|&(field, short, long)| match key {
            _ if key == short => Some((field, short)),
            _ if key == long => Some((field, long)),
            _ => None,
        })
    }
}

/// What one line says. The outer `Option` of each tells whether it says it at all.
#[derive(Default)]
struct Line {
    process: Option<u64>,
    call: Option<Time>,
    ret: Option<Option<Time>>,
    name: Option<Arc<str>>,
    key: Option<Value>,
    argument: Option<Value>,
    result: Option<Value>,
}

/// Is this a key of this layout, and not of the other?
pub(crate) fn is_key(key: &str) -> bool {
    Field::named(key).is_some()
}

/// Reads all operations, with their lines.
pub(crate) fn read(cursor: Cursor<'_>) -> Result<(History<Call, Value>, Vec<Lines>)> {
    let mut json = Json::new(cursor);
    let mut history = History::new();
    let mut lines = Vec::new();
    while let Some(line) = json.next_object()? {
        check_room(history.len(), line)?;
        let (operation, interval) = Line::read(&mut json, line)?.operation(line)?;
        lines.push(Lines { call: line, ret: if operation.returned { line } else { 0 } });
        history.push(operation, interval);
    }
    one_at_a_time(&history, &lines)?;
    Ok((history, lines))
}

impl Line {
    fn read(json: &mut Json<'_>, number: usize) -> Result<Line> {
        let mut line = Line::default();
        let mut first = true;
        while json.next_key(&mut first)? {
            let key = json.cursor.token()?;
            match Field::named(key) {
                Some((field, called)) => line.set(json, field, called, number)?,
                None if key.starts_with('_') => json.skip()?,
                None => return Err(unknown_key(number, key)),
            }
        }
        Ok(line)
    }

    fn set(&mut self, json: &mut Json<'_>, field: Field, called: &str, line: usize) -> Result<()> {
        let value = json.value()??;
        let wrong = |expected: &str| Err(not_such(line, called, &value, expected));
        let again = match field {
            Field::Process => match value {
                Value::Integer(number @ 0..) => self.process.replace(number as u64).is_some(),
                _ => return wrong("a number from 0"),
            },
            Field::Call => match value {
                Value::Integer(time) => self.call.replace(time).is_some(),
                _ => return wrong("an integer"),
            },
            Field::Return => match value {
                Value::Integer(Interval::NEVER) => {
                    return wrong("less (that time is never; null is for pending operations)");
                }
                Value::Integer(time) => self.ret.replace(Some(time)).is_some(),
                Value::Nil => self.ret.replace(None).is_some(),
                _ => return wrong("an integer, or null for a pending operation"),
            },
            Field::Operation => match &value {
                Value::Text(name) if !name.is_empty() => self.name.replace(name.clone()).is_some(),
                _ => return wrong("a name in double quotes"),
            },
            Field::Key => self.key.replace(value).is_some(),
            Field::Argument => self.argument.replace(value).is_some(),
            Field::Result => self.result.replace(value).is_some(),
        };
        if again {
            return Err(ReadError::content(line, format!("\"{called}\" is given twice")));
        }
        Ok(())
    }

    /// The operation that the line describes.
    fn operation(self, line: usize) -> Result<(Operation<Call, Value>, Interval)> {
        let missing = |field| {
            let (_, short, long) = FIELDS.iter().find(|(known, ..)| *known == field).unwrap_or(&FIELDS[0]);
            let also = if short == long { String::new() } else { format!(" (or \"{long}\")") };
            ReadError::content(line, format!("the operation has no \"{short}\"{also}"))
        };
        let process = self.process.ok_or_else(|| missing(Field::Process))?;
        let call = self.call.ok_or_else(|| missing(Field::Call))?;
        let name = self.name.ok_or_else(|| missing(Field::Operation))?;
        let ret = self.ret.flatten();
        if let Some(ret) = ret.filter(|ret| *ret < call) {
            let message = format!("\"ret\" is {ret} but \"call\" is {call}: an operation returns after it is called");
            return Err(ReadError::content(line, message));
        }
        let result = match (ret, self.result) {
            (None, None | Some(Value::Nil)) => None,
            (None, Some(result)) => {
                let message = format!("the operation has the result {} but no \"ret\"", excerpt(&result.to_string()));
                return Err(ReadError::content(line, message));
            }
            (Some(_), result) => result,
        };
        let invocation = Call { name, key: key_of(self.key), argument: self.argument.unwrap_or_default() };
        let operation = Operation { process, invocation, result, returned: ret.is_some() };
        Ok((operation, Interval { call, ret: ret.unwrap_or(Interval::NEVER) }))
    }
}

/// No process has two operations at a time. One may be called at the very time at which the one before it returned:
/// clocks are coarse.
fn one_at_a_time(history: &History<Call, Value>, lines: &[Lines]) -> Result<()> {
    let operations = history.operations();
    let intervals = history.intervals().unwrap_or_default();
    // Files are mostly in order, and then one look at each operation will do.
    let mut last: HashMap<u64, Time> = HashMap::new();
    let in_order = operations.iter().zip(intervals).all(|(operation, interval)| {
        last.insert(operation.process, interval.ret).is_none_or(|before| before <= interval.call)
    });
    if in_order {
        return Ok(());
    }
    let mut by_process: Vec<usize> = (0..operations.len()).collect();
    by_process.sort_by_key(|&i| (operations[i].process, intervals[i].call, intervals[i].ret));
    for two in by_process.windows(2) {
        let (a, b) = (two[0], two[1]);
        if operations[a].process != operations[b].process || intervals[a].ret <= intervals[b].call {
            continue;
        }
        let (process, name, call) = (operations[b].process, &operations[b].invocation.name, intervals[b].call);
        let other = lines[a].call;
        let message = if operations[a].returned {
            let ret = intervals[a].ret;
            format!(
                "process {process} calls {name:?} at {call}, but its operation of line {other} returns at {ret}: \
                 a process has one operation at a time"
            )
        } else {
            format!(
                "process {process} calls {name:?} at {call}, but its operation of line {other} never returned: \
                 a process with a pending operation has no later ones"
            )
        };
        return Err(ReadError::content(lines[b].call, message));
    }
    Ok(())
}

fn not_such(line: usize, called: &str, value: &Value, expected: &str) -> ReadError {
    let value = match value {
        Value::Nil => "null".to_owned(),
        value => excerpt(&value.to_string()),
    };
    ReadError::content(line, format!("\"{called}\" is {value}: it must be {expected}"))
}

fn unknown_key(line: usize, key: &str) -> ReadError {
    let known: Vec<String> = FIELDS
        .iter()
        .map(|(_, short, long)| if short == long { format!("{short:?}") } else { format!("{short:?} ({long:?})") })
        .collect();
    let key = excerpt(key);
    let message =
        format!("{key:?} is not a key of an operation: they are {}, and any that begin with \"_\"", known.join(", "));
    ReadError::content(line, message)
}
