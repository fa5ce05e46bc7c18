//! Acts: events as a person counts them.

use linchpin_graph::{Event, EventId, Execution, Kind, ThreadId};

/// One thing that a thread did: an event, or a read-modify-write with both of its halves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Act {
    pub thread: ThreadId,
    /// The event; of a read-modify-write its read.
    pub event: EventId,
    /// Of a read-modify-write: its write, if the execution got that far.
    pub write: Option<EventId>,
    /// Place of the act's first event in its thread.
    pub index: u32,
}

/// All acts of an execution, thread by thread, each in program order.
pub(crate) struct Acts {
    list: Vec<Act>,
    /// The act that each event is part of.
    of_event: Vec<usize>,
}

impl Acts {
    pub fn of(execution: &Execution) -> Acts {
        let mut acts = Acts { list: Vec::new(), of_event: vec![0; execution.len()] };
        for (number, thread) in execution.threads().iter().enumerate() {
            acts.add_thread(execution, ThreadId(number as u32), thread.events());
        }
        acts
    }

    fn add_thread(&mut self, execution: &Execution, thread: ThreadId, events: &[EventId]) {
        // Set between the halves of a read-modify-write, where a choice may stand.
        let mut is_open = false;
        for (index, &id) in events.iter().enumerate() {
            let event = execution.event(id);
            let continues = is_open && (event.kind == Kind::Choice || completes(event));
            if !continues {
                self.list.push(Act { thread, event: id, write: None, index: index as u32 });
            } else if completes(event) {
                self.list.last_mut().expect("a write half follows its read half").write = Some(id);
            }
            is_open = begins(event) || (continues && !completes(event));
            self.of_event[id.at()] = self.list.len() - 1;
        }
    }

    pub fn list(&self) -> &[Act] {
        &self.list
    }

    /// Number of the act that `event` is part of.
    pub fn number_of(&self, event: EventId) -> usize {
        self.of_event[event.at()]
    }
}

/// Is this the first half of a read-modify-write?
fn begins(event: &Event) -> bool {
    event.is_read() && event.exclusive
}

/// Is this the second half of a read-modify-write?
fn completes(event: &Event) -> bool {
    event.is_write() && event.exclusive
}
