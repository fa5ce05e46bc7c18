//! Structure trees: how many steps a thread's code takes, and how many are left.
//!
//! PCT has to know k, the number of steps of a run. D-PCT (Zhang and others' CGVT) takes it from the structure of the code:
//! sequential units, loop units, and selection units with their branches. The sum of a tree takes each loop as often as it
//! was seen to go round, and of each selection the longest branch. A run that goes round more often, or comes to code
//! that the tree does not have, leaves the assumption; what is left is then estimated anew.
//!
//! The paper's trees are written by hand, one per operation. Here one is learnt for each thread of the test from the
//! source positions at which it made its steps in some runs: a position that recurs is the head of a loop, and where two
//! runs go different ways there is a selection. Branches are not joined again: what follows is part of each, which
//! changes no sum. Where operations are marked, each has a tree of its own within that of its thread.

use linchpin_graph::Site;

use crate::loops::same_site;

/// Where a thread makes a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// At this position of the source.
    Source(Site),
    /// Where it calls the operation with this tag.
    Call(u64),
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::Source(left), Place::Source(right)) => same_site(left, right),
            (Place::Call(left), Place::Call(right)) => left == right,
            _ => false,
        }
    }
}

/// A part of a thread's code.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit {
    /// So many steps, one after the other.
    Steps(u32),
    /// One step, at this position of the source.
    At(Site),
    /// One step, at which the operation with this tag is called.
    Call(u64),
    /// The body, so many times.
    Loop {
        /// How often it is assumed to go round.
        times: u32,
        /// What is in it.
        body: Vec<Unit>,
    },
    /// One of these branches.
    Select(Vec<Vec<Unit>>),
}

/// How many steps the units take: every loop as often as assumed, of every selection the longest branch.
pub(crate) fn sum(units: &[Unit]) -> u64 {
    let of_unit = |unit: &Unit| match unit {
        Unit::Steps(steps) => u64::from(*steps),
        Unit::At(_) | Unit::Call(_) => 1,
        Unit::Loop { times, body } => u64::from(*times) * sum(body),
        Unit::Select(branches) => branches.iter().map(|branch| sum(branch)).max().unwrap_or(0),
    };
    units.iter().map(of_unit).sum()
}

/// The structure of code that was seen to take these ways.
pub(crate) fn learn(ways: &[Vec<Place>]) -> Vec<Unit> {
    let calls_of = |way: &Vec<Place>| -> Vec<Place> {
        way.iter().copied().filter(|place| matches!(place, Place::Call(_))).collect()
    };
    let calls = ways.iter().map(calls_of).max_by_key(Vec::len).unwrap_or_default();
    // A run that came to an early end has fewer calls.
    if !ways.iter().all(|way| calls.starts_with(&calls_of(way))) {
        return learn_stretch(ways.iter().map(Vec::as_slice).collect());
    }
    let mut stretches: Vec<Vec<&[Place]>> = vec![Vec::new(); calls.len() + 1];
    for way in ways {
        for (number, stretch) in way.split(|place| matches!(place, Place::Call(_))).enumerate() {
            stretches[number].push(stretch);
        }
    }
    let mut units = Vec::new();
    for (number, stretch) in stretches.into_iter().enumerate() {
        units.extend(number.checked_sub(1).map(|call| unit_at(calls[call])));
        units.extend(learn_stretch(stretch));
    }
    units
}

fn unit_at(place: Place) -> Unit {
    match place {
        Place::Source(site) => Unit::At(site),
        Place::Call(tag) => Unit::Call(tag),
    }
}

/// The structure of an operation, or of code that has none.
fn learn_stretch(mut ways: Vec<&[Place]>) -> Vec<Unit> {
    let mut units = Vec::new();
    loop {
        let Some(&head) = ways.iter().find_map(|way| way.first()) else {
            return units;
        };
        if !ways.iter().all(|way| way.first() == Some(&head)) {
            units.push(Unit::Select(branches(ways)));
            return units;
        }
        if ways.iter().any(|way| way[1..].contains(&head)) {
            let (unit, tails) = learn_loop(&ways, head);
            units.push(unit);
            ways = tails;
        } else {
            units.push(unit_at(head));
            ways.iter_mut().for_each(|way| *way = &way[1..]);
        }
    }
}

/// What begins alike belongs to one branch.
fn branches(mut ways: Vec<&[Place]>) -> Vec<Vec<Unit>> {
    let mut branches = Vec::new();
    while let Some(&first) = ways.first() {
        let (alike, others) = ways.into_iter().partition(|way| way.first() == first.first());
        branches.push(learn_stretch(alike));
        ways = others;
    }
    branches
}

