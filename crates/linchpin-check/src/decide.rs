//! One part of a history: which way to decide it, and what to say when it fails.

use linchpin_model::{History, Kind, OperationId, Role, Specification, Value};

use crate::limits::Budget;
use crate::monitor::{self, Act, Decision, Observed, Watched};
use crate::numbers::Numbers;
use crate::part::Part;
use crate::reduce::{Test, reduced};
use crate::search::{
    Call, Found, Intervals, Keep, Layout, NEVER, PartialOrder, STATES_KEPT, Span, Stuck, Transitions, walk,
};
use crate::{Contradiction, Unknown, queue_pairs};

/// How many configurations the first attempt at a part may look at.
pub(crate) const FIRST_ATTEMPT: u64 = 20_000;

/// What is known about a part in the end.
pub(crate) enum Decided {
    /// Not decided within the configurations of a first attempt.
    NotYet,
    /// Another part fails before this one can.
    Overtaken,
    /// An order that explains it.
    Order(Vec<OperationId>),
    /// There is none.
    Violation {
        /// The return that ends the shortest failing prefix. (Any operation, if there are no returns in time.)
        fails_at: OperationId,
        /// Why.
        contradiction: Contradiction,
    },
}

/// Decides a part: by a monitor, if it qualifies; by pairing, if it is a queue whose values are not distinct; or by
/// the general search, with at most so many configurations.
pub(crate) fn decide<S: Specification>(
    part: &Part<'_, S>,
    configurations: Option<u64>,
    budget: &Budget,
) -> Result<Decided, Unknown> {
    budget.check_time()?;
    if let Some((watched, observed)) = observed(part) {
        let id = |local: OperationId| part.ids[local.index()];
        match monitor::decide(watched, &observed, budget)? {
            Decision::Order(order) => return Ok(Decided::Order(order.into_iter().map(id).collect())),
            Decision::Violation { fails_at, .. } if !budget.fails_at(part.spans[fails_at.index()].ret) => {
                return Ok(Decided::Overtaken);
            }
            Decision::Violation { fails_at, contradiction: Some(contradiction) } => {
                let (fails_at, contradiction) = (id(fails_at), contradiction.map(id));
                return Ok(Decided::Violation { fails_at, contradiction });
            }
            Decision::Violation { fails_at, contradiction: None } => {
                let window = Window::of_bit(part, watched, &observed, fails_at.0, budget)?;
                return Ok(diagnosed(part, fails_at.0, window, &Stuck::default(), None, budget));
            }
            Decision::NotApplicable => {}
        }
        if watched == Watched::Queue
            && let Some(decision) = queue_pairs::decide(&observed, budget)?
        {
            return Ok(match decision {
                queue_pairs::Decision::Order(order) => {
                    Decided::Order(order.into_iter().map(|local| part.ids[local as usize]).collect())
                }
                queue_pairs::Decision::Violation { fails_at, operations } => {
                    budget.fails_at(part.spans[fails_at as usize].ret);
                    let fails_at = part.ids[fails_at as usize];
                    let operations = operations.into_iter().map(|local| part.ids[local as usize]).collect();
                    let contradiction =
                        Contradiction::Stuck { operation: fails_at, operations, since: Vec::new(), states: Vec::new() };
                    Decided::Violation { fails_at, contradiction }
                }
            });
        }
    }
    general(part, configurations, budget)
}

/// The general search, and the diagnosis if it finds nothing.
fn general<S: Specification>(
    part: &Part<'_, S>,
    configurations: Option<u64>,
    budget: &Budget,
) -> Result<Decided, Unknown> {
    let mut steps = Transitions::new(part.specification, calls(part), budget)?;
    let layout = Layout::new(part.spans.clone());
    let mut keep = Keep { cuts: layout.cuts(), configurations, ..Keep::default() };
    match search(&layout, &mut steps, &mut keep, budget)? {
        Found::Order(order) => Ok(Decided::Order(order.into_iter().map(|local| part.ids[local as usize]).collect())),
        Found::Nothing(stuck) => {
            let fails_at = layout.by_return[stuck.position as usize];
            if !budget.fails_at(part.spans[fails_at as usize].ret) {
                return Ok(Decided::Overtaken);
            }
            let window = Window::after_last_cut(part, fails_at, &layout, &stuck, &steps);
            Ok(diagnosed(part, fails_at, window, &stuck, Some(&steps), budget))
        }
        Found::GaveUp => Ok(Decided::NotYet),
        Found::Overtaken => Ok(Decided::Overtaken),
    }
}

