//! Audit, weakest orders and repairs against trying everything, in made-up worlds.
//!
//! A world has a few accesses and a few executions that violate something. Each is ruled out by certain orders: by all of one
//! of several sets of them, as a release and an acquire rule out one execution together.

use std::collections::BTreeMap;

use linchpin_audit::{Access, Failure, Half, Need, Trial, audit, cost_of, repair, stronger, weaker, weakest};
use linchpin_engine::{Change, Orders, Place};
use linchpin_graph::{Order, Verb};

/// At least this order at this access.
type Demand = (usize, Order);

struct World {
    accesses: Vec<Access>,
    /// Bad executions: each with the sets of demands that rule it out.
    bad: Vec<Vec<Vec<Demand>>>,
}

const ORDERS: [Order; 5] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

fn is_at_least(order: Order, demand: Order) -> bool {
    let covers = |a: bool, b: bool| a || !b;
    covers(order.acquires(), demand.acquires())
        && covers(order.releases(), demand.releases())
        && covers(order.is_seq_cst(), demand.is_seq_cst())
}

/// Orders that an access of this kind can have.
fn possible(verb: Verb) -> Vec<Order> {
    let fits = |order: &Order| match verb {
        Verb::Load => !order.releases() || order.is_seq_cst(),
        Verb::Store => !order.acquires() || order.is_seq_cst(),
        _ => true,
    };
    ORDERS.into_iter().filter(fits).collect()
}

impl World {
    fn new(random: &mut fastrand::Rng, is_strong: bool) -> World {
        let count = random.usize(2..=3);
        let accesses: Vec<Access> = (0..count)
            .map(|number| {
                let verb = [Verb::Load, Verb::Store, Verb::Swap][random.usize(..3)];
                let order = if is_strong { Order::SeqCst } else { Order::Relaxed };
                let place = Place { file: "world.rs".into(), line: number as u32 + 1, column: 1, verb };
                Access { place, half: Half::Success, order, is_reached: true }
            })
            .collect();
        let demand = |random: &mut fastrand::Rng| {
            let number = random.usize(..count);
            let orders = possible(accesses[number].place.verb);
            (number, orders[random.usize(1..orders.len())])
        };
        let clause = |random: &mut fastrand::Rng| (0..random.usize(1..=2)).map(|_| demand(random)).collect::<Vec<_>>();
        let bad =
            (0..random.usize(1..=3)).map(|_| (0..random.usize(1..=2)).map(|_| clause(random)).collect()).collect();
        World { accesses, bad }
    }

    fn passes(&self, orders: &[Order]) -> bool {
        self.first_bad(orders).is_none()
    }

    fn first_bad(&self, orders: &[Order]) -> Option<usize> {
        let is_met = |&(access, demand): &Demand| is_at_least(orders[access], demand);
        self.bad.iter().position(|ways| !ways.iter().any(|way| way.iter().all(is_met)))
    }

    /// What the tests of this world say.
    fn run(&self, orders: &Orders) -> Trial {
        let order = |access: &Access| {
            let change = orders.changes().iter().find(|(place, _)| *place == access.place);
            change.and_then(|(_, change)| change.order).unwrap_or(access.order)
        };
        let now: Vec<Order> = self.accesses.iter().map(order).collect();
        let Some(bad) = self.first_bad(&now) else { return Trial::Passes };
        // Only accesses that matter need take part.
        let mut taking_part: Vec<usize> = self.bad[bad].iter().flatten().map(|demand| demand.0).collect();
        taking_part.sort();
        taking_part.dedup();
        let access = |&number: &usize| Access { order: now[number], ..self.accesses[number].clone() };
        let accesses = taking_part.iter().map(access).collect();
        Trial::Fails(Failure { test: format!("{bad}"), what: "it fails".into(), accesses })
    }

    /// All ways to give every access an order.
    fn assignments(&self) -> Vec<Vec<Order>> {
        self.accesses.iter().fold(vec![vec![]], |all, access| {
            let orders = possible(access.place.verb);
            let with = |so_far: &Vec<Order>| -> Vec<Vec<Order>> {
                orders.iter().map(|&order| [so_far.clone(), vec![order]].concat()).collect()
            };
            all.iter().flat_map(with).collect()
        })
    }
}

#[test]
fn an_order_is_needed_if_and_only_if_a_test_fails_without_it() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut needed = BTreeMap::new();
    for _ in 0..500 {
        let world = World::new(&mut random, true);
        let found = audit(&world.accesses, &Orders::default(), &mut |orders| world.run(orders));
        for row in found.rows {
            let number = row.access.place.line as usize - 1;
            let all = |order: Order| {
                let mut orders: Vec<Order> = world.accesses.iter().map(|access| access.order).collect();
                orders[number] = order;
                orders
            };
            match row.need {
                Need::Needed(_) => assert!(!world.passes(&all(row.weakened))),
                Need::NotNeeded(order) => {
                    assert!(world.passes(&all(order)));
                    assert!(weaker(&row.access, order).iter().all(|&next| !world.passes(&all(next))));
                }
                other => panic!("{other:?}"),
            }
            *needed.entry(!world.passes(&all(row.weakened))).or_insert(0) += 1;
        }
    }
    assert!(needed[&true] > 100 && needed[&false] > 100, "{needed:?}");
}

