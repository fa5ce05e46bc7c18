//! One client of an object with random schedules.

use linchpin_engine::{Call, Sampled, Sampling, SamplingHooks};

use crate::ClientTest;
use crate::builder::Judging;
use crate::judge::Verdicts;

impl ClientTest {
    /// Runs the client with random schedules and returns what was found, whatever that is. Prints nothing.
    ///
    /// A run is wrong if no order of the invocations explains what they returned, or only orders that real time forbids: an
    /// invocation that had returned before another was called comes first. Otherwise this is [`Builder::sample`](crate::Builder::sample).
    /// What was not found may still be there: only exploring gives a proof.
    ///
    /// ```
    /// # use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    /// use linchpin::Sampling;
    ///
    /// linchpin::object! {
    ///     Counter: AtomicU8 = AtomicU8::new(0);
    ///     fn add(&self) = |counter: &AtomicU8| counter.store(counter.load(SeqCst) + 1, SeqCst);
    ///     #[read_only] fn get(&self) -> u8 = |counter: &AtomicU8| counter.load(SeqCst);
    /// }
    ///
    /// let sampled = linchpin::client::<Counter>("{ add() } || { add() } [get()]").sample(&Sampling::default());
    /// assert_eq!(sampled.found.unwrap().violation.kind.name(), "wrong result");
    /// ```
    ///
    /// # Panics
    ///
    /// When the object is not deterministic even when it is run sequentially.
    #[track_caller]
    pub fn sample(&self, sampling: &Sampling) -> Sampled {
        self.sample_with(sampling, SamplingHooks::default())
    }

    /// As [`sample`](Self::sample); tells `hooks` of it. Runs are judged by the object's specification, whatever the hooks say.
    #[track_caller]
    pub fn sample_with(&self, sampling: &Sampling, hooks: SamplingHooks<'_>) -> Sampled {
        let verdicts = Verdicts::new(self.object, self.admitted());
        let judge = |calls: &[Call]| verdicts.judge_run(calls);
        let hooks = SamplingHooks { judge: &judge, ..hooks };
        let mut sampled = self.builder.sample_with(sampling, self.test(), hooks);
        if let Some(found) = &mut sampled.found {
            found.violation.name_calls(|tag| self.name_of(tag));
            found.replay.origin = self.origin();
        }
        sampled
    }

    /// Runs the client with random schedules, prints what was looked at, and panics with a report if there is a violation. The
    /// report has the seed and the number of the run, and a replay is kept as by [`run`](Self::run).
    #[track_caller]
    pub fn run_sampled(&self, sampling: &Sampling) -> Sampled {
        println!("linchpin: {} as a client of {}", self.client(), self.object.name());
        self.agree();
        let verdicts = Verdicts::new(self.object, self.admitted());
        let judge = |calls: &[Call]| verdicts.judge_run(calls);
        let known = Judging {
            name: &|tag| self.name_of(tag),
            origin: self.origin(),
            explain: &|violation| self.explained(violation),
            report: &|violation| self.reported(violation),
            ..Judging::default()
        };
        self.builder.check_sampled_judged(sampling, self.test(), &judge, &known)
    }
}
