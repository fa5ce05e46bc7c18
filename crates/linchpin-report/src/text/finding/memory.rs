//! What goes wrong with blocks of memory.

use linchpin_engine::Violation;
use linchpin_graph::{EventId, Execution, ThreadId};

use super::{Staging, Tale, counted, length, nearby};
use crate::names::position;
use crate::phrase::deed;
use crate::picture::{Picture, Remark};
use crate::report::Sort;
use crate::text::link::Link;

/// How many leaked blocks are shown.
const MOST_BLOCKS: usize = 8;

fn remark(execution: &Execution, thread: ThreadId, after: u32, text: impl Into<String>, mark: u8) -> Remark {
    let place = nearby(execution, thread, after);
    Remark { thread, after, text: text.into(), place, mark: Some(mark), sort: Sort::Remark }
}

/// The first event of `thread` after something that came after `after` of its events.
fn event_after(execution: &Execution, thread: ThreadId, after: u32) -> Option<EventId> {
    execution.thread(thread).events().get(after as usize).copied()
}

pub(super) fn stage_unpublished(execution: &Execution, event: EventId, by: ThreadId, after: u32) -> Staging {
    let link = event_after(execution, by, after).and_then(|first| Link::lost(execution, first, event));
    let remarks = vec![remark(execution, by, after, "allocates the block", 1)];
    Staging { remarks, marks: vec![(event, 2)], link: None }.with_link(link)
}

pub(super) fn tell_unpublished(staging: &Staging, picture: &Picture<'_>, event: EventId, by: ThreadId) -> Tale {
    let execution = picture.execution;
    let access = execution.event(event);
    let (accessor, owner) = (picture.names.thread(access.thread), picture.names.thread(by));
    let headline = format!(
        "access to unpublished memory: {accessor} {} {} at {}, in a block that {owner} allocated, and the allocation does \
         not happen before the access",
        deed(access),
        picture.names.location(access.location),
        position(access.site),
    );
    let mut why = vec![format!(
        "Nothing orders (1) before (2), so {accessor} may find anything in the block, also what was there before {owner} \
         filled it in. The code under test is at fault, even if it looks well here."
    )];
    let next = match &staging.link {
        Some(link) => {
            why.push(format!(
                "The pointer got through, the order did not: (4) reads what (3) wrote, but {}.",
                link.defect(execution)
            ));
            vec![format!("Publish the pointer with Release and read it with Acquire: {}.", link.remedy(execution))]
        }
        None => {
            vec!["Publish the pointer with Release and read it with Acquire, or pass it on under a lock.".to_owned()]
        }
    };
    Tale { headline, why, next }
}

pub(super) fn stage_use_after_free(execution: &Execution, event: EventId, by: ThreadId, after: u32) -> Staging {
    let remarks = vec![remark(execution, by, after, "frees the block", 1)];
    Staging { remarks, marks: vec![(event, 2)], link: None }
}

pub(super) fn tell_use_after_free(picture: &Picture<'_>, event: EventId, by: ThreadId, after: u32) -> Tale {
    let execution = picture.execution;
    let access = execution.event(event);
    let headline = format!(
        "use after free: {} {} {} at {}, in a block that {} has freed",
        picture.names.thread(access.thread),
        deed(access),
        picture.names.location(access.location),
        position(access.site),
        if by == access.thread { "it".to_owned() } else { picture.names.thread(by) },
    );
    let is_ordered = event_after(execution, by, after).is_some_and(|next| execution.happens_before(next, event));
    let last_before_free = after.checked_sub(1).map(|last| execution.thread(by).events()[last as usize]);
    let is_relaxed = last_before_free.is_some_and(|last| execution.in_porf(event, last));
    let why = if is_ordered || by == access.thread {
        "The free (1) happens before the access (2): the pointer was kept for too long."
    } else if is_relaxed {
        "The access (2) comes before the free (1) here, but does not *happen before* it: the freeing thread was told by \
         accesses that order nothing. Release after the last access, and acquire that before freeing."
    } else {
        "Nothing keeps the block alive until the access (2): the free (1) can come first."
    };
    let why = vec![format!(
        "{why} Linchpin keeps freed memory readable to be able to tell; the code under test is at fault."
    )];
    let next = vec![
        "Let nobody free the block while others can still reach it: hand over ownership, count references, or defer the \
         free (hazard pointers, epochs)."
            .to_owned(),
        "Look for how the accessing thread came by the pointer, and for what should have told the freeing thread so."
            .to_owned(),
    ];
    Tale { headline, why, next }
}

