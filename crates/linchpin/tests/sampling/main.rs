//! Sampling: random schedules under sequential consistency.

#[path = "../common/mod.rs"]
mod common;

mod aba;
mod chances;
mod clients;
mod outcomes;
mod replays;

use linchpin::thread::JoinHandle;

fn join_all<T>(threads: impl IntoIterator<Item = JoinHandle<T>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}
