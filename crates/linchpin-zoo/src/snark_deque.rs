//! The deque of Detlefs et al. that needs an exchange of two words at once.

use linchpin_sync::hint;
use linchpin_sync::sync::atomic::AtomicU32;
use linchpin_sync::sync::atomic::Ordering::SeqCst;

use crate::arena::{Arena, AtomicRef, Ref};

/// A node that is never in the deque, and whose links point to itself.
const DUMMY: Ref<Node> = Ref::NULL;

struct Node {
    /// Nothing is 0.
    item: AtomicU32,
    left: AtomicRef<Node>,
    right: AtomicRef<Node>,
}

/// A word that a double compare-and-swap may be about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    LeftHat,
    RightHat,
    /// A node's left neighbour.
    Left(Ref<Node>),
    /// A node's right neighbour.
    Right(Ref<Node>),
}

/// The deque's memory, in which two words may be compared and swapped at once. All words hold [`DUMMY`] at first.
///
/// While that happens the first word, a hat, is marked, and whoever comes to it waits: nobody sees one word changed and the other
/// one not. So it is one step, at the moment of the second word. Marking a word rather than all of the memory lets those who
/// work on other words go on, and keeps executions that differ in nothing from being told apart.
struct Words {
    left_hat: AtomicRef<Node>,
    right_hat: AtomicRef<Node>,
    nodes: Arena<Node>,
}

impl Words {
    fn new() -> Self {
        Words { left_hat: AtomicRef::new(DUMMY), right_hat: AtomicRef::new(DUMMY), nodes: Arena::new() }
    }

    fn at(&self, word: Word) -> &AtomicRef<Node> {
        match word {
            Word::LeftHat => &self.left_hat,
            Word::RightHat => &self.right_hat,
            Word::Left(node) => &self.nodes[node].left,
            Word::Right(node) => &self.nodes[node].right,
        }
    }

    #[track_caller]
    fn load(&self, word: Word) -> Ref<Node> {
        if matches!(word, Word::Left(node) | Word::Right(node) if node == DUMMY) {
            return DUMMY;
        }
        loop {
            let (node, is_marked) = self.at(word).load_marked();
            if !is_marked {
                return node;
            }
            hint::spin_loop();
        }
    }

    /// Replaces what a word holds, if that is `old`; and marks it?
    #[track_caller]
    fn cas(&self, (word, old, new): Change, mark: bool) -> bool {
        loop {
            match self.at(word).exchange_marked(old, (new, mark)) {
                Ok(()) => return true,
                Err((_, true)) => hint::spin_loop(),
                Err((_, false)) => return false,
            }
        }
    }

    /// If both words have their old values, they get the new ones. The first one is a hat; if both are, it is the left one: those who
    /// mark a word and wait for another one never wait for each other.
    #[track_caller]
    fn dcas(&self, first: Change, second: Change) -> bool {
        if !self.cas(first, true) {
            return false;
        }
        let done = self.cas(second, false);
        let (word, old, new) = first;
        self.at(word).store(if done { new } else { old });
        done
    }
}

/// A word, what it is to hold, and what it shall hold then.
type Change = (Word, Ref<Node>, Ref<Node>);

/// One end of the deque, seen from which the other is the far one.
#[derive(Clone, Copy)]
struct Side {
    hat: Word,
    far_hat: Word,
    outer: fn(Ref<Node>) -> Word,
    inner: fn(Ref<Node>) -> Word,
}

const LEFT: Side = Side { hat: Word::LeftHat, far_hat: Word::RightHat, outer: Word::Left, inner: Word::Right };
const RIGHT: Side = Side { hat: Word::RightHat, far_hat: Word::LeftHat, outer: Word::Right, inner: Word::Left };

