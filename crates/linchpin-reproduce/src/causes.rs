//! Çirisci, Enea, Farzan and Mutluergil, *Root Causing Linearizability Violations* (CAV 2020), tables 1 and 2: for each of
//! three clients of three faulty variants of three libraries, which eliminators come first.
//!
//! A row agrees if the client has an outcome of table 1 that is wrong, and if a set of sections that the paper ranks first is
//! ranked first here, for at least one failing execution; sets that disable equally many right executions share a rank. How
//! many executions there are, and how many of them a set disables, depends on the model checker: the paper's counts traces up
//! to a partial-order reduction, ours counts executions, each once.

use std::time::{Duration, Instant};

use linchpin::localize::eliminate::{Extent, Ranked, Section, Sections};
use linchpin::localize::{Explanation, Ranking};
use linchpin::{Builder, MemoryModel, Object, client};
use linchpin_zoo::labels::paper_line;
use linchpin_zoo::objects::*;

use crate::{Row, render};

/// A section, in lines of the paper.
pub type Lines = (u32, u32);

/// A row of the tables.
pub struct Entry {
    /// The library and the number of the row.
    pub id: &'static str,
    /// Explains the client.
    explain: fn(&str) -> Explanation,
    /// The client, in our notation.
    pub client: &'static str,
    /// Outcomes of table 1, in our notation.
    pub outcomes: &'static [&'static str],
    /// Sets that come first in table 2, for one failing execution or another. How many right executions each disables there.
    pub first: &'static [(&'static [Lines], u32)],
    /// Why ours is different, where it is.
    pub note: &'static str,
}

fn explain<O: Object>(text: &str) -> Explanation {
    // Some variants wait for ever now and then; that is not what the paper is about.
    let builder = Builder::new().memory_model(MemoryModel::Sc).deadlocks(false);
    client::<O>(text).with(builder).explain()
}

const NO_EFFECT: &str = "[55, 56] does not rule the execution out: the new node's fields are written before anybody can see it, \
    so nothing that others do comes between. [43, 51] does, but [51, 56] disables one right execution less";
const PUT: Lines = (271, 279);
const UNLINK: Lines = (448, 451);

