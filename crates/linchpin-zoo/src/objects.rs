//! All types of the zoo as objects: what [`linchpin::client`] and everything that generates clients works with.
//!
//! A faulty object has the name of its type, its correct twin has `Fixed` behind it. The three libraries of the paper on root
//! causes come in four variants each. [`all`](crate::all) says what each of them is.

use crate::sequential::{Deque, ItemMap, Map, Pair, Set, Stack};

/// Describes objects that have the same operations and the same specification.
macro_rules! objects {
    ($operations:tt $($name:ident: $type:ty;)*) => {
        $(objects!(@one $name: $type; $operations);)*
    };
    (@one $name:ident: $type:ty; { $($operations:tt)* }) => {
        linchpin::object! {
            #[doc = concat!("`", stringify!($type), "`")]
            pub $name: $type = <$type>::default();
            $($operations)*
        }
    };
}

objects! {
    {
        spec = Set::default();
        fn add(&self, key: i32) -> bool;
        fn remove(&self, key: i32) -> bool;
        #[read_only]
        fn contains(&self, key: i32) -> bool;
    }
    LockFreeList: crate::LockFreeList<true>;
    LockFreeListFixed: crate::LockFreeList<false>;
    SimpleList: crate::SimpleList<true>;
    SimpleListFixed: crate::SimpleList<false>;
    UnknownList1: crate::UnknownList1;
    UnknownList2: crate::UnknownList2;
    UnknownList3: crate::UnknownList3;
    UnknownList4: crate::UnknownList4<true>;
    UnknownList4Fixed: crate::UnknownList4<false>;
    CoarseListAdd: crate::CoarseList<true, false>;
    CoarseListRemove: crate::CoarseList<false, true>;
    CoarseListAddRemove: crate::CoarseList<true, true>;
    CoarseListFixed: crate::CoarseList<false, false>;
    OptimisticListAdd: crate::OptimisticList<true, false>;
    OptimisticListRemove: crate::OptimisticList<false, true>;
    OptimisticListAddRemove: crate::OptimisticList<true, true>;
    OptimisticListFixed: crate::OptimisticList<false, false>;
}

objects! {
    {
        spec = Set::default();
        fn add(&self, key: i32) -> bool;
        fn remove(&self, key: i32) -> bool;
        #[read_only]
        fn size(&self) -> u32;
    }
    SizeList: crate::SizeList<true>;
    SizeListFixed: crate::SizeList<false>;
}

objects! {
    {
        spec = Stack::default();
        fn push(&self, value: u32);
        fn pop(&self) -> Option<u32>;
    }
    TreiberStack: crate::TreiberStack<true>;
    TreiberStackFixed: crate::TreiberStack<false>;
    RecyclingStack: crate::RecyclingStack<true, true>;
    RecyclingStackFixed: crate::RecyclingStack<true, false>;
    BoxedStack: crate::BoxedStack;
    KStack: crate::KStack<true>;
    KStackFixed: crate::KStack<false>;
    ArrayStack: crate::ArrayStack<true>;
    ArrayStackFixed: crate::ArrayStack<false>;
}

objects! {
    {
        spec = Deque::default();
        fn offer(&self, value: u32);
        fn poll(&self) -> Option<u32>;
    }
    OptimisticQueue: crate::OptimisticQueue<true>;
    OptimisticQueueFixed: crate::OptimisticQueue<false>;
}

objects! {
    {
        spec = Deque::default();
        fn enqueue(&self, value: u32);
        fn dequeue(&self) -> Option<u32>;
    }
    UnknownQueue: crate::UnknownQueue<false>;
    UnknownQueueChecked: crate::UnknownQueue<true>;
}

objects! {
    {
        spec = Deque::default();
        fn push_left(&self, value: u32);
        fn push_right(&self, value: u32);
        fn pop_left(&self) -> Option<u32>;
        fn pop_right(&self) -> Option<u32>;
    }
    SnarkDeque: crate::SnarkDeque<true>;
    SnarkDequeFixed: crate::SnarkDeque<false>;
}

objects! {
    {
        spec = Pair::default();
        fn write(&self, cell: crate::Cell, value: u32);
        #[read_only]
        fn read(&self) -> (u32, u32);
    }
    PairSnapshot: crate::PairSnapshot<true>;
    PairSnapshotFixed: crate::PairSnapshot<false>;
}

objects! {
    {
        spec = ItemMap::default();
        fn put(&self, key: i32, value: u32) -> Option<u32>;
        fn remove(&self, key: i32, value: u32) -> bool;
        #[read_only]
        fn get(&self, key: i32) -> Option<u32>;
    }
    LogicalOrderingTreeAdd: crate::LogicalOrderingTree<true, false>;
    LogicalOrderingTreeRemove: crate::LogicalOrderingTree<false, true>;
    LogicalOrderingTreeAddRemove: crate::LogicalOrderingTree<true, true>;
    LogicalOrderingTreeFixed: crate::LogicalOrderingTree<false, false>;
}

objects! {
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
    StripedMap: crate::StripedMap<true>;
    StripedMapFixed: crate::StripedMap<false>;
}
