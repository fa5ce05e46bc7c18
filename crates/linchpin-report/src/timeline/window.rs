//! Which operations are drawn.
//!
//! The *focus* is what must be seen: the operations of the contradiction and the one at whose return the history fails.
//! The window is a few *stretches* of consecutive events around the calls and returns of the focus; in a stretch,
//! everything that runs is drawn, so that an empty place on a lane means that the process was idle. Stretches grow, all
//! alike, until the operations are as many as allowed. Between them there are gaps.
//!
//! Two things would flood every window and are not drawn for running alone: operations that are pending since before
//! the stretch (a crashed client leaves one behind for good), and, when even at the calls and returns of the focus more
//! runs than may be drawn, those whose own events are farthest away.

use std::ops::RangeInclusive;

use super::{Outcome, Timeline};

/// Around the whole contradiction, this many events are enough.
const MARGIN: usize = 48;

/// The position of an event among all events of the history, from 0.
pub(super) type Rank = usize;

/// When operations are called and return, in events.
pub(super) struct Ranks {
    /// By operation.
    pub call: Vec<Rank>,
    /// By operation; `None` if it is pending.
    pub ret: Vec<Option<Rank>>,
    /// How many events there are.
    pub events: usize,
}

impl Ranks {
    /// Calls come before returns of the same time: intervals are closed.
    fn of(timeline: &Timeline<'_>) -> Self {
        let mut events: Vec<(i64, bool, usize)> = Vec::with_capacity(2 * timeline.bars.len());
        for (operation, bar) in timeline.bars.iter().enumerate() {
            events.push((bar.call, false, operation));
            events.extend(bar.ret.map(|ret| (ret.max(bar.call), true, operation)));
        }
        events.sort_unstable();
        let mut ranks =
            Ranks { call: vec![0; timeline.bars.len()], ret: vec![None; timeline.bars.len()], events: events.len() };
        for (rank, &(_, is_return, operation)) in events.iter().enumerate() {
            if is_return {
                ranks.ret[operation] = Some(rank);
            } else {
                ranks.call[operation] = rank;
            }
        }
        ranks
    }

    /// The events of an operation.
    fn of_operation(&self, operation: usize) -> impl Iterator<Item = Rank> {
        [Some(self.call[operation]), self.ret[operation]].into_iter().flatten()
    }

    /// From the call to the return, or to the end of the history.
    fn span(&self, operation: usize) -> RangeInclusive<Rank> {
        self.call[operation]..=self.ret[operation].unwrap_or(self.events - 1)
    }
}

/// The operations to draw and the stretches of events in which they are.
pub(super) struct Window {
    /// All events.
    pub ranks: Ranks,
    /// The operations to draw, by the time of their calls.
    pub shown: Vec<usize>,
    /// Where events are drawn one by one: not empty, in order, with events between them that are not drawn.
    pub stretches: Vec<RangeInclusive<Rank>>,
    /// Operations of the contradiction for which there is no room.
    pub contradiction_left_out: usize,
    /// Operations that run in a stretch and are not drawn: those that returned, and those that never did.
    pub running_left_out: [usize; 2],
}

impl Window {
    pub fn of(timeline: &Timeline<'_>) -> Self {
        let ranks = Ranks::of(timeline);
        if timeline.bars.len() <= timeline.window {
            return Window::whole(ranks);
        }
        let (focus, contradiction_left_out) = focus(timeline, &ranks);
        let mut choice = Choice::new(ranks, focus, timeline);
        choice.choose();
        let Choice { ranks, shown, stretches, .. } = choice;
        let covered = Covered::by(&stretches, ranks.events);
        let mut running_left_out = [0, 0];
        for operation in (0..shown.len()).filter(|&operation| !shown[operation]) {
            if covered.any(ranks.span(operation)) {
                running_left_out[usize::from(ranks.ret[operation].is_none())] += 1;
            }
        }
        let mut shown: Vec<usize> = (0..shown.len()).filter(|&operation| shown[operation]).collect();
        shown.sort_unstable_by_key(|&operation| ranks.call[operation]);
        Window { ranks, shown, stretches, contradiction_left_out, running_left_out }
    }

    fn whole(ranks: Ranks) -> Self {
        let mut shown: Vec<usize> = (0..ranks.call.len()).collect();
        shown.sort_unstable_by_key(|&operation| ranks.call[operation]);
        let stretches = if ranks.events == 0 { Vec::new() } else { vec![0..=ranks.events - 1] };
        Window { ranks, shown, stretches, contradiction_left_out: 0, running_left_out: [0, 0] }
    }
}

/// The operations that must be seen, and how many of the contradiction are too many: of those, the ends are kept.
fn focus(timeline: &Timeline<'_>, ranks: &Ranks) -> (Vec<usize>, usize) {
    let mut focus: Vec<usize> = timeline.highlighted.iter().map(|id| id.index()).collect();
    focus.retain(|&operation| operation < timeline.bars.len());
    focus.sort_unstable_by_key(|&operation| ranks.call[operation]);
    focus.dedup();
    let mut left_out = 0;
    if focus.len() > timeline.window {
        let half = timeline.window / 2;
        left_out = focus.len() - timeline.window;
        focus.drain(timeline.window - half..focus.len() - half);
    }
    focus.extend(timeline.fails_at.map(|id| id.index()).filter(|&operation| operation < timeline.bars.len()));
    if focus.is_empty() {
        // Nothing contradicts: look where the longest attempt ended, or at the beginning.
        let longest = timeline.orders.iter().max_by_key(|partial| partial.order.len());
        let stuck = longest.and_then(|partial| partial.stuck_at).map(|id| id.index());
        focus.extend(stuck.filter(|&operation| operation < timeline.bars.len()));
    }
    (focus, left_out)
}

