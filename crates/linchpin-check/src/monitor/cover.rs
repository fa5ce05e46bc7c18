//! Slots in which something was certainly there.

use std::ops::Range;

use super::prepare::Element;

/// The slots that are not covered, while more and more of them are.
///
/// A disjoint-set forest: each slot leads to the next one that is free, perhaps over others. The slot of the virtual
/// removals is never covered, so there always is a next one.
pub(super) struct Free {
    next: Vec<u32>,
}

impl Free {
    /// All slots up to `end`, which stays free.
    pub(super) fn new(end: u32) -> Self {
        Free { next: (0..=end).collect() }
    }

    /// The first free slot from this one on.
    pub(super) fn from(&mut self, slot: u32) -> u32 {
        let mut at = slot;
        while self.next[at as usize] != at {
            // Halving the path keeps all paths short.
            let further = self.next[self.next[at as usize] as usize];
            self.next[at as usize] = further;
            at = further;
        }
        at
    }

    pub(super) fn cover(&mut self, slots: Range<u32>) {
        let mut at = self.from(slots.start);
        while at < slots.end {
            self.next[at as usize] = at + 1;
            at = self.from(at + 1);
        }
    }
}

/// The fewest of these elements that are there, one after another, in all of these slots: none of them can be spared.
/// `None` if some slot is free of them.
///
/// Always the one that stays longest among those that are there already.
pub(super) fn chain<'a>(
    slots: Range<u32>,
    elements: impl IntoIterator<Item = &'a Element>,
) -> Option<Vec<&'a Element>> {
    let mut there: Vec<&Element> = elements.into_iter().filter(|element| !element.present().is_empty()).collect();
    there.sort_unstable_by_key(|element| element.present().start);
    let mut there = there.into_iter().peekable();
    let mut links: Vec<&Element> = Vec::new();
    let mut longest: Option<&Element> = None;
    let mut at = slots.start;
    while at < slots.end {
        while let Some(next) = there.next_if(|next| next.present().start <= at) {
            if longest.is_none_or(|longest| longest.present().end < next.present().end) {
                longest = Some(next);
            }
        }
        let link = longest.filter(|longest| longest.present().end > at)?;
        at = link.present().end;
        links.push(link);
    }
    Some(links)
}

#[cfg(test)]
mod tests {
    use linchpin_model::OperationId;

    use super::*;
    use crate::monitor::NEVER;

    #[test]
    fn covered_slots_lead_to_the_next_free_one() {
        let mut free = Free::new(9);
        free.cover(2..4);
        free.cover(5..9);
        assert_eq!([0, 2, 3, 4, 5, 9].map(|slot| free.from(slot)), [0, 4, 4, 4, 9, 9]);
        free.cover(3..6);
        assert_eq!(free.from(2), 9);
    }

    #[test]
    fn a_chain_has_no_link_to_spare() {
        let there = |present: Range<u32>| Element {
            value: present.start,
            add: OperationId(0),
            remove: None,
            adding: 0..present.start,
            removing: present.end..NEVER,
            removed: NEVER,
        };
        let elements = [0..3, 1..5, 2..4, 4..6, 5..9].map(there);
        let values = |slots| chain(slots, &elements).map(|links| links.iter().map(|link| link.value).collect());
        assert_eq!(values(2..8), Some(vec![1, 5]));
        assert_eq!(values(0..8), Some(vec![0, 1, 5]));
        assert_eq!(values(8..10), None::<Vec<u32>>);
    }
}
