//! Random schedules.

use super::answer::{Details, exit, heading, keep};
use crate::command::known::Known;
use crate::command::{self, About, Answer, ClientRequest, Session};
use crate::reports::Found;
use crate::{Builder, ClientTest, Progress, Reuse, Sampling, SamplingHooks, Settings, Strategy, report};

/// Faults have so many ordering constraints, unless told otherwise.
const DEPTH: u32 = 3;

pub(super) fn answer(about: &About<'_>, test: &ClientTest, request: &ClientRequest, session: &Session<'_>) -> Answer {
    let test = test.clone().with(builder(request));
    let on_progress = |now: &Progress| {
        let rate = now.complete as f64 / now.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        (session.progress)(Some(now.done), &format!("{} runs, {rate:.0} per second", now.complete));
    };
    let interrupt = Some(session.interrupt);
    let hooks = SamplingHooks { progress: &on_progress, interrupt, ..SamplingHooks::default() };
    let sampled = test.sample_with(&sampling(request), hooks);

    let known = Known {
        exit: exit(sampled.found.is_some(), &sampled.coverage),
        text: format!("{}\n{}\n", heading(about, test.client()), report::sampled(&sampled)),
        covered: (&sampled.coverage).into(),
        seconds: [("sampling".to_owned(), sampled.elapsed.as_secs_f64())].into(),
        found: sampled.found.as_ref().map(|found| {
            let mut report = test.reported(&found.violation).sampled(&sampled);
            report.next.push("The same command finds it again: all follows from the seed.".to_owned());
            Found::of(report, found.replay.clone())
        }),
        details: Details {
            runs: sampled.runs,
            seed: Some(sampled.seed),
            run: sampled.found.as_ref().map(|found| found.run),
            ..Details::of(test.client(), request)
        },
    };
    known.answer(about, &keep(request))
}

fn builder(request: &ClientRequest) -> Builder {
    // Who asks for addresses that come again is after what an old pointer does then, and that is a use after free first.
    let may_reuse = matches!(request.reuse, Some(command::Reuse::Lifo | command::Reuse::Fifo));
    let builder = Builder::new().use_after_free(!may_reuse);
    match request.time_limit {
        Some(limit) => builder.max_time(limit),
        None => builder,
    }
}

fn sampling(request: &ClientRequest) -> Sampling {
    let usual = Sampling::default();
    let depth = request.depth.unwrap_or(DEPTH);
    Sampling {
        strategy: match request.strategy {
            None | Some(command::Strategy::Random) => Strategy::Random,
            Some(command::Strategy::Pct) => Strategy::Pct { depth, steps: None },
            Some(command::Strategy::DPct) => Strategy::DPct { depth, structures: None },
        },
        runs: request.runs.unwrap_or(usual.runs),
        seed: request.seed.or(Settings::here().seed).unwrap_or(usual.seed),
        reuse: match request.reuse {
            None | Some(command::Reuse::Never) => Reuse::Never,
            Some(command::Reuse::Lifo) => Reuse::Lifo,
            Some(command::Reuse::Fifo) => Reuse::Fifo,
        },
    }
}
