//! All clients within bounds, the small ones first, each once.
//!
//! Violat's authors found that random clients show violations sooner; but only an enumeration that came to its end can
//! say that no client of a size shows one.

use std::ops::RangeInclusive;

use linchpin_model::{AnyObject, Client, Invocation, ObjectOperation};

use crate::LeftOut;
use crate::alphabet::{Letter, alphabet};

/// Which clients are enumerated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// How many threads there are. By default 2.
    pub threads: RangeInclusive<usize>,
    /// How many invocations there are in all threads together; each thread has at least one. By default up to 4.
    pub invocations: RangeInclusive<usize>,
    /// How many different values an argument takes. By default 2.
    pub values: usize,
    /// How many invocations run before the threads. By default none.
    pub setup: RangeInclusive<usize>,
    /// How many invocations run after the threads. By default none.
    pub epilogue: RangeInclusive<usize>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { threads: 2..=2, invocations: 0..=4, values: 2, setup: 0..=0, epilogue: 0..=0 }
    }
}

/// Enumerates the clients of an object.
///
/// See [`enumerate_from`] for an example.
pub fn enumerate(object: AnyObject, bounds: &Bounds) -> Enumeration {
    enumerate_from(&object.operations(), bounds)
}

/// Enumerates the clients that invoke these operations: in order of size, and each once, in whatever order its threads
/// are.
///
/// ```
/// use linchpin_generate::{Bounds, enumerate_from};
/// use linchpin_model::ObjectOperation;
///
/// let take = ObjectOperation::new("take", vec![]);
/// let len = ObjectOperation { read_only: true, ..ObjectOperation::new("len", vec![]) };
/// let clients = enumerate_from(&[take, len], &Bounds { invocations: 2..=2, ..Bounds::default() });
/// assert_eq!(clients.total(), Some(3));
/// let texts: Vec<String> = clients.map(|client| client.to_string()).collect();
/// assert_eq!(texts, ["{ take() } || { take() }", "{ take() } || { len() }", "{ len() } || { len() }"]);
/// ```
pub fn enumerate_from(operations: &[ObjectOperation], bounds: &Bounds) -> Enumeration {
    let (letters, left_out) = alphabet(operations, bounds.values);
    let invocations: Vec<Invocation> = letters.iter().flat_map(Letter::invocations).collect();
    let shapes = if invocations.is_empty() { Vec::new() } else { shapes(bounds) };
    Enumeration { invocations, left_out, shapes, shape: 0, digits: None }
}

/// All clients within bounds.
pub struct Enumeration {
    /// What the digits stand for.
    invocations: Vec<Invocation>,
    left_out: Vec<LeftOut>,
    /// In order of size; none is empty unless it is the client without invocations.
    shapes: Vec<Shape>,
    /// Which shape's clients are enumerated.
    shape: usize,
    /// The last client returned, as a position in `invocations` for each position in the text. `None`: the next client
    /// is the first one of its shape.
    digits: Option<Vec<usize>>,
}

/// How many invocations stand where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    size: usize,
    setup: usize,
    /// The longest first. Threads of the same length are in the order of their digits: that makes one client of all that
    /// differ in the order of the threads.
    threads: Vec<usize>,
    epilogue: usize,
}

impl Enumeration {
    /// The operations that no client invokes, with the reasons.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// How many clients there are within the bounds, those that have been returned included. `None`: too many to count.
    pub fn total(&self) -> Option<u128> {
        let letters = self.invocations.len() as u128;
        self.shapes.iter().try_fold(0_u128, |sum, shape| sum.checked_add(shape.clients(letters)?))
    }

    fn client(&self, digits: &[usize]) -> Client {
        let mut digits = digits.iter();
        let mut take = |length: usize| -> Vec<Invocation> {
            digits.by_ref().take(length).map(|&digit| self.invocations[digit].clone()).collect()
        };
        let Shape { setup, threads, epilogue, .. } = &self.shapes[self.shape];
        Client {
            setup: take(*setup),
            threads: threads.iter().map(|&length| take(length)).collect(),
            epilogue: take(*epilogue),
        }
    }
}

