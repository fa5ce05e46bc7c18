//! Permits that are taken and given back.

use linchpin_model::Specification;

use super::sentence;

/// A counting semaphore, as Dijkstra has it: a release adds permits, whoever took them and however many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Semaphore {
    /// How many permits there are at first.
    pub permits: u64,
}

/// What a [`Semaphore`] can be asked to do. All return whether they did it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SemaphoreCall {
    /// Take so many permits once there are enough; never `false`.
    Acquire(u64),
    /// Take so many permits if there are enough.
    TryAcquire(u64),
    /// Add so many permits; never `false`.
    Release(u64),
}

/// The permits that can be taken.
impl Specification for Semaphore {
    type Invocation = SemaphoreCall;
    type Returned = bool;
    type State = u64;

    fn initial(&self) -> u64 {
        self.permits
    }

    fn step(&self, state: &u64, call: &SemaphoreCall, result: Option<&bool>, next: &mut Vec<u64>) {
        let may = |did: bool| result.is_none_or(|result| *result == did);
        match call {
            SemaphoreCall::Acquire(n) | SemaphoreCall::TryAcquire(n) if n <= state && may(true) => next.push(state - n),
            SemaphoreCall::TryAcquire(n) if n > state && may(false) => next.push(*state),
            SemaphoreCall::Release(n) if may(true) => next.push(state.saturating_add(*n)),
            _ => {}
        }
    }

    fn is_read_only(&self, call: &SemaphoreCall, result: Option<&bool>) -> bool {
        let (SemaphoreCall::Acquire(n) | SemaphoreCall::TryAcquire(n) | SemaphoreCall::Release(n)) = call;
        *n == 0 || result == Some(&false)
    }

    fn describe(&self, call: &SemaphoreCall, result: Option<&bool>) -> String {
        match call {
            SemaphoreCall::Acquire(n) => format!("acquire({n})"),
            SemaphoreCall::TryAcquire(n) => sentence(format!("try_acquire({n})"), result),
            SemaphoreCall::Release(n) => format!("release({n})"),
        }
    }
}
