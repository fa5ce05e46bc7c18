//! Where order gets lost: a read that sees another thread's write and learns nothing from it.

use linchpin_graph::{Event, EventId, Execution, Order};

use crate::names::position;

/// A write and a read of it by which news of something travels, but not its happening before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub write: EventId,
    pub read: EventId,
}

impl Link {
    /// The first link on the way from `first` to `second` that carries no order, if there is a way.
    pub fn lost(execution: &Execution, first: EventId, second: EventId) -> Option<Link> {
        if execution.happens_before(first, second) {
            return None;
        }
        let link = |(stamp, event): (usize, &Event)| {
            let (read, write) = (EventId(stamp as u32), event.source);
            let is_lost = event.is_read()
                && write.is_some()
                && execution.in_porf(read, second)
                && execution.happens_before(first, write)
                && !execution.happens_before(first, read);
            is_lost.then_some(Link { write, read })
        };
        execution.events().iter().enumerate().find_map(link)
    }

    /// What the link lacks: `(3) is Relaxed`.
    pub fn defect(&self, execution: &Execution) -> String {
        let (write, read) = (execution.event(self.write).order, execution.event(self.read).order);
        match (write.releases(), read.acquires()) {
            (false, false) if write == read => format!("both are {write:?}"),
            (false, false) => format!("(3) is {write:?} and (4) is {read:?}"),
            (false, true) => format!("(3) is {write:?}"),
            (true, false) => format!("(4) is {read:?}"),
            (true, true) => "what (4) reads does not release what came before (3)".into(),
        }
    }

    /// What to change.
    pub fn remedy(&self, execution: &Execution) -> String {
        let (write, read) = (execution.event(self.write), execution.event(self.read));
        let mut changes = Vec::new();
        if !write.order.releases() {
            changes.push(format!("give (3) at {} the order {}", position(write.site), releasing(write)));
        }
        if !read.order.acquires() {
            changes.push(format!("give (4) at {} the order {}", position(read.site), acquiring(read)));
        }
        if changes.is_empty() {
            return "look at what happens between (3) and (4)".into();
        }
        changes.join(", and ")
    }
}

fn releasing(write: &Event) -> &'static str {
    if write.exclusive && write.order == Order::Acquire { "AcqRel" } else { "Release" }
}

fn acquiring(read: &Event) -> &'static str {
    if read.exclusive && read.order == Order::Release { "AcqRel" } else { "Acquire" }
}
