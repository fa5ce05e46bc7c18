//! A recorded history as a picture: a lane per process, a bar per operation from its call to its return, the
//! contradiction highlighted, orders of operations as numbered points on the bars.
//!
//! [`html`] is one page that needs nothing else, not even a network, with the orders that belong to an operation shown
//! when it is pointed at or focused; [`svg`] is the same picture without that.
//!
//! Two decisions make it legible at any size. Time is counted in events (calls and returns), not in seconds, so that
//! no bar becomes invisible next to a long pause. And at most [`Timeline::window`] operations are drawn: those of the
//! contradiction, what runs at the time of their calls and returns, and as much around them as there is room for. What
//! is not drawn is counted, in the picture and in words.
//!
//! Labels come from files that nobody vouches for. All text is escaped in one place, and what the page's script reads
//! besides attributes is numbers only.

mod layout;
mod order;
mod page;
mod scene;
mod sentence;
mod svg;
mod window;

use linchpin_model::OperationId;

use scene::Scene;

/// A history, what was found out about it, and how much of it to draw.
#[derive(Debug, Clone)]
pub struct Timeline<'a> {
    /// What is looked at, for the head of the picture: the file and the model, for example.
    pub title: &'a str,
    /// What was found out.
    pub verdict: Outcome,
    /// The contradiction in words, or why the history was not decided; may be empty. Where it names an operation (by
    /// the label of one that is highlighted, by `#` and its id, or by `line` and its line) the page has a link to it.
    pub sentence: &'a str,
    /// The operations, by their ids.
    pub bars: Vec<Bar>,
    /// The operations of the contradiction, in any order; those that are not in `bars` are ignored, here and below.
    pub highlighted: Vec<OperationId>,
    /// With the return of this operation the shortest failing prefix ends.
    pub fails_at: Option<OperationId>,
    /// The witness, if the history is linearizable; otherwise partial linearizations, in any order. An operation is
    /// shown with the longest that contains it.
    pub orders: Vec<Partial>,
    /// The most operations to draw. See [`Timeline::WINDOW`].
    pub window: usize,
}

impl Timeline<'_> {
    /// As many operations as a person can still find a way through.
    pub const WINDOW: usize = 320;
}

/// What was found out about a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There is an order that explains it.
    Linearizable,
    /// There is none.
    Violation,
    /// Not decided.
    Unknown,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// Who called it: its lane.
    pub process: u64,
    /// What was called and what it returned: `deq() → 5`.
    pub label: String,
    /// The time of the call. Only comparisons matter; an operation that is called when another returns overlaps it.
    pub call: i64,
    /// The time of the return, `None` for a pending operation.
    pub ret: Option<i64>,
    /// Where the operation is in its file, from 1; 0 if it is in none.
    pub line: usize,
}

/// Operations in an order that explains what each of them returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// The operations, first to last; may be as long as the history.
    pub order: Vec<OperationId>,
    /// The operation that cannot come next, and before whose return nothing else can.
    pub stuck_at: Option<OperationId>,
}

/// The picture by itself, as an SVG document.
///
/// ```
/// use linchpin_model::OperationId;
/// use linchpin_report::timeline::{Bar, Outcome, Timeline, svg};
///
/// let bar = |process, label: &str, call, ret| Bar { process, label: label.into(), call, ret: Some(ret), line: 0 };
/// let picture = svg(&Timeline {
///     title: "history.txt",
///     verdict: Outcome::Violation,
///     sentence: "deq() → 1 returned before enq(1) was called.",
///     bars: vec![bar(0, "deq() → 1", 1, 2), bar(1, "enq(1)", 3, 4)],
///     highlighted: vec![OperationId(0), OperationId(1)],
///     fails_at: Some(OperationId(0)),
///     orders: Vec::new(),
///     window: Timeline::WINDOW,
/// });
/// assert!(picture.starts_with("<svg"));
/// ```
pub fn svg(timeline: &Timeline<'_>) -> String {
    svg::document(&Scene::of(timeline))
}

/// The picture in a page of its own, with its orders on hover and focus.
pub fn html(timeline: &Timeline<'_>) -> String {
    page::document(&Scene::of(timeline))
}
