//! Linchpin with its default limits, as its users have it.

use linchpin_check::{Limits, Verdict};
use linchpin_history::Recording;

use crate::histories::sample::{Sample, recording};

use super::{Decided, Proof, timed};

/// Decides, then verifies every witness and looks at every contradiction.
pub(super) fn decide(sample: &Sample, decided: impl FnOnce()) -> Result<Decided, String> {
    let limits = Limits::default();
    let check = |recording: &Recording| sample.model.check(recording, &limits).map_err(|error| error.to_string());
    let (verdicts, times) = timed(
        decided,
        || (),
        |()| {
            if sample.files.is_empty() {
                sample.histories.iter().map(|(recording, _)| check(recording)).collect::<Result<Vec<_>, _>>()
            } else {
                sample.files.iter().map(|file| check(&recording(file)?)).collect()
            }
        },
    );
    let verdicts = verdicts?;
    let proof = sample.histories.iter().zip(&verdicts);
    let proof = proof.fold(Proof::default(), |proof, ((recording, _), verdict)| proof.with(sample, recording, verdict));
    let verdicts = verdicts.iter().map(|verdict| matches!(verdict, Verdict::Linearizable(_))).collect();
    Ok(Decided { verdicts, times, proof: Some(proof) })
}

impl Proof {
    fn with(mut self, sample: &Sample, recording: &Recording, verdict: &Verdict) -> Self {
        let wrong = match verdict {
            Verdict::Linearizable(witness) => match sample.model.verify(recording, witness) {
                Ok(Ok(())) => {
                    self.witnesses += 1;
                    None
                }
                Ok(Err(fault)) => Some(format!("the witness is none: {fault:?}")),
                Err(error) => Some(error.to_string()),
            },
            Verdict::Violation(evidence) => {
                let operations = evidence.contradiction.operations().len();
                self.operations = self.operations.max(operations);
                let explained = operations > 0 && !evidence.sentence.is_empty();
                self.contradictions += usize::from(explained);
                (!explained).then(|| "a violation without evidence".to_owned())
            }
            Verdict::Unknown(unknown) => Some(format!("undecided: {unknown:?}")),
        };
        self.wrong = self.wrong.or(wrong);
        self
    }
}
