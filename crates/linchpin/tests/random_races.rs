//! Random programs race or not, whether their plain accesses are made at once or word by word.
//!
//! Two threads access words of memory, atomically or not, several at a time or one, and tell each other by flags where they are. What is
//! known of a large plain access is compared with the same program in which every word of it is an access of its own, so that
//! all accesses to the same memory begin at the same address. What a closure does in the midst of its access has an access before
//! and one after it there.

mod common;

use common::MODELS;
use fastrand::Rng;
use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::AtomicU32;
use linchpin::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use linchpin::{Builder, LoopReduction, MemoryModel, thread};

const WORDS: usize = 4;

/// What a thread does.
#[derive(Clone, Debug)]
enum Step {
    /// A plain access to so many words from the first on, and what is done meanwhile.
    Plain {
        first: usize,
        words: usize,
        is_write: bool,
        meanwhile: Vec<Step>,
    },
    Load {
        word: usize,
        order: Ordering,
    },
    Store {
        word: usize,
        order: Ordering,
    },
    SetFlag {
        flag: usize,
        order: Ordering,
    },
    /// What is done if the flag is set.
    IfFlag {
        flag: usize,
        order: Ordering,
        then: Vec<Step>,
    },
}

/// How plain accesses are made.
#[derive(Clone, Copy, Debug)]
enum Way {
    AtOnce,
    WordByWord,
}

#[derive(Default)]
struct Memory {
    words: [AtomicU32; WORDS],
    flags: [AtomicU32; 2],
}

impl Memory {
    /// A plain access to these words. It changes nothing, so that no word becomes another object.
    fn access(&self, first: usize, words: usize, is_write: bool, meanwhile: impl FnOnce()) {
        let start = (&raw const self.words).cast::<u32>().wrapping_add(first);
        let content = std::ptr::slice_from_raw_parts(start, words);
        // SAFETY: the cell has the layout of its content, which may be changed through a shared reference as atomics may.
        let cell = unsafe { &*(content as *const UnsafeCell<[u32]>) };
        match is_write {
            true => cell.with_mut(|_| meanwhile()),
            false => cell.with(|_| meanwhile()),
        }
    }

    fn run(&self, steps: &[Step], way: Way) {
        for step in steps {
            match *step {
                Step::Plain { first, words, is_write, ref meanwhile } => match way {
                    Way::AtOnce => self.access(first, words, is_write, || self.run(meanwhile, way)),
                    Way::WordByWord => {
                        (first..first + words).for_each(|word| self.access(word, 1, is_write, || ()));
                        if !meanwhile.is_empty() {
                            self.run(meanwhile, way);
                            (first..first + words).for_each(|word| self.access(word, 1, is_write, || ()));
                        }
                    }
                },
                Step::Load { word, order } => {
                    self.words[word].load(order);
                }
                Step::Store { word, order } => self.words[word].store(7, order),
                Step::SetFlag { flag, order } => self.flags[flag].store(1, order),
                Step::IfFlag { flag, order, ref then } => {
                    if self.flags[flag].load(order) == 1 {
                        self.run(then, way);
                    }
                }
            }
        }
    }
}

fn steps(random: &mut Rng, depth: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..random.usize(1..=3) {
        let (word, flag) = (random.usize(0..WORDS), random.usize(0..2));
        let inner = |random: &mut Rng| if depth > 0 { self::steps(random, depth - 1) } else { Vec::new() };
        steps.push(match random.u32(0..10) {
            0..4 => {
                let meanwhile = if random.u32(0..3) == 0 { inner(random) } else { Vec::new() };
                let words = random.usize(1..=WORDS - word);
                Step::Plain { first: word, words, is_write: random.bool(), meanwhile }
            }
            4 => Step::Load { word, order: Acquire },
            5 => Step::Store { word, order: Release },
            6..8 => Step::SetFlag { flag, order: if random.u32(0..4) == 0 { Relaxed } else { Release } },
            _ => {
                Step::IfFlag { flag, order: if random.u32(0..4) == 0 { Relaxed } else { Acquire }, then: inner(random) }
            }
        });
    }
    steps
}

/// Is there a data race?
fn races(model: MemoryModel, way: Way, workers: usize, threads: &[Vec<Step>; 3]) -> bool {
    let threads = threads.clone();
    let builder = Builder::new().memory_model(model).loops(LoopReduction::Off).workers(workers);
    let exploration = builder.explore(move || {
        let memory = Arc::new(Memory::default());
        let [first, second, own] = threads.clone();
        let start = |steps: Vec<Step>| {
            let memory = memory.clone();
            thread::spawn(move || memory.run(&steps, way))
        };
        let threads = [first, second].map(start);
        memory.run(&own, way);
        for thread in threads {
            thread.join().unwrap();
        }
    });
    let found = exploration.violation.map(|violation| violation.kind.name());
    assert!(matches!(found, None | Some("data race")), "{found:?}");
    found.is_some()
}

#[test]
fn large_accesses_race_where_their_words_do() {
    let programs: usize = std::env::var("LINCHPIN_PROGRAMS").map_or(1_000, |programs| programs.parse().unwrap());
    let mut racing = 0;
    for seed in 0..programs {
        let mut random = Rng::with_seed(seed as u64);
        let mut threads = [steps(&mut random, 2), steps(&mut random, 2), Vec::new()];
        // Who begins, the main thread or the first one, is also where the exploration does.
        threads.rotate_left(random.usize(0..3));
        for model in MODELS {
            let expected = races(model, Way::WordByWord, 1, &threads);
            for workers in [1, 3] {
                let found = races(model, Way::AtOnce, workers, &threads);
                assert_eq!(found, expected, "seed {seed}, {model:?}, {workers} workers: {threads:?}");
            }
            racing += usize::from(expected);
        }
    }
    // Neither answer is rare.
    assert!((programs / 2..programs * 3 / 2).contains(&racing), "{racing} of {} race", 2 * programs);
}
