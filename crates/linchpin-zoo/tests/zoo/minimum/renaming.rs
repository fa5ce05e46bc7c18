//! Clients that are the same but for the names of values and the order of threads.
//!
//! Values of first arguments have nothing to do with those of second ones: keys are keys, and what is kept under them is something
//! else.

use std::collections::HashMap;

use linchpin::{Client, Value};

/// The one client that stands for all that differ only in the order of threads and the names of values: of all orders of the
/// threads, with values numbered as they come, the first.
pub fn canonical(client: &Client) -> Client {
    let renamed = permutations(client.threads.len()).into_iter().map(|order| {
        let threads = order.iter().map(|&thread| client.threads[thread].clone()).collect();
        numbered(Client { threads, ..client.clone() })
    });
    renamed.min_by_key(|client| client.to_string()).expect("there is at least one order")
}

/// The client with its values numbered as they come, for each position of arguments.
fn numbered(mut client: Client) -> Client {
    let mut names: HashMap<(usize, Value), Value> = HashMap::new();
    let mut used: HashMap<usize, i64> = HashMap::new();
    for invocation in client.invocations_mut() {
        for (position, argument) in invocation.arguments.iter_mut().enumerate() {
            let name = names.entry((position, argument.clone())).or_insert_with(|| {
                let number = used.entry(position).or_default();
                *number += 1;
                Value::from(*number)
            });
            *argument = name.clone();
        }
    }
    client
}

/// All orders of the first so many numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for number in 0..count {
        let with = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..=order.len()).map(|place| [&order[..place], &[number], &order[place..]].concat()).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

mod tests {
    use linchpin::client;
    use linchpin_zoo::objects::LogicalOrderingTreeAdd;

    use super::*;

    const VALUES: i64 = 3;

    /// A small client with two kinds of values. The generator is a plain congruential one.
    fn random_client(state: &mut u64) -> Client {
        let mut below = |limit: u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 33) % limit
        };
        let mut sequence = |longest: u64| -> String {
            let calls = (0..below(longest + 1)).map(|_| {
                let operation = ["put", "remove"][below(2) as usize];
                format!("{operation}({}, {})", 1 + below(VALUES as u64), 1 + below(VALUES as u64))
            });
            calls.collect::<Vec<_>>().join("; ")
        };
        let threads = (0..3).map(|_| format!("{{ {} }}", sequence(1))).collect::<Vec<_>>().join(" || ");
        let text = format!("[{}] {threads} [{}]", sequence(1), sequence(1));
        client::<LogicalOrderingTreeAdd>(&text).client().clone()
    }

    /// All clients that are the same, by trying all names of both kinds of values and all orders of threads.
    fn all_the_same(client: &Client) -> Vec<Client> {
        let mut all = Vec::new();
        let names = permutations(VALUES as usize);
        for order in permutations(client.threads.len()) {
            for keys in &names {
                for items in &names {
                    let threads = order.iter().map(|&thread| client.threads[thread].clone()).collect();
                    let mut same = Client { threads, ..client.clone() };
                    for invocation in same.invocations_mut() {
                        for (argument, names) in invocation.arguments.iter_mut().zip([keys, items]) {
                            let old = argument.as_integer().expect("values are numbers");
                            *argument = Value::from(1 + names[old as usize - 1] as i64);
                        }
                    }
                    all.push(same);
                }
            }
        }
        all
    }

    #[test]
    fn clients_have_one_canonical_form_exactly_if_some_renaming_makes_them_equal() {
        let mut state = 7;
        let clients: Vec<Client> = (0..60).map(|_| random_client(&mut state)).collect();
        let mut same = 0;
        for (at, one) in clients.iter().enumerate() {
            let renamed = all_the_same(one);
            assert!(renamed.iter().all(|renamed| canonical(renamed) == canonical(one)), "{one}");
            for other in &clients[..at] {
                let is_same = renamed.contains(other);
                same += usize::from(is_same);
                assert_eq!(canonical(one) == canonical(other), is_same, "{one} and {other}");
            }
        }
        // Both answers occur.
        assert!((5..1_000).contains(&same), "{same}");
    }
}
