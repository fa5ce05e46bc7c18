//! Ou and Demsky, *Checking Concurrent Data Structures Under the C/C++11 Memory Model* (PPoPP 2017), section 6.
//!
//! - Figure 7: the ten structures pass, with how many executions and in what time. Counts are not comparable: the paper's
//!   explores some executions several times, and its unit tests are not all known.
//! - Figure 8: 57 injections, each one order of one access weakened by one step; how many are detected, and by what.
//! - Section 6.4.1: three known bugs. Section 6.4.3: an exchange that is stronger than it has to be.
//!
//! An injection that no test detects has been explored to its end in all of them; [`Injection::outcome`] says so.

mod figure;
mod injection;

use std::time::{Duration, Instant};

use linchpin::audit::Need;
use linchpin::{Builder, Detection, Suite, contract};
use linchpin_zoo::cds::{self, Structure};

pub use figure::{FIGURE_7, FIGURE_8};
pub use injection::{Injection, Outcome, injections};

use crate::Row;

/// What came of running a structure's tests.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The structure.
    pub name: &'static str,
    /// Executions in which all threads ended, in all tests.
    pub complete: u64,
    /// Executions that were given up.
    pub blocked: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// What is wrong, if anything is.
    pub detection: Option<Detection>,
    /// Was everything explored?
    pub is_complete: bool,
}

/// Runs the tests of a structure.
pub fn run(structure: &Structure, builder: &Builder) -> Passed {
    let start = Instant::now();
    let mut passed = Passed {
        name: structure.name,
        complete: 0,
        blocked: 0,
        elapsed: Duration::ZERO,
        detection: None,
        is_complete: true,
    };
    for test in structure.tests {
        let (check, detection) = contract((structure.contract)()).with(builder.clone()).classify(test.run);
        passed.complete += check.exploration.complete;
        passed.blocked += check.exploration.blocked;
        passed.is_complete &= check.exploration.coverage.is_complete();
        passed.detection = passed.detection.or(detection);
    }
    passed.elapsed = start.elapsed();
    passed
}

/// The tests of a structure, for questions about its orders.
pub fn suite(structure: &Structure, builder: &Builder) -> Suite {
    let suite = Suite::new().with(builder.clone()).contract((structure.contract)());
    structure.tests.iter().fold(suite, |suite, test| suite.test(test.name, test.run))
}

/// A structure with its injections and what comes of them.
pub type Tried = (Structure, Vec<(Injection, Outcome)>);

/// Runs the tests of all structures with all injections.
pub fn try_injections(builder: &Builder) -> Vec<Tried> {
    let of = |structure: Structure| {
        let tried = injections(&structure, builder).into_iter().map(|injection| {
            let outcome = injection.outcome(&structure, builder);
            (injection, outcome)
        });
        let tried = tried.collect();
        (structure, tried)
    };
    cds::structures().into_iter().map(of).collect()
}

/// All rows: both figures, the known bugs, the overly strong exchange, and what audit and repair make of the injections.
pub fn rows(builder: &Builder) -> Vec<Row> {
    let mut rows = figure_7(builder);
    let tried = try_injections(builder);
    rows.extend(figure_8(&tried));
    rows.push(lines());
    rows.extend(known_bugs(builder));
    rows.push(overly_strong(builder));
    rows.extend(audits(&tried, builder));
    rows.extend(repairs(&tried, builder));
    rows
}

/// Section 6.2: lines of specification.
pub fn lines() -> Row {
    let lines: Vec<usize> = cds::structures().iter().map(Structure::specification_lines).collect();
    let average = lines.iter().sum::<usize>() as f64 / lines.len() as f64;
    Row {
        id: "6.2: lines of specification".into(),
        paper: "11.5 on average".into(),
        ours: format!("{average:.1} on average"),
        agrees: None,
    }
}

/// Does the audit of each structure need exactly those orders whose injections are detected?
pub fn audits(tried: &[Tried], builder: &Builder) -> Vec<Row> {
    let row = |(structure, tried): &Tried| {
        let audit = suite(structure, builder).audit();
        let agrees = |(injection, outcome): &&(Injection, Outcome)| {
            let is_detected = matches!(outcome, Outcome::Detected { .. });
            let is_it = |row: &&linchpin::audit::Row| {
                injection.access.as_ref() == Some(&row.access) && row.weakened == injection.weakened
            };
            audit.rows.iter().find(is_it).is_some_and(|row| matches!(row.need, Need::Needed(_)) == is_detected)
        };
        let agreeing = tried.iter().filter(agrees).count();
        Row {
            id: format!("audit: {}", structure.name),
            paper: String::new(),
            ours: format!("{agreeing} of {} rows as in figure 8", tried.len()),
            agrees: Some(agreeing == tried.len()),
        }
    };
    tried.iter().map(row).collect()
}

