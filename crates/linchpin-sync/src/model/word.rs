//! The word that everything that blocks is made of.
//!
//! A [`Word`] is memory and a way to ask for changes of it: a pure function of the value found says whether to write,
//! to go on, or to wait for another value. In an execution the engine carries that out. Outside one this module does,
//! and threads that wait sleep in one place for the whole process: a thread that changes any word wakes all sleepers,
//! and each looks at its own word again. That is wasteful with many sleepers and simple with few, and the use of
//! these types outside executions is the exception.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use linchpin_engine::rt::{self, Access, Taken};
use linchpin_graph::{Order, Request, Site, Step, StepFn, Verb};

/// Tells the engine that the data in `cell` is about to be used, so that it can put back what belongs to a static.
pub(crate) fn touch<T: ?Sized>(cell: &UnsafeCell<T>) {
    if rt::active() {
        // SAFETY: only the size of the value is asked for.
        let size = unsafe { size_of_val(&*cell.get()) };
        rt::data(cell.get().cast::<u8>() as usize, size);
    }
}

/// [`touch`] for data that is not in a cell of its own. Where there is none there is nothing to tell.
pub(crate) fn touch_slice<T>(data: &[T]) {
    if rt::active() && size_of_val(data) > 0 {
        rt::data(data.as_ptr() as usize, size_of_val(data));
    }
}

/// Modelled memory of 64 bits.
#[repr(transparent)]
pub(crate) struct Word(AtomicU64);

/// What is asked of a word.
///
/// The engine puts the question to values that no execution turns out to show, so a step has an answer to each and
/// overflows silently.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    verb: Verb,
    order: Order,
    failure: Order,
    step: StepFn,
    a: u64,
    b: u64,
    site: Site,
}

impl Ask {
    /// Asks for `step` with both operands 0; what is only read when it does not write is read relaxed.
    pub(crate) fn new(verb: Verb, order: Order, step: StepFn, site: Site) -> Self {
        Ask { verb, order, failure: Order::Relaxed, step, a: 0, b: 0, site }
    }

    /// Asks for a load, or with a step that waits for an await: acquires what it reads.
    pub(crate) fn acquire(verb: Verb, step: StepFn, site: Site) -> Self {
        Ask { failure: Order::Acquire, ..Ask::new(verb, Order::Acquire, step, site) }
    }

    /// The operands of the step.
    pub(crate) fn with(self, a: u64, b: u64) -> Self {
        Ask { a, b, ..self }
    }
}

impl Word {
    /// A word of this initial value.
    pub(crate) const fn new(value: u64) -> Self {
        Word(AtomicU64::new(value))
    }

    /// The value, for its only owner.
    pub(crate) fn get_mut(&mut self) -> &mut u64 {
        self.0.get_mut()
    }

    /// Does what is asked, and blocks while the step says so.
    pub(crate) fn ask(&self, ask: Ask) -> Taken {
        if !rt::active() {
            return native_ask(&self.0, ask, None).expect("waiting without a deadline ends with an answer");
        }
        let Ask { verb, order, failure, step, a, b, site } = ask;
        rt::read(&Access {
            verb,
            address: self.address(),
            size: 8,
            request: Request { step, a, b, order, failure },
            site,
        })
    }

    /// Does what is asked, or nothing if the step says to wait until `deadline`. Outside executions only: in them no
    /// time passes.
    pub(crate) fn ask_until(&self, ask: Ask, deadline: Instant) -> Option<Taken> {
        native_ask(&self.0, ask, Some(deadline))
    }

    /// The value, acquired.
    pub(crate) fn load(&self, site: Site) -> u64 {
        self.ask(Ask::acquire(Verb::Load, |_, _, _| Step::Return, site)).value
    }

    /// Writes.
    pub(crate) fn write(&self, verb: Verb, order: Order, value: u64, site: Site) {
        if rt::active() {
            rt::write(verb, self.address(), 8, order, value, site);
        } else {
            self.0.store(value, SeqCst);
            wake_sleepers();
        }
    }

    fn address(&self) -> usize {
        (&raw const self.0).addr()
    }
}

/// How many threads sleep in [`native_ask`] or are about to.
static SLEEPERS: AtomicUsize = AtomicUsize::new(0);
/// Held between a sleeper's last look at its word and its sleep, so that no change falls in between unnoticed.
static BEDROOM: Mutex<()> = Mutex::new(());
static ALARM: Condvar = Condvar::new();

