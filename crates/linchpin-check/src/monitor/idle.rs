//! Operations that change nothing and say nothing: they have a place in every order, and only a witness asks for it.

use linchpin_model::OperationId;

use super::{Act, NEVER, Observed};

/// The order with the returned operations that the monitors did not look at.
///
/// In a valid order every operation can take effect at the latest call so far: that is after its own call, and before
/// its return, or else the operation with that call would have to come after it. An idle operation takes effect at
/// its own call.
pub(super) fn woven_in(history: &[Observed], order: Vec<OperationId>) -> Vec<OperationId> {
    let mut idle: Vec<(u32, OperationId)> = (0..)
        .map(OperationId)
        .zip(history)
        .filter(|(_, seen)| seen.act == Act::Nothing && seen.ret != NEVER)
        .map(|(id, seen)| (seen.call, id))
        .collect();
    if idle.is_empty() {
        return order;
    }
    idle.sort_unstable();
    let mut idle = idle.into_iter().peekable();
    let mut woven = Vec::with_capacity(history.len());
    let mut latest = 0;
    for id in order {
        latest = latest.max(history[id.index()].call);
        while let Some((_, earlier)) = idle.next_if(|&(call, _)| call < latest) {
            woven.push(earlier);
        }
        woven.push(id);
    }
    woven.extend(idle.map(|(_, id)| id));
    woven
}
