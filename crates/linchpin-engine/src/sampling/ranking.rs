//! PCT and D-PCT: threads have ranks, and now and then whoever would run is put below all others.
//!
//! PCT draws d − 1 of the k steps of a run as change points. Here they are drawn as the run goes: a step is a change point
//! with probability c / r, if c change points and r steps are left. That picks each set of d − 1 of the k steps with the same
//! probability (it is Knuth's selection sampling), and takes no more than to know r. The low ranks that change points
//! give out come in random order, so a set of steps and an order of their ranks has probability
//! 1 / (k (k − 1) … (k − d + 2)), which is no less than PCT's 1 / k^(d − 1); with the n! equally likely orders of the threads,
//! of which PCT's argument needs one n-th, that is its bound.
//!
//! Steps at which only one thread can go on are not counted. A change there has the same effect as one at the thread's next
//! step at which another one can go on too.
//!
//! Under D-PCT, r is what the structure trees of all threads have left. If it turns out too large, since a shorter branch was
//! taken or a loop was left early, it falls by more than one; each of the remaining sets of steps gets more likely by that, so
//! the bound holds with the k from the beginning. If it was too small, the run has left the assumption. Nobody can keep the bound
//! then, who does not know beforehand how long a run gets: change points that came too early cannot be taken back. So PCT is
//! applied to the rest of the run as if that were a program of its own: new ranks, d − 1 change points, and a k that is the
//! new estimate. Faults that lie before that point are found with PCT's probability, and so are, from the state that the run is
//! in by then, those that lie after it; nothing is promised for those on both sides. Loops that go round too often are assumed to
//! go round as often again, so this happens a logarithmic number of times.

use std::sync::Arc;

use linchpin_graph::ThreadId;
use linchpin_model::SplitMix;

use super::structure::{Assumption, Cursor, Place, Trees};
use super::window::Window;

/// The ranks of a run's threads.
#[derive(Debug)]
pub(crate) struct Ranking {
    depth: u32,
    /// By thread; higher ones go first.
    ranks: Vec<u64>,
    /// Ranks below all others that change points have not given out yet.
    low: Vec<u64>,
    left: Left,
}

/// What is known of the steps that are left.
#[derive(Debug)]
pub(crate) enum Left {
    /// So many.
    Steps(u64),
    /// What the trees say, by thread.
    Trees(Arc<Trees>, Vec<Cursor>),
    /// What is left of a window.
    Window(Window),
}

impl Left {
    pub fn of_trees(trees: &Arc<Trees>) -> Left {
        Left::Trees(trees.clone(), trees.cursors())
    }

    pub fn count(&self) -> u64 {
        match self {
            Left::Steps(steps) => *steps,
            Left::Trees(_, cursors) => cursors.iter().map(Cursor::left).sum(),
            Left::Window(window) => window.left(),
        }
    }
}

/// Ranks of threads that no change point has put down.
const HIGH: u64 = 1 << 63;

impl Ranking {
    pub fn new(depth: u32, left: Left, random: &mut SplitMix) -> Ranking {
        let mut ranking = Ranking { depth, ranks: Vec::new(), low: Vec::new(), left };
        ranking.begin(random);
        ranking
    }

    /// PCT from here on.
    fn begin(&mut self, random: &mut SplitMix) {
        self.ranks.iter_mut().for_each(|rank| *rank = random.bits() | HIGH);
        self.low = (1..u64::from(self.depth)).collect();
        for last in (1..self.low.len()).rev() {
            self.low.swap(last, random.below(last + 1));
        }
    }

    /// A thread is there.
    pub fn add(&mut self, thread: ThreadId, random: &mut SplitMix) {
        debug_assert_eq!(thread.at(), self.ranks.len());
        self.ranks.push(random.bits() | HIGH);
    }

