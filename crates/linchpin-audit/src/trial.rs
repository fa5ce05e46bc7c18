//! Running tests with other memory orders.

use linchpin_engine::{Orders, Violation};

use crate::access::{Access, Accesses};

/// What came of running the tests.
#[derive(Clone, Debug)]
pub enum Trial {
    /// No test has a violation, and all were explored to their end.
    Passes,
    /// A test has a violation.
    Fails(Failure),
    /// No violation was found, but a budget ran out.
    Undecided(String),
}

/// A test that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The test.
    pub test: String,
    /// What happens, in a sentence.
    pub what: String,
    /// The accesses of the failing execution, with their orders there: unless one of them changes, it stays possible.
    pub accesses: Vec<Access>,
}

impl Failure {
    /// The failure of a test that has this violation.
    pub fn new(test: &str, what: String, violation: &Violation) -> Failure {
        let mut accesses = Accesses::default();
        accesses.observe(&violation.execution);
        Failure { test: test.to_owned(), what, accesses: accesses.all() }
    }
}

impl Trial {
    /// Did it pass?
    pub fn passes(&self) -> bool {
        matches!(self, Trial::Passes)
    }
}

/// Runs the tests with these orders.
pub(crate) type Run<'a> = dyn FnMut(&Orders) -> Trial + 'a;
