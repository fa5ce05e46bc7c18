//! Holding the calls of one object against its contract.

use std::ops::ControlFlow;

use linchpin_model::Value;

use super::call::{Call, Observed};
use super::contract::{Contract, Operation};
use super::order::CallOrder;
use super::verdict::{Breach, Clause, Conformance, Inadmissible};

/// How many valid sequential histories are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Histories {
    /// All of them.
    #[default]
    All,
    /// So many, drawn at random with this seed; of each object of each execution. Not a proof.
    Sample {
        /// How many.
        count: u64,
        /// Where the random numbers begin.
        seed: u64,
    },
}

/// A contract with its state forgotten.
pub(super) trait Judged: Send + Sync {
    fn kind(&self) -> &'static str;

    /// Judges the calls `members` of `all`, which are those of one object; `order` is that of all.
    fn judge(&self, all: &[Observed], members: &[usize], order: &CallOrder, histories: Histories) -> Conformance;
}

/// The calls of one object with all that clauses ask for.
struct Trial<'a, S> {
    contract: &'a Contract<S>,
    calls: Vec<&'a Observed>,
    operations: Vec<&'a Operation<S>>,
    /// For each call those concurrent with it.
    concurrent: Vec<Vec<&'a Observed>>,
    order: CallOrder,
}

impl<S: Clone + 'static> Judged for Contract<S> {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn judge(&self, all: &[Observed], members: &[usize], order: &CallOrder, histories: Histories) -> Conformance {
        let calls: Vec<&Observed> = members.iter().map(|&call| &all[call]).collect();
        let missing = |call: usize, operation: &str| {
            let sentence = format!("the contract of {} does not have the operation {operation}", self.kind);
            Conformance::Broken(Breach { clause: Clause::Missing, call, history: vec![], sentence })
        };
        if let Some(unknown) = self.unknown_in_rules() {
            return missing(members[0], unknown);
        }
        let mut operations = Vec::new();
        for (call, &member) in calls.iter().zip(members) {
            let Some(operation) = self.find(call.operation) else { return missing(member, call.operation) };
            operations.push(operation);
        }
        let order = order.among(members);
        let concurrent = (0..calls.len())
            .map(|a| (0..calls.len()).filter(|&b| order.is_concurrent(a, b)).map(|b| calls[b]).collect())
            .collect();
        let trial = Trial { contract: self, calls, operations, concurrent, order };
        // From places among the members to places among all.
        match trial.judge(histories) {
            Conformance::Inadmissible(Inadmissible { calls: (a, b), sentence }) => {
                Conformance::Inadmissible(Inadmissible { calls: (members[a], members[b]), sentence })
            }
            Conformance::Broken(breach) => Conformance::Broken(Breach {
                call: members[breach.call],
                history: breach.history.into_iter().map(|call| members[call]).collect(),
                ..breach
            }),
            holds => holds,
        }
    }
}

