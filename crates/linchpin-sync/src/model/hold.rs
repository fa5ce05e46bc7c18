//! What mutexes and readers-writer locks share: one bit of their word says "locked", another "poisoned".

use std::marker::PhantomData;

use linchpin_graph::{Order, Site, Step, Verb};

use super::thread::panicking;
use super::word::{Ask, Word};

/// Somebody holds the lock exclusively.
pub(crate) const LOCKED: u64 = 1;
/// Somebody panicked while holding the lock exclusively.
pub(crate) const POISONED: u64 = 2;

/// The exclusive hold on the lock that a word stands for; ends when dropped.
pub(crate) struct Hold<'a> {
    word: &'a Word,
    /// The lock was poisoned when it was taken.
    poisoned: bool,
    /// The thread was panicking already when it took the lock, so its panic did not leave the data half changed.
    panicking: bool,
    /// Where the lock was taken. A drop has no position of its own in the source, so the release is shown there too.
    site: Site,
    /// A lock is released by the thread that took it: no `Send`.
    not_send: PhantomData<*const ()>,
}

// SAFETY: with a shared reference to a hold one can do nothing at all.
unsafe impl Sync for Hold<'_> {}

impl<'a> Hold<'a> {
    /// The hold of a thread that has just locked `word` and found `value` there.
    pub(crate) fn new(word: &'a Word, value: u64, site: Site) -> Self {
        Hold { word, poisoned: value & POISONED != 0, panicking: panicking(), site, not_send: PhantomData }
    }

    /// Turns the exclusive hold into what `held` says.
    pub(crate) fn downgrade(self, verb: Verb, held: u64) -> Site {
        self.release(verb, held);
        let site = self.site;
        std::mem::forget(self);
        site
    }

    fn release(&self, verb: Verb, held: u64) {
        if !self.poisoned {
            // While the lock is held the word changes only by `clear_poison`, and there is nothing to clear.
            return self.word.write(verb, Order::Release, held, self.site);
        }
        let step = |value, held, _| Step::Write(value & !LOCKED | held);
        self.word.ask(Ask::new(verb, Order::Release, step, self.site).with(held, 0));
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let poison = if panicking() && !self.panicking { POISONED } else { 0 };
        self.release(Verb::Unlock, poison);
    }
}

pub(crate) fn is_poisoned(word: &Word, site: Site) -> bool {
    word.load(site) & POISONED != 0
}

pub(crate) fn clear_poison(word: &Word, site: Site) {
    let step = |value, _, _| {
        if value & POISONED == 0 { Step::Return } else { Step::Write(value & !POISONED) }
    };
    word.ask(Ask::new(Verb::FetchAnd, Order::Relaxed, step, site));
}
