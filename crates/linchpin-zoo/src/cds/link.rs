//! Atomic pointers to nodes that are never freed.

use std::ptr;

use linchpin_sync::sync::atomic::{AtomicPtr, Ordering};

/// An atomic pointer to a node that is never freed, or to nothing.
pub(super) struct Link<T: 'static>(AtomicPtr<T>);

/// A node on the heap that is never freed.
pub(super) fn leak<T>(node: T) -> &'static T {
    Box::leak(Box::new(node))
}

fn pointer<T>(node: Option<&'static T>) -> *mut T {
    node.map_or(ptr::null_mut(), |node| ptr::from_ref(node).cast_mut())
}

fn node<T>(pointer: *mut T) -> Option<&'static T> {
    // SAFETY: what is not null came from a reference to a node that lives for ever, and nodes are never borrowed mutably.
    unsafe { pointer.as_ref() }
}

impl<T> Link<T> {
    /// A pointer to this node.
    pub fn new(node: Option<&'static T>) -> Self {
        Link(AtomicPtr::new(pointer(node)))
    }

    #[track_caller]
    pub fn load(&self, order: Ordering) -> Option<&'static T> {
        node(self.0.load(order))
    }

    #[track_caller]
    pub fn store(&self, node: Option<&'static T>, order: Ordering) {
        self.0.store(pointer(node), order);
    }

    #[track_caller]
    pub fn swap(&self, new: Option<&'static T>, order: Ordering) -> Option<&'static T> {
        node(self.0.swap(pointer(new), order))
    }

    /// Did it point to `current`, so that it points to `new` now?
    #[track_caller]
    pub fn replace(&self, current: Option<&'static T>, new: Option<&'static T>, order: Ordering) -> bool {
        self.0.compare_exchange(pointer(current), pointer(new), order, Ordering::Relaxed).is_ok()
    }
}