#[test]
fn the_weakest_orders_pass_and_every_weaker_assignment_fails() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..500 {
        let world = World::new(&mut random, true);
        let found = weakest(&world.accesses, &Orders::default(), &mut |orders| world.run(orders));
        let mut orders: Vec<Order> = world.accesses.iter().map(|access| access.order).collect();
        for (access, order) in &found.weakened {
            orders[access.place.line as usize - 1] = *order;
        }
        assert!(world.passes(&orders));
        let is_weaker = |other: &&Vec<Order>| {
            **other != orders && other.iter().zip(&orders).all(|(&weak, &strong)| is_at_least(strong, weak))
        };
        assert!(world.assignments().iter().filter(is_weaker).all(|other| !world.passes(other)));
    }
}

#[test]
fn repairs_are_all_minimal_ones_but_for_larger_ones_that_cost_as_much() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut sizes = BTreeMap::new();
    for _ in 0..150 {
        let world = World::new(&mut random, false);
        let found = repair(&Orders::default(), usize::MAX, usize::MAX, &mut |orders| world.run(orders)).unwrap();
        assert!(found.is_complete);
        // Fences rule nothing out in these worlds, so repairs are assignments.
        let assignment = |changes: &[(Place, Change)]| {
            let mut orders = vec![Order::Relaxed; world.accesses.len()];
            for (place, change) in changes {
                orders[place.line as usize - 1] = change.order.unwrap();
            }
            orders
        };
        let mut ours: Vec<Vec<Order>> = found.repairs.iter().map(|repair| assignment(&repair.changes)).collect();
        let is_weaker = |weak: &[Order], strong: &[Order]| weak.iter().zip(strong).all(|(&a, &b)| is_at_least(b, a));
        let passing: Vec<Vec<Order>> = world.assignments().into_iter().filter(|orders| world.passes(orders)).collect();
        let is_minimal =
            |orders: &&Vec<Order>| !passing.iter().any(|other| other != *orders && is_weaker(other, orders));
        let minimal: Vec<&Vec<Order>> = passing.iter().filter(is_minimal).collect();
        let size = |orders: &[Order]| orders.iter().filter(|&&order| order != Order::Relaxed).count();
        let cost = |orders: &[Order]| {
            let of = |(access, &order): (&Access, &Order)| cost_of(access.place.verb, &access.with_order(order));
            world.accesses.iter().zip(orders).map(of).sum::<u32>()
        };
        let is_wanted = |orders: &&&Vec<Order>| {
            minimal.iter().all(|other| size(other) >= size(orders) || cost(other) > cost(orders))
        };
        let mut expected: Vec<Vec<Order>> = minimal.iter().filter(is_wanted).map(|orders| orders.to_vec()).collect();
        let key = |orders: &Vec<Order>| orders.iter().map(|&order| order as u8).collect::<Vec<_>>();
        ours.sort_by_key(key);
        expected.sort_by_key(key);
        assert_eq!(ours, expected, "{:?}", world.bad);
        assert!(found.repairs.is_sorted_by_key(|repair| repair.cost));
        *sizes.entry(minimal.iter().map(|orders| size(orders)).min()).or_insert(0) += 1;
    }
    assert!(sizes.len() >= 2, "{sizes:?}");
}

#[test]
fn a_step_up_and_a_step_down_lead_back() {
    for verb in [Verb::Load, Verb::Store, Verb::Swap, Verb::Fence] {
        let place = Place { file: String::new(), line: 1, column: 1, verb };
        let access = Access { place, half: Half::Success, order: Order::Relaxed, is_reached: true };
        for order in possible(verb) {
            assert!(stronger(&access, order).iter().all(|&up| weaker(&access, up).contains(&order)));
            assert!(weaker(&access, order).iter().all(|&down| stronger(&access, down).contains(&order)));
        }
    }
}

#[test]
fn tests_that_pass_need_no_repair() {
    assert!(repair(&Orders::default(), 1, 1, &mut |_| Trial::Passes).is_none());
}

#[test]
fn a_search_that_is_cut_short_says_so() {
    let world = World::new(&mut fastrand::Rng::with_seed(4), false);
    let found = repair(&Orders::default(), usize::MAX, 1, &mut |orders| world.run(orders)).unwrap();
    assert!(!found.is_complete && found.repairs.is_empty());
}
