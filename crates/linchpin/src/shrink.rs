//! From a client that fails to the smallest one that does, each candidate explored.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin_generate::{Outcomes, admitted_by_object};
use linchpin_localize::{Answer, Minimum, Stage, minimize};
use linchpin_model::{Bound, Client, Coverage, Invocation, Object, Value};

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
pub(crate) fn explore_deeper<O: Object>(
    client: &Client,
    admitted: Outcomes,
    builder: &Builder,
    hooks: Hooks<'_>,
) -> Exploration {
    let explore = |events: usize, builder: Builder, admitted: Outcomes| {
        let builder = builder.max_events_per_thread((events * (client.len() + 2)) as u32);
        ClientTest::<O>::new(client.clone()).with(builder).explore_against(admitted, hooks)
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
pub(crate) fn shrink<O: Object>(
    client: &Client,
    failed: Exploration,
    builder: &Builder,
    interrupt: &AtomicBool,
) -> Shrunk {
    let mut smallest = failed;
    let kind = smallest.violation.as_ref().map(|violation| violation.kind.name());
    let decide = |candidate: &Client, _: Stage| {
        if interrupt.load(Relaxed) {
            return Answer::Stop;
        }
        let Ok(admitted) = admitted_by_object::<O>(candidate) else { return Answer::Unknown };
        let hooks = Hooks { interrupt: Some(interrupt), ..Hooks::default() };
        let exploration = explore_deeper::<O>(candidate, admitted, builder, hooks);
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
    let minimum = minimize(client, values::<O>, decide);
    Shrunk { minimum, exploration: smallest }
}

/// What an argument may be replaced by, the simplest first.
fn values<O: Object>(invocation: &Invocation, argument: usize) -> Vec<Value> {
    let operation = O::operations().into_iter().find(|operation| *operation.name == *invocation.operation);
    operation.map_or(Vec::new(), |operation| (operation.arguments[argument].domain)(VALUES))
}

/// Is this a failure that a smaller client may have as well? One of the test's own making is not.
pub(crate) fn can_be_shrunk(kind: &ViolationKind) -> bool {
    !matches!(kind, ViolationKind::NotDeterministic { .. } | ViolationKind::Stuck { .. })
}
