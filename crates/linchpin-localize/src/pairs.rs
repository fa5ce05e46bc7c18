//! Clients with one invocation against one, for when making a client smaller step by step has ended with more.
//!
//! Steps that only take something away end at a client from which nothing can go. That may be a different way to fail than the
//! shortest one: `{ look(1); add(1) } || { remove(1) }` has no smaller client in it, and still `{ add(2) } || { remove(1) }` may fail
//! too, once somebody looks. There are few clients with one invocation against one, so all of them can be tried.
//!
//! The same holds for what is before and after: nothing can go from `[add(2)] { add(1) } || { remove(2) } [contains(1)]`, and still
//! `[add(2)] { remove(2) } || { remove(2) }` may fail.

use linchpin_model::{Client, Invocation};

/// All clients with this setup and two of these invocations in two threads, each with an epilogue that looks at as much as it can.
///
/// ```
/// use linchpin_generate::parse;
/// use linchpin_localize::one_against_one;
///
/// let known = parse("[add(1)] { add(2) } || { remove(1) }").unwrap();
/// let invocations: Vec<_> = known.threads.concat();
/// let clients: Vec<String> = one_against_one(&known.setup, &invocations).map(|client| client.to_string()).collect();
/// assert_eq!(clients, [
///     "[add(1)] { add(2) } || { add(2) } [remove(1); add(2)]",
///     "[add(1)] { add(2) } || { remove(1) } [remove(1); add(2)]",
///     "[add(1)] { remove(1) } || { remove(1) } [remove(1); add(2)]",
/// ]);
/// ```
pub fn one_against_one<'a>(
    setup: &'a [Invocation],
    invocations: &'a [Invocation],
) -> impl Iterator<Item = Client> + 'a {
    let epilogue = looking(setup.len() + 2, invocations);
    let client = move |threads| Client { setup: setup.to_vec(), threads, epilogue: epilogue.clone() };
    pairs(invocations).map(client)
}

/// So many clients are tried at most.
const MOST: usize = 200;

/// All clients with one of these invocations against one, and fewer of them than `around` before and after; the fewer, the earlier.
/// Those of a size that would make them too many are left out, and larger ones.
///
/// ```
/// use linchpin_generate::parse;
/// use linchpin_localize::one_against_one_with_less;
///
/// let known = parse("[add(2)] { add(1) } || { remove(2) } [contains(1)]").unwrap();
/// let invocations: Vec<_> = known.invocations().cloned().collect();
/// let clients: Vec<String> =
///     one_against_one_with_less(2, &invocations).iter().map(|client| client.to_string()).collect();
/// assert_eq!(clients[0], "{ add(2) } || { add(2) }");
/// assert!(clients.contains(&"[add(2)] { remove(2) } || { remove(2) }".to_owned()));
/// ```
pub fn one_against_one_with_less(around: usize, invocations: &[Invocation]) -> Vec<Client> {
    let mut clients = Vec::new();
    // Everything that may be around: sequences of the length that it is about.
    let mut sequences: Vec<Vec<Invocation>> = vec![Vec::new()];
    for length in 0..around {
        if clients.len() + sequences.len() * (length + 1) * pairs(invocations).count() > MOST {
            break;
        }
        for (sequence, before) in
            sequences.iter().flat_map(|sequence| (0..=length).map(move |before| (sequence, before)))
        {
            let (setup, epilogue) = sequence.split_at(before);
            let client = |threads| Client { setup: setup.to_vec(), threads, epilogue: epilogue.to_vec() };
            clients.extend(pairs(invocations).map(client));
        }
        let longer = |sequence: Vec<Invocation>| {
            invocations.iter().map(move |next| [&sequence[..], std::slice::from_ref(next)].concat())
        };
        sequences = sequences.into_iter().flat_map(longer).collect();
    }
    clients
}

/// Two threads with one invocation each, in all ways. A thread that runs the same as the other is one of them, too.
fn pairs(invocations: &[Invocation]) -> impl Iterator<Item = Vec<Vec<Invocation>>> {
    let pairs =
        invocations.iter().enumerate().flat_map(|(at, one)| invocations[at..].iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| vec![vec![one.clone()], vec![other.clone()]])
}

/// What shows most of the state: what takes no argument, as often as there can be something to take, then everything else once. The
/// last invocations come first, since people begin with those that build something up.
fn looking(elements: usize, invocations: &[Invocation]) -> Vec<Invocation> {
    let takes_nothing = |invocation: &&Invocation| invocation.arguments.is_empty();
    let taking = invocations
        .iter()
        .filter(takes_nothing)
        .cycle()
        .take(elements * invocations.iter().filter(takes_nothing).count());
    taking.chain(invocations.iter().rev().filter(|invocation| !takes_nothing(invocation))).cloned().collect()
}
