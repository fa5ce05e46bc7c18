//! `porcupine-rs`: it tells parts apart itself, and decides each in a thread of its own.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use porcupine_rs::{Model, check_operations};

use super::objects::{Act, Asked, Object, Operation};
use super::{Decided, timed};

/// Asks whether histories are linearizable.
pub(super) struct Ask<D> {
    /// Called when all are decided for the first time.
    pub decided: D,
}

/// An object as this checker wants it.
#[derive(Clone)]
struct Of<O>(PhantomData<O>);

impl<O: Object> Model for Of<O> {
    type State = O::State;
    /// The key, and what was done.
    type Op = (i64, Act);
    type Metadata = ();

    fn partition_operations(history: &[porcupine_rs::Operation<Self>]) -> Vec<Vec<porcupine_rs::Operation<Self>>> {
        let mut parts: BTreeMap<i64, Vec<porcupine_rs::Operation<Self>>> = BTreeMap::new();
        for operation in history {
            parts.entry(operation.op.0).or_default().push(operation.clone());
        }
        parts.into_values().collect()
    }

    fn init() -> O::State {
        O::initial()
    }

    fn step(state: &O::State, (_, act): &(i64, Act)) -> (bool, O::State) {
        match O::step(state, *act) {
            Some(next) => (true, next),
            None => (false, O::initial()),
        }
    }
}

impl<D: FnOnce()> Asked for Ask<D> {
    fn ask<O: Object>(self, histories: Vec<Vec<Operation>>) -> Decided {
        let translated = |history: &Vec<Operation>| history.iter().map(operation::<O>).collect::<Vec<_>>();
        let histories: Vec<Vec<porcupine_rs::Operation<Of<O>>>> = histories.iter().map(translated).collect();
        let all = |()| histories.iter().map(|history| check_operations(history)).collect();
        let (verdicts, times) = timed(self.decided, || (), all);
        Decided { verdicts, times, proof: None }
    }
}

fn operation<O: Object>(operation: &Operation) -> porcupine_rs::Operation<Of<O>> {
    porcupine_rs::Operation {
        client_id: u32::try_from(operation.process).ok(),
        call_time: operation.call,
        return_time: operation.ret,
        op: (operation.key, operation.act),
        metadata: None,
    }
}
