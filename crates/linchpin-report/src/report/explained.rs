//! Why a client fails, as plain data.

use std::collections::BTreeSet;
use std::fmt;

use linchpin_localize::eliminate::{self, Extent, Ranked};
use linchpin_localize::tree::{self, Folded, Label};
use linchpin_localize::{Explanation, Place, Verification};
use serde::{Deserialize, Serialize};

use super::{Covered, Position};
use crate::names::short;
use crate::phrase::name_of;

/// Why a client fails: what would have to be atomic, and which races decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The sections that would have to be atomic for no execution of the client to fail. None: nothing that is made atomic
    /// would change it.
    pub cause: Candidate,
    /// What is established about the cause.
    pub verification: Verified,
    /// How many executions fail,
    pub violating: u64,
    /// and how many of them whatever is atomic.
    pub left: u64,
    /// How many executions are right.
    pub linearizable: u64,
    /// Is it known that nothing costs less than the cause?
    pub is_cheapest: bool,
    /// Lines of the cause whose accesses are in functions that they call.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<Calls>,
    /// What would rule single failing executions out, the likeliest first; for the most frequent of them first.
    pub rankings: Vec<Ranking>,
    /// Failing executions that no interleaving of the threads has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weak: Option<Weak>,
    /// How many executions violate something else.
    pub otherwise: u64,
    /// How much of the client's executions was looked at.
    #[serde(flatten)]
    pub covered: Covered,
    /// The races that decide, if there are not too many interleavings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub races: Option<Races>,
}

/// A line whose accesses are in functions that it calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// The line.
    pub line: u32,
    /// Where its accesses are: `list.rs:40`.
    pub accesses: Vec<String>,
}

/// What is established about a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verified {
    /// Nothing fails that could be explained.
    NothingFails,
    /// If its sections are atomic, no execution fails.
    Yes,
    /// If its sections are atomic, no execution that was looked at fails.
    WithinBounds,
    /// Some failing executions stay possible.
    Partly,
}

/// Sections that would rule failing executions out if they were atomic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The sections.
    pub sections: Vec<Section>,
    /// How many executions that are right would be impossible, too.
    pub disables: u64,
}

/// A part of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The operation, without arguments.
    pub operation: String,
    /// The file. Without it: all of the operation.
    pub file: Option<String>,
    /// The first line.
    pub first_line: Option<u32>,
    /// The last line.
    pub last_line: Option<u32>,
}

/// What would rule some failing executions out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranking {
    /// For how many failing executions.
    pub cases: u64,
    /// The likeliest cause first.
    pub candidates: Vec<Candidate>,
    /// Were all candidates looked at?
    pub is_complete: bool,
}

/// Failing executions that no interleaving of the threads has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weak {
    /// How many there are.
    pub executions: u64,
    /// In the first of them, each of these comes before the next, and the last before the first.
    pub cycle: Vec<CyclePart>,
}

/// An access on a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CyclePart {
    /// `main`, `t1`, …
    pub thread: String,
    /// `load`, `store`, …
    pub verb: String,
    /// The memory order.
    pub order: String,
    /// Where in the source.
    pub position: Position,
}

/// What the interleaving tree shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Races {
    /// Were branches left out that only change the order of steps which have nothing to do with each other?
    pub is_reduced: bool,
    /// How many interleavings are right,
    pub right: u128,
    /// and how many are wrong.
    pub wrong: u128,
    /// Sequences of critical races on ways to wrong ends.
    pub sequences: Vec<RaceSequence>,
    /// The tree, folded: the first point is the root.
    pub tree: Vec<TreePoint>,
}

/// Critical races on a way to a wrong end, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceSequence {
    /// The labels of the races: `Wg Wg G`.
    pub pattern: String,
    /// The races.
    pub races: Vec<Race>,
}

/// A race that decides something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// Those who compete.
    pub choices: Vec<Choice>,
    /// Who wins, as a place among them.
    pub winner: usize,
}

/// What a thread would do if it won a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The step.
    #[serde(flatten)]
    pub step: TreeStep,
    /// What comes of it: `W` if all ends are right then, `B` if all are wrong, otherwise a shade of grey.
    pub label: String,
}

/// A point of the interleaving tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreePoint {
    /// `W`: all ends below are right. `B`: all are wrong. `G`, `Wg`, `Bg`, `Gg`: it depends.
    pub label: String,
    /// How many ends below are right,
    pub right: u128,
    /// and how many are wrong.
    pub wrong: u128,
    /// What threads may do here. None: all is decided, or it was left out for its depth.
    pub branches: Vec<TreeBranch>,
}

/// A choice, and what follows without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeBranch {
    /// The steps.
    pub steps: Vec<TreeStep>,
    /// The point that they lead to.
    pub point: usize,
}

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeStep {
    /// `t1`, `t2`, …
    pub thread: String,
    /// `load`, `store`, …
    pub verb: String,
    /// Where in the source.
    pub position: Position,
}

