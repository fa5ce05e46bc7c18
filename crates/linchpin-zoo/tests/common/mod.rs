//! Clients as values, what they return when they are explored, and what they may return.
//!
//! An outcome is right if some shuffle of the threads' calls has it, one call after another. With one call per thread that is
//! linearizability; with more it is sequential consistency, which asks for less: that a call of one thread ended before one
//! of another began is not looked at. What is wrong here is wrong by either.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};

use linchpin::sync::{self, Arc};
use linchpin::{Bound, Builder, Coverage, Exploration, Hooks, LoopReduction, MemoryModel, report, thread};

/// An operation with its arguments.
pub type Call<T> = fn(&T) -> Reply;

/// Calls in sequence, calls in threads, calls in sequence.
pub struct Client<T> {
    pub setup: Vec<Call<T>>,
    pub threads: Vec<Vec<Call<T>>>,
    pub epilogue: Vec<Call<T>>,
}

/// A client as it is written in text: `client!(Type: [setup()] { call(1); call(2) } || { call(3) } [epilogue()])`.
#[macro_export]
macro_rules! client {
    ($object:ty: [$($setup:ident($($s:expr),*));*] $({ $($call:ident($($c:expr),*));* })||+ [$($end:ident($($e:expr),*));*]) => {
        $crate::common::Client::<$object> {
            setup: vec![$(|object| object.$setup($($s),*).into()),*],
            threads: vec![$(vec![$(|object| object.$call($($c),*).into()),*]),+],
            epilogue: vec![$(|object| object.$end($($e),*).into()),*],
        }
    };
}

/// The same [`client!`] of two types: `clients!(Faulty, Correct: …)`.
#[macro_export]
macro_rules! clients {
    ($faulty:ty, $correct:ty: $($client:tt)*) => {
        ($crate::client!($faulty: $($client)*), $crate::client!($correct: $($client)*))
    };
}

/// What a call returned.
#[derive(Clone, Copy)]
pub enum Reply {
    Unit,
    Bool(bool),
    Empty,
    Number(u32),
    Pair(u32, u32),
}

impl From<()> for Reply {
    fn from((): ()) -> Reply {
        Reply::Unit
    }
}

impl From<bool> for Reply {
    fn from(truth: bool) -> Reply {
        Reply::Bool(truth)
    }
}

impl From<Option<u32>> for Reply {
    fn from(item: Option<u32>) -> Reply {
        item.map_or(Reply::Empty, Reply::Number)
    }
}

impl From<u32> for Reply {
    fn from(number: u32) -> Reply {
        Reply::Number(number)
    }
}

impl From<(u32, u32)> for Reply {
    fn from((first, second): (u32, u32)) -> Reply {
        Reply::Pair(first, second)
    }
}

impl Reply {
    /// As a byte. Outcomes leave an execution as a word, since its memory does not outlive it.
    fn code(self) -> u8 {
        match self {
            Reply::Unit => 0,
            Reply::Empty => 1,
            Reply::Bool(truth) => 2 + u8::from(truth),
            Reply::Number(number) if number < 32 => 4 + number as u8,
            Reply::Pair(first @ 0..8, second @ 0..8) => 64 + (8 * first + second) as u8,
            _ => panic!("clients have small numbers"),
        }
    }

    fn of(code: u8) -> Reply {
        match code {
            0 => Reply::Unit,
            1 => Reply::Empty,
            2 | 3 => Reply::Bool(code == 3),
            4..64 => Reply::Number(u32::from(code) - 4),
            _ => Reply::Pair(u32::from(code - 64) / 8, u32::from(code - 64) % 8),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Unit => f.write_str("()"),
            Reply::Bool(truth) => write!(f, "{truth}"),
            Reply::Empty => f.write_str("empty"),
            Reply::Number(number) => write!(f, "{number}"),
            Reply::Pair(first, second) => write!(f, "<{first},{second}>"),
        }
    }
}