/// Is there an order that explains the part? By the general search alone, and without a word on why not.
pub(crate) fn is_explained<S: Specification>(part: &Part<'_, S>, budget: &Budget) -> Result<bool, Unknown> {
    let mut steps = Transitions::new(part.specification, calls(part), budget)?;
    let layout = Layout::new(part.spans.clone());
    Ok(matches!(search(&layout, &mut steps, &mut Keep::default(), budget)?, Found::Order(_)))
}

/// A history with an explicit order.
pub(crate) fn decide_ordered<S: Specification>(
    specification: &S,
    history: &History<S::Invocation, S::Returned>,
    budget: &Budget,
) -> Result<Decided, Unknown> {
    let calls = history.operations().iter().map(|operation| (&operation.invocation, operation.result.as_ref()));
    let mut steps = Transitions::new(specification, calls, budget)?;
    let returned = history.operations().iter().map(|operation| operation.returned).collect();
    let mut frontier = PartialOrder::new(returned, history.pairs().unwrap_or_default());
    match walk(&mut frontier, &mut steps, &mut Keep::default(), budget)? {
        Found::Order(order) => Ok(Decided::Order(order.into_iter().map(OperationId).collect())),
        Found::Nothing(stuck) => {
            let placed = |id: &OperationId| stuck.order.contains(&id.0);
            let fails_at = history.ids().find(|id| history[*id].returned && !placed(id)).unwrap_or(OperationId(0));
            let contradiction = Contradiction::Stuck {
                operation: fails_at,
                operations: history.ids().collect(),
                since: Vec::new(),
                states: described(specification, &steps, &stuck.states),
            };
            Ok(Decided::Violation { fails_at, contradiction })
        }
        Found::GaveUp | Found::Overtaken => unreachable!("nothing limits this search, and there is no other part"),
    }
}

/// Searches with masks that are no wider than they have to be.
pub(crate) fn search<S: Specification>(
    layout: &Layout,
    steps: &mut Transitions<'_, S>,
    keep: &mut Keep<'_>,
    budget: &Budget,
) -> Result<Found, Unknown> {
    let class = steps.classes().to_vec();
    match layout.slots {
        0..=64 => walk(&mut Intervals::<[u64; 1]>::new(layout, &class), steps, keep, budget),
        65..=128 => walk(&mut Intervals::<[u64; 2]>::new(layout, &class), steps, keep, budget),
        129..=512 => walk(&mut Intervals::<[u64; 8]>::new(layout, &class), steps, keep, budget),
        _ => walk(&mut Intervals::<Box<[u64]>>::new(layout, &class), steps, keep, budget),
    }
}

/// What the operations of a part call and return.
pub(crate) fn calls<'a, S: Specification>(part: &Part<'a, S>) -> impl Iterator<Item = Call<'a, S>> {
    let history = part.history;
    part.ids.iter().map(move |&id| (&history[id].invocation, history[id].result.as_ref()))
}

