//! Queues, stacks and priority queues: what their monitors have in common.

use linchpin_model::OperationId;

use super::prepare::{Collection, Element, Prepared, prepare};
use super::{Act, Decision, Op, core, empties, prefix, priority_queue, queue, stack};
use crate::limits::Budget;
use crate::{Contradiction, Unknown};

/// Which element comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Discipline {
    Queue,
    Stack,
    PriorityQueue,
}

/// A contradiction, and when it appears.
struct Found {
    /// The return with which the shortest prefix that has it ends.
    ret: u32,
    contradiction: Contradiction,
}

/// Decides a history in which every result is known.
pub(super) fn decide(discipline: Discipline, history: &[Op], budget: &Budget) -> Result<Decision, Unknown> {
    let collection = match prepare(history) {
        Prepared::Collection(collection) => collection,
        Prepared::NotApplicable => return Ok(Decision::NotApplicable),
        Prepared::Defect(defect) => {
            // Before the defect appeared there was none, but perhaps something else was wrong.
            return Ok(match decide(discipline, &prefix::before(history, defect.ret), budget)? {
                Decision::Violation { fails_at, contradiction: Some(contradiction) } => {
                    let contradiction = settled(discipline, history, contradiction, budget)?;
                    Decision::Violation { fails_at, contradiction: Some(contradiction) }
                }
                _ => Decision::Violation { fails_at: defect.fails_at, contradiction: Some(defect.contradiction) },
            });
        }
    };
    budget.check_time()?;
    let mut found = match judge(discipline, history, &collection, budget)? {
        Judgement::Order(order) => return Ok(Decision::Order(order)),
        Judgement::Violation(found) => found,
    };
    if collection.rivals {
        // When the violation appeared, more than one operation may still have been about to take an element out.
        found.ret = prefix::first_failing(&judged_returns(history), |cut| fails_at(discipline, history, cut, budget))?;
        let shortest = prefix::until(history, found.ret);
        let Prepared::Collection(collection) = prepare(&shortest) else { unreachable!("prefixes have fewer defects") };
        let Judgement::Violation(first) = judge(discipline, &shortest, &collection, budget)? else {
            unreachable!("this prefix fails")
        };
        found.contradiction = first.contradiction;
    }
    let fails_at = history.iter().find(|op| op.ret == found.ret).expect("prefixes end with a return").id;
    let contradiction = settled(discipline, history, found.contradiction, budget)?;
    Ok(Decision::Violation { fails_at, contradiction: Some(contradiction) })
}

/// The returns that can make a history without defects fail: a returned addition restricts nothing that has returned.
fn judged_returns(history: &[Op]) -> Vec<u32> {
    let judged = history.iter().filter(|op| !op.is_pending() && !matches!(op.act, Act::Add(_)));
    let mut returns: Vec<u32> = judged.map(|op| op.ret).collect();
    returns.sort_unstable();
    returns
}

fn fails_at(discipline: Discipline, history: &[Op], cut: u32, budget: &Budget) -> Result<bool, Unknown> {
    budget.check_time()?;
    let Prepared::Collection(collection) = prepare(&prefix::until(history, cut)) else {
        unreachable!("prefixes have fewer defects")
    };
    if empties::violation(&collection).is_some() {
        return Ok(true);
    }
    Ok(match discipline {
        Discipline::Queue => queue::violation(&collection).is_some(),
        Discipline::Stack => stack::take_out(&collection.elements, collection.end, budget)?.is_err(),
        Discipline::PriorityQueue => {
            priority_queue::violation(&collection, &priority_queue::removal_slots(&collection)).is_some()
        }
    })
}

enum Judgement {
    Order(Vec<OperationId>),
    /// What appears first, unless there are rivals.
    Violation(Found),
}

