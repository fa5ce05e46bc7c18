//! The traces of a client, sorted into those that are equivalent.

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
    /// How many are wrong. Both kinds may have one trace: it does not say what had returned before what was called.
    pub violating: u64,
}

/// What the executions of a client are like.
#[derive(Debug, Clone, Default)]
pub struct Traces {
    classes: Vec<Class>,
    index: HashMap<Arc<Trace>, usize>,
}

impl Traces {
    /// Adds an execution.
    pub fn add(&mut self, trace: Trace, is_violating: bool) {
        self.add_class(&Class {
            trace: Arc::new(trace),
            linearizable: u64::from(!is_violating),
            violating: u64::from(is_violating),
        });
    }

    /// Adds all executions of another client.
    pub fn extend(&mut self, other: &Traces) {
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
        self.classes.iter().map(|class| class.linearizable).sum()
    }

    /// How many executions are wrong.
    pub fn violating(&self) -> u64 {
        self.classes.iter().map(|class| class.violating).sum()
    }

    /// How many executions that are right would be impossible if these sections were atomic.
    pub fn disabled_by(&self, sections: &Sections) -> u64 {
        let right = self.classes.iter().filter(|class| class.linearizable > 0);
        right.filter(|class| is_eliminated(&class.trace, sections)).map(|class| class.linearizable).sum()
    }

    /// How many executions that are wrong would still be possible if these sections were atomic.
    pub fn left_by(&self, sections: &Sections) -> u64 {
        self.failing().filter(|class| !is_eliminated(&class.trace, sections)).map(|class| class.violating).sum()
    }
}