impl Iterator for Enumeration {
    type Item = Client;

    fn next(&mut self) -> Option<Client> {
        let shape = self.shapes.get(self.shape)?;
        let next = match self.digits.take() {
            None => Some(vec![0; shape.size]),
            Some(digits) => shape.successor(digits, self.invocations.len()),
        };
        match next {
            Some(digits) => {
                let client = self.client(&digits);
                self.digits = Some(digits);
                Some(client)
            }
            None => {
                self.shape += 1;
                self.next()
            }
        }
    }
}

impl Shape {
    /// The next digits in lexicographic order among those whose threads of the same length are in order.
    fn successor(&self, mut digits: Vec<usize>, base: usize) -> Option<Vec<usize>> {
        let raised = digits.iter().rposition(|&digit| digit + 1 < base)?;
        digits[raised] += 1;
        digits[raised + 1..].fill(0);
        // A thread behind the raised digit starts over at the smallest word that is allowed: the one before it. The thread
        // with the raised digit has become greater, so it is still in order.
        let mut start = self.setup;
        for pair in self.threads.windows(2) {
            let second = start + pair[0];
            if pair[0] == pair[1] && second > raised {
                digits.copy_within(start..second, second);
            }
            start = second;
        }
        Some(digits)
    }

    /// How many clients there are: words for setup and epilogue, and for each length a multiset of words.
    fn clients(&self, letters: u128) -> Option<u128> {
        let words = |length: usize| letters.checked_pow(u32::try_from(length).ok()?);
        let mut clients = words(self.setup)?.checked_mul(words(self.epilogue)?)?;
        for group in self.threads.chunk_by(|a, b| a == b) {
            // Multisets of m among n: (n + m − 1) over m, built up so that every division is exact.
            let mut multisets = 1_u128;
            for m in 1..=group.len() as u128 {
                multisets = multisets.checked_mul(words(group[0])?.checked_add(m - 1)?)? / m;
            }
            clients = clients.checked_mul(multisets)?;
        }
        Some(clients)
    }
}

/// All shapes within the bounds, in order of size.
fn shapes(bounds: &Bounds) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for threads in bounds.threads.clone() {
        for length in bounds.invocations.clone() {
            for partition in partitions(length, threads, length) {
                for setup in bounds.setup.clone() {
                    for epilogue in bounds.epilogue.clone() {
                        let size = setup + length + epilogue;
                        shapes.push(Shape { size, setup, threads: partition.clone(), epilogue });
                    }
                }
            }
        }
    }
    shapes.sort();
    shapes
}

