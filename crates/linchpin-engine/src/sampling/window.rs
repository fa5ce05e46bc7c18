//! Windows: how many steps are left until operations begin that a run of PCT is not about.
//!
//! CGVT's structure trees are trees of *operations*. So its k covers what runs at the moment, one operation in each thread, and
//! an operation that begins is beyond the assumption. That is what makes long runs worth their while: change points that are
//! spread over thousands of operations hardly ever come two to an operation, which is what most faults take.
//!
//! Here a window is the next so many operations of each thread. Faults that lie within it are found with PCT's probability; how
//! many operations that takes is not known beforehand, so those who sample try windows of several lengths.
//!
//! The heuristic of the same paper (its version H) is that in the smallest test that shows a fault some thread has a single operation. It
//! cannot mean runs in which a thread has no more: those would find nothing whenever that operation only reads, and the paper's do. So it is
//! about windows: one thread, drawn by lot, has one operation in it, and the others may overtake it.
//!
//! How many steps an operation takes is the average of the run so far. The paper has trees that are written by hand, and
//! [`DPct`](super::Strategy::DPct) learns trees from runs of the same test; for a single run of a long test that would be sixteen runs
//! made for one.

use linchpin_model::SplitMix;

use super::structure::{Assumption, Place};

/// So many steps an operation takes as long as nothing is known.
const AT_FIRST: u64 = 8;

/// What is left of a window.
#[derive(Debug)]
pub(crate) struct Window {
    /// How many operations of each thread are in it.
    operations: u32,
    /// Does one of the threads have a single one?
    one_alone: bool,
    /// By thread.
    threads: Vec<Progress>,
    /// How many operations have begun, and how many steps have been made in all of them.
    calls: u64,
    steps: u64,
    /// How many steps may still be made before the window counts as left.
    patience: u64,
}

/// How far a thread is.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Has it called anything, and not ended?
    is_there: bool,
    /// So many operations may still begin.
    calls: u32,
    /// So many steps it has made since it called its last one.
    steps: u64,
}

impl Window {
    pub fn new(operations: u32, one_alone: bool) -> Window {
        Window { operations, one_alone, threads: Vec::new(), calls: 0, steps: 0, patience: u64::MAX }
    }

    /// How many steps are left.
    pub fn left(&self) -> u64 {
        let average =
            self.steps.checked_div(self.calls).unwrap_or(0).max(if self.calls < AT_FIRST { AT_FIRST } else { 1 });
        let of_thread =
            |progress: &Progress| u64::from(progress.calls) * average + average.saturating_sub(progress.steps);
        self.threads.iter().filter(|progress| progress.is_there).map(of_thread).sum()
    }

    /// `thread` makes a step at `place`. An operation that is not in the window begins the next one, and so does a step that makes
    /// the window twice as long as it was thought to be: who has the highest rank may be waiting for somebody else.
    pub fn step(&mut self, thread: usize, place: Place, random: &mut SplitMix) -> Assumption {
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Progress::default());
        }
        let is_call = matches!(place, Place::Call(_));
        let progress = &mut self.threads[thread];
        progress.is_there |= is_call;
        self.calls += u64::from(is_call);
        self.steps += u64::from(progress.is_there);
        self.patience = self.patience.saturating_sub(1);
        let is_left = self.patience == 0 || (is_call && progress.calls == 0);
        if is_left {
            self.threads.iter_mut().for_each(|progress| progress.calls = self.operations);
            let there = self.threads.iter().filter(|progress| progress.is_there).count();
            if self.one_alone && there > 0 {
                let alone = random.below(there);
                self.threads.iter_mut().filter(|progress| progress.is_there).nth(alone).expect("it is there").calls = 1;
            }
        }
        let progress = &mut self.threads[thread];
        progress.steps = if is_call { 1 } else { progress.steps + 1 };
        progress.calls -= u32::from(is_call);
        if is_left {
            self.patience = 2 * self.left() + AT_FIRST;
            return Assumption::IsLeft;
        }
        Assumption::Holds
    }

    /// `thread` has ended.
    pub fn end(&mut self, thread: usize) {
        if let Some(progress) = self.threads.get_mut(thread) {
            progress.is_there = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Place {
        Place::Source(std::panic::Location::caller())
    }

    #[test]
    fn a_window_ends_when_a_thread_begins_an_operation_too_many() {
        let mut window = Window::new(2, false);
        let mut call = |thread| window.step(thread, Place::Call(0), &mut SplitMix::new(0)) == Assumption::IsLeft;
        // A thread that is new is not in the window. Then two of each; and one more.
        assert_eq!([call(1), call(1), call(2)], [true, false, true]);
        assert_eq!([call(2), call(1), call(1), call(1)], [false, false, false, true]);
        // That one has one left, and the other has two.
        assert_eq!([call(1), call(2), call(2), call(2)], [false, false, false, true]);
    }

    #[test]
    fn who_goes_round_and_round_does_not_keep_the_others_waiting() {
        let mut window = Window::new(1, false);
        let random = &mut SplitMix::new(0);
        window.step(2, Place::Call(0), random);
        window.step(1, Place::Call(0), random);
        let left: Vec<u32> = (0..200).filter(|_| window.step(1, source(), random) == Assumption::IsLeft).collect();
        // As the average grows with it, each takes longer than the one before.
        assert!((2..10).contains(&left.len()), "{left:?}");
    }

    #[test]
    fn what_is_left_follows_from_the_average_of_the_operations_so_far() {
        let mut window = Window::new(1, false);
        let random = &mut SplitMix::new(0);
        assert_eq!(window.left(), 0);
        // Twenty operations of five steps each.
        for _ in 0..20 {
            window.step(1, Place::Call(0), random);
            for _ in 0..4 {
                window.step(1, source(), random);
            }
        }
        assert_eq!(window.left(), 0);
        window.step(1, Place::Call(0), random);
        assert_eq!(window.left(), 3, "one of the four steps that 101 / 21 make");
        // Another thread comes along: an operation of its own, and another one of the first.
        window.step(2, Place::Call(0), random);
        assert_eq!(window.left(), 3 + 4 + 3);
        window.end(1);
        assert_eq!(window.left(), 3);
    }
    #[test]
    fn each_thread_is_the_one_with_a_single_operation_as_often_as_the_others() {
        let random = &mut SplitMix::new(1);
        let mut window = Window::new(3, true);
        for thread in [1, 2, 3] {
            window.step(thread, Place::Call(0), random);
        }
        let mut alone = [0; 3];
        for _ in 0..3_000 {
            // Until the next window, which a call of thread 1 begins.
            while window.step(1, Place::Call(0), random) == Assumption::Holds {}
            let calls = [1, 2, 3].map(|thread| window.threads[thread].calls + u32::from(thread == 1));
            assert_eq!(calls.iter().sum::<u32>(), 3 + 3 + 1, "{calls:?}");
            alone[calls.iter().position(|&calls| calls == 1).expect("the sum is 7")] += 1;
        }
        // A thousand each, give or take six standard deviations.
        assert!(alone.iter().all(|&times| (845..=1_155).contains(&times)), "{alone:?}");
    }
}
