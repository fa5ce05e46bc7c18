//! A ticket lock.

use linchpin::{Contract, Contracts, Watched, call, point};
use linchpin_sync::hint;
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};

use super::structure::{Structure, Test, parallel};

/// A lock that is taken in the order of the tickets drawn.
#[derive(Default)]
pub struct TicketLock {
    tickets: AtomicU32,
    turn: AtomicU32,
}

impl TicketLock {
    /// Takes the lock.
    pub fn lock(&self) {
        let ticket = self.tickets.fetch_add(1, Relaxed);
        loop {
            let is_my_turn = self.turn.load(Acquire) == ticket; // #1
            point::define(is_my_turn);
            if is_my_turn {
                return;
            }
            hint::spin_loop();
        }
    }

    /// Lets the next ticket in.
    pub fn unlock(&self) {
        let turn = self.turn.load(Relaxed);
        self.turn.store(turn + 1, Release); // #2
        point::define(true);
    }
}

fn contract() -> Contracts {
    Contract::of::<TicketLock>(|| false)
        .operation("lock", |is_held, _| *is_held = true)
        .precondition(|is_held, _| !is_held)
        .operation("unlock", |is_held, _| *is_held = false)
        .precondition(|is_held, _| *is_held)
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "Ticket Lock",
        source: include_str!("ticket_lock.rs"),
        file: file!(),
        contract,
        tests: &[Test { name: "{ lock(); unlock(); lock(); unlock() } twice", run: two_threads }],
    }
}

fn two_threads() {
    parallel(TicketLock::default(), [twice, twice]);
}

fn twice(lock: &Watched<TicketLock>) {
    for _ in 0..2 {
        call!(lock.lock());
        call!(lock.unlock());
    }
}
