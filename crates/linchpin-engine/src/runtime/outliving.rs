//! Memory that is in use beyond the execution that has allocated it.
//!
//! What the code under test makes once and keeps, in a `LazyLock` of `std`'s, a thread-local or a collector of garbage, lies in the arena of
//! the execution that came first, and the next one would overwrite it. So an execution that leaves blocks behind is run once more, in
//! another lane, while nobody may access the arenas of its own. Who does so all the same gets a signal, whose handler lets him go on and
//! notes that the memory is in use. What there is of the lane then belongs to whoever uses it, for ever, and the exploration begins again
//! behind it, where it finds what is made once as it will always be. What is left behind is in use as well if memory that was found to
//! be in use points to it. A test that keeps more and more is told so.
//!
//! What is kept, but not looked at before the exploration is over, is found then: the arenas that complete executions have left blocks in may
//! not be accessed until the next exploration takes them.
//!
//! Gaps: of executions that leave blocks of the same sizes, some are looked at, and none that is given up before its end. What is passed to the
//! kernel without being looked at is not noticed.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use linchpin_graph::ThreadId;
use linchpin_model::SplitMix;

use super::context::{Context, Mode, RunEnd, Subject};
use super::lane::{FIRST_LANE, LANE, LANES, Lane, Left, is_in_an_arena, set_accessible, words};
use super::sample::SampleEnd;
use super::sampler::Chooser;
use crate::call::Judge;
use crate::violation::ViolationKind;

/// How often an exploration begins again since memory outlives its executions.
const PATIENCE: u32 = 4;

/// So many kinds of leftovers are looked at as soon as they come up. A look costs as much as some ten executions, and disturbs other workers.
const KINDS: usize = 4;

/// What was left to those who use it, in this process; of very much the latest.
static LEFT: Mutex<VecDeque<Left>> = Mutex::new(VecDeque::new());
const MOST_LEFT: usize = 1_000;

/// Nobody minds who accesses the arenas of the lane.
const OPEN: u8 = 0;
/// It is to be seen whether anybody accesses them.
const WATCHED: u8 = 1;
/// Somebody has.
const USED: u8 = 2;
/// Between explorations: what is in them is nobody's.
const CLOSED: u8 = 3;

/// What is known of the arenas of a lane.
struct Guard {
    state: AtomicU8,
    /// What was accessed while they were watched.
    accessed: AtomicUsize,
}

static GUARDS: [Guard; LANES] = [const { Guard { state: AtomicU8::new(OPEN), accessed: AtomicUsize::new(0) } }; LANES];

thread_local! {
    /// Where the last fault was that looked as if it were over by now.
    static AGAIN: Cell<usize> = const { Cell::new(0) };
}

fn lock(left: &Mutex<VecDeque<Left>>) -> MutexGuard<'_, VecDeque<Left>> {
    left.lock().unwrap_or_else(PoisonError::into_inner)
}

fn guard_of(address: usize) -> &'static Guard {
    &GUARDS[(address - FIRST_LANE) / LANE]
}

/// Lets an access pass that has faulted at `address`, if that is in an arena which is watched. Called by the handler of the signal, so it does
/// next to nothing.
pub(super) fn let_pass(address: usize) -> bool {
    if !is_in_an_arena(address) {
        return false;
    }
    let guard = guard_of(address);
    match guard.state.load(Ordering::SeqCst) {
        // Somebody else may have opened it since.
        OPEN => AGAIN.replace(address) != address,
        CLOSED => {
            complain();
            false
        }
        _ => {
            guard.accessed.store(address, Ordering::SeqCst);
            guard.state.store(USED, Ordering::SeqCst);
            set_accessible(address, true)
        }
    }
}

/// Says that a thread uses what belongs to nobody, which will end the program.
fn complain() {
    const COMPLAINT: &str = "\nlinchpin: memory is used that belongs to an execution which is over. What a test keeps beyond its \
                             executions is made in `linchpin::outside(|| ...)`.\n";
    // SAFETY: the text is there.
    unsafe { libc::write(libc::STDERR_FILENO, COMPLAINT.as_ptr().cast(), COMPLAINT.len()) };
}