/// The rows, in the order of the tables. Which set belongs to which row is our reading where the columns of the table overlap.
#[rustfmt::skip]
pub static ENTRIES: [Entry; 27] = [
    Entry { id: "coarse list 1", explain: explain::<CoarseListAdd>, client: "{ contains(1); remove(1); add(1) } || { add(1) }",
        outcomes: &["false, false, true, true"], first: &[(&[(27, 35)], 0)], note: "" },
    Entry { id: "coarse list 2", explain: explain::<CoarseListAdd>, client: "{ add(0); add(1) } || { add(0) }",
        outcomes: &["true, true, true"], first: &[(&[(27, 35)], 0)], note: "" },
    Entry { id: "coarse list 3", explain: explain::<CoarseListAdd>, client: "{ add(0); add(0) } || { add(1) }",
        outcomes: &["true, true, true"], first: &[(&[(27, 35)], 18)], note: "" },
    Entry { id: "coarse list 4", explain: explain::<CoarseListRemove>, client: "{ add(0); add(0); remove(0) } || { remove(0) }",
        outcomes: &["true, false, true, true"], first: &[(&[(48, 54)], 0)], note: "" },
    Entry { id: "coarse list 5", explain: explain::<CoarseListRemove>, client: "{ add(0); add(0) } || { add(1); remove(1) }",
        outcomes: &["true, true, true, true"], first: &[(&[(48, 54)], 9)], note: "" },
    Entry { id: "coarse list 6", explain: explain::<CoarseListRemove>, client: "{ remove(0) } || { add(0); remove(0) }",
        outcomes: &["true, true, true"], first: &[(&[(48, 54)], 9)], note: "" },
    Entry { id: "coarse list 7", explain: explain::<CoarseListAddRemove>, client: "{ add(0); remove(0) } || { remove(0); add(1) }",
        outcomes: &["true, true, true, true", "true, false, false, true"], first: &[(&[(48, 54)], 0), (&[(27, 35)], 0)], note: "" },
    Entry { id: "coarse list 8", explain: explain::<CoarseListAddRemove>, client: "{ add(1); remove(1) } || { add(0) }",
        outcomes: &["true, false, true"], first: &[(&[(27, 35)], 9)], note: "" },
    Entry { id: "coarse list 9", explain: explain::<CoarseListAddRemove>, client: "{ contains(0); add(1); remove(1); contains(0) } || { remove(1) }",
        outcomes: &["false, true, true, false, true"], first: &[(&[(48, 54)], 0)], note: "" },
    Entry { id: "optimistic list 1", explain: explain::<OptimisticListAdd>, client: "{ add(0); add(0) } || { add(1) }",
        outcomes: &["true, true, true"], first: &[(&[(55, 56)], 0), (&[(43, 44), (55, 56)], 0), (&[(43, 51)], 0)], note: NO_EFFECT },
    Entry { id: "optimistic list 2", explain: explain::<OptimisticListAdd>, client: "{ add(0); add(1) } || { add(0) }",
        outcomes: &["true, true, true"], first: &[(&[(51, 56)], 15), (&[(55, 56)], 0)], note: "" },
    Entry { id: "optimistic list 3", explain: explain::<OptimisticListAdd>, client: "{ add(0) } || { contains(1); add(0) }",
        outcomes: &["true, false, true"], first: &[(&[(51, 56)], 12)], note: "" },
    Entry { id: "optimistic list 4", explain: explain::<OptimisticListRemove>, client: "{ contains(0); add(1); remove(1); contains(0) } || { remove(1) }",
        outcomes: &["false, true, true, false, true"], first: &[(&[(78, 80)], 0)], note: "" },
    Entry { id: "optimistic list 5", explain: explain::<OptimisticListRemove>, client: "{ add(0); remove(0) } || { remove(0); add(1) }",
        outcomes: &["true, true, true, true"], first: &[(&[(78, 80)], 0)], note: "" },
    Entry { id: "optimistic list 6", explain: explain::<OptimisticListRemove>, client: "{ add(0); add(0) } || { add(1); remove(1) }",
        outcomes: &["true, true, true, true"], first: &[(&[(78, 80)], 6), (&[(43, 44), (55, 56)], 0)], note: "" },
    Entry { id: "optimistic list 7", explain: explain::<OptimisticListAddRemove>, client: "{ add(0); add(0); remove(0) } || { remove(0) }",
        outcomes: &["true, false, true, true"], first: &[(&[(78, 80)], 0)], note: "" },
    Entry { id: "optimistic list 8", explain: explain::<OptimisticListAddRemove>, client: "{ add(0) } || { add(0); remove(1) }",
        outcomes: &["true, true, false"], first: &[(&[(51, 56)], 12), (&[(55, 56)], 0)], note: "" },
    Entry { id: "optimistic list 9", explain: explain::<OptimisticListAddRemove>, client: "{ contains(1); remove(1); add(1) } || { add(1) }",
        outcomes: &["false, false, true, true"], first: &[(&[(51, 56)], 27)], note: "" },
    Entry { id: "tree 1", explain: explain::<LogicalOrderingTreeAdd>, client: "{ put(1, 0) } || { put(1, 1); remove(1, 1) }",
        outcomes: &["1, nil, true"], first: &[(&[PUT, UNLINK], 0)], note: "" },
    Entry { id: "tree 2", explain: explain::<LogicalOrderingTreeAdd>, client: "{ remove(1, 1); remove(0, 1) } || { put(1, 1); put(1, 0) }",
        outcomes: &["true, false, nil, 1"], first: &[(&[PUT, UNLINK], 0), (&[(289, 290)], 0), (&[(290, 293), (423, 430)], 0)], note: "" },
    Entry { id: "tree 3", explain: explain::<LogicalOrderingTreeAdd>, client: "{ remove(0, 0); remove(1, 0) } || { put(0, 0); put(0, 1) }",
        outcomes: &["true, false, nil, 0"], first: &[(&[PUT, UNLINK], 0), (&[(289, 290)], 0), (&[(290, 293), (423, 430)], 0)], note: "" },
    Entry { id: "tree 4", explain: explain::<LogicalOrderingTreeRemove>, client: "{ put(1, 0); put(0, 0); remove(0, 0) } || { remove(1, 0) }",
        outcomes: &["nil, nil, false, true"], first: &[(&[(436, 445)], 6)], note: "" },
    Entry { id: "tree 5", explain: explain::<LogicalOrderingTreeRemove>, client: "{ put(1, 0); remove(1, 0) } || { remove(1, 0) }",
        outcomes: &["nil, true, true"], first: &[(&[(436, 451)], 0), (&[(436, 450)], 0)], note: "" },
    Entry { id: "tree 6", explain: explain::<LogicalOrderingTreeRemove>, client: "{ put(0, 1); remove(0, 1); remove(0, 0) } || { remove(0, 1) }",
        outcomes: &["nil, true, false, true"], first: &[(&[(436, 450)], 0), (&[(430, 436)], 0)], note: "" },
    Entry { id: "tree 7", explain: explain::<LogicalOrderingTreeAddRemove>, client: "{ put(0, 1); remove(0, 1) } || { put(0, 0) }",
        outcomes: &["nil, true, 1"], first: &[(&[PUT, UNLINK], 0)], note: "" },
    Entry { id: "tree 8", explain: explain::<LogicalOrderingTreeAddRemove>, client: "{ remove(1, 0) } || { put(1, 0); put(1, 1); put(1, 0) }",
        outcomes: &["true, nil, 0, nil"], first: &[(&[(430, 436)], 30)],
        note: "[430, 436] is an eliminator here, too, but others disable fewer right executions: whether a set is ranked before \
            another depends on which executions are counted" },
    Entry { id: "tree 9", explain: explain::<LogicalOrderingTreeAddRemove>, client: "{ remove(1, 0); put(0, 1) } || { put(0, 0); remove(0, 0) }",
        outcomes: &["false, 0, nil, true"], first: &[(&[PUT, UNLINK], 0)], note: "" },
];

