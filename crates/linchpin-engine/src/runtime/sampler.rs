//! Who can go on in a run for sampling, and who is chosen.

use linchpin_graph::{Site, Step, ThreadId};
use linchpin_model::SplitMix;

use crate::replay::{Decision, ReplayStep};
use crate::rt::Access;
use crate::sampling::Turn;
use crate::sampling::guided::Guided;
use crate::sampling::ranking::Ranking;
use crate::sampling::structure::Place;

/// Who chooses the next thread.
#[derive(Debug)]
pub(crate) enum Chooser {
    Random,
    Ranked(Ranking),
    Guided(Guided),
}

/// What belongs to a sampling run.
#[derive(Debug)]
pub(crate) struct Sampler {
    pub(super) random: SplitMix,
    chooser: Chooser,
    /// Threads that can go on.
    pub(super) ready: Vec<ThreadId>,
    /// Threads that wait for a value; those that could go on now are among `ready` too.
    pub(super) waiting: Vec<Waiter>,
    /// Threads that have nothing to do until anything changes, or until nobody else can go on.
    pub(super) spinning: Vec<ThreadId>,
    /// The thread to go on, if that is decided.
    pub(super) next: Option<ThreadId>,
    /// The running thread may make its next access.
    pub(super) is_chosen: bool,
    /// Values of atomics outside the arenas, where they were written.
    pub(super) outside: Vec<(usize, u64)>,
    /// How often a choice among several threads was made.
    pub contested: u64,
    /// What happened, if it is to be replayed.
    pub record: Option<Vec<ReplayStep>>,
    /// Whose turn it was, if somebody wants to know.
    pub turns: Option<Vec<Turn>>,
    /// Where each thread made its steps, if something is to be learnt from that.
    pub ways: Option<Vec<Vec<Place>>>,
}

/// A thread that waits for a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub thread: ThreadId,
    pub access: Access,
    /// The value is one to go on with now.
    pub is_ready: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler {
            random: SplitMix::new(0),
            chooser: Chooser::Random,
            ready: Vec::new(),
            waiting: Vec::new(),
            spinning: Vec::new(),
            next: None,
            is_chosen: false,
            outside: Vec::new(),
            contested: 0,
            record: None,
            turns: None,
            ways: None,
        }
    }
}

impl Sampler {
    /// Forgets the last run.
    pub fn restart(&mut self, random: SplitMix, chooser: Chooser) {
        self.random = random;
        self.chooser = chooser;
        self.ready.clear();
        self.waiting.clear();
        self.spinning.clear();
        self.next = None;
        self.is_chosen = false;
        self.outside.clear();
        self.contested = 0;
        self.add(ThreadId::MAIN);
    }

    /// A new thread can go on.
    pub(super) fn add(&mut self, thread: ThreadId) {
        self.ready.push(thread);
        if let Chooser::Ranked(ranking) = &mut self.chooser {
            ranking.add(thread, &mut self.random);
        }
    }

    /// The thread to go on, which was chosen by the one before if that is why it stopped; none if all wait or have ended.
    pub(super) fn pick(&mut self) -> Option<ThreadId> {
        self.is_chosen = true;
        self.next.take().or_else(|| self.choose())
    }

    /// The thread to go on; none if all wait or have ended.
    #[inline(always)]
    pub(super) fn choose(&mut self) -> Option<ThreadId> {
        match *self.ready {
            [only] => Some(only),
            _ => self.choose_among_several(),
        }
    }

    /// [`Sampler::choose`] if there is a choice, or nobody is ready.
    #[inline(never)]
    fn choose_among_several(&mut self) -> Option<ThreadId> {
        match self.ready.len() {
            0 => {
                // Perhaps what they wait for came before they said so.
                std::mem::swap(&mut self.ready, &mut self.spinning);
                if self.ready.is_empty() { None } else { self.choose() }
            }
            several => {
                self.contested += 1;
                Some(match &mut self.chooser {
                    Chooser::Random => self.ready[self.random.below(several)],
                    Chooser::Ranked(ranking) => ranking.choose(&self.ready, &mut self.random),
                    Chooser::Guided(guided) => guided.choose(&self.ready),
                })
            }
        }
    }

    /// The thread cannot go on.
    pub(super) fn remove(&mut self, thread: ThreadId) {
        self.ready.retain(|&ready| ready != thread);
    }

    #[inline]
    pub(super) fn wake_spinning(&mut self) {
        if !self.spinning.is_empty() {
            self.ready.append(&mut self.spinning);
        }
    }

    /// The thread has ended.
    pub(super) fn end(&mut self, thread: ThreadId) {
        self.remove(thread);
        if let Chooser::Ranked(ranking) = &mut self.chooser {
            ranking.end(thread);
        }
    }

