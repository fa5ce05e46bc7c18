//! tests/queue.rs

use std::collections::VecDeque;

use linchpin::sync::Mutex;

#[derive(Default)]
struct Queue(Mutex<VecDeque<u8>>);

impl Queue {
    fn push(&self, item: u8) {
        self.0.lock().unwrap().push_back(item);
    }

    fn pop(&self) -> Option<u8> {
        let first = *self.0.lock().unwrap().front()?; // looks at it …
        self.0.lock().unwrap().pop_front(); // … and takes it
        Some(first)
    }
}

linchpin::object! {
    Fifo: Queue = Queue::default();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8>;
}

#[cfg(test)]
fn the_queue_is_linearizable() {
    linchpin::check::<Fifo>().run();
}

// All above is an example of README.md; it starts at the first line so that the positions in its output are right.

const README: &str = include_str!("../../../README.md");

#[test]
fn the_readme_shows_this_file() {
    let source = include_str!("queue.rs").replace("#[cfg(test)]", "#[test]");
    let (example, _) = source.split_once("\n// All above").expect("the example has an end");
    assert!(README.contains(example));
}

#[test]
fn the_readme_shows_what_comes_of_it() {
    let panic = std::panic::catch_unwind(the_queue_is_linearizable).expect_err("a violation");
    let report = words(&panic.downcast::<String>().expect("a report").replace("crates/linchpin/", ""));
    let (_, after) = README.split_once("linchpin::check::<Fifo>().run();").expect("the README has the example");
    let (_, shown) = after.split_once("```text\n").expect("the README shows the output");
    let (shown, _) = shown.split_once("```").expect("the output has an end");
    for line in shown.lines().filter(|line| *line != "…") {
        assert!(report.contains(&words(line)), "the README shows {line:?}, the report is\n{report}");
    }
}

/// The text with all white space alike: paths of other lengths make other columns and other breaks between lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const TWO_POPS: &str = "[push(1)] { pop() } || { pop() }";

#[test]
fn each_of_the_three_ways_finds_it() {
    use linchpin::stress::{Hooks, Options};
    use linchpin::{Sampling, Strategy};

    let client = linchpin::client::<Fifo>(TWO_POPS);
    assert!(client.explore().violation.is_some());
    let strategy = Strategy::Pct { depth: 3, steps: None };
    assert!(client.sample(&Sampling { strategy, ..Sampling::default() }).found.is_some());
    // Native threads may or may not.
    let stressed =
        client.stress(&Options { max_runs: Some(100), max_time: None, ..Options::default() }, Hooks::default());
    assert_eq!(stressed.runs, 100);
    let longer = linchpin::client::<Fifo>("[push(1); push(2)] { pop(); push(3) } || { pop(); pop() } [pop()]");
    assert_eq!(longer.shrink().expect("it fails").minimum.client.to_string(), TWO_POPS);
}
