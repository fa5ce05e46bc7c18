//! The list of all objects of the zoo, with what is known about each.

use linchpin::{AnyObject, Object};

use crate::objects;

/// An object of the zoo and what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What the object is called: `lock-free-list`.
    pub name: &'static str,
    /// The object.
    pub object: AnyObject,
    /// The paper that it is from: `CGVT`, `FGVT`, `root causes` or `Violat`.
    pub paper: &'static str,
    /// Has it a fault?
    pub faulty: bool,
    /// Does it stay within its memory, even when something goes wrong? Only then may it be run natively.
    pub memory_safe: bool,
    /// What it is supposed to be: `set`, `queue`, `stack`, `deque`, `map` or `snapshot`.
    pub specification: &'static str,
    /// One line about it.
    pub description: &'static str,
    /// The name of an object that does the same without the fault. A correct object is its own twin.
    pub twin: &'static str,
    /// Clients that show the fault.
    pub known: &'static [Known],
}

/// A client that shows a fault under sequential consistency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The client, as [`linchpin::client`] reads it.
    pub client: &'static str,
    /// All outcomes that the object has and its twin does not: the values of all invocations, in the order of the text.
    pub forbidden: &'static [&'static str],
}

/// All objects of the zoo, each before or after its twin.
pub fn all() -> &'static [Entry] {
    ALL
}

/// The object of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// A correct object.
const fn entry<O: Object>(
    name: &'static str,
    paper: &'static str,
    is: &'static str,
    description: &'static str,
) -> Entry {
    let object = AnyObject::of::<O>();
    Entry {
        name,
        object,
        paper,
        faulty: false,
        memory_safe: true,
        specification: is,
        description,
        twin: name,
        known: &[],
    }
}

impl Entry {
    const fn with_fault(self, twin: &'static str, known: &'static [Known]) -> Entry {
        Entry { faulty: true, twin, known, ..self }
    }

    const fn not_natively(self) -> Entry {
        Entry { memory_safe: false, ..self }
    }
}