/// The stack of figure 1 and its client of figure 2: `pop` comes before `push`.
pub static FIGURE_1: Entry = Entry {
    id: "figure 1",
    explain: explain::<ArrayStack>,
    client: "{ push(1) } || { push(2); pop() } || { pop() }",
    outcomes: &["nil, nil, 2, 2"],
    first: &[(&[(8, 9)], 0)],
    note: "",
};

/// A row, run.
pub struct Ran {
    /// The row of the tables.
    pub entry: &'static Entry,
    /// What came out.
    pub explanation: Explanation,
    /// How long it took, exploration and races included.
    pub elapsed: Duration,
}

/// Runs a row.
pub fn run(entry: &'static Entry) -> Ran {
    let start = Instant::now();
    let explanation = (entry.explain)(entry.client);
    Ran { entry, explanation, elapsed: start.elapsed() }
}

impl Ran {
    /// Does the client have all the outcomes of table 1, and are they wrong?
    pub fn has_outcomes(&self) -> bool {
        let wrong: Vec<String> = self.explanation.explored.wrong.keys().map(ToString::to_string).collect();
        self.entry.outcomes.iter().all(|outcome| wrong.iter().any(|other| other == outcome))
    }

    /// Is a set that the paper ranks first ranked first here, for some failing execution?
    pub fn has_first(&self) -> bool {
        let mut best = self.explanation.rankings.iter().flat_map(first);
        best.any(|ranked| {
            self.entry.first.iter().any(|(lines, _)| in_paper(&ranked.sections).as_deref() == Some(*lines))
        })
    }

    /// The eliminators of the failing executions that have most of them, in lines of the paper; `None` for other lines.
    pub fn longest_ranking(&self) -> Vec<Option<Vec<Lines>>> {
        let longest = self.explanation.rankings.iter().max_by_key(|ranking| ranking.ranked.len());
        longest.map_or(Vec::new(), |ranking| ranking.ranked.iter().map(|ranked| in_paper(&ranked.sections)).collect())
    }

    /// The row next to the paper's.
    pub fn row(&self) -> Row {
        let paper: Vec<String> =
            self.entry.first.iter().map(|(lines, disabled)| format!("{} → {disabled}", shown(lines))).collect();
        let mut best: Vec<String> = Vec::new();
        for ranked in self.explanation.rankings.iter().flat_map(first) {
            let text = format!("{} → {}", told(&ranked.sections), ranked.disables);
            if !best.contains(&text) {
                best.push(text);
            }
        }
        let cause = &self.explanation.cause;
        let ours = format!(
            "{} of {} wrong; {}; cause {} → {}, {}",
            cause.violating,
            cause.violating + cause.linearizable,
            best.join(" or "),
            told(&cause.sections),
            cause.disables,
            self.explanation.verification(),
        );
        let agrees = Some(self.has_outcomes() && self.has_first());
        Row { id: self.entry.id.to_owned(), paper: paper.join(" or "), ours, agrees }
    }
}

/// The eliminators that share the first rank.
fn first(ranking: &Ranking) -> impl Iterator<Item = &Ranked> {
    let best = ranking.ranked.first().map(|ranked| ranked.disables);
    ranking.ranked.iter().filter(move |ranked| Some(ranked.disables) == best)
}

/// Sections in lines of the paper, if they begin and end in such.
fn in_paper(sections: &Sections) -> Option<Vec<Lines>> {
    let mut lines = sections.iter().map(section_in_paper).collect::<Option<Vec<Lines>>>()?;
    lines.sort();
    Some(lines)
}

fn section_in_paper(section: &Section) -> Option<Lines> {
    match section.extent {
        Extent::Lines { file, first, last } => Some((paper_line(file, first)?, paper_line(file, last)?)),
        Extent::Whole => None,
    }
}

fn shown(lines: &[Lines]) -> String {
    let all: Vec<String> = lines.iter().map(|(first, last)| format!("[{first}, {last}]")).collect();
    all.join(" + ")
}

fn told(sections: &Sections) -> String {
    let all: Vec<String> = sections
        .iter()
        .map(|section| section_in_paper(section).map_or_else(|| section.to_string(), |lines| shown(&[lines])))
        .collect();
    all.join(" + ")
}

/// All rows, figure 1 first.
pub fn rows() -> Vec<Row> {
    entries().map(|entry| run(entry).row()).collect()
}

/// What there are rows for.
fn entries() -> impl Iterator<Item = &'static Entry> {
    [&FIGURE_1].into_iter().chain(&ENTRIES)
}

/// The table as text, with notes on the differences.
pub fn table(rows: &[Row]) -> String {
    let mut text = render(rows);
    for (row, entry) in rows.iter().zip(entries()) {
        if row.agrees == Some(false) && !entry.note.is_empty() {
            text.push_str(&format!("\n{}: {}.\n", entry.id, entry.note));
        }
    }
    text
}
