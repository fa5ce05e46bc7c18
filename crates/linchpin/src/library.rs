//! Causes of the failures of a whole object, over many of its clients.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use linchpin_generate::admitted_by_object;
use linchpin_localize::eliminate::{Limits, Repair, repair};
use linchpin_localize::{Accesses, Explanation, Explored, Place};
use linchpin_model::{AnyObject, Bound, Client, Coverage};

use crate::callers::Callers;
use crate::shrink::explore_deeper;
use crate::{ClientTest, Hooks, ViolationKind};

/// So many executions of each client are looked at.
const MOST_EXECUTIONS: u64 = 1_000;
/// Call stacks of so many failing clients are looked at: they have the same operations.
const MOST_STACKS: usize = 20;
/// One client is often like another, so less is thought about than for one alone.
const LIMITS: Limits = Limits { cycles: 100_000, sets: 200, unions: 500 };

/// What would have to be atomic for no generated client of an object to fail.
#[derive(Clone, Debug)]
pub struct Causes {
    /// The object's name.
    pub object: &'static str,
    /// The sections, and over how many clients.
    pub repair: Repair,
    /// Which events count as accesses.
    pub accesses: Accesses,
    /// What lines of operations do by calling functions: for each such line those in which its accesses are.
    pub within: BTreeMap<Place, BTreeSet<Place>>,
    /// How many failing executions no interleaving of their threads has: their cause is a missing order, not missing atomicity.
    pub weak: u64,
    /// How many clients violate something else, or are not deterministic in one thread. They are left out.
    pub otherwise: usize,
    /// How much of these clients was looked at.
    pub coverage: Coverage,
    /// How long it took.
    pub elapsed: Duration,
}

/// What is left of the failures of many clients if some sections are atomic.
#[derive(Clone, Debug)]
pub struct Left {
    /// How many clients were looked at,
    pub clients: usize,
    /// how many of which fail,
    pub failing: usize,
    /// and which of these still do.
    pub clients_left: Vec<Client>,
    /// How much of these clients was looked at.
    pub coverage: Coverage,
}

/// The clients that fail.
struct Failing {
    clients: Vec<ClientTest>,
    /// How many were looked at.
    seen: usize,
    /// How many violate something else than what they return.
    otherwise: usize,
    coverage: Seen,
}

/// The bounds that ran out.
#[derive(Default)]
struct Seen(Vec<Bound>);

impl Seen {
    fn add(&mut self, coverage: &Coverage) {
        if let Coverage::Bounded(bounds) = coverage {
            for bound in bounds.iter().filter(|bound| **bound != Bound::FirstViolation) {
                if !self.0.contains(bound) {
                    self.0.push(*bound);
                }
            }
        }
    }

    fn coverage(self) -> Coverage {
        if self.0.is_empty() { Coverage::Complete } else { Coverage::Bounded(self.0) }
    }
}

/// Looks which clients fail.
fn failing(clients: &[ClientTest], interrupt: &AtomicBool) -> Failing {
    let mut failing = Failing { clients: Vec::new(), seen: 0, otherwise: 0, coverage: Seen::default() };
    for client in clients {
        if interrupt.load(Relaxed) {
            failing.coverage.add(&Coverage::Bounded(vec![Bound::Interrupted]));
            break;
        }
        failing.seen += 1;
        let Ok(admitted) = admitted_by_object(client.object, client.client()) else {
            failing.otherwise += 1;
            continue;
        };
        let hooks = Hooks { interrupt: Some(interrupt), ..Hooks::default() };
        let exploration = explore_deeper(client.object, client.client(), admitted, &client.builder, hooks);
        failing.coverage.add(&exploration.coverage);
        match exploration.violation.map(|violation| violation.kind) {
            Some(ViolationKind::Rejected { .. }) => failing.clients.push(client.clone()),
            Some(_) => failing.otherwise += 1,
            None => {}
        }
    }
    failing
}

/// All executions of failing clients, as far as they are looked at.
fn explore(clients: &[ClientTest], accesses: Accesses, callers: &Callers) -> Vec<Explored> {
    let bounded = |client: &ClientTest| client.clone().with(client.builder.clone().at_most(MOST_EXECUTIONS));
    clients.iter().map(|client| bounded(client).explore_traces_by(accesses, callers)).collect()
}

