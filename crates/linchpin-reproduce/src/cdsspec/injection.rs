//! Injections: one order of one access, weakened by one step.

use std::fmt;

use linchpin::audit::{Access, Half, weaker};
use linchpin::{Builder, Change, Detection, Order, Orders, contract};
use linchpin_zoo::cds::Structure;

/// One order of one access, weakened by one step.
#[derive(Clone, Debug)]
pub struct Injection {
    /// The structure.
    pub structure: &'static str,
    /// Its number, as the comment in the source has it.
    pub number: u32,
    /// The access, if the tests reach it.
    pub access: Option<Access>,
    /// The order that it gets.
    pub weakened: Order,
}

/// What came of an injection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A test fails.
    Detected {
        /// The test.
        test: &'static str,
        /// How it fails.
        by: Detection,
    },
    /// No test fails, and all were explored to their end: so many executions, complete and blocked.
    Undetected(u64, u64),
    /// No test fails, but a budget ran out.
    Undecided,
    /// No test gets there.
    Unreached,
}

/// The injections of a structure: what comments such as `#3` mark in its source, by number.
pub fn injections(structure: &Structure, builder: &Builder) -> Vec<Injection> {
    let accesses = super::suite(structure, builder).accesses();
    let mut found = Vec::new();
    for (line, text) in (1..).zip(structure.source.lines()) {
        let is_marked = |access: &&Access| {
            let is_here = access.place.line == line && access.place.file == structure.file;
            is_here && access.half == Half::Success && access.order != Order::Relaxed
        };
        let access = accesses.iter().find(is_marked);
        for (at, number) in numbers(text).into_iter().enumerate() {
            let weakened = access.and_then(|access| weaker(access, access.order).get(at).copied());
            let weakened = weakened.unwrap_or(Order::Relaxed);
            found.push(Injection { structure: structure.name, number, access: access.cloned(), weakened });
        }
    }
    found.sort_by_key(|injection| injection.number);
    found
}

/// The numbers in a comment such as `// #1 #2` at the end of a line, or `/* #1 #2 */` in it.
fn numbers(line: &str) -> Vec<u32> {
    let comment = line.split_once("/* ").or_else(|| line.split_once("// ")).map_or("", |(_, comment)| comment);
    comment
        .split_whitespace()
        .map_while(|word| word.strip_prefix('#'))
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// The line of the source that has this text.
pub(super) fn line_of(structure: &Structure, text: &str) -> Option<u32> {
    (1..).zip(structure.source.lines()).find(|(_, line)| line.contains(text)).map(|(number, _)| number)
}

impl Injection {
    /// The memory orders with this injection.
    pub fn orders(&self) -> Option<Orders> {
        let access = self.access.as_ref()?;
        let mut change = access.with_order(self.weakened);
        // In C++ the order of a failing exchange follows from the other.
        if !self.weakened.acquires() && access.place.verb == linchpin::Verb::CompareExchange {
            change = Change { failure: Some(Order::Relaxed), ..change };
        }
        Some(Orders::default().with(&access.place, change))
    }

    /// Runs the tests of its structure with it.
    pub fn outcome(&self, structure: &Structure, builder: &Builder) -> Outcome {
        let Some(orders) = self.orders() else { return Outcome::Unreached };
        let builder = builder.clone().orders(orders);
        let (mut complete, mut blocked, mut decided) = (0, 0, true);
        let mut detected: Option<Outcome> = None;
        for test in structure.tests {
            let (check, by) = contract((structure.contract)()).with(builder.clone()).classify(test.run);
            complete += check.exploration.complete;
            blocked += check.exploration.blocked;
            decided &= by.is_some() || check.exploration.coverage.is_complete();
            // What needs no contract counts first.
            let is_better = match (&detected, &by) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(Outcome::Detected { by: known, .. }), Some(by)) => rank(by) < rank(known),
                (Some(_), Some(_)) => false,
            };
            if let (true, Some(by)) = (is_better, by) {
                let is_best = rank(&by) == 0;
                detected = Some(Outcome::Detected { test: test.name, by });
                if is_best {
                    break;
                }
            }
        }
        match (detected, decided) {
            (Some(outcome), _) => outcome,
            (None, true) => Outcome::Undetected(complete, blocked),
            (None, false) => Outcome::Undecided,
        }
    }
}

fn rank(detection: &Detection) -> u8 {
    match detection {
        Detection::BuiltIn(_) => 0,
        Detection::Admissibility(_) => 1,
        Detection::Assertion(_) => 2,
    }
}

/// A detection in a few words.
pub(super) fn tell(detection: &Detection) -> String {
    match detection {
        Detection::BuiltIn(what) => format!("built-in: {what}"),
        Detection::Admissibility(what) => format!("admissibility: {what}"),
        Detection::Assertion(what) => format!("assertion: {what}"),
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.access {
            Some(access) => write!(f, "{} #{}: {:?} → {:?}", self.structure, self.number, access.order, self.weakened),
            None => write!(f, "{} #{}", self.structure, self.number),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Detected { test, by } => write!(f, "{} in {test}", tell(by)),
            Outcome::Undetected(complete, blocked) => {
                write!(f, "no test fails: {complete} executions and {blocked} blocked, coverage complete")
            }
            Outcome::Undecided => f.write_str("undecided: a budget ran out"),
            Outcome::Unreached => f.write_str("no test gets there"),
        }
    }
}
