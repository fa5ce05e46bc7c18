//! From a client that fails to the smallest one that does, each candidate explored.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use linchpin_generate::{Outcomes, admitted_by_object};
use linchpin_localize::{Answer, Effort, Minimum, Stage, minimize, one_against_one, one_against_one_with_less};
use linchpin_model::{AnyObject, Bound, Client, Coverage, Invocation, Value};

use crate::{Builder, ClientTest, Exploration, Hooks, ViolationKind};

/// So many events an invocation may have on average: at first, and where that is not enough.
const EVENTS: [usize; 2] = [40, 400];

/// A glance sees at least so many executions, and so many events of each thread.
const GLANCE: u64 = 32;

/// So many executions are looked at before it is known whether something goes round without end: that is seen early.
const LOOK: u64 = 1_000;

/// So many executions are looked at where the first number of events is not enough. Operations that are only long have few in small clients; those
/// that go round without end have too many to wait for, and are cut even so.
const LONG_ONES: u64 = 100;

/// Exploring one candidate may take this long, unless the builder says something else: a failure that is known should not have to wait for
/// what may never end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Explores a client, first with executions cut short early: an object that goes round in loops with effects would have the
/// engine follow it for long before it turns to anything else.
pub(crate) fn explore_deeper(
    object: AnyObject,
    client: &Client,
    admitted: Outcomes,
    builder: &Builder,
    hooks: Hooks<'_>,
) -> Exploration {
    let explore = |events, builder: Builder, admitted| {
        explore_against(object, client, admitted, builder.max_events_per_thread(events_of(client, events)), hooks)
    };
    let look = explore(EVENTS[0], builder.clone().at_most(LOOK), admitted.clone());
    if look.violation.is_some() || look.coverage.is_complete() {
        return look;
    }
    match is_cut(&look) {
        true => explore(EVENTS[1], builder.clone().at_most(LONG_ONES), admitted),
        // Nothing is cut: there is just more of it.
        false => explore(EVENTS[0], builder.clone(), admitted),
    }
}

/// How many events a thread of a client may have, with so many for each invocation on average.
fn events_of(client: &Client, events: usize) -> u32 {
    (events * (client.len() + 2)) as u32
}

fn explore_against(
    object: AnyObject,
    client: &Client,
    admitted: Outcomes,
    builder: Builder,
    hooks: Hooks<'_>,
) -> Exploration {
    ClientTest::new(object, client.clone()).with(builder).explore_against(admitted, hooks)
}

/// Did some thread want too many events?
fn is_cut(exploration: &Exploration) -> bool {
    let Coverage::Bounded(bounds) = &exploration.coverage else { return false };
    bounds.iter().any(|bound| matches!(bound, Bound::EventsPerThread(_)))
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
    let kind = failed.violation.as_ref().map(|violation| violation.kind.name());
    let builder = &builder.clone().max_time_unless_given(PATIENCE);
    let mut candidates = Candidates {
        builder,
        hurried: builder.clone().hurried(),
        interrupt,
        kind,
        round: HashSet::new(),
        smallest: failed,
    };
    let decide = |candidate: &Client, stage, effort| candidates.decide(object, candidate, stage, effort);
    let minimum = minimize(client, &object.operations(), |client| pairs(object, client), decide);
    Shrunk { minimum, exploration: candidates.smallest }
}

/// Decides whether candidates fail in some way.
struct Candidates<'a> {
    builder: &'a Builder,
    /// What the proof needs to know is worth waiting for; of everything else there is more to try.
    hurried: Builder,
    interrupt: &'a AtomicBool,
    /// The failure's name.
    kind: Option<&'static str>,
    /// Candidates of which a glance has seen all executions that are short. Some are not, and go round without end as far as anybody
    /// knows.
    round: HashSet<Client>,
    /// What the last candidate that fails does: `minimize` ends with it.
    smallest: Exploration,
}