    /// Which of these, several, goes on.
    pub fn choose(&mut self, ready: &[ThreadId], random: &mut SplitMix) -> ThreadId {
        let left = self.left.count();
        if !self.low.is_empty() && left > 0 && random.below(left as usize) < self.low.len() {
            let first = self.first(ready);
            self.ranks[first.at()] = self.low.pop().expect("just seen");
        }
        if let Left::Steps(steps) = &mut self.left {
            *steps = steps.saturating_sub(1);
        }
        self.first(ready)
    }

    fn first(&self, ready: &[ThreadId]) -> ThreadId {
        *ready.iter().max_by_key(|thread| self.ranks[thread.at()]).expect("there are several")
    }

    /// `thread` makes a step at `place`.
    pub fn step(&mut self, thread: ThreadId, place: Place, random: &mut SplitMix) {
        let assumption = match &mut self.left {
            Left::Steps(_) => Assumption::Holds,
            Left::Trees(trees, cursors) => trees.step(cursors, thread.at(), place),
            Left::Window(window) => window.step(thread.at(), place, random),
        };
        if assumption == Assumption::IsLeft {
            self.begin(random);
        }
    }

    /// `thread` has ended.
    pub fn end(&mut self, thread: ThreadId) {
        match &mut self.left {
            Left::Steps(_) => {}
            Left::Trees(_, cursors) => cursors.get_mut(thread.at()).into_iter().for_each(Cursor::end),
            Left::Window(window) => window.end(thread.at()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const THREADS: [ThreadId; 2] = [ThreadId(0), ThreadId(1)];

    /// The steps at which ranks change, with the ranks that are given out, in a run of `steps` steps.
    fn changes(depth: u32, steps: u64, seed: u64) -> Vec<(u64, u64)> {
        let mut random = SplitMix::new(seed);
        let mut ranking = Ranking::new(depth, Left::Steps(steps), &mut random);
        THREADS.iter().for_each(|&thread| ranking.add(thread, &mut random));
        let mut changes = Vec::new();
        for step in 0..steps {
            let before = ranking.low.clone();
            ranking.choose(&THREADS, &mut random);
            if ranking.low.len() < before.len() {
                changes.push((step, *before.last().unwrap()));
            }
        }
        changes
    }

    /// As often as expected, give or take six standard deviations of a binomial distribution.
    fn is_about(count: u64, runs: u64, probability: f64) -> bool {
        let expected = runs as f64 * probability;
        (count as f64 - expected).abs() <= 6.0 * (expected * (1.0 - probability)).sqrt()
    }

    #[test]
    fn every_set_of_change_points_in_every_order_of_ranks_is_as_likely_as_the_others() {
        let (depth, steps, runs) = (3, 5, 40_000);
        let mut seen: BTreeMap<Vec<(u64, u64)>, u64> = BTreeMap::new();
        for seed in 0..runs {
            *seen.entry(changes(depth, steps, seed)).or_default() += 1;
        }
        // Two of five steps, and the ranks 1 and 2 in two orders.
        assert_eq!(seen.len(), 10 * 2);
        assert!(seen.values().all(|&count| is_about(count, runs, 1.0 / 20.0)), "{seen:?}");
    }

    #[test]
    fn without_change_points_each_order_of_three_threads_is_as_likely_as_the_others() {
        let ids = [0, 1, 2].map(ThreadId);
        let runs = 12_000;
        let mut seen: BTreeMap<Vec<ThreadId>, u64> = BTreeMap::new();
        for seed in 0..runs {
            let mut random = SplitMix::new(seed);
            let mut ranking = Ranking::new(1, Left::Steps(100), &mut random);
            ids.iter().for_each(|&thread| ranking.add(thread, &mut random));
            let first = ranking.choose(&ids, &mut random);
            let others: Vec<ThreadId> = ids.into_iter().filter(|&id| id != first).collect();
            let second = ranking.choose(&others, &mut random);
            *seen.entry(vec![first, second]).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&count| is_about(count, runs, 1.0 / 6.0)), "{seen:?}");
    }
}
