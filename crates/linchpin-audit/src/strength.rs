//! Which orders an access can have, and what they cost.

use linchpin_engine::Change;
use linchpin_graph::{Order, Verb};

use crate::access::{Access, Half};

/// Orders that are one step weaker.
///
/// ```
/// use linchpin_audit::{Access, Half, weaker};
/// use linchpin_engine::Place;
/// use linchpin_graph::{Order, Verb};
///
/// let place = Place { file: "queue.rs".into(), line: 7, column: 9, verb: Verb::Swap };
/// let access = Access { place, half: Half::Success, order: Order::AcqRel, is_reached: true };
/// assert_eq!(weaker(&access, Order::AcqRel), [Order::Release, Order::Acquire]);
/// ```
pub fn weaker(access: &Access, than: Order) -> &'static [Order] {
    match (kind_of(access), than) {
        (_, Order::Relaxed) => &[],
        (Kind::Load, Order::SeqCst) => &[Order::Acquire],
        (Kind::Store, Order::SeqCst) => &[Order::Release],
        (Kind::Both, Order::SeqCst) => &[Order::AcqRel],
        (_, Order::AcqRel) => &[Order::Release, Order::Acquire],
        (_, Order::Acquire | Order::Release) => &[Order::Relaxed],
    }
}

/// Orders that are one step stronger.
pub fn stronger(access: &Access, than: Order) -> &'static [Order] {
    match (kind_of(access), than) {
        (_, Order::SeqCst) => &[],
        (Kind::Load, Order::Relaxed) => &[Order::Acquire],
        (Kind::Store, Order::Relaxed) => &[Order::Release],
        (Kind::Both, Order::Relaxed) => &[Order::Acquire, Order::Release],
        (Kind::Both, Order::Acquire | Order::Release) => &[Order::AcqRel],
        (Kind::Load | Kind::Store, _) | (Kind::Both, Order::AcqRel) => &[Order::SeqCst],
    }
}

/// What a change costs at run time, roughly and on no machine in particular: half of a synchronisation is 1, an SC load or
/// update 3, an SC store 6, a fence 2 and an SC fence 8.
pub fn cost_of(verb: Verb, change: &Change) -> u32 {
    let of_order = |order: Order| match (order, verb) {
        (Order::Relaxed, _) => 0,
        (Order::SeqCst, Verb::Store) => 6,
        (Order::SeqCst, Verb::Fence) => 8,
        (Order::SeqCst, _) => 3,
        (Order::AcqRel, _) => 2,
        (Order::Acquire | Order::Release, _) => 1,
    };
    let of_fence = |order: Order| if order == Order::SeqCst { 8 } else { 2 };
    change.order.map_or(0, of_order) + change.failure.map_or(0, of_order) + change.fence_before.map_or(0, of_fence)
}

/// Which half of a synchronisation an access can be.
#[derive(Clone, Copy)]
enum Kind {
    Load,
    Store,
    Both,
}

fn kind_of(access: &Access) -> Kind {
    match (access.place.verb, access.half) {
        (Verb::Load, _) | (_, Half::Failure) => Kind::Load,
        (Verb::Store, _) => Kind::Store,
        _ => Kind::Both,
    }
}
