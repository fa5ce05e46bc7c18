//! The interleaving tree against all interleavings, one by one.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex as Shared};

use crate::common::sc;
use linchpin::localize::tree::{Folded, FoldedPoint, Label, Options, Tree};
use linchpin::localize::{Access, Accesses, Marked, Operation, Trace};
use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicPtr, AtomicU8, Ordering::SeqCst};
use linchpin::{Call, Execution, Hooks, LoopReduction, Object, Value, client};
use linchpin_graph::{EventId, Kind, Verb};
use linchpin_zoo::objects::*;

const FULL: Options = Options { reduce: false, max_nodes: 1_000_000 };
const REDUCED: Options = Options { reduce: true, max_nodes: 1_000_000 };

/// One interleaving: whose step comes when, what the invocations returned, and which had returned before which was called.
struct Interleaving {
    schedule: Vec<usize>,
    outcome: Vec<Value>,
    before: Vec<Vec<usize>>,
}

/// Calls threads' events steps: both halves of a read-modify-write are one; ends, fences and the like belong to none.
fn steps(execution: &Execution, thread: usize) -> Vec<Vec<EventId>> {
    let mut steps: Vec<Vec<EventId>> = Vec::new();
    for &id in execution.threads()[thread].events() {
        let event = execution.event(id);
        match event.kind {
            Kind::Write if event.exclusive => steps.last_mut().unwrap().push(id),
            Kind::Read | Kind::Write => steps.push(vec![id]),
            Kind::End => {}
            other => panic!("the objects here have no {other:?}"),
        }
    }
    steps
}

/// All interleavings of an execution: the orders of steps that keep po, rf, mo and fr.
fn interleavings(execution: &Execution, calls: &[Call]) -> Vec<Interleaving> {
    let threads: Vec<Vec<Vec<EventId>>> = (1..execution.threads().len()).map(|at| steps(execution, at)).collect();
    let mut step_of: BTreeMap<EventId, (usize, usize)> = BTreeMap::new();
    for (thread, steps) in threads.iter().enumerate() {
        for (at, step) in steps.iter().enumerate() {
            step_of.extend(step.iter().map(|&id| (id, (thread, at))));
        }
    }
    let mut all = Vec::new();
    go_on(execution, &threads, &step_of, &mut vec![0; threads.len()], &mut Vec::new(), &mut all);
    let outcome: Vec<Value> = calls.iter().map(|call| call.result.clone().unwrap()).collect();
    let timed = |schedule: Vec<usize>| {
        let before = before(execution, calls, &threads, &schedule);
        Interleaving { schedule, outcome: outcome.clone(), before }
    };
    all.into_iter().map(timed).collect()
}

fn go_on(
    execution: &Execution,
    threads: &[Vec<Vec<EventId>>],
    step_of: &BTreeMap<EventId, (usize, usize)>,
    done: &mut Vec<usize>,
    schedule: &mut Vec<usize>,
    all: &mut Vec<Vec<usize>>,
) {
    if (0..threads.len()).all(|thread| done[thread] == threads[thread].len()) {
        all.push(schedule.clone());
        return;
    }
    for thread in 0..threads.len() {
        let Some(step) = threads[thread].get(done[thread]) else { continue };
        let mut is_ready = true;
        for &id in step {
            execution.each_predecessor(id, |earlier| {
                if let Some(&(of, at)) = step_of.get(&earlier) {
                    is_ready &= done[of] > at || (of, at) == (thread, done[thread]);
                }
            });
        }
        if is_ready {
            done[thread] += 1;
            schedule.push(thread + 1);
            go_on(execution, threads, step_of, done, schedule, all);
            schedule.pop();
            done[thread] -= 1;
        }
    }
}

/// For each invocation those of the client's threads that had returned before it was called.
fn before(execution: &Execution, calls: &[Call], threads: &[Vec<Vec<EventId>>], schedule: &[usize]) -> Vec<Vec<usize>> {
    let mut next = vec![0; threads.len()];
    let mut times: BTreeMap<EventId, usize> = BTreeMap::new();
    for (time, &thread) in schedule.iter().enumerate() {
        times.extend(threads[thread - 1][next[thread - 1]].iter().map(|&id| (id, time)));
        next[thread - 1] += 1;
    }
    let span = |call: &Call| {
        let events = execution.thread(call.thread).events();
        let own = || (call.events.start..call.events.end).filter_map(|index| times.get(&events[index as usize]));
        (call.thread.at() > 0).then(|| (*own().min().unwrap(), *own().max().unwrap()))
    };
    let spans: Vec<Option<(usize, usize)>> = calls.iter().map(span).collect();
    let had_returned = |number: usize| {
        let precedes = |&other: &usize| match (spans[other], spans[number]) {
            (Some((_, returned)), Some((called, _))) => returned < called,
            _ => false,
        };
        (0..calls.len()).filter(precedes).collect()
    };
    (0..calls.len()).map(had_returned).collect()
}

