//! Where everything is drawn.
//!
//! From left to right the picture has a *slot* per event and one per gap. Slots are [`STEP`] apart, or as far as it
//! takes for the label of a bar to fit between its ends: positions are the least that satisfy both. From top to bottom
//! it has a lane per process, and in a lane as many rows as operations of that process overlap (one, unless the
//! history is odd or an operation is pending while others follow).

use super::Timeline;
use super::window::{Rank, Window};
use crate::escape::{columns, grouped};

/// Between two events, at least.
const STEP: f64 = 20.0;
/// From the edges of the picture to the first and the last slot.
const EDGE: f64 = 14.0;
/// The height of a row, the bar in it and the space for a point below.
pub(super) const ROW: f64 = 48.0;
/// The height of a bar.
pub(super) const BAR: f64 = 26.0;
/// From the top of a bar to the middle of a point on its lower edge, which leaves the label free. `timeline.js` has the
/// same number.
pub(super) const POINT: f64 = 30.0;
/// From the top of a row to its bar.
pub(super) const ABOVE: f64 = 7.0;
/// Above the lanes: the flag of the failing prefix and the numbers of events.
pub(super) const AXIS: f64 = 60.0;
/// The width of a character in a label.
pub(super) const CHARACTER: f64 = 7.23;
/// From the ends of a bar to its label.
pub(super) const PADDING: f64 = 8.0;
/// How much of a label always fits: of most operations, and of those of the contradiction.
const LABEL: [usize; 2] = [18, 44];
/// What a pending operation takes besides its label to fade away.
const FADE: f64 = 56.0;

/// Positions of what is drawn.
pub(super) struct Layout {
    /// The width of the picture without the names of the lanes.
    pub width: f64,
    /// Its height, with the axis.
    pub height: f64,
    /// By process.
    pub lanes: Vec<Lane>,
    /// As [`Window::shown`].
    pub boxes: Vec<Place>,
    /// From left to right.
    pub slots: Vec<Slot>,
}

/// A process.
pub(super) struct Lane {
    pub process: u64,
    pub y: f64,
    pub height: f64,
}

/// Where a bar is.
pub(super) struct Place {
    /// Of the call.
    pub left: f64,
    /// Of the return, or the right edge of the picture.
    pub right: f64,
    /// Where a pending operation has faded away; else `right`.
    pub solid: f64,
    /// Of the bar, not of the row.
    pub y: f64,
    /// Its lane.
    pub lane: usize,
}

/// An event or a gap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    /// Where it is; of a gap the left edge.
    pub x: f64,
    /// The events in it: one, unless it is a gap.
    pub first: Rank,
    pub last: Rank,
    /// Of a gap: the operations that are called in it and not drawn.
    pub hidden: Option<usize>,
    /// Of a gap, as much as what is said about it takes; of an event 0.
    pub width: f64,
}

impl Layout {
    /// `tag` is the width of what stands before the label of an operation; 0 for most.
    pub fn of(timeline: &Timeline<'_>, window: &Window, tag: impl Fn(usize) -> f64) -> Self {
        let mut slots = slots(window);
        let labels: Vec<f64> = (window.shown.iter())
            .map(|&operation| {
                let most = LABEL[usize::from(tag(operation) > 0.0)];
                let label = columns(&timeline.bars[operation].label).min(most);
                label as f64 * CHARACTER + tag(operation) + 2.0 * PADDING
            })
            .collect();
        let end = spread(&mut slots, window, &labels);
        let axis = Axis { slots: &slots };
        let solid = |(shown, &operation): (usize, &usize)| match window.ranks.ret[operation] {
            Some(ret) => axis.of_return(ret),
            None => axis.of_call(window.ranks.call[operation]) + labels[shown] + FADE,
        };
        let solid: Vec<f64> = window.shown.iter().enumerate().map(solid).collect();
        let width = solid.iter().fold(end, |width, &solid| width.max(solid)) + EDGE;
        let (lanes, rows) = lanes(timeline, window);
        let place = |(shown, &operation): (usize, &usize)| {
            let (lane, row) = rows[shown];
            let y = lanes[lane].y + row as f64 * ROW + ABOVE;
            let left = axis.of_call(window.ranks.call[operation]);
            let right = window.ranks.ret[operation].map_or(width, |ret| axis.of_return(ret));
            Place { left, right, solid: solid[shown], y, lane }
        };
        let boxes = window.shown.iter().enumerate().map(place).collect();
        let height = lanes.last().map_or(AXIS, |lane| lane.y + lane.height);
        Layout { width, height, lanes, boxes, slots }
    }

    /// Positions of events, also of those that are not drawn.
    pub fn axis(&self) -> Axis<'_> {
        Axis { slots: &self.slots }
    }
}

/// Where events are.
pub(super) struct Axis<'a> {
    slots: &'a [Slot],
}