pub(crate) fn causes(object: AnyObject, clients: &[ClientTest], interrupt: &AtomicBool) -> Causes {
    let start = Instant::now();
    let failing = failing(clients, interrupt);
    let mut callers = Callers::default();
    failing.clients.iter().take(MOST_STACKS).for_each(|client| callers.look_at(client));
    let attempt = |accesses: Accesses| {
        let explored = explore(&failing.clients, accesses, &callers);
        let weak: u64 = explored.iter().filter_map(|client| client.weak.as_ref()).map(|weak| weak.executions).sum();
        let mut seen = Seen(failing.coverage.0.clone());
        explored.iter().for_each(|client| seen.add(&client.coverage));
        let repair = repair(explored.into_iter().map(|client| client.traces), &LIMITS);
        (accesses, repair, weak, seen)
    };
    let mut best = attempt(Accesses::Memory);
    if best.1.cause.left > 0 {
        // What a lock protects may be memory that nobody sees.
        let with_locks = attempt(Accesses::MemoryAndLocks);
        if with_locks.1.cause.left < best.1.cause.left {
            best = with_locks;
        }
    }
    let (accesses, repair, weak, seen) = best;
    Causes {
        object: object.name(),
        repair: Repair { clients: failing.seen, ..repair },
        accesses,
        within: callers.within(),
        weak,
        otherwise: failing.otherwise,
        coverage: seen.coverage(),
        elapsed: start.elapsed(),
    }
}

pub(crate) fn verify(
    clients: &[ClientTest],
    explained: &ClientTest,
    explanation: &Explanation,
    interrupt: &AtomicBool,
) -> Left {
    let failing = failing(clients, interrupt);
    // Lines are counted as they were for the client that was explained.
    let callers = explained.callers();
    let mut seen = failing.coverage;
    let mut left = Vec::new();
    for client in &failing.clients {
        if interrupt.load(Relaxed) {
            seen.add(&Coverage::Bounded(vec![Bound::Interrupted]));
            break;
        }
        for explored in explore(std::slice::from_ref(client), explanation.explored.accesses, &callers) {
            seen.add(&explored.coverage);
            if explored.weak.is_some() || explored.traces.left_by(&explanation.cause.sections) > 0 {
                left.push(client.client().clone());
            }
        }
    }
    Left { clients: failing.seen, failing: failing.clients.len(), clients_left: left, coverage: seen.coverage() }
}

/// What is known, in a few lines.
impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Repair { cause, clients, failing, rounds } = &self.repair;
        if *failing == 0 {
            write!(f, "{clients} clients, none of which returns what it should not")?;
        } else {
            let seconds = self.elapsed.as_secs_f64();
            write!(f, "{failing} of {clients} clients fail; {rounds} of them were enough to say why; {seconds:.2} s")?;
            match cause.sections.is_empty() {
                true => write!(f, "\nNo section that is made atomic would change that.")?,
                false => write!(f, "\nWhat would have to be atomic:")?,
            }
            for section in cause.sections.iter() {
                write!(f, "\n  {section}")?;
            }
            if !cause.sections.is_empty() {
                let (disables, linearizable) = (cause.disables, cause.linearizable);
                write!(f, "\nThat makes {disables} of {linearizable} executions impossible that are right.")?;
                match cause.left {
                    0 => write!(f, "\nWith it, no client fails.")?,
                    left => write!(f, "\n{left} failing executions stay possible: no atomic section rules them out.")?,
                }
                if !cause.is_cheapest {
                    write!(f, " Something that costs less may have been missed: a budget ran out.")?;
                }
            }
            if self.weak > 0 {
                write!(
                    f,
                    "\n{} more failing executions are no interleavings: their cause is a missing order between accesses.",
                    self.weak
                )?;
            }
        }
        if self.otherwise > 0 {
            write!(f, "\n{} clients violate something else, which is not looked at here.", self.otherwise)?;
        }
        write!(f, "\ncoverage of these clients: {}", self.coverage)
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Left { clients, failing, clients_left, coverage } = self;
        write!(f, "Of {clients} generated clients {failing} fail. With the sections of the cause atomic, ")?;
        match clients_left.first() {
            None => write!(f, "none does")?,
            Some(first) => {
                write!(f, "{} still do, such as {first}: there is another cause besides", clients_left.len())?;
            }
        }
        match coverage {
            Coverage::Complete => write!(f, "."),
            bounded => write!(f, "; coverage: {bounded}."),
        }
    }
}
