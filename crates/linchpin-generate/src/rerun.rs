//! Admitted outcomes of an object that can only be created and run, such as the implementation itself.
//!
//! Every shuffle has to run from the start, as no state can be kept. Shuffles that run equal invocations in the same
//! order (`pop()` of one thread, then `pop()` of the other, or the other way round) run once: the object cannot tell them
//! apart. Operations that are said to be read-only are not assumed to commute; that is for the object to prove.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt;

use linchpin_model::{AnyObject, Client, Consistency, Invocation, ObjectOperation, Value};

use crate::outcomes::Places;
use crate::{Outcomes, Sequential, admitted_weakly};

/// All outcomes of a client of an object that `create` makes: something that runs one invocation after the other.
///
/// # Errors
/// When the same invocations in the same order return different values. Then outcomes say nothing.
pub fn admitted_by_running(
    client: &Client,
    create: impl FnMut() -> Box<dyn FnMut(&Invocation) -> Value>,
) -> Result<Outcomes, NotDeterministic> {
    let invocations: Vec<&Invocation> = client.invocations().collect();
    let letters: Vec<usize> = invocations
        .iter()
        .map(|invocation| invocations.iter().position(|other| other == invocation).expect("it is equal to itself"))
        .collect();
    let Places { setup, threads, epilogue } = Places::of(client);
    let start = Shuffle { done: vec![0; threads.len()], order: setup };
    let outcomes = Outcomes::none_yet(client);
    let mut runs = Runs { invocations, letters, threads, epilogue, create, last: Vec::new(), outcomes };
    runs.extend(vec![start])?;
    Ok(runs.outcomes)
}

/// All outcomes of a client that an object's specification admits; if it has none, what the object itself returns when it
/// is run sequentially. Operations may promise less than atomicity: see [`admitted_weakly`](crate::admitted_weakly).
///
/// # Errors
/// When the same invocations in the same order return different values. Then outcomes say nothing.
///
/// # Panics
/// When the client is not [valid](crate::validate).
pub fn admitted_by_object(object: AnyObject, client: &Client) -> Result<Outcomes, NotDeterministic> {
    let operations = object.operations();
    let level = |invocation: &Invocation| operations[position_of(&operations, invocation)].consistency;
    if client.invocations().all(|invocation| level(invocation) == Consistency::Complete) {
        return admitted_by_running(client, || specification(object));
    }
    Ok(admitted_at(object, client, level))
}

/// All outcomes of a client that an object's specification admits if its invocations have these levels of consistency,
/// whatever the object's description says of them.
///
/// # Panics
/// When the client is not [valid](crate::validate), or has more than 64 invocations.
pub fn admitted_at(object: AnyObject, client: &Client, level: impl Fn(&Invocation) -> Consistency) -> Outcomes {
    admitted_weakly(client, &Remembered::new(|| specification(object)), level)
}

/// An object's specification, for invocations of valid clients.
pub(crate) fn specification(object: AnyObject) -> Box<dyn FnMut(&Invocation) -> Value> {
    let (mut specification, operations) = (object.specification(), object.operations());
    Box::new(move |invocation| specification(position_of(&operations, invocation), &invocation.arguments))
}

fn position_of(operations: &[ObjectOperation], invocation: &Invocation) -> usize {
    let is_meant = |operation: &ObjectOperation| *operation.name == *invocation.operation;
    operations.iter().position(is_meant).expect("the client is valid")
}

/// Something that can only be created and run, as a function from states to states: its state is what has run.
struct Remembered<Create> {
    create: Create,
    /// What sequences of invocations returned last.
    returned: RefCell<HashMap<Vec<Invocation>, Value>>,
}

impl<Create> Remembered<Create> {
    fn new(create: Create) -> Self {
        Remembered { create, returned: RefCell::default() }
    }
}

impl<Create: Fn() -> Box<dyn FnMut(&Invocation) -> Value>> Sequential for Remembered<Create> {
    type State = Vec<Invocation>;

    fn initial(&self) -> Vec<Invocation> {
        Vec::new()
    }

    fn apply(&self, state: &Vec<Invocation>, invocation: &Invocation) -> (Vec<Invocation>, Value) {
        let mut longer = state.clone();
        longer.push(invocation.clone());
        let known = self.returned.borrow().get(&longer).cloned();
        let value = known.unwrap_or_else(|| {
            let mut object = (self.create)();
            let value = longer.iter().map(&mut *object).last().expect("at least this invocation");
            self.returned.borrow_mut().insert(longer.clone(), value.clone());
            value
        });
        (longer, value)
    }
}

