//! Outcomes as slowly as possible, sharing nothing with the crate.

use std::collections::BTreeSet;

use linchpin_model::{Client, Invocation, Outcome, Value};

/// All outcomes: every permutation of the text's positions is tried, and run if it keeps the client's order.
#[allow(dead_code, reason = "each test uses a part of this")]
pub fn brute_force(client: &Client, create: impl Fn() -> Box<dyn FnMut(&Invocation) -> Value>) -> BTreeSet<Outcome> {
    let invocations: Vec<Invocation> = client.invocations().cloned().collect();
    let (setup, end) = (client.setup.len(), invocations.len() - client.epilogue.len());
    let mut outcomes = BTreeSet::new();
    permutations(&mut (setup..end).collect::<Vec<_>>(), 0, &mut |middle| {
        let order: Vec<usize> = (0..setup).chain(middle.iter().copied()).chain(end..invocations.len()).collect();
        if keeps_the_order(client, &order) {
            let mut object = create();
            let mut returned: Vec<(usize, Value)> =
                order.iter().map(|&place| (place, object(&invocations[place]))).collect();
            returned.sort();
            outcomes.insert(Outcome(returned.into_iter().map(|(_, value)| value).collect()));
        }
    });
    outcomes
}

/// Does the order have every position once, the setup first, the epilogue last, and each thread in its own order?
pub fn keeps_the_order(client: &Client, order: &[usize]) -> bool {
    // For each position the part of the client (setup 0, threads from 1, epilogue last) that it belongs to.
    let lengths =
        [client.setup.len()].into_iter().chain(client.threads.iter().map(Vec::len)).chain([client.epilogue.len()]);
    let parts: Vec<usize> = lengths.enumerate().flat_map(|(part, length)| vec![part; length]).collect();
    let last = client.threads.len() + 1;
    let precedes = |a: usize, b: usize| {
        (parts[a] == parts[b] && a < b) || (parts[a] != parts[b] && (parts[a] == 0 || parts[b] == last))
    };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted == (0..parts.len()).collect::<Vec<_>>()
        && (0..order.len()).all(|later| (0..later).all(|earlier| !precedes(order[later], order[earlier])))
}

/// Visits every order of the items from `fixed` on.
pub fn permutations(items: &mut [usize], fixed: usize, visit: &mut impl FnMut(&[usize])) {
    if fixed == items.len() {
        return visit(items);
    }
    for chosen in fixed..items.len() {
        items.swap(fixed, chosen);
        permutations(items, fixed + 1, visit);
        items.swap(fixed, chosen);
    }
}