/// The ways to write a number as a sum of so many parts from 1 to `largest`, the greatest part first.
fn partitions(number: usize, parts: usize, largest: usize) -> Vec<Vec<usize>> {
    if parts == 0 {
        return if number == 0 { vec![Vec::new()] } else { Vec::new() };
    }
    (1..=largest.min(number))
        .flat_map(|first| {
            partitions(number - first, parts - 1, first).into_iter().map(move |rest| [&[first], &rest[..]].concat())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use linchpin_model::{ObjectArgument, Value};

    use super::*;
    use crate::canonical;

    /// So many operations without arguments.
    fn letters(count: usize) -> Vec<ObjectOperation> {
        ["a", "b", "c", "d"][..count].iter().map(|&name| ObjectOperation::new(name, vec![])).collect()
    }

    /// The number of clients, which must not have duplicates and must come in order of size.
    fn count(letter_count: usize, bounds: &Bounds) -> u128 {
        let clients: Vec<Client> = enumerate_from(&letters(letter_count), bounds).collect();
        assert!(clients.is_sorted_by_key(Client::len));
        let different: HashSet<Client> = clients.iter().map(canonical).collect();
        assert_eq!(different.len(), clients.len());
        assert_eq!(enumerate_from(&letters(letter_count), bounds).total(), Some(clients.len() as u128));
        clients.len() as u128
    }

    /// Burnside: two threads can be swapped. Of the (n − 1) kⁿ ways to write n letters in two threads in a row, the swap
    /// leaves those as they are whose threads are equal.
    #[test]
    fn counts_for_two_threads_are_burnsides() {
        for k in 1..=4_usize {
            for n in 2..=6_usize {
                let ordered = (n - 1) * k.pow(n as u32);
                let fixed = if n % 2 == 0 { k.pow(n as u32 / 2) } else { 0 };
                let bounds = Bounds { invocations: n..=n, ..Bounds::default() };
                assert_eq!(count(k, &bounds), ((ordered + fixed) / 2) as u128, "{k} letters, {n} invocations");
            }
        }
    }

    /// Burnside again: one identity, three swaps, two rotations.
    #[test]
    fn counts_for_three_threads_are_burnsides() {
        for k in 1..=3_usize {
            for n in 3..=6_usize {
                let power = |exponent: usize| k.pow(exponent as u32);
                let ordered = (n - 1) * (n - 2) / 2 * power(n);
                let swapped: usize = (1..n).filter(|equal| 2 * equal < n).map(|equal| power(n - equal)).sum();
                let rotated = if n % 3 == 0 { power(n / 3) } else { 0 };
                let expected = (ordered + 3 * swapped + 2 * rotated) / 6;
                let bounds = Bounds { threads: 3..=3, invocations: n..=n, ..Bounds::default() };
                assert_eq!(count(k, &bounds), expected as u128, "{k} letters, {n} invocations");
            }
        }
    }

    #[test]
    fn setup_and_epilogue_multiply_the_clients() {
        let threads = Bounds { threads: 1..=3, invocations: 0..=4, ..Bounds::default() };
        let around = Bounds { setup: 0..=2, epilogue: 1..=1, ..threads.clone() };
        assert_eq!(count(2, &around), count(2, &threads) * (1 + 2 + 4) * 2);
    }

    #[test]
    fn every_client_of_ordered_threads_has_its_canonical_form_enumerated() {
        let enumerated: HashSet<Client> =
            enumerate_from(&letters(2), &Bounds { threads: 3..=3, invocations: 5..=5, ..Bounds::default() })
                .map(|client| canonical(&client))
                .collect();
        // Words of five letters cut into three, independently of shapes and successors.
        let mut cut = HashSet::new();
        for word in 0..32_usize {
            for (first, second) in [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)] {
                let letter = |i: usize| Invocation {
                    operation: if word >> i & 1 == 0 { "a".into() } else { "b".into() },
                    arguments: vec![],
                };
                let thread = |range: std::ops::Range<usize>| range.map(letter).collect::<Vec<_>>();
                let threads = vec![thread(0..first), thread(first..second), thread(second..5)];
                cut.insert(canonical(&Client { threads, ..Client::default() }));
            }
        }
        assert_eq!(enumerated, cut);
    }

    #[test]
    fn arguments_take_all_their_values() {
        let argument = ObjectArgument { name: "key", domain: |n| (0..n as i64).map(Value::from).collect() };
        let put = ObjectOperation::new("put", vec![argument.clone(), argument]);
        let bounds = Bounds { threads: 1..=1, invocations: 1..=1, values: 2, ..Bounds::default() };
        let texts: Vec<String> = enumerate_from(&[put], &bounds).map(|client| client.to_string()).collect();
        assert_eq!(texts, ["{ put(0, 0) }", "{ put(0, 1) }", "{ put(1, 0) }", "{ put(1, 1) }"]);
    }

    #[test]
    fn without_operations_there_are_no_clients() {
        assert_eq!(enumerate_from(&[], &Bounds::default()).total(), Some(0));
        assert_eq!(enumerate_from(&[], &Bounds::default()).next(), None);
    }
}