pub(super) fn stage_double_free(violation: &Violation, first_by: ThreadId, after: u32) -> Staging {
    let execution = &violation.execution;
    let second = length(execution, violation.thread);
    let remarks = vec![
        remark(execution, first_by, after, "frees the block", 1),
        remark(execution, violation.thread, second, "frees it again", 2),
    ];
    Staging { remarks, ..Staging::default() }
}

pub(super) fn tell_double_free(violation: &Violation, picture: &Picture<'_>, first_by: ThreadId) -> Tale {
    let thread = picture.names.thread(violation.thread);
    let first = if first_by == violation.thread {
        "it has freed".to_owned()
    } else {
        format!("{} has freed", picture.names.thread(first_by))
    };
    Tale {
        headline: format!("double free: {thread} frees a block that {first} already"),
        why: vec!["Both (1) and (2) took themselves for the owner of the block. The code under test is at fault.".to_owned()],
        next: vec![
            "Find the step by which ownership passes (a swap, a compare-exchange, a lock): it let two threads through. A \
             load that decides and a later store that takes is such a step."
                .to_owned(),
        ],
    }
}

type Block = (ThreadId, u32, usize);

pub(super) fn stage_leak(execution: &Execution, blocks: &[Block]) -> Staging {
    let remarks = blocks.iter().take(MOST_BLOCKS).zip(1..).map(|(&(thread, after, size), mark)| {
        remark(execution, thread, after, format!("allocates {}, never freed", counted(size, "byte")), mark)
    });
    Staging { remarks: remarks.collect(), ..Staging::default() }
}

pub(super) fn tell_leak(blocks: &[Block]) -> Tale {
    let bytes = blocks.iter().map(|(_, _, size)| size).sum();
    let which = if blocks.len() == 1 { "is" } else { "are" };
    let mut why = vec![
        "All threads have ended, and nothing will free what is left. Blocks that are kept in statics count as well."
            .to_owned(),
    ];
    if blocks.len() > MOST_BLOCKS {
        why.push(format!("Only the first {MOST_BLOCKS} are marked."));
    }
    Tale {
        headline: format!("leak: {} ({}) {which} never freed", counted(blocks.len(), "block"), counted(bytes, "byte")),
        why,
        next: vec![
            "Free the blocks on this path too, or drop what owns them before the test ends.".to_owned(),
            "If that is as it should be, do not ask for leaks: they are looked for only on demand.".to_owned(),
        ],
    }
}

pub(super) fn stage_kept(execution: &Execution, block: Option<Block>) -> Staging {
    let kept = |(thread, after, size)| {
        remark(execution, thread, after, format!("allocates {}, used by the next execution", counted(size, "byte")), 1)
    };
    Staging { remarks: block.into_iter().map(kept).collect(), ..Staging::default() }
}

pub(super) fn tell_kept() -> Tale {
    Tale {
        headline: "memory is kept beyond executions: each uses what the one before has allocated, and leaves more".to_owned(),
        why: vec![
            "All memory that a test allocates belongs to its execution, and the next one overwrites it. What is made once and \
             kept from then on is left alone, but this grows with every execution, so nothing can be said about the code \
             under test."
                .to_owned(),
        ],
        next: vec![
            "What the test collects over its executions is put away in `linchpin::outside(|| …)`: make and add it in there."
                .to_owned(),
            "What the code under test keeps in statics and thread-locals: take their types from `linchpin_sync`, so that each \
             execution begins anew. A library that keeps things on its own, such as a collector of garbage, needs one of its \
             instances per execution."
                .to_owned(),
        ],
    }
}
