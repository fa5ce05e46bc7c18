//! Which clients are the same test.
//!
//! Threads have no names, so a client with its threads in another order is the same. Values are different: nothing says
//! that an object treats 0 like 1, so renaming them is no symmetry.

use linchpin_model::Client;

/// The one client that stands for all that differ only in the order of their threads.
pub fn canonical(client: &Client) -> Client {
    let mut canonical = client.clone();
    canonical.threads.sort();
    canonical
}