impl Axis<'_> {
    fn slot(&self, rank: Rank) -> &Slot {
        &self.slots[self.slots.partition_point(|slot| slot.last < rank)]
    }

    /// The call of an operation that is drawn. Calls in a gap are to the right of returns, so that one bar of a lane
    /// can end and the next begin in it.
    pub fn of_call(&self, rank: Rank) -> f64 {
        let slot = self.slot(rank);
        slot.x + 0.7 * slot.width
    }

    /// The return of an operation that is drawn.
    pub fn of_return(&self, rank: Rank) -> f64 {
        let slot = self.slot(rank);
        slot.x + 0.3 * slot.width
    }

    /// From where to where an event may be: an event in a gap can be anywhere in it.
    pub fn range(&self, rank: Rank) -> (f64, f64) {
        let slot = self.slot(rank);
        (slot.x, slot.x + slot.width)
    }
}

/// A slot for each event of a stretch, and for each gap before, between and after them; not placed yet.
fn slots(window: &Window) -> Vec<Slot> {
    let mut is_call = vec![0usize; window.ranks.events + 1];
    for &rank in &window.ranks.call {
        is_call[rank + 1] = 1;
    }
    for &operation in &window.shown {
        is_call[window.ranks.call[operation] + 1] = 0;
    }
    let gap = |first: Rank, last: Rank| {
        let hidden = is_call[first + 1..=last + 1].iter().sum();
        let width = if hidden == 0 { 30.0 } else { gap_words(hidden).len() as f64 * 6.0 + 4.0 };
        Slot { x: 0.0, first, last, hidden: Some(hidden), width }
    };
    let mut slots = Vec::new();
    let mut next = 0;
    for stretch in &window.stretches {
        if next < *stretch.start() {
            slots.push(gap(next, stretch.start() - 1));
        }
        slots.extend(stretch.clone().map(|rank| Slot { x: 0.0, first: rank, last: rank, hidden: None, width: 0.0 }));
        next = stretch.end() + 1;
    }
    if next < window.ranks.events {
        slots.push(gap(next, window.ranks.events - 1));
    }
    slots
}

/// What is said above a gap.
pub(super) fn gap_words(hidden: usize) -> String {
    format!("{} hidden", grouped(hidden))
}

/// Places the slots, each as far to the left as it can be; returns where the last one ends.
fn spread(slots: &mut [Slot], window: &Window, labels: &[f64]) -> f64 {
    // Who returns in which slot.
    let mut returning: Vec<Vec<usize>> = vec![Vec::new(); slots.len()];
    for (shown, &operation) in window.shown.iter().enumerate() {
        if let Some(ret) = window.ranks.ret[operation] {
            returning[slots.partition_point(|slot| slot.last < ret)].push(shown);
        }
    }
    let mut x = EDGE;
    for i in 0..slots.len() {
        slots[i].x = x;
        let (before, _) = slots.split_at(i + 1);
        let axis = Axis { slots: before };
        let least = |&shown: &usize| {
            let operation = window.shown[shown];
            let end = window.ranks.ret[operation].map_or(x, |ret| axis.of_return(ret));
            x + (axis.of_call(window.ranks.call[operation]) + labels[shown] - end).max(0.0)
        };
        x = returning[i].iter().map(least).fold(x, f64::max);
        slots[i].x = x;
        let is_before_gap = slots.get(i + 1).is_some_and(|next| next.hidden.is_some());
        x += match slots[i].hidden {
            Some(_) => slots[i].width + STEP / 2.0,
            None if is_before_gap => STEP / 2.0,
            None => STEP,
        };
    }
    slots.last().map_or(EDGE, |slot| slot.x + slot.width)
}

/// The lanes, and the lane and row of each operation that is drawn.
fn lanes(timeline: &Timeline<'_>, window: &Window) -> (Vec<Lane>, Vec<(usize, usize)>) {
    let mut processes: Vec<u64> = window.shown.iter().map(|&operation| timeline.bars[operation].process).collect();
    processes.sort_unstable();
    processes.dedup();
    // For each row of each lane, when it is free again.
    let mut free: Vec<Vec<Option<Rank>>> = vec![Vec::new(); processes.len()];
    let mut rows = Vec::with_capacity(window.shown.len());
    for &operation in &window.shown {
        let lane = processes.partition_point(|&process| process < timeline.bars[operation].process);
        let call = window.ranks.call[operation];
        let ret = window.ranks.ret[operation];
        let is_free = |until: &Option<Rank>| until.is_some_and(|until| until < call);
        let row = free[lane].iter().position(is_free).unwrap_or_else(|| {
            free[lane].push(None);
            free[lane].len() - 1
        });
        free[lane][row] = ret;
        rows.push((lane, row));
    }
    let mut y = AXIS;
    let mut lanes = Vec::with_capacity(processes.len());
    for (process, rows) in processes.into_iter().zip(&free) {
        let height = rows.len() as f64 * ROW;
        lanes.push(Lane { process, y, height });
        y += height;
    }
    (lanes, rows)
}