/// Wakes those who may wait for a change that was just made.
fn wake_sleepers() {
    // Both this load and the change before it are SeqCst, as are a sleeper's announcement and its look at the word:
    // either the sleeper sees the change or this sees the sleeper.
    if SLEEPERS.load(SeqCst) > 0 {
        drop(bedroom());
        ALARM.notify_all();
    }
}

fn bedroom() -> MutexGuard<'static, ()> {
    BEDROOM.lock().unwrap_or_else(PoisonError::into_inner)
}

fn native_ask(word: &AtomicU64, ask: Ask, deadline: Option<Instant>) -> Option<Taken> {
    let taken = native_attempt(word, ask).or_else(|| sleep_until_answered(word, ask, deadline));
    if taken.as_ref().is_some_and(|taken| taken.wrote) {
        wake_sleepers();
    }
    taken
}

/// Repeats the attempt after every change of any word, until it is answered or it is too late.
fn sleep_until_answered(word: &AtomicU64, ask: Ask, deadline: Option<Instant>) -> Option<Taken> {
    let mut guard = bedroom();
    SLEEPERS.fetch_add(1, SeqCst);
    let taken = loop {
        let taken = native_attempt(word, ask);
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if taken.is_some() || left.is_some_and(|left| left.is_zero()) {
            break taken;
        }
        guard = match left {
            None => ALARM.wait(guard).unwrap_or_else(PoisonError::into_inner),
            Some(left) => ALARM.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0,
        };
    };
    SLEEPERS.fetch_sub(1, SeqCst);
    drop(guard);
    taken
}

/// One attempt; `None` if the step says to wait.
fn native_attempt(word: &AtomicU64, ask: Ask) -> Option<Taken> {
    let mut value = word.load(SeqCst);
    loop {
        match decide(ask, value) {
            Step::Return => return Some(Taken { value, wrote: false }),
            Step::Wait | Step::Choose(_) => return None,
            Step::Write(new) => match word.compare_exchange_weak(value, new, SeqCst, SeqCst) {
                Ok(_) => return Some(Taken { value, wrote: true }),
                Err(newer) => value = newer,
            },
        }
    }
}

/// What the step says, after a choice if it asks for one. Choices go round, so that nobody is passed over for ever.
fn decide(ask: Ask, value: u64) -> Step {
    static TURN: AtomicU32 = AtomicU32::new(0);
    match (ask.step)(value, ask.a, ask.b) {
        Step::Choose(options) => {
            let choice = TURN.fetch_add(1, SeqCst) % options;
            (ask.step)(value, ask.a, u64::from(choice))
        }
        step => step,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;
    use std::time::Duration;

    use linchpin_graph::NOT_CHOSEN;

    use super::*;

    #[test]
    fn a_step_that_waits_until_its_deadline_is_not_answered() {
        let word = Word::new(7);
        let ask = Ask::acquire(Verb::Await, |_, _, _| Step::Wait, Location::caller());
        assert!(word.ask_until(ask, Instant::now() + Duration::from_millis(5)).is_none());
        assert_eq!(word.load(Location::caller()), 7);
    }

    #[test]
    fn a_step_that_chooses_is_asked_again_with_its_choice() {
        let word = Word::new(0);
        let step = |_, _, choice| {
            if choice == NOT_CHOSEN { Step::Choose(3) } else { Step::Write(10 + choice) }
        };
        let ask = Ask::new(Verb::Notify, Order::Relaxed, step, Location::caller()).with(0, NOT_CHOSEN);
        assert!(word.ask(ask).wrote);
        assert!((10..13).contains(&word.load(Location::caller())));
    }

    #[test]
    fn a_waiting_step_is_answered_once_the_value_suits_it() {
        let word = Word::new(0);
        std::thread::scope(|scope| {
            let step = |value, wanted, _| {
                if value == wanted { Step::Write(value + 1) } else { Step::Wait }
            };
            let ask = Ask::new(Verb::Await, Order::AcqRel, step, Location::caller());
            let waiters: Vec<_> = (1..=4)
                .rev()
                .map(|wanted| {
                    scope.spawn({
                        let word = &word;
                        move || word.ask(ask.with(wanted, 0)).value
                    })
                })
                .collect();
            word.write(Verb::Store, Order::Release, 1, Location::caller());
            let answers: Vec<_> = waiters.into_iter().map(|waiter| waiter.join().unwrap()).collect();
            assert_eq!(answers, [4, 3, 2, 1]);
        });
        assert_eq!(word.load(Location::caller()), 5);
    }
}
