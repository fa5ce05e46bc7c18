//! One order at a time.

use linchpin_engine::Orders;
use linchpin_graph::Order;

use crate::access::Access;
use crate::strength::weaker;
use crate::trial::{Failure, Run, Trial};

/// What is known of every order of every access.
#[derive(Clone, Debug)]
pub struct Audit {
    /// In the order of the source. An order that can be weakened in two ways has two rows.
    pub rows: Vec<Row>,
}

/// One order, weakened.
#[derive(Clone, Debug)]
pub struct Row {
    /// The access, with its order.
    pub access: Access,
    /// The order that was tried instead: one step weaker.
    pub weakened: Order,
    /// What came of it.
    pub need: Need,
}

/// Is an order needed?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Without it, this happens.
    Needed(Failure),
    /// Not by these tests. On its own it could be as weak as this.
    NotNeeded(Order),
    /// The tests do not get there, or never with this order (an exchange that always succeeds, or never).
    Unreached,
    /// A budget ran out.
    Undecided(String),
}

/// Weakens one order at a time, starting from `orders`. `run` runs the tests.
pub fn audit(accesses: &[Access], orders: &Orders, run: &mut Run<'_>) -> Audit {
    let mut rows = Vec::new();
    for access in accesses {
        for &weakened in weaker(access, access.order) {
            let need = match access.is_reached {
                false => Need::Unreached,
                true => need(access, weakened, orders, run),
            };
            rows.push(Row { access: access.clone(), weakened, need });
        }
    }
    Audit { rows }
}

fn need(access: &Access, weakened: Order, orders: &Orders, run: &mut Run<'_>) -> Need {
    let try_order = |order, run: &mut Run<'_>| run(&orders.clone().with(&access.place, access.with_order(order)));
    match try_order(weakened, run) {
        Trial::Fails(failure) => return Need::Needed(failure),
        Trial::Undecided(why) => return Need::Undecided(why),
        Trial::Passes => {}
    }
    let mut weakest = weakened;
    while let Some(&next) = weaker(access, weakest).iter().find(|&&order| try_order(order, run).passes()) {
        weakest = next;
    }
    Need::NotNeeded(weakest)
}
