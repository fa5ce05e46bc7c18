//! Which of several clients of one size is the easiest to read.
//!
//! Often there are several clients from which nothing can be taken away, as large as each other: `… [remove(2)]` and `… [contains(2)]` may
//! reveal the same. Which of them shrinking comes to is chance. So there is an order among clients of the same shape, in which
//! earlier rules count more:
//!
//! 1. An epilogue looks and does not touch: as few operations in it as can be that may change the object. What they return, and nothing
//!    else, is what the reader has to think about.
//! 2. As few different operations as can be: each is one to know about.
//! 3. What can be told apart is told apart. Two invocations that are the same, and two arguments of one invocation that are, leave open
//!    who did what when a value comes back. Arguments are comparable if they have the same values to choose from.
//! 4. As few different values as can be,
//! 5. and simple ones, in the order of the text.
//! 6. If nothing else decides, the text does, so that it is not chance.
//!
//! Shrinking leaves the operations in threads alone: they are the fault that was found, and other ones would be another fault. It replaces
//! their arguments, whatever is in the setup, which only builds a state, and in the epilogue, which only reveals.

use std::collections::HashSet;

use linchpin_generate::canonical;
use linchpin_model::{Client, Invocation, ObjectOperation, Value};

use crate::minimize::VALUES;

/// So many ways of an operation to be invoked are tried in the place of another.
const WAYS: usize = 64;

/// So many clients are tried in place of one at a time: the best.
const TRIED: usize = 100;

/// What is known about the operations that clients consist of.
pub(crate) struct Rules {
    operations: Vec<Described>,
    /// By kind of argument, the values to choose from.
    kinds: Vec<Vec<Value>>,
}

struct Described {
    name: &'static str,
    is_read_only: bool,
    /// The kind of each argument.
    arguments: Vec<usize>,
}

/// How hard a client is to read: less is easier. See [`reading`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    // The rules, in their order.
    changes_in_epilogue: usize,
    different_operations: usize,
    alike: usize,
    different_values: usize,
    /// By their places among the values to choose from.
    values: Vec<usize>,
    text: String,
}

/// How hard a client of an object with these operations is to read. Of minimum clients of one size,
/// [`minimize`](crate::minimize) prefers the one that is the easiest:
///
/// 1. as few invocations as can be in the epilogue that may change the object,
/// 2. as few different operations as can be,
/// 3. invocations that differ from each other, and arguments of the same type that differ within each,
/// 4. as few different values as can be,
/// 5. and simple ones.
///
/// The order of the threads makes no difference, and the text decides if nothing else does.
///
/// ```
/// use linchpin_generate::parse;
/// use linchpin_localize::reading;
/// use linchpin_model::{Argument, ObjectArgument, ObjectOperation};
///
/// let key = || vec![ObjectArgument { name: "key", domain: i32::domain }];
/// let contains = ObjectOperation { read_only: true, ..ObjectOperation::new("contains", key()) };
/// let operations = [ObjectOperation::new("add", key()), ObjectOperation::new("remove", key()), contains];
/// let looking = parse("[add(1)] { add(2) } || { remove(1) } [contains(2)]").unwrap();
/// let touching = parse("[add(1)] { add(2) } || { remove(1) } [remove(2)]").unwrap();
/// assert!(reading(&looking, &operations) < reading(&touching, &operations));
/// ```
pub fn reading(client: &Client, operations: &[ObjectOperation]) -> Reading {
    Rules::of(operations).reading(client)
}

impl Rules {
    pub fn of(operations: &[ObjectOperation]) -> Rules {
        let mut kinds: Vec<Vec<Value>> = Vec::new();
        let mut kind = |values: Vec<Value>| {
            kinds.iter().position(|kind| *kind == values).unwrap_or_else(|| {
                kinds.push(values);
                kinds.len() - 1
            })
        };
        let described = operations.iter().map(|operation| Described {
            name: operation.name,
            is_read_only: operation.read_only,
            arguments: operation.arguments.iter().map(|argument| kind((argument.domain)(VALUES))).collect(),
        });
        Rules { operations: described.collect(), kinds }
    }