impl Candidates<'_> {
    /// What is looked at of a candidate before others are tried: twice as many executions as it took the smallest client so far to
    /// fail, and threads that are twice as long as in the execution that did, unless that went round before it failed.
    fn glance(&self, candidate: &Client) -> Builder {
        let Exploration { complete, blocked, violation, .. } = &self.smallest;
        let threads = violation.as_ref().map_or(&[][..], |violation| violation.execution.threads());
        let longest = threads.iter().map(|thread| thread.events().len() as u64).max().unwrap_or(0);
        let [executions, events] = [complete + blocked, longest].map(|seen| GLANCE.max(2 * seen));
        let builder = self.builder.clone().max_events_per_thread(events_of(candidate, EVENTS[0]));
        builder.at_most(executions).at_most_events(events as u32)
    }

    fn decide(&mut self, object: AnyObject, candidate: &Client, stage: Stage, effort: Effort) -> Answer {
        if self.interrupt.load(Relaxed) {
            return Answer::Stop;
        }
        let is_for_proof = stage == Stage::Invocation;
        if effort == Effort::Whole && !is_for_proof && self.round.contains(candidate) {
            return Answer::Unknown;
        }
        let Ok(admitted) = admitted_by_object(object, candidate) else { return Answer::Unknown };
        let hooks = Hooks { interrupt: Some(self.interrupt), ..Hooks::default() };
        let exploration = match effort {
            Effort::Glance => explore_against(object, candidate, admitted, self.glance(candidate), hooks),
            Effort::Whole if is_for_proof => explore_deeper(object, candidate, admitted, self.builder, hooks),
            Effort::Whole => explore_deeper(object, candidate, admitted, &self.hurried, hooks),
        };
        match &exploration.violation {
            // Another kind of failure is another failure, and hides whether this one is there.
            Some(violation) if Some(violation.kind.name()) != self.kind => Answer::Unknown,
            Some(_) => {
                self.smallest = exploration;
                Answer::Fails
            }
            None if exploration.coverage.is_complete() => Answer::Holds,
            None if self.interrupt.load(Relaxed) => Answer::Stop,
            None => {
                if effort == Effort::Glance && is_all_but_long(&exploration) {
                    self.round.insert(candidate.clone());
                }
                Answer::Unknown
            }
        }
    }
}

/// Were all executions looked at, except those that want too many events? Where all do, operations may just be long.
fn is_all_but_long(exploration: &Exploration) -> bool {
    let Coverage::Bounded(bounds) = &exploration.coverage else { return false };
    exploration.complete > 0 && bounds.iter().all(|bound| matches!(bound, Bound::EventsPerThread(_)))
}

/// Where more than two invocations are left in threads, all clients with one against one and the same setup; where one is left against
/// one, those with less around them, of what the client does before it looks at what came of it.
fn pairs(object: AnyObject, client: &Client) -> Vec<Client> {
    match (client.threads.len(), client.threads.iter().map(Vec::len).sum()) {
        (2, 2) => {
            let doing = Client { epilogue: Vec::new(), ..client.clone() };
            one_against_one_with_less(client.setup.len() + client.epilogue.len(), &invocations_of(&doing))
        }
        (_, 0..=2) => Vec::new(),
        _ => one_against_one(&client.setup, &invocations(object, client)).collect(),
    }
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
    if invocations.len() > MANY { invocations_of(client) } else { invocations }
}

/// Those of the client, each once.
fn invocations_of(client: &Client) -> Vec<Invocation> {
    let mut invocations: Vec<Invocation> = client.invocations().cloned().collect();
    invocations.sort();
    invocations.dedup();
    invocations
}

/// Is this a failure that a smaller client may have as well? One of the test's own making is not.
pub(crate) fn can_be_shrunk(kind: &ViolationKind) -> bool {
    use ViolationKind::{KeptMemory, NotDeterministic, Stuck};
    !matches!(kind, NotDeterministic { .. } | Stuck { .. } | KeptMemory { .. })
}