/// The label of each point, by the schedule that leads there.
fn labels(ends: &BTreeMap<Vec<usize>, bool>, threads: usize) -> BTreeMap<Vec<usize>, Label> {
    let mut labels: BTreeMap<Vec<usize>, Label> = BTreeMap::new();
    // Longer ones first, so that children are there.
    let mut points: Vec<Vec<usize>> =
        ends.keys().flat_map(|end| (0..=end.len()).map(|length| end[..length].to_vec())).collect();
    points.sort_by_key(|point| std::cmp::Reverse(point.len()));
    points.dedup();
    for point in points {
        let child = |thread: usize| labels.get(&[&point[..], &[thread]].concat()).copied();
        let children: Vec<Label> = (1..=threads).filter_map(child).collect();
        let label = match ends.get(&point) {
            Some(true) => Label::W,
            Some(false) => Label::B,
            None => by_definition(&children),
        };
        labels.insert(point, label);
    }
    labels
}

/// Definition 8 of the paper.
fn by_definition(children: &[Label]) -> Label {
    use Label::*;
    let grey = |label: Label| matches!(label, G | Wg | Bg | Gg);
    match children {
        [only] => *only,
        [W, W] => W,
        [B, B] => B,
        [W, B] | [B, W] => G,
        [W, other] | [other, W] if grey(*other) => Wg,
        [B, other] | [other, B] if grey(*other) => Bg,
        [left, right] if grey(*left) && grey(*right) => Gg,
        _ => panic!("the clients here have two threads"),
    }
}

type Verdict<'a> = dyn Fn(&[Value], &dyn Fn(usize, usize) -> bool) -> bool + 'a;

/// Compares the tree of a client with all its interleavings, under different ideas of what is right.
fn check<O: Object>(text: &str) {
    let seen = Shared::new(Vec::new());
    let look = |execution: &Execution, calls: &[Call]| {
        let interleavings = interleavings(execution, calls);
        traces_are_the_same(execution, calls, &interleavings);
        seen.lock().unwrap().extend(interleavings);
        None
    };
    let test = client::<O>(text).with(sc().loops(LoopReduction::Off).workers(1));
    assert!(test.explore_unjudged(Hooks { judge: &look, ..Hooks::default() }).coverage.is_complete());
    let seen = seen.into_inner().unwrap();
    let (program, _) = test.explore_program();
    let admitted = test.admitted();
    let is_admitted: &Verdict = &|outcome, _| admitted.contains(&linchpin::Outcome(outcome.to_vec()));
    // Right and wrong by chance, depending on outcome and time: all kinds of labels.
    let by_chance = |seed: u64, percent: u64| {
        move |outcome: &[Value], precedes: &dyn Fn(usize, usize) -> bool| {
            let all = (0..outcome.len()).flat_map(|first| (0..outcome.len()).map(move |second| (first, second)));
            let pairs: Vec<(usize, usize)> = all.filter(|&(first, second)| precedes(first, second)).collect();
            let mut hasher = DefaultHasher::new();
            (seed, outcome, pairs).hash(&mut hasher);
            hasher.finish() % 100 < percent
        }
    };
    let chances = [by_chance(1, 50), by_chance(2, 80), by_chance(3, 20)];
    let verdicts: Vec<&Verdict> =
        [is_admitted].into_iter().chain(chances.iter().map(|chance| chance as &Verdict)).collect();
    for verdict in verdicts {
        let is_right = |one: &Interleaving| verdict(&one.outcome, &|first, second| one.before[second].contains(&first));
        let ends: BTreeMap<Vec<usize>, bool> = seen.iter().map(|one| (one.schedule.clone(), is_right(one))).collect();
        assert_eq!(ends.len(), seen.len(), "an interleaving has one execution");
        let tree = program.tree(FULL, verdict).unwrap();
        let right = ends.values().filter(|&&is_right| is_right).count();
        assert_eq!((tree.right(), tree.wrong()), (right as u128, (ends.len() - right) as u128), "{text}");
        for (point, label) in labels(&ends, 2) {
            assert_eq!(tree.label_after(&point), Some(label), "{text} after {point:?}");
        }
        patterns_are_of_the_form(&tree);
        folding_keeps_labels_and_counts(&tree);
    }
    // What is left out by the reduction changes no outcome.
    for outcome in seen.iter().map(|one| &one.outcome) {
        let is_another: &Verdict = &|other, _| other != outcome;
        assert!(program.tree(REDUCED, is_another).unwrap().wrong() > 0, "{text}: {outcome:?}");
    }
    let reduced = program.tree(REDUCED, is_admitted).unwrap();
    assert_eq!(reduced.wrong() > 0, seen.iter().any(|one| !is_admitted(&one.outcome, &|_, _| false)));
    assert!(reduced.right() + reduced.wrong() <= seen.len() as u128);
    patterns_are_of_the_form(&reduced);
    folding_keeps_labels_and_counts(&reduced);
}

