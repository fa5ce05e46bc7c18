//! The tree, with nodes merged that have the same future.

use std::collections::HashMap;

use linchpin_model::Value;

use crate::eliminate::Sections;
use crate::trace::Accesses;
use crate::tree::label::Label;
use crate::tree::program::{Content, Program};

/// Says whether an interleaving is right: what its invocations returned, in the order of the text, and whether one had returned
/// before another was called. The latter is told of invocations of the client's threads only.
pub type Judge<'a> = dyn Fn(&[Value], &dyn Fn(usize, usize) -> bool) -> bool + 'a;

/// How the tree is built.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Leave out branches where they change nothing but the order of steps that have nothing to do with each other: a thread
    /// goes on alone if its next access conflicts with nothing that the others may still do.
    pub reduce: bool,
    /// Give up when there are more nodes than this.
    pub max_nodes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { reduce: true, max_nodes: 1_000_000 }
    }
}

/// A step of a thread from one node to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub thread: usize,
    /// Where it leads in the thread's own run.
    pub point: usize,
    pub node: usize,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub label: Label,
    /// Ends below that are right, and that are wrong.
    pub right: u128,
    pub wrong: u128,
    /// Steps after which there is an end.
    pub edges: Vec<Edge>,
}

/// The interleaving tree of a client.
#[derive(Debug)]
pub struct Tree<'a> {
    pub(crate) program: &'a Program,
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Option<usize>,
}

/// A point of some interleavings. Whoever agrees on it has the same future.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// Where each thread is.
    at: Vec<usize>,
    /// What each location holds, by number; 0 if nobody has written it.
    memory: Vec<u32>,
    /// Invocations that have returned.
    returned: u64,
    /// For each invocation that was called, those that had returned before.
    before: Vec<u64>,
}

/// There are more nodes than was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TooLarge;

struct Builder<'a> {
    program: &'a Program,
    /// For each point of each thread: is the thread in the middle of an atomic section there?
    inside: Vec<Vec<bool>>,
    options: Options,
    judge: &'a Judge<'a>,
    nodes: Vec<Node>,
    /// Nodes by state; `None` if no end comes after it: whatever its threads do, they wait for ever.
    known: HashMap<State, Option<usize>>,
    contents: Vec<Content>,
    numbers: HashMap<Content, u32>,
    verdicts: HashMap<(Vec<usize>, Vec<u64>), bool>,
}

impl Program {
    /// The interleaving tree of the client. `None`: it has more nodes than the options allow, or more than 64 invocations.
    ///
    /// The executions that the program is made from must be all executions of the client; of those that are missing, the tree
    /// has no branches.
    pub fn tree<'a>(&'a self, options: Options, judge: &'a Judge<'a>) -> Option<Tree<'a>> {
        self.tree_under(&Sections::default(), Accesses::Memory, options, judge)
    }

    /// As [`tree`](Self::tree), with these sections really atomic: while a thread is in one, no other thread makes a step.
    ///
    /// A thread that waits for a lock within a section waits for ever. What it would do then is no part of the tree.
    pub fn tree_under<'a>(
        &'a self,
        sections: &Sections,
        accesses: Accesses,
        options: Options,
        judge: &'a Judge<'a>,
    ) -> Option<Tree<'a>> {
        if self.invocations() > u64::BITS as usize {
            return None;
        }
        let mut builder = Builder {
            program: self,
            inside: self.inside(sections, accesses),
            options,
            judge,
            nodes: Vec::new(),
            known: HashMap::new(),
            contents: Vec::new(),
            numbers: HashMap::new(),
            verdicts: HashMap::new(),
        };
        let mut start = State {
            at: vec![0; self.threads.len()],
            memory: vec![0; self.locations()],
            returned: 0,
            before: vec![0; self.invocations()],
        };
        // Until all threads are there, the main one is alone.
        while Some(start.at[0]) != self.spawned {
            let point = *builder.next(&start, 0).first()?;
            builder.advance(&mut start, 0, point);
        }
        for thread in 1..self.threads.len() {
            builder.note(&mut start, thread, 0);
        }
        let root = builder.node(start).ok()?;
        Some(Tree { program: self, nodes: builder.nodes, root })
    }
}

