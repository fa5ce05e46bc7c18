//! Runs in which it is said whose turn it is.
//!
//! Steps of a thread that nobody competes with happen without anybody being asked, so turns are taken when steps are made, not
//! when threads are chosen. When all turns are taken, the thread that ran last runs on, then the others one after the other.

use linchpin_graph::ThreadId;

use super::options::Guide;

/// What is left of the turns.
#[derive(Debug)]
pub(crate) struct Guided {
    /// The next one last.
    turns: Vec<Guide>,
    /// Who ran last.
    last: ThreadId,
}

impl Guided {
    pub fn new(turns: &[Guide]) -> Guided {
        Guided { turns: turns.iter().rev().copied().collect(), last: ThreadId::MAIN }
    }

    /// Which of these, several, goes on.
    pub fn choose(&mut self, ready: &[ThreadId]) -> ThreadId {
        while let Some(&turn) = self.turns.last() {
            match turn {
                Guide::Step(thread) if ready.contains(&thread) => return thread,
                Guide::Step(_) => drop(self.turns.pop()),
                // Somebody has to let it go on.
                Guide::Call(thread) => return if ready.contains(&thread) { thread } else { self.otherwise(ready) },
            }
        }
        self.otherwise(ready)
    }

    fn otherwise(&self, ready: &[ThreadId]) -> ThreadId {
        if ready.contains(&self.last) { self.last } else { *ready.iter().min().expect("there are several") }
    }

    /// `thread` makes a step.
    pub fn step(&mut self, thread: ThreadId) {
        self.last = thread;
        if self.turns.last() == Some(&Guide::Step(thread)) {
            self.turns.pop();
        }
    }

    /// An operation of `thread` returns.
    pub fn returned(&mut self, thread: ThreadId) {
        if self.turns.last() == Some(&Guide::Call(thread)) {
            self.turns.pop();
        }
    }
}
