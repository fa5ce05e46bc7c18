//! From a client that fails to the smallest one that does, each candidate explored.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use linchpin_generate::admitted_by_object;
use linchpin_localize::{Answer, Minimum, Stage, minimize};
use linchpin_model::{Client, Invocation, Object, Value};

use crate::{Builder, ClientTest, Exploration, Hooks, ViolationKind};

/// So many values of each argument are tried in place of others.
const VALUES: usize = 4;

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
        let test = ClientTest::<O>::new(candidate.clone()).with(builder.clone());
        let exploration = test.explore_against(admitted, hooks);
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