struct Choice {
    ranks: Ranks,
    focus: Vec<usize>,
    /// The calls and returns of the focus, in order; not empty.
    points: Vec<Rank>,
    limit: usize,
    /// How far stretches reach to the left of the first point and to the right of the last.
    margin: usize,
    /// By operation.
    shown: Vec<bool>,
    stretches: Vec<RangeInclusive<Rank>>,
}

impl Choice {
    fn new(ranks: Ranks, focus: Vec<usize>, timeline: &Timeline<'_>) -> Self {
        let mut points: Vec<Rank> = focus.iter().flat_map(|&operation| ranks.of_operation(operation)).collect();
        points.sort_unstable();
        if points.is_empty() {
            points.push(0);
        }
        let margin = if timeline.verdict == Outcome::Violation { MARGIN } else { ranks.events };
        Choice { ranks, focus, points, limit: timeline.window, margin, shown: Vec::new(), stretches: Vec::new() }
    }

    /// Grows the stretches as far as the limit allows.
    fn choose(&mut self) {
        let (mut fits, mut too_far) = (None, self.ranks.events);
        while fits.map_or(0, |radius| radius + 1) < too_far {
            let radius = (fits.map_or(0, |radius: usize| radius + 1) + too_far) / 2;
            if self.count(&self.stretches_of(radius)) <= self.limit {
                fits = Some(radius);
            } else {
                too_far = radius;
            }
        }
        self.stretches = self.stretches_of(fits.unwrap_or(0));
        self.shown = vec![false; self.ranks.call.len()];
        for &operation in &self.focus {
            self.shown[operation] = true;
        }
        let covered = Covered::by(&self.stretches, self.ranks.events);
        let mut running: Vec<usize> = (0..self.shown.len()).filter(|&op| self.runs(&covered, op)).collect();
        if fits.is_none() {
            running.retain(|&operation| !self.shown[operation]);
            running.sort_by_key(|&operation| self.distance(operation));
            running.truncate(self.limit.saturating_sub(self.focus.len()));
        }
        for operation in running {
            self.shown[operation] = true;
        }
        self.close_gaps_without_hidden_events();
    }

    /// How many events the operation's nearest is away from a point.
    fn distance(&self, operation: usize) -> usize {
        let to_point = |rank: Rank| {
            let after = self.points.partition_point(|&point| point < rank);
            let neighbours = self.points[after.saturating_sub(1)..].iter().take(2);
            neighbours.map(|point| point.abs_diff(rank)).min().unwrap_or(usize::MAX)
        };
        self.ranks.of_operation(operation).map(to_point).min().unwrap_or(usize::MAX)
    }

    /// The stretches that reach `radius` events to both sides of each point.
    fn stretches_of(&self, radius: usize) -> Vec<RangeInclusive<Rank>> {
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        let start = first.saturating_sub(radius.min(self.margin));
        let end = (last + radius.min(self.margin)).min(self.ranks.events - 1);
        let mut stretches: Vec<RangeInclusive<Rank>> = Vec::new();
        for &point in &self.points {
            let stretch = point.saturating_sub(radius).max(start)..=(point + radius).min(end);
            match stretches.last_mut() {
                Some(before) if *stretch.start() <= before.end() + 1 => *before = *before.start()..=*stretch.end(),
                _ => stretches.push(stretch),
            }
        }
        stretches
    }

    /// How many operations these stretches need.
    fn count(&self, stretches: &[RangeInclusive<Rank>]) -> usize {
        let covered = Covered::by(stretches, self.ranks.events);
        (0..self.ranks.call.len()).filter(|&operation| self.runs(&covered, operation)).count()
    }

    /// Is the operation to be drawn because it runs in a stretch?
    fn runs(&self, covered: &Covered, operation: usize) -> bool {
        match self.ranks.ret[operation] {
            Some(_) => covered.any(self.ranks.span(operation)),
            None => covered.any(self.ranks.call[operation]..=self.ranks.call[operation]),
        }
    }

    /// A gap in which there are only events of operations that are drawn is none.
    fn close_gaps_without_hidden_events(&mut self) {
        let mut is_hidden = vec![true; self.ranks.events];
        for operation in (0..self.shown.len()).filter(|&operation| self.shown[operation]) {
            for rank in self.ranks.of_operation(operation) {
                is_hidden[rank] = false;
            }
        }
        let mut closed: Vec<RangeInclusive<Rank>> = Vec::new();
        for stretch in std::mem::take(&mut self.stretches) {
            match closed.last_mut() {
                Some(before) if !is_hidden[before.end() + 1..*stretch.start()].contains(&true) => {
                    *before = *before.start()..=*stretch.end();
                }
                _ => closed.push(stretch),
            }
        }
        self.stretches = closed;
    }
}

/// Which events are in a stretch, as a running count: `count[rank]` of those before `rank`.
struct Covered {
    count: Vec<u32>,
}

impl Covered {
    fn by(stretches: &[RangeInclusive<Rank>], events: usize) -> Self {
        let mut count = vec![0; events + 1];
        for stretch in stretches {
            for rank in stretch.clone() {
                count[rank + 1] = 1;
            }
        }
        for rank in 0..events {
            count[rank + 1] += count[rank];
        }
        Covered { count }
    }

    fn any(&self, span: RangeInclusive<Rank>) -> bool {
        self.count[span.end() + 1] > self.count[*span.start()]
    }
}
