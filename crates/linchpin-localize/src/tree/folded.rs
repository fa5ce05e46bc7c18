//! The tree as a person wants to see it: what is decided is one leaf, steps without a choice are one edge.

use std::collections::{HashMap, VecDeque};

use linchpin_graph::Verb;

use crate::trace::Place;
use crate::tree::build::{Edge, Tree};
use crate::tree::label::Label;

/// The interleaving tree, folded. Below a point at which all ends are right, or all are wrong, nothing is shown; steps between
/// which nobody has a choice are one branch. Points with the same future are one, so it is a graph without cycles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folded {
    /// The points; the first is where the first choice is. None: no interleaving comes to an end.
    pub points: Vec<FoldedPoint>,
}

/// A point of some interleavings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedPoint {
    /// What the ends below are like.
    pub label: Label,
    /// How many ends below are right,
    pub right: u128,
    /// and how many are wrong.
    pub wrong: u128,
    /// What threads may do here. None at a point where all is decided, or which was left out for its depth.
    pub branches: Vec<Branch>,
}

/// Steps of threads from one point to another: a choice, and what follows without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The steps.
    pub steps: Vec<FoldedStep>,
    /// The point that they lead to.
    pub point: usize,
}

/// A step of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedStep {
    /// The thread, numbered from 1 on.
    pub thread: usize,
    /// What it does.
    pub verb: Verb,
    /// Where in the source.
    pub place: Place,
}

impl Tree<'_> {
    /// The tree, folded. Of more than `most` points, those that are nearest to the root have their branches.
    pub fn folded(&self, most: usize) -> Folded {
        let Some(root) = self.root else { return Folded::default() };
        let mut folded = Folded::default();
        let mut numbers = HashMap::new();
        let mut queue = VecDeque::new();
        let mut number_of = |node: usize, folded: &mut Folded, queue: &mut VecDeque<(usize, usize)>| {
            *numbers.entry(node).or_insert_with(|| {
                let shown = &self.nodes[node];
                let (label, right, wrong) = (shown.label, shown.right, shown.wrong);
                folded.points.push(FoldedPoint { label, right, wrong, branches: Vec::new() });
                queue.push_back((node, folded.points.len() - 1));
                folded.points.len() - 1
            })
        };
        number_of(self.past_no_choice(root, &mut Vec::new()), &mut folded, &mut queue);
        while let Some((node, number)) = queue.pop_front() {
            if !self.nodes[node].label.is_grey() || folded.points.len() > most {
                continue;
            }
            for edge in &self.nodes[node].edges {
                let mut steps = vec![self.step(edge)];
                let end = self.past_no_choice(edge.node, &mut steps);
                let point = number_of(end, &mut folded, &mut queue);
                folded.points[number].branches.push(Branch { steps, point });
            }
        }
        folded
    }

    /// The first node from here on at which there is a choice that matters; the steps up to there are added.
    fn past_no_choice(&self, mut node: usize, steps: &mut Vec<FoldedStep>) -> usize {
        while let ([only], true) = (&self.nodes[node].edges[..], self.nodes[node].label.is_grey()) {
            steps.push(self.step(only));
            node = only.node;
        }
        node
    }

    fn step(&self, edge: &Edge) -> FoldedStep {
        let step = self.program.threads[edge.thread][edge.point].step.expect("only the start has none");
        FoldedStep { thread: edge.thread, verb: step.verb, place: step.site.into() }
    }
}
