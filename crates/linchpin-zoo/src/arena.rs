//! Nodes that are never freed while their object lives, as under a garbage collector whose work nobody sees.

use std::fmt;
use std::ops::Index;
use std::ptr;
use std::sync::atomic::AtomicPtr as NativePtr;
use std::sync::atomic::Ordering::Relaxed;

use linchpin_sync::sync::atomic::AtomicPtr;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

/// A node of an [`Arena`], or null.
///
/// Those of one object are null or from its own arena: nothing but [`Arena::allocate`] makes others.
pub(crate) struct Ref<N>(*mut Slot<N>);

impl<N> Ref<N> {
    pub const NULL: Ref<N> = Ref(ptr::null_mut());

    pub fn is_null(self) -> bool {
        self == Ref::NULL
    }
}

impl<N> Clone for Ref<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for Ref<N> {}

impl<N> PartialEq for Ref<N> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<N> Eq for Ref<N> {}

impl<N> fmt::Debug for Ref<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// SAFETY: a reference alone gives access to nothing; the arena does, which is `Sync` only if its nodes are.
unsafe impl<N> Send for Ref<N> {}
// SAFETY: as above.
unsafe impl<N> Sync for Ref<N> {}

/// A shared word that holds a [`Ref`], and one bit more for those who want to mark it. All accesses are `SeqCst`.
pub(crate) struct AtomicRef<N>(AtomicPtr<Slot<N>>);

impl<N> AtomicRef<N> {
    pub fn new(node: Ref<N>) -> Self {
        AtomicRef(AtomicPtr::new(node.0))
    }

    #[track_caller]
    pub fn load(&self) -> Ref<N> {
        Ref(self.0.load(SeqCst))
    }

    #[track_caller]
    pub fn store(&self, node: Ref<N>) {
        self.0.store(node.0, SeqCst);
    }

    /// Replaces `old` by `new`; was it `old`?
    #[track_caller]
    pub fn replace(&self, old: Ref<N>, new: Ref<N>) -> bool {
        self.0.compare_exchange(old.0, new.0, SeqCst, SeqCst).is_ok()
    }

    /// The node, and the version of the word.
    #[track_caller]
    pub fn load_versioned(&self) -> (Ref<N>, u16) {
        let word = self.0.load(SeqCst);
        (Ref(word.map_addr(|address| address & ((1 << VERSION) - 1))), (word.addr() >> VERSION) as u16)
    }

    /// Replaces `old`, in this version, by `new` in the next one; was it `old` in this version?
    #[track_caller]
    pub fn replace_versioned(&self, (old, version): (Ref<N>, u16), new: Ref<N>) -> bool {
        let word = |node: Ref<N>, version: u16| node.0.map_addr(|address| address | usize::from(version) << VERSION);
        self.0.compare_exchange(word(old, version), word(new, version.wrapping_add(1)), SeqCst, SeqCst).is_ok()
    }

    /// The node, and is it marked?
    #[track_caller]
    pub fn load_marked(&self) -> (Ref<N>, bool) {
        unmarked(self.0.load(SeqCst))
    }

    /// Replaces the unmarked `old` by `new`, marked or not; was it the unmarked `old`?
    #[track_caller]
    pub fn replace_marked(&self, old: Ref<N>, new: (Ref<N>, bool)) -> bool {
        self.exchange_marked(old, new).is_ok()
    }

    /// Replaces the unmarked `old` by `new`, marked or not, or returns what is there instead.
    #[track_caller]
    pub fn exchange_marked(&self, old: Ref<N>, (new, mark): (Ref<N>, bool)) -> Result<(), (Ref<N>, bool)> {
        let new = new.0.map_addr(|address| address | if mark { MARK } else { 0 });
        self.0.compare_exchange(old.0, new, SeqCst, SeqCst).map(|_| ()).map_err(unmarked)
    }
}

/// The node of a word, and is the word marked?
fn unmarked<N>(word: *mut Slot<N>) -> (Ref<N>, bool) {
    (Ref(word.map_addr(|address| address & !MARK)), word.addr() & MARK != 0)
}