/// Whatever the interleaving of an execution, it has the same trace.
fn traces_are_the_same(execution: &Execution, calls: &[Call], interleavings: &[Interleaving]) {
    let own: Vec<&Call> = calls.iter().filter(|call| call.thread.at() > 0).collect();
    let name = |call: &Call| Arc::from(call.tag.to_string());
    let marked = own.iter().map(|call| Marked {
        name: name(call),
        thread: call.thread,
        events: call.events.clone(),
        places: Vec::new(),
    });
    let trace = Trace::of(execution, &marked.collect::<Vec<_>>(), Accesses::Memory).unwrap();
    let operations = own.iter().map(|call| Operation { name: name(call), thread: call.thread.at() - 1 });
    let operations: Vec<Operation> = operations.collect();
    let threads: Vec<Vec<Vec<EventId>>> = (1..execution.threads().len()).map(|at| steps(execution, at)).collect();
    for interleaving in interleavings {
        let mut next = vec![0; threads.len()];
        let mut accesses = Vec::new();
        for &thread in &interleaving.schedule {
            let step = &threads[thread - 1][next[thread - 1]];
            next[thread - 1] += 1;
            let event = execution.event(step[0]);
            let is_own = |call: &&Call| call.thread == event.thread && call.events.contains(&event.index);
            if !matches!(event.verb, Verb::Lock | Verb::Unlock | Verb::LockShared | Verb::UnlockShared) {
                accesses.push(Access {
                    operation: own.iter().position(is_own).unwrap(),
                    location: event.location.at(),
                    is_write: event.is_write() || step.len() > 1,
                    place: event.site.into(),
                });
            }
        }
        assert_eq!(Trace::new(operations.clone(), accesses), trace);
    }
}

/// What is folded adds up: counts are sums, each branch leads to where its steps lead in the tree, and nothing is below what is
/// decided. A point that was left out is one of a tree with too many.
fn folding_keeps_labels_and_counts(tree: &Tree<'_>) {
    let folded = tree.folded(usize::MAX);
    let root = &folded.points[0];
    assert_eq!((root.right, root.wrong), (tree.right(), tree.wrong()));
    for point in &folded.points {
        assert_eq!(point.label.is_grey(), !point.branches.is_empty());
        assert_eq!(point.label.is_grey(), point.branches.len() > 1, "one branch alone is no choice");
        if point.label.is_grey() {
            let sum = |count: fn(&FoldedPoint) -> u128| {
                point.branches.iter().map(|branch| count(&folded.points[branch.point])).sum::<u128>()
            };
            assert_eq!((sum(|below| below.right), sum(|below| below.wrong)), (point.right, point.wrong));
        }
    }
    let mut schedule = Vec::new();
    while tree.label_after(&schedule).is_some_and(|label| label.is_grey()) && is_forced(tree, &schedule) {
        schedule.extend((1..=3).find(|&thread| tree.label_after(&[&schedule[..], &[thread]].concat()).is_some()));
    }
    follow(tree, &folded, 0, &mut schedule);
    let cut = tree.folded(1);
    assert!(cut.points.iter().skip(1).all(|point| point.branches.is_empty()));
}

/// Can only one thread go on?
fn is_forced(tree: &Tree<'_>, schedule: &[usize]) -> bool {
    (1..=3).filter(|&thread| tree.label_after(&[schedule, &[thread]].concat()).is_some()).count() == 1
}

