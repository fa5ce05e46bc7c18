//! Clients drawn at random, as Violat draws them (Emmi and Enea, CAV 2019, section 3): each one on its own, with numbers
//! of threads and invocations within bounds, and operations by weight.
//!
//! Deviations from the paper:
//! - There may be a setup and an epilogue, see [`Options`]. The paper's clients have neither.
//! - An operation of which nothing was said counts as trusted, so that mutators prevail without any annotation.
//! - At least one invocation in the threads is a mutator, if there are mutators: threads that only read cannot disturb
//!   each other.
//! - No client comes twice.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use linchpin_model::{AnyObject, Client, Invocation, ObjectOperation, SplitMix};

use crate::alphabet::{Letter, alphabet};
use crate::{LeftOut, canonical};

/// So many clients in a row that were drawn before: then there are hardly any others.
const ATTEMPTS: usize = 10_000;

/// What random clients look like.
///
/// The paper's clients have neither setup nor epilogue. Ours have, because more of them fail: of 1 000 clients for each
/// of the six faulty objects in `tests/defaults.rs`, so many of the 6 000 have an outcome that is not admitted:
///
/// | setup   | epilogue 0 | 0 to 2 | 2     | 3     | 4     |
/// | ------- | ---------- | ------ | ----- | ----- | ----- |
/// | 0       | 933        | 1 558  | 1 666 | 1 960 | 2 065 |
/// | 0 to 1  | 976        | 1 604  | 1 859 | 2 040 | 2 124 |
/// | 0 to 2  | 999        | 1 545  | 1 925 | 2 153 | 2 245 |
///
/// Both run sequentially, so they hardly cost anything when the client is run. A fourth invocation in the epilogue adds
/// little. (One of the six, a counter, has fewer than 1 000 clients without setup and epilogue; the other five alone give
/// 870 without either and 1 375 with the default.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How many threads there are. By default 2: 96 % of concurrency bugs need no more (Lu et al., ASPLOS 2008).
    pub threads: RangeInclusive<usize>,
    /// How many invocations there are in all threads together; each thread has at least one. By default 3 to 6.
    pub invocations: RangeInclusive<usize>,
    /// How many different values an argument takes. By default 2.
    pub values: usize,
    /// How many mutators run before the threads, if there are mutators. By default 0 to 2.
    pub setup: RangeInclusive<usize>,
    /// How many operations, preferably read-only ones, run after the threads. By default 3.
    pub epilogue: RangeInclusive<usize>,
    /// Does each client invoke exactly one of the operations that are not trusted (once or more), so that it is to blame
    /// for what is found? Of no effect if all are trusted. By default not.
    pub one_untrusted: bool,
    /// Is there a single invocation in one thread, and are there only mutators in the others? See
    /// [`one_against_many`](Self::one_against_many). Of no effect without mutators, or with one thread. By default not.
    pub one_against_many: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 2..=2,
            invocations: 3..=6,
            values: 2,
            setup: 0..=2,
            epilogue: 3..=3,
            one_untrusted: false,
            one_against_many: false,
        }
    }
}

impl Options {
    /// The paper's clients: neither setup nor epilogue.
    pub fn violat() -> Options {
        Options { setup: 0..=0, epilogue: 0..=0, ..Options::default() }
    }

    /// One operation, and what many mutators in another thread do to it.
    ///
    /// The paper on CGVT observes that in the smallest client that shows a fault some thread has one operation (section
    /// III-C), and gains by trying only such clients. What its table has as rare is rare because the *other* thread has to do
    /// several things in the right order meanwhile: change something back (a snapshot), or take away what a traversal has
    /// counted, leave where it stands, and add what is in front of it (a size), which takes three elements.
    ///
    /// Such clients can afford that. One operation has n + 1 places among n others, where two threads of 3 have 20 orders, so
    /// there are few outcomes to be computed. So there are up to 7 mutators here, and 4 values. What is
    /// alone is a read-only operation, if there is one: it fails only by being disturbed, and mutators are alone against others
    /// often enough in the usual clients.
    pub fn one_against_many() -> Options {
        Options { invocations: 5..=8, values: 4, one_against_many: true, ..Options::default() }
    }
}

/// Draws clients of an object. The same seed gives the same clients everywhere.
///
/// See [`generate_from`] for an example.
pub fn generate(object: AnyObject, seed: u64, options: Options) -> Clients {
    generate_from(&object.operations(), seed, options)
}

