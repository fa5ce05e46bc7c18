//! The frontier of a history in real time.
//!
//! Let the returned operations be sorted by their returns, and let `position` be the first that is not in order yet.
//! Everything that returned before it is in order; nothing that was called after its return can be. So the set is
//! known from `position` and one bit for each operation that was open at that return. Bits are shared: an operation
//! takes a *slot* that is free when it is called and leaves it when it returns, so that as many slots are needed as
//! operations are ever open at once.

use std::hash::Hash;

use super::{Frontier, NEVER};

/// When an operation was called and when it returned, as ranks; [`NEVER`] when it is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) call: u32,
    pub(crate) ret: u32,
}

/// One bit per slot. Almost all histories need few slots; then a mask is a word or two.
pub(crate) trait Mask: Clone + Eq + Hash {
    /// No bit set, of at least this many.
    fn empty(bits: u32) -> Self;
    /// All words, to be changed.
    fn words(&mut self) -> &mut [u64];
    /// How many bytes it takes besides its own size.
    fn heap_bytes(&self) -> usize;
}

impl<const N: usize> Mask for [u64; N] {
    fn empty(bits: u32) -> Self {
        debug_assert!(bits as usize <= 64 * N);
        [0; N]
    }

    fn words(&mut self) -> &mut [u64] {
        self
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Mask for Box<[u64]> {
    fn empty(bits: u32) -> Self {
        vec![0; bits.div_ceil(64) as usize].into()
    }

    fn words(&mut self) -> &mut [u64] {
        self
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&**self)
    }
}

/// The order of a history in real time, prepared for searches.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// By operation, in the order of their calls.
    pub(crate) spans: Vec<Span>,
    /// The returned operations in the order of their returns.
    pub(crate) by_return: Vec<u32>,
    /// Operations that are open at the same time have different slots.
    slot: Vec<u32>,
    /// How many slots there are.
    pub(crate) slots: u32,
}

impl Layout {
    /// For operations in the order of their calls.
    pub(crate) fn new(spans: Vec<Span>) -> Self {
        debug_assert!(spans.is_sorted_by_key(|span| span.call));
        let mut by_return: Vec<u32> = (0..spans.len() as u32).filter(|&i| spans[i as usize].ret != NEVER).collect();
        by_return.sort_unstable_by_key(|&operation| spans[operation as usize].ret);
        let (slot, slots) = slots(&spans, &by_return);
        Layout { spans, by_return, slot, slots }
    }

    /// The numbers of returns after which nothing is open.
    pub(crate) fn cuts(&self) -> Vec<u32> {
        let mut called = 0;
        let mut cuts = Vec::new();
        for (before, &operation) in self.by_return.iter().enumerate() {
            called +=
                self.spans[called..].iter().take_while(|span| span.call < self.spans[operation as usize].ret).count();
            if called == before + 1 {
                cuts.push(called as u32);
            }
        }
        cuts
    }
}

/// The frontier.
pub(crate) struct Intervals<'a, M> {
    spans: &'a [Span],
    slot: &'a [u32],
    by_return: &'a [u32],
    /// Operations with equal classes are called alike and return alike.
    class: &'a [u32],
    placed: Vec<bool>,
    /// A doubly linked list, in the order of the calls, of the operations that are not in order. The last element of
    /// each is its head.
    next: Vec<u32>,
    previous: Vec<u32>,
    position: u32,
    mask: M,
    /// Per class: the earliest return of a candidate of that class, and during which call of `candidates` it was seen.
    earliest: Vec<(u64, u32)>,
    asked: u64,
}

