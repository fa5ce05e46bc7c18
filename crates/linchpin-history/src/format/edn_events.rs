//! Events as EDN maps: in one vector or list, or one after another.

use std::sync::Arc;

use super::cursor::Cursor;
use super::edn::{Atom, Edn, Form};
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::events::{Event, Events, Kind, Process};

type Result<T> = std::result::Result<T, ReadError>;

const KEYS: [&str; 5] = ["process", "type", "f", "value", "key"];

/// How a field is written, for messages.
pub(crate) fn field(name: &str) -> String {
    format!(":{name}")
}

/// Reads all events.
pub(crate) fn read(cursor: Cursor<'_>, events: &mut Events) -> Result<()> {
    let mut edn = Edn::new(cursor);
    // The bracket around all events, once it has been seen; events of their own need none.
    let mut close = None;
    let mut alone = true;
    loop {
        edn.cursor.end_record();
        edn.skip_blank()?;
        edn.cursor.begin_record();
        let (line, column) = edn.cursor.place();
        match edn.next(close, 1)? {
            Some(Form::Map) => {
                if let Some(objection) = edn.take_objection() {
                    return Err(objection);
                }
                // Not `line`: something discarded may have come before the map.
                let line = edn.cursor.line();
                events.push(event(&mut edn, line)?)?;
                alone = false;
            }
            Some(Form::List(bracket)) if alone => {
                close = Some(bracket);
                alone = false;
            }
            Some(_) => {
                let message = "an event is a map: {:process 0, :type :invoke, :f :read, :value nil}";
                return Err(ReadError::new(ReadErrorKind::Syntax, line, column, message));
            }
            None => break,
        }
    }
    if close.is_some() && edn.skip_blank()?.is_some() {
        return Err(edn.cursor.unexpected("the end of the input"));
    }
    Ok(())
}

/// Reads an event's fields and its closing brace.
fn event(edn: &mut Edn<'_>, line: usize) -> Result<Event> {
    let mut event = Event { line, ..Event::default() };
    let mut seen = [false; KEYS.len()];
    while let Some(form) = edn.next(Some(b'}'), 2)? {
        let known = match form {
            Form::Atom if edn.atom()? == Atom::Keyword => {
                let key = edn.cursor.token()?;
                KEYS.iter().position(|known| *known == key)
            }
            Form::Atom => None,
            form => {
                edn.skip_form(form, 2)?;
                None
            }
        };
        let Some(known) = known else {
            edn.skip(2)?;
            continue;
        };
        if std::mem::replace(&mut seen[known], true) {
            return Err(ReadError::content(line, format!(":{} is given twice", KEYS[known])));
        }
        match KEYS[known] {
            "process" => event.process = Some(process(edn, line)?),
            "type" => event.kind = Some(kind(edn, line)?),
            "f" => event.name = Some(name(edn, line)?),
            "value" => event.value = Some(edn.value(2)?),
            _ => event.key = Some(edn.value(2)?),
        }
    }
    Ok(event)
}

/// The next form's atom, if it is one; or what it is instead, for a message.
fn atom(edn: &mut Edn<'_>) -> Result<std::result::Result<Atom, &'static str>> {
    match edn.next(None, 2)? {
        None => Err(edn.cursor.unexpected("a value")),
        Some(Form::Atom) => Ok(Ok(edn.atom()?)),
        Some(form) => {
            edn.skip_form(form, 2)?;
            Ok(Err("a collection"))
        }
    }
}

/// Reads who an event is about. The inner `Result` is for events that matter.
pub(crate) fn process(edn: &mut Edn<'_>, line: usize) -> Result<Result<Process>> {
    Ok(match atom(edn)? {
        Ok(Atom::Integer(number @ 0..)) => Ok(Process::Client(number as u64)),
        Ok(Atom::Keyword | Atom::Symbol | Atom::Text) => Ok(Process::Other),
        found => Err(not_such(edn, line, "process", found, "a number from 0, or a name if it is not a client")?),
    })
}

/// Reads what an event says about its operation.
pub(crate) fn kind(edn: &mut Edn<'_>, line: usize) -> Result<Result<Kind>> {
    let found = atom(edn)?;
    let kind = match found {
        Ok(Atom::Keyword | Atom::Symbol | Atom::Text) => Kind::from_name(edn.cursor.token()?),
        _ => None,
    };
    Ok(match kind {
        Some(kind) => Ok(kind),
        None => Err(not_such(edn, line, "type", found, ":invoke, :ok, :fail or :info")?),
    })
}

/// Reads an operation's name.
pub(crate) fn name(edn: &mut Edn<'_>, line: usize) -> Result<Result<Arc<str>>> {
    let found = atom(edn)?;
    Ok(match found {
        Ok(Atom::Keyword | Atom::Symbol | Atom::Text) if !edn.cursor.text.is_empty() => {
            Ok(edn.names.intern(edn.cursor.token()?))
        }
        found => Err(not_such(edn, line, "f", found, "a name such as :read")?),
    })
}

fn not_such(
    edn: &Edn<'_>,
    line: usize,
    field: &str,
    found: std::result::Result<Atom, &str>,
    expected: &str,
) -> Result<ReadError> {
    let found = match found {
        Ok(Atom::Keyword) => format!(":{}", excerpt(edn.cursor.token()?)),
        Ok(Atom::Text) => format!("{:?}", excerpt(edn.cursor.token()?)),
        Ok(_) => excerpt(edn.cursor.token()?),
        Err(what) => what.to_owned(),
    };
    Ok(ReadError::content(line, format!(":{field} is {found}: it must be {expected}")))
}
