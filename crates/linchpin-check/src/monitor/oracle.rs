//! What is linearizable, by trying every order: slow, short, and with no part of the monitors.

use linchpin_model::OperationId;

use super::{Act, NEVER, Observed, Watched};

/// A small state: a register's value, a bit, or the elements of a collection in the order in which they came.
#[derive(Debug, Clone, Copy)]
struct State {
    items: [u32; 12],
    len: usize,
}

impl State {
    fn initial(watched: Watched) -> State {
        let mut state = State { items: [0; 12], len: 0 };
        match watched {
            Watched::Register { initial } => state.push(initial),
            Watched::Bit { initial } => state.push(initial.into()),
            _ => {}
        }
        state
    }

    fn push(&mut self, item: u32) {
        self.items[self.len] = item;
        self.len += 1;
    }

    /// Where the element is that comes out next.
    fn next_out(&self, watched: Watched) -> Option<usize> {
        let items = &self.items[..self.len];
        match watched {
            Watched::Queue => (!items.is_empty()).then_some(0),
            Watched::Stack => items.len().checked_sub(1),
            Watched::PriorityQueue => (0..items.len()).max_by_key(|&at| items[at]),
            _ => unreachable!("not a collection"),
        }
    }

    fn remove(&mut self, at: usize) {
        self.items.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }

    /// The state after the operation, if it can be done.
    fn after(mut self, watched: Watched, act: Act) -> Option<State> {
        match act {
            Act::Nothing => {}
            Act::Write(value) => self.items[0] = value,
            Act::Read(value) => (self.items[0] == value).then_some(())?,
            Act::Observe(bit) => (self.items[0] == bit.into()).then_some(())?,
            Act::Switch { to } => {
                (self.items[0] != to.into()).then_some(())?;
                self.items[0] = to.into();
            }
            Act::Add(value) => self.push(value),
            Act::FindEmpty => (self.len == 0).then_some(())?,
            Act::Remove(value) => {
                let at = self.next_out(watched).filter(|&at| self.items[at] == value)?;
                self.remove(at);
            }
            Act::RemoveUnknown => {
                if let Some(at) = self.next_out(watched) {
                    self.remove(at);
                }
            }
        }
        Some(self)
    }
}

/// Is there an order of all returned operations, and some of the others, that explains the results?
pub(super) fn linearizable(watched: Watched, history: &[Observed]) -> bool {
    fn search(watched: Watched, history: &[Observed], done: u32, state: State) -> bool {
        let open = || (0..history.len()).filter(|at| done >> at & 1 == 0);
        let deadline = open().map(|at| history[at].ret).min().unwrap_or(NEVER);
        if deadline == NEVER {
            return true;
        }
        // Whatever is called later comes after what returns first.
        open().filter(|&at| history[at].call < deadline).any(|at| {
            let next = state.after(watched, history[at].act);
            next.is_some_and(|next| search(watched, history, done | 1 << at, next))
        })
    }
    search(watched, history, 0, State::initial(watched))
}

/// Does this order explain the results?
pub(super) fn explains(watched: Watched, history: &[Observed], order: &[OperationId]) -> bool {
    let mut done = vec![false; history.len()];
    let mut state = State::initial(watched);
    let mut latest_call = 0;
    for id in order {
        let seen = &history[id.index()];
        latest_call = latest_call.max(seen.call);
        // Nothing that has been ordered before it was called after it returned.
        if std::mem::replace(&mut done[id.index()], true) || seen.ret < latest_call {
            return false;
        }
        match state.after(watched, seen.act) {
            Some(next) => state = next,
            None => return false,
        }
    }
    history.iter().zip(done).all(|(seen, done)| done || seen.ret == NEVER)
}

/// The history as it was when `still_open` says of returns that they had not happened.
pub(super) fn prefix(history: &[Observed], cut: u32, inclusive: bool) -> Vec<Observed> {
    let mut prefix = Vec::new();
    for &seen in history {
        if seen.call < cut {
            let returned = if inclusive { seen.ret <= cut } else { seen.ret < cut };
            prefix.push(if returned { seen } else { Observed { ret: NEVER, ..seen } });
        }
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(act: Act, call: u32, ret: u32) -> Observed {
        Observed { act, call, ret }
    }

    #[test]
    fn a_read_during_a_write_sees_either_value() {
        let watched = Watched::Register { initial: 0 };
        for read in [0, 1] {
            assert!(linearizable(watched, &[seen(Act::Write(1), 0, 3), seen(Act::Read(read), 1, 2)]));
        }
        assert!(!linearizable(watched, &[seen(Act::Write(1), 0, 1), seen(Act::Read(0), 2, 3)]));
        assert!(linearizable(watched, &[seen(Act::Write(1), 0, NEVER), seen(Act::Read(0), 2, 3)]));
    }

    #[test]
    fn queues_stacks_and_priority_queues_give_different_elements() {
        let history = |out| {
            [seen(Act::Add(2), 0, 1), seen(Act::Add(3), 2, 3), seen(Act::Add(1), 4, 5), seen(Act::Remove(out), 6, 7)]
        };
        for (watched, out) in [(Watched::Queue, 2), (Watched::Stack, 1), (Watched::PriorityQueue, 3)] {
            for other in 1..=3 {
                assert_eq!(linearizable(watched, &history(other)), other == out);
            }
        }
    }
}
