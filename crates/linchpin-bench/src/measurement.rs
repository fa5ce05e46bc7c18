//! One tool on one program.

use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};

/// Explorations that take less are repeated until they have taken so long together.
pub(crate) const ENOUGH: Duration = Duration::from_secs(1);

/// Who explores, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tool {
    /// Linchpin exploring every iteration of every loop.
    Linchpin,
    /// Linchpin leaving out iterations that its cross-check found to be without effect.
    LinchpinReduced,
    /// Loom without a bound on preemptions.
    Loom,
    /// Shuttle, all schedules depth first: sequential consistency.
    ShuttleDfs,
    /// Shuttle, some random schedules: only the rate means anything.
    ShuttleRandom,
}

impl Tool {
    /// The tool's name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Linchpin => "linchpin",
            Tool::LinchpinReduced => "linchpin, loops reduced",
            Tool::Loom => "loom",
            Tool::ShuttleDfs => "shuttle DFS",
            Tool::ShuttleRandom => "shuttle random",
        }
    }
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There was nothing left.
    Finished,
    /// Its budget ran out.
    Cut,
    /// It was never meant to see everything.
    Sampled,
    /// The tool gave up, with this message.
    Failed(String),
}

impl Serialize for End {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            End::Finished => serializer.serialize_str("finished"),
            End::Cut => serializer.serialize_str("cut"),
            End::Sampled => serializer.serialize_str("sampled"),
            End::Failed(message) => serializer.serialize_str(&format!("failed: {message}")),
        }
    }
}

/// What one exploration was.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Executions in which all threads ended.
    pub complete: u64,
    /// Executions that were given up since some thread waited. The peers do not tell them apart.
    pub blocked: u64,
    /// How it ended.
    pub end: End,
}

/// What a tool did on a program, and how long it took.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    /// Who it was.
    pub tool: Tool,
    /// Executions in which all threads ended, per exploration.
    pub complete: u64,
    /// Executions that were given up since some thread waited, per exploration.
    pub blocked: u64,
    /// How long an exploration took: the median if there were several.
    pub seconds: f64,
    /// Executions of both kinds per second.
    pub per_second: f64,
    /// How it ended.
    pub end: End,
    /// How many explorations were timed.
    pub repetitions: usize,
}

impl Measurement {
    /// Times `explore`, again and again if it is short. Counts and end are those of the first exploration.
    pub fn of(tool: Tool, mut explore: impl FnMut() -> Run) -> Self {
        let begin = Instant::now();
        let first = explore();
        let mut times = vec![begin.elapsed()];
        while matches!(first.end, End::Finished | End::Sampled) && begin.elapsed() < ENOUGH {
            let start = Instant::now();
            explore();
            times.push(start.elapsed());
        }
        let seconds = median(&mut times).as_secs_f64();
        Measurement {
            tool,
            complete: first.complete,
            blocked: first.blocked,
            seconds,
            per_second: (first.complete + first.blocked) as f64 / seconds,
            end: first.end,
            repetitions: times.len(),
        }
    }

    /// Was there nothing left?
    pub fn is_finished(&self) -> bool {
        self.end == End::Finished
    }
}

/// The middle one of these times or rates, the greater one if there are two.
///
/// # Panics
///
/// If there is none, or one is not a number.
pub(crate) fn median<T: PartialOrd + Copy>(measured: &mut [T]) -> T {
    measured.sort_by(|one, other| one.partial_cmp(other).expect("what was measured is a number"));
    measured[measured.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exploration_that_was_cut_is_not_repeated() {
        let mut runs = 0;
        let measurement = Measurement::of(Tool::Loom, || {
            runs += 1;
            Run { complete: 7, blocked: 2, end: End::Cut }
        });
        assert_eq!((runs, measurement.repetitions, measurement.complete), (1, 1, 7));
        assert!(!measurement.is_finished());
    }

    #[test]
    fn a_short_exploration_is_repeated_until_it_has_taken_long_enough() {
        let begin = Instant::now();
        let measurement = Measurement::of(Tool::Linchpin, || {
            std::thread::sleep(Duration::from_millis(20));
            Run { complete: 1, blocked: 0, end: End::Finished }
        });
        assert!(begin.elapsed() >= ENOUGH && measurement.repetitions > 1);
        assert!(measurement.per_second <= 50.0);
    }

    #[test]
    fn the_median_does_not_mind_the_odd_one() {
        let mut times = [9, 1, 1000].map(Duration::from_millis);
        assert_eq!(median(&mut times), Duration::from_millis(9));
    }
}