/// A doubly linked deque with a "hat" on either end, for machines that compare and swap two words at once.
///
/// - From: Detlefs et al., "Even better DCAS-based concurrent deques" (Snark); a running example of FGVT.
/// - Faults: a pop takes the deque to be empty if the node that was under its hat is linked to itself on the outer side. A
///   pop on the other side does that to nodes that it takes, while the deque is not empty. And (Doherty et al., "DCAS is not
///   a silver bullet") pops on both sides may take the same node.
/// - Clients: `[push_right(1)] { pop_right } || { push_right(2); pop_left }`, in which `pop_right` finds nothing and which takes
///   all three operations; and `[push_right(1); push_right(2)] { pop_left } || { pop_right } || { pop_right; push_left(3);
///   pop_left }`, in which both of the first pop 1.
/// - Fixes: look whether the hat is still on that node before saying that there is nothing; and empty the node that was taken
///   in one step with reading it, and go on if it was empty already.
///
/// The fixes are ours, in the spirit of Doherty et al.'s. They hold in the clients that the tests explore to the end, which both
/// clients above are among.
pub struct SnarkDeque<const FAULTY: bool> {
    words: Words,
}

impl<const FAULTY: bool> SnarkDeque<FAULTY> {
    /// An empty deque.
    pub fn new() -> Self {
        SnarkDeque { words: Words::new() }
    }

    /// Puts a value on the left end.
    pub fn push_left(&self, value: u32) {
        self.push(LEFT, value);
    }

    /// Puts a value on the right end.
    pub fn push_right(&self, value: u32) {
        self.push(RIGHT, value);
    }

    /// Takes the value on the left end.
    pub fn pop_left(&self) -> Option<u32> {
        self.pop(LEFT)
    }

    /// Takes the value on the right end.
    pub fn pop_right(&self) -> Option<u32> {
        self.pop(RIGHT)
    }

    fn push(&self, side: Side, value: u32) {
        let node = Node { item: AtomicU32::new(value), left: AtomicRef::default(), right: AtomicRef::default() };
        let node = self.words.nodes.allocate(node);
        // The outer link of a new node is the dummy already.
        loop {
            let hat = self.words.load(side.hat);
            let outer = self.words.load((side.outer)(hat));
            let pushed = if outer == hat {
                let far_hat = self.words.load(side.far_hat);
                self.words.at((side.inner)(node)).store(DUMMY);
                self.both_hats(side, (hat, far_hat), node)
            } else {
                self.words.at((side.inner)(node)).store(hat);
                self.words.dcas((side.hat, hat, node), ((side.outer)(hat), outer, node))
            };
            if pushed {
                return;
            }
        }
    }

    fn pop(&self, side: Side) -> Option<u32> {
        loop {
            let hat = self.words.load(side.hat);
            let far_hat = self.words.load(side.far_hat);
            if self.words.load((side.outer)(hat)) == hat {
                if FAULTY || self.words.load(side.hat) == hat {
                    return None;
                }
                continue;
            }
            if hat == far_hat {
                if self.both_hats(side, (hat, far_hat), DUMMY)
                    && let Some(item) = self.claim(hat)
                {
                    return Some(item);
                }
            } else {
                let inner = self.words.load((side.inner)(hat));
                if self.words.dcas((side.hat, hat, inner), ((side.inner)(hat), inner, hat)) {
                    let item = self.claim(hat);
                    self.words.at((side.outer)(hat)).store(DUMMY);
                    if item.is_some() {
                        return item;
                    }
                }
            }
        }
    }

    /// Puts both hats on a node, if they are on these.
    #[track_caller]
    fn both_hats(&self, side: Side, (hat, far_hat): (Ref<Node>, Ref<Node>), node: Ref<Node>) -> bool {
        let (own, far) = ((side.hat, hat, node), (side.far_hat, far_hat, node));
        let (left, right) = if side.hat == Word::LeftHat { (own, far) } else { (far, own) };
        self.words.dcas(left, right)
    }

    /// The value of a node that was taken off; none if the other end has had it.
    #[track_caller]
    fn claim(&self, node: Ref<Node>) -> Option<u32> {
        let item = &self.words.nodes[node].item;
        let item = if FAULTY { item.load(SeqCst) } else { item.swap(0, SeqCst) };
        (item != 0).then_some(item)
    }
}

impl<const FAULTY: bool> Default for SnarkDeque<FAULTY> {
    fn default() -> Self {
        Self::new()
    }
}
