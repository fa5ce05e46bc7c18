//! A sequence that shares what it has in common with the sequences it came from.
//!
//! A state is copied at every step of a search, and of a witness that is verified. With a plain vector the copy costs as
//! much as the state is long: a queue of a thousand elements makes a million steps take a minute. Here a step costs
//! the logarithm of the length, hashing a state costs nothing, and comparing two costs something only when they are
//! equal.
//!
//! A weight-balanced tree (Adams 1993, with the parameters 3 and 2 of Hirai and Yamamoto 2011). Its shape depends on how
//! it came about, so equality and hash look at the items alone.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Items in an order: that of their ends ([`push_back`](Self::push_back), …), or that of the items themselves
/// ([`insert`](Self::insert), …); never both in one tree.
#[derive(Clone)]
pub struct Tree<T>(Option<Arc<Node<T>>>);

#[derive(Clone)]
struct Node<T> {
    left: Tree<T>,
    item: T,
    right: Tree<T>,
    len: u32,
    /// The hash of the item alone.
    own: u64,
    /// The hash of all items: a polynomial in [`BASE`], which does not depend on the shape.
    hash: u64,
    /// [`BASE`] to the power of `len`.
    power: u64,
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl<T: Clone + Hash> Tree<T> {
    /// No items.
    pub const EMPTY: Tree<T> = Tree(None);

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.weight() as usize
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The first item.
    pub fn first(&self) -> Option<&T> {
        let mut node = self.0.as_deref()?;
        while let Some(left) = node.left.0.as_deref() {
            node = left;
        }
        Some(&node.item)
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        let mut node = self.0.as_deref()?;
        while let Some(right) = node.right.0.as_deref() {
            node = right;
        }
        Some(&node.item)
    }

    /// All items, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mut open = Vec::new();
        let mut tree = self;
        std::iter::from_fn(move || {
            while let Some(node) = tree.0.as_deref() {
                open.push(node);
                tree = &node.left;
            }
            let node = open.pop()?;
            tree = &node.right;
            Some(&node.item)
        })
    }

    /// With one more item at the front.
    pub fn push_front(&self, item: T) -> Self {
        match self.0.as_deref() {
            None => Tree::leaf(item),
            Some(node) => node.with_left(node.left.push_front(item)),
        }
    }

    /// With one more item at the back.
    pub fn push_back(&self, item: T) -> Self {
        match self.0.as_deref() {
            None => Tree::leaf(item),
            Some(node) => node.with_right(node.right.push_back(item)),
        }
    }

    /// Without the first item.
    pub fn without_first(&self) -> Self {
        match self.0.as_deref() {
            None => Tree::EMPTY,
            Some(node) if node.left.is_empty() => node.right.clone(),
            Some(node) => node.with_left(node.left.without_first()),
        }
    }

    /// Without the last item.
    pub fn without_last(&self) -> Self {
        match self.0.as_deref() {
            None => Tree::EMPTY,
            Some(node) if node.right.is_empty() => node.left.clone(),
            Some(node) => node.with_right(node.right.without_last()),
        }
    }

    /// The item for which `place` says `Equal`. It says how an item compares to what is looked for.
    pub fn find(&self, place: impl Fn(&T) -> Ordering) -> Option<&T> {
        let mut node = self.0.as_deref()?;
        loop {
            node = match place(&node.item) {
                Ordering::Equal => return Some(&node.item),
                Ordering::Greater => node.left.0.as_deref()?,
                Ordering::Less => node.right.0.as_deref()?,
            };
        }
    }

    /// With `item` in place of the one for which `place` says `Equal`, or where that one would be.
    pub fn insert(&self, item: T, place: &impl Fn(&T) -> Ordering) -> Self {
        let Some(node) = self.0.as_deref() else { return Tree::leaf(item) };
        match place(&node.item) {
            Ordering::Equal => join(node.left.clone(), item, None, node.right.clone()),
            Ordering::Greater => node.with_left(node.left.insert(item, place)),
            Ordering::Less => node.with_right(node.right.insert(item, place)),
        }
    }

    /// Without the item for which `place` says `Equal`.
    pub fn remove(&self, place: &impl Fn(&T) -> Ordering) -> Self {
        let Some(node) = self.0.as_deref() else { return Tree::EMPTY };
        match place(&node.item) {
            Ordering::Greater => node.with_left(node.left.remove(place)),
            Ordering::Less => node.with_right(node.right.remove(place)),
            Ordering::Equal => match node.right.first() {
                None => node.left.clone(),
                Some(next) => balanced(node.left.clone(), next.clone(), None, node.right.without_first()),
            },
        }
    }

    /// What one step adds to the memory that states take: the path to the item that changed.
    pub fn bytes(&self) -> usize {
        let depth = (u32::BITS - self.weight().leading_zeros()) as usize;
        size_of::<Self>() + depth * (size_of::<Node<T>>() + 2 * size_of::<usize>())
    }

    fn leaf(item: T) -> Self {
        join(Tree::EMPTY, item, None, Tree::EMPTY)
    }

    fn weight(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.len)
    }

    fn content_hash(&self) -> u64 {
        self.0.as_ref().map_or(0, |node| node.hash)
    }

    fn power(&self) -> u64 {
        self.0.as_ref().map_or(1, |node| node.power)
    }
}

impl<T: Clone + Hash> Node<T> {
    fn with_left(&self, left: Tree<T>) -> Tree<T> {
        balanced(left, self.item.clone(), Some(self.own), self.right.clone())
    }

    fn with_right(&self, right: Tree<T>) -> Tree<T> {
        balanced(self.left.clone(), self.item.clone(), Some(self.own), right)
    }
}

