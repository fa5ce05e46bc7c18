//! Where operations begin and end.

use linchpin_engine::Call;

use crate::picture::Remark;
use crate::report::Sort;

/// A remark where the call begins and one where it returns, if it has a name and does.
pub(super) fn remarks(call: &Call) -> Vec<Remark> {
    let Some(name) = &call.name else { return Vec::new() };
    let remark =
        |after, text, sort| Remark { thread: call.thread, after, text, place: String::new(), mark: None, sort };
    let begins = remark(call.events.start, name.clone(), Sort::Call);
    let ends = call.result.as_ref().map(|result| remark(call.events.end, result.to_string(), Sort::Return));
    [begins].into_iter().chain(ends).collect()
}