const fn shows(client: &'static str, forbidden: &'static [&'static str]) -> Known {
    Known { client, forbidden }
}

static ALL: &[Entry] = &[
    entry::<objects::LockFreeList>(
        "lock-free-list",
        "CGVT",
        "set",
        "Harris and Michael's list, whose `remove` marks what is marked",
    )
    .with_fault("lock-free-list-fixed", &[shows("[add(1)] { remove(1) } || { remove(1) }", &["true, true, true"])]),
    entry::<objects::LockFreeListFixed>("lock-free-list-fixed", "CGVT", "set", "Harris and Michael's list"),
    entry::<objects::SimpleList>(
        "simple-list",
        "CGVT",
        "set",
        "a list with one lock, whose `add` looks before it locks",
    )
    .with_fault(
        "simple-list-fixed",
        &[
            shows("{ add(1) } || { add(1) }", &["true, true"]),
            shows(
                "[add(1)] { add(3) } || { add(4) } [contains(3); contains(4)]",
                &["true, true, true, false, true", "true, true, true, true, false"],
            ),
        ],
    ),
    entry::<objects::SimpleListFixed>("simple-list-fixed", "CGVT", "set", "a list with one lock"),
    entry::<objects::SizeList>("size-list", "CGVT", "set", "a list with one lock, whose `size` does not take it")
        .with_fault(
            "size-list-fixed",
            &[shows("[add(1); add(5)] { remove(1); add(9) } || { size() }", &["true, true, true, true, 3"])],
        ),
    entry::<objects::SizeListFixed>("size-list-fixed", "CGVT", "set", "a list with one lock, that counts"),
    entry::<objects::PairSnapshot>(
        "pair-snapshot",
        "FGVT",
        "snapshot",
        "two numbers, whose `read` takes equal for unchanged",
    )
    .with_fault(
        "pair-snapshot-fixed",
        &[shows(
            "{ write(0, 2); write(1, 2); write(1, 1); write(0, 1) } || { read() }",
            &["nil, nil, nil, nil, [1, 2]"],
        )],
    ),
    entry::<objects::PairSnapshotFixed>("pair-snapshot-fixed", "FGVT", "snapshot", "two numbers with versions"),
    entry::<objects::OptimisticQueue>(
        "optimistic-queue",
        "CGVT",
        "queue",
        "Ladan-Mozes and Shavit's queue, whose `poll` reads the head again",
    )
    .with_fault(
        "optimistic-queue-fixed",
        &[shows("[offer(1); offer(2)] { poll() } || { poll() }", &["nil, nil, 2, 2"])],
    ),
    entry::<objects::OptimisticQueueFixed>("optimistic-queue-fixed", "CGVT", "queue", "Ladan-Mozes and Shavit's queue"),
    entry::<objects::KStack>(
        "k-stack",
        "CGVT",
        "stack",
        "a stack whose `push` looks at the top to see whether it has worked",
    )
    .with_fault("k-stack-fixed", &[shows("{ push(1) } || { pop() } [pop()]", &["nil, 1, 1"])]),
    entry::<objects::KStackFixed>("k-stack-fixed", "CGVT", "stack", "a stack whose `push` looks whether it has worked"),
    entry::<objects::TreiberStack>(
        "treiber-stack",
        "CGVT",
        "stack",
        "Treiber's stack, whose `pop` does not look whether it has worked",
    )
    .with_fault(
        "treiber-stack-fixed",
        &[
            shows("[push(1)] { pop() } || { pop() }", &["nil, 1, 1"]),
            shows("[push(1)] { pop() } || { push(2) } [pop(); pop()]", &["nil, 1, nil, 2, 1"]),
        ],
    ),
    entry::<objects::TreiberStackFixed>("treiber-stack-fixed", "CGVT", "stack", "Treiber's stack"),
    entry::<objects::RecyclingStack>(
        "recycling-stack",
        "CGVT",
        "stack",
        "Treiber's stack with nodes that are used again: ABA",
    )
    .with_fault(
        "recycling-stack-fixed",
        &[shows(
            "[push(1); push(2)] { pop() } || { pop(); pop(); push(3) } [pop(); pop()]",
            &["nil, nil, 3, 2, 1, nil, 1, nil"],
        )],
    ),
    entry::<objects::RecyclingStackFixed>(
        "recycling-stack-fixed",
        "CGVT",
        "stack",
        "Treiber's stack with nodes that are used again, and versions",
    ),
    entry::<objects::BoxedStack>(
        "boxed-stack",
        "CGVT",
        "stack",
        "Treiber's stack with nodes that are freed: use after free, and ABA where addresses come again",
    )
    .with_fault("recycling-stack-fixed", &[])
    .not_natively(),
    entry::<objects::SnarkDeque>(
        "snark-deque",
        "FGVT",
        "deque",
        "Detlefs et al.'s deque, which is taken to be empty, and pops one value at both ends",
    )
    .with_fault(
        "snark-deque-fixed",
        &[shows("[push_right(1)] { pop_right() } || { push_right(2); pop_left() }", &["nil, nil, nil, 1"])],
    ),
    entry::<objects::SnarkDequeFixed>(
        "snark-deque-fixed",
        "FGVT",
        "deque",
        "Detlefs et al.'s deque, which looks twice",
    ),
    entry::<objects::UnknownList1>(
        "unknown-list-1",
        "CGVT",
        "set",
        "a list without locks, that looks at nodes without their marks",
    )
    .with_fault(
        "lock-free-list-fixed",
        &[
            shows("[add(1)] { remove(1) } || { remove(1) }", &["true, true, true"]),
            shows("[add(2)] { remove(2) } || { add(1) } [contains(2)]", &["true, true, true, true"]),
        ],
    ),
    entry::<objects::UnknownList2>(
        "unknown-list-2",
        "CGVT",
        "set",
        "a list with one lock, that looks before it locks and removes nothing",
    )
    .with_fault(
        "simple-list-fixed",
        &[
            shows(
                "{ add(1) } || { add(2) } [contains(1); contains(2)]",
                &["true, true, false, true", "true, true, true, false"],
            ),
            shows("{ add(1); remove(1); remove(1) }", &["true, true, true"]),
        ],
    ),
    entry::<objects::UnknownList3>(
        "unknown-list-3",
        "CGVT",
        "set",
        "a list with one lock, that gives up where it should look again, and removes nothing",
    )
    .with_fault(
        "simple-list-fixed",
        &[
            shows("{ add(1) } || { add(2) }", &["false, true", "true, false"]),
            shows("{ add(1); remove(1); remove(1) }", &["true, true, true"]),
        ],
    ),
    entry::<objects::UnknownList4>(
        "unknown-list-4",
        "CGVT",
        "set",
        "a list with one lock and marks, whose `remove` marks before it locks",
    )
    .with_fault(
        "unknown-list-4-fixed",
        &[shows("[add(1)] { remove(1) } || { add(2) } [contains(2)]", &["true, true, true, false"])],
    ),
    entry::<objects::UnknownList4Fixed>("unknown-list-4-fixed", "CGVT", "set", "a list with one lock and marks"),
    entry::<objects::UnknownQueue>(
        "unknown-queue",
        "CGVT",
        "queue",
        "Michael and Scott's queue, with a check less, which it does not need",
    ),
    entry::<objects::UnknownQueueChecked>("unknown-queue-checked", "CGVT", "queue", "Michael and Scott's queue"),
    entry::<objects::ArrayStack>(
        "array-stack",
        "root causes",
        "stack",
        "a stack in an array, whose `pop` empties cells in two steps",
    )
    .with_fault(
        "array-stack-fixed",
        &[
            shows("[push(1)] { pop() } || { pop() }", &["nil, 1, 1"]),
            shows(
                "{ push(1) } || { push(2); pop() } || { pop() }",
                &["nil, nil, 1, 1", "nil, nil, 2, 2", "nil, nil, nil, 1", "nil, nil, nil, nil"],
            ),
        ],
    ),
    entry::<objects::ArrayStackFixed>("array-stack-fixed", "root causes", "stack", "a stack in an array"),
    entry::<objects::CoarseListAdd>(
        "coarse-list-add",
        "root causes",
        "set",
        "a list under a readers-writer lock, whose `add` looks before it locks",
    )
    .with_fault(
        "coarse-list-fixed",
        &[
            shows("{ contains(1); remove(1); add(1) } || { add(1) }", &["false, false, true, true"]),
            shows("{ add(0); add(1) } || { add(0) }", &["true, true, true"]),
            shows("{ add(0); add(0) } || { add(1) }", &["true, true, true"]),
        ],
    ),
    entry::<objects::CoarseListRemove>(
        "coarse-list-remove",
        "root causes",
        "set",
        "a list under a readers-writer lock, whose `remove` looks before it locks",
    )
    .with_fault(
        "coarse-list-fixed",
        &[
            shows("{ add(0); add(0); remove(0) } || { remove(0) }", &["true, false, true, true"]),
            shows("{ add(0); add(0) } || { add(1); remove(1) }", &["true, true, true, true"]),
            shows("{ remove(0) } || { add(0); remove(0) }", &["true, true, true"]),
        ],
    ),
    entry::<objects::CoarseListAddRemove>(
        "coarse-list-add-remove",
        "root causes",
        "set",
        "a list under a readers-writer lock, whose `add` and `remove` look before they lock",
    )
    .with_fault(
        "coarse-list-fixed",
        &[
            shows(
                "{ add(0); remove(0) } || { remove(0); add(1) }",
                &["true, true, true, true", "true, false, false, true"],
            ),
            shows("{ add(1); remove(1) } || { add(0) }", &["true, false, true"]),
            shows(
                "{ contains(0); add(1); remove(1); contains(0) } || { remove(1) }",
                &["false, true, true, false, true"],
            ),
        ],
    ),
    entry::<objects::CoarseListFixed>("coarse-list-fixed", "root causes", "set", "a list under a readers-writer lock"),
    entry::<objects::OptimisticListAdd>(
        "optimistic-list-add",
        "root causes",
        "set",
        "a list with a lock per node, whose `add` validates before it locks",
    )
    .with_fault(
        "optimistic-list-fixed",
        &[
            shows("{ add(0); add(0) } || { add(1) }", &["true, true, true"]),
            shows("{ add(0); add(1) } || { add(0) }", &["true, true, true"]),
            shows("{ add(0) } || { contains(1); add(0) }", &["true, false, true"]),
        ],
    ),
    entry::<objects::OptimisticListRemove>(
        "optimistic-list-remove",
        "root causes",
        "set",
        "a list with a lock per node, whose `remove` validates before it locks",
    )
    .with_fault(
        "optimistic-list-fixed",
        &[
            shows(
                "{ contains(0); add(1); remove(1); contains(0) } || { remove(1) }",
                &["false, true, true, false, true"],
            ),
            shows("{ add(0); remove(0) } || { remove(0); add(1) }", &["true, true, true, true"]),
            shows("{ add(0); add(0) } || { add(1); remove(1) }", &["true, true, true, true"]),
        ],
    ),
    entry::<objects::OptimisticListAddRemove>(
        "optimistic-list-add-remove",
        "root causes",
        "set",
        "a list with a lock per node, whose `add` and `remove` validate before they lock",
    )
    .with_fault(
        "optimistic-list-fixed",
        &[
            shows("{ add(0); add(0); remove(0) } || { remove(0) }", &["true, false, true, true"]),
            shows("{ add(0) } || { add(0); remove(1) }", &["true, true, false"]),
            shows("{ contains(1); remove(1); add(1) } || { add(1) }", &["false, false, true, true"]),
        ],
    ),
    entry::<objects::OptimisticListFixed>("optimistic-list-fixed", "root causes", "set", "a list with a lock per node"),
    entry::<objects::LogicalOrderingTreeAdd>(
        "logical-ordering-tree-add",
        "root causes",
        "map",
        "a tree whose nodes are in a list, too, whose `put` unlocks too early",
    )
    .with_fault(
        "logical-ordering-tree-fixed",
        &[
            shows("{ put(1, 0) } || { put(1, 1); remove(1, 1) }", &["1, nil, true"]),
            shows("{ remove(1, 1); remove(0, 1) } || { put(1, 1); put(1, 0) }", &["true, false, nil, 1"]),
            shows("{ remove(0, 0); remove(1, 0) } || { put(0, 0); put(0, 1) }", &["true, false, nil, 0"]),
        ],
    ),
    entry::<objects::LogicalOrderingTreeRemove>(
        "logical-ordering-tree-remove",
        "root causes",
        "map",
        "a tree whose nodes are in a list, too, whose `remove` unlocks too early",
    )
    .with_fault(
        "logical-ordering-tree-fixed",
        &[
            shows("{ put(1, 0); put(0, 0); remove(0, 0) } || { remove(1, 0) }", &["nil, nil, false, true"]),
            shows("{ put(1, 0); remove(1, 0) } || { remove(1, 0) }", &["nil, true, true"]),
            shows("{ put(0, 1); remove(0, 1); remove(0, 0) } || { remove(0, 1) }", &["nil, true, false, true"]),
        ],
    ),
    entry::<objects::LogicalOrderingTreeAddRemove>(
        "logical-ordering-tree-add-remove",
        "root causes",
        "map",
        "a tree whose nodes are in a list, too, whose `put` and `remove` unlock too early",
    )
    .with_fault(
        "logical-ordering-tree-fixed",
        &[
            shows("{ put(0, 1); remove(0, 1) } || { put(0, 0) }", &["nil, true, 1"]),
            shows("{ remove(1, 0) } || { put(1, 0); put(1, 1); put(1, 0) }", &["true, nil, 0, nil"]),
            shows("{ remove(1, 0); put(0, 1) } || { put(0, 0); remove(0, 0) }", &["false, 0, nil, true"]),
        ],
    ),
    entry::<objects::LogicalOrderingTreeFixed>(
        "logical-ordering-tree-fixed",
        "root causes",
        "map",
        "a tree whose nodes are in a list, too",
    ),
    entry::<objects::StripedMap>(
        "striped-map",
        "Violat",
        "map",
        "a hash map in segments, with aggregate operations that are not atomic",
    )
    .with_fault(
        "striped-map-fixed",
        &[
            shows("{ put(0, 0); put(1, 1); put(1, 1) } || { put(0, 1); clear() }", &["nil, nil, nil, nil, nil"]),
            shows("{ put(0, 0); remove(1) } || { put(1, 0); contains(0) }", &["nil, 0, nil, false"]),
            shows("{ get(1); contains_value(1) } || { put(1, 1); put(0, 1); put(1, 0) }", &["1, false, nil, nil, 1"]),
            shows("{ put(0, 1); put(1, 0) } || { values() }", &["nil, nil, [0]"]),
            shows("{ put(0, 1); put(1, 0) } || { entries() }", &["nil, nil, [[1, 0]]"]),
            shows("{ put(1, 1) } || { put(1, 2); is_empty() }", &["nil, 1, true"]),
            shows("{ put(0, 1); put(1, 1) } || { keys() }", &["nil, nil, [1]"]),
            shows("{ put(1, 0); put(1, 1); size() } || { remove(1) }", &["nil, nil, 2, 0"]),
            shows("{ put(0, 1); put(1, 1) } || { to_string() }", &["nil, nil, \"{1=1}\""]),
        ],
    ),
    entry::<objects::StripedMapFixed>("striped-map-fixed", "Violat", "map", "a hash map under one lock"),
];
