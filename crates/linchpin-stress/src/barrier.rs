//! Where threads wait for each other without going to sleep.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::thread;

use crate::padded::Padded;

/// So many rounds of waiting before a thread gives its core away: longer than neighbours usually need, shorter than the
/// scheduler lets a thread run.
const PATIENCE: u32 = 5_000;

/// A barrier for a fixed number of threads. Who arrives last starts the next generation.
#[derive(Debug)]
pub(crate) struct Barrier {
    threads: usize,
    patience: u32,
    arrived: Padded<AtomicUsize>,
    generation: Padded<AtomicUsize>,
    abandoned: Padded<AtomicBool>,
}

/// The threads are not going to meet any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Abandoned;

impl Barrier {
    /// For so many threads. With fewer cores than threads, spinning would keep others from arriving.
    pub fn new(threads: usize, cores: usize) -> Barrier {
        let patience = if threads <= cores { PATIENCE } else { 0 };
        let (arrived, generation, abandoned) = Default::default();
        Barrier { threads, patience, arrived, generation, abandoned }
    }

    /// Waits for all others. The last to arrive does `last` before anybody goes on.
    pub fn wait(&self, last: impl FnOnce()) -> Result<(), Abandoned> {
        // Who is alone never waits, and is sent home here.
        if self.abandoned.load(Relaxed) {
            return Err(Abandoned);
        }
        // No newer generation can start before this thread has arrived.
        let generation = self.generation.load(Relaxed);
        if self.arrived.fetch_add(1, AcqRel) + 1 == self.threads {
            last();
            self.arrived.store(0, Relaxed);
            self.generation.store(generation.wrapping_add(1), Release);
            return Ok(());
        }
        let mut patience = self.patience;
        while self.generation.load(Acquire) == generation {
            if self.abandoned.load(Relaxed) {
                return Err(Abandoned);
            }
            if patience > 0 {
                patience -= 1;
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        Ok(())
    }

    /// Sends everybody home who waits now or later.
    pub fn abandon(&self) {
        self.abandoned.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads count in turns; nobody may see a count of another turn.
    fn turns(threads: usize, cores: usize) {
        let barrier = Barrier::new(threads, cores);
        let (count, lasts) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for turn in 1..=100 {
                        count.fetch_add(1, Relaxed);
                        barrier.wait(|| _ = lasts.fetch_add(1, Relaxed)).unwrap();
                        assert_eq!((count.load(Relaxed), lasts.load(Relaxed)), (turn * threads, turn));
                        barrier.wait(|| ()).unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_goes_on_before_all_have_arrived() {
        turns(1, 1);
        turns(2, 2);
        turns(5, 2);
    }

    #[test]
    fn who_waits_in_vain_is_sent_home() {
        let barrier = Barrier::new(2, 2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.wait(|| ()));
            barrier.abandon();
            assert_eq!(waiting.join().unwrap(), Err(Abandoned));
        });
    }
}
