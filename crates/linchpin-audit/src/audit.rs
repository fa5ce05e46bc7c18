//! One order at a time.

use std::fmt;

use linchpin_engine::Orders;
use linchpin_graph::Order;

use crate::access::{Access, Half};
use crate::source::{Mention, mentions};
use crate::strength::weaker;
use crate::trial::{Failure, Run, Trial};

/// What is known of every order of every access.
#[derive(Clone, Debug)]
pub struct Audit {
    /// In the order of the source. An order that can be weakened in two ways has two rows.
    pub rows: Vec<Row>,
    /// Accesses in the same files that no test reaches, each with its file.
    pub unreached: Vec<(String, Mention)>,
}

/// One order, weakened.
#[derive(Clone, Debug)]
pub struct Row {
    /// The access, with its order.
    pub access: Access,
    /// The order that was tried instead: one step weaker.
    pub weakened: Order,
    /// What came of it.
    pub need: Need,
}

/// Is an order needed?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Without it, this happens.
    Needed(Failure),
    /// Not by these tests. On its own it could be as weak as this.
    NotNeeded(Order),
    /// The tests do not get there, or never with this order (an exchange that always succeeds, or never).
    Unreached,
    /// A budget ran out.
    Undecided(String),
}

/// Weakens one order at a time, starting from `orders`. `run` runs the tests.
pub fn audit(accesses: &[Access], orders: &Orders, run: &mut Run<'_>) -> Audit {
    let mut rows = Vec::new();
    for access in accesses {
        for &weakened in weaker(access, access.order) {
            let need = match access.is_reached {
                false => Need::Unreached,
                true => need(access, weakened, orders, run),
            };
            rows.push(Row { access: access.clone(), weakened, need });
        }
    }
    Audit { rows, unreached: Vec::new() }
}

fn need(access: &Access, weakened: Order, orders: &Orders, run: &mut Run<'_>) -> Need {
    let try_order = |order, run: &mut Run<'_>| run(&orders.clone().with(&access.place, access.with_order(order)));
    match try_order(weakened, run) {
        Trial::Fails(failure) => return Need::Needed(failure),
        Trial::Undecided(why) => return Need::Undecided(why),
        Trial::Passes => {}
    }
    let mut weakest = weakened;
    while let Some(&next) = weaker(access, weakest).iter().find(|&&order| try_order(order, run).passes()) {
        weakest = next;
    }
    Need::NotNeeded(weakest)
}

impl Audit {
    /// Notes the accesses in a source file that none of `accesses` is at.
    pub fn note_unreached(&mut self, file: &str, source: &str, accesses: &[Access]) {
        let is_reached = |mention: &Mention| {
            let is_there =
                |access: &&Access| access.place.line == mention.line && access.place.column == mention.column;
            accesses.iter().filter(|access| access.place.file == file).any(|access| is_there(&access))
        };
        let unreached = mentions(source).into_iter().filter(|mention| !is_reached(mention));
        self.unreached.extend(unreached.map(|mention| (file.to_owned(), mention)));
    }
}

/// A table: where, what, and whether it is needed.
impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Row { access, weakened, need } in &self.rows {
            let half = if access.half == Half::Failure { " (failing)" } else { "" };
            write!(f, "{} {:?}{half} {:?} → {weakened:?}: ", access.place, access.place.verb, access.order)?;
            match need {
                Need::Needed(failure) => {
                    let headline = failure.what.lines().next().unwrap_or_default();
                    writeln!(f, "needed, or in «{}»: {headline}", failure.test)?;
                }
                Need::NotNeeded(weakest) => writeln!(f, "not needed by these tests; {weakest:?} will do")?,
                Need::Unreached => writeln!(f, "unreached")?,
                Need::Undecided(why) => writeln!(f, "undecided: {why}")?,
            }
        }
        for (file, Mention { line, column, name }) in &self.unreached {
            writeln!(f, "{file}:{line}:{column} {name}: unreached")?;
        }
        Ok(())
    }
}
