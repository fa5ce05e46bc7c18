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

#[cfg(test)]
mod tests {
    use super::super::{Candidate, Covered, Operation, Position, Row};
    use super::*;

    /// A verified cause of these lines of `pop`.
    fn explained(lines: &[(u32, u32)]) -> Explained {
        let section = |&(first, last): &(u32, u32)| Section {
            operation: "pop".into(),
            file: Some("stack.rs".into()),
            first_line: Some(first),
            last_line: Some(last),
        };
        Explained {
            cause: Candidate { sections: lines.iter().map(section).collect(), disables: 0 },
            verification: Verified::Yes,
            violating: 1,
            left: 0,
            linearizable: 1,
            is_cheapest: true,
            calls: Vec::new(),
            rankings: Vec::new(),
            weak: None,
            otherwise: 0,
            covered: Covered::default(),
            races: None,
        }
    }

    /// A `pop(7)` that does these things to these locations, one per line from line 1 on.
    fn execution(accesses: &[(&str, &str)]) -> ShownExecution {
        let row = |((verb, location), line): (&(&str, &str), u32)| Row {
            operation: Some(0),
            position: Some(Position { file: "stack.rs".into(), line, column: None }),
            access: Some(Access { verb: (*verb).into(), location: Some((*location).into()), ..Access::default() }),
            ..Row::default()
        };
        ShownExecution {
            rows: accesses.iter().zip(1..).map(row).collect(),
            operations: vec![Operation { name: "pop(7)".into(), ..Operation::default() }],
            ..ShownExecution::default()
        }
    }

    #[track_caller]
    fn check(lines: &[(u32, u32)], accesses: &[(&str, &str)], expected: &str) {
        let advice = advice(&explained(lines), Some(&execution(accesses))).unwrap();
        assert!(advice.starts_with("Make line") && advice.contains(expected), "{advice}");
    }

    #[test]
    fn what_is_locked_twice_is_to_stay_locked() {
        let twice = [("lock", "A"), ("unlock", "A"), ("lock", "A"), ("unlock", "A")];
        check(&[(1, 4)], &twice, "lines 1 to 4 of stack.rs (pop) atomic: take the lock once");
        // The second lock is not part of it.
        check(&[(1, 2)], &twice, "hold a lock over it");
    }

    #[test]
    fn two_accesses_to_one_location_are_to_be_one() {
        check(&[(1, 2)], &[("load", "A"), ("store", "A")], "by one read-modify-write");
        check(&[(1, 2)], &[("load", "A"), ("store", "B")], "hold a lock over it");
        check(
            &[(1, 1)],
            &[("load", "A"), ("store", "B")],
            "line 1 of stack.rs (pop) atomic: do it by one read-modify-write",
        );
    }

    #[test]
    fn several_sections_take_the_same_lock() {
        check(
            &[(1, 1), (2, 2)],
            &[("load", "A"), ("store", "A")],
            "line 1 of stack.rs (pop) and line 2 of stack.rs (pop)",
        );
        check(&[(1, 1), (2, 2)], &[("load", "A"), ("store", "A")], "hold the same lock over each of them");
    }

    #[test]
    fn other_operations_and_files_do_not_count() {
        let mut other = execution(&[("load", "A"), ("store", "B")]);
        other.rows[1].position.as_mut().unwrap().file = "other.rs".into();
        assert!(advice(&explained(&[(1, 2)]), Some(&other)).unwrap().contains("read-modify-write"));
        other.operations[0].name = "pops(7)".into();
        assert!(advice(&explained(&[(1, 2)]), Some(&other)).unwrap().contains("hold a lock over it"));
    }

    #[test]
    fn what_is_not_verified_is_not_advised() {
        for verification in [Verified::NothingFails, Verified::WithinBounds, Verified::Partly] {
            assert_eq!(advice(&Explained { verification, ..explained(&[(1, 2)]) }, None), None);
        }
        assert_eq!(advice(&explained(&[]), None), None);
        assert!(advice(&explained(&[(1, 2)]), None).is_some());
    }
}