/// The loop whose rounds begin with `head`, as all ways do, and what comes after it. The last round has no end of its own: it
/// goes as far as there are places that other rounds have.
fn learn_loop<'a>(ways: &[&'a [Place]], head: Place) -> (Unit, Vec<&'a [Place]>) {
    let (mut rounds, mut last_rounds) = (Vec::new(), Vec::new());
    let mut times = 0;
    for way in ways {
        let mut of_way: Vec<&[Place]> = way[1..].split(|&place| place == head).collect();
        times = times.max(of_way.len() as u32);
        last_rounds.extend(of_way.pop());
        rounds.extend(of_way);
    }
    let mut inside: Vec<Place> = Vec::new();
    for &place in rounds.iter().copied().flatten() {
        if !inside.contains(&place) {
            inside.push(place);
        }
    }
    let mut tails = Vec::new();
    for last in last_rounds {
        let end = last.iter().position(|place| !inside.contains(place)).unwrap_or(last.len());
        let (round, tail) = last.split_at(end);
        rounds.push(round);
        tails.push(tail);
    }
    let mut body = vec![unit_at(head)];
    body.extend(learn_stretch(rounds));
    (Unit::Loop { times, body }, tails)
}

/// A tree in which a place is found by number.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The root is the first.
    lists: Vec<List>,
}

#[derive(Debug, Default)]
struct List {
    nodes: Vec<Node>,
    /// How many steps there are from each node on; 0 at the end.
    left: Vec<u64>,
}

#[derive(Debug)]
enum Node {
    Steps,
    At(Place),
    Loop { times: u32, body: usize },
    Select(Vec<usize>),
}

impl Tree {
    pub fn new(units: &[Unit]) -> Tree {
        let mut tree = Tree { lists: Vec::new() };
        tree.add(units);
        tree
    }

    fn add(&mut self, units: &[Unit]) -> usize {
        let number = self.lists.len();
        self.lists.push(List::default());
        let nodes = units.iter().map(|unit| match unit {
            Unit::Steps(_) => Node::Steps,
            Unit::At(site) => Node::At(Place::Source(site)),
            Unit::Call(tag) => Node::At(Place::Call(*tag)),
            Unit::Loop { times, body } => Node::Loop { times: *times, body: self.add(body) },
            Unit::Select(branches) => Node::Select(branches.iter().map(|branch| self.add(branch)).collect()),
        });
        let nodes = nodes.collect();
        let left = (0..=units.len()).map(|from| sum(&units[from..])).collect();
        self.lists[number] = List { nodes, left };
        number
    }

    /// May a step at `place` be the first of the list, from node `from` on?
    fn begins(&self, list: usize, from: usize, place: Place) -> bool {
        match self.lists[list].nodes.get(from) {
            None | Some(Node::Steps) => false,
            Some(Node::At(at)) => *at == place,
            Some(Node::Loop { body, .. }) => self.begins(*body, 0, place),
            Some(Node::Select(branches)) => {
                let is_empty = |branch: &usize| self.lists[*branch].nodes.is_empty();
                branches.iter().any(|&branch| self.begins(branch, 0, place))
                    || (branches.iter().any(is_empty) && self.begins(list, from + 1, place))
            }
        }
    }
}

/// The trees of all threads, by number.
#[derive(Debug)]
pub(crate) struct Trees {
    known: Vec<Tree>,
    /// For threads that nothing is known of.
    empty: Tree,
}

impl Trees {
    pub fn new<'a>(units: impl IntoIterator<Item = &'a Vec<Unit>>) -> Trees {
        Trees { known: units.into_iter().map(|units| Tree::new(units)).collect(), empty: Tree::new(&[]) }
    }

    /// Where the threads are at first.
    pub fn cursors(&self) -> Vec<Cursor> {
        self.known.iter().map(Cursor::new).collect()
    }

    /// `thread` makes a step at `place`. Threads that nothing is known of have left the assumption when they appear.
    pub fn step(&self, cursors: &mut Vec<Cursor>, thread: usize, place: Place) -> Assumption {
        if cursors.len() <= thread {
            cursors.resize(thread + 1, Cursor::new(&self.empty));
        }
        cursors[thread].step(self.known.get(thread).unwrap_or(&self.empty), place)
    }
}

/// Where a thread is in its tree.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    /// From the root to the innermost list; none if it has no place in the tree.
    frames: Vec<Frame>,
    /// How many steps it has made.
    done: u64,
    /// How many steps are assumed to be left.
    left: u64,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    list: usize,
    at: usize,
    /// Of a loop's body: how many more rounds are assumed, and how many there have been.
    rounds: Option<(u32, u32)>,
}

