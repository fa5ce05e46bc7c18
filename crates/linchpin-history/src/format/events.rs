//! Events, in Jepsen's terms, put together to operations.
//!
//! A process invokes one operation at a time, and the next event of that process completes it: `ok` says that it
//! happened, `fail` that it did not, `info` that nobody knows. After an `info` the process is gone, and so is one whose
//! last operation has no completion: both operations are pending.

use std::collections::HashMap;
use std::sync::Arc;

use linchpin_model::{History, Interval, Operation, Time, Value};

use super::check_room;
use super::error::{ReadError, excerpt};
use crate::recording::{Call, Conventions, FailedCas, LeftOut, Lines};

type Result<T> = std::result::Result<T, ReadError>;

/// What an event says that its operation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Kind {
    pub(crate) fn from_name(name: &str) -> Option<Kind> {
        Some(match name {
            "invoke" => Kind::Invoke,
            "ok" => Kind::Ok,
            "fail" => Kind::Fail,
            "info" => Kind::Info,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Invoke => "invoke",
            Kind::Ok => "ok",
            Kind::Fail => "fail",
            Kind::Info => "info",
        }
    }
}

/// Who an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    /// One that calls operations.
    Client(u64),
    /// One that does not, such as `:nemesis`.
    Other,
}

/// One event as its record has it. Each field may be missing or objectionable; that counts only if it is used.
#[derive(Default)]
pub(crate) struct Event {
    pub(crate) line: usize,
    pub(crate) process: Option<Result<Process>>,
    pub(crate) kind: Option<Result<Kind>>,
    pub(crate) name: Option<Result<Arc<str>>>,
    pub(crate) key: Option<Result<Value>>,
    pub(crate) value: Option<Result<Value>>,
}

/// The events so far.
pub(crate) struct Events {
    conventions: Conventions,
    /// How a field is written in the format, for messages.
    field: fn(&str) -> String,
    /// Must every operation have a key?
    keyed: bool,
    processes: HashMap<u64, State>,
    /// Operations that are in the history, in the order of their ends.
    done: Vec<Done>,
    /// The number of the next event.
    number: Time,
    left_out: LeftOut,
}

/// A process that is not idle.
enum State {
    Open(Open),
    /// Its operation is pending for ever since the `info` at this line.
    Gone(usize),
}

struct Open {
    invocation: Call,
    call: Time,
    line: usize,
}

struct Done {
    operation: Operation<Call, Value>,
    interval: Interval,
    lines: Lines,
}

impl Events {
    pub(crate) fn new(conventions: Conventions, field: fn(&str) -> String) -> Self {
        let (processes, done, left_out) = (HashMap::new(), Vec::new(), LeftOut::default());
        Events { conventions, field, keyed: false, processes, done, number: 0, left_out }
    }

    /// Whether every operation must have a key.
    pub(crate) fn keyed(self, keyed: bool) -> Self {
        Events { keyed, ..self }
    }

    /// Takes the next event.
    pub(crate) fn push(&mut self, event: Event) -> Result<()> {
        let number = self.number;
        self.number += 1;
        let line = event.line;
        let missing = |name| ReadError::content(line, format!("the event has no {}", (self.field)(name)));
        let process = match event.process.ok_or_else(|| missing("process"))?? {
            Process::Client(process) => process,
            Process::Other => {
                self.left_out.events += 1;
                return Ok(());
            }
        };
        let kind = event.kind.ok_or_else(|| missing("type"))??;
        let name = event.name.transpose()?;
        if kind == Kind::Invoke {
            let name = name.ok_or_else(|| missing("f"))?;
            let key = super::key_of(event.key.transpose()?);
            if self.keyed && key.is_none() {
                return Err(missing("key"));
            }
            let argument = event.value.transpose()?.unwrap_or_default();
            let open = Open { invocation: Call { name, key, argument }, call: number, line };
            return self.invoke(process, open);
        }
        let open = self.close(process, kind, line)?;
        if let Some(name) = name.filter(|name| *name != open.invocation.name) {
            let (invoked, at) = (&open.invocation.name, open.line);
            let message = format!("process {process} completes {name:?}, but at line {at} it invoked {invoked:?}");
            return Err(ReadError::content(line, message));
        }
        if let (Some(key), Some(Ok(other))) = (&open.invocation.key, &event.key)
            && !other.is_nil()
            && key != other
        {
            let [key, other] = [key, other].map(|key| excerpt(&key.to_string()));
            let at = open.line;
            let message = format!("process {process} completes an operation on {other}, invoked on {key} at line {at}");
            return Err(ReadError::content(line, message));
        }
        self.complete(process, kind, open, event.value, (number, line))
    }

