//! Clients with one invocation against one, for when making a client smaller step by step has ended with more.
//!
//! Steps that only take something away end at a client from which nothing can go. That may be a different way to fail than the
//! shortest one: `{ look(1); add(1) } || { remove(1) }` has no smaller client in it, and still `{ add(2) } || { remove(1) }` may fail
//! too, once somebody looks. There are few clients with one invocation against one, so all of them can be tried.

use linchpin_model::{Client, Invocation};

/// All clients with this setup and two of these invocations in two threads, each with an epilogue that looks at as much as it can. A
/// thread that runs the same as the other is one of them, too.
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
    let pairs =
        invocations.iter().enumerate().flat_map(|(at, one)| invocations[at..].iter().map(move |other| (one, other)));
    pairs.map(move |(one, other)| Client {
        setup: setup.to_vec(),
        threads: vec![vec![one.clone()], vec![other.clone()]],
        epilogue: epilogue.clone(),
    })
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