/// Can each detected injection be repaired?
pub fn repairs(tried: &[Tried], builder: &Builder) -> Vec<Row> {
    let row = |(structure, tried): &Tried| {
        let detected = tried.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Detected { .. }));
        let found: Vec<Option<usize>> = detected
            .map(|(injection, _)| {
                let found = suite(structure, builder).orders(injection.orders()?).repair(1)?;
                Some(found.repairs.first()?.changes.len())
            })
            .collect();
        let repaired = found.iter().flatten().count();
        let most = found.iter().flatten().max().copied().unwrap_or(0);
        let changes = if most == 1 { "1 change".to_owned() } else { format!("up to {most} changes") };
        Row {
            id: format!("repair: {}", structure.name),
            paper: String::new(),
            ours: format!("{repaired} of {}, each by {changes}", found.len()),
            agrees: Some(repaired == found.len()),
        }
    };
    tried.iter().map(row).collect()
}

/// Figure 7: executions and times.
pub fn figure_7(builder: &Builder) -> Vec<Row> {
    let row = |(structure, paper): (Structure, &figure::Cost)| {
        let passed = run(&structure, builder);
        let verdict = match (&passed.detection, passed.is_complete) {
            (Some(found), _) => format!("fails: {found:?}"),
            (None, true) => "passes".to_owned(),
            (None, false) => "undecided".to_owned(),
        };
        let seconds = passed.elapsed.as_secs_f64();
        Row {
            id: format!("figure 7: {}", structure.name),
            paper: format!(
                "passes, {} executions, {} feasible, {:.2} s",
                paper.executions, paper.feasible, paper.seconds
            ),
            ours: format!("{verdict}, {} executions, {} blocked, {seconds:.3} s", passed.complete, passed.blocked),
            agrees: Some(verdict == "passes"),
        }
    };
    cds::structures().into_iter().zip(&FIGURE_7).map(row).collect()
}

/// Figure 8: injections by structure and kind of detection, one row per structure and one per injection that nothing detects.
pub fn figure_8(tried: &[Tried]) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut all, mut detected) = (0, 0);
    for ((structure, outcomes), paper) in tried.iter().zip(&FIGURE_8) {
        let count = |kind: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| kind(outcome)).count();
        let ours = figure::Detections {
            injections: outcomes.len(),
            built_in: count(|outcome| matches!(outcome, Outcome::Detected { by: Detection::BuiltIn(_), .. })),
            admissibility: count(|outcome| {
                matches!(outcome, Outcome::Detected { by: Detection::Admissibility(_), .. })
            }),
            assertion: count(|outcome| matches!(outcome, Outcome::Detected { by: Detection::Assertion(_), .. })),
        };
        all += ours.injections;
        detected += ours.detected();
        rows.push(Row {
            id: format!("figure 8: {}", structure.name),
            paper: paper.to_string(),
            ours: ours.to_string(),
            agrees: Some(ours.injections == paper.injections && ours.detected() >= paper.detected()),
        });
        for (injection, outcome) in outcomes.iter().filter(|(_, outcome)| !matches!(outcome, Outcome::Detected { .. }))
        {
            rows.push(Row {
                id: format!("  {injection}"),
                paper: String::new(),
                ours: outcome.to_string(),
                agrees: None,
            });
        }
    }
    rows.push(Row {
        id: "figure 8: total".into(),
        paper: "53 of 57".into(),
        ours: format!("{detected} of {all}"),
        agrees: Some(all == 57 && detected >= 53),
    });
    rows
}

/// Section 6.4.1: the known bugs.
pub fn known_bugs(builder: &Builder) -> Vec<Row> {
    let row = |structure: Structure| {
        let detection = run(&structure, builder).detection;
        let (ours, found) = detection.map_or(("not found".to_owned(), false), |found| (injection::tell(&found), true));
        Row { id: format!("6.4.1: {}", structure.name), paper: "found".into(), ours, agrees: Some(found) }
    };
    cds::known_bugs().into_iter().map(row).collect()
}

/// Section 6.4.3: the exchange in `take` of the published deque.
pub fn overly_strong(builder: &Builder) -> Row {
    let structure = cds::overly_strong();
    let audit = suite(&structure, builder).audit();
    let line = injection::line_of(&structure, "self.top.compare_exchange(top, top + 1, order").unwrap_or_default();
    let mut of_exchange = audit.rows.iter().filter(|row| row.access.place.line == line);
    let need = of_exchange.find(|row| row.access.order == linchpin::Order::SeqCst).map(|row| &row.need);
    Row {
        id: "6.4.3: the exchange of take".into(),
        paper: "need not be SeqCst; Relaxed will do".into(),
        ours: match need {
            Some(Need::NotNeeded(weakest)) => format!("not needed by these tests; {weakest:?} will do"),
            Some(Need::Needed(failure)) => format!("needed: {}", failure.what),
            Some(other) => format!("{other:?}"),
            None => "not reached".into(),
        },
        agrees: Some(matches!(need, Some(Need::NotNeeded(linchpin::Order::Relaxed)))),
    }
}
