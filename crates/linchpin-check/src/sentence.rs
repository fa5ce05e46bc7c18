//! Contradictions in words: one sentence that says which operations cannot all have returned what they did, and why.

use linchpin_model::OperationId;

use crate::Contradiction;

/// More things than this are counted instead of listed.
const LISTED: usize = 6;

/// The contradiction in words. `describe` gives an operation as it appears in sentences (`deq() → 5`), `process` who
/// called it.
pub(crate) fn sentence(
    contradiction: &Contradiction,
    describe: impl Fn(OperationId) -> String,
    process: impl Fn(OperationId) -> u64,
) -> String {
    let name = |id: OperationId| format!("`{}` by process {}", describe(id), process(id));
    match contradiction {
        Contradiction::NeverAdded { remove } => {
            format!("{} took out an element that nothing had put in.", name(*remove))
        }
        Contradiction::RemovedTwice { add, removes: [first, second] } => format!(
            "{} and {} took out the same element, which {} had put in only once.",
            name(*first),
            name(*second),
            name(*add)
        ),
        Contradiction::RemovedBeforeAdded { add, remove } => format!(
            "{} returned before {} was called: it took out an element that was not there yet.",
            name(*remove),
            name(*add)
        ),
        Contradiction::QueueOrder { first_add, second_add, second_remove, first_remove } => {
            let added = format!("{} had returned before {} was called", name(*first_add), name(*second_add));
            let first_out = "what is first in must be first out";
            match first_remove {
                Some(first_remove) => format!(
                    "{} returned before {} was called, although {added}: {first_out}.",
                    name(*second_remove),
                    name(*first_remove)
                ),
                None => format!(
                    "{} returned although {added} and nothing took out the element of the former: {first_out}.",
                    name(*second_remove)
                ),
            }
        }
        Contradiction::NeverEmpty { empty, cover } => format!(
            "{} found nothing, although something was there all the time: {}.",
            name(*empty),
            covered(cover, name)
        ),
        Contradiction::HigherPriority { add, remove, cover } => format!(
            "{} took out what {} had put in, although something greater was there all the time: {}.",
            name(*remove),
            name(*add),
            covered(cover, name)
        ),
        Contradiction::StackOrder { elements } => {
            let element = |&(add, remove): &(OperationId, Option<OperationId>)| match remove {
                Some(remove) => format!("that of {} and {}", name(add), name(remove)),
                None => format!("that of {}, which nothing took out", name(add)),
            };
            let elements = listed(elements.iter().map(element), "; ", "; and ", "others");
            format!(
                "In every order, one of these elements of the stack comes out while another lies on top of it: \
                 {elements}."
            )
        }
        Contradiction::NeverWritten { read } => format!("{} read a value that nothing had written.", name(*read)),
        Contradiction::ReadBeforeWrite { write, read } => format!(
            "{} returned before {} was called: it read a value that was not there yet.",
            name(*read),
            name(*write)
        ),
        Contradiction::Clusters { first, second } => {
            let cluster = |ids: &[OperationId]| listed(ids.iter().map(|&id| name(id)), ", ", " and ", "others");
            format!(
                "{} saw or wrote one value, {} another, and each value would have to be there before the other.",
                cluster(first),
                cluster(second)
            )
        }
        Contradiction::Stuck { operation, operations, since, states } => {
            let others: Vec<OperationId> = operations.iter().copied().filter(|other| other != operation).collect();
            let mut sentence = format!("{} cannot have returned that", name(*operation));
            match others.len() {
                0 => {}
                1 => sentence += &format!(" together with {}", name(others[0])),
                count if count > LISTED => {
                    sentence += &format!(", whatever order {count} other operations are given");
                }
                _ => {
                    let others = listed(others.iter().map(|&id| name(id)), ", ", " and ", "others");
                    sentence += &format!(", whatever order {others} are given");
                }
            }
            let state = |states: &[String]| {
                listed(states.iter().map(|state| format!("`{state}`")), ", ", " or ", "other states")
            };
            if !since.is_empty() {
                sentence += &format!(", starting from {}", state(since));
            }
            if !states.is_empty() {
                sentence += &format!(": the state by then can only have been {}", state(states));
            }
            sentence + "."
        }
    }
}

