//! Long clients at random, for runs that are sampled rather than explored.

use linchpin_model::{Client, Invocation, ObjectOperation, SplitMix};

use crate::alphabet::alphabet;

/// A client with so many invocations in each thread, whose arguments take up to so many values. The same seed gives the same
/// client everywhere. `None`: there is no operation to invoke.
///
/// Operations that change something are three times as likely as those that only read.
///
/// ```
/// use linchpin_generate::long_client;
/// use linchpin_model::ObjectOperation;
///
/// let pop = ObjectOperation::new("pop", vec![]);
/// let client = long_client(&[pop], &[500, 1], 10, 7).unwrap();
/// assert_eq!((client.threads[0].len(), client.threads[1].len()), (500, 1));
/// ```
pub fn long_client(operations: &[ObjectOperation], lengths: &[usize], values: usize, seed: u64) -> Option<Client> {
    let (letters, _) = alphabet(operations, values);
    if letters.is_empty() {
        return None;
    }
    let mut random = SplitMix::new(seed);
    let weights: Vec<usize> = letters.iter().map(|letter| if letter.read_only { 1 } else { 3 }).collect();
    let mut invocation = || {
        let letter = &letters[random.weighted(&weights)];
        let arguments = letter.domains.iter().map(|domain| domain[random.below(domain.len())].clone()).collect();
        Invocation { operation: letter.name.clone(), arguments }
    };
    let threads = lengths.iter().map(|&length| (0..length).map(|_| invocation()).collect()).collect();
    Some(Client { threads, ..Client::default() })
}
