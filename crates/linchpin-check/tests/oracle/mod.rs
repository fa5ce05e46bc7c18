//! What is right, by trying everything: every order of the operations that real time (or the given pairs) allows, with
//! every subset of the pending ones. Shares nothing with the crate but the specification's steps.

use linchpin_model::{History, Interval, Operation, OperationId, Specification};

pub type HistoryOf<S> = History<<S as Specification>::Invocation, <S as Specification>::Returned>;

/// Is there an order?
pub fn is_linearizable<S: Specification>(specification: &S, history: &HistoryOf<S>) -> bool {
    is_linearizable_from(specification, history, &specification.initial())
}

/// Is there an order if the history begins in this state?
pub fn is_linearizable_from<S: Specification>(specification: &S, history: &HistoryOf<S>, state: &S::State) -> bool {
    let n = history.len();
    let ids: Vec<OperationId> = history.ids().collect();
    let precedes: Vec<Vec<bool>> = match history.pairs() {
        None => ids.iter().map(|&a| ids.iter().map(|&b| history.precedes(a, b)).collect()).collect(),
        Some(pairs) => {
            let mut before = vec![vec![false; n]; n];
            for &(a, b) in pairs {
                before[a.index()][b.index()] = true;
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        before[i][j] |= before[i][k] && before[k][j];
                    }
                }
            }
            before
        }
    };
    place(specification, history, &precedes, &mut vec![false; n], state)
}

fn place<S: Specification>(
    specification: &S,
    history: &HistoryOf<S>,
    precedes: &[Vec<bool>],
    placed: &mut Vec<bool>,
    state: &S::State,
) -> bool {
    if history.ids().all(|id| placed[id.index()] || !history[id].returned) {
        return true;
    }
    for next in 0..placed.len() {
        if placed[next] || (0..placed.len()).any(|other| !placed[other] && precedes[other][next]) {
            continue;
        }
        let operation = &history.operations()[next];
        let mut states = Vec::new();
        specification.step(state, &operation.invocation, operation.result.as_ref(), &mut states);
        placed[next] = true;
        let found = states.iter().any(|state| place(specification, history, precedes, placed, state));
        placed[next] = false;
        if found {
            return true;
        }
    }
    false
}

/// The operation whose return ends the shortest prefix for which there is no order.
pub fn fails_at<S: Specification>(specification: &S, history: &HistoryOf<S>) -> Option<OperationId> {
    let intervals = history.intervals().expect("a history in real time");
    let mut returns: Vec<OperationId> = history.ids().filter(|id| history[*id].returned).collect();
    returns.sort_by_key(|id| intervals[id.index()].ret);
    returns.into_iter().find(|&last| {
        let end = intervals[last.index()].ret;
        let mut prefix = History::new();
        for (id, &Interval { call, ret }) in history.ids().zip(intervals) {
            if call <= end {
                let ret = if ret <= end { ret } else { Interval::NEVER };
                let returned = ret != Interval::NEVER;
                prefix.push(Operation { returned, ..history[id].clone() }, Interval { call, ret });
            }
        }
        !is_linearizable(specification, &prefix)
    })
}