impl Lane {
    fn set_state(&self, state: u8) {
        let guard = guard_of(self.base);
        if state == OPEN {
            self.set_arenas_accessible(true);
            guard.state.store(state, Ordering::SeqCst);
        } else {
            guard.state.store(state, Ordering::SeqCst);
            self.set_arenas_accessible(false);
        }
    }

    /// Nobody shall access the arenas until [`Lane::open`].
    pub(super) fn close(&self) {
        self.set_state(CLOSED);
    }

    /// Undoes [`Lane::close`].
    pub(super) fn open(&self) {
        if guard_of(self.base).state.load(Ordering::SeqCst) != OPEN {
            self.set_state(OPEN);
        }
    }

    /// Does anybody access the arenas while `f` runs? Returns where.
    fn accessed_during(&self, f: impl FnOnce()) -> Option<usize> {
        self.set_state(WATCHED);
        f();
        let guard = guard_of(self.base);
        let is_used = guard.state.load(Ordering::SeqCst) == USED;
        self.set_state(OPEN);
        is_used.then(|| guard.accessed.load(Ordering::SeqCst))
    }

    /// What the last execution has left behind: a hash of who has allocated how much.
    fn leftovers(&self) -> Option<u64> {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut is_any = false;
        for slot in &self.slots {
            for block in slot.blocks.iter().filter(|block| block.freed.is_none() && block.size > 0) {
                is_any = true;
                for part in [u64::from(block.owner.0), block.size as u64] {
                    hash = (hash ^ part).wrapping_mul(0x100_0000_01b3);
                }
            }
        }
        is_any.then_some(hash)
    }
}

/// What a context knows of memory that outlives executions.
pub(super) struct Outliving {
    /// How often it may yet begin again.
    patience: u32,
    /// The kinds of leftovers that there have been.
    kinds: Vec<u64>,
    /// How many executions have left something.
    leaving: u64,
    /// Runs executions once more, in a lane of its own.
    elsewhere: Option<Box<Context>>,
}

impl Default for Outliving {
    fn default() -> Self {
        Outliving { patience: PATIENCE, kinds: Vec::new(), leaving: 0, elsewhere: None }
    }
}

/// What was to be explored has to be begun again: memory of the last execution outlives it, so it is elsewhere from now on.
#[derive(Debug)]
pub(crate) struct Moved;

/// What is to be done about memory that is in use beyond its execution.
enum Remedy {
    BeginAgain,
    Complain(ViolationKind),
}

impl Context {
    /// This is so many times that the exploration begins again.
    pub fn has_begun_again(&mut self, times: u32) {
        self.outliving.patience = PATIENCE.saturating_sub(times);
    }

    /// As [`Context::run`] in [`Mode::Grow`], unless memory outlives the execution.
    pub fn grow(&mut self) -> Result<RunEnd, Moved> {
        let end = self.run(Mode::Grow);
        let is_whole = match &end {
            RunEnd::Complete => true,
            RunEnd::Violation(violation) => matches!(violation.kind, ViolationKind::Leak { .. }),
            _ => false,
        };
        if !is_whole || !self.leaves_something_else() {
            return Ok(end);
        }
        let run = |this: &Context, elsewhere: &mut Context| {
            this.explorer.execution().copy_into(elsewhere.explorer.execution_mut());
            elsewhere.run(Mode::Rebase);
        };
        match self.remedy(run) {
            None => Ok(end),
            Some(Remedy::Complain(kind)) => Ok(self.found(ThreadId::MAIN, kind)),
            Some(Remedy::BeginAgain) => Err(Moved),
        }
    }

    /// As [`Context::run_sample`]. Memory that outlives the run is left alone; what is wrong with a test that keeps more and more is returned
    /// besides, as no replay shows it.
    pub fn sample(&mut self) -> (SampleEnd, Option<ViolationKind>) {
        let end = self.run_sample();
        if end != SampleEnd::Complete || !self.leaves_something_else() {
            return (end, None);
        }
        let run = |this: &Context, elsewhere: &mut Context| {
            elsewhere.lane.reuse = this.lane.reuse;
            elsewhere.sampler.restart(SplitMix::of_part(0, 0), Chooser::Random);
            elsewhere.run_sample();
        };
        match self.remedy(run) {
            Some(Remedy::Complain(kind)) => (SampleEnd::Violation, Some(kind)),
            _ => (end, None),
        }
    }

