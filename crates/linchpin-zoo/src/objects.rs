//! All types of the zoo as objects: what [`linchpin::client`] and everything that generates clients works with.
//!
//! A faulty object has the name of its type, its correct twin has `Fixed` behind it. The three libraries of the paper on root
//! causes come in four variants each. [`all`](crate::all) says what each of them is.

use crate::sequential::{Deque, ItemMap, Map, Pair, Set, Stack};

/// Describes objects that have the same operations and the same specification.
macro_rules! objects {
    // How they are made is said with each, though it is always the same: a macro's own words lose their spacing when they are
    // printed, as they are in tests that are written as source.
    ($create:expr; $operations:tt $($name:ident: $type:ty;)*) => {
        $(objects!(@one $name: $type = $create; $operations);)*
    };
    (@one $name:ident: $type:ty = $create:expr; { $($operations:tt)* }) => {
        linchpin::object! {
            #[doc = concat!("`", stringify!($type), "`")]
            pub $name: $type = $create;
            $($operations)*
        }
    };
}

objects! {
    Default::default();
    {
        spec = Set::default();
        fn add(&self, key: i32) -> bool;
        fn remove(&self, key: i32) -> bool;
        #[read_only]
        fn contains(&self, key: i32) -> bool;
    }
    LockFreeList: linchpin_zoo::LockFreeList<true>;
    LockFreeListFixed: linchpin_zoo::LockFreeList<false>;
    SimpleList: linchpin_zoo::SimpleList<true>;
    SimpleListFixed: linchpin_zoo::SimpleList<false>;
    UnknownList1: linchpin_zoo::UnknownList1;
    UnknownList2: linchpin_zoo::UnknownList2;
    UnknownList3: linchpin_zoo::UnknownList3;
    UnknownList4: linchpin_zoo::UnknownList4<true>;
    UnknownList4Fixed: linchpin_zoo::UnknownList4<false>;
    CoarseListAdd: linchpin_zoo::CoarseList<true, false>;
    CoarseListRemove: linchpin_zoo::CoarseList<false, true>;
    CoarseListAddRemove: linchpin_zoo::CoarseList<true, true>;
    CoarseListFixed: linchpin_zoo::CoarseList<false, false>;
    OptimisticListAdd: linchpin_zoo::OptimisticList<true, false>;
    OptimisticListRemove: linchpin_zoo::OptimisticList<false, true>;
    OptimisticListAddRemove: linchpin_zoo::OptimisticList<true, true>;
    OptimisticListFixed: linchpin_zoo::OptimisticList<false, false>;
}

objects! {
    Default::default();
    {
        spec = Set::default();
        fn add(&self, key: i32) -> bool;
        fn remove(&self, key: i32) -> bool;
        #[read_only]
        fn size(&self) -> u32;
    }
    SizeList: linchpin_zoo::SizeList<true>;
    SizeListFixed: linchpin_zoo::SizeList<false>;
}

objects! {
    Default::default();
    {
        spec = Stack::default();
        fn push(&self, value: u32);
        fn pop(&self) -> Option<u32>;
    }
    TreiberStack: linchpin_zoo::TreiberStack<true>;
    TreiberStackFixed: linchpin_zoo::TreiberStack<false>;
    RecyclingStack: linchpin_zoo::RecyclingStack<true, true>;
    RecyclingStackFixed: linchpin_zoo::RecyclingStack<true, false>;
    BoxedStack: linchpin_zoo::BoxedStack;
    KStack: linchpin_zoo::KStack<true>;
    KStackFixed: linchpin_zoo::KStack<false>;
    ArrayStack: linchpin_zoo::ArrayStack<true>;
    ArrayStackFixed: linchpin_zoo::ArrayStack<false>;
}

objects! {
    Default::default();
    {
        spec = Deque::default();
        fn offer(&self, value: u32);
        fn poll(&self) -> Option<u32>;
    }
    OptimisticQueue: linchpin_zoo::OptimisticQueue<true>;
    OptimisticQueueFixed: linchpin_zoo::OptimisticQueue<false>;
}

objects! {
    Default::default();
    {
        spec = Deque::default();
        fn enqueue(&self, value: u32);
        fn dequeue(&self) -> Option<u32>;
    }
    UnknownQueue: linchpin_zoo::UnknownQueue<false>;
    UnknownQueueChecked: linchpin_zoo::UnknownQueue<true>;
}

objects! {
    Default::default();
    {
        spec = Deque::default();
        fn push_left(&self, value: u32);
        fn push_right(&self, value: u32);
        fn pop_left(&self) -> Option<u32>;
        fn pop_right(&self) -> Option<u32>;
    }
    SnarkDeque: linchpin_zoo::SnarkDeque<true>;
    SnarkDequeFixed: linchpin_zoo::SnarkDeque<false>;
}

objects! {
    Default::default();
    {
        spec = Pair::default();
        fn write(&self, cell: linchpin_zoo::Cell, value: u32);
        #[read_only]
        fn read(&self) -> (u32, u32);
    }
    PairSnapshot: linchpin_zoo::PairSnapshot<true>;
    PairSnapshotFixed: linchpin_zoo::PairSnapshot<false>;
}

objects! {
    Default::default();
    {
        spec = ItemMap::default();
        fn put(&self, key: i32, value: u32) -> Option<u32>;
        fn remove(&self, key: i32, value: u32) -> bool;
        #[read_only]
        fn get(&self, key: i32) -> Option<u32>;
    }
    LogicalOrderingTreeAdd: linchpin_zoo::LogicalOrderingTree<true, false>;
    LogicalOrderingTreeRemove: linchpin_zoo::LogicalOrderingTree<false, true>;
    LogicalOrderingTreeAddRemove: linchpin_zoo::LogicalOrderingTree<true, true>;
    LogicalOrderingTreeFixed: linchpin_zoo::LogicalOrderingTree<false, false>;
}

objects! {
    Default::default();
    {
        spec = Map::default();
        #[trusted]
        fn put(&self, key: i32, value: i32) -> Option<i32>;
        #[trusted]
        #[read_only]
        fn get(&self, key: i32) -> Option<i32>;
        #[trusted]
        fn remove(&self, key: i32) -> Option<i32>;
        #[untrusted]
        fn clear(&self);
        #[untrusted]
        #[read_only]
        fn contains(&self, value: i32) -> bool;
        #[untrusted]
        #[read_only]
        fn contains_value(&self, value: i32) -> bool;
        #[untrusted]
        #[read_only]
        fn size(&self) -> u32;
        #[untrusted]
        #[read_only]
        fn is_empty(&self) -> bool;
        #[untrusted]
        #[read_only]
        fn keys(&self) -> Vec<i32>;
        #[untrusted]
        #[read_only]
        fn values(&self) -> Vec<i32>;
        #[untrusted]
        #[read_only]
        fn entries(&self) -> Vec<(i32, i32)>;
        #[untrusted]
        #[read_only]
        fn to_string(&self) -> String;
    }
    StripedMap: linchpin_zoo::StripedMap<true>;
    StripedMapFixed: linchpin_zoo::StripedMap<false>;
}