impl Builder<'_> {
    /// The node of a state, with all that is below.
    fn node(&mut self, state: State) -> Result<Option<usize>, TooLarge> {
        if let Some(&known) = self.known.get(&state) {
            return Ok(known);
        }
        let program = self.program;
        let has_ended = |thread: usize| program.threads[thread][state.at[thread]].children.is_empty();
        let node = if (1..state.at.len()).all(has_ended) { self.end(&state) } else { self.branch(&state)? };
        let number = node.map(|node| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        if self.nodes.len() > self.options.max_nodes {
            return Err(TooLarge);
        }
        self.known.insert(state, number);
        Ok(number)
    }

    /// A node at which some threads have something to do.
    fn branch(&mut self, state: &State) -> Result<Option<Node>, TooLarge> {
        let steps: Vec<(usize, Vec<usize>)> =
            (1..state.at.len()).map(|thread| (thread, self.next(state, thread))).collect();
        let is_inside = |(thread, _): &&(usize, Vec<usize>)| self.inside[*thread][state.at[*thread]];
        let alone = steps.iter().find(is_inside).or_else(|| {
            steps.iter().find(|(thread, points)| {
                self.options.reduce && !points.is_empty() && self.is_independent(state, *thread, points)
            })
        });
        let taken = alone.map_or(&steps[..], std::slice::from_ref);
        let mut node = Node { label: Label::W, right: 0, wrong: 0, edges: Vec::new() };
        for (thread, points) in taken {
            for &point in points {
                let mut after = state.clone();
                self.advance(&mut after, *thread, point);
                let Some(child) = self.node(after)? else { continue };
                node.right += self.nodes[child].right;
                node.wrong += self.nodes[child].wrong;
                node.edges.push(Edge { thread: *thread, point, node: child });
            }
        }
        if node.edges.is_empty() {
            return Ok(None);
        }
        node.label = Label::of(node.edges.iter().map(|edge| self.nodes[edge.node].label));
        Ok(Some(node))
    }

    /// The end of an interleaving: the main thread is alone again.
    fn end(&mut self, state: &State) -> Option<Node> {
        let mut last = state.clone();
        while !self.program.threads[0][last.at[0]].children.is_empty() {
            let point = *self.next(&last, 0).first()?;
            self.advance(&mut last, 0, point);
        }
        let key = (last.at, last.before);
        let is_right = match self.verdicts.get(&key) {
            Some(&known) => known,
            None => {
                let is_right = self.judge(&key.0, &key.1);
                self.verdicts.insert(key, is_right);
                is_right
            }
        };
        let label = if is_right { Label::W } else { Label::B };
        Some(Node { label, right: is_right.into(), wrong: (!is_right).into(), edges: Vec::new() })
    }

    fn judge(&self, at: &[usize], before: &[u64]) -> bool {
        let mut outcome = vec![Value::Nil; self.program.invocations()];
        for (points, &last) in self.program.threads.iter().zip(at) {
            let mut point = last;
            loop {
                for (invocation, result) in &points[point].results {
                    outcome[*invocation] = result.clone();
                }
                if point == points[point].parent {
                    break;
                }
                point = points[point].parent;
            }
        }
        (self.judge)(&outcome, &|first, second| before[second] >> first & 1 == 1)
    }

    /// Where a thread may go.
    fn next(&self, state: &State, thread: usize) -> Vec<usize> {
        let content = |location: usize| match state.memory[location] {
            0 => None,
            number => Some(self.contents[number as usize - 1]),
        };
        self.program.next(&state.at, thread, content)
    }

    /// Does the next access of a thread, wherever it leads, conflict with nothing that the others may still do?
    fn is_independent(&self, state: &State, thread: usize, points: &[usize]) -> bool {
        let others = (1..state.at.len()).filter(|&other| other != thread);
        let futures = || others.clone().map(|other| &self.program.threads[other][state.at[other]]);
        points.iter().all(|&point| {
            // Once it is in a section, others have to wait: they may want to be first.
            if self.inside[thread][point] {
                return false;
            }
            let Some(step) = &self.program.threads[thread][point].step else { return true };
            let Some(location) = step.location else { return true };
            !futures().any(|future| match step.is_write() {
                true => future.accessed.contains(location),
                false => future.written.contains(location),
            })
        })
    }

    /// A thread makes a step.
    fn advance(&mut self, state: &mut State, thread: usize, point: usize) {
        if let Some((location, content)) = self.program.write(thread, point) {
            let fresh = self.contents.len() as u32 + 1;
            let number = *self.numbers.entry(content).or_insert(fresh);
            if number == fresh {
                self.contents.push(content);
            }
            state.memory[location] = number;
        }
        self.note(state, thread, point);
        state.at[thread] = point;
    }

    /// Notes what is called and what returns at a point. What the main thread calls comes before or after all else.
    fn note(&mut self, state: &mut State, thread: usize, point: usize) {
        if thread == 0 {
            return;
        }
        let point = &self.program.threads[thread][point];
        for &called in &point.calls {
            state.before[called] = state.returned;
        }
        for &returned in &point.returns {
            if !point.has_steps(returned) {
                state.before[returned] = state.returned;
            }
            state.returned |= 1 << returned;
        }
    }
}

impl Tree<'_> {
    /// How many interleavings are right.
    pub fn right(&self) -> u128 {
        self.root.map_or(0, |root| self.nodes[root].right)
    }

    /// How many interleavings are wrong.
    pub fn wrong(&self) -> u128 {
        self.root.map_or(0, |root| self.nodes[root].wrong)
    }

    /// How many nodes there are, after merging.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Does no interleaving come to an end?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The label of the point that the interleavings reach which begin with steps of these threads, numbered from 1 on. `None`:
    /// none begins so.
    pub fn label_after(&self, schedule: &[usize]) -> Option<Label> {
        let step = |node: usize, thread: &usize| {
            self.nodes[node].edges.iter().find(|edge| edge.thread == *thread).map(|edge| edge.node)
        };
        let node = schedule.iter().try_fold(self.root?, step)?;
        Some(self.nodes[node].label)
    }
}