/// Was a step within what was assumed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assumption {
    Holds,
    IsLeft,
}

impl Cursor {
    pub fn new(tree: &Tree) -> Cursor {
        Cursor { frames: vec![Frame { list: 0, at: 0, rounds: None }], done: 0, left: tree.lists[0].left[0] }
    }

    /// How many steps are assumed to be left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The thread has ended.
    pub fn end(&mut self) {
        self.left = 0;
    }

    /// The thread makes a step at `place`.
    pub fn step(&mut self, tree: &Tree, place: Place) -> Assumption {
        self.done += 1;
        let mut assumption = Assumption::Holds;
        let mut is_lost = false;
        while let Some(frame) = self.frames.last_mut() {
            let Frame { list, at, rounds } = *frame;
            let nodes = &tree.lists[list].nodes;
            match nodes.get(at) {
                Some(Node::At(expected)) if *expected == place => {
                    frame.at += 1;
                    self.left = self.sum(tree);
                    return assumption;
                }
                // A declared tree does not say where its steps are: they are counted.
                Some(Node::Steps) => self.frames.clear(),
                Some(&Node::Loop { times, body }) if tree.begins(body, 0, place) => {
                    frame.at += 1;
                    self.frames.push(Frame { list: body, at: 0, rounds: Some((times.saturating_sub(1), 1)) });
                }
                Some(Node::Select(branches)) => {
                    let branch = branches.iter().copied().find(|&branch| tree.begins(branch, 0, place));
                    let may_be_skipped = branches.iter().any(|&branch| tree.lists[branch].nodes.is_empty());
                    match branch {
                        Some(list) => {
                            frame.at += 1;
                            self.frames.push(Frame { list, at: 0, rounds: None });
                        }
                        None if may_be_skipped => frame.at += 1,
                        None => {
                            is_lost = true;
                            self.frames.clear();
                        }
                    }
                }
                Some(Node::At(_) | Node::Loop { .. }) => {
                    is_lost = true;
                    self.frames.clear();
                }
                None => match rounds {
                    Some((more, done)) if tree.begins(list, 0, place) => {
                        let more = more.checked_sub(1).unwrap_or_else(|| {
                            // It goes round more often than assumed: as often again, then.
                            assumption = Assumption::IsLeft;
                            done
                        });
                        *frame = Frame { list, at: 0, rounds: Some((more, done + 1)) };
                    }
                    _ => drop(self.frames.pop()),
                },
            }
        }
        let counted = self.count();
        if is_lost { Assumption::IsLeft } else { counted }
    }

    /// A step that has no place in the tree: one less is left, or if none was, as many again as there have been.
    fn count(&mut self) -> Assumption {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Assumption::Holds
            }
            None => {
                self.left = self.done;
                Assumption::IsLeft
            }
        }
    }

    fn sum(&self, tree: &Tree) -> u64 {
        let of_frame = |frame: &Frame| {
            let left = &tree.lists[frame.list].left;
            left[frame.at] + frame.rounds.map_or(0, |(more, _)| u64::from(more) * left[0])
        };
        self.frames.iter().map(of_frame).sum()
    }
}

#[cfg(test)]
mod tests {
    use linchpin_model::SplitMix;

    use super::*;

    #[track_caller]
    fn here() -> Site {
        std::panic::Location::caller()
    }

    /// Five positions of the source.
    fn places() -> [Place; 5] {
        [here(), here(), here(), here(), here()].map(Place::Source)
    }

    fn at(places: &[Place]) -> Vec<Unit> {
        places.iter().copied().map(unit_at).collect()
    }

    #[test]
    fn a_sum_takes_loops_as_often_as_assumed_and_the_longest_branches() {
        let branches = vec![vec![Unit::Steps(1)], vec![Unit::Steps(2), Unit::Steps(2)], Vec::new()];
        let body = vec![Unit::Steps(3), Unit::Select(branches)];
        assert_eq!(sum(&[Unit::Steps(5), Unit::Loop { times: 2, body }]), 5 + 2 * (3 + 4));
    }

    #[test]
    fn a_retry_loop_is_learnt_with_what_comes_after_it() {
        let [load, exchange, after, ..] = places();
        let ways = [vec![load, exchange, after], vec![load, exchange, load, exchange, load, exchange, after]];
        let learnt = learn(&ways);
        let retry = Unit::Loop { times: 3, body: at(&[load, exchange]) };
        assert_eq!(learnt, [vec![retry], at(&[after])].concat());
        assert_eq!(sum(&learnt), 7);
    }

