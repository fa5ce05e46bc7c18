//! Random clients of several kinds.

use std::collections::HashSet;

use linchpin_model::{AnyObject, Client};

use crate::{Clients, Ended, LeftOut, Options, canonical, generate};

/// Draws clients of several kinds in turn. The same seed gives the same clients everywhere.
///
/// ```
/// # use linchpin_generate::{Options, generate_mixed};
/// # fn clients(object: linchpin_model::AnyObject) {
/// for client in generate_mixed(object, 7, &[Options::default(), Options::one_against_many()]).take(100) {
///     println!("{client}");
/// }
/// # }
/// ```
pub fn generate_mixed(object: AnyObject, seed: u64, kinds: &[Options]) -> Mixed {
    Mixed::of(kinds.iter().map(|options| generate(object, seed, options.clone())).collect())
}

/// Random clients of several kinds, no two of which differ only in the order of their threads.
pub struct Mixed {
    kinds: Vec<Clients>,
    /// Whose turn it is.
    turn: usize,
    /// The canonical forms of those that were returned.
    seen: HashSet<Client>,
}

impl Mixed {
    fn of(kinds: Vec<Clients>) -> Mixed {
        Mixed { kinds, turn: 0, seen: HashSet::new() }
    }

    /// The operations that no client invokes, with the reasons.
    pub fn left_out(&self) -> &[LeftOut] {
        // The same for all kinds: it depends on whether there are values at all.
        self.kinds.first().map_or(&[], Clients::left_out)
    }

    /// Why there are no more clients. `None`: there may be.
    pub fn ended(&self) -> Option<Ended> {
        let ended: Option<Vec<Ended>> = self.kinds.iter().map(Clients::ended).collect();
        ended?.into_iter().next()
    }
}

impl Iterator for Mixed {
    type Item = Client;

    fn next(&mut self) -> Option<Client> {
        // Those that have come to their end are passed over.
        for _ in 0..self.kinds.len() {
            let turn = self.turn;
            self.turn = (turn + 1) % self.kinds.len();
            if let Some(client) = self.kinds[turn].find(|client| self.seen.insert(canonical(client))) {
                return Some(client);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use linchpin_model::{ObjectArgument, ObjectOperation, Value};

    use super::*;
    use crate::generate_from;

    /// Clients that write one of two values in each of two threads, of which there are three, and with so many invocations.
    fn writes(invocations: usize) -> Clients {
        let argument = ObjectArgument { name: "value", domain: |n| (0..n as i64).map(Value::from).collect() };
        let options = Options { invocations: invocations..=invocations, ..Options::violat() };
        generate_from(&[ObjectOperation::new("write", vec![argument])], 3, options)
    }

    fn lengths(clients: &mut Mixed, most: usize) -> Vec<usize> {
        clients.take(most).map(|client| client.len()).collect()
    }

    #[test]
    fn kinds_take_turns_until_one_has_come_to_its_end() {
        let mut clients = Mixed::of(vec![writes(2), writes(5)]);
        assert_eq!(lengths(&mut clients, 10), [2, 5, 2, 5, 2, 5, 5, 5, 5, 5]);
        assert_eq!(clients.ended(), None);
    }

    #[test]
    fn what_two_kinds_have_in_common_comes_once() {
        let mut clients = Mixed::of(vec![writes(2), writes(2)]);
        assert_eq!(lengths(&mut clients, 10), [2, 2, 2]);
        assert_eq!(clients.ended(), Some(Ended::NothingNew));
    }

    #[test]
    fn no_kind_at_all_is_no_client() {
        let mut clients = Mixed::of(vec![]);
        assert_eq!((clients.next(), clients.left_out()), (None, &[] as &[LeftOut]));
    }
}
