//! What a file says: which operations were called, and what is known about their returns.

use std::sync::Arc;

use linchpin_model::{History, Value};

use crate::format::Format;

/// A history as it was recorded, before any model has made sense of it.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The operations. Results are as recorded; [`Layout`] says what they mean.
    pub history: History<Call, Value>,
    /// Where each operation stands in its file, by id.
    pub lines: Vec<Lines>,
    /// Whether the file had operations or events.
    pub layout: Layout,
    /// What the format leaves to convention.
    pub conventions: Conventions,
    /// What it was read from, unless it was made otherwise.
    pub origin: Option<Origin>,
}

/// What a recording was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The file's format, given or found out.
    pub format: Format,
    /// What is in the file but not in the history.
    pub left_out: LeftOut,
}

/// What a reader has left out of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Operations that are recorded as failed: they did not happen.
    pub failed: usize,
    /// Events of processes that are not clients, such as `:nemesis`.
    pub events: usize,
}

/// What was called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// The operation's name as the file has it: `enq`, `push`, `:write` without its colon.
    pub name: Arc<str>,
    /// The key it works on, where the format has keys.
    pub key: Option<Value>,
    /// The argument, [`Value::Nil`] when there is none.
    pub argument: Value,
}

/// The lines, from 1, at which a file says that an operation was called and that it returned; 0 when it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lines {
    /// Where the call is.
    pub call: usize,
    /// Where the return is; that of the call when one line has both.
    pub ret: usize,
}

/// What the results in a recording mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One line per operation, with its output: a compare-and-set says `true` or `false`.
    Operations,
    /// One line per event, in Jepsen's terms: what is `ok` has succeeded, and the value of the `ok` event is what the
    /// operation is known to have done or returned.
    Events,
}

/// What formats leave to convention, as it was decided for this recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conventions {
    /// What a compare-and-set that is recorded as failed did. The reader has applied it already: one that compared is
    /// an operation that returned `false`, one that did not happen is not in the history.
    pub failed_cas: FailedCas,
    /// Does a read that returned nil say nothing (Knossos), rather than that the register was nil?
    pub nil_read_says_nothing: bool,
    /// The initial value of registers, unless the user names one; `None`: whatever the model has.
    pub initial: Option<Initial>,
}

/// What a register holds at first, by convention of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initial {
    /// Nothing.
    Nil,
    /// The number 0.
    Zero,
    /// The text "".
    EmptyText,
}

/// The two readings of a compare-and-set whose event says `fail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedCas {
    /// It did not happen (Jepsen, Knossos).
    DidNotHappen,
    /// It happened: the comparison was made, and failed (the etcd logs).
    Compared,
}
