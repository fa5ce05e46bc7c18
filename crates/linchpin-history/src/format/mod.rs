//! The file formats of recorded histories. `docs/src/history-formats.md` specifies them.
//!
//! All of them read through one [`cursor`] that streams: memory holds the operations of the history, never the file.

mod cursor;
mod detect;
mod edn;
mod edn_events;
mod error;
mod escape;
mod events;
mod intern;
mod json;
mod json_events;
mod json_operations;
mod pairs;
mod porcupine_log;
mod write;

use std::fmt;
use std::io::BufRead;

use linchpin_model::Value;

pub use error::{ReadError, ReadErrorKind};
pub use events::is_compare_and_set;
pub use write::write_json_lines;

use crate::recording::{Conventions, FailedCas, Initial, Layout, LeftOut, Origin, Recording};
use cursor::Cursor;
use events::Events;

/// A file format of recorded histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON lines, one operation each.
    JsonOperations,
    /// JSON lines, one event each.
    JsonEvents,
    /// The histories of Jepsen and Knossos.
    JepsenEdn,
    /// The logs of Jepsen, as collected from etcd and published with Porcupine.
    PorcupineLog,
    /// The key-value histories of Porcupine.
    PorcupineKv,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] =
        [Format::JsonOperations, Format::JsonEvents, Format::JepsenEdn, Format::PorcupineLog, Format::PorcupineKv];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::JsonOperations => "json-operations",
            Format::JsonEvents => "json-events",
            Format::JepsenEdn => "jepsen-edn",
            Format::PorcupineLog => "porcupine-log",
            Format::PorcupineKv => "porcupine-kv",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What it is, in one line.
    pub fn explanation(self) -> &'static str {
        match self {
            Format::JsonOperations => {
                r#"JSON lines, one operation each: {"c":0,"call":1,"ret":4,"f":"write","k":null,"a":3,"o":null}"#
            }
            Format::JsonEvents => r#"JSON lines, one event each: {"process":0,"type":"invoke","f":"write","value":3}"#,
            Format::JepsenEdn => "EDN of Jepsen and Knossos: [{:process 0, :type :invoke, :f :write, :value 3} …]",
            Format::PorcupineLog => "Jepsen's log of one register: INFO  jepsen.util - 0 :invoke :write 3",
            Format::PorcupineKv => "EDN maps with keys: {:process 0, :type :invoke, :f :put, :key \"a\", :value \"3\"}",
        }
    }

    /// What the format leaves to convention, unless the user says otherwise.
    pub fn conventions(self) -> Conventions {
        let (failed_cas, nil_read_says_nothing, initial) = match self {
            Format::JsonOperations => (FailedCas::DidNotHappen, false, Initial::Zero),
            Format::JsonEvents | Format::JepsenEdn => (FailedCas::DidNotHappen, true, Initial::Nil),
            Format::PorcupineLog => (FailedCas::Compared, false, Initial::Nil),
            Format::PorcupineKv => (FailedCas::DidNotHappen, false, Initial::EmptyText),
        };
        Conventions { failed_cas, nil_read_says_nothing, initial: Some(initial) }
    }

    /// Whether its records are operations or events.
    pub fn layout(self) -> Layout {
        if self == Format::JsonOperations { Layout::Operations } else { Layout::Events }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a history; `change` may decide about the format's conventions.
pub(crate) fn read(
    input: &mut dyn BufRead,
    format: Option<Format>,
    change: impl FnOnce(&mut Conventions),
) -> Result<Recording, ReadError> {
    let mut cursor = Cursor::new(input)?;
    let format = match format {
        Some(format) => format,
        None => detect::detect(&mut cursor)?,
    };
    let mut conventions = format.conventions();
    change(&mut conventions);
    let (history, lines, left_out) = match format {
        Format::JsonOperations => {
            let (history, lines) = json_operations::read(cursor)?;
            (history, lines, LeftOut::default())
        }
        Format::JsonEvents => {
            let mut events = Events::new(conventions, json_events::field);
            json_events::read(cursor, &mut events)?;
            events.finish()
        }
        Format::JepsenEdn | Format::PorcupineKv => {
            let mut events = Events::new(conventions, edn_events::field).keyed(format == Format::PorcupineKv);
            edn_events::read(cursor, &mut events)?;
            events.finish()
        }
        Format::PorcupineLog => {
            let mut events = Events::new(conventions, edn_events::field);
            porcupine_log::read(cursor, &mut events)?;
            events.finish()
        }
    };
    Ok(Recording { history, lines, layout: format.layout(), conventions, origin: Some(Origin { format, left_out }) })
}

/// No key is as good as a key that is nothing.
fn key_of(key: Option<Value>) -> Option<Value> {
    key.filter(|key| !key.is_nil())
}

/// There are only so many numbers for operations.
fn check_room(operations: usize, line: usize) -> Result<(), ReadError> {
    if operations < u32::MAX as usize {
        return Ok(());
    }
    Err(ReadError::new(ReadErrorKind::Limit, line, 0, "more than 4,294,967,295 operations"))
}
