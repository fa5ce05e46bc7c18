//! What a batch is going to be.
//!
//! Threads overlap where they come to the same instance at the same time. All go over the instances in the same order, but
//! each batch is different: how often they wait for each other, by how much they miss each other after that, and which
//! instances are neighbours in time.

use std::time::{Duration, Instant};

use crate::{Ended, Options};

/// The most instances that are there at a time.
const LARGEST: usize = 4096;
/// Threads wait for each other after so many instances; after all of them is another possibility.
const STRIDES: [usize; 4] = [64, 16, 4, 1];
/// With fewer cores than threads, waiting means that others have to run first, so only the first so many are chosen.
const STRIDES_IN_A_CROWD: usize = 2;
/// After waiting, threads are late by up to so many rounds of a short loop.
const DELAYS: [u32; 4] = [0, 1, 4, 16];
/// Batches grow while they take less than this, so that going round costs nothing…
const SHORT: Duration = Duration::from_millis(2);
/// …and shrink when they take more than this, so that a budget of time is kept.
const LONG: Duration = Duration::from_millis(20);

/// One batch, and what is needed to plan the next.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Where the instances lie, in the order in which they are run: whose share, and which one there.
    pub order: Vec<(usize, usize)>,
    /// All wait for each other before each multiple of this.
    pub stride: usize,
    /// Then each waits for up to so many rounds.
    pub delay: u32,
    /// There is no batch any more.
    pub ended: Option<Ended>,
    threads: usize,
    /// Are there as many cores as threads?
    roomy: bool,
    begin: Instant,
    batch_begin: Instant,
    max_runs: u64,
    max_time: Duration,
    planned: u64,
    random: fastrand::Rng,
}

impl Plan {
    pub fn first(threads: usize, roomy: bool, options: &Options) -> Plan {
        let now = Instant::now();
        let mut plan = Plan {
            order: Vec::new(),
            stride: 1,
            delay: 0,
            ended: None,
            threads,
            roomy,
            begin: now,
            batch_begin: now,
            max_runs: options.max_runs.unwrap_or(u64::MAX),
            max_time: options.max_time.unwrap_or(Duration::MAX),
            planned: 0,
            random: fastrand::Rng::new(),
        };
        plan.batch(64);
        plan
    }

    /// Plans the next batch.
    pub fn next(&mut self) {
        let took = self.batch_begin.elapsed();
        let size = match self.order.len() {
            size if took < SHORT => (size * 2).min(LARGEST),
            size if took > LONG => (size / 2).max(1),
            size => size,
        };
        self.batch(size);
    }

    /// Nothing more.
    pub fn end(&mut self, why: Ended) {
        self.ended = Some(why);
    }

    fn batch(&mut self, size: usize) {
        self.batch_begin = Instant::now();
        let left = self.max_runs - self.planned;
        if left == 0 {
            return self.end(Ended::Runs);
        }
        if self.batch_begin - self.begin >= self.max_time {
            return self.end(Ended::Time);
        }
        let size = size.min(usize::try_from(left).unwrap_or(usize::MAX));
        self.planned += size as u64;
        self.order.clear();
        self.order.extend((0..size).map(|instance| (instance % self.threads, instance / self.threads)));
        self.random.shuffle(&mut self.order);
        let strides = if self.roomy { STRIDES.len() } else { STRIDES_IN_A_CROWD };
        self.stride = STRIDES[..strides].get(self.random.usize(..=strides)).copied().unwrap_or(size);
        self.delay = DELAYS[self.random.usize(..DELAYS.len())];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_add_up_to_the_runs_that_were_asked_for() {
        let options = Options { max_runs: Some(10_001), max_time: None, ..Options::default() };
        let mut plan = Plan::first(3, true, &options);
        let mut runs = 0;
        while plan.ended.is_none() {
            runs += plan.order.len();
            let mut instances: Vec<_> = plan.order.iter().map(|&(share, place)| place * 3 + share).collect();
            instances.sort();
            assert!(instances.iter().copied().eq(0..plan.order.len()), "each instance once");
            assert!(plan.stride >= 1);
            plan.next();
        }
        assert_eq!((runs, plan.ended), (10_001, Some(Ended::Runs)));
    }

    #[test]
    fn nothing_is_planned_without_runs_or_time() {
        let none = Options { max_runs: Some(0), ..Options::default() };
        assert_eq!(Plan::first(2, true, &none).ended, Some(Ended::Runs));
        let none = Options { max_time: Some(Duration::ZERO), ..Options::default() };
        assert_eq!(Plan::first(2, true, &none).ended, Some(Ended::Time));
    }

    #[test]
    fn without_a_core_for_each_threads_do_not_wait_often() {
        let options = Options { max_runs: Some(1_000_000), ..Options::default() };
        let mut plan = Plan::first(3, false, &options);
        for _ in 0..100 {
            assert!([16, 64, plan.order.len()].contains(&plan.stride), "{plan:?}");
            plan.next();
        }
    }
}
