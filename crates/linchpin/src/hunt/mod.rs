//! Hunting: long runs until one is wrong, then the smallest client that fails like it (CGVT).

mod detect;
mod history;
mod kind;
mod locate;
mod native;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use linchpin_engine::Strategy;
use linchpin_generate::long_client;
use linchpin_model::{AnyObject, Client, Object, SplitMix};

pub use detect::Detected;
use history::Decider;
pub use locate::Located;

use crate::builder::announcer;
use crate::shrink::{Shrunk, shrink};
use crate::{Builder, ClientTest, MemoryModel, Settings, reports};

/// How many values arguments take, in turns.
const VALUES: [usize; 4] = [2, 3, 4, 8];

/// How many operations of each thread are in a window of D-PCT, in turns of all numbers of values: most faults take one operation of
/// each thread, some take one that is overtaken by several.
const WINDOWS: [u32; 3] = [1, 4, 16];

/// After so many wrong runs of which no small client could be made, no other ones are looked for. Not every run can be located: one that
/// does not come to its end has no history, and a native one has no schedule to follow. Another run of the same object may do.
const WRONG_RUNS: usize = 5;

/// Exploring one client may take this long, unless the builder says something else.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs an object through long random clients until a history is wrong, then finds the smallest client that fails like it.
///
/// Long runs reach states that small clients do not. What is found is shrunk to a client that is explored, so that what is
/// reported is the same as from [`check`](crate::check).
///
/// ```
/// use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// linchpin::object! {
///     Counter: AtomicU32 = AtomicU32::new(0);
///     fn add(&self) -> u32 = |counter: &AtomicU32| {
///         let before = counter.load(SeqCst);
///         counter.store(before + 1, SeqCst);
///         before
///     };
/// }
///
/// let hunted = linchpin::hunt::<Counter>().operations(20).explore();
/// assert_eq!(hunted.shrunk.unwrap().minimum.client.to_string(), "{ add() } || { add() }");
/// ```
pub fn hunt<O: Object>() -> Hunt {
    Hunt::of(AnyObject::of::<O>())
}

/// Who decides which thread goes on in a long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// The machine: native threads.
    Native,
    /// At every step each thread with the same probability.
    Random,
    /// PCT of this depth: see [`Strategy::Pct`](crate::Strategy::Pct).
    Pct {
        /// How many ordering constraints the faults have that are looked for.
        depth: u32,
    },
    /// D-PCT of this depth as CGVT has it, for a few operations at a time: see
    /// [`Strategy::PctInWindows`](crate::Strategy::PctInWindows).
    DPct {
        /// How many ordering constraints the faults have that are looked for.
        depth: u32,
    },
}

impl Default for Scheduler {
    fn default() -> Self {
        Scheduler::DPct { depth: 4 }
    }
}

/// How an object is going to be hunted.
#[must_use = "nothing is run before `run` or `explore`"]
pub struct Hunt {
    builder: Builder,
    threads: usize,
    operations: usize,
    values: Option<usize>,
    histories: usize,
    scheduler: Scheduler,
    one_operation: bool,
    seed: u64,
    object: AnyObject,
}

/// What came of a hunt.
#[derive(Clone, Debug)]
pub struct Hunted {
    /// The object's name.
    pub object: &'static str,
    /// How many long runs there were.
    pub histories: usize,
    /// How many of their histories could not be decided.
    pub undecided: usize,
    /// Somebody wanted it to end, so there may be more to know.
    pub is_interrupted: bool,
    /// The run that was wrong: the first, or the first of which a small client could be made.
    pub detected: Option<Detected>,
    /// A client cut out of it that fails when it is explored.
    pub located: Option<Located>,
    /// The smallest client that fails like it; `None` if nothing was detected, or nothing could be made of it.
    pub shrunk: Option<Shrunk>,
    /// How long it took.
    pub phases: Phases,
}

/// How long the phases of a hunt took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    /// Running long clients.
    pub running: Duration,
    /// Deciding their histories.
    pub deciding: Duration,
    /// From a long run to a client that can be explored.
    pub locating: Duration,
    /// From there to the smallest client.
    pub shrinking: Duration,
}

impl Hunt {
    /// As [`hunt`], of an object as a value.
    pub fn of(object: AnyObject) -> Hunt {
        let settings = Settings::here();
        Hunt {
            builder: Builder::new().memory_model(settings.model.unwrap_or(MemoryModel::Sc)),
            threads: settings.hunt_threads.unwrap_or(2),
            operations: settings.hunt_operations.unwrap_or(50),
            values: settings.hunt_values,
            histories: settings.hunt_histories.unwrap_or(80),
            scheduler: Scheduler::default(),
            one_operation: false,
            seed: settings.seed.unwrap_or(0),
            object,
        }
    }