    /// `value` was written to `address`; `is_news` if something else was there before.
    #[inline]
    pub(super) fn wrote(&mut self, address: usize, value: u64, is_news: bool) {
        if !is_news {
            return;
        }
        self.wake_spinning();
        for at in 0..self.waiting.len() {
            let waiter = self.waiting[at];
            let is_ready = waiter.access.request.answer(value) != Step::Wait;
            if waiter.access.address != address || is_ready == waiter.is_ready {
                continue;
            }
            self.waiting[at].is_ready = is_ready;
            match is_ready {
                true => self.ready.push(waiter.thread),
                false => self.remove(waiter.thread),
            }
        }
    }

    /// Notes a read that will never be answered.
    pub(super) fn note_unanswered(&mut self, waiter: Waiter) {
        self.note(waiter.thread, &waiter.access.verb, Decision::None, waiter.access.site);
    }

    /// Notes what `thread` did.
    #[inline]
    pub(super) fn note(&mut self, thread: ThreadId, verb: &dyn std::fmt::Debug, decision: Decision, site: Site) {
        if let Some(record) = &mut self.record {
            note_in(record, thread, verb, decision, site);
        }
    }

    /// An operation of `thread` returns.
    pub(super) fn returned(&mut self, thread: ThreadId) {
        if let Chooser::Guided(guided) = &mut self.chooser {
            guided.returned(thread);
        }
    }

    /// `thread` was chosen and goes on, after so many calls and returns: with a step, or with one that it had to wait for. The latter was
    /// counted as a step when it was tried.
    #[inline]
    pub(super) fn takes_turn(&mut self, thread: ThreadId, time: u64) {
        if let Some(turns) = &mut self.turns {
            turns.push(Turn { thread, time });
        }
        if let Chooser::Guided(guided) = &mut self.chooser {
            guided.step(thread);
        }
    }

    /// `thread` makes a step, after so many calls and returns.
    #[inline]
    pub(super) fn step(&mut self, thread: ThreadId, place: Place, time: u64) {
        let is_followed = self.turns.is_some() || self.ways.is_some() || !matches!(self.chooser, Chooser::Random);
        if is_followed {
            self.follow_step(thread, place, time);
        }
    }

    fn follow_step(&mut self, thread: ThreadId, place: Place, time: u64) {
        self.takes_turn(thread, time);
        if let Chooser::Ranked(ranking) = &mut self.chooser {
            ranking.step(thread, place, &mut self.random);
        }
        if let Some(ways) = &mut self.ways {
            if ways.len() <= thread.at() {
                ways.resize(thread.at() + 1, Vec::new());
            }
            ways[thread.at()].push(place);
        }
    }
}

/// Out of the way of runs that are not recorded, which are nearly all.
#[cold]
fn note_in(record: &mut Vec<ReplayStep>, thread: ThreadId, verb: &dyn std::fmt::Debug, decision: Decision, site: Site) {
    record.push(ReplayStep::new(thread, format!("{verb:?}"), decision, site));
}

#[cfg(test)]
mod tests {
    use linchpin_graph::{Order, Request, Verb};

    use super::*;

    /// Waits for a zero at `address`.
    fn waiter(thread: u32, address: usize) -> Waiter {
        let step = |value, _, _| if value == 0 { Step::Write(1) } else { Step::Wait };
        let (order, site) = (Order::SeqCst, std::panic::Location::caller());
        let request = Request { step, a: 0, b: 0, order, failure: order };
        let access = Access { verb: Verb::Lock, address, size: 8, request, site };
        Waiter { thread: ThreadId(thread), access, is_ready: false }
    }

    #[test]
    fn who_waits_is_ready_exactly_while_it_could_go_on() {
        let waiting = vec![waiter(1, 8), waiter(2, 8), waiter(3, 16)];
        let mut sampler = Sampler { waiting, ..Sampler::default() };
        let mut after = |address, value| {
            sampler.wrote(address, value, true);
            let mut ready: Vec<u32> = sampler.ready.iter().map(|thread| thread.0).collect();
            ready.sort();
            ready
        };
        assert_eq!(after(8, 2), []);
        assert_eq!(after(8, 0), [1, 2]);
        assert_eq!(after(16, 0), [1, 2, 3]);
        // Somebody else was faster.
        assert_eq!(after(8, 1), [3]);
        assert_eq!(after(8, 0), [1, 2, 3]);
    }

    #[test]
    fn who_spins_is_ready_when_something_changes_or_nobody_else_is() {
        let (ready, spinning) = (vec![ThreadId(0)], vec![ThreadId(1)]);
        let mut sampler = Sampler { ready, spinning, ..Sampler::default() };
        sampler.wrote(8, 0, false);
        assert_eq!(sampler.choose(), Some(ThreadId(0)));
        sampler.remove(ThreadId(0));
        assert_eq!(sampler.choose(), Some(ThreadId(1)));
        sampler.remove(ThreadId(1));
        assert_eq!(sampler.choose(), None);

        sampler.ready = vec![ThreadId(0)];
        sampler.spinning = vec![ThreadId(1)];
        sampler.wrote(8, 0, true);
        assert_eq!(sampler.ready, [ThreadId(0), ThreadId(1)]);
    }
}
