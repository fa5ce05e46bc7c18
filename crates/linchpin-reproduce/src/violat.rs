//! Violat (Emmi and Enea, CAV 2019): outcomes of Java's `ConcurrentHashMap` that no order of the operations explains, seen
//! here on the zoo's striped map.
//!
//! Figure 2 lists twelve clients, each with such an outcome. A row agrees if exploring the client under sequential consistency
//! has that outcome in some execution and no order of the invocations has it.
//!
//! Figure 4 has the five outcomes of one of the clients, in how many paths Java Pathfinder found each, and how often jcstress
//! saw it in a second. A row agrees if we have the outcome and give the same answer to whether it is atomic. The numbers are not
//! expected to agree: an execution here is a class of paths that nobody can tell apart, the map is another one, and so is the
//! machine.
//!
//! The striped map has one operation where Java has two that do the same: `values` is also `elements`, `keys` also `keySet`,
//! `size` also `mappingCount`, and `entries` is `entrySet`.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use linchpin::stress::{self, Seen};
use linchpin::{Builder, Call, ClientTest, Execution, Hooks, MemoryModel, Outcome, client};
use linchpin_zoo::objects::StripedMap;

use crate::Row;

/// A row of figure 2.
struct Claim {
    /// The method that is to blame, as it is called in Java.
    method: &'static str,
    /// The client, with our names.
    client: &'static str,
    /// The outcome as the paper prints it.
    paper: &'static str,
    /// The same as we print it.
    ours: &'static str,
}

const fn claim(method: &'static str, client: &'static str, paper: &'static str, ours: &'static str) -> Claim {
    Claim { method, client, paper, ours }
}

const FIGURE_2: [Claim; 12] = [
    claim(
        "clear",
        "{ put(0, 0); put(1, 1); put(1, 1) } || { put(0, 1); clear() }",
        "N,N,N,N,()",
        "nil, nil, nil, nil, nil",
    ),
    claim("contains", "{ put(0, 0); remove(1) } || { put(1, 0); contains(0) }", "N,0,N,F", "nil, 0, nil, false"),
    claim("containsValue", FIGURE_4, "1,F,N,N,1", "1, false, nil, nil, 1"),
    claim("elements", "{ put(0, 1); put(1, 0) } || { values() }", "N,N,[0]", "nil, nil, [0]"),
    claim("entrySet", "{ put(0, 1); put(1, 0) } || { entries() }", "N,N,[1=0]", "nil, nil, [[1, 0]]"),
    claim("isEmpty", "{ put(1, 1) } || { put(1, 2); is_empty() }", "N,1,T", "nil, 1, true"),
    claim("keySet", "{ put(0, 1); put(1, 1) } || { keys() }", "N,N,[1]", "nil, nil, [1]"),
    claim("keys", "{ keys() } || { put(0, 1); put(1, 1) }", "[1],N,N", "[1], nil, nil"),
    claim("mappingCount", "{ put(1, 0); put(1, 1); size() } || { remove(1) }", "N,N,2,0", "nil, nil, 2, 0"),
    claim("size", "{ put(1, 0); put(1, 1); size() } || { remove(1) }", "N,N,2,0", "nil, nil, 2, 0"),
    claim("toString", "{ put(0, 1); put(1, 1) } || { to_string() }", "N,N,1=1", "nil, nil, \"{1=1}\""),
    claim("values", "{ put(0, 1); put(1, 0) } || { values() }", "N,N,[0]", "nil, nil, [0]"),
];

/// The client of figure 4.
const FIGURE_4: &str = "{ get(1); contains_value(1) } || { put(1, 1); put(0, 1); put(1, 0) }";

/// The outcomes of figure 4: the paper's text and ours, whether an order explains it, paths, frequency.
const OUTCOMES: [(&str, &str, bool, u64, u64); 5] = [
    ("0, true, null, null, 1", "0, true, nil, nil, 1", true, 3, 13_287),
    ("1, false, null, null, 1", "1, false, nil, nil, 1", false, 3, 2),
    ("1, true, null, null, 1", "1, true, nil, nil, 1", true, 3, 16_417),
    ("null, false, null, null, 1", "nil, false, nil, nil, 1", true, 6, 3_638_600),
    ("null, true, null, null, 1", "nil, true, nil, nil, 1", true, 3, 9_504),
];

/// The clients of figure 2, each after the method that is to blame.
pub fn clients() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIGURE_2.iter().map(|claim| (claim.method, claim.client))
}

