//! How many executions a crowd on a Treiber stack has, by counting instead of exploring.
//!
//! The successful exchanges on the top of the stack follow each other in modification order: an order of pushes and pops,
//! in which pops have something to take. Threads have one operation each, so nothing else relates them, and what is left
//! to choose is what each operation read:
//! - one that succeeds read what it replaced; its load before that read this write or an earlier one of the same pointer;
//! - a pop of the empty stack read null in its load, or some node in its load and null after that in its exchange.
//!
//! Iterations that fail otherwise are those that loop reduction leaves out. Pops of the empty stack are interchangeable,
//! so which choices they have made counts, but not who has made which.

/// Executions of `pushers` and `poppers` of which none is another one with threads renamed.
pub(super) fn classes(pushers: usize, poppers: usize) -> u64 {
    let mut state = State { tops: vec![None], stack: Vec::new(), pushers, pushed: 0, poppers };
    state.count()
}

/// Some pushes and pops have succeeded.
struct State {
    /// What was on top, in modification order. Nodes are named in the order in which they were pushed.
    tops: Vec<Option<usize>>,
    /// What is in the stack, the top last.
    stack: Vec<usize>,
    /// How many pushes are to come.
    pushers: usize,
    /// How many nodes there are.
    pushed: usize,
    /// How many pops are to come, or find the stack empty.
    poppers: usize,
}

impl State {
    fn count(&mut self) -> u64 {
        let top = self.stack.last().copied();
        let loads = self.tops.iter().filter(|&&earlier| earlier == top).count() as u64;
        let mut sum = 0;
        if self.pushers > 0 {
            sum += loads * self.count_after_push();
        }
        if self.poppers > 0 && top.is_some() {
            sum += loads * self.count_after_pop();
        }
        if self.pushers == 0 {
            sum += multisets(self.ways_to_find_nothing(), self.poppers as u64);
        }
        sum
    }

    fn count_after_push(&mut self) -> u64 {
        self.stack.push(self.pushed);
        self.tops.push(Some(self.pushed));
        self.pushers -= 1;
        self.pushed += 1;
        let sum = self.count();
        self.pushed -= 1;
        self.pushers += 1;
        self.tops.pop();
        self.stack.pop();
        sum
    }

    fn count_after_pop(&mut self) -> u64 {
        let taken = self.stack.pop();
        self.tops.push(self.stack.last().copied());
        self.poppers -= 1;
        let sum = self.count();
        self.poppers += 1;
        self.tops.pop();
        self.stack.extend(taken);
        sum
    }

    /// Null alone, or a node and then null.
    fn ways_to_find_nothing(&self) -> u64 {
        let (mut ways, mut nodes) = (0, 0);
        for top in &self.tops {
            match top {
                Some(_) => nodes += 1,
                None => ways += 1 + nodes,
            }
        }
        ways
    }
}

/// How many ways to take `size` of `kinds`, with repetition, in no order.
fn multisets(kinds: u64, size: u64) -> u64 {
    (1..=size).fold(1, |product, i| product * (kinds + i - 1) / i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_are_counted_by_hand() {
        assert_eq!(classes(1, 1), 2, "the pop comes first or second");
        assert_eq!(classes(1, 2), 4, "none, one, or both find nothing before the push; or the second after the first");
        assert_eq!(classes(2, 0), 1);
    }

    #[test]
    fn multisets_are_counted_right() {
        assert_eq!(multisets(3, 2), 6);
        assert_eq!(multisets(5, 0), 1);
        assert_eq!(multisets(0, 1), 0);
    }
}