/// Draws clients that invoke these operations. The same seed gives the same clients everywhere.
///
/// ```
/// use linchpin_generate::{Options, generate_from};
/// use linchpin_model::{ObjectArgument, ObjectOperation, Value};
///
/// let value = ObjectArgument { name: "value", domain: |n| (0..n as i64).map(Value::from).collect() };
/// let push = ObjectOperation::new("push", vec![value]);
/// let pop = ObjectOperation::new("pop", vec![]);
///
/// let clients = generate_from(&[push, pop], 7, Options::default());
/// assert!(clients.left_out().is_empty());
/// for client in clients.take(100) {
///     assert_eq!(client.threads.len(), 2);
/// }
/// ```
pub fn generate_from(operations: &[ObjectOperation], seed: u64, options: Options) -> Clients {
    let (letters, left_out) = alphabet(operations, options.values);
    let ended = if letters.is_empty() {
        Some(Ended::NoOperations)
    } else {
        let Options { threads, invocations, setup, epilogue, .. } = &options;
        let is_possible = [threads, invocations, setup, epilogue].iter().all(|range| !range.is_empty())
            && threads.start() <= invocations.end()
            && *threads.end() > 0;
        (!is_possible).then_some(Ended::Impossible)
    };
    Clients { letters, left_out, options, random: SplitMix::new(seed), seen: HashSet::new(), ended }
}

/// Random clients, no two of which differ only in the order of their threads.
pub struct Clients {
    /// Not empty unless `ended`.
    letters: Vec<Letter>,
    left_out: Vec<LeftOut>,
    /// The ranges are not empty unless `ended`.
    options: Options,
    random: SplitMix,
    /// The canonical forms of those that were returned.
    seen: HashSet<Client>,
    ended: Option<Ended>,
}

/// Why there are no more random clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// There is no operation, or all were left out.
    NoOperations,
    /// No client is within the bounds: a range is empty, or there are more threads than invocations.
    Impossible,
    /// All of many attempts gave a client that had been drawn before. There may be a few more.
    NothingNew,
}

impl Clients {
    /// The operations that no client invokes, with the reasons.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Why there are no more clients. `None`: there may be.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// A client, perhaps one that was drawn before. `None`: it would not be worth running.
    fn draw(&mut self) -> Option<Client> {
        let Options { threads, invocations, setup, epilogue, one_untrusted, one_against_many, .. } =
            self.options.clone();
        // A thread without invocations is none, so the bounds limit each other.
        let threads = self.random.within(&(*threads.start().max(&1)..=*threads.end().min(invocations.end())));
        let length = self.random.within(&(*invocations.start().max(&threads)..=*invocations.end()));

        let suspects = self.positions(|letter| letter.trusted == Some(false));
        let suspect = (one_untrusted && !suspects.is_empty()).then(|| suspects[self.random.below(suspects.len())]);
        let is_in_use = |position| suspect.is_none_or(|suspect| suspect == position || !suspects.contains(&position));

        let weigh = |weight: &dyn Fn(&Letter) -> usize| -> Vec<usize> {
            let weight_at = |(i, letter)| if is_in_use(i) { weight(letter) } else { 0 };
            self.letters.iter().enumerate().map(weight_at).collect()
        };
        let usual = |letter: &Letter| if letter.read_only || letter.trusted == Some(false) { 1 } else { 3 };
        let in_setup = weigh(&|letter| usize::from(!letter.read_only));
        let in_epilogue = weigh(&|letter| if letter.read_only { 3 } else { 1 });
        let mutators: usize = in_setup.iter().sum();
        let readers: usize = weigh(&|letter| usize::from(letter.read_only)).iter().sum();

        // One stays alone in the last thread, and the crowd is what deals with the others.
        let is_alone = one_against_many && mutators > 0 && threads > 1;
        let crowd = if is_alone { threads - 1 } else { threads };
        let in_crowd = weigh(&|letter| if is_alone && letter.read_only { 0 } else { usual(letter) });
        let mut chosen: Vec<usize> = (0..length).map(|_| self.random.weighted(&in_crowd)).collect();
        if is_alone {
            let alone = weigh(&|letter| usize::from(letter.read_only || readers == 0));
            chosen[length - 1] = suspect.unwrap_or_else(|| self.random.weighted(&alone));
        } else if let Some(suspect) = suspect {
            let place = self.random.below(length);
            chosen[place] = suspect;
        }
        if mutators > 0 && chosen.iter().all(|&letter| self.letters[letter].read_only) {
            return None;
        }

        let mut client = Client { threads: vec![Vec::new(); threads], ..Client::default() };
        for (i, letter) in chosen.into_iter().enumerate() {
            let thread = match i {
                _ if is_alone && i == length - 1 => crowd,
                _ if i < crowd => i,
                _ => self.random.below(crowd),
            };
            client.threads[thread].push(self.invocation(letter));
        }
        if mutators > 0 {
            client.setup = self.sequence(&setup, &in_setup);
        }
        client.epilogue = self.sequence(&epilogue, &in_epilogue);
        Some(client)
    }

