//! Texts that occur again and again are kept once.

use std::collections::HashSet;
use std::sync::Arc;

/// Longer texts are hardly ever the same, and costly to compare.
const LONGEST: usize = 64;

/// More distinct texts than this are not names; forgetting them costs memory for copies, never a result.
const MOST: usize = 1 << 16;

/// The texts seen so far.
#[derive(Default)]
pub(crate) struct Interner {
    texts: HashSet<Arc<str>>,
}

impl Interner {
    /// The text, shared with all equal ones if it is short.
    pub(crate) fn intern(&mut self, text: &str) -> Arc<str> {
        if text.len() > LONGEST {
            return text.into();
        }
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        if self.texts.len() == MOST {
            self.texts.clear();
        }
        let new: Arc<str> = text.into();
        self.texts.insert(new.clone());
        new
    }
}