    /// How hard a client is to read. The order of its threads makes no difference.
    pub fn reading(&self, client: &Client) -> Reading {
        let client = canonical(client);
        let invocations: Vec<&Invocation> = client.invocations().collect();
        let operations: HashSet<&str> = invocations.iter().map(|invocation| &*invocation.operation).collect();
        let changes = |invocation: &&Invocation| !self.find(invocation).is_some_and(|described| described.is_read_only);
        let arguments: Vec<(Option<usize>, &Value)> =
            invocations.iter().flat_map(|invocation| self.arguments(invocation)).collect();
        let same_invocations = pairs(&invocations, |one, other| one == other && !one.arguments.is_empty());
        let same_arguments = invocations.iter().map(|invocation| {
            let arguments: Vec<_> = self.arguments(invocation).collect();
            pairs(&arguments, |one, other| one == other && one.0.is_some())
        });
        Reading {
            changes_in_epilogue: client.epilogue.iter().filter(changes).count(),
            different_operations: operations.len(),
            alike: same_invocations + same_arguments.sum::<usize>(),
            different_values: arguments.iter().collect::<HashSet<_>>().len(),
            values: arguments.iter().map(|(kind, value)| self.place(*kind, value)).collect(),
            text: client.to_string(),
        }
    }

    /// Clients of the same shape that are easier to read, the easiest first. Each is one step away: one invocation of the setup or the
    /// epilogue is of another operation; one argument is another; or two values have changed places. Values are those that the
    /// client has, and the simplest one that it has not.
    pub fn easier(&self, client: &Client) -> Vec<Client> {
        let reading = self.reading(client);
        let values = self.values(client);
        let all = self.with_another_operation(client, &values).chain(self.with_another_argument(client, &values));
        let mut easier: Vec<(Reading, Client)> = all
            .chain(self.with_values_swapped(client, &values))
            .map(|other| (self.reading(&other), other))
            .filter(|(other, _)| *other < reading)
            .collect();
        // Threads of the same client in the order that reads as a text does.
        easier.sort_by_cached_key(|(reading, client)| (reading.clone(), client.to_string()));
        easier.dedup_by(|(one, _), (other, _)| one == other);
        easier.into_iter().map(|(_, client)| client).take(TRIED).collect()
    }

    /// By kind, the values that a client has, and the simplest one that it has not.
    fn values(&self, client: &Client) -> Vec<Vec<&Value>> {
        let used: HashSet<(Option<usize>, &Value)> =
            client.invocations().flat_map(|invocation| self.arguments(invocation)).collect();
        let mut of_kinds = Vec::new();
        for (kind, values) in self.kinds.iter().enumerate() {
            let is_used = |value: &&Value| used.contains(&(Some(kind), *value));
            let simplest_new = values.iter().find(|value| !is_used(value));
            of_kinds.push(values.iter().filter(|value| is_used(value) || simplest_new == Some(*value)).collect());
        }
        of_kinds
    }

