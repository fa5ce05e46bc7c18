//! The checkers, each with what makes it comparable.

mod objects;
mod on_linchpin;
mod on_porcupine;
mod on_todc;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::measurement::ENOUGH;

use super::sample::Sample;

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Checker {
    Linchpin,
    /// A port of Porcupine.
    PorcupineRs,
    /// The algorithm of Wing and Gong with Lowe's cache.
    TodcUtils,
}

impl Checker {
    pub const PEERS: [Checker; 2] = [Checker::PorcupineRs, Checker::TodcUtils];

    /// The checker's name in tables, with the version that `Cargo.toml` pins.
    pub fn name(self) -> &'static str {
        match self {
            Checker::Linchpin => "linchpin",
            Checker::PorcupineRs => "porcupine-rs 0.3.0",
            Checker::TodcUtils => "todc-utils 0.1.1",
        }
    }

    /// Decides all histories of a sample, several times if that is short, and says when the first time is over.
    ///
    /// The time is that of deciding. A peer gets the history in its own types, with its parts told apart where it has
    /// no way to do that itself; linchpin gets it as it is read from a file, so its time has the translation.
    pub fn decide(self, sample: &Sample, decided: impl FnOnce()) -> Result<Decided, String> {
        match self {
            Checker::Linchpin => on_linchpin::decide(sample, decided),
            Checker::PorcupineRs => objects::with_object(sample, on_porcupine::Ask { decided }),
            Checker::TodcUtils => objects::with_object(sample, on_todc::Ask { decided }),
        }
    }
}

/// What a checker said, and how long it took.
#[derive(Debug)]
pub(crate) struct Decided {
    /// For each history, is it linearizable?
    pub verdicts: Vec<bool>,
    /// How long all histories together took, each time.
    pub times: Vec<Duration>,
    /// What linchpin says and what was found when it was looked at.
    pub proof: Option<Proof>,
}

/// The proof of linchpin's verdicts, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proof {
    /// How many orders were verified, operation by operation.
    pub witnesses: usize,
    /// How many contradictions there are.
    pub contradictions: usize,
    /// How many operations the largest contradiction needs.
    pub operations: usize,
    /// What is wrong with a proof.
    pub wrong: Option<String>,
}

/// So many times at least, unless that takes long.
const TIMES: usize = 5;
/// What takes longer is not repeated.
const LONG: Duration = Duration::from_secs(1);

/// Does it again and again if it is short: on a noisy machine, one time says little. `prepare` is not counted. The
/// answer is the first one.
fn timed<P, A>(
    decided: impl FnOnce(),
    mut prepare: impl FnMut() -> P,
    mut ask: impl FnMut(P) -> A,
) -> (A, Vec<Duration>) {
    let mut once = || {
        let prepared = prepare();
        let begin = Instant::now();
        let answer = ask(prepared);
        (answer, begin.elapsed())
    };
    let begin = Instant::now();
    let (answer, time) = once();
    decided();
    let mut times = vec![time];
    // By the clock and not by the sum of the times, which may be as short as the clock can tell.
    while time < LONG && (times.len() < TIMES || begin.elapsed() < ENOUGH) {
        times.push(once().1);
    }
    (answer, times)
}

#[cfg(test)]
mod tests {
    use super::super::rows::{Source, rows};
    use super::*;

    /// What the adapters make of a history is what it means.
    #[test]
    fn all_checkers_find_the_verdict_that_is_known() {
        let mut models: Vec<String> = Vec::new();
        for row in rows() {
            let Source::Generated { model, .. } = row.source else { continue };
            models.push(model);
        }
        models.dedup();
        assert_eq!(models, ["kv", "queue", "stack", "priority-queue", "set", "register", "queue"]);
        for (model, violate) in models.into_iter().flat_map(|model| [(model.clone(), false), (model, true)]) {
            let (operations, processes, keys, values) = (60, 3, 3, None);
            let source = Source::Generated { model: model.clone(), operations, processes, keys, values, violate };
            let sample = Sample::of(&source).expect("a history");
            for checker in [Checker::Linchpin, Checker::PorcupineRs, Checker::TodcUtils] {
                let decided = checker.decide(&sample, || ()).expect("a model of it");
                assert_eq!(decided.verdicts, [!violate], "{model}: {}", checker.name());
                let proof = decided.proof.map(|proof| (proof.witnesses, proof.contradictions, proof.wrong));
                let expected = (usize::from(!violate), usize::from(violate), None);
                assert_eq!(proof, (checker == Checker::Linchpin).then_some(expected), "{model}");
            }
        }
    }

    #[test]
    fn what_is_short_is_repeated_and_what_is_long_is_not() {
        let mut said = 0;
        let (answer, times) = timed(|| said += 1, || 7, |seven| seven);
        assert!(answer == 7 && said == 1 && times.len() >= TIMES);
    }
}
