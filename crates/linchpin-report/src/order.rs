//! An order in which to show things: one that extends po ∪ rf, and is an interleaving if there is one.

use linchpin_graph::{EventId, Execution, Kind, LocationId, ThreadId};

use crate::acts::{Act, Acts};

/// Something to put in order: an act, or a remark that stands at a point of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub thread: ThreadId,
    /// How many events of the thread come before it.
    pub after: u32,
    /// Remarks come before the act at the same point.
    pub is_remark: bool,
    /// Breaks ties between threads.
    pub stamp: u32,
}

/// Edges between items, by their numbers.
type Edges = Vec<(usize, usize)>;

/// Items in an order that can be read from top to bottom.
pub(crate) struct Order {
    /// Numbers of the items.
    pub sequence: Vec<usize>,
    /// Does each read see the last write above it?
    pub is_interleaving: bool,
}

/// Orders `items`, of which the first are the acts, by their number. Pairs of `wanted` are put in that order where the
/// execution leaves it open.
pub(crate) fn order(execution: &Execution, acts: &Acts, items: &[Item], wanted: &[(usize, usize)]) -> Order {
    let mut required = program_order(items);
    required.extend(flow(execution, acts));
    let memory = memory_order(execution, acts);
    let attempts = [(&*memory, wanted, true), (&*memory, &[], true), (&[], wanted, false), (&[], &[], false)];
    for (memory, wanted, is_interleaving) in attempts {
        let edges = [&*required, memory, wanted].concat();
        if let Some(sequence) = sort(items, &edges) {
            return Order { sequence, is_interleaving };
        }
    }
    // Only a graph that no execution has is cyclic in po ∪ rf. It is shown by stamp.
    let mut sequence: Vec<usize> = (0..items.len()).collect();
    sequence.sort_by_key(|&item| items[item].stamp);
    Order { sequence, is_interleaving: false }
}

fn program_order(items: &[Item]) -> Edges {
    let mut by_thread: Vec<usize> = (0..items.len()).collect();
    by_thread.sort_by_key(|&item| (items[item].thread, items[item].after, !items[item].is_remark));
    let pairs = by_thread.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.filter(|&(left, right)| items[left].thread == items[right].thread).collect()
}

/// From writes to their readers, from spawns to what is spawned, from ends to joins.
fn flow(execution: &Execution, acts: &Acts) -> Edges {
    let mut edges = Edges::new();
    let mut connect = |from: EventId, to: usize| edges.push((acts.number_of(from), to));
    for (number, act) in acts.list().iter().enumerate() {
        let event = execution.event(act.event);
        if matches!(event.kind, Kind::Read | Kind::Join) && event.source.is_some() {
            connect(event.source, number);
        }
        if act.index == 0 && execution.thread(act.thread).origin.is_some() {
            connect(execution.spawn_of(act.thread), number);
        }
    }
    edges
}

/// From writes to the next write of the location (mo), from reads to the write that follows what they read (fr).
fn memory_order(execution: &Execution, acts: &Acts) -> Edges {
    let mut edges = Edges::new();
    let mut connect = |from: EventId, to: EventId| {
        let (from, to) = (acts.number_of(from), acts.number_of(to));
        // A read-modify-write precedes itself in fr.
        if from != to {
            edges.push((from, to));
        }
    };
    for (_, location) in execution.locations().iter() {
        location.mo().windows(2).for_each(|pair| connect(pair[0], pair[1]));
    }
    for Act { event, .. } in acts.list() {
        if !execution.event(*event).is_read() {
            continue;
        }
        let mo = execution.location(execution.event(*event).location).mo();
        if let Some(&next) = mo.get(execution.source_position(*event) as usize) {
            connect(*event, next);
        }
    }
    edges.extend(successions(execution, acts));
    edges
}

/// From everything that is done to a location to what is done to the next one at the same address.
fn successions(execution: &Execution, acts: &Acts) -> Edges {
    let locations = execution.locations();
    let mut edges = Edges::new();
    for (id, location) in locations.iter().filter(|(_, location)| location.generation > 0) {
        let Some(before) = locations.find(location.address, location.generation - 1) else { continue };
        let at = |location: LocationId| {
            let is_there = move |act: &Act| execution.event(act.event).location == location;
            (0..acts.list().len()).filter(move |&number| is_there(&acts.list()[number]))
        };
        edges.extend(at(before).flat_map(|from| at(id).map(move |to| (from, to))));
    }
    edges
}

/// A topological order that stays with a thread as long as it can; `None` if there is a cycle.
fn sort(items: &[Item], edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut missing = vec![0; items.len()];
    let mut followers = vec![Vec::new(); items.len()];
    for &(from, to) in edges {
        missing[to] += 1;
        followers[from].push(to);
    }
    let mut ready: Vec<usize> = (0..items.len()).filter(|&item| missing[item] == 0).collect();
    let mut sequence = Vec::with_capacity(items.len());
    let mut running = ThreadId::MAIN;
    while let Some(place) = next_of(items, &ready, running) {
        let item = ready.swap_remove(place);
        running = items[item].thread;
        sequence.push(item);
        for &follower in &followers[item] {
            missing[follower] -= 1;
            if missing[follower] == 0 {
                ready.push(follower);
            }
        }
    }
    (sequence.len() == items.len()).then_some(sequence)
}

/// Which of `ready` to take: one of the running thread if there is one, else the oldest.
fn next_of(items: &[Item], ready: &[usize], running: ThreadId) -> Option<usize> {
    (0..ready.len()).min_by_key(|&place| {
        let item = &items[ready[place]];
        (item.thread != running, item.stamp, item.after, !item.is_remark)
    })
}
