//! Histories for pictures, made by code.

use linchpin_model::OperationId;
use linchpin_report::timeline::{Bar, Outcome, Partial, Timeline};

/// An operation that returned, or not.
pub fn bar(process: u64, label: &str, call: i64, ret: impl Into<Option<i64>>, line: usize) -> Bar {
    Bar { process, label: label.into(), call, ret: ret.into(), line }
}

/// Ids of operations.
pub fn ids(ids: impl IntoIterator<Item = u32>) -> Vec<OperationId> {
    ids.into_iter().map(OperationId).collect()
}

/// A timeline with nothing but its operations.
pub fn plain(verdict: Outcome, bars: Vec<Bar>) -> Timeline<'static> {
    Timeline {
        title: "history.txt, a queue",
        verdict,
        sentence: "",
        bars,
        highlighted: Vec::new(),
        fails_at: None,
        orders: Vec::new(),
        window: Timeline::WINDOW,
    }
}

/// Two elements of a queue come out in the wrong order.
pub fn overtaken() -> Timeline<'static> {
    let bars = vec![
        bar(0, "enq(1)", 10, 20, 2),
        bar(1, "enq(2)", 30, 42, 4),
        bar(0, "deq() → 2", 50, 60, 6),
        bar(1, "deq() → 1", 70, 85, 8),
    ];
    Timeline {
        sentence: "enq(1) returned before enq(2) was called, but deq() → 2 returned before deq() → 1 was called.",
        highlighted: ids(0..4),
        fails_at: Some(OperationId(2)),
        orders: vec![Partial { order: ids([0, 1]), stuck_at: Some(OperationId(2)) }],
        ..plain(Outcome::Violation, bars)
    }
}

/// Processes that use a queue, one operation after another, and the order in which their operations took effect.
pub fn queue(processes: u64, operations: usize, seed: u64) -> (Vec<Bar>, Vec<OperationId>) {
    let mut state = seed;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut bars = Vec::new();
    let mut effects = Vec::new();
    let mut free = vec![0i64; processes as usize];
    for id in 0..operations {
        let process = (0..processes).min_by_key(|&process| free[process as usize]).unwrap_or(0);
        let call = free[process as usize] + random(60) as i64;
        let effect = call + 1 + random(50) as i64;
        let ret = effect + 1 + random(50) as i64;
        free[process as usize] = ret + 1;
        bars.push(bar(process, if random(2) == 0 { "enq" } else { "deq" }, call, ret, 2 * id + 1));
        effects.push((effect, id));
    }
    effects.sort_unstable();
    let mut content = std::collections::VecDeque::new();
    let mut next = 1;
    for &(_, id) in &effects {
        bars[id].label = if bars[id].label == "enq" {
            content.push_back(next);
            next += 1;
            format!("enq({})", next - 1)
        } else {
            content.pop_front().map_or("deq() → nil".into(), |value| format!("deq() → {value}"))
        };
    }
    let order = effects.into_iter().map(|(_, id)| OperationId(id as u32)).collect();
    (bars, order)
}
