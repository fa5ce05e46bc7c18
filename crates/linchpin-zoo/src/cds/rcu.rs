//! Read-copy-update of two numbers.

use linchpin::{Comparable, Contract, Contracts, Watched, call, point};
use linchpin_sync::sync::atomic::{AtomicU32, Ordering::*};

use super::link::{Link, leak};
use super::structure::{Structure, Test, parallel};

#[derive(Default)]
struct Data {
    first: AtomicU32,
    second: AtomicU32,
}

/// Two numbers that are read together, and written by making a copy.
pub struct Rcu {
    data: Link<Data>,
}

impl Default for Rcu {
    fn default() -> Self {
        Rcu { data: Link::new(Some(leak(Data::default()))) }
    }
}

impl Rcu {
    /// Both numbers.
    pub fn read(&self) -> (u32, u32) {
        let data = self.data.load(Acquire).expect("there is always data"); // #1
        point::define(true);
        (data.first.load(Relaxed), data.second.load(Relaxed))
    }

    /// Adds to both numbers.
    pub fn write(&self, first: u32, second: u32) {
        let new = leak(Data::default());
        loop {
            let old = self.data.load(Acquire).expect("there is always data"); // #2
            new.first.store(old.first.load(Relaxed) + first, Relaxed);
            new.second.store(old.second.load(Relaxed) + second, Relaxed);
            let written = self.data.replace(Some(old), Some(new), Release); // #3
            point::clear_define(written);
            if written {
                return;
            }
        }
    }
}

fn contract() -> Contracts {
    Contract::of::<Rcu>(|| (0, 0))
        .passive("read")
        .justifying_precondition(|data: &(u32, u32), call| *call.c_ret == data.to_value())
        .operation("write", |data, call| *data = (data.0 + call.argument::<u32>(0), data.1 + call.argument::<u32>(1)))
        .into()
}

pub(super) fn structure() -> Structure {
    Structure {
        name: "RCU",
        source: include_str!("rcu.rs"),
        file: file!(),
        contract,
        tests: &[Test { name: "{ write(1, 0) } || { write(0, 2) } || { read() }", run: two_writers }],
    }
}

fn two_writers() {
    parallel(Rcu::default(), [|rcu| call!(rcu.write(1, 0)), |rcu| call!(rcu.write(0, 2)), read]);
}

fn read(rcu: &Watched<Rcu>) {
    call!(rcu.read());
}
