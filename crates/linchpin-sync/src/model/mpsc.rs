//! Channels: a queue, and one word that locks it and says what can be done with it.
//!
//! Whoever uses the channel waits for the state that suits, and locks the word with the same read-modify-write: a
//! receiver until there is a message, a sender until there is room. Nothing is called while the word is locked that
//! could block or be abandoned. A use of a channel is thus two events, and needs no condition variable.
//!
//! One liberty is taken: all uses of a channel are ordered by its lock, so each happens before the next. `std`
//! promises that only between the sending and the receiving of a message.

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::{Duration, Instant};

use linchpin_engine::rt::{self, Taken};
use linchpin_graph::{Order, Site, Step, StepFn, Verb};

use super::word::{Ask, Word, touch, touch_slice};

/// Somebody is at the queue.
const LOCKED: u64 = 1 << 0;
/// The receiver is gone, for good.
const NO_RECEIVER: u64 = 1 << 1;
/// All senders are gone, for good.
const NO_SENDERS: u64 = 1 << 2;
/// There is a message.
const NONEMPTY: u64 = 1 << 3;
/// There is no room for another message.
const FULL: u64 = 1 << 4;
/// Of a channel without room: the receiver waits, so that a message can be handed over at once.
const RECEIVER_WAITS: u64 = 1 << 5;
/// Of a channel without room: above all flags, the number of messages that were received.
const RECEIVED: u64 = 1 << 6;

/// Locks, always.
const ENTER: StepFn = |state, _, _| {
    if state & LOCKED == 0 { Step::Write(state | LOCKED) } else { Step::Wait }
};

/// Locks when there is room.
const ENTER_TO_SEND: StepFn = |state, _, _| match state {
    _ if state & NO_RECEIVER != 0 => Step::Return,
    _ if state & (LOCKED | FULL) != 0 => Step::Wait,
    _ => Step::Write(state | LOCKED),
};

/// Locks if there is room now and, as operand `a` may ask, the receiver waits.
const TRY_ENTER_TO_SEND: StepFn = |state, needed, _| match state {
    _ if state & NO_RECEIVER != 0 => Step::Return,
    _ if state & LOCKED != 0 => Step::Wait,
    _ if state & FULL != 0 || state & needed != needed => Step::Return,
    _ => Step::Write(state | LOCKED),
};

/// Waits until more messages than `a` were received; locks when there is nobody to receive.
const UNTIL_RECEIVED: StepFn = |state, received, _| match state {
    _ if state / RECEIVED > received => Step::Return,
    _ if state & (NO_RECEIVER | LOCKED) == NO_RECEIVER => Step::Write(state | LOCKED),
    _ => Step::Wait,
};

/// Locks when there is a message.
const ENTER_TO_RECEIVE: StepFn = |state, _, _| match state {
    _ if state & LOCKED != 0 => Step::Wait,
    _ if state & NONEMPTY != 0 => Step::Write(state | LOCKED),
    _ if state & NO_SENDERS != 0 => Step::Return,
    _ => Step::Wait,
};

/// Locks if there is a message now; if not, the receiver waits no longer.
const TRY_ENTER_TO_RECEIVE: StepFn = |state, _, _| match state {
    _ if state & LOCKED != 0 => Step::Wait,
    _ if state & NONEMPTY != 0 => Step::Write(state | LOCKED),
    _ if state & RECEIVER_WAITS != 0 => Step::Write(state & !RECEIVER_WAITS),
    _ => Step::Return,
};

/// Locks if there is a message now; if not, says that the receiver waits, unless that is in vain.
const ANNOUNCE_OR_ENTER: StepFn = |state, _, _| match state {
    _ if state & LOCKED != 0 => Step::Wait,
    _ if state & NONEMPTY != 0 => Step::Write(state | LOCKED),
    _ if state & NO_SENDERS != 0 => Step::Return,
    _ => Step::Write(state | RECEIVER_WAITS),
};

/// A channel, as its two sides share it.
struct Channel<T> {
    state: Word,
    senders: Word,
    /// Accessed by whoever has locked the state.
    queue: UnsafeCell<VecDeque<T>>,
    /// For how many messages there is room; `None` if for any number.
    room: Option<usize>,
}

// SAFETY: messages go from thread to thread, and the queue is accessed by one thread at a time.
unsafe impl<T: Send> Sync for Channel<T> {}

impl<T> Channel<T> {
    fn new(room: Option<usize>) -> Arc<Self> {
        let queue = UnsafeCell::new(VecDeque::new());
        Arc::new(Channel { state: Word::new(0), senders: Word::new(1), queue, room })
    }

    /// Without room a message is handed over: the sender waits until it was received.
    fn is_handover(&self) -> bool {
        self.room == Some(0)
    }

    fn enter(&self, verb: Verb, step: StepFn, site: Site) -> Taken {
        self.state.ask(Ask::acquire(verb, step, site))
    }

