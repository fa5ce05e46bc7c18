//! Operations of objects as they ran: what a judge of executions looks at.

use std::ops::Range;

use linchpin_graph::{Execution, ThreadId};
use linchpin_model::Value;

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
}

/// Looks at a complete execution and its calls, in the order of their tags; returns what is wrong with it, if anything is.
pub type Judge<'a> = dyn Fn(&Execution, &[Call]) -> Option<String> + Sync + 'a;

/// The calls of one run.
#[derive(Default)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    /// For each thread the call that it is in, and how many calls within calls.
    open: Vec<Option<(usize, u32)>>,
}

impl Calls {
    /// Forgets the last run.
    pub fn clear(&mut self) {
        self.calls.clear();
        self.open.clear();
    }

    /// `thread` calls, after so many events.
    pub fn begin(&mut self, thread: ThreadId, tag: u64, executed: u32) {
        if self.open.len() <= thread.at() {
            self.open.resize(thread.at() + 1, None);
        }
        match &mut self.open[thread.at()] {
            Some((_, depth)) => *depth += 1,
            closed => {
                *closed = Some((self.calls.len(), 0));
                self.calls.push(Call { thread, tag, name: None, events: executed..executed, result: None });
            }
        }
    }

    /// What `thread` called returns, after so many events. What is returned is copied: it may lie in an arena.
    pub fn end(&mut self, thread: ThreadId, executed: u32, result: &Value) {
        let Some(open) = self.open.get_mut(thread.at()) else { return };
        match open {
            Some((_, depth @ 1..)) => *depth -= 1,
            Some((at, 0)) => {
                let call = &mut self.calls[*at];
                call.events.end = executed;
                call.result = Some(result.detached());
                *open = None;
            }
            None => {}
        }
    }

    /// Puts the calls in the order of their tags. What has not returned has all events of its thread since.
    pub fn finish(&mut self, executed: impl Fn(ThreadId) -> u32) {
        for call in self.calls.iter_mut().filter(|call| call.result.is_none()) {
            call.events.end = executed(call.thread);
        }
        self.calls.sort_by_key(|call| call.tag);
    }

    /// The calls so far.
    pub fn all(&self) -> &[Call] {
        &self.calls
    }
}