impl<'a, M: Mask> Intervals<'a, M> {
    pub(crate) fn new(layout: &'a Layout, class: &'a [u32]) -> Self {
        let Layout { spans, by_return, slot, slots } = layout;
        let n = spans.len() as u32;
        let classes = class.iter().max().map_or(0, |&greatest| greatest as usize + 1);
        Intervals {
            spans,
            slot,
            by_return,
            class,
            placed: vec![false; n as usize],
            next: (1..=n).chain([0]).collect(),
            previous: [n].into_iter().chain(0..n).collect(),
            position: 0,
            mask: M::empty(*slots),
            earliest: vec![(0, 0); classes],
            asked: 0,
        }
    }

    /// The operations that are not in order, in the order of their calls.
    pub(crate) fn left(&self) -> impl Iterator<Item = u32> + '_ {
        let first = self.next[self.head() as usize];
        std::iter::successors(Some(first), |&operation| Some(self.next[operation as usize]))
            .take_while(|&operation| operation != self.head())
    }

    fn head(&self) -> u32 {
        self.spans.len() as u32
    }

    fn flip(&mut self, operation: u32) {
        let slot = self.slot[operation as usize];
        self.mask.words()[slot as usize / 64] ^= 1 << (slot % 64);
    }
}

impl<M: Mask> Frontier for Intervals<'_, M> {
    type Key = (u32, M);

    fn candidates(&mut self, next: &mut Vec<u32>) {
        self.asked += 1;
        let deadline = self.deadline();
        let start = next.len();
        let mut operation = self.next[self.head() as usize];
        while operation != self.head() {
            let Span { call, ret } = self.spans[operation as usize];
            if call > deadline {
                break;
            }
            // The list is in the order of the calls: an operation of the same class that was seen before was called
            // earlier, and if it does not return later either, it can stand in for this one.
            let (seen, earliest) = &mut self.earliest[self.class[operation as usize] as usize];
            if *seen != self.asked || ret < *earliest {
                (*seen, *earliest) = (self.asked, ret);
                next.push(operation);
            }
            operation = self.next[operation as usize];
        }
        // What returns first is in the greatest hurry.
        next[start..].sort_unstable_by_key(|&operation| std::cmp::Reverse(self.spans[operation as usize].ret));
    }

    fn place(&mut self, operation: u32) {
        let (next, previous) = (self.next[operation as usize], self.previous[operation as usize]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
        self.placed[operation as usize] = true;
        self.flip(operation);
        while let Some(&first) = self.by_return.get(self.position as usize)
            && self.placed[first as usize]
        {
            self.flip(first);
            self.position += 1;
        }
    }

    fn take_back(&mut self, operation: u32, before: &Self::Key) {
        let (next, previous) = (self.next[operation as usize], self.previous[operation as usize]);
        self.next[previous as usize] = operation;
        self.previous[next as usize] = operation;
        self.placed[operation as usize] = false;
        (self.position, self.mask) = before.clone();
    }

    fn key(&self) -> Self::Key {
        (self.position, self.mask.clone())
    }

    fn key_bytes(&self) -> usize {
        self.mask.heap_bytes()
    }

    fn is_complete(&self) -> bool {
        self.position as usize == self.by_return.len()
    }

    fn deadline(&self) -> u32 {
        self.by_return.get(self.position as usize).map_or(NEVER, |&first| self.spans[first as usize].ret)
    }

    fn position(&self) -> u32 {
        self.position
    }
}

/// A slot for every operation, such that operations that are open at the same time have different ones; and how many
/// slots that takes. The operations are in the order of their calls, and `by_return` lists those that returned.
fn slots(spans: &[Span], by_return: &[u32]) -> (Vec<u32>, u32) {
    let mut slot = vec![0; spans.len()];
    let mut free = Vec::new();
    let mut used = 0;
    let mut returned = by_return.iter().peekable();
    for (operation, span) in spans.iter().enumerate() {
        while let Some(&&first) = returned.peek()
            && spans[first as usize].ret < span.call
        {
            free.push(slot[first as usize]);
            returned.next();
        }
        slot[operation] = free.pop().unwrap_or_else(|| {
            used += 1;
            used - 1
        });
    }
    (slot, used)
}
