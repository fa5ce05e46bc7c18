//! Locks that several readers or one writer can hold.

use linchpin_model::{Specification, Value};

use super::{Cells, lock_name, sentence};

/// Reader-writer locks, told apart by a name; [`Value::Nil`] where there is only one. As with mutexes, who holds a lock
/// is not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RwLock;

/// What an [`RwLock`] can be asked to do. All return whether they did it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RwLockCall {
    /// Join the readers once there is no writer; never `false`.
    ReadLock(Value),
    /// Join the readers if there is no writer.
    TryReadLock(Value),
    /// Leave the readers; `false` if there were none.
    ReadUnlock(Value),
    /// Become the writer once there is nobody; never `false`.
    WriteLock(Value),
    /// Become the writer if there is nobody.
    TryWriteLock(Value),
    /// Stop being the writer; `false` if there was none.
    WriteUnlock(Value),
}

/// Who holds a lock; one that nobody holds is not in the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locked {
    /// So many readers, at least one.
    Readers(u32),
    /// A writer.
    Writer,
}

impl Specification for RwLock {
    type Invocation = RwLockCall;
    type Returned = bool;
    type State = Cells<Locked>;

    fn initial(&self) -> Cells<Locked> {
        Cells::EMPTY
    }

    fn step(&self, state: &Cells<Locked>, call: &RwLockCall, result: Option<&bool>, next: &mut Vec<Cells<Locked>>) {
        use RwLockCall as Call;
        let lock = call.lock();
        let done = match (call, state.get(lock)) {
            (Call::ReadLock(_) | Call::TryReadLock(_), None) => Some(state.with(lock, Locked::Readers(1))),
            (Call::ReadLock(_) | Call::TryReadLock(_), Some(Locked::Readers(n))) => {
                Some(state.with(lock, Locked::Readers(n + 1)))
            }
            (Call::WriteLock(_) | Call::TryWriteLock(_), None) => Some(state.with(lock, Locked::Writer)),
            (Call::ReadUnlock(_), Some(Locked::Readers(1))) | (Call::WriteUnlock(_), Some(Locked::Writer)) => {
                Some(state.without(lock))
            }
            (Call::ReadUnlock(_), Some(Locked::Readers(n))) => Some(state.with(lock, Locked::Readers(n - 1))),
            _ => None,
        };
        let waits = matches!(call, Call::ReadLock(_) | Call::WriteLock(_));
        match done {
            Some(done) if result != Some(&false) => next.push(done),
            None if result != Some(&true) && !waits => next.push(state.clone()),
            _ => {}
        }
    }

    fn part(&self, call: &RwLockCall) -> Option<Value> {
        Some(call.lock().clone())
    }

    fn is_read_only(&self, _: &RwLockCall, result: Option<&bool>) -> bool {
        result == Some(&false)
    }

    fn describe(&self, call: &RwLockCall, result: Option<&bool>) -> String {
        let lock = lock_name(call.lock());
        let failed = result.filter(|did| !**did);
        match call {
            RwLockCall::ReadLock(_) => format!("read_lock({lock})"),
            RwLockCall::TryReadLock(_) => sentence(format!("try_read_lock({lock})"), result),
            RwLockCall::ReadUnlock(_) => sentence(format!("read_unlock({lock})"), failed),
            RwLockCall::WriteLock(_) => format!("write_lock({lock})"),
            RwLockCall::TryWriteLock(_) => sentence(format!("try_write_lock({lock})"), result),
            RwLockCall::WriteUnlock(_) => sentence(format!("write_unlock({lock})"), failed),
        }
    }

    fn describe_state(&self, state: &Cells<Locked>) -> String {
        match state.any() {
            None => "free".into(),
            Some(Locked::Readers(1)) => "held by a reader".into(),
            Some(Locked::Readers(n)) => format!("held by {n} readers"),
            Some(Locked::Writer) => "held by a writer".into(),
        }
    }

    fn state_bytes(&self, state: &Cells<Locked>) -> usize {
        state.bytes()
    }
}

impl RwLockCall {
    /// The lock it is about.
    pub fn lock(&self) -> &Value {
        let (RwLockCall::ReadLock(lock)
        | RwLockCall::TryReadLock(lock)
        | RwLockCall::ReadUnlock(lock)
        | RwLockCall::WriteLock(lock)
        | RwLockCall::TryWriteLock(lock)
        | RwLockCall::WriteUnlock(lock)) = self;
        lock
    }
}
