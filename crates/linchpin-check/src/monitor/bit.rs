//! One bit that is switched and observed; values may repeat.
//!
//! A sweep over calls and returns that puts everything off: an operation takes effect only when something has to.
//!
//! * Call: an operation that observes the bit as it is takes effect at once.
//! * Return of an operation that has not taken effect: if it switches the bit as it is, it does so now. Otherwise the bit
//!   must be the other way first: of the open operations that would switch it, the one that returns first does so (if
//!   there is none, nothing explains the history). Then the returning operation observes, or switches back.
//! * After each switch, every open operation that observes the bit as it is now takes effect.
//!
//! *Nothing is missed.* Claim: if what has not taken effect yet can be completed to a linearization at all, it can after
//! each step. Take a completion.
//!
//! * An observation that fits takes effect now instead of later, which changes nothing for the others. (So none of those
//!   that observe the bit as it is are open, below.)
//! * Let `o` return and switch the bit as it is. The completion has `a1 b1 a2 b2 … an bn o` before the return, where the
//!   `a` switch the bit as it is and the `b` back, with observations in between. All of them are open, so
//!   `o b1 a1 b2 a2 … bn an` is as good: it starts with `o`, ends with the same bit, and both values of the bit occur if
//!   they did before.
//! * Let `o` return and need the other bit. The completion must have some switch before that, the first of which, `a`,
//!   switches the bit as it is; so there is one. Let `b` be the one that the sweep takes instead, which returns no later
//!   than `a`. If the completion has `b` too, exchange them: `b` has been called, and `a` is still open when `b` takes
//!   effect. If it has not, `b` never returns, and neither does `a`: take `b` instead of `a`.
//!
//! So when the sweep finds no switch, there is no completion, and that is so for the prefix that ends with this return:
//! the sweep has looked at nothing later, except for which of two open operations returns first, which is irrelevant if
//! both return later.
//!
//! What is pending: an observation need not take effect, and nothing follows if it does; a switch returns at the end of
//! time, and takes effect when it is needed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use linchpin_model::OperationId;

use super::{Act, Decision, NEVER, Op};
use crate::Unknown;
use crate::limits::Budget;

/// Decides a history of a bit. What contradicts what is not a matter of a few operations here; the caller has to find
/// out.
pub(super) fn decide(initial: bool, history: &[Op], budget: &Budget) -> Result<Decision, Unknown> {
    // Every time, followed by whose it is: the operation's position, doubled, and one more for a return.
    let mut times: Vec<u64> = Vec::with_capacity(2 * history.len());
    for (at, op) in (0_u64..).zip(history) {
        match op.act {
            Act::Observe(_) if op.is_pending() => continue,
            Act::Observe(_) | Act::Switch { .. } => {}
            _ => return Ok(Decision::NotApplicable),
        }
        times.push(u64::from(op.call) << 32 | at << 1);
        if op.ret != NEVER {
            times.push(u64::from(op.ret) << 32 | at << 1 | 1);
        }
    }
    times.sort_unstable();

    let mut sweep = Sweep {
        history,
        bit: initial,
        fired: vec![false; history.len()],
        order: Vec::with_capacity(history.len()),
        switches: Default::default(),
        observers: Default::default(),
    };
    for (step, time) in times.into_iter().enumerate() {
        if step % (1 << 14) == 0 {
            budget.check_time()?;
        }
        let at = time as u32 >> 1;
        if time & 1 == 0 {
            sweep.call(at);
        } else if sweep.ret(at).is_none() {
            return Ok(Decision::Violation { fails_at: history[at as usize].id, contradiction: None });
        }
    }
    Ok(Decision::Order(sweep.order))
}

struct Sweep<'a> {
    history: &'a [Op],
    bit: bool,
    fired: Vec<bool>,
    order: Vec<OperationId>,
    /// The switches that have been called, by what they switch to and when they return; some have taken effect since.
    switches: [BinaryHeap<Reverse<(u32, u32)>>; 2],
    /// The open observers, by what they observe.
    observers: [Vec<u32>; 2],
}

impl Sweep<'_> {
    fn call(&mut self, at: u32) {
        let op = &self.history[at as usize];
        match op.act {
            Act::Observe(bit) if bit == self.bit => self.fire(at),
            Act::Observe(bit) => self.observers[usize::from(bit)].push(at),
            Act::Switch { to } => self.switches[usize::from(to)].push(Reverse((op.ret, at))),
            _ => unreachable!("only bits are swept"),
        }
    }

    /// `None` if there is no way to let this operation return.
    fn ret(&mut self, at: u32) -> Option<()> {
        while !self.fired[at as usize] {
            if self.history[at as usize].act == (Act::Switch { to: !self.bit }) {
                self.switch(at);
            } else {
                let Reverse((_, first)) = self.switches[usize::from(!self.bit)].pop()?;
                if !self.fired[first as usize] {
                    self.switch(first);
                }
            }
        }
        Some(())
    }

    fn switch(&mut self, at: u32) {
        self.fire(at);
        self.bit = !self.bit;
        for observer in std::mem::take(&mut self.observers[usize::from(self.bit)]) {
            self.fire(observer);
        }
    }

    fn fire(&mut self, at: u32) {
        self.fired[at as usize] = true;
        self.order.push(self.history[at as usize].id);
    }
}
