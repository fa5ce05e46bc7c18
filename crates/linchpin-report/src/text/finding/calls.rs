//! Where operations begin and end.

use linchpin_engine::Call;

use crate::text::picture::Remark;

/// A remark where the call begins and one where it returns, if it has a name and does.
pub(super) fn remarks(call: &Call) -> Vec<Remark> {
    let Some(name) = &call.name else { return Vec::new() };
    let remark = |after, text| Remark { thread: call.thread, after, text, place: String::new(), mark: None };
    let begins = remark(call.events.start, format!("┌ {name}"));
    let ends = call.result.as_ref().map(|result| remark(call.events.end, format!("└ returns {result}")));
    [begins].into_iter().chain(ends).collect()
}