    fn with_another_operation<'a>(
        &'a self,
        client: &'a Client,
        values: &'a [Vec<&Value>],
    ) -> impl Iterator<Item = Client> + 'a {
        let last = client.len() - client.epilogue.len();
        let places = (0..client.setup.len()).chain(last..client.len());
        places.flat_map(move |place| {
            let of_others = self.operations.iter().filter(move |described| {
                client.invocations().nth(place).is_some_and(|invocation| *invocation.operation != *described.name)
            });
            of_others.flat_map(|described| ways(described, values)).map(move |invocation| {
                let mut other = client.clone();
                other.invocations_mut().nth(place).into_iter().for_each(|old| *old = invocation.clone());
                other
            })
        })
    }

    fn with_another_argument<'a>(
        &'a self,
        client: &'a Client,
        values: &'a [Vec<&Value>],
    ) -> impl Iterator<Item = Client> + 'a {
        let arguments = client.invocations().flat_map(|invocation| self.arguments(invocation)).enumerate();
        arguments.flat_map(move |(place, (kind, old))| {
            let values = kind.map_or(&[][..], |kind| &values[kind]);
            values.iter().filter(move |new| **new != old).map(move |&new| {
                let mut other = client.clone();
                let arguments = other.invocations_mut().flat_map(|invocation| &mut invocation.arguments);
                arguments.skip(place).take(1).for_each(|argument| *argument = new.clone());
                other
            })
        })
    }

    /// With two values of a kind in each other's place; one of them may be new. Everywhere, or in all first arguments, or in all second
    /// ones, and so on: keys are keys, and what is kept under them is something else.
    fn with_values_swapped<'a>(
        &'a self,
        client: &'a Client,
        values: &'a [Vec<&Value>],
    ) -> impl Iterator<Item = Client> + 'a {
        let longest = client.invocations().map(|invocation| invocation.arguments.len()).max().unwrap_or(0);
        let pairs = values.iter().enumerate().flat_map(|(kind, values)| {
            let after = move |at: usize| values[at + 1..].iter().map(move |&other| (kind, values[at], other));
            (0..values.len()).flat_map(after)
        });
        pairs.flat_map(move |(kind, one, other)| {
            let everywhere = self.swapped(client, kind, one, other, |_| true);
            let at_places = (0..longest).map(move |at| self.swapped(client, kind, one, other, |place| place == at));
            at_places.chain([everywhere])
        })
    }

    fn swapped(
        &self,
        client: &Client,
        kind: usize,
        one: &Value,
        other: &Value,
        is_there: impl Fn(usize) -> bool,
    ) -> Client {
        let mut swapped = client.clone();
        for invocation in swapped.invocations_mut() {
            let kinds = self.find(invocation).map_or(&[][..], |described| &described.arguments);
            let arguments = invocation.arguments.iter_mut().zip(kinds).enumerate();
            for (_, (argument, _)) in arguments.filter(|(place, (_, of))| **of == kind && is_there(*place)) {
                if argument == one {
                    *argument = other.clone();
                } else if argument == other {
                    *argument = one.clone();
                }
            }
        }
        swapped
    }

    fn find(&self, invocation: &Invocation) -> Option<&Described> {
        self.operations.iter().find(|described| *described.name == *invocation.operation)
    }

    /// The arguments with their kinds; nothing is known of those of operations that nobody has described.
    fn arguments<'a>(&'a self, invocation: &'a Invocation) -> impl Iterator<Item = (Option<usize>, &'a Value)> {
        let described = self.find(invocation);
        let kind = move |place: usize| described.and_then(|described| described.arguments.get(place)).copied();
        invocation.arguments.iter().enumerate().map(move |(place, value)| (kind(place), value))
    }

    /// How simple a value is.
    fn place(&self, kind: Option<usize>, value: &Value) -> usize {
        kind.and_then(|kind| self.kinds[kind].iter().position(|other| other == value)).unwrap_or(usize::MAX)
    }
}

/// An operation with all of these values, by kind, or fewer of each if those are too many.
fn ways(described: &Described, values: &[Vec<&Value>]) -> Vec<Invocation> {
    let is_few = |most: &usize| most.saturating_pow(described.arguments.len() as u32) <= WAYS;
    let most = (1..=VALUES).rev().find(is_few).unwrap_or(1);
    let mut ways = vec![Invocation { operation: described.name.into(), arguments: Vec::new() }];
    for &kind in &described.arguments {
        let with = |way: Invocation| {
            let values = values[kind].iter().take(most);
            values.map(move |&value| {
                let mut way = way.clone();
                way.arguments.push(value.clone());
                way
            })
        };
        ways = ways.into_iter().flat_map(with).collect();
    }
    ways
}

/// How many pairs of elements are the same in some way.
fn pairs<T>(elements: &[T], is_same: impl Fn(&T, &T) -> bool) -> usize {
    let others = |at: usize| elements[at + 1..].iter().filter(|other| is_same(&elements[at], other)).count();
    (0..elements.len()).map(others).sum()
}