    /// With the budgets and findings of this builder. The memory model counts only where clients are explored.
    pub fn with(mut self, builder: Builder) -> Self {
        self.builder = builder;
        self
    }

    /// How many threads. 2 by default.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// How many operations in each thread. 50 by default.
    pub fn operations(mut self, operations: usize) -> Self {
        self.operations = operations;
        self
    }

    /// How many values an argument takes. By default 2, 3, 4 and 8 in turns: some faults need few, some need many; what is put into
    /// a queue or a stack takes as many as there are.
    pub fn values(mut self, values: usize) -> Self {
        self.values = Some(values);
        self
    }

    /// How many runs to make until one is wrong. 80 by default.
    pub fn histories(mut self, histories: usize) -> Self {
        self.histories = histories;
        self
    }

    /// Who decides which thread goes on. By default D-PCT of depth 4.
    pub fn scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = scheduler;
        self
    }

    /// Does D-PCT let one thread run a single operation at a time, and the others several? Faults that take several threads often
    /// need no more of one of them. It makes no difference if somebody else decides which thread goes on. Not by default.
    pub fn one_operation(mut self, one_operation: bool) -> Self {
        self.one_operation = one_operation;
        self
    }

    /// Another seed gives other runs. 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Hunts, prints what was found, and panics with a report if a run is wrong. It ends with what is known about the
    /// [cause](ClientTest::explain).
    ///
    /// # Panics
    /// If a run is wrong.
    #[track_caller]
    pub fn run(&self) -> Hunted {
        println!("linchpin: hunting {}", self.object.name());
        if let Some(test) = ClientTest::asked_for(self.object) {
            test.with(self.builder.clone()).run();
            return Hunted::nothing_yet(self.object.name());
        }
        let hunted = self.explore_telling(&AtomicBool::new(false), &announcer());
        println!("linchpin: {hunted}");
        if let Some(Shrunk { minimum, .. }) = &hunted.shrunk {
            println!(
                "linchpin: on its own: linchpin::client::<{}>(r#\"{}\"#).run()",
                self.object.name(),
                minimum.client
            );
        }
        if let Some(found) = hunted.found(self.object, &self.builder, &AtomicBool::new(false)) {
            reports::fail(found);
        }
        hunted
    }

    /// Hunts, and returns what was found, whatever that is. Prints nothing.
    #[track_caller]
    pub fn explore(&self) -> Hunted {
        self.explore_until(&AtomicBool::new(false))
    }

    /// As [`explore`](Self::explore); when `interrupt` is set, ends with what is known so far.
    #[track_caller]
    pub fn explore_until(&self, interrupt: &AtomicBool) -> Hunted {
        self.explore_telling(interrupt, &|_, _| {})
    }

    /// As [`explore_until`](Self::explore_until); tells how far it is: which share of what is being done, where that can be said,
    /// and what that is.
    #[track_caller]
    pub(crate) fn explore_telling(&self, interrupt: &AtomicBool, tell: &dyn Fn(Option<f64>, &str)) -> Hunted {
        let start = Instant::now();
        let mut hunted = Hunted::nothing_yet(self.object.name());
        let decider = Decider::new(self.object);
        let mut wrong_runs = 0;
        while hunted.histories < self.histories
            && hunted.shrunk.is_none()
            && wrong_runs < WRONG_RUNS
            && !interrupt.load(Relaxed)
        {
            let (made, rate) = (hunted.histories, hunted.histories as f64 / start.elapsed().as_secs_f64().max(0.001));
            let line = format!("{made} of {} runs, {rate:.0} per second, {wrong_runs} wrong", self.histories);
            tell(Some(made as f64 / self.histories as f64), &line);
            let Some(detected) = self.try_one(&mut hunted, &decider) else { continue };
            wrong_runs += 1;
            tell(None, &format!("run {} is wrong; looking for a small client that fails like it", detected.run));
            self.shrink(&detected, &mut hunted, &decider, interrupt, tell);
            // The first one is the one to report, unless a later one can be made small.
            if hunted.detected.is_none() || hunted.shrunk.is_some() {
                hunted.detected = Some(detected);
            }
        }
        hunted.is_interrupted = interrupt.load(Relaxed);
        hunted
    }

    /// Makes one more run; returns it if it is wrong.
    fn try_one(&self, hunted: &mut Hunted, decider: &Decider) -> Option<Detected> {
        let number = hunted.histories as u64;
        hunted.histories += 1;
        let mut client = self.client(number)?;
        if self.values.is_none() {
            decider.tell_apart(&mut client);
        }
        let window = WINDOWS[number as usize / VALUES.len() % WINDOWS.len()];
        let seed = self.seed ^ number;
        let run = match self.strategy(window) {
            None => detect::run_natively(self.object, &client, decider),
            Some(strategy) => detect::sample(self.object, &client, strategy, seed, &self.long_builder(), decider),
        };
        hunted.phases.running += run.running;
        hunted.phases.deciding += run.deciding;
        hunted.undecided += usize::from(run.is_unknown);
        run.detected.map(|detected| Detected { run: hunted.histories, ..detected })
    }

    /// Of so many runs, how many are wrong; with the time that running and deciding took.
    pub fn count(&self) -> (usize, Phases) {
        let mut hunted = Hunted::nothing_yet(self.object.name());
        let decider = Decider::new(self.object);
        let mut wrong = 0;
        while hunted.histories < self.histories {
            wrong += usize::from(self.try_one(&mut hunted, &decider).is_some());
        }
        (wrong, hunted.phases)
    }

    /// The client of a run.
    fn client(&self, number: u64) -> Option<Client> {
        let lengths = vec![self.operations; self.threads];
        let seed = SplitMix::of_part(self.seed, number).bits();
        let values = self.values.unwrap_or(VALUES[number as usize % VALUES.len()]);
        long_client(&self.object.operations(), &lengths, values, seed)
    }

    /// How a run is sampled, with so many operations in a window; `None` if it is a native one.
    fn strategy(&self, window: u32) -> Option<Strategy> {
        match self.scheduler {
            Scheduler::Native => None,
            Scheduler::Random => Some(Strategy::Random),
            Scheduler::Pct { depth } => Some(Strategy::Pct { depth, steps: None }),
            Scheduler::DPct { depth } => {
                Some(Strategy::PctInWindows { depth, operations: window, one_alone: self.one_operation })
            }
        }
    }

    /// Long runs have many events. An operation that takes more than this goes round for ever, as far as a hunt is concerned.
    fn long_builder(&self) -> Builder {
        const PER_OPERATION: usize = 200;
        let events = self.threads.saturating_mul(self.operations).saturating_mul(PER_OPERATION);
        self.builder.clone().max_events_per_thread(u32::try_from(events).unwrap_or(u32::MAX))
    }

    /// The smallest client that fails like a long run.
    fn shrink(
        &self,
        detected: &Detected,
        hunted: &mut Hunted,
        decider: &Decider,
        interrupt: &AtomicBool,
        tell: &dyn Fn(Option<f64>, &str),
    ) {
        let start = Instant::now();
        let builder = self.builder.clone().workers(1).max_time_unless_given(PATIENCE);
        let located = locate::locate(self.object, detected, &self.long_builder(), &builder, decider, interrupt);
        hunted.phases.locating += start.elapsed();
        let Some((located, exploration)) = located else { return };
        tell(None, &format!("run {} is wrong, and {} fails like it; making it smaller", detected.run, located.client));
        let start = Instant::now();
        hunted.shrunk = Some(shrink(self.object, &located.client, exploration, &builder, interrupt));
        hunted.phases.shrinking += start.elapsed();
        hunted.located = Some(located);
    }
}