    #[test]
    fn where_ways_part_there_is_a_selection() {
        let [first, left, right, end, _] = places();
        let ways = [vec![first, left, end], vec![first, right], vec![first]];
        let learnt = learn(&ways);
        let select = Unit::Select(vec![at(&[left, end]), at(&[right]), Vec::new()]);
        assert_eq!(learnt, [at(&[first]), vec![select]].concat());
    }

    #[test]
    fn operations_have_trees_of_their_own() {
        let [load, exchange, ..] = places();
        let [first, second] = [Place::Call(7), Place::Call(8)];
        // The same code twice, of which only the second call has to try again.
        let ways = [vec![first, load, exchange, second, load, exchange, load, exchange], vec![first, load]];
        let learnt = learn(&ways);
        let select = Unit::Select(vec![at(&[exchange]), Vec::new()]);
        let retry = Unit::Loop { times: 2, body: at(&[load, exchange]) };
        assert_eq!(learnt, [at(&[first, load]), vec![select], at(&[second]), vec![retry]].concat());
        assert_eq!(sum(&learnt), 8);
    }

    #[test]
    fn a_loop_that_goes_round_too_often_leaves_the_assumption_a_logarithmic_number_of_times() {
        let [load, exchange, after, ..] = places();
        let body = at(&[load, exchange]);
        let tree = Tree::new(&[vec![Unit::Loop { times: 1, body }], at(&[after])].concat());
        let mut cursor = Cursor::new(&tree);
        let mut left = Vec::new();
        for round in 1..=100 {
            if cursor.step(&tree, load) == Assumption::IsLeft {
                left.push(round);
            }
            assert_eq!(cursor.step(&tree, exchange), Assumption::Holds);
        }
        // Twice as many rounds are assumed each time.
        assert_eq!(left, [2, 4, 8, 16, 32, 64]);
        assert_eq!(cursor.left(), (127 - 100) * 2 + 1);
        assert_eq!(cursor.step(&tree, after), Assumption::Holds);
        assert_eq!(cursor.left(), 0);
    }

    #[test]
    fn unknown_code_leaves_the_assumption_and_is_then_counted() {
        let [known, unknown, ..] = places();
        let tree = Tree::new(&at(&[known, known, known]));
        let mut cursor = Cursor::new(&tree);
        let steps = [known, unknown, unknown, unknown].map(|place| (cursor.step(&tree, place), cursor.left()));
        use Assumption::{Holds, IsLeft};
        assert_eq!(steps, [(Holds, 2), (IsLeft, 1), (Holds, 0), (IsLeft, 4)]);
    }

    #[test]
    fn steps_of_a_declared_tree_are_counted() {
        let [site, ..] = places();
        let tree = Tree::new(&[Unit::Steps(1), Unit::Loop { times: 2, body: vec![Unit::Steps(1)] }]);
        let mut cursor = Cursor::new(&tree);
        let steps = [(); 4].map(|()| (cursor.step(&tree, site), cursor.left()));
        use Assumption::{Holds, IsLeft};
        assert_eq!(steps, [(Holds, 2), (Holds, 1), (Holds, 0), (IsLeft, 4)]);
    }

    /// Any way through any code: nothing is assumed of it.
    fn random_way(random: &mut SplitMix, places: &[Place]) -> Vec<Place> {
        (0..random.below(12)).map(|_| places[random.below(places.len())]).collect()
    }

    #[test]
    fn whatever_was_learnt_from_is_within_the_assumption_to_its_last_step() {
        let mut random = SplitMix::new(3);
        for _ in 0..20_000 {
            let alphabet = random.within(&(1..=5));
            let mut places = places()[..alphabet].to_vec();
            // Calls are in the same order each time, or in any.
            let in_order = random.below(2) == 0;
            if !in_order {
                places.extend([Place::Call(0), Place::Call(1)]);
            }
            let count = random.within(&(1..=4));
            let mut ways: Vec<Vec<Place>> = (0..count).map(|_| random_way(&mut random, &places)).collect();
            for way in ways.iter_mut().filter(|_| in_order) {
                for call in 0..random.below(3) as u64 {
                    way.push(Place::Call(call));
                    way.extend(random_way(&mut random, &places));
                }
            }
            let units = learn(&ways);
            let tree = Tree::new(&units);
            for way in &ways {
                let mut cursor = Cursor::new(&tree);
                assert_eq!(cursor.left(), sum(&units));
                for (done, &place) in way.iter().enumerate() {
                    let more = (way.len() - done) as u64;
                    assert!(cursor.left() >= more, "{way:?} after {done} in {units:?}");
                    assert_eq!(cursor.step(&tree, place), Assumption::Holds, "{way:?} at {done} in {units:?}");
                }
            }
        }
    }
}