/// Walks all ways through the folded tree.
fn follow(tree: &Tree<'_>, folded: &Folded, at: usize, schedule: &mut Vec<usize>) {
    let point = &folded.points[at];
    assert_eq!(tree.label_after(schedule), Some(point.label), "{schedule:?}");
    for branch in &point.branches {
        let length = schedule.len();
        schedule.extend(branch.steps.iter().map(|step| step.thread));
        follow(tree, folded, branch.point, schedule);
        schedule.truncate(length);
    }
}

/// `(Wg|Bg)*(Bg|G)`, the shortest first, of each pattern one; and the winner of each race leads on.
fn patterns_are_of_the_form(tree: &Tree<'_>) {
    let sequences = tree.sequences(1_000);
    for sequence in &sequences {
        let (last, others) = sequence.races.split_last().unwrap();
        assert!(others.iter().all(|race| matches!(race.label, Label::Wg | Label::Bg)), "{sequence}");
        assert!(others.iter().all(|race| race.choices[race.winner].label.is_grey()), "{sequence}");
        assert!(matches!(last.label, Label::Bg | Label::G), "{sequence}");
        assert_eq!(last.choices[last.winner].label, Label::B, "{sequence}");
    }
    let patterns: Vec<String> = sequences.iter().map(|sequence| sequence.pattern()).collect();
    assert!(patterns.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(sequences.windows(2).all(|pair| pair[0].races.len() <= pair[1].races.len()));
    assert_eq!(sequences.is_empty(), tree.wrong() == 0 || tree.right() == 0);
}

#[test]
fn the_labels_are_those_of_all_interleavings() {
    check::<ArrayStack>("[push(1)] { pop() } || { pop() }");
    check::<ArrayStack>("[push(1)] { pop(); push(2) } || { pop() } [pop()]");
    check::<TreiberStack>("[push(1)] { pop() } || { push(2) } [pop(); pop()]");
    check::<TreiberStackFixed>("[push(1)] { pop() } || { push(2) } [pop(); pop()]");
    check::<KStackFixed>("{ push(1) } || { push(2) } [pop()]");
    check::<PairSnapshot>("{ write(0, 2); write(1, 2); write(0, 1) } || { read() }");
    check::<ArrayStack>("{ push(1) } || { pop() }");
}

#[test]
fn the_labels_are_those_of_all_interleavings_with_locks() {
    check::<SimpleList>("{ add(1) } || { add(1) }");
    check::<SimpleListFixed>("{ add(1) } || { add(1); remove(1) } [contains(1)]");
    check::<SizeList>("{ add(1) } || { size() }");
    check::<CoarseListRemove>("[add(0)] { remove(0) } || { remove(0) }");
}

/// What a lock protects is seen by nobody but who holds it.
#[derive(Default)]
struct Counter(Mutex<u8>);

impl Counter {
    /// In two steps.
    fn increment(&self) -> u8 {
        let next = *self.0.lock().unwrap() + 1;
        *self.0.lock().unwrap() = next;
        next
    }
}

linchpin::object! {
    Guarded: Counter = Counter::default();
    fn increment(&self) -> u8;
}

/// A letter lies at the same address, whatever is in it.
#[derive(Default)]
struct Mailbox {
    draft: AtomicU8,
    letter: AtomicPtr<AtomicU8>,
}

impl Mailbox {
    fn write(&self, draft: u8) {
        self.draft.store(draft, SeqCst);
    }

    fn send(&self) {
        let letter = Box::new(AtomicU8::new(self.draft.load(SeqCst)));
        self.letter.store(Box::into_raw(letter), SeqCst);
    }

    fn receive(&self) -> Option<u8> {
        let letter = self.letter.load(SeqCst);
        // SAFETY: a letter is never freed.
        (!letter.is_null()).then(|| unsafe { &*letter }.load(SeqCst))
    }
}

linchpin::object! {
    Letters: Mailbox = Mailbox::default();
    fn write(&self, draft: u8);
    fn send(&self);
    fn receive(&self) -> Option<u8>;
}

#[test]
fn the_labels_are_those_of_all_interleavings_when_values_are_not_seen_as_they_are_written() {
    check::<Guarded>("{ increment() } || { increment() } [increment()]");
    check::<Guarded>("{ increment(); increment() } || { increment() }");
    check::<Letters>("{ send(); receive() } || { write(7); receive() }");
    check::<Letters>("{ send(); send() } || { write(7); receive() } [receive()]");
}
