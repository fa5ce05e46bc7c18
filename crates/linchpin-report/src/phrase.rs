//! Acts in a few words.

use linchpin_graph::{Event, EventId, Execution, Kind, ThreadId, Verb};

use crate::acts::Act;
use crate::names::{Names, short};

/// What an act did, without where its value came from: `A.load(Acquire) = 1`.
pub(crate) fn phrase(execution: &Execution, names: &Names<'_>, act: &Act) -> String {
    let event = execution.event(act.event);
    match event.kind {
        Kind::Read => read(execution, names, act, event),
        Kind::Write if is_locking(event.verb) => method(names, event),
        Kind::Write => format!("{}({}, {:?})", called(names, event), names.value(event.value), event.order),
        Kind::Fence => format!("fence({:?})", event.order),
        Kind::PlainRead => format!("reads {}", names.location(event.location)),
        Kind::PlainWrite => format!("writes {}", names.location(event.location)),
        Kind::Spawn => format!("spawns {}", short(ThreadId(event.value as u32))),
        Kind::Join => format!("joins {}", short(ThreadId(event.value as u32))),
        Kind::End => "ends".into(),
        Kind::Choice => format!("chooses {} of {} possibilities", event.value, event.options),
    }
}

fn read(execution: &Execution, names: &Names<'_>, act: &Act, event: &Event) -> String {
    if event.waiting {
        return format!("{} waits", method(names, event));
    }
    if is_locking(event.verb) {
        let busy = is_attempt(event.verb) && !event.exclusive;
        return format!("{}{}", method(names, event), if busy { " fails" } else { "" });
    }
    let (call, order, value) = (called(names, event), event.order, names.value(event.value));
    match (act.write, event.verb) {
        (Some(write), _) => format!("{call}({order:?}): {value} → {}", names.value(execution.event(write).value)),
        (None, Verb::CompareExchange) if !event.exclusive && event.value == event.request.a => {
            format!("{call}({order:?}) fails for no reason: {value}")
        }
        (None, Verb::CompareExchange) if !event.exclusive => {
            format!("{call}({order:?}) fails: {value}, not {}", names.value(event.request.a))
        }
        (None, _) => format!("{call}({order:?}) = {value}"),
    }
}

/// `A.load`
fn called(names: &Names<'_>, event: &Event) -> String {
    format!("{}.{}", names.location(event.location), name_of(event.verb))
}

/// `A.lock()`
fn method(names: &Names<'_>, event: &Event) -> String {
    format!("{}()", called(names, event))
}

/// Where a read's value came from, if the row says something by it; `row` tells the number of an event's row.
pub(crate) fn source(execution: &Execution, event: EventId, row: impl Fn(EventId) -> Option<usize>) -> Option<String> {
    let event = execution.event(event);
    if event.kind != Kind::Read {
        return None;
    }
    if !event.source.is_some() {
        return (!is_locking(event.verb)).then(|| "initial".into());
    }
    Some(format!("{} #{}", short(execution.event(event.source).thread), row(event.source)?))
}

/// What an act does to its location, in a sentence: `thread 1 … A`.
pub(crate) fn deed(event: &Event) -> &'static str {
    match event.kind {
        Kind::PlainRead => "reads",
        Kind::PlainWrite => "writes",
        Kind::Read if is_locking(event.verb) => "operates on",
        Kind::Read if event.exclusive => "updates (atomically)",
        Kind::Read => "loads (atomically)",
        Kind::Write => "stores to (atomically)",
        _ => "uses",
    }
}

/// What an access is made to, as far as the access tells.
pub(crate) fn user_of(event: &Event) -> String {
    match event.verb {
        Verb::PlainRead | Verb::PlainWrite => "plain memory".into(),
        Verb::Wait | Verb::Notify => "something to wait on".into(),
        Verb::Park | Verb::Unpark => "a thread's parking token".into(),
        verb if is_locking(verb) => "a lock".into(),
        _ => format!("an atomic of {} byte{}", event.size, if event.size == 1 { "" } else { "s" }),
    }
}

/// Is the value behind the operation nothing to show?
pub(crate) fn is_locking(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::Lock
            | Verb::TryLock
            | Verb::Unlock
            | Verb::LockShared
            | Verb::TryLockShared
            | Verb::UnlockShared
            | Verb::Wait
            | Verb::Notify
            | Verb::Park
            | Verb::Unpark
    )
}

fn is_attempt(verb: Verb) -> bool {
    matches!(verb, Verb::TryLock | Verb::TryLockShared)
}

/// The name of a method that does this.
pub(crate) fn name_of(verb: Verb) -> &'static str {
    match verb {
        Verb::Load => "load",
        Verb::Store => "store",
        Verb::Swap => "swap",
        Verb::CompareExchange => "compare_exchange",
        Verb::FetchAdd => "fetch_add",
        Verb::FetchSub => "fetch_sub",
        Verb::FetchAnd => "fetch_and",
        Verb::FetchNand => "fetch_nand",
        Verb::FetchOr => "fetch_or",
        Verb::FetchXor => "fetch_xor",
        Verb::FetchMax => "fetch_max",
        Verb::FetchMin => "fetch_min",
        Verb::Fence => "fence",
        Verb::PlainRead => "read",
        Verb::PlainWrite => "write",
        Verb::Spawn => "spawn",
        Verb::Join => "join",
        Verb::End => "end",
        Verb::Choose => "choose",
        Verb::Lock => "lock",
        Verb::TryLock => "try_lock",
        Verb::Unlock => "unlock",
        Verb::LockShared => "lock_shared",
        Verb::TryLockShared => "try_lock_shared",
        Verb::UnlockShared => "unlock_shared",
        Verb::Wait => "wait",
        Verb::Notify => "notify",
        Verb::Park => "park",
        Verb::Unpark => "unpark",
        Verb::Await => "await",
    }
}
