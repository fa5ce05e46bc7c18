//! The traces of a client, sorted into those that are equivalent.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::eliminate::intervals::is_eliminated;
use crate::eliminate::section::Sections;
use crate::trace::Trace;

/// Executions with the same trace.
#[derive(Debug, Clone)]
pub struct Class {
    /// The trace.
    pub trace: Arc<Trace>,
    /// How many of them are right.
    pub linearizable: u64,
    /// How many are wrong.
    pub violating: u64,
}

/// What the executions of a client are like.
#[derive(Debug, Clone, Default)]
pub struct Traces {
    classes: Vec<Class>,
    index: HashMap<Arc<Trace>, usize>,
    linearizable: u64,
    violating: u64,
}

impl Traces {
    /// Adds an execution that is right.
    pub fn add_right(&mut self, trace: Trace) {
        self.linearizable += 1;
        self.add_class(&Class { trace: Arc::new(trace), linearizable: 1, violating: 0 });
    }

    /// Adds an execution that is wrong, by one trace for each reason: the trace alone if its outcome is, with [time](Trace::in_time)
    /// if it is wrong in some orders of calls and returns.
    pub fn add_wrong(&mut self, traces: impl IntoIterator<Item = Trace>) {
        self.violating += 1;
        for trace in traces {
            self.add_class(&Class { trace: Arc::new(trace), linearizable: 0, violating: 1 });
        }
    }

    /// Adds all executions of another client.
    pub fn extend(&mut self, other: &Traces) {
        self.linearizable += other.linearizable;
        self.violating += other.violating;
        other.classes.iter().for_each(|class| self.add_class(class));
    }

    fn add_class(&mut self, class: &Class) {
        let fresh = self.classes.len();
        let at = *self.index.entry(class.trace.clone()).or_insert(fresh);
        if at == fresh {
            self.classes.push(class.clone());
        } else {
            self.classes[at].linearizable += class.linearizable;
            self.classes[at].violating += class.violating;
        }
    }

    /// The classes of executions, in the order in which the first of each was added.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The classes that have executions which are wrong.
    pub fn failing(&self) -> impl Iterator<Item = &Class> {
        self.classes.iter().filter(|class| class.violating > 0)
    }

    /// How many executions are right.
    pub fn linearizable(&self) -> u64 {
        self.linearizable
    }

    /// How many executions are wrong.
    pub fn violating(&self) -> u64 {
        self.violating
    }

    /// How many executions that are right would be impossible if these sections were atomic.
    pub fn disabled_by(&self, sections: &Sections) -> u64 {
        let right = self.classes.iter().filter(|class| class.linearizable > 0);
        right.filter(|class| is_eliminated(&class.trace, sections)).map(|class| class.linearizable).sum()
    }

    /// How many executions that are wrong would still be possible if these sections were atomic; those that are wrong for several
    /// reasons count for each.
    pub fn left_by(&self, sections: &Sections) -> u64 {
        self.failing().filter(|class| !is_eliminated(&class.trace, sections)).map(|class| class.violating).sum()
    }
}

/// What sets of sections cost, each computed once.
pub(crate) struct Costs<'a> {
    traces: &'a Traces,
    known: RefCell<HashMap<Sections, u64>>,
}

impl<'a> Costs<'a> {
    pub fn new(traces: &'a Traces) -> Self {
        Costs { traces, known: RefCell::default() }
    }

    /// As [`Traces::disabled_by`].
    pub fn disabled_by(&self, sections: &Sections) -> u64 {
        if let Some(&known) = self.known.borrow().get(sections) {
            return known;
        }
        let disabled = self.traces.disabled_by(sections);
        self.known.borrow_mut().insert(sections.clone(), disabled);
        disabled
    }
}