/// Both figures. Native threads run the client of figure 4 for so long. Ends early when `interrupt` is set: then rows are
/// missing.
pub fn reproduce(time: Duration, interrupt: &AtomicBool) -> Vec<Row> {
    let mut rows = Vec::new();
    for claim in &FIGURE_2 {
        if interrupt.load(Relaxed) {
            return rows;
        }
        rows.push(figure_2(claim));
    }
    if !interrupt.load(Relaxed) {
        rows.extend(figure_4(time, interrupt));
    }
    rows
}

fn figure_2(claim: &Claim) -> Row {
    let test = test(claim.client);
    let (seen, all) = executions(&test, claim.ours);
    let forbidden = !admits(&test, claim.ours);
    Row {
        id: format!("figure 2: {}", claim.method),
        paper: claim.paper.to_owned(),
        ours: match seen {
            0 => format!("not in any of {all} executions"),
            _ => format!("{} in {seen} of {all} executions", claim.ours),
        },
        agrees: Some(seen > 0 && forbidden),
    }
}

fn figure_4(time: Duration, interrupt: &AtomicBool) -> Vec<Row> {
    let test = test(FIGURE_4);
    let options = stress::Options { max_time: Some(time), ..stress::Options::default() };
    let stressed = test.stress(&options, stress::Hooks { interrupt: Some(interrupt), ..stress::Hooks::default() });
    let frequency = |outcome: &str| {
        let is_meant = |seen: &Seen| matches!(seen, Seen::Returned(returned) if returned.to_string() == outcome);
        stressed.frequencies.iter().find(|frequency| is_meant(&frequency.seen)).map_or(0, |frequency| frequency.count)
    };
    let atomic = |is_atomic| if is_atomic { "atomic" } else { "not atomic" };
    let mut all = 0;
    let mut rows: Vec<Row> = Vec::new();
    for (paper, ours, is_atomic, paths, times) in OUTCOMES {
        let (seen, of) = executions(&test, ours);
        all = of;
        let admitted = admits(&test, ours);
        rows.push(Row {
            id: format!("figure 4: {paper}"),
            paper: format!("{}, {}, {}", atomic(is_atomic), counted(paths, "path"), counted(times, "run")),
            ours: format!("{}, {}, {}", atomic(admitted), counted(seen, "execution"), counted(frequency(ours), "run")),
            agrees: Some(seen > 0 && admitted == is_atomic),
        });
    }
    let (paths, times) = OUTCOMES.iter().fold((0, 0), |(paths, times), row| (paths + row.3, times + row.4));
    rows.push(Row {
        id: "figure 4: all".to_owned(),
        paper: format!("{}, {}", counted(paths, "path"), counted(times, "run")),
        ours: format!("{}, {}", counted(all, "execution"), counted(stressed.runs, "run")),
        agrees: None,
    });
    rows
}

fn test(text: &str) -> ClientTest {
    // Counts all executions that have an outcome, not only the first.
    client::<StripedMap>(text).with(Builder::new().memory_model(MemoryModel::Sc).keep_going(true))
}

/// In how many executions a client has an outcome, and how many executions it has.
fn executions(test: &ClientTest, outcome: &str) -> (u64, u64) {
    // What has the outcome is called a violation, and those are counted exactly.
    let judge = |_: &Execution, calls: &[Call]| {
        let returned = Outcome(calls.iter().map(|call| call.result.clone().unwrap_or_default()).collect());
        (returned.to_string() == outcome).then(|| "this one".to_owned())
    };
    let exploration = test.explore_unjudged(Hooks { judge: &judge, ..Hooks::default() });
    (exploration.violations, exploration.complete + exploration.violations)
}

/// Does some order of the invocations have the outcome?
fn admits(test: &ClientTest, outcome: &str) -> bool {
    test.admitted().iter().any(|(admitted, _)| admitted.to_string() == outcome)
}

/// So many things, the digits in groups of three.
fn counted(number: u64, thing: &str) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    format!("{} {thing}{}", groups.join(","), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn large_numbers_have_groups_of_digits() {
        let all =
            [(1, "1 run"), (0, "0 runs"), (999, "999 runs"), (13_287, "13,287 runs"), (3_638_600, "3,638,600 runs")];
        for (number, text) in all {
            assert_eq!(counted(number, "run"), text);
        }
    }
}
