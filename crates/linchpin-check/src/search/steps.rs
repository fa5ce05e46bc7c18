//! The specification as the search sees it: states and operations are numbers, and every step is computed once.

use std::hash::BuildHasher;

use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use linchpin_model::Specification;

use crate::Unknown;
use crate::limits::{Account, Budget};

/// The steps of a specification along given operations.
pub(crate) trait Steps {
    /// The states before the first operation.
    fn initial(&self) -> Vec<u32>;

    /// The states that an operation may lead to, as a range for [`target`](Self::target).
    fn step(&mut self, state: u32, operation: u32) -> Result<std::ops::Range<u32>, Unknown>;

    /// One of the states that a step leads to.
    fn target(&self, index: u32) -> u32;

    /// Does the operation leave every state as it is?
    fn is_read_only(&self, operation: u32) -> bool;
}

/// [`Steps`] of a [`Specification`], with states and steps kept.
pub(crate) struct Transitions<'a, S: Specification> {
    specification: &'a S,
    budget: &'a Budget,
    account: Account<'a>,
    initial: Vec<u32>,
    /// What is called and returned, one per class of operations that are called alike and return alike.
    calls: Vec<Call<'a, S>>,
    read_only: Vec<bool>,
    class: Vec<u32>,
    hasher: DefaultHashBuilder,
    /// The number of each state that was met, found through its hash.
    numbers: HashTable<u32>,
    states: Vec<S::State>,
    /// Where in `targets` the states are that a class of operations leads to from a state.
    known: HashMap<(u32, u32), (u32, u32)>,
    targets: Vec<u32>,
    scratch: Vec<S::State>,
}

/// What is called and what it returns, if that is known.
pub(crate) type Call<'a, S> = (&'a <S as Specification>::Invocation, Option<&'a <S as Specification>::Returned>);

impl<'a, S: Specification> Transitions<'a, S> {
    /// For these operations, from the initial state of the specification.
    pub(crate) fn new(
        specification: &'a S,
        operations: impl Iterator<Item = Call<'a, S>>,
        budget: &'a Budget,
    ) -> Result<Self, Unknown> {
        let mut classes = HashMap::new();
        let mut calls = Vec::new();
        let class = operations
            .map(|call| match classes.entry(call) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(vacant) => {
                    calls.push(call);
                    *vacant.insert(calls.len() as u32 - 1)
                }
            })
            .collect();
        let read_only = calls.iter().map(|(invocation, result)| specification.is_read_only(invocation, *result));
        let mut transitions = Transitions {
            specification,
            budget,
            account: Account::new(budget),
            initial: Vec::new(),
            read_only: read_only.collect(),
            calls,
            class,
            hasher: DefaultHashBuilder::default(),
            numbers: HashTable::new(),
            states: Vec::new(),
            known: HashMap::new(),
            targets: Vec::new(),
            scratch: Vec::new(),
        };
        let initial = transitions.number(specification.initial())?;
        transitions.initial.push(initial);
        Ok(transitions)
    }

    /// The same from these states, one of which is where the operations began.
    pub(crate) fn starting_from(mut self, states: &[S::State]) -> Result<Self, Unknown> {
        self.initial = states.iter().map(|state| self.number(state.clone())).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Operations with equal numbers here are called alike and return alike.
    pub(crate) fn classes(&self) -> &[u32] {
        &self.class
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: u32) -> &S::State {
        &self.states[number as usize]
    }

    fn number(&mut self, state: S::State) -> Result<u32, Unknown> {
        let hash = self.hasher.hash_one(&state);
        if let Some(&known) = self.numbers.find(hash, |&number| self.states[number as usize] == state) {
            return Ok(known);
        }
        // The state, its number in the table, and as much again for the room that growing tables keep free.
        self.account.take(2 * (self.specification.state_bytes(&state) + size_of::<u32>()))?;
        self.budget.check_time_to_grow(self.numbers.len(), self.numbers.capacity())?;
        let number = self.states.len() as u32;
        self.states.push(state);
        let (hasher, states) = (&self.hasher, &self.states);
        self.numbers.insert_unique(hash, number, |&number| hasher.hash_one(&states[number as usize]));
        Ok(number)
    }
}

impl<S: Specification> Steps for Transitions<'_, S> {
    fn initial(&self) -> Vec<u32> {
        self.initial.clone()
    }

    fn step(&mut self, state: u32, operation: u32) -> Result<std::ops::Range<u32>, Unknown> {
        let class = self.class[operation as usize];
        if let Some(&(start, end)) = self.known.get(&(state, class)) {
            return Ok(start..end);
        }
        let (invocation, result) = self.calls[class as usize];
        let mut next = std::mem::take(&mut self.scratch);
        self.specification.step(&self.states[state as usize], invocation, result, &mut next);
        self.account.take(2 * size_of::<((u32, u32), (u32, u32))>() + next.len() * size_of::<u32>())?;
        let start = self.targets.len() as u32;
        for state in next.drain(..) {
            let number = self.number(state)?;
            // A specification may name a state twice; the search need not go there twice.
            if !self.targets[start as usize..].contains(&number) {
                self.targets.push(number);
            }
        }
        self.scratch = next;
        let end = self.targets.len() as u32;
        self.budget.check_time_to_grow(self.known.len(), self.known.capacity())?;
        self.known.insert((state, class), (start, end));
        Ok(start..end)
    }

    fn target(&self, index: u32) -> u32 {
        self.targets[index as usize]
    }

    fn is_read_only(&self, operation: u32) -> bool {
        self.read_only[self.class[operation as usize] as usize]
    }
}