    /// Unlocks. `change` does what is to be done to the queue and says what becomes of the state, which is handed to
    /// it unlocked. To be called with the state found by the thread that has locked it.
    fn leave<R>(&self, state: u64, site: Site, change: impl FnOnce(&mut VecDeque<T>, &mut u64) -> R) -> R {
        let mut state = state & !LOCKED;
        touch(&self.queue);
        // SAFETY: this thread has locked the state, so nobody else is at the queue.
        let queue = unsafe { &mut *self.queue.get() };
        let messages = queue.as_slices();
        touch_slice(messages.0);
        touch_slice(messages.1);
        let result = change(queue, &mut state);
        self.state.write(Verb::Unlock, Order::Release, state, site);
        result
    }

    fn send(&self, message: T, site: Site) -> Result<(), SendError<T>> {
        let entered = self.enter(Verb::Lock, ENTER_TO_SEND, site);
        if !entered.wrote {
            return Err(SendError(message));
        }
        self.push(entered.value, message, site);
        if self.is_handover() { self.await_receipt(entered.value, site) } else { Ok(()) }
    }

    fn try_send(&self, message: T, site: Site) -> Result<(), TrySendError<T>> {
        let needed = if self.is_handover() { RECEIVER_WAITS } else { 0 };
        let ask = Ask::acquire(Verb::TryLock, TRY_ENTER_TO_SEND, site).with(needed, 0);
        let entered = self.state.ask(ask);
        if entered.wrote {
            self.push(entered.value, message, site);
            return Ok(());
        }
        let is_disconnected = entered.value & NO_RECEIVER != 0;
        Err(if is_disconnected { TrySendError::Disconnected(message) } else { TrySendError::Full(message) })
    }

    fn push(&self, state: u64, message: T, site: Site) {
        self.leave(state, site, |queue, state| {
            queue.push_back(message);
            *state = *state & !RECEIVER_WAITS | NONEMPTY;
            // A channel without room has a place for the one message that is being handed over.
            if self.room.is_some_and(|room| queue.len() >= room) {
                *state |= FULL;
            }
        });
    }

    /// Waits until the message that was sent at `state` has been received. Takes it back if nobody is going to.
    fn await_receipt(&self, state: u64, site: Site) -> Result<(), SendError<T>> {
        let ask = Ask::acquire(Verb::Await, UNTIL_RECEIVED, site).with(state / RECEIVED, 0);
        let entered = self.state.ask(ask);
        if !entered.wrote {
            return Ok(());
        }
        let message = self.leave(entered.value, site, |queue, state| {
            *state &= !(NONEMPTY | FULL);
            queue.pop_front()
        });
        Err(SendError(message.expect("a message that was not received is there")))
    }

    fn recv(&self, site: Site) -> Result<T, RecvError> {
        if let Some(answer) = self.announce_receiver(site) {
            return answer;
        }
        let entered = self.enter(Verb::Lock, ENTER_TO_RECEIVE, site);
        if entered.wrote { Ok(self.pop(entered.value, site)) } else { Err(RecvError) }
    }

    fn try_recv(&self, site: Site) -> Result<T, TryRecvError> {
        let entered = self.enter(Verb::TryLock, TRY_ENTER_TO_RECEIVE, site);
        match entered.value {
            state if state & NONEMPTY != 0 => Ok(self.pop(state, site)),
            state if state & NO_SENDERS != 0 => Err(TryRecvError::Disconnected),
            _ => Err(TryRecvError::Empty),
        }
    }

