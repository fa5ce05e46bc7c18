//! Jepsen's own log, one event per line: `INFO  jepsen.util - 3 :invoke :write 4`, separated by tabs or blanks.
//!
//! Lines of other loggers are left out, and so are those of processes that are not clients.

use super::cursor::Cursor;
use super::edn::Edn;
use super::edn_events::{kind, name, process};
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::events::{Event, Events, Process};

type Result<T> = std::result::Result<T, ReadError>;

/// Who logs events.
const LOGGER: &str = "jepsen.util";

/// Reads all events.
pub(crate) fn read(cursor: Cursor<'_>, events: &mut Events) -> Result<()> {
    let mut edn = Edn::new(cursor);
    loop {
        edn.cursor.end_record();
        edn.cursor.skip_while(|byte| byte.is_ascii_whitespace())?;
        if edn.cursor.peek()?.is_none() {
            return Ok(());
        }
        edn.cursor.begin_record();
        if let Some(event) = line(&mut edn)? {
            events.push(event)?;
        }
        rest_of_line(&mut edn)?;
    }
}

/// Reads one line, if it is an event's, up to what may follow its value.
fn line(edn: &mut Edn<'_>) -> Result<Option<Event>> {
    let line = edn.cursor.line();
    let level = word(edn)?;
    let logger = word(edn)?;
    let dash = word(edn)?;
    if !level.bytes().all(|byte| byte.is_ascii_uppercase()) || logger.is_empty() || dash != "-" {
        let found = excerpt(&format!("{level} {logger} {dash}"));
        let message = format!(
            "{:?} where a line of the log was expected: \"INFO  {LOGGER} - 3 :invoke :write 4\"",
            found.trim_end()
        );
        return Err(ReadError::new(ReadErrorKind::Syntax, line, 0, message));
    }
    if logger != LOGGER {
        edn.cursor.skip_while(|byte| byte != b'\n')?;
        return Ok(None);
    }
    let mut event = Event { line, ..Event::default() };
    within(edn, line, "a process")?;
    event.process = Some(process(edn, line)?);
    if matches!(event.process, Some(Ok(Process::Other))) {
        // Whatever it says, it need not be of our shape.
        edn.cursor.skip_while(|byte| byte != b'\n')?;
        return Ok(Some(event));
    }
    within(edn, line, "a type (:invoke, :ok, :fail or :info)")?;
    event.kind = Some(kind(edn, line)?);
    within(edn, line, "an operation")?;
    event.name = Some(name(edn, line)?);
    within(edn, line, "a value")?;
    event.value = Some(edn.value(1)?);
    if edn.cursor.line() != line {
        return Err(ReadError::content(line, "the event's value goes on beyond its line"));
    }
    Ok(Some(event))
}

/// The next word of the line; none at its end.
fn word(edn: &mut Edn<'_>) -> Result<String> {
    edn.cursor.skip_while(is_gap)?;
    edn.cursor.text.clear();
    edn.cursor.take_while(|byte| !byte.is_ascii_whitespace())?;
    Ok(edn.cursor.token()?.to_owned())
}

/// Goes to the next field of the line, which must be there.
fn within(edn: &mut Edn<'_>, line: usize, expected: &str) -> Result<()> {
    edn.cursor.skip_while(is_gap)?;
    match edn.cursor.peek()? {
        Some(byte) if byte != b'\n' && edn.cursor.line() == line => Ok(()),
        _ => Err(edn.cursor.unexpected(expected)),
    }
}

/// After an event there is nothing.
fn rest_of_line(edn: &mut Edn<'_>) -> Result<()> {
    edn.cursor.skip_while(is_gap)?;
    match edn.cursor.peek()? {
        None | Some(b'\n') => Ok(()),
        Some(_) => Err(edn.cursor.unexpected("the end of the line")),
    }
}

fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
