//! Violat's figures, reproduced.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use linchpin_reproduce::Row;
use linchpin_reproduce::violat::{clients, reproduce};

fn rows() -> Vec<Row> {
    reproduce(Duration::from_millis(100), &AtomicBool::new(false))
}

#[test]
fn all_that_can_agree_agrees() {
    let rows = rows();
    let [agree, differ, open] =
        [Some(true), Some(false), None].map(|answer| rows.iter().filter(|row| row.agrees == answer).count());
    // Twelve clients of figure 2, five outcomes of figure 4; the numbers of paths and runs are not expected to agree.
    assert_eq!([agree, differ, open], [17, 0, 1], "{}", linchpin_reproduce::render(&rows));
}

/// `linchpin-zoo/tests/zoo/maps.rs` has the same numbers of executions, counted without any reduction.
#[test]
fn figure_2_has_these_outcomes_in_so_many_executions() {
    let ours: Vec<String> = rows().into_iter().take(12).map(|row| row.ours).collect();
    assert_eq!(
        ours,
        [
            "nil, nil, nil, nil, nil in 6 of 25 executions",
            "nil, 0, nil, false in 1 of 5 executions",
            "1, false, nil, nil, 1 in 1 of 8 executions",
            "nil, nil, [0] in 1 of 4 executions",
            "nil, nil, [[1, 0]] in 1 of 4 executions",
            "nil, 1, true in 1 of 3 executions",
            "nil, nil, [1] in 1 of 4 executions",
            "[1], nil, nil in 1 of 4 executions",
            "nil, nil, 2, 0 in 1 of 7 executions",
            "nil, nil, 2, 0 in 1 of 7 executions",
            "nil, nil, \"{1=1}\" in 1 of 4 executions",
            "nil, nil, [0] in 1 of 4 executions",
        ]
    );
}

#[test]
fn figure_4_counts_every_execution_once() {
    let rows = rows();
    let number = |text: &str| text.split(", ").nth(1).and_then(|part| part.split(' ').next()?.parse::<u64>().ok());
    let outcomes = rows.iter().filter(|row| row.id.starts_with("figure 4: ") && row.agrees.is_some());
    let counts: Vec<u64> = outcomes.filter_map(|row| number(&row.ours)).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u64>()), (5, 8));
    assert!(rows.last().is_some_and(|row| row.ours.starts_with("8 executions, ")), "{rows:?}");
}

#[test]
fn every_row_of_figure_2_has_a_client() {
    let methods: Vec<String> = clients().map(|(method, _)| format!("figure 2: {method}")).collect();
    let ids: Vec<String> = rows().into_iter().take(12).map(|row| row.id).collect();
    assert_eq!(methods, ids);
}

#[test]
fn an_interrupt_leaves_rows_out() {
    assert!(reproduce(Duration::from_secs(60), &AtomicBool::new(true)).is_empty());
}
