//! From a client that fails to the smallest one that does, each candidate explored.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin_generate::{Outcomes, admitted_by_object};
use linchpin_localize::{Answer, Minimum, Stage, minimize, one_against_one};
use linchpin_model::{AnyObject, Bound, Client, Coverage, Invocation, Value};

use crate::{Builder, ClientTest, Exploration, Hooks, ViolationKind};

/// So many values of each argument are tried in place of others.
const VALUES: usize = 4;

/// So many events an invocation may have on average: at first, and where that is not enough.
const EVENTS: [usize; 2] = [40, 400];

/// So many executions are looked at before it is known whether something goes round without end: that is seen early.
const GLANCE: u64 = 1_000;

/// So many executions are looked at where the first number of events is not enough. Operations that are only long have few in small clients; those
/// that go round without end have too many to wait for, and are cut even so.
const LONG_ONES: u64 = 100;

/// Explores a client, first with executions cut short early: an object that goes round in loops with effects would have the
/// engine follow it for long before it turns to anything else.
pub(crate) fn explore_deeper(
    object: AnyObject,
    client: &Client,
    admitted: Outcomes,
    builder: &Builder,
    hooks: Hooks<'_>,
) -> Exploration {
    let explore = |events: usize, builder: Builder, admitted: Outcomes| {
        let builder = builder.max_events_per_thread((events * (client.len() + 2)) as u32);
        ClientTest::new(object, client.clone()).with(builder).explore_against(admitted, hooks)
    };
    let glance = explore(EVENTS[0], builder.clone().at_most(GLANCE), admitted.clone());
    let Coverage::Bounded(bounds) = &glance.coverage else { return glance };
    if glance.violation.is_some() {
        return glance;
    }
    match bounds.iter().any(|bound| matches!(bound, Bound::EventsPerThread(_))) {
        true => explore(EVENTS[1], builder.clone().at_most(LONG_ONES), admitted),
        // Nothing is cut: there is just more of it.
        false => explore(EVENTS[0], builder.clone(), admitted),
    }
}

/// The smallest client that fails like another one, and how it fails.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The client, and what is known about smaller ones.
    pub minimum: Minimum,
    /// What its exploration found.
    pub exploration: Exploration,
}

/// Makes a client smaller that fails in this way.
pub(crate) fn shrink(
    object: AnyObject,
    client: &Client,
    failed: Exploration,
    builder: &Builder,
    interrupt: &AtomicBool,
) -> Shrunk {
    let mut smallest = failed;
    let kind = smallest.violation.as_ref().map(|violation| violation.kind.name());
    // What the proof needs to know is worth waiting for; of everything else there is more to try.
    let hurried = builder.clone().hurried();
    let mut decide = |candidate: &Client, stage: Stage| {
        if interrupt.load(Relaxed) {
            return Answer::Stop;
        }
        let Ok(admitted) = admitted_by_object(object, candidate) else { return Answer::Unknown };
        let hooks = Hooks { interrupt: Some(interrupt), ..Hooks::default() };
        let builder = if stage == Stage::Invocation { builder } else { &hurried };
        let exploration = explore_deeper(object, candidate, admitted, builder, hooks);
        match &exploration.violation {
            // Another kind of failure is another failure, and hides whether this one is there.
            Some(violation) if Some(violation.kind.name()) != kind => Answer::Unknown,
            Some(_) => {
                smallest = exploration;
                Answer::Fails
            }
            None if exploration.coverage.is_complete() => Answer::Holds,
            None if interrupt.load(Relaxed) => Answer::Stop,
            None => Answer::Unknown,
        }
    };
    let mut minimum = minimize(client, |invocation, argument| values(object, invocation, argument), &mut decide);
    // Nothing can be taken away, but something else may be smaller.
    let size = |client: &Client| client.threads.iter().map(Vec::len).sum::<usize>();
    if size(&minimum.client) > 2 {
        let setup = minimum.client.setup.clone();
        for candidate in one_against_one(&setup, &invocations(object, &minimum.client)) {
            minimum.decided += 1;
            match decide(&candidate, Stage::Pair) {
                Answer::Fails => {
                    let pair =
                        minimize(&candidate, |invocation, argument| values(object, invocation, argument), &mut decide);
                    minimum = Minimum { decided: minimum.decided + pair.decided, ..pair };
                    break;
                }
                Answer::Holds => {}
                Answer::Unknown => minimum.undecided += 1,
                Answer::Stop => break,
            }
        }
    }
    Shrunk { minimum, exploration: smallest }
}

/// Some invocations of each operation: as many as it takes for two that are not about the same. If those are many, only what the
/// client has.
fn invocations(object: AnyObject, client: &Client) -> Vec<Invocation> {
    const MANY: usize = 12;
    let mut invocations = Vec::new();
    for operation in object.operations() {
        let mut arguments = vec![Vec::new()];
        for argument in &operation.arguments {
            let values = (argument.domain)(2);
            let with = |before: &Vec<Value>| -> Vec<Vec<Value>> {
                values.iter().map(|value| [&before[..], std::slice::from_ref(value)].concat()).collect()
            };
            arguments = arguments.iter().flat_map(with).collect();
        }
        let name = operation.name;
        invocations.extend(arguments.into_iter().map(|arguments| Invocation { operation: name.into(), arguments }));
    }
    if invocations.len() > MANY {
        invocations = client.invocations().cloned().collect();
        invocations.sort();
        invocations.dedup();
    }
    invocations
}

/// What an argument may be replaced by, the simplest first.
fn values(object: AnyObject, invocation: &Invocation, argument: usize) -> Vec<Value> {
    let operation = object.operations().into_iter().find(|operation| *operation.name == *invocation.operation);
    operation.map_or(Vec::new(), |operation| (operation.arguments[argument].domain)(VALUES))
}

/// Is this a failure that a smaller client may have as well? One of the test's own making is not.
pub(crate) fn can_be_shrunk(kind: &ViolationKind) -> bool {
    !matches!(kind, ViolationKind::NotDeterministic { .. } | ViolationKind::Stuck { .. })
}
