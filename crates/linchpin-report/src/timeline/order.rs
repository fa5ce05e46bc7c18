//! Orders of operations as points on bars.

use linchpin_model::OperationId;

use super::Partial;
use super::layout::Layout;
use super::window::Window;

/// From a point to the next, and from a point to the ends of its bar: the first that is possible for all points.
const APART: [(f64, f64); 9] =
    [(24.0, 10.0), (16.0, 9.0), (12.0, 8.0), (8.0, 7.0), (5.0, 6.0), (3.0, 5.0), (1.5, 3.0), (0.5, 2.0), (0.0, 0.5)];

/// What is drawn of an order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    /// The operations that are drawn, as indices into [`Window::shown`], with the place of their points.
    pub points: Vec<(usize, f64)>,
    /// How many operations of the order come before the first point.
    pub before: usize,
    /// How many operations the order has.
    pub length: usize,
    /// Where it is stuck.
    pub stuck_at: Option<OperationId>,
    /// The same, as an index into [`Window::shown`], if it is drawn.
    pub stuck: Option<usize>,
}

/// The orders that are needed, and which of them belongs to each operation that is drawn.
pub(super) struct Orders {
    pub drawn: Vec<Drawn>,
    /// As [`Window::shown`]: the longest order that contains the operation, or else the longest that is stuck at it.
    pub of: Vec<Option<usize>>,
    /// The longest of all.
    pub longest: Option<usize>,
}

impl Orders {
    pub fn of(partials: &[Partial], window: &Window, layout: &Layout) -> Self {
        let mut index = vec![None; window.ranks.call.len()];
        for (shown, &operation) in window.shown.iter().enumerate() {
            index[operation] = Some(shown);
        }
        let shown = |id: OperationId| index.get(id.index()).copied().flatten();
        // Longest first, so that the first to come is the one to take.
        let mut by_length: Vec<usize> = (0..partials.len()).collect();
        by_length.sort_by_key(|&partial| std::cmp::Reverse(partials[partial].order.len()));
        let mut longest_of = vec![None; window.shown.len()];
        for &partial in &by_length {
            for shown in partials[partial].order.iter().filter_map(|&id| shown(id)) {
                longest_of[shown].get_or_insert(partial);
            }
        }
        for &partial in &by_length {
            if let Some(stuck) = partials[partial].stuck_at.and_then(shown) {
                longest_of[stuck].get_or_insert(partial);
            }
        }
        let longest = by_length.first().copied();
        let mut needed: Vec<usize> = longest_of.iter().copied().flatten().chain(longest).collect();
        needed.sort_unstable();
        needed.dedup();
        let number = |partial: usize| needed.binary_search(&partial).ok();
        Orders {
            drawn: needed.iter().map(|&partial| draw(&partials[partial], window, layout, &shown)).collect(),
            of: longest_of.iter().map(|partial| partial.and_then(number)).collect(),
            longest: longest.and_then(number),
        }
    }
}

/// Places points from left to right in the order, each on its bar, as far apart as they all can be.
fn draw(partial: &Partial, window: &Window, layout: &Layout, shown: &dyn Fn(OperationId) -> Option<usize>) -> Drawn {
    let order: Vec<OperationId> =
        partial.order.iter().copied().filter(|id| id.index() < window.ranks.call.len()).collect();
    let ranges: Vec<Range> = order.iter().map(|&id| Range::of(id.index(), shown(id), window, layout)).collect();
    let places = APART.iter().find_map(|&(apart, inset)| places(&ranges, apart, inset)).unwrap_or_else(|| {
        // Not an order of these intervals.
        ranges.iter().map(|range| (range.from + range.to) / 2.0).collect()
    });
    let points: Vec<(usize, f64)> =
        order.iter().zip(&places).filter_map(|(&id, &x)| shown(id).map(|shown| (shown, x))).collect();
    Drawn {
        before: order.iter().position(|&id| shown(id).is_some()).unwrap_or(order.len()),
        length: partial.order.len(),
        points,
        stuck_at: partial.stuck_at,
        stuck: partial.stuck_at.and_then(shown),
    }
}

/// Where the point of an operation may be.
struct Range {
    from: f64,
    to: f64,
    is_shown: bool,
}

impl Range {
    fn of(operation: usize, shown: Option<usize>, window: &Window, layout: &Layout) -> Range {
        match shown {
            Some(shown) => {
                let place = &layout.boxes[shown];
                Range { from: place.left, to: place.right, is_shown: true }
            }
            None => {
                let axis = layout.axis();
                let from = axis.range(window.ranks.call[operation]).0;
                let to = window.ranks.ret[operation].map_or(layout.width, |ret| axis.range(ret).1);
                Range { from, to, is_shown: false }
            }
        }
    }
}

/// The middle between the leftmost and the rightmost places that keep the order and the distance, if there are such.
fn places(ranges: &[Range], apart: f64, inset: f64) -> Option<Vec<f64>> {
    let step = |range: &Range| if range.is_shown { apart } else { 0.0 };
    let inset = |range: &Range| if range.is_shown { inset } else { 0.0 };
    let mut leftmost = Vec::with_capacity(ranges.len());
    let mut x = f64::NEG_INFINITY;
    for range in ranges {
        x = (range.from + inset(range)).max(x + step(range));
        if x > range.to - inset(range) {
            return None;
        }
        leftmost.push(x);
    }
    let mut x = f64::INFINITY;
    let mut places = leftmost;
    for (range, place) in ranges.iter().zip(&mut places).rev() {
        let rightmost = (range.to - inset(range)).min(x);
        x = rightmost - step(range);
        *place = (*place + rightmost) / 2.0;
    }
    Some(places)
}