impl Hunted {
    fn nothing_yet(object: &'static str) -> Hunted {
        Hunted {
            object,
            histories: 0,
            undecided: 0,
            is_interrupted: false,
            detected: None,
            located: None,
            shrunk: None,
            phases: Phases::default(),
        }
    }
}

impl Phases {
    /// The phases by name, for reports.
    pub(crate) fn seconds(&self) -> [(String, f64); 4] {
        let Phases { running, deciding, locating, shrinking } = self;
        [("running", running), ("deciding", deciding), ("locating", locating), ("shrinking", shrinking)]
            .map(|(phase, time)| (phase.to_owned(), time.as_secs_f64()))
    }
}

/// What came of it, in a few lines.
impl fmt::Display for Hunted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hunted { histories, undecided, .. } = self;
        match (&self.detected, &self.shrunk) {
            (None, _) => write!(f, "no run of {histories} was wrong, which is no proof")?,
            (Some(detected), shrunk) => {
                write!(f, "run {} is wrong: {}", detected.run, detected.message)?;
                match shrunk {
                    Some(shrunk) => write!(f, "\n{}", shrunk.minimum)?,
                    None if self.is_interrupted => {
                        write!(f, "\ninterrupted before a small client was found that fails like that")?
                    }
                    None => write!(f, "\nno client that is small enough to be explored was found to fail like that")?,
                }
            }
        }
        if *undecided > 0 {
            write!(f, "\n{undecided} histories could not be decided")?;
        }
        write!(f, "\n{}", self.phases)
    }
}

impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Phases { running, deciding, locating, shrinking } = self;
        let [running, deciding, locating, shrinking] =
            [running, deciding, locating, shrinking].map(|time| time.as_secs_f64() * 1_000.0);
        write!(
            f,
            "running {running:.1} ms, deciding {deciding:.1} ms, locating {locating:.1} ms, shrinking {shrinking:.1} ms"
        )
    }
}
