//! Where threads are in the middle of atomic sections.

use crate::eliminate::{Extent, Section, Sections};
use crate::trace::{Accesses, Place};
use crate::tree::program::{Program, Step};

/// A thread has begun a section, and this is the line that it is in.
#[derive(Clone, Copy)]
struct Run<'a> {
    section: &'a Section,
    invocation: usize,
    line: u32,
}

/// What a step means for a run.
enum Meaning {
    /// It is part of the run.
    GoesOn,
    /// It may turn out to be part of it, if the run goes on later.
    Elsewhere,
    /// The run is over.
    Over,
}

impl Run<'_> {
    fn meaning(&self, invocation: Option<usize>, place: Place) -> Meaning {
        if invocation != Some(self.invocation) {
            return Meaning::Over;
        }
        match self.section.extent {
            Extent::Whole => Meaning::GoesOn,
            Extent::Lines { file, .. } if file != place.file => Meaning::Elsewhere,
            // The first line again is the next pass of a loop.
            Extent::Lines { first, .. } if place.line == first && self.line > first => Meaning::Over,
            Extent::Lines { first, last, .. } if (first..=last).contains(&place.line) => Meaning::GoesOn,
            Extent::Lines { .. } => Meaning::Over,
        }
    }
}

impl Program {
    /// For each point of each thread: has the thread begun a run of one of these sections, and will it go on?
    pub(crate) fn inside(&self, sections: &Sections, accesses: Accesses) -> Vec<Vec<bool>> {
        let counts = |step: &Step| accesses.count(step.kind, step.verb);
        let of_thread = |thread: usize| -> Vec<bool> {
            let mut runs: Vec<Option<Run<'_>>> = Vec::new();
            // Points come after those that lead to them.
            for point in &self.threads[thread] {
                let before = runs.get(point.parent).copied().flatten();
                let run = match &point.step {
                    None => None,
                    Some(step) if !counts(step) => before,
                    Some(step) => {
                        let place = step.place;
                        match before.map(|run| (run, run.meaning(point.invocation, place))) {
                            Some((run, Meaning::GoesOn)) => Some(Run { line: place.line, ..run }),
                            Some((run, Meaning::Elsewhere)) => Some(run),
                            _ => self.begun(sections, point.invocation, place),
                        }
                    }
                };
                runs.push(run);
            }
            let goes_on = |point: usize| runs[point].is_some_and(|run| self.goes_on(thread, point, run, &counts));
            (0..runs.len()).map(goes_on).collect()
        };
        (0..self.threads.len()).map(of_thread).collect()
    }

    /// The run that begins with an access at this place.
    fn begun<'a>(&self, sections: &'a Sections, invocation: Option<usize>, place: Place) -> Option<Run<'a>> {
        let invocation = invocation?;
        let is_begun =
            |section: &&Section| *section.operation == *self.operation(invocation) && section.extent.has(place);
        let section = sections.iter().find(is_begun)?;
        Some(Run { section, invocation, line: place.line })
    }

    /// Is a later step part of the run?
    fn goes_on(&self, thread: usize, point: usize, run: Run<'_>, counts: &impl Fn(&Step) -> bool) -> bool {
        let points = &self.threads[thread];
        points[point].children.iter().any(|&child| {
            let Some(step) = &points[child].step else { return false };
            if !counts(step) {
                return self.goes_on(thread, child, run, counts);
            }
            match run.meaning(points[child].invocation, step.place) {
                Meaning::GoesOn => true,
                Meaning::Elsewhere => self.goes_on(thread, child, run, counts),
                Meaning::Over => false,
            }
        })
    }
}
