//! `todc-utils`: it knows no parts, so it is asked about each of them. Everything must return, which is no loss: an
//! operation that may or may not have happened may as well happen after all others.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use todc_utils::{Action, History, Specification, WGLChecker};

use super::objects::{Act, Asked, Object, Operation};
use super::{Decided, timed};

/// Asks whether histories are linearizable.
pub(super) struct Ask<D> {
    /// Called when all are decided for the first time.
    pub decided: D,
}

/// An object as this checker wants it.
struct Of<O>(PhantomData<O>);

impl<O: Object> Specification for Of<O> {
    type State = O::State;
    type Operation = Act;

    fn init() -> O::State {
        O::initial()
    }

    fn apply(act: &Act, state: &O::State) -> (bool, O::State) {
        match O::step(state, *act) {
            Some(next) => (true, next),
            None => (false, O::initial()),
        }
    }
}

impl<D: FnOnce()> Asked for Ask<D> {
    fn ask<O: Object>(self, histories: Vec<Vec<Operation>>) -> Decided {
        let histories: Vec<Vec<History<Act>>> = histories.iter().map(|history| parts(history)).collect();
        // It wants histories that it may take to pieces.
        let prepare = || histories.clone();
        let all = |histories: Vec<Vec<History<Act>>>| {
            histories.into_iter().map(|parts| parts.into_iter().all(WGLChecker::<Of<O>>::is_linearizable)).collect()
        };
        let (verdicts, times) = timed(self.decided, prepare, all);
        Decided { verdicts, times, proof: None }
    }
}

/// A history for each key.
fn parts(history: &[Operation]) -> Vec<History<Act>> {
    let mut parts: BTreeMap<i64, Vec<&Operation>> = BTreeMap::new();
    for operation in history {
        parts.entry(operation.key).or_default().push(operation);
    }
    parts.into_values().map(|operations| part(&operations)).collect()
}

fn part(operations: &[&Operation]) -> History<Act> {
    // At equal times calls come before returns, since intervals are closed.
    let call =
        |operation: &Operation| ((operation.call, false), (operation.process as usize, Action::Call(operation.act)));
    let ret =
        |operation: &Operation| ((operation.ret, true), (operation.process as usize, Action::Response(operation.act)));
    let mut events: Vec<_> = operations.iter().flat_map(|operation| [call(operation), ret(operation)]).collect();
    events.sort_by_key(|(time, _)| *time);
    History::from_actions(events.into_iter().map(|(_, action)| action).collect())
}
