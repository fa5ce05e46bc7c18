//! What each kind of violation has to say: first what to mark in the picture, then the words around it.

mod calls;
mod crash;
mod memory;
mod race;
mod test;
mod waiting;

use linchpin_engine::{Violation, ViolationKind};
use linchpin_graph::{EventId, Execution, ThreadId};

use super::link::Link;
use crate::names::line;
use crate::picture::{Picture, Remark};

/// What to mark and add in the picture.
#[derive(Default)]
pub(crate) struct Staging {
    pub remarks: Vec<Remark>,
    pub marks: Vec<(EventId, u8)>,
    /// Marked as (3) and (4).
    pub link: Option<Link>,
}

/// The words.
pub(crate) struct Tale {
    /// What happened, in one line.
    pub headline: String,
    /// Why that is wrong, and whose fault it is.
    pub why: Vec<String>,
    /// What to do.
    pub next: Vec<String>,
}

impl Staging {
    pub fn of(violation: &Violation) -> Staging {
        let mut staging = Staging::of_kind(violation);
        // What a call does stands between its remarks, even if nothing else is to be said there.
        let of_calls = violation.calls.iter().flat_map(calls::remarks);
        staging.remarks = of_calls.chain(staging.remarks).collect();
        staging
    }

    fn of_kind(violation: &Violation) -> Staging {
        let execution = &violation.execution;
        match &violation.kind {
            ViolationKind::Rejected { .. } => Staging::default(),
            ViolationKind::Panic { position, after_events, .. } => {
                test::stage_panic(violation, position, *after_events)
            }
            ViolationKind::DataRace { first, second } => race::stage(execution, *first, *second),
            ViolationKind::UnpublishedMemory { event, allocated_by, after_events } => {
                memory::stage_unpublished(execution, *event, *allocated_by, *after_events)
            }
            ViolationKind::UseAfterFree { event, freed_by, after_events } => {
                memory::stage_use_after_free(execution, *event, *freed_by, *after_events)
            }
            ViolationKind::DoubleFree { first_by, after_events } => {
                memory::stage_double_free(violation, *first_by, *after_events)
            }
            ViolationKind::Leak { blocks } => memory::stage_leak(execution, blocks),
            ViolationKind::Deadlock { waiting } | ViolationKind::Livelock { waiting } => {
                waiting::stage(execution, waiting)
            }
            ViolationKind::Stuck { .. } => waiting::stage_stuck(violation),
            ViolationKind::Crash { cause, .. } => crash::stage(violation, *cause),
            ViolationKind::NotDeterministic { expected, .. } => Staging::marking(expected.iter().copied()),
            ViolationKind::KeptMemory { block } => memory::stage_kept(execution, *block),
            ViolationKind::MixedSize { address, sizes } => test::stage_mixed_size(violation, *address, sizes.1),
        }
    }

    /// Marks events with (1), (2), …
    fn marking(events: impl IntoIterator<Item = EventId>) -> Staging {
        let marks = events.into_iter().zip(1..).collect();
        Staging { marks, ..Staging::default() }
    }

    /// Marks a link with (3) and (4).
    fn with_link(mut self, link: Option<Link>) -> Staging {
        if let Some(link) = link {
            self.marks.extend([(link.write, 3), (link.read, 4)]);
        }
        self.link = link;
        self
    }
}

impl Tale {
    pub fn of(violation: &Violation, staging: &Staging, picture: &Picture<'_>) -> Tale {
        match &violation.kind {
            ViolationKind::Panic { message, position, .. } => test::tell_panic(violation, picture, message, position),
            ViolationKind::Rejected { message } => test::tell_rejected(violation, picture, message),
            ViolationKind::DataRace { first, second } => race::tell(staging, picture, *first, *second),
            ViolationKind::UnpublishedMemory { event, allocated_by, .. } => {
                memory::tell_unpublished(staging, picture, *event, *allocated_by)
            }
            ViolationKind::UseAfterFree { event, freed_by, after_events } => {
                memory::tell_use_after_free(picture, *event, *freed_by, *after_events)
            }
            ViolationKind::DoubleFree { first_by, .. } => memory::tell_double_free(violation, picture, *first_by),
            ViolationKind::Leak { blocks } => memory::tell_leak(blocks),
            ViolationKind::Deadlock { waiting } => waiting::tell_deadlock(picture, waiting),
            ViolationKind::Livelock { waiting } => waiting::tell_livelock(picture, waiting),
            ViolationKind::Stuck { last } => waiting::tell_stuck(violation, picture, *last),
            ViolationKind::Crash { cause, last } => crash::tell(violation, picture, *cause, *last),
            ViolationKind::NotDeterministic { expected, found } => {
                test::tell_not_deterministic(violation, picture, *expected, found)
            }
            ViolationKind::KeptMemory { .. } => memory::tell_kept(),
            ViolationKind::MixedSize { sizes, .. } => test::tell_mixed_size(violation, picture, *sizes),
        }
    }
}

/// Number of a thread's events.
fn length(execution: &Execution, thread: ThreadId) -> u32 {
    execution.thread(thread).events().len() as u32
}

/// The place of something that is no event and stands after `after` events of `thread`: next to one that is.
fn nearby(execution: &Execution, thread: ThreadId, after: u32) -> String {
    let events = execution.thread(thread).events();
    let previous = (after as usize).checked_sub(1).and_then(|before| events.get(before));
    match (previous, events.get(after as usize)) {
        (Some(&previous), _) => format!("after {}", line(execution.event(previous).site)),
        (None, Some(&next)) => format!("before {}", line(execution.event(next).site)),
        (None, None) => String::new(),
    }
}

/// `1 block`, `2 blocks`
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
