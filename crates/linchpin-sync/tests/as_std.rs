//! The same claims about this crate and about `std`: what holds for one holds for the other, and the calls have the
//! same form. Outside executions, with and without the feature `model`.

macro_rules! claims {
    ($($file:ident)*) => {$(
        mod $file {
            #[allow(unused_imports, reason = "not every file needs every module")]
            use super::{cell, hint, sync, thread, thread_local};
            include!(concat!("claims/", stringify!($file), ".rs"));
        }
    )*};
}

mod of_this_crate {
    use linchpin_sync::{cell, hint, sync, thread, thread_local};
    claims! { atomics channels deprecated locals locks once threads }
}

mod of_std {
    use std::{cell, hint, sync, thread, thread_local};
    claims! { atomics channels deprecated locals locks once threads }
}
