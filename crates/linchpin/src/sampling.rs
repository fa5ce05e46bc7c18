//! Sampling with the settings of a builder.

use linchpin_engine::{Judge, Origin, Progress, RunJudge, Sampled, Sampling, SamplingHooks, rt, sample_with};
use linchpin_report::text;

use crate::builder::{Judging, announcer};
use crate::reports::{self, Found};
use crate::{Builder, replay_file};

impl Builder {
    /// Runs `test` with random schedules and returns what was found, whatever that is. Prints nothing.
    ///
    /// Runs are sequentially consistent, whatever the memory model of this builder. Data races and unpublished memory are not
    /// looked for; what comes of them is seen. Everything else counts as in [`explore`](Self::explore). The answer depends on the seed, not on
    /// the number of workers.
    ///
    /// ```
    /// use linchpin::sync::Arc;
    /// use linchpin::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// use linchpin::{Builder, Sampling, Strategy, thread};
    ///
    /// let sampling = Sampling { strategy: Strategy::Pct { depth: 2, steps: None }, seed: 7, ..Sampling::default() };
    /// let sampled = Builder::new().sample(&sampling, || {
    ///     let count = Arc::new(AtomicU32::new(0));
    ///     let other = count.clone();
    ///     let thread = thread::spawn(move || other.store(other.load(Relaxed) + 1, Relaxed));
    ///     count.store(count.load(Relaxed) + 1, Relaxed);
    ///     thread.join().unwrap();
    ///     assert_eq!(count.load(Relaxed), 2, "an update is lost");
    /// });
    /// let found = sampled.found.unwrap();
    /// assert_eq!(found.violation.kind.name(), "panic");
    /// assert_eq!(sampled.runs, found.run + 1);
    /// ```
    ///
    /// # Panics
    ///
    /// If it is called by a test that is being run.
    #[track_caller]
    pub fn sample(&self, sampling: &Sampling, test: impl Fn() + Send + Sync + 'static) -> Sampled {
        self.sample_with(sampling, test, SamplingHooks::default())
    }

    /// As [`sample`](Self::sample); asks `hooks` whether to go on, and what is wrong with each complete run.
    #[track_caller]
    pub fn sample_with(
        &self,
        sampling: &Sampling,
        test: impl Fn() + Send + Sync + 'static,
        hooks: SamplingHooks<'_>,
    ) -> Sampled {
        assert!(!rt::active(), "a test that linchpin runs asked linchpin to run another one");
        sample_with(self.config(), sampling, &test, hooks)
    }

    /// Runs `test` with random schedules, prints what was looked at, and panics if there is a violation. The report has the seed and
    /// the number of the run, and a replay is kept as by [`check`](Self::check).
    ///
    /// ```
    /// let sampled = linchpin::Builder::new().check_sampled(&linchpin::Sampling::default(), || {});
    /// assert_eq!(sampled.complete, 10_000);
    /// ```
    ///
    /// # Panics
    ///
    /// With a report if there is a violation.
    ///
    /// ```should_panic
    /// linchpin::Builder::new().check_sampled(&linchpin::Sampling::default(), || panic!("no luck"));
    /// ```
    #[track_caller]
    pub fn check_sampled(&self, sampling: &Sampling, test: impl Fn() + Send + Sync + 'static) -> Sampled {
        self.check_sampled_judged(sampling, test, &|_| None, &Judging::default())
    }

    /// As [`check_sampled`](Self::check_sampled), for a test whose runs are judged. Executions are not, whatever `known` says.
    #[track_caller]
    pub(crate) fn check_sampled_judged(
        &self,
        sampling: &Sampling,
        test: impl Fn() + Send + Sync + 'static,
        judge: &RunJudge<'_>,
        known: &Judging<'_>,
    ) -> Sampled {
        // First of all, for the reason that `check` has.
        println!("linchpin: sampling with seed {}", sampling.seed);
        if let Some(asked) = replay_file::asked_for() {
            let judge: &Judge<'_> = &|_, calls| judge(calls);
            self.check_replay(&asked, test, &Judging { judge, origin: Origin::default(), ..*known });
            return self.sample(&Sampling { runs: 0, ..sampling.clone() }, || {});
        }
        let announce = announcer();
        let progress = |progress: &Progress| announce(None, &text::progress(progress));
        let hooks = SamplingHooks { judge, progress: &progress, ..SamplingHooks::default() };
        let mut sampled = self.sample_with(sampling, test, hooks);
        println!("linchpin: {}", text::sampled(&sampled));
        if let Some(found) = &mut sampled.found {
            found.violation.name_calls(known.name);
            found.replay.origin = known.origin.clone();
            let (report, replay) = ((known.report)(&found.violation), found.replay.clone());
            reports::fail(Found::of(report.sampled(&sampled), replay));
        }
        sampled
    }
}
