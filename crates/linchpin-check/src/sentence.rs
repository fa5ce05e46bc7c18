//! stub
use crate::Contradiction;
use linchpin_model::OperationId;
pub(crate) fn sentence(
    contradiction: &Contradiction,
    describe: impl Fn(OperationId) -> String,
    process: impl Fn(OperationId) -> u64,
) -> String {
    let _ = (&describe, &process);
    format!("{contradiction:?}")
}