/// The bit that marks; nodes have even addresses.
const MARK: usize = 1;

/// Above this bit there is a version: addresses have 47 bits on the systems that Linchpin runs on.
const VERSION: u32 = 48;

impl<N> Default for AtomicRef<N> {
    fn default() -> Self {
        AtomicRef::new(Ref::NULL)
    }
}

/// A node and the one that was allocated before it.
#[repr(align(2))]
struct Slot<N> {
    node: N,
    older: *mut Slot<N>,
}

/// The nodes of one object, as many as it needs.
///
/// That a node was allocated is no event of an execution: allocations do not depend on each other, as with a real heap, and
/// neither multiply executions nor show up among the accesses that decide something. So who allocated before whom is kept
/// where the engine does not look, and it matters to nobody but `drop`.
pub(crate) struct Arena<N> {
    newest: NativePtr<Slot<N>>,
}

impl<N> Arena<N> {
    pub fn new() -> Self {
        Arena { newest: NativePtr::new(ptr::null_mut()) }
    }

    /// A node that nobody else has.
    pub fn allocate(&self, node: N) -> Ref<N> {
        let slot = Box::into_raw(Box::new(Slot { node, older: ptr::null_mut() }));
        let older = self.newest.swap(slot, Relaxed);
        // SAFETY: nobody but `drop` looks at this field.
        unsafe { (&raw mut (*slot).older).write(older) };
        Ref(slot)
    }
}

/// # Panics
/// If it is null.
impl<N> Index<Ref<N>> for Arena<N> {
    type Output = N;

    #[track_caller]
    fn index(&self, node: Ref<N>) -> &N {
        assert!(!node.is_null(), "null has no fields");
        // SAFETY: it is from this arena, and what was allocated lives as long as the arena. The field `older` may be written
        // at the same time, hence no reference to the whole.
        unsafe { &(*node.0).node }
    }
}

impl<N> Drop for Arena<N> {
    fn drop(&mut self) {
        let mut slot = *self.newest.get_mut();
        while !slot.is_null() {
            // SAFETY: all in this list were boxes, once each, and nobody has the arena any more.
            slot = unsafe { Box::from_raw(slot) }.older;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_live_as_long_as_their_arena_and_no_longer() {
        let witness = std::sync::Arc::new(());
        let arena = Arena::new();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        arena.allocate(witness.clone());
                    }
                });
            }
        });
        let node = arena.allocate(witness.clone());
        assert!(std::sync::Arc::ptr_eq(&arena[node], &witness));
        assert_eq!(std::sync::Arc::strong_count(&witness), 2_002);
        drop(arena);
        assert_eq!(std::sync::Arc::strong_count(&witness), 1);
    }

    #[test]
    fn a_mark_belongs_to_the_word_and_not_to_the_node() {
        let arena = Arena::new();
        let (first, second) = (arena.allocate(1), arena.allocate(2));
        let word = AtomicRef::new(first);
        assert!(word.replace_marked(first, (first, true)));
        assert_eq!(word.load_marked(), (first, true));
        assert!(!word.replace(first, second));
        assert_eq!(arena[word.load_marked().0], 1);
    }

    #[test]
    fn a_word_that_was_replaced_and_put_back_has_another_version() {
        let arena = Arena::new();
        let (first, second) = (arena.allocate(1), arena.allocate(2));
        let word = AtomicRef::new(first);
        let seen = word.load_versioned();
        assert_eq!(seen, (first, 0));
        assert!(word.replace_versioned(seen, second));
        assert!(word.replace_versioned(word.load_versioned(), first));
        assert_eq!(word.load_versioned(), (first, 2));
        assert!(!word.replace_versioned(seen, second));
    }

    #[test]
    #[should_panic(expected = "null has no fields")]
    fn null_is_no_node() {
        let _ = Arena::<u8>::new()[Ref::NULL];
    }
}