    /// In an execution the timeout runs out at once. Looking for a message comes before or after the sending of each,
    /// which already is every way in which it can go.
    fn recv_timeout(&self, duration: Duration, site: Site) -> Result<T, RecvTimeoutError> {
        if let Some(answer) = self.announce_receiver(site) {
            return answer.map_err(|RecvError| RecvTimeoutError::Disconnected);
        }
        if !rt::active() {
            let ask = Ask::acquire(Verb::Lock, ENTER_TO_RECEIVE, site);
            let entered = match Instant::now().checked_add(duration) {
                Some(deadline) => self.state.ask_until(ask, deadline),
                None => Some(self.state.ask(ask)),
            };
            if let Some(Taken { value, wrote: true }) = entered {
                return Ok(self.pop(value, site));
            }
        }
        self.try_recv(site).map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// Of a channel without room: says that the receiver is about to wait. Returns its answer if it need not.
    fn announce_receiver(&self, site: Site) -> Option<Result<T, RecvError>> {
        if !self.is_handover() {
            return None;
        }
        match self.enter(Verb::Wait, ANNOUNCE_OR_ENTER, site).value {
            state if state & NONEMPTY != 0 => Some(Ok(self.pop(state, site))),
            state if state & NO_SENDERS != 0 => Some(Err(RecvError)),
            _ => None,
        }
    }

    fn pop(&self, state: u64, site: Site) -> T {
        let message = self.leave(state, site, |queue, state| {
            *state &= !(FULL | RECEIVER_WAITS);
            if self.is_handover() {
                *state += RECEIVED;
            }
            let message = queue.pop_front();
            if queue.is_empty() {
                *state &= !NONEMPTY;
            }
            message
        });
        message.expect("a channel that says that there is a message has one")
    }

    fn add_sender(&self, site: Site) {
        let step: StepFn = |senders, _, _| Step::Write(senders.wrapping_add(1));
        self.senders.ask(Ask::new(Verb::FetchAdd, Order::Relaxed, step, site));
    }

    fn remove_sender(&self, site: Site) {
        let step: StepFn = |senders, _, _| Step::Write(senders.wrapping_sub(1));
        let senders = self.senders.ask(Ask::new(Verb::FetchSub, Order::AcqRel, step, site)).value;
        if senders == 1 {
            let entered = self.enter(Verb::Lock, ENTER, site);
            self.leave(entered.value, site, |_, state| *state |= NO_SENDERS);
        }
    }

    /// The receiver goes, and with it what it has not received. A message that is being handed over goes back to its
    /// sender, which waits.
    fn remove_receiver(&self, site: Site) {
        let entered = self.enter(Verb::Lock, ENTER, site);
        let unreceived = self.leave(entered.value, site, |queue, state| {
            *state |= NO_RECEIVER;
            if self.is_handover() { VecDeque::new() } else { std::mem::take(queue) }
        });
        // After unlocking, since messages may do anything when dropped.
        drop(unreceived);
    }
}

/// A channel with room for any number of messages. See [`std::sync::mpsc::channel`].
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let site = Location::caller();
    let channel = Channel::new(None);
    (Sender { channel: Arc::clone(&channel), site }, Receiver::new(channel, site))
}

/// A channel with room for so many messages. See [`std::sync::mpsc::sync_channel`].
#[track_caller]
pub fn sync_channel<T>(room: usize) -> (SyncSender<T>, Receiver<T>) {
    let site = Location::caller();
    let channel = Channel::new(Some(room));
    (SyncSender { channel: Arc::clone(&channel), site }, Receiver::new(channel, site))
}

/// What both kinds of senders have in common.
macro_rules! sender {
    ($name:ident, $documentation:literal) => {
        #[doc = $documentation]
        pub struct $name<T> {
            channel: Arc<Channel<T>>,
            /// Where the sender was made. A drop has no position of its own in the source and is shown here.
            site: Site,
        }

        impl<T> UnwindSafe for $name<T> {}
        impl<T> RefUnwindSafe for $name<T> {}

        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                let site = Location::caller();
                self.channel.add_sender(site);
                $name { channel: Arc::clone(&self.channel), site }
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.channel.remove_sender(self.site);
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

sender!(Sender, "[`std::sync::mpsc::Sender`], modelled.");
sender!(SyncSender, "[`std::sync::mpsc::SyncSender`], modelled.");

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    ///
    /// If the receiver is gone; the error holds the message.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.channel.send(message, Location::caller())
    }
}

impl<T> SyncSender<T> {
    /// Waits for room and sends a message. In a channel without room also waits until the message was received.
    ///
    /// # Errors
    ///
    /// If the receiver is gone; the error holds the message.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.channel.send(message, Location::caller())
    }

    /// Sends a message if that is possible without waiting.
    ///
    /// # Errors
    ///
    /// If it is not, or if the receiver is gone; the error holds the message.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send(message, Location::caller())
    }
}

/// [`std::sync::mpsc::Receiver`], modelled.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    /// Where the channel was made; the end of the receiver is shown there.
    site: Site,
    /// There is one receiver, used by one thread at a time: no `Sync`.
    not_sync: PhantomData<Cell<()>>,
}

impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}

impl<T> Receiver<T> {
    fn new(channel: Arc<Channel<T>>, site: Site) -> Self {
        Receiver { channel, site, not_sync: PhantomData }
    }

    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// If there is none and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.channel.recv(Location::caller())
    }

    /// A message, if there is one.
    ///
    /// # Errors
    ///
    /// If there is none; the error says whether all senders are gone.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.channel.try_recv(Location::caller())
    }

    /// Waits for a message, but not longer than `duration`. In an execution it may end at any time.
    ///
    /// # Errors
    ///
    /// If there is none; the error says whether all senders are gone.
    #[track_caller]
    pub fn recv_timeout(&self, duration: Duration) -> Result<T, RecvTimeoutError> {
        self.channel.recv_timeout(duration, Location::caller())
    }

    /// The messages, waiting for each, until all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.channel.remove_receiver(self.site);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// What [`Receiver::iter`] returns.
#[derive(Debug)]
pub struct Iter<'a, T: 'a> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

/// What [`Receiver::try_iter`] returns.
#[derive(Debug)]
pub struct TryIter<'a, T: 'a> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

/// The messages of a receiver that is not needed for anything else.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}
