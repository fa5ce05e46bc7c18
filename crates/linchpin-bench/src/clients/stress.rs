//! `stress`: runs on native threads per second, against starting threads for each run.
//!
//! Both make an instance, run the setup, the threads and the epilogue, and count the outcome. The target is a rate 20 times
//! that of starting threads. Cores should be idle: a thread that spins while another does not run is not measured fairly.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use linchpin::stress::{Hooks, Options};
use linchpin::{Object, Value, client};
use linchpin_model::{Client, Invocation, Outcome};
use serde::Serialize;

use crate::arguments::Clients;
use crate::progress;
use crate::text::{Lean, Table, grouped, rounded};

#[derive(Default)]
struct Counter(AtomicUsize);

impl Counter {
    fn increment(&self) -> usize {
        self.0.fetch_add(1, SeqCst)
    }
}

linchpin::object! {
    AtomicCounter: Counter = Counter::default();
    fn increment(&self) -> usize;
}

#[derive(Default)]
struct Queue(Mutex<VecDeque<u8>>);

impl Queue {
    fn enqueue(&self, item: u8) {
        self.0.lock().unwrap().push_back(item);
    }

    fn dequeue(&self) -> Option<u8> {
        self.0.lock().unwrap().pop_front()
    }
}

linchpin::object! {
    LockedQueue: Queue = Queue::default();
    fn enqueue(&self, item: u8);
    fn dequeue(&self) -> Option<u8>;
}

/// A client and how often it is run in a second.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    client: &'static str,
    starting_threads_per_second: f64,
    stress_per_second: f64,
    /// All but the most frequent outcome: how much threads overlap, or at least take turns.
    less_frequent_outcomes: u64,
    runs: u64,
}

/// Measures the rows that are asked for.
pub(super) fn measure(options: &Clients) -> Vec<Row> {
    let row = [
        (row::<AtomicCounter> as fn(&'static str, Duration) -> Row, "{ increment() } || { increment() }"),
        (row::<LockedQueue>, "[enqueue(1)] { dequeue() } || { dequeue() } [dequeue()]"),
        (row::<LockedQueue>, "{ enqueue(1); dequeue() } || { enqueue(2); dequeue() } [dequeue()]"),
    ];
    let wanted = row.into_iter().filter(|(_, client)| options.wants(client) || options.wants("stress"));
    wanted.map(|(measure, client)| measure(client, options.budget)).collect()
}

/// The rows as a table.
pub(super) fn render(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        ("client", Lean::Left),
        ("starting threads", Lean::Right),
        ("stress", Lean::Right),
        ("times", Lean::Right),
        ("less frequent outcomes", Lean::Right),
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        table.push([
            row.client.to_owned(),
            rounded(row.starting_threads_per_second),
            rounded(row.stress_per_second),
            format!("{}×", rounded(row.stress_per_second / row.starting_threads_per_second)),
            format!("{} of {}", grouped(row.less_frequent_outcomes), grouped(row.runs)),
        ]);
    }
    format!("Stress: runs on native threads per second\n\n{}\n", table.render())
}

fn row<O: Object>(text: &'static str, budget: Duration) -> Row {
    progress::begin(format_args!("stress {text}"));
    let admitted = client::<O>(text).admitted();
    let begin = Instant::now();
    let mut counts: HashMap<Outcome, u64> = HashMap::new();
    while begin.elapsed() < budget {
        *counts.entry(start_threads::<O>(admitted.client())).or_default() += 1;
    }
    let starting_threads_per_second = counts.values().sum::<u64>() as f64 / begin.elapsed().as_secs_f64();

    let options = Options { max_time: Some(budget), ..Options::default() };
    let stressed = client::<O>(text).stress(&options, Hooks::default());
    assert!(!stressed.is_violated(), "{}", stressed.table());
    Row {
        client: text,
        starting_threads_per_second,
        stress_per_second: stressed.runs as f64 / stressed.elapsed.as_secs_f64(),
        less_frequent_outcomes: stressed.runs - stressed.frequencies[0].count,
        runs: stressed.runs,
    }
}

/// A run of a client as one would write it.
fn start_threads<O: Object>(client: &Client) -> Outcome {
    let operations = O::operations();
    let instance = O::create();
    let invoke = |invocation: &Invocation| -> Value {
        let position = operations.iter().position(|operation| *operation.name == *invocation.operation);
        O::invoke(&instance, position.expect("the client is one of this object"), &invocation.arguments)
    };
    let mut values: Vec<Value> = client.setup.iter().map(invoke).collect();
    thread::scope(|scope| {
        let start = |thread: &'_ Vec<Invocation>| {
            let (thread, invoke) = (thread.clone(), &invoke);
            scope.spawn(move || thread.iter().map(invoke).collect::<Vec<Value>>())
        };
        let threads: Vec<_> = client.threads.iter().map(start).collect();
        values.extend(threads.into_iter().flat_map(|thread| thread.join().expect("these operations do not panic")));
    });
    values.extend(client.epilogue.iter().map(invoke));
    Outcome(values)
}
