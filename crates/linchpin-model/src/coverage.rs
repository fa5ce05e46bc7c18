//! What a run without a violation has established.

use std::fmt;
use std::time::Duration;

/// How much of what could happen was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every execution, given the assumptions that are listed with the result.
    Complete,
    /// Only some executions: these budgets ran out, in the order in which they were met.
    Bounded(Vec<Bound>),
}

/// A budget that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The exploration stopped after this many executions.
    Executions(u64),
    /// The exploration stopped after this time.
    Time(Duration),
    /// Some thread wanted more events than this; those executions were cut there.
    EventsPerThread(u32),
    /// The exploration was interrupted from outside.
    Interrupted,
    /// The exploration stopped at the first violation.
    FirstViolation,
}

/// Something taken for granted on the way to a verdict, so that a reader can disagree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    /// A failed iteration of the loop around this access leaves no trace, so it was not explored.
    EffectFreeLoop {
        /// Source position of the repeated read, as `file:line:column`.
        position: String,
    },
    /// `spin_loop()`, `yield_now()` or `sleep()` here means "wait until what was read has changed".
    SpinIsWait {
        /// Source position of the hint, as `file:line:column`.
        position: String,
    },
    /// These threads were declared interchangeable, so only one of each set of mirrored executions was explored.
    SymmetricThreads {
        /// Source position where they were spawned, as `file:line:column`.
        position: String,
    },
}

impl Coverage {
    /// Was everything looked at?
    pub fn is_complete(&self) -> bool {
        matches!(self, Coverage::Complete)
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coverage::Complete => write!(f, "complete"),
            Coverage::Bounded(bounds) => {
                write!(f, "bounded by ")?;
                for (i, bound) in bounds.iter().enumerate() {
                    if i > 0 {
                        write!(f, " and ")?;
                    }
                    write!(f, "{bound}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Executions(n) => write!(f, "{n} executions"),
            Bound::Time(limit) => write!(f, "{limit:?}"),
            Bound::EventsPerThread(n) => write!(f, "{n} events per thread"),
            Bound::Interrupted => write!(f, "an interrupt"),
            Bound::FirstViolation => write!(f, "the first violation"),
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::EffectFreeLoop { position } => {
                write!(f, "a failed iteration of the loop at {position} has no effect")
            }
            Assumption::SpinIsWait { position } => {
                write!(f, "the spin hint at {position} waits for a change of what was read before it")
            }
            Assumption::SymmetricThreads { position } => {
                write!(f, "the threads spawned at {position} are interchangeable")
            }
        }
    }
}
