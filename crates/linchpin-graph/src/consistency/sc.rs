//! Sequential consistency: po ∪ rf ∪ mo ∪ fr is acyclic.
//!
//! Kept incrementally: every event has the row of its po ∪ rf ∪ mo ∪ fr prefix, itself included. An access may then
//! read from or be placed after exactly those mo positions that no write or read in its thread's prefix has passed
//! ([`Execution::bound`]), and no cycle can arise. An event that is not mo-last has successors among older events,
//! whose rows grow; the old rows are kept on a trail so that taking the event back restores them.

use linchpin_model::MemoryModel;

use crate::event::{Event, EventId, Kind};
use crate::execution::Execution;
use crate::rows::LANES;

/// The prefix rows of all events.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    stride: usize,
    /// One row per event, by stamp.
    rows: Vec<u32>,
    /// (event whose addition changed a row, event whose row it was); the old row is in `saved`.
    trail: Vec<(EventId, EventId)>,
    saved: Vec<u32>,
    /// Scratch: events whose successors may have to grow.
    work: Vec<EventId>,
}

impl Prefixes {
    #[inline]
    pub fn row(&self, id: EventId) -> &[u32] {
        &self.rows[id.at() * self.stride..][..self.stride]
    }

    pub fn widen(&mut self, threads: usize) {
        if threads <= self.stride {
            return;
        }
        let stride = threads.next_multiple_of(LANES);
        for rows in [&mut self.rows, &mut self.saved] {
            let mut wide = Vec::new();
            if self.stride > 0 {
                for old in rows.chunks_exact(self.stride) {
                    wide.extend_from_slice(old);
                    wide.resize(wide.len() + stride - self.stride, 0);
                }
            }
            *rows = wide;
        }
        self.stride = stride;
    }

    pub fn reset_like(&mut self, other: &Prefixes) {
        self.stride = other.stride;
        self.rows.clear();
        self.trail.clear();
        self.saved.clear();
    }

    /// Forgets the newest event.
    #[inline]
    pub fn pop(&mut self) {
        if self.stride > 0 {
            self.rows.truncate(self.rows.len().saturating_sub(self.stride));
        }
    }

    /// Joins the row of `from` into that of `into`; says whether that changed anything.
    #[inline]
    fn join(&mut self, into: EventId, from: EventId) -> bool {
        let stride = self.stride;
        let (into, from) = (into.at() * stride, from.at() * stride);
        let Ok([target, source]) = self.rows.get_disjoint_mut([into..into + stride, from..from + stride]) else {
            return false;
        };
        let mut grown = 0;
        for (target, source) in target.chunks_exact_mut(LANES).zip(source.chunks_exact(LANES)) {
            for lane in 0..LANES {
                let joined = target[lane].max(source[lane]);
                grown |= joined ^ target[lane];
                target[lane] = joined;
            }
        }
        grown != 0
    }

    fn covers(&self, outer: EventId, inner: EventId) -> bool {
        self.row(inner).iter().zip(self.row(outer)).all(|(a, b)| a <= b)
    }
}

impl Execution {
    /// Computes the prefix of `id`, the newest event, and lets the prefixes of its successors grow.
    #[inline(always)]
    pub(crate) fn track_sc(&mut self, id: EventId) {
        if self.model == MemoryModel::Sc {
            self.compute_prefix(id);
        }
    }

    fn compute_prefix(&mut self, id: EventId) {
        let mut prefixes = std::mem::take(&mut self.prefixes);
        prefixes.widen(self.threads.len());
        prefixes.rows.resize((id.at() + 1) * prefixes.stride, 0);
        self.init_row(&mut prefixes, id);
        self.each_predecessor(id, |before| {
            prefixes.join(id, before);
        });
        // Only reads of overwritten values and writes in the middle of mo have successors yet; so have the readers of a
        // write that was made for a revisit, even where they learn nothing from it.
        prefixes.work.push(id);
        if self.event(id).kind == Kind::Write {
            prefixes.work.extend(self.readers(id));
        }
        while let Some(grown) = prefixes.work.pop() {
            let mut work = std::mem::take(&mut prefixes.work);
            self.each_successor(grown, |after| {
                if after.at() * prefixes.stride >= prefixes.rows.len() || prefixes.covers(after, grown) {
                    return;
                }
                prefixes.trail.push((id, after));
                let start = after.at() * prefixes.stride;
                prefixes.saved.extend_from_slice(&prefixes.rows[start..start + prefixes.stride]);
                prefixes.join(after, grown);
                work.push(after);
            });
            prefixes.work = work;
        }
        self.prefixes = prefixes;
    }