impl From<&Explanation> for Explained {
    fn from(explanation: &Explanation) -> Explained {
        let (cause, explored) = (&explanation.cause, &explanation.explored);
        let weak = explored.weak.as_ref();
        Explained {
            cause: Candidate { sections: sections(&cause.sections), disables: cause.disables },
            verification: match explanation.verification() {
                Verification::NothingFails => Verified::NothingFails,
                Verification::Verified => Verified::Yes,
                Verification::WithinBounds(_) => Verified::WithinBounds,
                Verification::Partly(_) => Verified::Partly,
            },
            violating: cause.violating + weak.map_or(0, |weak| weak.executions),
            left: cause.left + weak.map_or(0, |weak| weak.executions),
            linearizable: cause.linearizable,
            is_cheapest: cause.is_cheapest,
            calls: calls(explanation),
            rankings: explanation.rankings.iter().map(Ranking::from).collect(),
            weak: weak.map(Weak::from),
            otherwise: explored.otherwise,
            covered: Covered::from(&explored.coverage),
            races: explanation.races.as_ref().map(Races::from),
        }
    }
}

fn calls(explanation: &Explanation) -> Vec<Calls> {
    let is_in = |place: &Place, section: &eliminate::Section| match section.extent {
        Extent::Lines { file, first, last } => file == place.file && (first..=last).contains(&place.line),
        Extent::Whole => false,
    };
    let is_shown = |place: &Place| explanation.cause.sections.iter().any(|section| is_in(place, section));
    let one = |(place, own): (&Place, &BTreeSet<Place>)| Calls {
        line: place.line,
        accesses: own.iter().map(ToString::to_string).collect(),
    };
    explanation.within.iter().filter(|(place, _)| is_shown(place)).map(one).collect()
}

impl From<&eliminate::Section> for Section {
    fn from(section: &eliminate::Section) -> Section {
        let operation = section.operation.to_string();
        match section.extent {
            Extent::Lines { file, first, last } => {
                Section { operation, file: Some(file.to_owned()), first_line: Some(first), last_line: Some(last) }
            }
            Extent::Whole => Section { operation, ..Section::default() },
        }
    }
}

fn sections(sections: &eliminate::Sections) -> Vec<Section> {
    sections.iter().map(Section::from).collect()
}

fn position(place: Place) -> Position {
    Position { file: place.file.to_owned(), line: place.line, column: None }
}

impl From<&linchpin_localize::Ranking> for Ranking {
    fn from(ranking: &linchpin_localize::Ranking) -> Ranking {
        let candidate = |ranked: &Ranked| Candidate { sections: sections(&ranked.sections), disables: ranked.disables };
        Ranking {
            cases: ranking.count,
            candidates: ranking.ranked.iter().map(candidate).collect(),
            is_complete: ranking.is_complete,
        }
    }
}

impl From<&linchpin_localize::Weak> for Weak {
    fn from(weak: &linchpin_localize::Weak) -> Weak {
        let part = |id: &linchpin_graph::EventId| {
            let event = weak.example.event(*id);
            CyclePart {
                thread: short(event.thread),
                verb: name_of(event.verb).to_owned(),
                order: format!("{:?}", event.order),
                position: position(event.site.into()),
            }
        };
        Weak { executions: weak.executions, cycle: weak.reason.cycle.iter().map(part).collect() }
    }
}

impl From<&linchpin_localize::Races> for Races {
    fn from(races: &linchpin_localize::Races) -> Races {
        Races {
            is_reduced: races.is_reduced,
            right: races.right,
            wrong: races.wrong,
            sequences: races.sequences.iter().map(RaceSequence::from).collect(),
            tree: points(&races.tree),
        }
    }
}

impl From<&tree::Sequence> for RaceSequence {
    fn from(sequence: &tree::Sequence) -> RaceSequence {
        let choice = |choice: &tree::Choice| Choice {
            step: step(choice.thread, choice.verb, choice.place),
            label: choice.label.to_string(),
        };
        let race = |race: &tree::Race| Race { choices: race.choices.iter().map(choice).collect(), winner: race.winner };
        RaceSequence { pattern: sequence.pattern(), races: sequence.races.iter().map(race).collect() }
    }
}

fn step(thread: usize, verb: linchpin_graph::Verb, place: Place) -> TreeStep {
    TreeStep { thread: format!("t{thread}"), verb: name_of(verb).to_owned(), position: position(place) }
}

fn points(tree: &Folded) -> Vec<TreePoint> {
    let branch = |branch: &tree::Branch| TreeBranch {
        steps: branch.steps.iter().map(|made| step(made.thread, made.verb, made.place)).collect(),
        point: branch.point,
    };
    let point = |point: &tree::FoldedPoint| TreePoint {
        label: point.label.to_string(),
        right: point.right,
        wrong: point.wrong,
        branches: point.branches.iter().map(branch).collect(),
    };
    tree.points.iter().map(point).collect()
}

impl Choice {
    /// Are all ends right after it?
    pub fn is_right(&self) -> bool {
        self.label == Label::W.to_string()
    }

    /// Are all ends wrong after it?
    pub fn is_wrong(&self) -> bool {
        self.label == Label::B.to_string()
    }
}

/// `pop src/stack.rs:8-9`
impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.first_line, self.last_line) {
            (Some(file), Some(first), Some(last)) if first == last => write!(f, "{} {file}:{first}", self.operation),
            (Some(file), Some(first), Some(last)) => write!(f, "{} {file}:{first}-{last}", self.operation),
            _ => write!(f, "all of {}", self.operation),
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections: Vec<String> = self.sections.iter().map(ToString::to_string).collect();
        f.write_str(&sections.join(" and "))
    }
}
