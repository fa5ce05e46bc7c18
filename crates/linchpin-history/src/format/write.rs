//! Writing histories: JSON lines, one operation each.

use std::io::{self, ErrorKind, Write};

use linchpin_model::{History, Value};

use crate::recording::Call;

/// Writes a history in the layout of [`Format::JsonOperations`](super::Format::JsonOperations), from which it reads back
/// equal, except that a key which is nil is no key.
///
/// ```
/// # use linchpin_history::{Call, write_json_lines};
/// # use linchpin_model::{History, Value};
/// let mut history = History::new();
/// let write = Call { name: "write".into(), key: None, argument: Value::Integer(3) };
/// history.returned(0, write, Value::Nil, 1, 4);
/// let mut out = Vec::new();
/// write_json_lines(&history, &mut out)?;
/// assert_eq!(out, br#"{"c":0,"call":1,"ret":4,"f":"write","k":null,"a":3,"o":null}
/// "#);
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
/// What `out` says; or [`ErrorKind::InvalidInput`] when the layout cannot say it: an explicit order, a process beyond
/// [`i64::MAX`].
pub fn write_json_lines(history: &History<Call, Value>, mut out: impl Write) -> io::Result<()> {
    let Some(intervals) = history.intervals() else {
        return Err(io::Error::new(ErrorKind::InvalidInput, "a history without times cannot be written as JSON lines"));
    };
    // One write per operation, whatever `out` makes of small ones.
    let mut line = Vec::new();
    for (operation, interval) in history.operations().iter().zip(intervals) {
        line.clear();
        if i64::try_from(operation.process).is_err() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a process beyond 2^63 cannot be written as JSON"));
        }
        let Call { name, key, argument } = &operation.invocation;
        write!(line, r#"{{"c":{},"call":{},"ret":"#, operation.process, interval.call)?;
        if operation.returned {
            write!(line, "{}", interval.ret)?
        } else {
            line.extend_from_slice(b"null")
        }
        line.extend_from_slice(br#","f":"#);
        text(&mut line, name)?;
        line.extend_from_slice(br#","k":"#);
        value(&mut line, key.as_ref().unwrap_or(&Value::Nil))?;
        line.extend_from_slice(br#","a":"#);
        value(&mut line, argument)?;
        if let Some(result) = operation.result.as_ref().filter(|_| operation.returned) {
            line.extend_from_slice(br#","o":"#);
            value(&mut line, result)?;
        }
        line.extend_from_slice(b"}\n");
        out.write_all(&line)?;
    }
    Ok(())
}

fn value(out: &mut Vec<u8>, given: &Value) -> io::Result<()> {
    match given {
        Value::Nil => out.extend_from_slice(b"null"),
        Value::Bool(truth) => write!(out, "{truth}")?,
        Value::Integer(number) => write!(out, "{number}")?,
        Value::Text(given) => text(out, given)?,
        Value::List(items) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                value(out, item)?;
            }
            out.push(b']');
        }
    }
    Ok(())
}

fn text(out: &mut Vec<u8>, given: &str) -> io::Result<()> {
    out.push(b'"');
    for byte in given.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..b' ' => write!(out, "\\u{byte:04x}")?,
            _ => out.push(byte),
        }
    }
    out.push(b'"');
    Ok(())
}