/// An object that returns different values for the same invocations in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotDeterministic {
    /// The invocations; the last one is the one that returns different values.
    pub invocations: Vec<Invocation>,
    /// What it returned in one run.
    pub once: Value,
    /// What it returned in another.
    pub again: Value,
}

impl fmt::Display for NotDeterministic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sequence: Vec<String> = self.invocations.iter().map(Invocation::to_string).collect();
        write!(
            f,
            "the object is not deterministic when run sequentially: after the same start, the last of {} returned {} \
             once and {} another time",
            sequence.join("; "),
            self.once,
            self.again
        )
    }
}

impl Error for NotDeterministic {}

/// What some of the threads' invocations have run, in which order.
#[derive(Clone)]
struct Shuffle {
    /// How many of each thread.
    done: Vec<usize>,
    /// Which, setup included.
    order: Vec<usize>,
}

struct Runs<'a, Create> {
    invocations: Vec<&'a Invocation>,
    /// For each invocation the first one that is equal to it.
    letters: Vec<usize>,
    threads: Vec<Vec<usize>>,
    epilogue: Vec<usize>,
    create: Create,
    /// The letters that ran last, and what each returned.
    last: Vec<(usize, Value)>,
    outcomes: Outcomes,
}

impl<Create: FnMut() -> Box<dyn FnMut(&Invocation) -> Value>> Runs<'_, Create> {
    /// Runs all that begins with these shuffles, which the object cannot tell apart.
    fn extend(&mut self, shuffles: Vec<Shuffle>) -> Result<(), NotDeterministic> {
        let mut next: BTreeMap<usize, Vec<Shuffle>> = BTreeMap::new();
        for shuffle in &shuffles {
            for (thread, places) in self.threads.iter().enumerate() {
                if let Some(&place) = places.get(shuffle.done[thread]) {
                    let mut longer = shuffle.clone();
                    longer.done[thread] += 1;
                    longer.order.push(place);
                    next.entry(self.letters[place]).or_default().push(longer);
                }
            }
        }
        if next.is_empty() {
            return self.run(shuffles);
        }
        next.into_values().try_for_each(|shuffles| self.extend(shuffles))
    }

    /// Runs the letters that these shuffles have in common, and notes what each shuffle makes of the results.
    fn run(&mut self, shuffles: Vec<Shuffle>) -> Result<(), NotDeterministic> {
        let mut object = (self.create)();
        let word = shuffles[0].order.iter().chain(&self.epilogue).map(|&place| self.letters[place]);
        let run: Vec<(usize, Value)> = word.map(|letter| (letter, object(self.invocations[letter]))).collect();

        // The last run is the one that shares most with this one.
        let shared = run.iter().zip(&self.last).take_while(|(now, before)| now.0 == before.0);
        for (i, (now, before)) in shared.enumerate() {
            if now.1 != before.1 {
                return Err(NotDeterministic {
                    invocations: run[..=i].iter().map(|&(letter, _)| self.invocations[letter].clone()).collect(),
                    once: before.1.clone(),
                    again: now.1.clone(),
                });
            }
        }

        for mut shuffle in shuffles {
            shuffle.order.extend(&self.epilogue);
            let mut values = vec![Value::Nil; run.len()];
            for (&place, (_, value)) in shuffle.order.iter().zip(&run) {
                values[place] = value.clone();
            }
            self.outcomes.add(values, &shuffle.order);
        }
        self.last = run;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::parse;

    #[test]
    fn equal_words_run_once() {
        let client = parse("{ pop(); pop() } || { pop(); pop() } || { len() }").unwrap();
        let mut created = 0;
        let outcomes = admitted_by_running(&client, || {
            created += 1;
            let mut count = 0;
            Box::new(move |_| {
                count += 1;
                Value::from(count)
            })
        });
        // `len` stands at one of five places between four equal `pop`s; which `pop` is whose has six answers.
        assert_eq!((created, outcomes.unwrap().len()), (5, 30));
    }

    #[test]
    fn an_object_that_changes_its_mind_is_found_out() {
        let client = parse("[put()] { get() } || { put() }").unwrap();
        let created = Rc::new(Cell::new(0));
        let error = admitted_by_running(&client, || {
            created.set(created.get() + 1);
            let value = Value::from(created.get());
            Box::new(move |_| value.clone())
        });
        let message = "the object is not deterministic when run sequentially: after the same start, the last of put() \
                       returned 1 once and 2 another time";
        assert_eq!(error.unwrap_err().to_string(), message);
    }
}
