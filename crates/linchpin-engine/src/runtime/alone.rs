//! Plain data outside the lanes belongs to one exploration at a time.
//!
//! It is put back after each execution, so between two executions everybody would find it as it was; but the tests of a process run
//! at the same time, and during an execution it is whatever that execution makes of it. An exploration that has touched such data
//! therefore keeps all others waiting that are about to, until it is over.

use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

static IS_TAKEN: Mutex<bool> = Mutex::new(false);
static GIVEN_BACK: Condvar = Condvar::new();

/// An exploration's right to touch plain data outside the lanes, once it has claimed it. Belongs to all of its workers: one that has
/// nothing to do must not keep the others waiting.
#[derive(Default)]
pub(crate) struct Alone(OnceLock<Right>);

struct Right(());

impl Alone {
    /// Waits until no other exploration has the right, if need be.
    pub fn claim(&self) {
        self.0.get_or_init(|| {
            let taken = IS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
            *GIVEN_BACK.wait_while(taken, |taken| *taken).unwrap_or_else(PoisonError::into_inner) = true;
            Right(())
        });
    }
}

impl Drop for Right {
    fn drop(&mut self) {
        *IS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = false;
        GIVEN_BACK.notify_one();
    }
}