/// The part in terms of its kind, if the specification has one and every operation has a role in it.
pub(crate) fn observed<S: Specification>(part: &Part<'_, S>) -> Option<(Watched, Vec<Observed>)> {
    let kind = part.specification.kind()?;
    let roles: Option<Vec<Role>> =
        calls(part).map(|(invocation, result)| part.specification.role(invocation, result)).collect();
    let roles = roles?;
    let values = roles.iter().filter_map(|role| match role {
        Role::Write(value) | Role::Read(value) | Role::Add(value) | Role::Remove(value) => Some(value),
        _ => None,
    });
    let initial = if let Kind::Register { initial } = &kind { Some(initial) } else { None };
    let numbers = Numbers::of(values.chain(initial));
    let number = |value: &Value| numbers.number(value);

    let watched = match &kind {
        Kind::Register { initial } => Watched::Register { initial: number(initial) },
        Kind::Bit { initial } => Watched::Bit { initial: *initial },
        Kind::Queue => Watched::Queue,
        Kind::Stack => Watched::Stack,
        Kind::PriorityQueue => Watched::PriorityQueue,
    };
    let act = |role: &Role| match role {
        Role::Write(value) => Act::Write(number(value)),
        Role::Read(value) => Act::Read(number(value)),
        Role::Switch { to } => Act::Switch { to: *to },
        Role::Observe(bit) => Act::Observe(*bit),
        Role::Add(value) => Act::Add(number(value)),
        Role::Remove(value) => Act::Remove(number(value)),
        Role::RemoveUnknown => Act::RemoveUnknown,
        Role::FindEmpty => Act::FindEmpty,
        Role::Nothing => Act::Nothing,
    };
    let observed = roles.iter().zip(&part.spans);
    Some((watched, observed.map(|(role, span)| Observed { act: act(role), call: span.call, ret: span.ret }).collect()))
}

/// Where a contradiction is looked for: the operations called after a moment at which nothing was open, and the states
/// that the object can have been in then.
struct Window<State> {
    /// The first operation, by its call.
    first: usize,
    states: Vec<State>,
}

impl<State: Clone> Window<State> {
    /// From the beginning.
    fn whole<S: Specification<State = State>>(part: &Part<'_, S>) -> Self {
        Window { first: 0, states: vec![part.specification.initial()] }
    }

    /// After the last moment without open operations for which a search knows all states.
    fn after_last_cut<S: Specification<State = State>>(
        part: &Part<'_, S>,
        fails_at: u32,
        layout: &Layout,
        stuck: &Stuck,
        steps: &Transitions<'_, S>,
    ) -> Self {
        let call = part.spans[fails_at as usize].call;
        let known = |&&cut: &&u32| {
            let last = layout.by_return[cut as usize - 1];
            let states = stuck.states_at.get(&cut);
            part.spans[last as usize].ret < call && states.is_some_and(|states| states.len() <= STATES_KEPT)
        };
        match layout.cuts().iter().rev().find(known) {
            None => Window::whole(part),
            // A cut is a number of operations that have been called and have returned.
            Some(&cut) => {
                let states = stuck.states_at[&cut].iter().map(|&state| steps.state(state).clone()).collect();
                Window { first: cut as usize, states }
            }
        }
    }

    /// The same for a bit, whose state at such a moment every order of the operations before it tells.
    fn of_bit<S: Specification<State = State>>(
        part: &Part<'_, S>,
        watched: Watched,
        observed: &[Observed],
        fails_at: u32,
        budget: &Budget,
    ) -> Result<Self, Unknown> {
        let layout = Layout::new(part.spans.clone());
        let call = part.spans[fails_at as usize].call;
        let quiet = |&&cut: &&u32| part.spans[layout.by_return[cut as usize - 1] as usize].ret < call;
        let Some(&cut) = layout.cuts().iter().rev().find(quiet) else { return Ok(Window::whole(part)) };
        let Decision::Order(order) = monitor::decide(watched, &observed[..cut as usize], budget)? else {
            return Ok(Window::whole(part));
        };
        let mut states = vec![part.specification.initial()];
        for local in order {
            let operation = &part.history[part.ids[local.index()]];
            let mut next = Vec::new();
            part.specification.step(&states[0], &operation.invocation, operation.result.as_ref(), &mut next);
            next.truncate(1);
            states = next;
        }
        Ok(Window { first: cut as usize, states })
    }
}

