//! One client of an object, tried by one of three means.

mod answer;
mod explore;
mod guard;
mod sample;
mod stress;

use linchpin_model::AnyObject;

use super::{About, Answer, ClientRequest, Session, Strategy, Tester};
use crate::ClientTest;
use crate::reports::alone;

pub(super) fn answer(
    object: AnyObject,
    about: &About<'_>,
    request: &ClientRequest,
    session: &Session<'_>,
) -> Result<Answer, String> {
    usage(request)?;
    let test = ClientTest::of(object, &request.client).map_err(|error| error.to_string())?;
    let mut answer = tried(about, &test, request, session);
    answer.test = request.emit_test.then(|| test.emit_test(about.imports).map_err(|error| error.to_string()));
    Ok(answer)
}

/// Does each option go with the tester?
fn usage(request: &ClientRequest) -> Result<(), String> {
    let has_depth = matches!(request.strategy, Some(Strategy::Pct | Strategy::DPct));
    let for_sampling = [
        ("--strategy", request.strategy.is_some()),
        ("--depth", request.depth.is_some()),
        ("--reuse", request.reuse.is_some()),
        ("--seed", request.seed.is_some()),
    ];
    if request.model.is_some() && request.tester != Tester::Explore {
        return Err(
            "--model goes with --tester explore: sampling is sequentially consistent, and native threads are what \
                    they are"
                .into(),
        );
    }
    if request.save_replay.is_some() && request.tester == Tester::Stress {
        return Err(
            "--save-replay goes with --tester explore or sample: what native threads do cannot be run again".into()
        );
    }
    if let Some((option, _)) = for_sampling.iter().find(|(_, is_given)| *is_given && request.tester != Tester::Sample) {
        return Err(format!("{option} goes with --tester sample: nothing else chooses schedules at random"));
    }
    match request.depth {
        Some(_) if !has_depth => Err("--depth goes with --strategy pct or d-pct: a random walk has none".into()),
        _ => Ok(()),
    }
}

/// Tries the client, after a look at what it does in one thread.
fn tried(about: &About<'_>, test: &ClientTest, request: &ClientRequest, session: &Session<'_>) -> Answer {
    let wrong = guard::quietly(|| test.wrong_alone())
        .unwrap_or_else(|panic| Some(alone::panic(test.object, &panic).of_client(test.object.name(), test.client())));
    if let Some(report) = wrong {
        return answer::alone(about, test.client(), request, report);
    }
    match request.tester {
        Tester::Explore => explore::answer(about, test, request, session),
        Tester::Sample => sample::answer(about, test, request, session),
        Tester::Stress => stress::answer(about, test, request, session),
    }
}
