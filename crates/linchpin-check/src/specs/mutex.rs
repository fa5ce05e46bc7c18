//! Locks that one caller at a time can hold.

use linchpin_model::{Kind, Role, Specification, Value};

use super::{Cells, lock_name, sentence};

/// Mutexes, told apart by a name; [`Value::Nil`] where there is only one.
///
/// Who holds a lock is not looked at: a mutex may be released by somebody else than acquired it. What it must never do
/// is to be acquired twice without a release between, or to be released while nobody holds it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mutex;

/// What a [`Mutex`] can be asked to do. All return whether they did it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MutexCall {
    /// Take the lock once it is free; never `false`.
    Acquire(Value),
    /// Take the lock if it is free.
    TryAcquire(Value),
    /// Give the lock back; never `false`, since somebody must have held it.
    Release(Value),
    /// Give the lock back if somebody holds it.
    TryRelease(Value),
}

/// The locks that are held.
impl Specification for Mutex {
    type Invocation = MutexCall;
    type Returned = bool;
    type State = Cells<()>;

    fn initial(&self) -> Cells<()> {
        Cells::EMPTY
    }

    fn step(&self, state: &Cells<()>, call: &MutexCall, result: Option<&bool>, next: &mut Vec<Cells<()>>) {
        let held = state.get(call.lock()).is_some();
        let may = |did: bool| result.is_none_or(|result| *result == did);
        match call {
            MutexCall::Acquire(lock) | MutexCall::TryAcquire(lock) if !held && may(true) => {
                next.push(state.with(lock, ()));
            }
            MutexCall::TryAcquire(_) if held && may(false) => next.push(state.clone()),
            MutexCall::Release(lock) | MutexCall::TryRelease(lock) if held && may(true) => {
                next.push(state.without(lock));
            }
            MutexCall::TryRelease(_) if !held && may(false) => next.push(state.clone()),
            _ => {}
        }
    }

    fn part(&self, call: &MutexCall) -> Option<Value> {
        Some(call.lock().clone())
    }

    fn is_read_only(&self, _: &MutexCall, result: Option<&bool>) -> bool {
        result == Some(&false)
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Bit { initial: false })
    }

    /// An attempt whose result is not known either switches or observes, so it has no role.
    fn role(&self, call: &MutexCall, result: Option<&bool>) -> Option<Role> {
        match (call, result) {
            (MutexCall::Acquire(_), None | Some(true)) | (MutexCall::TryAcquire(_), Some(true)) => {
                Some(Role::Switch { to: true })
            }
            (MutexCall::TryAcquire(_), Some(false)) => Some(Role::Observe(true)),
            (MutexCall::Release(_), None | Some(true)) | (MutexCall::TryRelease(_), Some(true)) => {
                Some(Role::Switch { to: false })
            }
            (MutexCall::TryRelease(_), Some(false)) => Some(Role::Observe(false)),
            _ => None,
        }
    }

    fn describe(&self, call: &MutexCall, result: Option<&bool>) -> String {
        let lock = lock_name(call.lock());
        match call {
            MutexCall::Acquire(_) => format!("acquire({lock})"),
            MutexCall::TryAcquire(_) => sentence(format!("try_acquire({lock})"), result),
            MutexCall::Release(_) => format!("release({lock})"),
            MutexCall::TryRelease(_) => sentence(format!("try_release({lock})"), result),
        }
    }

    fn describe_state(&self, state: &Cells<()>) -> String {
        match state.any() {
            None => "free".into(),
            Some(()) => "held".into(),
        }
    }

    fn state_bytes(&self, state: &Cells<()>) -> usize {
        state.bytes()
    }
}

impl MutexCall {
    /// The lock it is about.
    pub fn lock(&self) -> &Value {
        let (MutexCall::Acquire(lock)
        | MutexCall::TryAcquire(lock)
        | MutexCall::Release(lock)
        | MutexCall::TryRelease(lock)) = self;
        lock
    }
}
