//! Retry loops: iterations that only read.
//!
//! `loop { h = top.load(); if top.compare_exchange(h, …).is_ok() { break } }`: a failed iteration leaves no trace, so an
//! execution with one is no different from the execution in which the next iteration came first. The sign of such an
//! iteration is a read that repeats the source position and the location of an earlier one of its thread with no effect
//! in between. It is only a sign: an accessor that is called twice, or a loop that counts its failures, looks the same. See
//! `cross_check` for how these are told apart.

use linchpin_graph::{Execution, LocationId, Site, ThreadId};

use crate::rt::Access;

/// Which repeated reads end a run.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// All of them.
    all: bool,
    /// Those at these positions.
    accepted: Vec<Site>,
    /// Spin hints that were taken as waits.
    spins: Vec<Site>,
}

/// Are these the same position in the source?
pub(crate) fn same_site(a: Site, b: Site) -> bool {
    a.line() == b.line() && a.column() == b.column() && a.file() == b.file()
}

impl Loops {
    pub fn new(all: bool) -> Self {
        Loops { all, ..Loops::default() }
    }

    /// Notes that a spin hint was taken as a wait.
    pub fn note_spin(&mut self, site: Site) {
        if !self.spins.iter().any(|&known| same_site(known, site)) {
            self.spins.push(site);
        }
    }

    /// Spin hints that were taken as waits.
    pub fn spins(&self) -> &[Site] {
        &self.spins
    }

    /// Would this read begin another iteration, after one that only read? If so: does it ask just what it asked before?
    pub fn repeats(&self, execution: &Execution, thread: ThreadId, location: LocationId, access: &Access) -> Option<bool> {
        if !self.all && !self.accepted.iter().any(|&site| same_site(site, access.site)) {
            return None;
        }
        let events = execution.thread(thread).events().iter().rev().map(|&id| execution.event(id));
        let earlier = events
            .take_while(|event| !event.is_effect())
            .find(|event| event.is_read() && event.location == location && same_site(event.site, access.site))?;
        Some(earlier.request.a == access.a && earlier.request.b == access.b)
    }
}
