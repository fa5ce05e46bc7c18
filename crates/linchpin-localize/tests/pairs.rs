//! Clients with one invocation against one, against a list of all clients that are made by trying everything.

use std::collections::HashSet;

use fastrand::Rng;
use linchpin_generate::canonical;
use linchpin_localize::{one_against_one, one_against_one_with_less};
use linchpin_model::{Client, Invocation, Value};

/// A few different invocations, with and without an argument.
fn invocations(random: &mut Rng) -> Vec<Invocation> {
    let mut all: Vec<Invocation> = Vec::new();
    for operation in ["pop", "size", "push", "find"] {
        let values = match operation {
            "pop" | "size" => vec![vec![]],
            _ => vec![vec![Value::from(1)], vec![Value::from(2)]],
        };
        all.extend(values.into_iter().map(|arguments| Invocation { operation: operation.into(), arguments }));
    }
    random.shuffle(&mut all);
    all.truncate(random.usize(0..=all.len()));
    all
}

#[test]
fn each_two_invocations_meet_once_after_the_setup_and_before_somebody_looks_at_everything() {
    let mut random = Rng::with_seed(3);
    for _ in 0..300 {
        let invocations = invocations(&mut random);
        let setup: Vec<Invocation> =
            (0..random.usize(0..4)).filter_map(|_| random.choice(invocations.iter()).cloned()).collect();
        let clients: Vec<Client> = one_against_one(&setup, &invocations).collect();
        // All ways to choose both, of which those that differ in the order of threads are the same.
        let mut expected = HashSet::new();
        for one in &invocations {
            for other in &invocations {
                let threads = vec![vec![one.clone()], vec![other.clone()]];
                expected.insert(canonical(&Client { threads, ..Client::default() }).threads);
            }
        }
        let threads: Vec<_> = clients.iter().map(|client| canonical(client).threads).collect();
        assert_eq!(threads.iter().cloned().collect::<HashSet<_>>(), expected);
        assert_eq!(threads.len(), expected.len(), "some come twice");
        for Client { setup: before, epilogue, .. } in &clients {
            assert_eq!(*before, setup);
            // What takes something out does so as often as there may be something: once for each invocation before it.
            for invocation in &invocations {
                let times = epilogue.iter().filter(|looking| *looking == invocation).count();
                assert_eq!(times, if invocation.arguments.is_empty() { setup.len() + 2 } else { 1 }, "{invocation}");
            }
            // Nothing else is there, and nothing is put in before all has been taken out.
            assert!(epilogue.iter().all(|looking| invocations.contains(looking)));
            assert!(epilogue.is_sorted_by_key(|looking| looking.arguments.len()), "{epilogue:?}");
        }
    }
}

#[test]
fn with_less_around_there_is_every_client_of_one_size_or_none() {
    let mut random = Rng::with_seed(4);
    for _ in 0..100 {
        let invocations = invocations(&mut random);
        let around = random.usize(0..4);
        let clients = one_against_one_with_less(around, &invocations);
        let size = |client: &Client| client.setup.len() + client.epilogue.len();
        assert!(clients.is_sorted_by_key(size) && clients.len() <= 200);
        let mut left = 200;
        for length in 0..around {
            let of_size: Vec<&Client> = clients.iter().filter(|client| size(client) == length).collect();
            // Two threads, the order of which does not matter, and each place around them with any invocation.
            let n = invocations.len();
            let all = n * (n + 1) / 2 * (length + 1) * n.pow(length as u32);
            let has_room = all <= left;
            left = if has_room { left - all } else { 0 };
            assert_eq!(of_size.len(), if has_room { all } else { 0 });
            let different: HashSet<String> = of_size.iter().map(|client| client.to_string()).collect();
            assert_eq!(different.len(), of_size.len(), "some come twice");
            for client in of_size {
                assert_eq!(client.threads.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
                assert!(client.invocations().all(|invocation| invocations.contains(invocation)));
            }
        }
    }
}
