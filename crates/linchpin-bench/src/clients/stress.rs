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

/// A table of both rates for each client.
pub(super) fn measure(budget: Duration) -> String {
    let columns = [
        ("client", Lean::Left),
        ("starting threads", Lean::Right),
        ("stress", Lean::Right),
        ("times", Lean::Right),
        ("less frequent outcomes", Lean::Right),
    ];
    let mut table = Table::new(&columns);
    row::<AtomicCounter>(&mut table, "{ increment() } || { increment() }", budget);
    row::<LockedQueue>(&mut table, "[enqueue(1)] { dequeue() } || { dequeue() } [dequeue()]", budget);
    row::<LockedQueue>(&mut table, "{ enqueue(1); dequeue() } || { enqueue(2); dequeue() } [dequeue()]", budget);
    table.render()
}

fn row<O: Object>(table: &mut Table, text: &str, budget: Duration) {
    let admitted = client::<O>(text).admitted();
    let begin = Instant::now();
    let mut counts: HashMap<Outcome, u64> = HashMap::new();
    while begin.elapsed() < budget {
        *counts.entry(start_threads::<O>(admitted.client())).or_default() += 1;
    }
    let starting = counts.values().sum::<u64>() as f64 / begin.elapsed().as_secs_f64();

    let options = Options { max_time: Some(budget), ..Options::default() };
    let stressed = client::<O>(text).stress(&options, Hooks::default());
    assert!(!stressed.is_violated(), "{}", stressed.table());
    let stress = stressed.runs as f64 / stressed.elapsed.as_secs_f64();
    // The less frequent ones tell how much threads overlap, or at least take turns.
    let rare = stressed.runs - stressed.frequencies[0].count;
    table.push([
        text.to_owned(),
        format!("{}/s", rounded(starting)),
        format!("{}/s", rounded(stress)),
        format!("{}×", rounded(stress / starting)),
        format!("{} of {}", grouped(rare), grouped(stressed.runs)),
    ]);
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