impl<S: Clone> Trial<'_, S> {
    fn judge(&self, histories: Histories) -> Conformance {
        if let Some(inadmissible) = self.inadmissible() {
            return Conformance::Inadmissible(inadmissible);
        }
        if let Some(breach) = (0..self.calls.len()).find_map(|call| self.unjustified(call)) {
            return Conformance::Broken(breach);
        }
        let mut looked_at = 0;
        let broken = match histories {
            Histories::All => self.all_histories(&mut looked_at),
            Histories::Sample { count, seed } => {
                let mut random = fastrand::Rng::with_seed(seed);
                (0..count).find_map(|_| {
                    looked_at += 1;
                    self.some_history(&mut random)
                })
            }
        };
        broken.map_or(Conformance::Holds { histories: looked_at }, Conformance::Broken)
    }

    /// Definition 1: two calls that a rule wants ordered, and that are not.
    fn inadmissible(&self) -> Option<Inadmissible> {
        for rule in &self.contract.rules {
            for (a, first) in self.calls.iter().enumerate().filter(|(_, call)| call.operation == rule.first) {
                for (b, second) in self.calls.iter().enumerate().filter(|(_, call)| call.operation == rule.second) {
                    if self.order.is_concurrent(a, b) && (rule.guard)(&Call::alone(first), &Call::alone(second)) {
                        let sentence = format!("{first} and {second} have to be ordered, and are not");
                        return Some(Inadmissible { calls: (a, b), sentence });
                    }
                }
            }
        }
        None
    }

    /// Definition 4: is there no order of what is before `call` that lets it return what it does?
    fn unjustified(&self, call: usize) -> Option<Breach> {
        let operation = self.operations[call];
        if !operation.needs_justification() {
            return None;
        }
        let before: Vec<usize> = (0..self.calls.len()).filter(|&other| self.order.orders(other, call)).collect();
        let mut walk = Walk::new(&self.order, &before);
        let found = walk.each(&mut (self.contract.initial)(), &mut |state, step| {
            let Step::Call(earlier) = step else {
                return match self.is_justified_by(state, call) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                };
            };
            self.run(state, earlier);
            ControlFlow::Continue(())
        });
        if found.is_break() {
            return None;
        }
        let seen: Vec<String> = before.iter().map(|&other| self.calls[other].to_string()).collect();
        let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
        let sentence = format!(
            "no order of what {} must have seen ({seen}) justifies it, nor do the calls concurrent with it",
            self.calls[call]
        );
        Some(Breach { clause: Clause::Justification, call, history: before, sentence })
    }

    fn is_justified_by(&self, state: &S, call: usize) -> bool {
        let Operation { justifying_precondition, justifying_postcondition, .. } = self.operations[call];
        let mut state = state.clone();
        let holds_before =
            justifying_precondition.as_ref().is_none_or(|holds| holds(&state, &self.view(call, &Value::Nil)));
        let s_ret = self.run(&mut state, call);
        holds_before && justifying_postcondition.as_ref().is_none_or(|holds| holds(&state, &self.view(call, &s_ret)))
    }

    /// Definitions 2, 5 and 6: a history that breaks a precondition or postcondition.
    fn all_histories(&self, looked_at: &mut u64) -> Option<Breach> {
        let everything: Vec<usize> = (0..self.calls.len()).collect();
        let mut walk = Walk::new(&self.order, &everything);
        let mut broken = None;
        let _ = walk.each(&mut (self.contract.initial)(), &mut |state, step| {
            let Step::Call(call) = step else {
                *looked_at += 1;
                return ControlFlow::Continue(());
            };
            broken = self.step(state, call);
            if broken.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        broken.map(|clause| self.breach(clause, walk.placed))
    }

    /// A history made by choosing at random among what can come next.
    fn some_history(&self, random: &mut fastrand::Rng) -> Option<Breach> {
        let mut left: Vec<usize> = (0..self.calls.len()).collect();
        let (mut state, mut placed) = ((self.contract.initial)(), Vec::new());
        while !left.is_empty() {
            let is_next = |&call: &usize| !left.iter().any(|&other| self.order.orders(other, call));
            let next: Vec<usize> = left.iter().copied().filter(is_next).collect();
            let call = next[random.usize(..next.len())];
            left.retain(|&other| other != call);
            placed.push(call);
            if let Some(clause) = self.step(&mut state, call) {
                return Some(self.breach(clause, placed));
            }
        }
        None
    }

    /// Lets a call happen in a history; returns the clause that it breaks.
    fn step(&self, state: &mut S, call: usize) -> Option<Clause> {
        let Operation { precondition, postcondition, .. } = self.operations[call];
        if precondition.as_ref().is_some_and(|holds| !holds(state, &self.view(call, &Value::Nil))) {
            return Some(Clause::Precondition);
        }
        let s_ret = self.run(state, call);
        let is_broken = postcondition.as_ref().is_some_and(|holds| !holds(state, &self.view(call, &s_ret)));
        is_broken.then_some(Clause::Postcondition)
    }

    /// The call's side effect; returns S_RET.
    fn run(&self, state: &mut S, call: usize) -> Value {
        let effect = self.operations[call].side_effect.as_ref();
        effect.map_or(Value::Nil, |effect| effect(state, &self.view(call, &Value::Nil)))
    }

    fn view<'b>(&'b self, call: usize, s_ret: &'b Value) -> Call<'b> {
        let observed = self.calls[call];
        Call { c_ret: &observed.returned, s_ret, observed, concurrent: &self.concurrent[call] }
    }

    fn breach(&self, clause: Clause, history: Vec<usize>) -> Breach {
        let call = history.last().copied().unwrap_or_default();
        let told: Vec<String> = history.iter().map(|&call| self.calls[call].to_string()).collect();
        let sentence =
            format!("the {clause} of {} does not hold at the end of the history {}", self.calls[call], told.join("; "));
        Breach { clause, call, history, sentence }
    }
}

/// What happens next on the way through a history.
enum Step {
    /// This call.
    Call(usize),
    /// Nothing: all have happened.
    End,
}

/// All orders of some calls that respect r; orders that begin alike share the way so far.
struct Walk<'a> {
    order: &'a CallOrder,
    left: Vec<usize>,
    placed: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(order: &'a CallOrder, calls: &[usize]) -> Walk<'a> {
        debug_assert!(calls.iter().all(|&call| call < order.len()));
        Walk { order, left: calls.to_vec(), placed: Vec::new() }
    }

    /// Takes every way, until `visit` has seen enough.
    fn each<S: Clone>(
        &mut self,
        state: &mut S,
        visit: &mut dyn FnMut(&mut S, Step) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.left.is_empty() {
            return visit(state, Step::End);
        }
        for at in 0..self.left.len() {
            let call = self.left[at];
            if self.left.iter().any(|&other| self.order.orders(other, call)) {
                continue;
            }
            self.left.remove(at);
            self.placed.push(call);
            let mut then = state.clone();
            visit(&mut then, Step::Call(call))?;
            self.each(&mut then, visit)?;
            self.placed.pop();
            self.left.insert(at, call);
        }
        ControlFlow::Continue(())
    }
}
