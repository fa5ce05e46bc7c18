//! Random schedules per second, next to shuttle's, on the same programs, each tool on one core.
//!
//! Tools take turns in short spans, so that a noisy neighbour disturbs all of them; what counts is the median span.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use crate::arguments::Clients;
use crate::measurement::median;
use crate::programs::Program;
use crate::progress;
use crate::text::{Lean, Table, rounded};
use crate::tools::{Sampler, schedules};

/// How many spans each tool gets on each program.
const SPANS: u32 = 5;

const PROGRAMS: &[(&str, Program)] = &[
    ("fetch_add 3×2", Program::FetchAdd { threads: 3, rounds: 2 }),
    ("counter 3×1", Program::Counter { threads: 3 }),
    ("mutex 3×2", Program::Lock { threads: 3, rounds: 2 }),
    ("Treiber 2×2", Program::Treiber { threads: 2, rounds: 2 }),
    ("Treiber 3×20", Program::Treiber { threads: 3, rounds: 20 }),
    ("M&S 2×2", Program::MichaelScott { threads: 2, rounds: 2 }),
    ("M&S 3×20", Program::MichaelScott { threads: 3, rounds: 20 }),
];

/// A program and how many of its schedules each tool runs in a second.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    program: &'static str,
    per_second: Vec<(Sampler, f64)>,
}

impl Row {
    fn of(&self, sampler: Sampler) -> f64 {
        self.per_second.iter().find(|(of, _)| *of == sampler).expect("each is measured").1
    }
}

/// Measures the rows that are asked for.
pub(super) fn measure(options: &Clients) -> Vec<Row> {
    let wanted = PROGRAMS.iter().filter(|(name, _)| options.wants(name) || options.wants("sampling"));
    wanted.map(|&(name, program)| measure_program(name, program, options.budget)).collect()
}

fn measure_program(name: &'static str, program: Program, budget: Duration) -> Row {
    let mut spans = Sampler::ALL.map(|sampler| (sampler, Vec::new()));
    for span in 0..SPANS {
        for (sampler, rates) in &mut spans {
            progress::begin(format_args!("sampling {name}: {}, {} of {SPANS}", sampler.name(), span + 1));
            rates.push(schedules(*sampler, program, budget / SPANS));
        }
    }
    let per_second = spans.into_iter().map(|(sampler, mut rates)| (sampler, median(&mut rates))).collect();
    Row { program: name, per_second }
}

/// The rows as a table.
pub(super) fn render(rows: &[Row]) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let mut table = Table::new(&[
        ("program", Lean::Left),
        ("linchpin random", Lean::Right),
        ("shuttle random", Lean::Right),
        ("ratio", Lean::Right),
        ("linchpin PCT", Lean::Right),
        ("linchpin D-PCT", Lean::Right),
        ("shuttle PCT", Lean::Right),
        ("PCT ratio", Lean::Right),
        ("D-PCT ratio", Lean::Right),
    ]);
    for row in rows {
        let of = |sampler| rounded(row.of(sampler));
        let ratio = |ours, theirs| format!("{}×", rounded(row.of(ours) / row.of(theirs)));
        table.push([
            row.program.into(),
            of(Sampler::LinchpinRandom),
            of(Sampler::ShuttleRandom),
            ratio(Sampler::LinchpinRandom, Sampler::ShuttleRandom),
            of(Sampler::LinchpinPct),
            of(Sampler::LinchpinDPct),
            of(Sampler::ShuttlePct),
            ratio(Sampler::LinchpinPct, Sampler::ShuttlePct),
            ratio(Sampler::LinchpinDPct, Sampler::ShuttlePct),
        ]);
    }
    let _ = writeln!(text, "Sampling: schedules per second on one core (PCT of depth 3)\n\n{}", table.render());
    text
}