fn judge(
    discipline: Discipline,
    history: &[Op],
    collection: &Collection,
    budget: &Budget,
) -> Result<Judgement, Unknown> {
    let not_empty = empties::violation(collection).map(|(empty, chain)| Found {
        ret: empty.ret,
        contradiction: Contradiction::NeverEmpty { empty: empty.id, cover: named(chain) },
    });
    budget.check_time()?;
    let order = match discipline {
        Discipline::Queue => queue::violation(collection)
            .map(|(first, second)| Found { ret: second.removed, contradiction: out_of_order(first, second) })
            .map_or_else(|| Ok(()), Err)
            .map(|()| Explanation::Queue),
        Discipline::PriorityQueue => {
            let slots = priority_queue::removal_slots(collection);
            match priority_queue::violation(collection, &slots) {
                Some((element, chain)) => Err(Found { ret: element.removed, contradiction: overtaken(element, chain) }),
                None => Ok(Explanation::PriorityQueue(slots)),
            }
        }
        Discipline::Stack => match stack::take_out(&collection.elements, collection.end, budget)? {
            Ok(freed) => Ok(Explanation::Stack(freed)),
            Err(stuck) => {
                let by = not_empty.as_ref().map(|found| found.ret);
                match stuck_first(history, collection, &stuck, by, budget)? {
                    Some(found) => Err(found),
                    // What finds nothing fails first.
                    None => return Ok(Judgement::Violation(not_empty.expect("there is nothing else"))),
                }
            }
        },
    };
    budget.check_time()?;
    Ok(match (order, not_empty) {
        (Err(order), Some(empty)) if order.ret > empty.ret => Judgement::Violation(empty),
        (Err(order), _) => Judgement::Violation(order),
        (Ok(_), Some(empty)) => Judgement::Violation(empty),
        (Ok(explanation), None) => Judgement::Order(explanation.order(collection)),
    })
}

/// What a monitor found out about a history that it can explain.
enum Explanation {
    Queue,
    Stack(Vec<stack::Freed>),
    PriorityQueue(Vec<u32>),
}

impl Explanation {
    fn order(&self, collection: &Collection) -> Vec<OperationId> {
        let segments = empties::segments(collection);
        match self {
            Explanation::Stack(freed) => stack::order(collection, freed, &segments),
            Explanation::PriorityQueue(slots) => priority_queue::order(collection, slots, &segments),
            Explanation::Queue => {
                let sorted: Vec<&Element> =
                    segments.elements.iter().map(|&number| &collection.elements[number as usize]).collect();
                let mut order = Vec::with_capacity(2 * sorted.len() + collection.empties.len());
                for segment in segments.segments {
                    queue::order(&sorted[segment.elements], collection.end, &mut order);
                    order.extend(segment.empties);
                }
                order
            }
        }
    }
}

fn named(chain: Vec<&Element>) -> Vec<(OperationId, Option<OperationId>)> {
    chain.into_iter().map(|element| (element.add, element.remove)).collect()
}

fn out_of_order(first: &Element, second: &Element) -> Contradiction {
    Contradiction::QueueOrder {
        first_add: first.add,
        second_add: second.add,
        second_remove: second.remove.expect("what comes out too early is taken out"),
        first_remove: first.remove,
    }
}

fn overtaken(element: &Element, chain: Vec<&Element>) -> Contradiction {
    let remove = element.remove.expect("what comes out too early is taken out");
    Contradiction::HigherPriority { add: element.add, remove, cover: named(chain) }
}

/// The first prefix in which a stack is stuck, if that is no later than `by`.
///
/// Only the operations on elements that are stuck in the whole history matter: the others can be taken out of every
/// prefix in the same order, since in the slots before the cut a prefix covers no more than the whole history does.
fn stuck_first(
    history: &[Op],
    collection: &Collection,
    stuck: &[u32],
    by: Option<u32>,
    budget: &Budget,
) -> Result<Option<Found>, Unknown> {
    let mut ops = of_elements(history, stuck.iter().map(|&number| &collection.elements[number as usize]));
    let mut returns = judged_returns(&ops);
    returns.retain(|&ret| by.is_none_or(|by| ret <= by));
    let mut fails = |cut: u32| {
        let prefix = prefix::until(&ops, cut);
        let Prepared::Collection(collection) = prepare(&prefix) else { unreachable!("prefixes have fewer defects") };
        let Err(stuck) = stack::take_out(&collection.elements, collection.end, budget)? else { return Ok(false) };
        ops = of_elements(&ops, stuck.iter().map(|&number| &collection.elements[number as usize]));
        Ok(true)
    };
    if let Some(by) = by
        && !fails(by)?
    {
        return Ok(None);
    }
    let ret = prefix::first_failing(&returns, fails)?;

    let Prepared::Collection(collection) = prepare(&prefix::until(&ops, ret)) else {
        unreachable!("prefixes have fewer defects")
    };
    let elements = &collection.elements;
    // The return that makes the difference takes part in whatever contradiction there is.
    let culprit = (0..).zip(elements).find(|(_, element)| element.removed == ret).map(|(number, _)| number);
    let core = core::minimal(elements, collection.end, culprit, budget)?;
    let elements = core.into_iter().map(|number| &elements[number as usize]).collect();
    Ok(Some(Found { ret, contradiction: Contradiction::StackOrder { elements: named(elements) } }))
}

