//! What sampling is asked to do, and what it has found.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use linchpin_graph::ThreadId;
use linchpin_model::Coverage;

use super::structure::Unit;
use crate::call::Call;
use crate::exploration::Progress;
use crate::replay::Replay;
use crate::violation::Violation;

/// How the next thread is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Strategy {
    /// Each thread that can go on is as likely as the others, at every step.
    #[default]
    Random,
    /// PCT (Burckhardt and others, ASPLOS 2010): threads have random priorities, the highest that can go on runs, and at
    /// `depth` − 1 random steps the thread that would run is put below all others. A run finds a fault of this depth with
    /// a probability of at least 1 / (n · k^(depth − 1)), for n threads and k steps.
    Pct {
        /// How many ordering constraints the faults have that are looked for.
        depth: u32,
        /// The k of the bound: no run has more steps at which several threads can go on. `None`: the most that the
        /// first [`SURVEY`] runs have.
        steps: Option<u64>,
    },
    /// PCT with a k that follows from the structure of each thread's code and is estimated anew when a run leaves
    /// what was assumed (D-PCT).
    DPct {
        /// As for PCT.
        depth: u32,
        /// The structure of each thread's code, by the thread's number; anything may be missing. `None`: learnt from the
        /// first [`SURVEY`] runs.
        structures: Option<Vec<Vec<Unit>>>,
    },
    /// PCT that starts over whenever a thread begins an operation after the next so many of its own. For long tests whose
    /// operations are marked: faults are found that take few operations, wherever in the run they are. Without operations that is
    /// the same as `Pct` of depth 1.
    PctInWindows {
        /// As for PCT, for each window.
        depth: u32,
        /// How many operations of each thread are in a window.
        operations: u32,
        /// Does one thread, drawn by lot for each window, have a single operation there? Faults that take several threads often
        /// need no more of one of them, and fewer steps are more likely to be chosen right.
        one_alone: bool,
    },
    /// The same threads in the same turns as somebody says, as far as that is possible: what is left of a run that is known
    /// when something about it has changed. Nothing is random but choices that the test makes.
    Guided(Vec<Guide>),
}

/// One turn of a guided run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guide {
    /// This thread makes one step, if it can; otherwise nothing happens.
    Step(ThreadId),
    /// This thread runs until it has returned from an operation that it is in or comes to, as far as it can go on. Other threads
    /// run only while it cannot.
    Call(ThreadId),
}

/// So many runs are random walks when something is to be learnt from them before the strategy is followed.
pub const SURVEY: u64 = 16;

/// Where freed memory goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// No address is used twice in a run, so that every use after free is seen.
    #[default]
    Never,
    /// The block that was freed last is the first to be handed out again, to whichever thread asks for one of its size: what
    /// ABA faults need.
    Lifo,
    /// The block that was freed first is the first to be handed out again.
    Fifo,
}

/// What sampling is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// How the next thread is chosen.
    pub strategy: Strategy,
    /// How many runs to make.
    pub runs: u64,
    /// All that is random follows from this: the same seed gives the same runs, on any number of workers.
    pub seed: u64,
    /// Where freed memory goes.
    pub reuse: Reuse,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { strategy: Strategy::Random, runs: 10_000, seed: 0, reuse: Reuse::Never }
    }
}

/// Looks at the calls of a complete run, in the order of their tags; returns what is wrong with them, if anything is.
pub type RunJudge<'a> = dyn Fn(&[Call]) -> Option<String> + Sync + 'a;

/// Is told the number of a run, and whose turn it was at each of its steps.
pub type TurnsHook<'a> = dyn Fn(u64, &[Turn]) + Sync + 'a;

/// Who wants to know what while sampling goes on.
#[derive(Clone, Copy)]
pub struct SamplingHooks<'a> {
    /// Says what is wrong with a complete run, if anything is: that makes it a violation. Asked by several workers at once,
    /// and again when a violation is run again for its report.
    pub judge: &'a RunJudge<'a>,
    /// Is told of every run when it has been judged. Turns are written down only if somebody wants to know them.
    pub turns: Option<&'a TurnsHook<'a>>,
    /// Is told now and then how far it is.
    pub progress: &'a dyn Fn(&Progress),
    /// Ends the sampling when it is set.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for SamplingHooks<'_> {
    fn default() -> Self {
        SamplingHooks { judge: &|_| None, turns: None, progress: &|_| {}, interrupt: None }
    }
}

/// What sampling has found.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The violation of the run with the lowest number.
    pub found: Option<Found>,
    /// How many runs violate; more than one only with [`Config::keep_going`](crate::Config::keep_going).
    pub violations: u64,
    /// How many runs were made, up to the first violation if that ended it.
    pub runs: u64,
    /// Runs in which all threads ended.
    pub complete: u64,
    /// Runs in which threads waited for ever, where that is no violation.
    pub blocked: u64,
    /// Runs in which some thread wanted too many events, so that it was cut there.
    pub cut: u64,
    /// The seed.
    pub seed: u64,
    /// The k that PCT or D-PCT began with.
    pub assumed_steps: Option<u64>,
    /// What ended it. Sampling never has all.
    pub coverage: Coverage,
    /// How long it took.
    pub elapsed: Duration,
}

/// A violation that sampling found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What happened, with the execution in which it did, in order of time.
    pub violation: Violation,
    /// The number of the run.
    pub run: u64,
    /// The run, for any later time.
    pub replay: Replay,
}

/// One step of a run: an access, the end of waiting for one, or the call of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who made it.
    pub thread: ThreadId,
    /// How many calls and returns of operations there had been: the time of [`Call`].
    pub time: u64,
}