/// The contradiction that ends at this return: as few operations as suffice, of those after the window's beginning.
///
/// What may be left out without making a contradiction where there was none: an operation that only reads; and, of a
/// queue, stack or priority queue, all operations on one value.
fn diagnosed<S: Specification>(
    part: &Part<'_, S>,
    fails_at: u32,
    window: Window<S::State>,
    stuck: &Stuck,
    steps: Option<&Transitions<'_, S>>,
    budget: &Budget,
) -> Decided {
    let end = part.spans[fails_at as usize].ret;
    let inside: Vec<u32> =
        (window.first as u32..part.ids.len() as u32).filter(|&i| part.spans[i as usize].call < end).collect();
    // Evidence that is larger than it has to be is better than none: when the limits are reached, what is there counts.
    let mut last_states = None;
    let mut left = CONFIGURATIONS;
    let refutes = |operations: &[u32]| {
        if left == 0 {
            return Test::GaveUp;
        }
        let calls = operations.iter().map(|&i| {
            let operation = &part.history[part.ids[i as usize]];
            (&operation.invocation, operation.result.as_ref())
        });
        let open = |ret: u32| if ret > end { NEVER } else { ret };
        let spans = operations.iter().map(|&i| {
            let Span { call, ret } = part.spans[i as usize];
            Span { call, ret: open(ret) }
        });
        let layout = Layout::new(spans.collect());
        let found = Transitions::new(part.specification, calls, budget)
            .and_then(|steps| steps.starting_from(&window.states))
            .and_then(|mut steps| {
                let mut keep = Keep { configurations: Some(left), ..Keep::default() };
                let found = search(&layout, &mut steps, &mut keep, budget);
                left = keep.configurations.unwrap_or(0);
                Ok((found?, steps))
            });
        match found {
            Ok((Found::Nothing(stuck), steps)) => {
                last_states = Some(described(part.specification, &steps, &stuck.states));
                Test::Passed
            }
            Ok((Found::Order(_), _)) => Test::Failed,
            Ok((Found::GaveUp | Found::Overtaken, _)) | Err(_) => Test::GaveUp,
        }
    };
    let operations = reduced(units(part, &inside), refutes);
    let since = match window.first {
        0 => Vec::new(),
        _ => window.states.iter().map(|state| part.specification.describe_state(state)).collect(),
    };
    let states = last_states
        .or_else(|| steps.map(|steps| described(part.specification, steps, &stuck.states)))
        .unwrap_or_default();
    let operation = part.ids[fails_at as usize];
    let mut operations: Vec<OperationId> = operations.into_iter().map(|i| part.ids[i as usize]).collect();
    operations.sort_unstable();
    Decided::Violation {
        fails_at: operation,
        contradiction: Contradiction::Stuck { operation, operations, since, states },
    }
}

/// How many configurations a diagnosis may look at.
const CONFIGURATIONS: u64 = 500_000;

/// What may be left out together, and at the end what has to stay.
fn units<S: Specification>(part: &Part<'_, S>, operations: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let specification = part.specification;
    let collection = matches!(specification.kind(), Some(Kind::Queue | Kind::Stack | Kind::PriorityQueue));
    let mut by_value: std::collections::BTreeMap<Value, Vec<u32>> = Default::default();
    let mut single = Vec::new();
    let mut needed = Vec::new();
    let mut whole = false;
    for &i in operations {
        let operation = &part.history[part.ids[i as usize]];
        let (invocation, result) = (&operation.invocation, operation.result.as_ref());
        match specification.role(invocation, result) {
            Some(Role::Add(value) | Role::Remove(value)) if collection => by_value.entry(value).or_default().push(i),
            _ if specification.is_read_only(invocation, result) => single.push(vec![i]),
            _ => {
                // Whatever it is, it may work on any value.
                whole |= collection;
                needed.push(i);
            }
        }
    }
    if whole {
        needed.extend(by_value.into_values().flatten());
        return (single, needed);
    }
    (by_value.into_values().chain(single).collect(), needed)
}

fn described<S: Specification>(specification: &S, steps: &Transitions<'_, S>, states: &[u32]) -> Vec<String> {
    states.iter().map(|&state| specification.describe_state(steps.state(state))).collect()
}