/// A tree of two that balance each other, and the item between them, whose hash may be known.
fn join<T: Clone + Hash>(left: Tree<T>, item: T, own: Option<u64>, right: Tree<T>) -> Tree<T> {
    let own = own.unwrap_or_else(|| {
        let mut hasher = Fold(BASE);
        item.hash(&mut hasher);
        hasher.finish()
    });
    let before = left.content_hash().wrapping_mul(BASE).wrapping_add(own);
    let hash = before.wrapping_mul(right.power()).wrapping_add(right.content_hash());
    let power = left.power().wrapping_mul(BASE).wrapping_mul(right.power());
    let len = left.weight() + 1 + right.weight();
    Tree(Some(Arc::new(Node { left, item, right, len, own, hash, power })))
}

/// The same of two trees of which one may be an item too heavy or too light.
fn balanced<T: Clone + Hash>(left: Tree<T>, item: T, own: Option<u64>, right: Tree<T>) -> Tree<T> {
    let heavier = |heavy: &Tree<T>, light: &Tree<T>| heavy.weight() + 1 > 3 * (light.weight() + 1);
    let single = |inner: &Tree<T>, outer: &Tree<T>| inner.weight() + 1 < 2 * (outer.weight() + 1);
    match (left.0.as_deref(), right.0.as_deref()) {
        (_, Some(heavy)) if heavier(&right, &left) => match heavy.left.0.as_deref() {
            Some(middle) if !single(&heavy.left, &heavy.right) => join(
                join(left, item, own, middle.left.clone()),
                middle.item.clone(),
                Some(middle.own),
                join(middle.right.clone(), heavy.item.clone(), Some(heavy.own), heavy.right.clone()),
            ),
            _ => join(
                join(left, item, own, heavy.left.clone()),
                heavy.item.clone(),
                Some(heavy.own),
                heavy.right.clone(),
            ),
        },
        (Some(heavy), _) if heavier(&left, &right) => match heavy.right.0.as_deref() {
            Some(middle) if !single(&heavy.right, &heavy.left) => join(
                join(heavy.left.clone(), heavy.item.clone(), Some(heavy.own), middle.left.clone()),
                middle.item.clone(),
                Some(middle.own),
                join(middle.right.clone(), item, own, right),
            ),
            _ => join(
                heavy.left.clone(),
                heavy.item.clone(),
                Some(heavy.own),
                join(heavy.right.clone(), item, own, right),
            ),
        },
        _ => join(left, item, own, right),
    }
}

impl<T: Clone + Hash> Default for Tree<T> {
    fn default() -> Self {
        Tree::EMPTY
    }
}

impl<T: Clone + Eq + Hash> PartialEq for Tree<T> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                Arc::ptr_eq(a, b) || (a.len == b.len && a.hash == b.hash && self.iter().eq(other.iter()))
            }
            _ => false,
        }
    }
}

impl<T: Clone + Eq + Hash> Eq for Tree<T> {}

impl<T: Clone + Hash> Hash for Tree<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.content_hash().hash(hasher);
    }
}

/// As the list of its items.
impl<T: Clone + Hash + fmt::Debug> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A hasher for short items that is quick and the same in every run.
struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        (self.0 ^ (self.0 >> 32)).wrapping_mul(BASE)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(BASE);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, VecDeque};

    use super::*;

    fn depth<T>(tree: &Tree<T>) -> usize {
        tree.0.as_ref().map_or(0, |node| 1 + depth(&node.left).max(depth(&node.right)))
    }

    #[test]
    fn behaves_like_a_deque() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut tree, mut plain) = (Tree::EMPTY, VecDeque::new());
        for step in 0..20_000u32 {
            match random.u32(0..4) {
                0 => {
                    tree = tree.push_front(step);
                    plain.push_front(step);
                }
                1 => {
                    tree = tree.push_back(step);
                    plain.push_back(step);
                }
                2 => {
                    assert_eq!(tree.first(), plain.front());
                    tree = tree.without_first();
                    plain.pop_front();
                }
                _ => {
                    assert_eq!(tree.last(), plain.back());
                    tree = tree.without_last();
                    plain.pop_back();
                }
            }
            assert_eq!(tree.len(), plain.len());
            assert!(step % 64 != 0 || tree.iter().eq(&plain));
        }
    }

    #[test]
    fn behaves_like_an_ordered_set() {
        let mut random = fastrand::Rng::with_seed(2);
        let (mut tree, mut plain) = (Tree::EMPTY, BTreeSet::new());
        for step in 0..20_000 {
            let item = random.u32(0..300);
            let place = |other: &u32| other.cmp(&item);
            assert_eq!(tree.find(place).is_some(), plain.contains(&item));
            if random.bool() {
                tree = tree.insert(item, &place);
                plain.insert(item);
            } else {
                tree = tree.remove(&place);
                plain.remove(&item);
            }
            assert!(step % 64 != 0 || tree.iter().eq(&plain));
        }
    }

    #[test]
    fn equal_contents_are_equal_whatever_their_past() {
        let forward = (0..100).fold(Tree::EMPTY, |tree, item: u32| tree.push_back(item));
        let backward = (0..100).rev().fold(Tree::EMPTY, |tree, item: u32| tree.push_front(item));
        assert_eq!(forward, backward);
        assert_eq!(forward.content_hash(), backward.content_hash());
        assert_ne!(forward, backward.without_last().push_back(7));
        assert_ne!(forward.push_back(1).push_back(2), forward.push_back(2).push_back(1));
    }

    #[test]
    fn stays_shallow() {
        let mut queue = (0..1000).fold(Tree::EMPTY, |tree, item: u32| tree.push_back(item));
        for item in 0..10_000 {
            queue = queue.without_first().push_back(item);
            assert!(depth(&queue) <= 20, "{}", depth(&queue));
        }
    }
}
