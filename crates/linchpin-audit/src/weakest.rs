//! As many orders as possible.

use linchpin_engine::Orders;
use linchpin_graph::Order;

use crate::access::Access;
use crate::strength::weaker;
use crate::trial::Run;

/// Orders of which none can be weakened without a test failing.
#[derive(Clone, Debug)]
pub struct Weakest {
    /// All of them together.
    pub orders: Orders,
    /// What differs from the source: the access as it is there, and its weaker order.
    pub weakened: Vec<(Access, Order)>,
}

/// Weakens one order after the other, as far as the tests still pass, until no order can be weakened further; starting from
/// `orders`, with which they pass. There may be other such sets: the first accesses in the source go first.
pub fn weakest(accesses: &[Access], orders: &Orders, run: &mut Run<'_>) -> Weakest {
    let mut current: Vec<Order> = accesses.iter().map(|access| access.order).collect();
    let mut all = orders.clone();
    loop {
        let mut changed = false;
        for (access, order) in accesses.iter().zip(&mut current).filter(|(access, _)| access.is_reached) {
            while let Some((next, with)) = one_step(access, *order, &all, run) {
                (*order, all, changed) = (next, with, true);
            }
        }
        if !changed {
            break;
        }
    }
    let differs = |(access, order): &(&Access, Order)| access.order != *order;
    let weakened = accesses.iter().zip(current).filter(differs).map(|(access, order)| (access.clone(), order));
    Weakest { weakened: weakened.collect(), orders: all }
}

fn one_step(access: &Access, order: Order, all: &Orders, run: &mut Run<'_>) -> Option<(Order, Orders)> {
    weaker(access, order).iter().find_map(|&next| {
        let with = all.clone().with(&access.place, access.with_order(next));
        run(&with).passes().then_some((next, with))
    })
}
