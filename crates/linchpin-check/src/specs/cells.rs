//! Values by key: the state of everything that has keys.

use std::hash::Hash;

use linchpin_model::Value;

use super::Tree;

/// Values by key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cells<T: Clone + Eq + Hash>(Tree<(Value, T)>);

impl<T: Clone + Eq + Hash> Cells<T> {
    /// No key has a value.
    pub const EMPTY: Cells<T> = Cells(Tree::EMPTY);

    /// The value of a key, if it has one.
    pub fn get(&self, key: &Value) -> Option<&T> {
        self.0.find(|(other, _)| other.cmp(key)).map(|(_, value)| value)
    }

    /// With this value for the key.
    pub fn with(&self, key: &Value, value: T) -> Self {
        Cells(self.0.insert((key.clone(), value), &|(other, _)| other.cmp(key)))
    }

    /// With no value for the key.
    pub fn without(&self, key: &Value) -> Self {
        Cells(self.0.remove(&|(other, _)| other.cmp(key)))
    }

    /// Every key with its value.
    pub fn iter(&self) -> impl Iterator<Item = &(Value, T)> {
        self.0.iter()
    }

    /// What one step adds to the memory that states take.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The value of some key, which in a state of one part is the only one.
    pub(super) fn any(&self) -> Option<&T> {
        self.0.first().map(|(_, value)| value)
    }
}