    /// Has the last execution left anything that others have not?
    fn leaves_something_else(&mut self) -> bool {
        let Some(kind) = self.lane.leftovers() else { return false };
        self.lane.has_leftovers = true;
        let Outliving { kinds, leaving, .. } = &mut self.outliving;
        *leaving += 1;
        let is_new = !kinds.contains(&kind);
        if is_new && kinds.len() < KINDS {
            kinds.push(kind);
            return true;
        }
        // Now and then, ever more rarely: 1, 16, 256, …
        leaving.is_power_of_two() && leaving.trailing_zeros() % 4 == 0
    }

    /// Runs the last execution once more, elsewhere and as `run` says. If what it has left is in use, this says what to do.
    fn remedy(&mut self, run: impl FnOnce(&Context, &mut Context)) -> Option<Remedy> {
        let mut elsewhere = match self.outliving.elsewhere.take() {
            Some(elsewhere) => elsewhere,
            None => self.elsewhere()?,
        };
        let accessed = self.lane.accessed_during(|| run(self, &mut elsewhere));
        self.is_tainted |= std::mem::take(&mut elsewhere.is_tainted);
        // The next time may be on another thread of the operating system.
        elsewhere.forget_stacks();
        let in_use = accessed.or_else(|| self.pointed_to());
        if in_use.is_some() {
            // What is left like that the next time may be something else, and who does not listen is told again.
            self.outliving.kinds.clear();
        }
        let remedy = match in_use {
            None => None,
            Some(address) if self.outliving.patience == 0 => {
                let block = self.lane.block_at(address).map(|(owner, block)| (owner, block.events, block.size));
                Some(Remedy::Complain(ViolationKind::KeptMemory { block }))
            }
            // To run it once more may have been to keep something once more.
            Some(_) => (elsewhere.leave_memory() && self.leave_memory()).then(|| {
                // What is kept may belong to this thread of the operating system.
                self.needs_to_be_alone = true;
                self.outliving.patience -= 1;
                Remedy::BeginAgain
            }),
        };
        self.outliving.elsewhere = Some(elsewhere);
        remedy
    }

    /// A context in a lane of its own, if there is one.
    fn elsewhere(&self) -> Option<Box<Context>> {
        // What is only run once more is nobody's business.
        let judge: &Judge<'static> = &|_, _| None;
        let subject = Subject { judge, ..self.subject };
        let mut elsewhere = Context::new(self.config.clone(), Lane::try_acquire()?, subject);
        elsewhere.heartbeat = self.heartbeat.clone();
        elsewhere.unheeded.clone_from(&self.unheeded);
        Some(elsewhere)
    }

    /// What the last execution has left and memory that is in use points to.
    fn pointed_to(&mut self) -> Option<usize> {
        let lane = &mut self.lane;
        let left = lock(&LEFT);
        left.iter()
            .flat_map(words)
            .find(|&word| lane.contains(word) && lane.block_at(word).is_some_and(|(_, block)| block.freed.is_none()))
    }

    /// Memory of another worker's executions outlives them. That of this worker's is left alone, too, if there is any.
    pub fn leave_leftovers(&mut self) {
        if self.lane.has_leftovers {
            self.leave_memory();
        }
    }

    /// Leaves what there is of the lane to those who use it, and goes on behind it; `false` if there is no room.
    fn leave_memory(&mut self) -> bool {
        let Some(arenas) = self.lane.leave() else { return false };
        self.forget_stacks();
        let mut left = lock(&LEFT);
        left.extend(arenas);
        let too_many = left.len().saturating_sub(MOST_LEFT);
        left.drain(..too_many);
        true
    }

    fn forget_stacks(&mut self) {
        for thread in &mut self.threads {
            thread.forget_stack();
        }
    }
}