    fn positions(&self, is_meant: impl Fn(&Letter) -> bool) -> Vec<usize> {
        (0..self.letters.len()).filter(|&i| is_meant(&self.letters[i])).collect()
    }

    fn sequence(&mut self, length: &RangeInclusive<usize>, weights: &[usize]) -> Vec<Invocation> {
        let length = self.random.within(length);
        (0..length)
            .map(|_| {
                let letter = self.random.weighted(weights);
                self.invocation(letter)
            })
            .collect()
    }

    fn invocation(&mut self, letter: usize) -> Invocation {
        let Letter { name, domains, .. } = &self.letters[letter];
        let arguments = domains.iter().map(|domain| domain[self.random.below(domain.len())].clone()).collect();
        Invocation { operation: name.clone(), arguments }
    }
}

impl Iterator for Clients {
    type Item = Client;

    fn next(&mut self) -> Option<Client> {
        if self.ended.is_some() {
            return None;
        }
        for _ in 0..ATTEMPTS {
            if let Some(client) = self.draw()
                && self.seen.insert(canonical(&client))
            {
                return Some(client);
            }
        }
        self.ended = Some(Ended::NothingNew);
        None
    }
}

#[cfg(test)]
mod tests {
    use linchpin_model::{ObjectArgument, Value};

    use super::*;
    use crate::Why;

    fn operation(name: &'static str, arguments: usize, read_only: bool, trusted: Option<bool>) -> ObjectOperation {
        let argument = ObjectArgument { name: "value", domain: |n| (0..n as i64).map(Value::from).collect() };
        ObjectOperation { read_only, trusted, ..ObjectOperation::new(name, vec![argument; arguments]) }
    }

    fn map() -> Vec<ObjectOperation> {
        vec![
            operation("put", 2, false, None),
            operation("remove", 1, false, Some(true)),
            operation("len", 0, true, None),
            operation("clear", 0, false, Some(false)),
            operation("keys", 0, true, Some(false)),
        ]
    }

    #[test]
    fn a_seed_gives_the_same_clients_everywhere() {
        let options = Options { setup: 0..=2, epilogue: 0..=2, ..Options::violat() };
        let clients: Vec<String> =
            generate_from(&map(), 42, options).take(3).map(|client| client.to_string()).collect();
        assert_eq!(
            clients,
            [
                "[remove(1)] { put(1, 0); put(1, 0) } || { remove(1) } [remove(0)]",
                "{ len() } || { keys(); put(1, 0) } [keys(); keys()]",
                "{ clear(); remove(1); remove(0) } || { remove(0); clear(); put(1, 0) }"
            ]
        );
    }

    #[test]
    fn clients_are_within_their_bounds() {
        let options = Options {
            threads: 2..=3,
            invocations: 2..=5,
            values: 3,
            setup: 0..=1,
            epilogue: 1..=2,
            ..Options::default()
        };
        let mut lengths = HashSet::new();
        for client in generate_from(&map(), 1, options).take(5_000) {
            let threads: usize = client.threads.iter().map(Vec::len).sum();
            assert!((2..=5).contains(&threads) && (2..=3).contains(&client.threads.len()), "{client}");
            assert!(client.setup.len() <= 1 && (1..=2).contains(&client.epilogue.len()), "{client}");
            assert!(client.threads.iter().all(|thread| !thread.is_empty()), "{client}");
            assert!(client.setup.iter().all(|call| !["len", "keys"].contains(&&*call.operation)), "{client}");
            let is_mutator = |call: &Invocation| !["len", "keys"].contains(&&*call.operation);
            assert!(client.threads.iter().flatten().any(is_mutator), "{client}");
            lengths.insert((client.threads.len(), threads));
        }
        assert_eq!(lengths.len(), 7, "2 threads with 2 to 5 invocations, 3 threads with 3 to 5");
    }

    #[test]
    fn no_client_comes_twice_in_whatever_order_of_threads() {
        let clients: Vec<Client> = generate_from(&map(), 2, Options::violat()).take(20_000).collect();
        let different: HashSet<Client> = clients.iter().map(canonical).collect();
        assert_eq!(different.len(), 20_000);
    }

    #[test]
    fn a_small_space_is_exhausted_and_says_so() {
        let options = Options { invocations: 2..=2, ..Options::violat() };
        let mut clients = generate_from(&[operation("write", 1, false, None)], 3, options);
        assert_eq!(clients.by_ref().count(), 3, "0 beside 0, 0 beside 1, 1 beside 1");
        assert_eq!(clients.ended(), Some(Ended::NothingNew));
    }

