//! Removals of which only the call is known: they may have taken anything, at any time since, or nothing.
//!
//! If the history can be explained without them, it can be explained. Otherwise there is a contradiction among some
//! elements, and it remains one whatever other elements are taken out (an element can be left out of any
//! linearization). So an explanation, if there is one, has one of these removals take an element of the contradiction
//! that no returned operation has taken; trying each of these removals for each of these elements, and going on in the
//! same way, misses none. Nothing is gained from a removal that takes the element of a pending addition that nothing
//! else observed: both can be left out.
//!
//! This grows quickly with the number of such removals, so it is given up soon.

use linchpin_model::OperationId;

use super::collection::{self, Discipline};
use super::{Act, Decision, Op, prefix};
use crate::limits::Budget;
use crate::{Contradiction, Unknown};

/// How often a history is decided at most.
const RUNS: usize = 2000;
/// How many operations are looked at, at most, in all runs together.
const WORK: usize = 20_000_000;

/// Decides a history of a collection.
pub(super) fn decide(discipline: Discipline, history: &[Op], budget: &Budget) -> Result<Decision, Unknown> {
    let is_unknown = |op: &&Op| op.act == Act::RemoveUnknown;
    let unknown: Vec<Op> = history.iter().filter(is_unknown).copied().collect();
    if unknown.is_empty() {
        return collection::decide(discipline, history, budget);
    }
    // What returned has taken effect, which is a different question.
    if unknown.iter().any(|op| !op.is_pending()) {
        return Ok(Decision::NotApplicable);
    }
    let mut known: Vec<Op> = history.iter().filter(|op| !is_unknown(op)).copied().collect();
    let decision = collection::decide(discipline, &known, budget)?;
    let Decision::Violation { fails_at, contradiction: Some(contradiction) } = &decision else { return Ok(decision) };

    // Whether these removals can explain what contradicts itself, by the time it does.
    let named = contradiction.operations();
    let concerned: Vec<Op> = known.iter().filter(|op| named.binary_search(&op.id).is_ok()).copied().collect();
    let cut = known.iter().find(|op| op.id == *fails_at).expect("it is one of them").ret;
    let mut search = Search { discipline, unknown: &unknown, used: vec![false; unknown.len()], runs: RUNS, work: WORK };
    let mut shortest = prefix::until(&concerned, cut);
    if let Answer::Never = search.explain(&mut shortest, budget)? {
        return Ok(decision);
    }
    // For queues there is something better.
    if discipline == Discipline::Queue {
        return Ok(Decision::NotApplicable);
    }
    Ok(match search.explain(&mut known, budget)? {
        Answer::Order(order) => Decision::Order(order),
        // It is a violation, but no contradiction that could be shown is one in spite of these removals.
        Answer::Never | Answer::GaveUp => Decision::NotApplicable,
    })
}

struct Search<'a> {
    discipline: Discipline,
    unknown: &'a [Op],
    /// Which of them take an element by now.
    used: Vec<bool>,
    runs: usize,
    work: usize,
}

enum Answer {
    Order(Vec<OperationId>),
    /// Nothing explains the history.
    Never,
    GaveUp,
}

impl Search<'_> {
    /// Explains a history with the help of those removals that are not used yet; leaves it as it was, unless it can.
    fn explain(&mut self, history: &mut Vec<Op>, budget: &Budget) -> Result<Answer, Unknown> {
        budget.check_time()?;
        if self.runs == 0 || self.work < history.len() {
            return Ok(Answer::GaveUp);
        }
        self.runs -= 1;
        self.work -= history.len();
        let contradiction = match collection::decide(self.discipline, history, budget)? {
            Decision::Order(order) => return Ok(Answer::Order(order)),
            Decision::Violation { contradiction: Some(contradiction), .. } => contradiction,
            _ => return Ok(Answer::GaveUp),
        };
        let (values, last) = self.still_there(&contradiction, history);
        for value in values {
            for helper in 0..self.unknown.len() {
                // What is called after all of them have returned cannot help.
                let help = self.unknown[helper];
                if self.used[helper] || help.call > last {
                    continue;
                }
                self.used[helper] = true;
                history.push(Op { act: Act::Remove(value), ..help });
                match self.explain(history, budget)? {
                    Answer::Never => {}
                    answer => return Ok(answer),
                }
                history.pop();
                self.used[helper] = false;
            }
        }
        Ok(Answer::Never)
    }

    /// The elements of a contradiction that no returned operation takes out, nor one of these removals by now; and when
    /// the last of the operations that contradict each other returned.
    fn still_there(&self, contradiction: &Contradiction, history: &[Op]) -> (Vec<u32>, u32) {
        // These are about additions: no removal more or less changes anything.
        if let Contradiction::NeverAdded { .. }
        | Contradiction::RemovedTwice { .. }
        | Contradiction::RemovedBeforeAdded { .. } = contradiction
        {
            return (Vec::new(), 0);
        }
        let named = contradiction.operations();
        let mut added = Vec::new();
        let mut taken_out = hashbrown::HashSet::new();
        let mut last = 0;
        for op in history.iter().filter(|op| named.binary_search(&op.id).is_ok()) {
            match op.act {
                Act::Add(value) => added.push(value),
                Act::Remove(value) if !op.is_pending() => drop(taken_out.insert(value)),
                _ => {}
            }
            if !op.is_pending() {
                last = last.max(op.ret);
            }
        }
        let helpers = self.unknown.iter().zip(&self.used).filter(|&(_, used)| *used);
        let helpers: hashbrown::HashSet<OperationId> = helpers.map(|(op, _)| op.id).collect();
        for op in history.iter().rev().filter(|op| helpers.contains(&op.id)) {
            if let Act::Remove(value) = op.act {
                taken_out.insert(value);
            }
        }
        added.retain(|value| !taken_out.contains(value));
        (added, last)
    }
}
