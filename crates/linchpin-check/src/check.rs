//! The one question: is this history linearizable?

use linchpin_model::{History, Specification};

use crate::{Limits, Unknown, Verdict, Witness};

/// Decides whether a history is linearizable.
pub fn check<S: Specification>(spec: &S, history: &History<S::Invocation, S::Returned>, limits: &Limits) -> Verdict {
    let _ = (spec, history, limits);
    Verdict::Unknown(Unknown::Interrupted)
}

/// Checks that a witness explains a history.
pub fn verify<S: Specification>(
    spec: &S,
    history: &History<S::Invocation, S::Returned>,
    witness: &Witness,
) -> Result<(), Fault> {
    let _ = (spec, history, witness);
    Ok(())
}

/// Why a witness explains nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault;