impl<T: Default + Send + Sync + 'static> Client<T> {
    /// The replies of all but the setup, in the order of the text, a byte each.
    fn run(&self) -> u64 {
        let object = Arc::new(T::default());
        for call in &self.setup {
            call(&object);
        }
        let threads: Vec<_> = self
            .threads
            .iter()
            .map(|calls| {
                let (calls, object) = (calls.clone(), Arc::clone(&object));
                thread::spawn(move || packed(calls.iter().map(|call| call(&object))))
            })
            .collect();
        let mut outcome = 0;
        let mut position = 0;
        for (thread, calls) in threads.into_iter().zip(&self.threads) {
            outcome |= thread.join().unwrap() << (8 * position);
            position += calls.len();
        }
        outcome | packed(self.epilogue.iter().map(|call| call(&object))) << (8 * position)
    }

    /// The outcome of the threads' calls in this order, given by the number of the thread.
    fn run_in_order(&self, order: &[usize]) -> u64 {
        let object = T::default();
        for call in &self.setup {
            call(&object);
        }
        let mut replies: Vec<Vec<Reply>> = vec![Vec::new(); self.threads.len()];
        for &thread in order {
            let call = self.threads[thread][replies[thread].len()];
            replies[thread].push(call(&object));
        }
        let epilogue = self.epilogue.iter().map(|call| call(&object)).collect();
        replies.push(epilogue);
        packed(replies.into_iter().flatten())
    }

    /// All outcomes of the calls one after another, in all shuffles of the threads.
    fn sequential(&self) -> BTreeSet<u64> {
        let left: Vec<usize> = self.threads.iter().map(Vec::len).collect();
        shuffles(&left).iter().map(|order| self.run_in_order(order)).collect()
    }

    /// `true || 1; empty | 2`: threads beside each other, then the epilogue.
    fn text(&self, outcome: u64) -> String {
        let mut codes = outcome.to_le_bytes().into_iter();
        let mut sequence = |calls: usize| -> String {
            let replies: Vec<String> = codes.by_ref().take(calls).map(|code| Reply::of(code).to_string()).collect();
            replies.join("; ")
        };
        let threads: Vec<String> = self.threads.iter().map(|calls| sequence(calls.len())).collect();
        let mut text = threads.join(" || ");
        if !self.epilogue.is_empty() {
            text += " | ";
            text += &sequence(self.epilogue.len());
        }
        text
    }
}

fn packed(replies: impl Iterator<Item = Reply>) -> u64 {
    let mut bytes = [0; 8];
    for (i, reply) in replies.enumerate() {
        bytes[i] = reply.code();
    }
    u64::from_le_bytes(bytes)
}

/// All sequences with so many of each number.
fn shuffles(left: &[usize]) -> Vec<Vec<usize>> {
    if left.iter().all(|&n| n == 0) {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in (0..left.len()).filter(|&i| left[i] > 0) {
        let mut left = left.to_vec();
        left[first] -= 1;
        all.extend(shuffles(&left).into_iter().map(|rest| [vec![first], rest].concat()));
    }
    all
}

/// What exploring a client has shown.
struct Explored {
    exploration: Exploration,
    /// Outcomes that no shuffle of the calls explains.
    wrong: BTreeSet<String>,
}

fn sc() -> Builder {
    Builder::new().memory_model(MemoryModel::Sc)
}

/// Explores `client`; `sequential` are the outcomes that are right.
fn explore<T: Default + Send + Sync + 'static>(
    builder: &Builder,
    client: &Arc<Client<T>>,
    sequential: &BTreeSet<u64>,
) -> Explored {
    let last = Arc::new(AtomicU64::new(0));
    let seen = Mutex::new(BTreeSet::new());
    let test = {
        let (client, last) = (client.clone(), last.clone());
        move || {
            let outcome = client.run();
            // An access that the engine sees: what a shortened loop makes of the outcome would not go unnoticed.
            sync::atomic::AtomicU64::new(0).store(outcome, SeqCst);
            last.store(outcome, Relaxed);
        }
    };
    let observe = |_: &_| {
        seen.lock().unwrap().insert(last.load(Relaxed));
    };
    // With one worker, the run that ended last is the one that is observed.
    let exploration = builder.clone().workers(1).explore_with(test, Hooks { observe: &observe, ..Hooks::default() });
    let wrong = seen.into_inner().unwrap().difference(sequential).map(|&outcome| client.text(outcome)).collect();
    Explored { exploration, wrong }
}

