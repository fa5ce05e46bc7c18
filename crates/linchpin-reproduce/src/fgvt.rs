//! Chen, Zhang, Wu and Zhang, *Interleaving-tree Based Fine-grained Linearizability Fault Localization* (SETTA 2018), table 2: the
//! patterns of critical data race sequences of six objects, and the lines that race.
//!
//! A row agrees if the paper's pattern is among ours. The paper's model checker leaves out what does not matter by a reduction
//! of its own; ours is told apart by whether a row is reduced.

use std::time::{Duration, Instant};

use linchpin::localize::Races;
use linchpin::localize::tree::{Options, Sequence};
use linchpin::{Builder, MemoryModel, Object, client};
use linchpin_zoo::objects::*;

use crate::{Row, render};

/// A row of the table.
pub struct Entry {
    /// The object.
    pub id: &'static str,
    races: fn(&str, Options) -> Option<Races>,
    /// The client, in our notation.
    pub client: &'static str,
    /// The paper's pattern.
    pub pattern: &'static str,
    /// Leave branches out that change nothing but the order of steps which have nothing to do with each other?
    pub reduce: bool,
    /// What races in the paper.
    pub source: &'static str,
    /// Why ours is different, where it is.
    pub note: &'static str,
}

fn races<O: Object>(text: &str, options: Options) -> Option<Races> {
    client::<O>(text).with(Builder::new().memory_model(MemoryModel::Sc).deadlocks(false)).races(options)
}

const TWO_ADDS: &str = "[add(1)] { add(3) } || { add(4) } [contains(3); contains(4)]";

/// The rows. The list without a proper lock has two patterns in the paper, one of which needs the whole tree.
pub static ENTRIES: [Entry; 7] = [
    Entry {
        id: "LockFreeList",
        races: races::<LockFreeList>,
        client: "[add(1)] { remove(1) } || { remove(1) }",
        pattern: "Wg G",
        reduce: true,
        source: "curr.next.get(), attemptMark()",
        note: "attemptMark() is a read and a compare-and-swap here, each of which races: between the paper's two races \
            comes a third (Wg Bg G), or the sequence ends with it (Wg Bg)",
    },
    Entry {
        id: "OptimisticQueue",
        races: races::<OptimisticQueue>,
        client: "[offer(1); offer(2)] { poll() } || { poll() }",
        pattern: "G",
        reduce: true,
        source: "head.getItem(), casHead()",
        note: "",
    },
    Entry {
        id: "PairSnapshot",
        races: races::<PairSnapshot>,
        client: "{ write(0, 2); write(1, 2); write(1, 1); write(0, 1) } || { read() }",
        pattern: "Wg Wg Wg Wg Wg G",
        reduce: true,
        source: "d[i] = v, x = d[0], y = d[1], x == d[0]",
        note: "",
    },
    Entry {
        id: "Snark",
        races: races::<SnarkDeque>,
        client: "[push_right(1)] { pop_right() } || { push_right(2); pop_left() }",
        pattern: "Wg Wg G",
        reduce: true,
        source: "rh = RightHat, DCAS(&RightHat, …), DCAS(&LeftHat, …), rh.R == rh",
        note: "",
    },
    Entry {
        id: "SimpleList",
        races: races::<SimpleList>,
        client: TWO_ADDS,
        pattern: "Bg",
        reduce: true,
        source: "pred.next = node, curr.val < v",
        note: "",
    },
    Entry {
        id: "SimpleList, whole tree",
        races: races::<SimpleList>,
        client: TWO_ADDS,
        pattern: "Bg G",
        reduce: false,
        source: "pred.next = node, curr.val < v",
        note: "",
    },
    Entry {
        id: "LinkedList",
        races: races::<SizeList>,
        client: "[add(1); add(5)] { remove(1); add(9) } || { size() }",
        pattern: "Wg Wg G",
        reduce: true,
        source: "node.next == tail, synchronized () {}",
        note: "",
    },
];

/// A row, run.
pub struct Ran {
    /// The row of the table.
    pub entry: &'static Entry,
    /// What came out; `None` if there are too many interleavings.
    pub races: Option<Races>,
    /// How long it took, exploration included.
    pub elapsed: Duration,
}

/// Runs a row.
pub fn run(entry: &'static Entry) -> Ran {
    let start = Instant::now();
    let races = (entry.races)(entry.client, Options { reduce: entry.reduce, ..Options::default() });
    Ran { entry, races, elapsed: start.elapsed() }
}

impl Ran {
    /// The sequence that has the paper's pattern.
    pub fn sequence(&self) -> Option<&Sequence> {
        self.races.as_ref()?.sequences.iter().find(|sequence| sequence.pattern() == self.entry.pattern)
    }

    /// The row next to the paper's.
    pub fn row(&self) -> Row {
        let ours = match &self.races {
            None => "too many interleavings".to_owned(),
            Some(races) => {
                let shortest = races.sequences.iter().take(4).map(Sequence::pattern).collect::<Vec<_>>().join(", ");
                let more = if races.sequences.len() > 4 { ", …" } else { "" };
                let patterns = match self.sequence() {
                    Some(_) => format!("{}, among {}", self.entry.pattern, races.sequences.len()),
                    None => format!("{shortest}{more}"),
                };
                let places = self.sequence().map(|sequence| format!("; {}", lines(sequence))).unwrap_or_default();
                format!("{patterns}; {} of {} wrong{places}", races.wrong, races.right + races.wrong)
            }
        };
        let paper = format!("{}; {}", self.entry.pattern, self.entry.source);
        Row { id: self.entry.id.to_owned(), paper, ours, agrees: Some(self.sequence().is_some()) }
    }
}

/// `simple_list.rs:26, 44`
fn lines(sequence: &Sequence) -> String {
    let mut text = String::new();
    let mut last = "";
    for place in sequence.places() {
        let file = place.file.rsplit('/').next().unwrap_or(place.file);
        match file == last {
            true => text.push_str(&format!(", {}", place.line)),
            false if last.is_empty() => text.push_str(&format!("{file}:{}", place.line)),
            false => text.push_str(&format!("; {file}:{}", place.line)),
        }
        last = file;
    }
    text
}

/// All rows.
pub fn rows() -> Vec<Row> {
    ENTRIES.iter().map(|entry| run(entry).row()).collect()
}

/// The table as text, with notes on the differences.
pub fn table(rows: &[Row]) -> String {
    let mut text = render(rows);
    for (row, entry) in rows.iter().zip(&ENTRIES) {
        if row.agrees == Some(false) && !entry.note.is_empty() {
            text.push_str(&format!("\n{}: {}.\n", entry.id, entry.note));
        }
    }
    text
}
