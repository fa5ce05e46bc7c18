//! Random schedules.

use std::sync::atomic::AtomicBool;

use linchpin::{Builder, ClientTest, Object, Progress, Reuse, Sampling, SamplingHooks, Strategy, report};
use linchpin_zoo::Entry;

use super::answer::{Answer, Finding, Report, heading};
use crate::arguments::{self, Client};
use crate::progress;

/// Faults have so many ordering constraints, unless told otherwise.
const DEPTH: u32 = 3;

pub(super) fn answer<O: Object>(
    entry: &Entry,
    test: &ClientTest<O>,
    options: &Client,
    interrupt: &AtomicBool,
) -> Answer {
    let test = test.clone().with(builder(options));
    let bar = progress::bar("sampling".into());
    let on_progress = |now: &Progress| {
        let rate = now.complete as f64 / now.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        progress::update(&bar, now.done, format!("{} runs, {rate:.0} per second", now.complete));
    };
    let hooks = SamplingHooks { progress: &on_progress, interrupt: Some(interrupt), ..SamplingHooks::default() };
    let sampled = test.sample_with(&sampling(options), hooks);
    bar.finish_and_clear();

    let mut report = Report::of(entry, test.client(), options);
    let exit = report.conclude(sampled.found.is_some(), &sampled.coverage);
    report.runs = sampled.runs;
    report.seconds = sampled.elapsed.as_secs_f64();
    report.seed = Some(sampled.seed);
    report.violation =
        sampled.found.as_ref().map(|found| Finding { run: Some(found.run), ..Finding::of(&found.violation) });

    let mut text = format!("{}\n{}\n", heading(entry, test.client()), report::sampled(&sampled));
    if let Some(finding) = &report.violation {
        text.push_str(&format!("\n{}\nThe same command finds it again: all follows from the seed.\n", finding.report));
    }
    Answer { exit, text, report, replay: sampled.found.map(|found| found.replay) }
}

fn builder(options: &Client) -> Builder {
    // Who asks for addresses that come again is after what an old pointer does then, and that is a use after free first.
    let may_reuse = matches!(options.reuse, Some(arguments::Reuse::Lifo | arguments::Reuse::Fifo));
    let builder = Builder::new().use_after_free(!may_reuse);
    match options.budget.time_limit {
        Some(limit) => builder.max_time(limit),
        None => builder,
    }
}

fn sampling(options: &Client) -> Sampling {
    let usual = Sampling::default();
    let depth = options.depth.unwrap_or(DEPTH);
    Sampling {
        strategy: match options.strategy {
            None | Some(arguments::Strategy::Random) => Strategy::Random,
            Some(arguments::Strategy::Pct) => Strategy::Pct { depth, steps: None },
            Some(arguments::Strategy::DPct) => Strategy::DPct { depth, structures: None },
        },
        runs: options.budget.runs.unwrap_or(usual.runs),
        seed: options.seed.unwrap_or(usual.seed),
        reuse: match options.reuse {
            None | Some(arguments::Reuse::Never) => Reuse::Never,
            Some(arguments::Reuse::Lifo) => Reuse::Lifo,
            Some(arguments::Reuse::Fifo) => Reuse::Fifo,
        },
    }
}
