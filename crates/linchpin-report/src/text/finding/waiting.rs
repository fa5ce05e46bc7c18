//! Threads that wait for ever, or never come back.

use linchpin_engine::{Violation, WaitReason, Waiting};
use linchpin_graph::{Event, EventId, Execution, ThreadId, Verb};

use super::{Staging, Tale, length};
use crate::names::{line, position, short};
use crate::picture::{Picture, Remark};
use crate::report::Sort;

pub(super) fn stage(execution: &Execution, waiting: &[Waiting]) -> Staging {
    let mut staging = Staging::default();
    for (waiting, mark) in waiting.iter().zip(1..) {
        let text = match waiting.reason {
            WaitReason::Value(read) => {
                staging.marks.push((read, mark));
                continue;
            }
            WaitReason::End(thread, _) => format!("waits for {} to end", short(thread)),
            WaitReason::Change(_) => "goes round and round".to_owned(),
        };
        let (WaitReason::End(_, site) | WaitReason::Change(site)) = waiting.reason else {
            continue;
        };
        let after = length(execution, waiting.thread);
        staging.remarks.push(Remark {
            thread: waiting.thread,
            after,
            text,
            place: line(site),
            mark: Some(mark),
            sort: Sort::Remark,
        });
    }
    staging
}

/// One line per waiting thread.
fn who_waits(picture: &Picture<'_>, waiting: &[Waiting]) -> String {
    let lines = waiting.iter().zip(1..).map(|(waiting, mark): (_, u8)| {
        let reason = match waiting.reason {
            WaitReason::Value(read) => value_wanted(picture, read),
            WaitReason::End(thread, site) => {
                format!("waits at {} for {} to end", position(site), picture.names.thread(thread))
            }
            WaitReason::Change(site) => {
                format!("goes round its loop at {}; nobody will change what it reads", position(site))
            }
        };
        format!("({mark}) {} {reason}", picture.names.thread(waiting.thread))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What the thread of `read` wants, and who has it.
fn value_wanted(picture: &Picture<'_>, read: EventId) -> String {
    let event = picture.execution.event(read);
    let location = picture.names.location(event.location);
    let at = position(event.site);
    match event.verb {
        Verb::Lock | Verb::LockShared => format!("waits at {at} for the lock {location}{}", holder(picture, event)),
        Verb::Park => format!("is parked at {at}; nobody unparks it"),
        Verb::Wait => format!("waits at {at} on {location}; nobody notifies it"),
        _ => format!("waits at {at} for {location} to become something else than {}", picture.names.value(event.value)),
    }
}

/// Who has the lock that `event` found taken.
fn holder(picture: &Picture<'_>, event: &Event) -> String {
    if !event.source.is_some() {
        return String::new();
    }
    let taken = picture.execution.event(event.source);
    let who = if taken.thread == event.thread { "it".to_owned() } else { picture.names.thread(taken.thread) };
    match taken.verb {
        Verb::Lock | Verb::TryLock | Verb::LockShared | Verb::TryLockShared => {
            format!(", which {who} has locked at {}", position(taken.site))
        }
        _ => String::new(),
    }
}

fn threads(picture: &Picture<'_>, waiting: &[Waiting]) -> String {
    let names: Vec<String> = waiting.iter().map(|waiting| picture.names.thread(waiting.thread)).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "nobody".into(),
    }
}

pub(super) fn tell_deadlock(picture: &Picture<'_>, waiting: &[Waiting]) -> Tale {
    let verb = if waiting.len() == 1 { "waits" } else { "wait" };
    Tale {
        headline: format!("deadlock: {} {verb} for ever, and no other thread is left", threads(picture, waiting)),
        why: vec![
            who_waits(picture, waiting),
            "Every thread that has not ended waits, so nothing will ever wake one of them. The code under test is at fault."
                .to_owned(),
        ],
        next: vec![
            "Where threads wait for each other's locks, take the locks in the same order everywhere.".to_owned(),
            "Where a thread waits to be woken, check that no wake-up can come before the wait begins: test the condition \
             under the lock that the waker takes."
                .to_owned(),
        ],
    }
}

pub(super) fn tell_livelock(picture: &Picture<'_>, waiting: &[Waiting]) -> Tale {
    let spins = |waiting: &&Waiting| matches!(waiting.reason, WaitReason::Change(_));
    let spinning: Vec<Waiting> = waiting.iter().filter(spins).copied().collect();
    let verb = if spinning.len() == 1 { "goes round in a loop" } else { "go round in loops" };
    Tale {
        headline: format!(
            "livelock: {} {verb} for ever, since nobody is left to change what is read there",
            threads(picture, &spinning)
        ),
        why: vec![
            who_waits(picture, waiting),
            "What the loop reads is the newest there is, and every other thread has ended or waits as well. The code under \
             test is at fault."
                .to_owned(),
        ],
        next: vec![
            "Find out who should have changed what the loop reads, and why it did not in this execution.".to_owned(),
            "Linchpin takes `spin_loop()`, `yield_now()` and `sleep()` in a loop as a wait for a change. If the loop would end by \
             itself after more than a thousand rounds, switch that off: `Builder::spin_is_wait(false)`."
                .to_owned(),
        ],
    }
}

pub(super) fn stage_stuck(violation: &Violation) -> Staging {
    let (execution, thread) = (&violation.execution, violation.thread);
    let after = length(execution, thread);
    let place = super::nearby(execution, thread, after);
    let text = "does not come back".to_owned();
    Staging {
        remarks: vec![Remark { thread, after, text, place, mark: Some(1), sort: Sort::Remark }],
        ..Staging::default()
    }
}

pub(super) fn tell_stuck(violation: &Violation, picture: &Picture<'_>, last: Option<EventId>) -> Tale {
    let thread: ThreadId = violation.thread;
    let since = match last {
        Some(last) => format!("the last that was seen of it is at {}", position(picture.execution.event(last).site)),
        None => "it did nothing before".to_owned(),
    };
    Tale {
        headline: format!("stuck: {} does not come back to the engine; {since}", picture.names.thread(thread)),
        why: vec![
            "Between two accesses to modelled memory the thread computes for too long, or waits for something that \
             Linchpin does not model. The test is at fault, or the limit is too tight for it."
                .to_owned(),
        ],
        next: vec![
            "Look for a loop without any access to an atomic, for locks, channels and sleeps of `std` instead of those of \
             `linchpin_sync`, and for input and output."
                .to_owned(),
            "If the computation is merely long, give it more time: `Builder::stuck_after`.".to_owned(),
        ],
    }
}
