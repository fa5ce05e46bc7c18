//! Critical race sequences: `(Wg|Bg)*(Bg|G)` on the way from the root to a wrong end.
//!
//! A race is a node at which several threads may go on. It is critical if the win of one of them makes all ends right, or all
//! wrong, and the win of another does not. On the way to a wrong end, a sequence has all races that are critical, and ends
//! with the one whose outcome leaves no end that is right.

use std::collections::HashMap;
use std::fmt;

use linchpin_graph::Verb;

use crate::trace::Place;
use crate::tree::build::{Edge, Node, Tree};
use crate::tree::label::Label;

/// What a thread would do if it won a race, and what comes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The thread, numbered from 1 on.
    pub thread: usize,
    /// What it would do.
    pub verb: Verb,
    /// Where in the source.
    pub place: Place,
    /// Which location it would access; numbers say which are the same.
    pub location: Option<usize>,
    /// Would it write?
    pub is_write: bool,
    /// What comes of it.
    pub label: Label,
}

/// A race that decides something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// What it decides.
    pub label: Label,
    /// Those who compete.
    pub choices: Vec<Choice>,
    /// Who wins on this way, as a place in `choices`.
    pub winner: usize,
}

/// The critical races on some ways to wrong ends, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The races. Their labels have the form `(Wg|Bg)*(Bg|G)`.
    pub races: Vec<Race>,
}

impl Sequence {
    /// The labels, as the paper writes them: `Wg Wg G`.
    pub fn pattern(&self) -> String {
        let labels: Vec<String> = self.races.iter().map(|race| race.label.to_string()).collect();
        labels.join(" ")
    }

    /// The lines of those who compete, each once.
    pub fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> =
            self.races.iter().flat_map(|race| race.choices.iter().map(|choice| choice.place)).collect();
        places.sort();
        places.dedup();
        places
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern())
    }
}

/// A sequence of labels, by number: a label and the number of the rest.
#[derive(Default)]
struct Words {
    list: Vec<(Label, Option<usize>)>,
    lengths: Vec<usize>,
    numbers: HashMap<(Label, Option<usize>), usize>,
}

impl Words {
    fn put(&mut self, label: Label, rest: Option<usize>) -> usize {
        let fresh = self.list.len();
        let number = *self.numbers.entry((label, rest)).or_insert(fresh);
        if number == fresh {
            self.list.push((label, rest));
            self.lengths.push(1 + rest.map_or(0, |rest| self.lengths[rest]));
        }
        number
    }

    /// The labels of a word.
    fn labels(&self, word: usize) -> impl Iterator<Item = Label> {
        let mut next = Some(word);
        std::iter::from_fn(move || {
            let (label, rest) = self.list[next?];
            next = rest;
            Some(label)
        })
    }
}

impl Tree<'_> {
    /// At most so many critical race sequences with different labels, the shortest first; of each pattern one.
    pub fn sequences(&self, most: usize) -> Vec<Sequence> {
        let Some(root) = self.root else { return Vec::new() };
        let mut words = Words::default();
        // For each node the patterns of the ways from there to wrong ends. Children have smaller numbers.
        let mut patterns: Vec<Vec<usize>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut own: Vec<usize> = Vec::new();
            for edge in node.edges.iter().filter(|_| node.label.is_grey()) {
                let rests = &patterns[edge.node];
                match self.part_of(node, edge) {
                    Part::None => {}
                    Part::Last => own.push(words.put(node.label, None)),
                    Part::Passed => own.extend(rests),
                    Part::Race => own.extend(rests.iter().map(|&rest| words.put(node.label, Some(rest)))),
                }
            }
            own.sort_by_cached_key(|&word| (words.lengths[word], words.labels(word).collect::<Vec<_>>()));
            own.dedup();
            own.truncate(most);
            patterns.push(own);
        }
        patterns[root].iter().map(|&word| self.walk(&words, &patterns, root, word)).collect()
    }

    /// The races of one way that has this pattern.
    fn walk(&self, words: &Words, patterns: &[Vec<usize>], mut at: usize, mut word: usize) -> Sequence {
        let mut races = Vec::new();
        loop {
            let node = &self.nodes[at];
            let (label, rest) = words.list[word];
            let leads_on = |edge: &Edge| match self.part_of(node, edge) {
                Part::None => false,
                Part::Last => label == node.label && rest.is_none(),
                Part::Passed => patterns[edge.node].contains(&word),
                Part::Race => label == node.label && rest.is_some_and(|rest| patterns[edge.node].contains(&rest)),
            };
            let winner = node.edges.iter().position(leads_on).expect("the pattern came from there");
            let edge = &node.edges[winner];
            match self.part_of(node, edge) {
                Part::Last | Part::Race => races.push(self.race(node, winner)),
                Part::Passed | Part::None => {}
            }
            at = edge.node;
            match (self.part_of(node, edge), rest) {
                (Part::Last, _) => return Sequence { races },
                (Part::Race, Some(rest)) => word = rest,
                _ => {}
            }
        }
    }

    /// What a step means for a way to a wrong end.
    fn part_of(&self, node: &Node, edge: &Edge) -> Part {
        let after = self.nodes[edge.node].label;
        match (node.label, after) {
            (_, Label::W) => Part::None,
            _ if node.edges.len() == 1 => Part::Passed,
            (_, Label::B) => Part::Last,
            (Label::Gg, _) => Part::Passed,
            _ => Part::Race,
        }
    }

    fn race(&self, node: &Node, winner: usize) -> Race {
        let choice = |edge: &Edge| {
            let step = self.program.threads[edge.thread][edge.point].step.expect("only the start has none");
            Choice {
                thread: edge.thread,
                verb: step.verb,
                place: step.site.into(),
                location: step.location,
                is_write: step.is_write(),
                label: self.nodes[edge.node].label,
            }
        };
        Race { label: node.label, choices: node.edges.iter().map(choice).collect(), winner }
    }
}

enum Part {
    /// It leads to right ends only.
    None,
    /// It decides that the end is wrong.
    Last,
    /// It is not critical.
    Passed,
    /// It is critical, and others follow.
    Race,
}
