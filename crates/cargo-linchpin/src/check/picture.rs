//! A history as a picture.

use linchpin_check::{Limits, Verdict};
use linchpin_model::Interval;
use linchpin_report::timeline::{self, Bar, Outcome, Partial, Timeline};

use super::Checked;
use super::describe::undecided;

/// The page, or the picture without interaction.
pub(super) fn draw(checked: &Checked<'_>, interactive: bool, limits: &Limits) -> String {
    let recording = checked.recording;
    let intervals = recording.history.intervals().unwrap_or_default();
    let bars = recording.history.ids().zip(intervals).map(|(id, interval)| Bar {
        process: recording.history[id].process,
        label: checked.model.describe_operation(recording, id),
        call: interval.call,
        ret: (interval.ret != Interval::NEVER).then_some(interval.ret),
        line: recording.lines.get(id.index()).map_or(0, |lines| lines.call),
    });
    let title = format!("{} as {}", checked.file, checked.model.name());
    let mut timeline = Timeline {
        title: &title,
        verdict: Outcome::Linearizable,
        sentence: "",
        bars: bars.collect(),
        highlighted: Vec::new(),
        fails_at: None,
        orders: Vec::new(),
        window: Timeline::WINDOW,
    };
    match checked.verdict {
        Verdict::Linearizable(witness) => {
            timeline.orders = vec![Partial { order: witness.order.clone(), stuck_at: None }];
        }
        Verdict::Violation(evidence) => {
            timeline.verdict = Outcome::Violation;
            timeline.sentence = &evidence.sentence;
            timeline.highlighted = evidence.contradiction.operations();
            timeline.fails_at = evidence.fails_at;
            // The recording was translated before, so it can be again.
            let partials = checked.model.partial_linearizations(recording, evidence, limits).unwrap_or_default();
            let partial =
                |partial: linchpin_check::Partial| Partial { order: partial.order, stuck_at: Some(partial.stuck_at) };
            timeline.orders = partials.into_iter().map(partial).collect();
        }
        Verdict::Unknown(reason) => {
            timeline.verdict = Outcome::Unknown;
            timeline.sentence = undecided(*reason).0;
        }
    }
    if interactive { timeline::html(&timeline) } else { timeline::svg(&timeline) }
}
