//! How often each outcome was seen.

use std::collections::HashMap;

use linchpin_generate::Outcomes;
use linchpin_model::{Outcome, Value};

use crate::{Frequency, Panic, Seen};

#[derive(Debug, Default)]
pub(crate) struct Counts {
    returned: HashMap<Vec<Value>, u64>,
    panicked: HashMap<Vec<Panic>, u64>,
}

impl Counts {
    /// A run that has returned these values.
    pub fn returned(&mut self, values: &[Value]) {
        match self.returned.get_mut(values) {
            Some(count) => *count += 1,
            None => _ = self.returned.insert(values.to_vec(), 1),
        }
    }

    /// A run with these panics.
    pub fn panicked(&mut self, panics: Vec<Panic>) {
        *self.panicked.entry(panics).or_default() += 1;
    }

    /// Takes over all of another's counts, and leaves it empty.
    pub fn absorb(&mut self, other: &mut Counts) {
        for (values, count) in other.returned.drain() {
            *self.returned.entry(values).or_default() += count;
        }
        for (panics, count) in other.panicked.drain() {
            *self.panicked.entry(panics).or_default() += count;
        }
    }

    /// How many runs there were, and how many of them were not admitted.
    pub fn totals(&self, admitted: &Outcomes) -> (u64, u64) {
        let frequencies = self.frequencies(admitted);
        let sum = |wanted: &dyn Fn(&Frequency) -> bool| frequencies.iter().filter(|f| wanted(f)).map(|f| f.count).sum();
        (sum(&|_| true), sum(&|frequency| !frequency.admitted))
    }

    /// What was seen, and what is admitted and was not seen: first what is not admitted, then by count.
    pub fn frequencies(&self, admitted: &Outcomes) -> Vec<Frequency> {
        let unseen = admitted.iter().filter(|(outcome, _)| !self.returned.contains_key(&outcome.0));
        let mut all: Vec<Frequency> = unseen
            .map(|(outcome, _)| Frequency { seen: Seen::Returned(outcome.clone()), admitted: true, count: 0 })
            .collect();
        all.extend(self.returned.iter().map(|(values, &count)| {
            let outcome = Outcome(values.clone());
            Frequency { admitted: admitted.contains(&outcome), seen: Seen::Returned(outcome), count }
        }));
        all.extend(self.panicked.iter().map(|(panics, &count)| Frequency {
            seen: Seen::Panicked(panics.clone()),
            admitted: false,
            count,
        }));
        all.sort_by(|a, b| (a.admitted, b.count, &a.seen).cmp(&(b.admitted, a.count, &b.seen)));
        all
    }
}
