//! What to do about a cause that is verified.

use std::collections::BTreeSet;

use super::{Access, Explained, Section, ShownExecution, Verified};

/// Names the cause as what to change, and a means for it. `None` where nobody has verified that it is enough.
pub(super) fn advice(explained: &Explained, execution: Option<&ShownExecution>) -> Option<String> {
    let sections = &explained.cause.sections;
    if explained.verification != Verified::Yes || sections.is_empty() {
        return None;
    }
    let means = match (&sections[..], execution) {
        ([one], Some(execution)) => means(one, execution),
        ([_], None) => Means::Lock,
        _ => Means::SameLock,
    };
    let means = match means {
        Means::KeepTheLock => "take the lock once, and keep it from the first access to the last",
        Means::OneAccess => {
            "do it by one read-modify-write, such as swap, fetch_add or compare_exchange, or hold a lock over it"
        }
        Means::Lock => {
            "hold a lock over it that all who access the same memory take, or let one compare_exchange decide whether it \
             happens, and start again if it does not"
        }
        Means::SameLock => "hold the same lock over each of them",
    };
    let named: Vec<String> = sections.iter().map(named).collect();
    Some(format!(
        "Make {} atomic: {means}. Then no execution of this client fails, which is verified.",
        named.join(" and ")
    ))
}

/// How a section is made atomic.
enum Means {
    /// It takes a lock several times.
    KeepTheLock,
    /// It accesses one location several times.
    OneAccess,
    /// It accesses several.
    Lock,
    /// There are several sections.
    SameLock,
}

/// What suits the accesses of a section, as far as this execution shows them. Those of functions that it calls are elsewhere.
fn means(section: &Section, execution: &ShownExecution) -> Means {
    let (Some(file), Some(first), Some(last)) = (&section.file, section.first_line, section.last_line) else {
        return Means::Lock;
    };
    let is_inside = |row: &&super::Row| {
        let operation = row.operation.and_then(|number| execution.operations.get(number));
        let is_own = operation.is_some_and(|operation| operation.name.split('(').next() == Some(&section.operation));
        is_own && row.position.as_ref().is_some_and(|at| at.file == *file && (first..=last).contains(&at.line))
    };
    let accesses: Vec<&Access> =
        execution.rows.iter().filter(is_inside).filter_map(|row| row.access.as_ref()).collect();
    let is_lock =
        |access: &&&Access| matches!(access.verb.as_str(), "lock" | "lock_shared" | "try_lock" | "try_lock_shared");
    let locations: BTreeSet<&String> = accesses.iter().filter_map(|access| access.location.as_ref()).collect();
    let locks = accesses.iter().filter(is_lock).count();
    match (locations.len(), locks) {
        (1, 2..) => Means::KeepTheLock,
        (1, 0) => Means::OneAccess,
        _ => Means::Lock,
    }
}

/// `lines 8 to 9 of src/stack.rs (pop)`
pub(crate) fn named(section: &Section) -> String {
    match (&section.file, section.first_line, section.last_line) {
        (Some(file), Some(first), Some(last)) if first == last => {
            format!("line {first} of {file} ({})", section.operation)
        }
        (Some(file), Some(first), Some(last)) => format!("lines {first} to {last} of {file} ({})", section.operation),
        _ => format!("all of {}", section.operation),
    }
}
