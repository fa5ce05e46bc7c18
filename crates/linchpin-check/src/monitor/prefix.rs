//! What a history was at an earlier time.
//!
//! At a cut, the operations that have been called are there; those that return later are pending, with the results
//! that they will return: they may have taken effect with these results, or not yet. Explaining a longer prefix
//! explains every shorter one (leave out the open operations that the cut does not know, keep the order), so there is
//! a first return at which the explanations end.

use super::{NEVER, Op};

/// The history right after the return at `cut`.
pub(super) fn until(history: &[Op], cut: u32) -> Vec<Op> {
    open_at(history, cut, |ret| ret > cut)
}

/// The history right before the return at `cut`.
pub(super) fn before(history: &[Op], cut: u32) -> Vec<Op> {
    open_at(history, cut, |ret| ret >= cut)
}

fn open_at(history: &[Op], cut: u32, is_open: impl Fn(u32) -> bool) -> Vec<Op> {
    let called = history.iter().filter(|op| op.call < cut);
    called.map(|op| Op { ret: if is_open(op.ret) { NEVER } else { op.ret }, ..*op }).collect()
}

/// The first of these times, which are sorted, for which `fails` says so; it does for the last one, and whenever it
/// does for an earlier one.
pub(super) fn first_failing<E>(times: &[u32], mut fails: impl FnMut(u32) -> Result<bool, E>) -> Result<u32, E> {
    let (mut low, mut high) = (0, times.len() - 1);
    while low < high {
        let middle = low.midpoint(high);
        if fails(times[middle])? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(times[low])
}