/// What was there, one after another.
fn covered(cover: &[(OperationId, Option<OperationId>)], name: impl Fn(OperationId) -> String) -> String {
    let element = |&(add, remove): &(OperationId, Option<OperationId>)| match remove {
        Some(remove) => format!("what {} had put in, at least until {} was called", name(add), name(remove)),
        None => format!("what {} had put in, and nothing took out", name(add)),
    };
    match cover {
        [first, between @ .., last] if cover.len() > LISTED => {
            format!(
                "{}; then {} others, each before the last was gone; then {}",
                element(first),
                between.len(),
                element(last)
            )
        }
        _ => cover.iter().map(element).collect::<Vec<_>>().join("; by then "),
    }
}

/// These things as a list, the last few counted if there are too many.
fn listed(things: impl ExactSizeIterator<Item = String>, between: &str, before_last: &str, more: &str) -> String {
    let count = things.len();
    let mut things: Vec<String> = things.take(if count > LISTED { LISTED - 1 } else { count }).collect();
    let last = match count - things.len() {
        0 => things.pop(),
        rest => Some(format!("{rest} {more}")),
    };
    match last {
        Some(last) if things.is_empty() => last,
        Some(last) => format!("{}{before_last}{last}", things.join(between)),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations 0 to 9 are called by processes 0 to 9.
    fn check(contradiction: Contradiction, descriptions: &[&str], expected: &str) {
        let describe = |id: OperationId| descriptions.get(id.index()).map_or("op()", |text| text).to_owned();
        assert_eq!(sentence(&contradiction, describe, |id| id.0.into()), expected);
    }

    fn id(number: u32) -> OperationId {
        OperationId(number)
    }

    #[test]
    fn an_element_that_nothing_put_in() {
        check(
            Contradiction::NeverAdded { remove: id(0) },
            &["deq() → 5"],
            "`deq() → 5` by process 0 took out an element that nothing had put in.",
        );
    }

    #[test]
    fn an_element_that_came_out_twice() {
        check(
            Contradiction::RemovedTwice { add: id(0), removes: [id(1), id(2)] },
            &["enq(5)", "deq() → 5", "deq() → 5"],
            "`deq() → 5` by process 1 and `deq() → 5` by process 2 took out the same element, which `enq(5)` by \
             process 0 had put in only once.",
        );
    }

    #[test]
    fn an_element_that_came_out_too_early() {
        check(
            Contradiction::RemovedBeforeAdded { add: id(1), remove: id(0) },
            &["deq() → 5", "enq(5)"],
            "`deq() → 5` by process 0 returned before `enq(5)` by process 1 was called: it took out an element that \
             was not there yet.",
        );
    }

    #[test]
    fn two_elements_of_a_queue_that_came_out_in_the_wrong_order() {
        let (first_add, second_add, second_remove) = (id(0), id(3), id(2));
        check(
            Contradiction::QueueOrder { first_add, second_add, second_remove, first_remove: Some(id(1)) },
            &["enq(3)", "deq() → 3", "deq() → 5", "enq(5)"],
            "`deq() → 5` by process 2 returned before `deq() → 3` by process 1 was called, although `enq(3)` by \
             process 0 had returned before `enq(5)` by process 3 was called: what is first in must be first out.",
        );
    }

    #[test]
    fn an_element_of_a_queue_that_was_overtaken_and_never_came_out() {
        let (first_add, second_add, second_remove) = (id(0), id(1), id(2));
        check(
            Contradiction::QueueOrder { first_add, second_add, second_remove, first_remove: None },
            &["enq(3)", "enq(5)", "deq() → 5"],
            "`deq() → 5` by process 2 returned although `enq(3)` by process 0 had returned before `enq(5)` by process \
             1 was called and nothing took out the element of the former: what is first in must be first out.",
        );
    }

    #[test]
    fn a_collection_that_was_found_empty_while_something_was_there() {
        check(
            Contradiction::NeverEmpty { empty: id(3), cover: vec![(id(0), Some(id(1))), (id(2), None)] },
            &["push(1)", "pop() → 1", "push(2)", "pop() → nil"],
            "`pop() → nil` by process 3 found nothing, although something was there all the time: what `push(1)` by \
             process 0 had put in, at least until `pop() → 1` by process 1 was called; by then what `push(2)` by \
             process 2 had put in, and nothing took out.",
        );
    }

    #[test]
    fn a_long_cover_is_counted() {
        let cover = (1..=8).map(|number| (id(number), None)).collect();
        check(
            Contradiction::NeverEmpty { empty: id(0), cover },
            &[],
            "`op()` by process 0 found nothing, although something was there all the time: what `op()` by process 1 \
             had put in, and nothing took out; then 6 others, each before the last was gone; then what `op()` by \
             process 8 had put in, and nothing took out.",
        );
    }

    #[test]
    fn an_element_that_came_out_before_a_greater_one() {
        check(
            Contradiction::HigherPriority { add: id(0), remove: id(1), cover: vec![(id(2), Some(id(3)))] },
            &["insert(1)", "take() → 1", "insert(9)", "take() → 9"],
            "`take() → 1` by process 1 took out what `insert(1)` by process 0 had put in, although something greater \
             was there all the time: what `insert(9)` by process 2 had put in, at least until `take() → 9` by process \
             3 was called.",
        );
    }

    #[test]
    fn elements_of_a_stack_that_are_in_each_others_way() {
        check(
            Contradiction::StackOrder { elements: vec![(id(0), Some(id(2))), (id(1), None)] },
            &["push(1)", "push(2)", "pop() → 1"],
            "In every order, one of these elements of the stack comes out while another lies on top of it: that of \
             `push(1)` by process 0 and `pop() → 1` by process 2; and that of `push(2)` by process 1, which nothing \
             took out.",
        );
    }

    #[test]
    fn a_value_that_nothing_wrote() {
        check(
            Contradiction::NeverWritten { read: id(0) },
            &["read() → 5"],
            "`read() → 5` by process 0 read a value that nothing had written.",
        );
    }

    #[test]
    fn a_value_that_was_read_too_early() {
        check(
            Contradiction::ReadBeforeWrite { write: id(1), read: id(0) },
            &["read() → 5", "write(5)"],
            "`read() → 5` by process 0 returned before `write(5)` by process 1 was called: it read a value that was \
             not there yet.",
        );
    }

    #[test]
    fn two_values_that_each_come_first() {
        check(
            Contradiction::Clusters { first: vec![id(0), id(2)], second: vec![id(1)] },
            &["write(1)", "write(2)", "read() → 1"],
            "`write(1)` by process 0 and `read() → 1` by process 2 saw or wrote one value, `write(2)` by process 1 \
             another, and each value would have to be there before the other.",
        );
    }

    #[test]
    fn an_operation_that_cannot_return_what_it_did() {
        let states = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        let descriptions = ["write(1)", "write(2)", "read() → 3"];
        check(
            Contradiction::Stuck {
                operation: id(2),
                operations: vec![id(0), id(1), id(2)],
                since: vec![],
                states: states(&["1", "2"]),
            },
            &descriptions,
            "`read() → 3` by process 2 cannot have returned that, whatever order `write(1)` by process 0 and \
             `write(2)` by process 1 are given: the state by then can only have been `1` or `2`.",
        );
        check(
            Contradiction::Stuck {
                operation: id(2),
                operations: vec![id(0), id(2)],
                since: states(&["0", "7"]),
                states: vec![],
            },
            &descriptions,
            "`read() → 3` by process 2 cannot have returned that together with `write(1)` by process 0, starting from \
             `0` or `7`.",
        );
        check(
            Contradiction::Stuck { operation: id(2), operations: vec![id(2)], since: vec![], states: states(&["0"]) },
            &descriptions,
            "`read() → 3` by process 2 cannot have returned that: the state by then can only have been `0`.",
        );
    }

    #[test]
    fn many_operations_and_states_are_counted() {
        check(
            Contradiction::Stuck {
                operation: id(0),
                operations: (0..=9).map(id).collect(),
                since: vec![],
                states: (0..10).map(|state| state.to_string()).collect(),
            },
            &[],
            "`op()` by process 0 cannot have returned that, whatever order 9 other operations are given: the state by \
             then can only have been `0`, `1`, `2`, `3`, `4` or 5 other states.",
        );
    }
}
