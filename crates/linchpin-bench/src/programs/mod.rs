//! The programs that are explored: described once, written once, compiled against each tool.

mod program;

pub(crate) use program::{Program, Shape, Strength};

/// The programs on linchpin.
pub(crate) mod on_linchpin {
    mod tool {
        pub(super) use linchpin::sync::{Arc, Mutex, atomic};
        pub(super) use linchpin::thread;
    }
    #[allow(clippy::duplicate_mod, reason = "one text for three tools")]
    #[path = "../bodies.rs"]
    mod bodies;
    pub(crate) use bodies::{Stack, run};
}

/// The programs on loom. With `std`'s `Arc`, of which loom explores nothing: its best case.
pub(crate) mod on_loom {
    mod tool {
        pub(super) use loom::sync::{Mutex, atomic};
        pub(super) use loom::thread;
        pub(super) use std::sync::Arc;
    }
    #[allow(clippy::duplicate_mod, reason = "one text for three tools")]
    #[path = "../bodies.rs"]
    mod bodies;
    pub(crate) use bodies::run;
}

/// The programs on shuttle.
pub(crate) mod on_shuttle {
    mod tool {
        pub(super) use shuttle::sync::{Arc, Mutex, atomic};
        pub(super) use shuttle::thread;
    }
    #[allow(clippy::duplicate_mod, reason = "one text for three tools")]
    #[path = "../bodies.rs"]
    mod bodies;
    pub(crate) use bodies::run;
}