    /// Takes back what [`Execution::track_sc`] did to older events when `id`, the newest event, was added.
    #[inline(always)]
    pub(crate) fn untrack_sc(&mut self, id: EventId) {
        if self.model == MemoryModel::Sc {
            self.restore_prefixes(id);
        }
    }

    fn restore_prefixes(&mut self, id: EventId) {
        let prefixes = &mut self.prefixes;
        while let Some(&(cause, event)) = prefixes.trail.last() {
            if cause < id {
                break;
            }
            prefixes.trail.pop();
            let saved = prefixes.saved.len() - prefixes.stride;
            let start = event.at() * prefixes.stride;
            prefixes.rows[start..start + prefixes.stride].copy_from_slice(&prefixes.saved[saved..]);
            prefixes.saved.truncate(saved);
        }
    }

    /// Computes all prefixes anew; older events may have changed.
    pub fn rebuild_sc(&mut self) {
        if self.model != MemoryModel::Sc {
            return;
        }
        let mut prefixes = std::mem::take(&mut self.prefixes);
        prefixes.widen(self.threads.len());
        prefixes.trail.clear();
        prefixes.saved.clear();
        prefixes.rows.clear();
        prefixes.rows.resize(self.events.len() * prefixes.stride, 0);
        for stamp in 0..self.events.len() {
            self.init_row(&mut prefixes, EventId(stamp as u32));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for stamp in 0..self.events.len() {
                let id = EventId(stamp as u32);
                self.each_predecessor(id, |before| changed |= prefixes.join(id, before));
            }
        }
        self.prefixes = prefixes;
    }

    /// Is po ∪ rf ∪ mo ∪ fr acyclic?
    pub(super) fn is_sequential(&self) -> bool {
        // Stamps are nearly an order already: few rounds are needed.
        let mut placed = vec![false; self.events.len()];
        let mut left = self.events.len();
        loop {
            let before = left;
            for stamp in 0..self.events.len() {
                if placed[stamp] {
                    continue;
                }
                let mut is_next = true;
                self.each_predecessor(EventId(stamp as u32), |id| is_next &= placed[id.at()]);
                if is_next {
                    placed[stamp] = true;
                    left -= 1;
                }
            }
            if left == 0 || left == before {
                return left == 0;
            }
        }
    }

    fn init_row(&self, prefixes: &mut Prefixes, id: EventId) {
        let event = self.event(id);
        let start = id.at() * prefixes.stride;
        prefixes.rows[start..start + prefixes.stride].fill(0);
        prefixes.rows[start + event.thread.at()] = event.index + 1;
    }

    /// Visits the events right before this one in po (or the spawn of its thread), rf, mo and fr.
    pub fn each_predecessor(&self, id: EventId, mut visit: impl FnMut(EventId)) {
        let event = self.event(id);
        match self.previous(id) {
            Some(previous) => visit(previous),
            None if event.thread.0 > 0 => visit(self.spawn_of(event.thread)),
            None => {}
        }
        match event.kind {
            Kind::Read | Kind::Join if event.source.is_some() => visit(event.source),
            Kind::Write if event.mo_position > 0 => {
                let location = self.location(event.location);
                let before = location.at(event.mo_position - 1);
                let readers = if before.is_some() {
                    visit(before);
                    self.event(before).next_reader
                } else {
                    location.last_initial_reader
                };
                self.reader_chain(readers).for_each(visit);
            }
            _ => {}
        }
    }

    fn each_successor(&self, id: EventId, mut visit: impl FnMut(EventId)) {
        let event = self.event(id);
        if let Some(&next) = self.thread(event.thread).events.get(event.index as usize + 1) {
            visit(next);
        }
        match event.kind {
            // While a revisit is being made, the source is not in mo yet.
            Kind::Read if event.source.is_some() && self.event(event.source).mo_position == 0 => {}
            Kind::Read => {
                let location = self.location(event.location);
                if let Some(&next) = location.mo.get(self.source_position(id) as usize) {
                    visit(next);
                }
            }
            Kind::Write => {
                self.readers(id).for_each(&mut visit);
                if event.mo_position > 0 {
                    let location = self.location(event.location);
                    if let Some(&next) = location.mo.get(event.mo_position as usize) {
                        visit(next);
                    }
                }
            }
            Kind::Spawn => {
                if let Some(&first) = self.threads[event.value as usize].events.first() {
                    visit(first);
                }
            }
            Kind::End => {
                let ended = u64::from(event.thread.0);
                let joins = |other: &Event| other.kind == Kind::Join && other.value == ended;
                for (stamp, _) in self.events.iter().enumerate().filter(|(_, other)| joins(other)) {
                    visit(EventId(stamp as u32));
                }
            }
            Kind::PlainRead | Kind::PlainWrite | Kind::Fence | Kind::Join | Kind::Choice => {}
        }
    }
}
