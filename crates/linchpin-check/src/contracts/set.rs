//! Several contracts at once.

use std::sync::Arc;

use linchpin_graph::Execution;

use super::call::Observed;
use super::check::{Histories, Judged};
use super::contract::Contract;
use super::order::CallOrder;
use super::verdict::{Breach, Clause, Conformance};

/// Contracts for objects of several types. One contract is a set of one:
///
/// ```
/// use linchpin_check::contracts::{Contract, Contracts};
/// # struct Lock;
/// # struct Flag;
/// let lock = Contract::of::<Lock>(|| false)
///     .operation("lock", |is_held, _| *is_held = true)
///     .precondition(|is_held, _| !is_held);
/// let both = Contracts::from(lock).and(Contract::of::<Flag>(|| ()));
/// ```
#[derive(Clone)]
#[must_use = "contracts do nothing until an execution is held against them"]
pub struct Contracts {
    all: Vec<Arc<dyn Judged>>,
}

impl Contracts {
    /// With another one.
    pub fn and<S: Clone + 'static>(mut self, contract: Contract<S>) -> Self {
        self.all.push(Arc::new(contract));
        self
    }

    /// Holds an execution against the contracts.
    pub fn check(&self, execution: &Execution, calls: &[Observed], histories: Histories) -> Conformance {
        self.check_order(calls, &CallOrder::of(execution, calls), histories)
    }

    /// As [`check`](Self::check), for calls whose order is known: `order` is by their places in `calls`.
    pub fn check_order(&self, calls: &[Observed], order: &CallOrder, histories: Histories) -> Conformance {
        if let Some(call) = order.cycle() {
            let sentence = format!("its ordering points put {} both before and after another call", calls[call]);
            return broken(Clause::Order, call, sentence);
        }
        let mut objects: Vec<u64> = calls.iter().map(|call| call.object).collect();
        objects.sort_unstable();
        objects.dedup();
        let mut looked_at = 0;
        let mut verdict = None;
        for object in objects {
            let members: Vec<usize> = (0..calls.len()).filter(|&call| calls[call].object == object).collect();
            let kind = calls[members[0]].kind;
            let Some(contract) = self.all.iter().find(|contract| contract.kind() == kind) else {
                return broken(Clause::Missing, members[0], format!("there is no contract for objects of type {kind}"));
            };
            match contract.judge(calls, &members, order, histories) {
                Conformance::Holds { histories } => looked_at += histories,
                // All have to be admissible before any is judged.
                found @ Conformance::Inadmissible(_) => return found,
                found => verdict = verdict.or(Some(found)),
            }
        }
        verdict.unwrap_or(Conformance::Holds { histories: looked_at })
    }
}

fn broken(clause: Clause, call: usize, sentence: String) -> Conformance {
    Conformance::Broken(Breach { clause, call, history: Vec::new(), sentence })
}

impl<S: Clone + 'static> From<Contract<S>> for Contracts {
    fn from(contract: Contract<S>) -> Self {
        Contracts { all: vec![Arc::new(contract)] }
    }
}

impl std::fmt::Debug for Contracts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all.iter().map(|contract| contract.kind())).finish()
    }
}