/// Explores both clients under SC and to the end. `wrong` are the faulty one's outcomes that no shuffle of its calls on the
/// correct object has; `executions` are the numbers of complete executions of the two. Leaving out failed iterations of retry
/// loops may change the numbers, which are those with nothing left out, but no outcome.
#[track_caller]
pub fn expect<F, C>(clients: (Client<F>, Client<C>), wrong: &[&str], executions: [u64; 2])
where
    F: Default + Send + Sync + 'static,
    C: Default + Send + Sync + 'static,
{
    let (faulty, correct) = (Arc::new(clients.0), Arc::new(clients.1));
    let sequential = correct.sequential();
    let wrong: BTreeSet<String> = wrong.iter().map(|&outcome| outcome.to_owned()).collect();
    let [complete, _] = [LoopReduction::Off, LoopReduction::CrossChecked].map(|loops| {
        let builder = sc().loops(loops);
        let faulty = explore(&builder, &faulty, &sequential);
        let correct = explore(&builder, &correct, &sequential);
        expect_complete(&faulty.exploration);
        expect_complete(&correct.exploration);
        assert_eq!(faulty.wrong, wrong, "with {loops:?}");
        assert_eq!(correct.wrong, BTreeSet::new(), "with {loops:?}");
        [faulty, correct].map(|explored| explored.exploration.complete)
    });
    assert_eq!(complete, executions);
}

/// Explores a client under SC and to the end; all its outcomes are those of shuffles of its calls.
#[track_caller]
pub fn expect_right<T: Default + Send + Sync + 'static>(client: Client<T>) {
    let sequential = client.sequential();
    let explored = explore(&sc(), &Arc::new(client), &sequential);
    expect_complete(&explored.exploration);
    assert_eq!(explored.wrong, BTreeSet::new());
}

/// Explores a client under SC until it has this outcome, which no shuffle of its calls has.
#[track_caller]
pub fn expect_wrong<T: Default + Send + Sync + 'static>(client: Client<T>, wrong: &'static str) {
    assert!(client.sequential().iter().all(|&outcome| client.text(outcome) != wrong));
    let exploration = sc().explore(move || assert_ne!(client.text(client.run()), wrong));
    assert!(exploration.violation.is_some(), "{} executions, {}", exploration.complete, exploration.coverage);
}

/// As [`expect`], where some executions of the faulty client go on for ever and are cut after so many events of a thread.
/// That the rest was explored is all that can be said about it; its correct twin ends.
#[track_caller]
pub fn expect_bounded<F, C>(events: u32, clients: (Client<F>, Client<C>), wrong: &[&str], executions: [u64; 2])
where
    F: Default + Send + Sync + 'static,
    C: Default + Send + Sync + 'static,
{
    let (faulty, correct) = (Arc::new(clients.0), Arc::new(clients.1));
    let sequential = correct.sequential();
    let faulty = explore(&sc().max_events_per_thread(events), &faulty, &sequential);
    let correct = explore(&sc(), &correct, &sequential);
    expect_complete(&correct.exploration);
    expect_no_violation(&faulty.exploration);
    assert_eq!(faulty.exploration.coverage, Coverage::Bounded(vec![Bound::EventsPerThread(events)]));
    assert_eq!(faulty.wrong, wrong.iter().map(|&outcome| outcome.to_owned()).collect());
    assert_eq!(correct.wrong, BTreeSet::new());
    assert_eq!([faulty, correct].map(|explored| explored.exploration.complete), executions);
}

#[track_caller]
fn expect_complete(exploration: &Exploration) {
    expect_no_violation(exploration);
    assert_eq!(exploration.coverage, Coverage::Complete);
}

#[track_caller]
fn expect_no_violation(exploration: &Exploration) {
    println!("{} complete, {} blocked, {:?}", exploration.complete, exploration.blocked, exploration.elapsed);
    if let Some(violation) = &exploration.violation {
        panic!("{}", report::violation(violation));
    }
}