    fn invoke(&mut self, process: u64, open: Open) -> Result<()> {
        let line = open.line;
        check_room(self.done.len() + self.processes.len(), line)?;
        match self.processes.get(&process) {
            None => {
                self.processes.insert(process, State::Open(open));
                Ok(())
            }
            Some(State::Open(before)) => {
                let (name, other, at) = (&open.invocation.name, &before.invocation.name, before.line);
                let message = format!(
                    "process {process} invokes {name:?}, but its {other:?} of line {at} has not completed: \
                     a process has one operation at a time"
                );
                Err(ReadError::content(line, message))
            }
            Some(State::Gone(at)) => Err(gone(process, *at, line)),
        }
    }

    /// Takes the process' open operation.
    fn close(&mut self, process: u64, kind: Kind, line: usize) -> Result<Open> {
        match self.processes.remove(&process) {
            Some(State::Open(open)) => Ok(open),
            Some(State::Gone(at)) => Err(gone(process, at, line)),
            None => {
                let kind = kind.name();
                let message = format!("process {process} completes an operation ({kind}) that it has not invoked");
                Err(ReadError::content(line, message))
            }
        }
    }

    fn complete(
        &mut self,
        process: u64,
        kind: Kind,
        open: Open,
        value: Option<Result<Value>>,
        (number, line): (Time, usize),
    ) -> Result<()> {
        let Open { invocation, call, line: called } = open;
        let returned = Interval { call, ret: number };
        let lines = Lines { call: called, ret: line };
        let (result, interval, lines) = match kind {
            Kind::Ok => (Some(value.transpose()?.unwrap_or_default()), returned, lines),
            Kind::Fail if self.compared(&invocation, &value) => (Some(Value::Bool(false)), returned, lines),
            Kind::Fail => {
                self.left_out.failed += 1;
                return Ok(());
            }
            Kind::Info | Kind::Invoke => {
                self.processes.insert(process, State::Gone(line));
                (None, Interval { call, ret: Interval::NEVER }, Lines { call: called, ret: 0 })
            }
        };
        let operation = Operation { process, invocation, returned: result.is_some(), result };
        self.done.push(Done { operation, interval, lines });
        Ok(())
    }

    /// Does this failure tell of a comparison that was made? One that timed out tells nothing.
    fn compared(&self, invocation: &Call, value: &Option<Result<Value>>) -> bool {
        self.conventions.failed_cas == FailedCas::Compared
            && is_compare_and_set(&invocation.name)
            && !matches!(value, Some(Ok(Value::Text(text))) if &**text == ":timed-out")
    }

    /// The operations in the order of their calls; those still open are pending.
    pub(crate) fn finish(mut self) -> (History<Call, Value>, Vec<Lines>, LeftOut) {
        for (process, state) in self.processes {
            if let State::Open(Open { invocation, call, line }) = state {
                let operation = Operation { process, invocation, result: None, returned: false };
                let interval = Interval { call, ret: Interval::NEVER };
                self.done.push(Done { operation, interval, lines: Lines { call: line, ret: 0 } });
            }
        }
        self.done.sort_unstable_by_key(|done| done.interval.call);
        let mut history = History::new();
        let mut lines = Vec::with_capacity(self.done.len());
        for done in self.done {
            history.push(done.operation, done.interval);
            lines.push(done.lines);
        }
        (history, lines, self.left_out)
    }
}

/// Is this what a compare-and-set is called? `cas`, `compare-and-set`, `compareAndSwap`, `compare_exchange`, …
pub fn is_compare_and_set(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    matches!(&*plain, "cas" | "compareandset" | "compareandswap" | "compareexchange")
}

fn gone(process: u64, at: usize, line: usize) -> ReadError {
    let message = format!(
        "process {process} is back after line {at} said that the outcome of its operation is not known (info): \
         such a process has no later events"
    );
    ReadError::content(line, message)
}
