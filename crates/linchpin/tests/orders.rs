//! Orders other than those in the source: audited, weakened and repaired.

use linchpin::audit::{Audit, Half, Need, Trial};
use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU32, Ordering::*, fence};
use linchpin::{Builder, Change, Order, Orders, Suite, Verb, thread};

type Two = Arc<(AtomicU32, AtomicU32)>;

fn two() -> Two {
    Arc::default()
}

/// A message and a flag. The load of the message is at the line of the assertion.
fn message_passing() {
    let sender = two();
    let receiver = sender.clone();
    let thread = thread::spawn(move || {
        sender.0.store(42, Relaxed);
        sender.1.store(1, Relaxed);
    });
    if receiver.1.load(Relaxed) == 1 {
        assert_eq!(receiver.0.load(Relaxed), 42);
    }
    thread.join().unwrap();
}

/// Each thread writes one word and reads the other; not both may read 0.
fn store_buffering() {
    let words = two();
    let other = words.clone();
    let thread = thread::spawn(move || {
        other.0.store(1, Relaxed);
        other.1.load(Relaxed)
    });
    words.1.store(1, Relaxed);
    let mine = words.0.load(Relaxed);
    assert_ne!(mine + thread.join().unwrap(), 0);
}

#[test]
fn message_passing_is_repaired_by_a_release_and_an_acquire() {
    let repairs = Suite::new().test("message passing", message_passing).repair(10).unwrap();
    assert!(repairs.is_complete);
    assert_eq!(repairs.failure.what, "a panic: assertion `left == right` failed\n  left: 0\n right: 42");
    let cheapest = &repairs.repairs[0];
    let orders: Vec<(Verb, Option<Order>)> =
        cheapest.changes.iter().map(|(place, change)| (place.verb, change.order)).collect();
    assert_eq!(orders, [(Verb::Store, Some(Order::Release)), (Verb::Load, Some(Order::Acquire))]);
    assert_eq!(cheapest.cost, 2);
    // Each repair is one, and none contains another.
    for repair in &repairs.repairs {
        let all = |changes: &[(linchpin::Place, Change)]| {
            changes.iter().fold(Orders::default(), |orders, (place, change)| orders.with(place, *change))
        };
        let run = |orders: Orders| Suite::new().test("message passing", message_passing).orders(orders).run();
        assert!(run(all(&repair.changes)).passes());
        for left_out in 0..repair.changes.len() {
            let mut fewer = repair.changes.clone();
            fewer.remove(left_out);
            assert!(matches!(run(all(&fewer)), Trial::Fails(_)));
        }
    }
    // Fences will do as well: one in the place of either order, or both.
    let with_fences =
        repairs.repairs.iter().filter(|repair| repair.changes.iter().any(|(_, c)| c.fence_before.is_some()));
    assert!(with_fences.count() >= 3, "{:?}", repairs.repairs);
}

#[test]
fn store_buffering_takes_four_sc_accesses_or_two_sc_fences() {
    let repairs = Suite::new().test("store buffering", store_buffering).repair(1).unwrap();
    let changes = &repairs.repairs[0].changes;
    assert_eq!(changes.len(), 2);
    assert!(changes.iter().all(|(place, change)| {
        place.verb == Verb::Load && change.fence_before == Some(Order::SeqCst) && change.order.is_none()
    }));
    // All four accesses of the source as SC: the accesses are known from the tests themselves.
    let suite = Suite::new().test("store buffering", store_buffering);
    let all = suite
        .accesses()
        .iter()
        .fold(Orders::default(), |orders, access| orders.with(&access.place, access.with_order(Order::SeqCst)));
    assert_eq!(all.changes().len(), 4);
    assert!(suite.clone().orders(all.clone()).run().passes());
    // With fewer, it fails again: the audit needs each.
    let audit = suite.orders(all).audit();
    assert_eq!(audit.rows.len(), 4);
    assert!(audit.rows.iter().all(|row| matches!(row.need, Need::Needed(_))), "{audit:?}");
}

