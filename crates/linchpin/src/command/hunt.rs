//! Long runs of an object until one is wrong, and the smallest client that fails like it.

use linchpin_model::{AnyObject, MemoryModel};
use linchpin_report::report::{Covered, Extent};
use serde::Serialize;

use super::known::{Keep, Known};
use super::{About, Answer, Exit, HuntRequest, Session, choice};
use crate::{Builder, ClientTest, Hunt, Scheduler, Settings};

pub(super) fn answer(
    object: AnyObject,
    about: &About<'_>,
    request: &HuntRequest,
    session: &Session<'_>,
) -> Result<Answer, String> {
    check(request)?;
    let builder = builder(request);
    let tell = |done: Option<f64>, what: &str| (session.progress)(done, &format!("hunting {}: {what}", about.name));
    let hunted = hunting(object, request, &builder).explore_telling(session.interrupt, &tell);
    if hunted.detected.is_some() {
        (session.progress)(None, "looking for the cause");
    }
    let bound =
        if hunted.is_interrupted { "an interrupt".to_owned() } else { format!("{} histories", hunted.histories) };
    let known = Known {
        exit: if hunted.detected.is_some() { Exit::Violation } else { Exit::Undecided },
        text: format!("{about}\n{hunted}\n"),
        covered: Covered { coverage: Extent::Bounded, bounded_by: vec![bound] },
        seconds: hunted.phases.seconds().into(),
        found: hunted.found(object, &builder, session.interrupt),
        details: Details {
            histories: hunted.histories,
            message: hunted.detected.as_ref().map(|detected| detected.message.clone()),
        },
    };
    let mut answer = known.answer(about, &Keep::ByName);
    if request.emit_test {
        answer.test = hunted.shrunk.as_ref().map(|shrunk| {
            let test = ClientTest::new(object, shrunk.minimum.client.clone());
            test.emit_test(about.imports).map_err(|error| error.to_string())
        });
    }
    Ok(answer)
}

/// An option that makes no difference is a mistake: in the option, or in the choice of the scheduler.
fn check(request: &HuntRequest) -> Result<(), String> {
    use choice::Scheduler::{DPct, Native, Random};
    if request.one_operation && request.scheduler != DPct {
        return Err("--one-operation goes with --scheduler d-pct: only that runs a few operations at a time".to_owned());
    }
    if request.depth.is_some() && matches!(request.scheduler, Native | Random) {
        return Err("--depth goes with --scheduler pct or d-pct: native threads and random walks have none".to_owned());
    }
    Ok(())
}

/// What `--json` prints besides.
#[derive(Serialize)]
struct Details {
    histories: usize,
    /// What is wrong with the history of the long run.
    message: Option<String>,
}

/// Long runs have so many places where priorities change, unless told otherwise.
const DEPTH: u32 = 4;

fn hunting(object: AnyObject, request: &HuntRequest, builder: &Builder) -> Hunt {
    let depth = request.depth.unwrap_or(DEPTH);
    let scheduler = match request.scheduler {
        choice::Scheduler::Native => Scheduler::Native,
        choice::Scheduler::Random => Scheduler::Random,
        choice::Scheduler::Pct => Scheduler::Pct { depth },
        choice::Scheduler::DPct => Scheduler::DPct { depth },
    };
    let mut hunt = Hunt::of(object).with(builder.clone()).scheduler(scheduler).one_operation(request.one_operation);
    if let Some(threads) = request.threads {
        hunt = hunt.threads(threads);
    }
    if let Some(operations) = request.operations {
        hunt = hunt.operations(operations);
    }
    if let Some(histories) = request.histories {
        hunt = hunt.histories(histories);
    }
    if let Some(values) = request.values {
        hunt = hunt.values(values);
    }
    if let Some(seed) = request.seed {
        hunt = hunt.seed(seed);
    }
    hunt
}

/// Where clients are explored.
fn builder(request: &HuntRequest) -> Builder {
    let set = Settings::here().model.unwrap_or(MemoryModel::Sc);
    Builder::new().memory_model(request.model.map_or(set, Into::into))
}