/// The operations on these elements.
fn of_elements<'a>(history: &[Op], elements: impl Iterator<Item = &'a Element>) -> Vec<Op> {
    let values: hashbrown::HashSet<u32> = elements.map(|element| element.value).collect();
    let concerned = |op: &&Op| matches!(op.act, Act::Add(value) | Act::Remove(value) if values.contains(&value));
    history.iter().filter(concerned).copied().collect()
}

/// A contradiction of a prefix as one of the whole history.
///
/// Elements that were taken out only later get their removals, and if, with these, something can be spared, it is.
fn settled(
    discipline: Discipline,
    history: &[Op],
    contradiction: Contradiction,
    budget: &Budget,
) -> Result<Contradiction, Unknown> {
    let contradiction = with_removals(history, contradiction);
    match &contradiction {
        // Among the elements of a cover, which are alone without what they cover, there can be a contradiction too. Not
        // in a queue: the one that is put in first and taken out last covers all that the other does.
        Contradiction::NeverEmpty { cover, .. } | Contradiction::HigherPriority { cover, .. }
            if discipline != Discipline::Queue =>
        {
            let cover = of_pairs(history, cover);
            Ok(match decide(discipline, &cover, budget)? {
                Decision::Violation { contradiction: Some(smaller), .. } => smaller,
                _ => contradiction,
            })
        }
        Contradiction::StackOrder { elements } => {
            let Prepared::Collection(collection) = prepare(&of_pairs(history, elements)) else {
                unreachable!("every element is put in once and taken out once")
            };
            let core = core::minimal(&collection.elements, collection.end, None, budget)?;
            let elements = core.into_iter().map(|number| &collection.elements[number as usize]).collect();
            Ok(Contradiction::StackOrder { elements: named(elements) })
        }
        _ => Ok(contradiction),
    }
}

fn of_pairs(history: &[Op], pairs: &[(OperationId, Option<OperationId>)]) -> Vec<Op> {
    let mut ids: Vec<OperationId> = pairs.iter().flat_map(|&(add, remove)| [Some(add), remove]).flatten().collect();
    ids.sort_unstable();
    history.iter().filter(|op| ids.binary_search(&op.id).is_ok()).copied().collect()
}

/// The contradiction with the removals of all elements that are removed at all.
fn with_removals(history: &[Op], mut contradiction: Contradiction) -> Contradiction {
    let mut missing: Vec<(OperationId, &mut Option<OperationId>)> = match &mut contradiction {
        Contradiction::QueueOrder { first_add, first_remove, .. } => vec![(*first_add, first_remove)],
        Contradiction::NeverEmpty { cover, .. } | Contradiction::HigherPriority { cover, .. } => {
            cover.iter_mut().map(|(add, remove)| (*add, remove)).collect()
        }
        Contradiction::StackOrder { elements } => elements.iter_mut().map(|(add, remove)| (*add, remove)).collect(),
        _ => Vec::new(),
    };
    missing.retain(|(_, remove)| remove.is_none());
    if missing.is_empty() {
        return contradiction;
    }
    let adds: hashbrown::HashSet<OperationId> = missing.iter().map(|(add, _)| *add).collect();
    let values: hashbrown::HashMap<u32, OperationId> = history
        .iter()
        .filter(|op| adds.contains(&op.id))
        .filter_map(|op| if let Act::Add(value) = op.act { Some((value, op.id)) } else { None })
        .collect();
    // What returned first took the element out; if nothing returned, what was called first may have.
    let mut removes: hashbrown::HashMap<OperationId, (u32, u32, OperationId)> = hashbrown::HashMap::new();
    for op in history {
        if let Act::Remove(value) = op.act
            && let Some(add) = values.get(&value)
        {
            let this = (op.ret, op.call, op.id);
            removes.entry(*add).and_modify(|first| *first = this.min(*first)).or_insert(this);
        }
    }
    for (add, remove) in missing {
        *remove = removes.get(&add).map(|&(_, _, id)| id);
    }
    contradiction
}