/// A counter that is incremented by exchanges, read by a load, with a fence that nobody needs.
fn counter() {
    let words = two();
    let other = words.clone();
    let increment = |words: &Two| {
        let mut seen = words.0.load(Relaxed);
        while let Err(newer) = words.0.compare_exchange(seen, seen + 1, AcqRel, Acquire) {
            seen = newer;
        }
    };
    let thread = thread::spawn(move || increment(&other));
    increment(&words);
    thread.join().unwrap();
    fence(SeqCst);
    assert_eq!(words.0.load(SeqCst), 2);
    assert_eq!(words.1.compare_exchange(0, 1, SeqCst, Acquire), Ok(0));
}

fn needs(audit: &Audit) -> Vec<(Verb, Half, Order, &Need)> {
    audit.rows.iter().map(|row| (row.access.place.verb, row.access.half, row.weakened, &row.need)).collect()
}

#[test]
fn an_audit_says_what_is_not_needed_and_what_is_not_reached() {
    let audit = Builder::new().audit(counter);
    let relaxed = &Need::NotNeeded(Order::Relaxed);
    assert_eq!(
        needs(&audit),
        [
            (Verb::CompareExchange, Half::Success, Order::Release, relaxed),
            (Verb::CompareExchange, Half::Success, Order::Acquire, relaxed),
            (Verb::CompareExchange, Half::Failure, Order::Relaxed, relaxed),
            (Verb::Fence, Half::Success, Order::AcqRel, relaxed),
            (Verb::Load, Half::Success, Order::Acquire, relaxed),
            (Verb::CompareExchange, Half::Success, Order::AcqRel, relaxed),
            // This one never fails.
            (Verb::CompareExchange, Half::Failure, Order::Relaxed, &Need::Unreached),
        ]
    );
}

#[test]
fn an_audit_lists_what_no_test_reaches_and_reads_as_a_table() {
    fn never() -> u32 {
        AtomicU32::new(0).swap(1, AcqRel)
    }
    let audit = Builder::new().audit(|| {
        let word = AtomicU32::new(1);
        if word.load(Acquire) == 0 {
            never();
        }
    });
    let unreached =
        audit.unreached.iter().find(|(_, mention)| mention.name == "swap").expect("the swap is in this file");
    assert!(unreached.0.ends_with("tests/orders.rs"));
    let here =
        |name: &str| audit.unreached.iter().any(|(_, found)| found.name == name && found.line == unreached.1.line + 4);
    assert!(!here("load"), "the load is reached");
    let table = audit.to_string();
    assert!(
        table.lines().next().unwrap().ends_with("Load Acquire → Relaxed: not needed by these tests; Relaxed will do")
    );
    assert!(table.contains("swap: unreached"), "{table}");
}

#[test]
fn repairs_read_as_lines() {
    let repairs = Suite::new().test("message passing", message_passing).repair(1).unwrap();
    let text = repairs.to_string();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("Store at ") && first.contains(": Release and Load at "), "{first}");
    assert!(first.ends_with(": Acquire (cost 2)"), "{first}");
    assert!(text.ends_with("there may be others: the search was cut short\n"), "{text}");
}

#[test]
fn the_weakest_orders_still_pass_and_cannot_be_weakened() {
    let test = || {
        let words = two();
        let sender = words.clone();
        let thread = thread::spawn(move || {
            sender.0.store(42, SeqCst);
            sender.1.fetch_add(1, SeqCst);
        });
        if words.1.load(SeqCst) == 1 {
            assert_eq!(words.0.load(SeqCst), 42);
        }
        thread.join().unwrap();
    };
    let suite = Suite::new().test("message passing", test);
    let weakest = suite.weakest().unwrap();
    let orders: Vec<(Verb, Order)> =
        weakest.weakened.iter().map(|(access, order)| (access.place.verb, *order)).collect();
    let expected = [
        (Verb::Store, Order::Relaxed),
        (Verb::FetchAdd, Order::Release),
        (Verb::Load, Order::Acquire),
        (Verb::Load, Order::Relaxed),
    ];
    assert_eq!(orders, expected);
    let audit = suite.orders(weakest.orders).audit();
    assert!(audit.rows.iter().all(|row| matches!(row.need, Need::Needed(_))), "{audit:?}");
    assert!(Suite::new().test("store buffering", store_buffering).weakest().is_none());
}

#[test]
fn a_budget_that_runs_out_decides_nothing() {
    let few = Builder::new().max_executions(1);
    let trial = Suite::new().with(few).test("counter", counter).run();
    assert!(matches!(trial, Trial::Undecided(why) if why.starts_with("counter: ")));
}