    #[test]
    fn trusted_mutators_are_three_times_as_likely() {
        let options = Options { invocations: 6..=6, values: 1_000, ..Options::violat() };
        let mut counts = std::collections::HashMap::new();
        for client in generate_from(&map(), 4, options).take(20_000) {
            for call in client.threads.iter().flatten() {
                *counts.entry(call.operation.to_string()).or_insert(0_u32) += 1;
            }
        }
        // 3 + 3 + 1 + 1 + 1 = 9 shares of 120 000.
        for (operation, share) in [("put", 3), ("remove", 3), ("len", 1), ("clear", 1), ("keys", 1)] {
            assert!(counts[operation].abs_diff(share * 120_000 / 9) < 1_000, "{counts:?}");
        }
    }

    #[test]
    fn when_asked_one_read_only_operation_is_alone_against_mutators() {
        let options = Options { threads: 2..=3, ..Options::one_against_many() };
        let is_mutator = |call: &Invocation| !["len", "keys"].contains(&&*call.operation);
        for client in generate_from(&map(), 8, options).take(10_000) {
            let (alone, crowd) = client.threads.split_last().unwrap();
            assert!(alone.len() == 1 && crowd.iter().flatten().all(is_mutator), "{client}");
            assert!(crowd.iter().all(|thread| !thread.is_empty()), "{client}");
            assert!((5..=8).contains(&client.threads.iter().map(Vec::len).sum::<usize>()), "{client}");
            assert!(!is_mutator(&alone[0]), "{client}");
        }
        let mutators = [operation("push", 1, false, None), operation("pop", 0, false, None)];
        let alone: HashSet<String> = generate_from(&mutators, 8, Options::one_against_many())
            .take(100)
            .map(|client| client.threads[1][0].operation.to_string())
            .collect();
        assert_eq!(alone.len(), 2, "without read-only operations, any may be alone");
    }

    #[test]
    fn what_is_to_blame_is_alone_against_what_is_trusted() {
        let options = Options { one_untrusted: true, ..Options::one_against_many() };
        let blamed: HashSet<String> = generate_from(&map(), 9, options)
            .take(1_000)
            .map(|client| client.threads[1][0].operation.to_string())
            .collect();
        assert_eq!(blamed, ["clear".to_owned(), "keys".to_owned()].into());
    }

    #[test]
    fn without_mutators_or_with_one_thread_nothing_is_alone() {
        let readers = [operation("len", 0, true, None), operation("contains", 1, true, None)];
        let lengths = |operations: &[ObjectOperation], threads| -> HashSet<usize> {
            let clients = generate_from(operations, 10, Options { threads, ..Options::one_against_many() }).take(1_000);
            clients.map(|client| client.threads.last().unwrap().len()).collect()
        };
        assert!(lengths(&readers, 2..=2).len() > 1);
        assert!(lengths(&map(), 1..=1).len() > 1);
    }

    #[test]
    fn when_asked_one_untrusted_operation_is_to_blame() {
        let options = Options { one_untrusted: true, ..Options::default() };
        let mut blamed = HashSet::new();
        for client in generate_from(&map(), 5, options).take(5_000) {
            let untrusted = |call: &&Invocation| ["clear", "keys"].contains(&&*call.operation);
            let all: HashSet<_> = client.invocations().filter(untrusted).map(|call| call.operation.clone()).collect();
            assert_eq!(all.len(), 1, "{client}");
            assert!(client.threads.iter().flatten().any(|call| all.contains(&call.operation)), "{client}");
            blamed.extend(all);
        }
        assert_eq!(blamed.len(), 2);
    }

    #[test]
    fn what_cannot_be_invoked_is_left_out_with_a_reason() {
        let nothing = ObjectArgument { name: "callback", domain: |_| vec![] };
        let each = ObjectOperation { arguments: vec![nothing], ..operation("each", 0, true, None) };
        let operations = [operation("len", 0, true, None), each.clone(), operation("len", 1, false, None)];
        let mut clients = generate_from(&operations, 6, Options::default());
        let left_out: Vec<String> = clients.left_out().iter().map(LeftOut::to_string).collect();
        assert_eq!(
            left_out,
            [
                "`each` is left out: its argument `callback` has no values",
                "a second `len` is left out: invocations know operations by name"
            ]
        );
        assert!(clients.next().is_some());

        let mut none = generate_from(&[each], 6, Options::default());
        assert_eq!((none.next(), none.ended()), (None, Some(Ended::NoOperations)));
        assert_eq!(none.left_out()[0].why, Why::NoValues { argument: "callback" });
    }

    #[test]
    fn impossible_bounds_end_at_once() {
        for options in [
            Options { threads: 3..=3, invocations: 1..=2, ..Options::default() },
            Options { threads: 0..=0, ..Options::default() },
            #[allow(clippy::reversed_empty_ranges)]
            Options { setup: 2..=1, ..Options::default() },
        ] {
            let mut clients = generate_from(&map(), 7, options);
            assert_eq!((clients.next(), clients.ended()), (None, Some(Ended::Impossible)));
        }
    }
}
