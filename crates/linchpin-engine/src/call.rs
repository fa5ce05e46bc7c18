//! Operations of objects as they ran: what a judge of executions looks at.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use linchpin_graph::{Execution, ThreadId};
use linchpin_model::Value;

use crate::stack::{CallStack, Stacks};

/// An operation that a front end has marked by [`operation_begins`](crate::rt::operation_begins) and
/// [`operation_ends`](crate::rt::operation_ends). Of calls within calls only the outermost is there.
#[derive(Clone, Debug)]
pub struct Call {
    /// The thread that called.
    pub thread: ThreadId,
    /// What the front end said it is.
    pub tag: u64,
    /// What people call it; given by who knows what the tag means.
    pub name: Option<String>,
    /// Which of the thread's events are its own.
    pub events: Range<u32>,
    /// What it returned; `None` if it has not.
    pub result: Option<Value>,
    /// What was called, if the front end said more than a tag.
    pub target: Option<Target>,
    /// Its ordering points: which of the thread's events order it among other calls. Empty if it has named none.
    pub points: Vec<u32>,
    /// When it was called and when it returned, among all calls and returns; the end is `u64::MAX` if it has not. Only
    /// sampling has a time: an execution that was explored stands for many orders.
    pub time: Option<Range<u64>>,
    /// Who called whom at each of its events, as far as that is known. Empty unless
    /// [`Config::call_stacks`](crate::Config::call_stacks) asks for it.
    pub stacks: Vec<Option<Arc<CallStack>>>,
}

/// An operation of an object, called with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The object: its address, as long as the execution lasts.
    pub object: u64,
    /// What sort of object that is: the name of a type.
    pub kind: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

impl Target {
    /// A copy whose arguments share no memory with these.
    fn detached(&self) -> Target {
        Target { arguments: self.arguments.iter().map(Value::detached).collect(), ..*self }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.operation)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

/// What a mark says of the event before it, as an ordering point of the running call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// It is one.
    Define,
    /// None of the events so far is one.
    Clear,
    /// It may turn out to be one, under this label.
    Potential(&'static str),
    /// What was potential under this label is one.
    Check(&'static str),
}

/// Looks at a complete execution and its calls, in the order of their tags; returns what is wrong with it, if anything is.
pub type Judge<'a> = dyn Fn(&Execution, &[Call]) -> Option<String> + Sync + 'a;

/// The calls of one run.
#[derive(Default)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    /// For each thread the call that it is in, and how many calls within calls.
    open: Vec<Option<(usize, u32)>>,
    /// Events that may turn out to be ordering points: the call, the label, the event.
    potential: Vec<(usize, &'static str, u32)>,
    /// For each thread how many events it had done when it last called or returned.
    turned: Vec<u32>,
    /// How many calls and returns there have been; `None` if that means nothing.
    clock: Option<u64>,
}

impl Calls {
    /// Forgets the last run.
    pub fn clear(&mut self, is_timed: bool) {
        self.calls.clear();
        self.open.clear();
        self.potential.clear();
        self.turned.clear();
        self.clock = is_timed.then_some(0);
    }

    /// Is `thread` in a call?
    pub fn is_open(&self, thread: ThreadId) -> bool {
        self.open.get(thread.at()).is_some_and(Option::is_some)
    }

    /// How many events `thread` had done when it last called or returned: what it has done since belongs together.
    pub fn last_turn(&self, thread: ThreadId) -> u32 {
        self.turned.get(thread.at()).copied().unwrap_or(0)
    }

    /// How many calls and returns there have been.
    pub fn now(&self) -> u64 {
        self.clock.unwrap_or(0)
    }

    fn tick(&mut self) -> Option<u64> {
        let now = self.clock?;
        self.clock = Some(now + 1);
        Some(now)
    }

    /// `thread` calls, after so many events. What is called is copied: it may lie in an arena.
    pub fn begin(&mut self, thread: ThreadId, tag: u64, target: Option<&Target>, executed: u32) {
        if self.open.len() <= thread.at() {
            self.open.resize(thread.at() + 1, None);
            self.turned.resize(thread.at() + 1, 0);
        }
        if let Some((_, depth)) = &mut self.open[thread.at()] {
            *depth += 1;
            return;
        }
        self.open[thread.at()] = Some((self.calls.len(), 0));
        self.turned[thread.at()] = executed;
        let time = self.tick().map(|now| now..u64::MAX);
        let (target, name) = (target.map(Target::detached), target.map(Target::to_string));
        let events = executed..executed;
        self.calls.push(Call {
            thread,
            tag,
            name,
            events,
            result: None,
            time,
            target,
            points: Vec::new(),
            stacks: Vec::new(),
        });
    }

    /// What `thread` called returns, after so many events. What is returned is copied: it may lie in an arena.
    pub fn end(&mut self, thread: ThreadId, executed: u32, result: &Value) {
        let Some(Some((at, depth))) = self.open.get_mut(thread.at()) else { return };
        if *depth > 0 {
            *depth -= 1;
            return;
        }
        let at = *at;
        self.open[thread.at()] = None;
        self.turned[thread.at()] = executed;
        let now = self.tick();
        let call = &mut self.calls[at];
        call.events.end = executed;
        call.result = Some(result.detached());
        call.time = call.time.take().zip(now).map(|(time, now)| time.start..now);
    }

    /// Marks the last of so many events of `thread`. A mark outside of calls, or in one that has no event yet, means nothing.
    pub fn mark(&mut self, thread: ThreadId, point: Point, executed: u32) {
        let Some(&Some((at, _))) = self.open.get(thread.at()) else { return };
        let call = &mut self.calls[at];
        let last = executed.checked_sub(1).filter(|&last| last >= call.events.start);
        match point {
            Point::Define => call.points.extend(last),
            Point::Clear => {
                call.points.clear();
                self.potential.retain(|&(of, ..)| of != at);
            }
            Point::Potential(label) => self.potential.extend(last.map(|last| (at, label, last))),
            Point::Check(label) => {
                let labelled = self.potential.iter().filter(|&&(of, name, _)| (of, name) == (at, label));
                call.points.extend(labelled.map(|&(.., event)| event));
            }
        }
    }

    /// Puts the calls in the order of their tags, those of equal tags by thread. What has not returned has all events of its thread since.
    pub fn finish(&mut self, executed: impl Fn(ThreadId) -> u32) {
        for call in self.calls.iter_mut().filter(|call| call.result.is_none()) {
            call.events.end = executed(call.thread);
        }
        self.calls.sort_by_key(|call| (call.tag, call.thread, call.events.start));
    }

    /// Gives each call those of its events.
    pub fn give_stacks(&mut self, stacks: &Stacks) {
        for call in &mut self.calls {
            call.stacks = call.events.clone().map(|event| stacks.of(call.thread, event).cloned()).collect();
        }
    }

    /// The calls so far.
    pub fn all(&self) -> &[Call] {
        &self.calls
    }
}
