//! Memory models and memory orders.

/// Which executions exist: the rules that reads, writes and fences obey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryModel {
    /// Sequential consistency: po ∪ rf ∪ mo ∪ fr is acyclic, whatever orders the program asks for.
    Sc,
    /// The C/C++11 memory model that Rust has adopted, in its repaired form RC11, with the release sequences of C++20.
    #[default]
    C11,
}

/// The memory order of an atomic access or fence, as in [`std::sync::atomic::Ordering`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Order {
    /// Atomicity and coherence only.
    Relaxed,
    /// Synchronises with what released the value read.
    Acquire,
    /// Publishes everything before it.
    Release,
    /// Both of the former.
    AcqRel,
    /// Both, and part of one order over all such accesses and fences.
    SeqCst,
}

impl Order {
    /// Does a read (or fence) of this order synchronise with what it reads from?
    #[inline]
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Does a write (or fence) of this order publish what came before it?
    #[inline]
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Is this order [`Order::SeqCst`]?
    #[inline]
    pub fn is_seq_cst(self) -> bool {
        self == Order::SeqCst
    }
}

impl From<std::sync::atomic::Ordering> for Order {
    #[inline]
    fn from(order: std::sync::atomic::Ordering) -> Self {
        use std::sync::atomic::Ordering;
        match order {
            Ordering::Relaxed => Order::Relaxed,
            Ordering::Acquire => Order::Acquire,
            Ordering::Release => Order::Release,
            Ordering::AcqRel => Order::AcqRel,
            // `Ordering` is non-exhaustive: an order that does not exist yet is taken as the strongest.
            _ => Order::SeqCst,
        }
    }
}
