//! What would end the whole program ends one execution, and is found like anything else.

use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, abort};
use std::ptr;

use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use linchpin::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};
use linchpin::{Builder, Crash, Replay, Sampling, Violation, ViolationKind, report, thread};

/// Nothing is ever mapped there.
const NOWHERE: usize = 0x1000_0000_0000;

/// What exploring the test finds. Replaying it and sampling the test find the same, and another test is none the wiser.
fn crash(test: impl Fn() + Send + Sync + Copy + 'static) -> Violation {
    let builder = Builder::new().workers(1);
    let violation = builder.explore(test).violation.expect("a violation");
    another_test_works();

    let replay: Replay = builder.replay_of(&violation).to_string().parse().expect("a replay");
    let again = builder.replay(&replay, test).expect("the test does the same").expect("the violation again");
    assert_eq!(report::violation(&again), report::violation(&violation));
    another_test_works();

    let sampled = builder.sample(&Sampling::default(), test).found.expect("a violation").violation;
    assert_eq!(what(&sampled), what(&violation));
    another_test_works();
    violation
}

fn another_test_works() {
    let exploration = Builder::new().workers(1).explore(|| {
        assert!(!std::thread::panicking(), "an earlier panic is still counted");
        let total = Arc::new(AtomicUsize::new(0));
        let other = total.clone();
        let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
        total.fetch_add(1, Relaxed);
        thread.join().unwrap();
        assert_eq!(total.load(Relaxed), 2);
    });
    assert!(exploration.violation.is_none() && exploration.coverage.is_complete());
    assert!(!std::thread::panicking());
}

/// Lets `then` run in the executions in which a flag, which another thread sets, is seen.
fn when_seen(then: impl FnOnce()) {
    let flag = Arc::new(AtomicBool::new(false));
    let other = flag.clone();
    let thread = thread::spawn(move || other.store(true, Release));
    if flag.load(Acquire) {
        then();
    }
    thread.join().unwrap();
}

fn what(violation: &Violation) -> String {
    match &violation.kind {
        ViolationKind::Crash { cause, .. } => format!("{cause:?}"),
        ViolationKind::Panic { message, position, .. } => format!("{message} at {position}"),
        other => other.to_string(),
    }
}

fn cause(violation: &Violation) -> Crash {
    match violation.kind {
        ViolationKind::Crash { cause, .. } => cause,
        ref other => panic!("{other:?}"),
    }
}

fn panic_of(violation: &Violation) -> (&str, &str) {
    match &violation.kind {
        ViolationKind::Panic { message, position, .. } => (message, position),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pointer_that_nobody_has_published_yet_is_reported_with_what_std_says_of_it() {
    let test = || {
        let published = Arc::new(AtomicPtr::new(ptr::null_mut::<u32>()));
        let other = published.clone();
        let thread = thread::spawn(move || other.store(Box::leak(Box::new(1)), Release));
        let found = published.load(Acquire);
        // SAFETY: there is none; that is the point.
        black_box(unsafe { *found });
        thread.join().unwrap();
    };
    let line = line!() - 3;
    let violation = crash(test);
    if cfg!(debug_assertions) {
        let (message, position) = panic_of(&violation);
        let expected = "null pointer dereference occurred\nThe program was aborted before this panic had unwound.";
        assert_eq!(message, expected);
        assert!(position.starts_with(&format!("{}:{line}:", file!())), "{position}");
    } else {
        assert_eq!(cause(&violation), Crash::BadAddress { address: Some(0) });
    }
}

#[test]
fn an_abort_is_reported_with_what_was_done_before() {
    let violation = crash(|| when_seen(|| abort()));
    assert_eq!(cause(&violation), Crash::Abort);
    let ViolationKind::Crash { last: Some(last), .. } = violation.kind else { panic!("{:?}", violation.kind) };
    assert!(violation.execution.event(last).is_read());
    assert_eq!(violation.execution.event(last).value, 1);
}

#[test]
fn memory_that_there_is_not_enough_of_is_reported() {
    let violation = crash(|| {
        when_seen(|| {
            black_box(vec![1_u8; 1 << 40]);
        });
    });
    assert_eq!(cause(&violation), Crash::Abort);
}

#[test]
fn a_wild_pointer_is_reported_with_its_address() {
    let violation = crash(|| {
        when_seen(|| {
            // SAFETY: there is none; that is the point.
            unsafe { ptr::with_exposed_provenance::<u8>(NOWHERE).read_volatile() };
        });
    });
    assert_eq!(cause(&violation), Crash::BadAddress { address: Some(NOWHERE) });
}

#[test]
fn a_wild_pointer_to_what_is_modelled_is_reported_too() {
    let at = |address: usize| {
        // SAFETY: there is none; that is the point.
        unsafe { AtomicUsize::from_ptr(ptr::with_exposed_provenance_mut(address)) }
    };
    let crashes = [
        crash(move || when_seen(|| _ = at(NOWHERE).load(Relaxed))),
        crash(move || when_seen(|| at(NOWHERE).store(1, Relaxed))),
        crash(move || when_seen(|| _ = at(NOWHERE).fetch_add(1, Relaxed))),
        crash(|| {
            when_seen(|| {
                let cell = ptr::with_exposed_provenance::<UnsafeCell<u64>>(NOWHERE);
                // SAFETY: as above.
                unsafe { (*cell).with(|value| *value) };
            });
        }),
    ];
    for violation in crashes {
        assert_eq!(cause(&violation), Crash::BadAddress { address: Some(NOWHERE) });
    }
}

#[test]
fn an_address_that_no_memory_can_have_is_reported() {
    let violation = crash(|| {
        when_seen(|| {
            // SAFETY: there is none; that is the point.
            unsafe { ptr::with_exposed_provenance::<u8>(1 << 63).read_volatile() };
        });
    });
    let expected = if cfg!(target_arch = "x86_64") { None } else { Some(1 << 63) };
    assert_eq!(cause(&violation), Crash::BadAddress { address: expected });
}

#[expect(unconditional_recursion, reason = "it is to overflow the stack")]
fn descend(depth: u64) -> u64 {
    black_box(1 + descend(black_box(depth + 1)))
}

#[test]
fn a_recursion_without_end_is_reported_as_a_stack_overflow() {
    let violation = crash(|| when_seen(|| _ = descend(0)));
    assert_eq!(cause(&violation), Crash::StackOverflow { size: 4 << 20 });
    let in_a_spawned_thread = crash(|| _ = thread::spawn(|| descend(0)).join());
    assert_eq!(cause(&in_a_spawned_thread), Crash::StackOverflow { size: 4 << 20 });
}

#[expect(unconditional_recursion, reason = "it is to overflow the stack")]
fn descend_and_look(at: &AtomicUsize, depth: usize) -> usize {
    let _room = black_box([depth as u8; 3_000]);
    at.store(depth, Relaxed);
    at.load(Relaxed) + descend_and_look(at, depth + 1)
}

#[expect(unconditional_recursion, reason = "it is to overflow the stack")]
fn descend_slowly(at: &AtomicUsize, depth: usize) -> usize {
    let _room = black_box([depth as u8; 300]);
    at.fetch_add(1, Relaxed) + descend_slowly(at, depth + 1)
}

#[test]
fn a_stack_that_only_the_engine_finds_used_up_has_overflowed() {
    // The engine needs more stack than the program does from one access to the next, so it is always the engine that comes to the end.
    let builder = Builder::new().workers(1).max_events_per_thread(1_000_000);
    let test = || _ = descend_slowly(&AtomicUsize::new(0), 0);
    for _ in 0..2 {
        let violation = builder.explore(test).violation.expect("a violation");
        assert_eq!(cause(&violation), Crash::StackOverflow { size: 4 << 20 });
    }
    let sampled = builder.sample(&Sampling { runs: 2, ..Sampling::default() }, test).found.expect("a violation");
    assert!(matches!(sampled.violation.kind.name(), "crash" | "test is not deterministic"));
}

/// Begins somewhat further down the stack.
fn begin_below(frames: usize, at: &AtomicUsize) -> usize {
    if frames == 0 { descend_and_look(at, 0) } else { black_box(begin_below(frames - 1, at) + 1) }
}

#[test]
fn wherever_the_engine_is_when_a_stack_overflows_it_comes_to_an_end_first() {
    let builder = Builder::new().workers(1);
    for frames in 0..80 {
        let test = move || _ = begin_below(frames, &AtomicUsize::new(0));
        let violation = builder.explore(test).violation.expect("a violation");
        assert_eq!(cause(&violation), Crash::StackOverflow { size: 4 << 20 });
        // The engine needs another amount of stack in a replay, which may end a few calls later and then differs.
        let sampled = builder.sample(&Sampling { runs: 2, ..Sampling::default() }, test).found.expect("a violation");
        assert!(matches!(sampled.violation.kind.name(), "crash" | "test is not deterministic"));
    }
}

struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("in a destructor");
    }
}

#[test]
fn of_two_panics_the_first_is_reported() {
    let violation = crash(|| {
        when_seen(|| {
            let _panics = Panics;
            panic!("before the destructor");
        });
    });
    let line = line!() - 3;
    let (message, position) = panic_of(&violation);
    assert!(message.starts_with("before the destructor\nWhile it unwound, a destructor panicked at "), "{message}");
    assert!(message.contains(": in a destructor\n"), "{message}");
    assert!(position.starts_with(&format!("{}:{line}:", file!())), "{position}");
}

#[test]
fn a_panic_in_what_cannot_unwind_is_reported_as_that_panic() {
    extern "C" fn cannot_unwind() {
        panic!("at the border");
    }
    let violation = crash(|| when_seen(|| cannot_unwind()));
    let (message, _) = panic_of(&violation);
    assert_eq!(message, "at the border\nThe program was aborted before this panic had unwound.");
}

#[test]
fn a_crash_does_not_end_an_exploration_that_is_to_go_on() {
    for test in [|| when_seen(|| abort()), || when_seen(|| panic_for_good())] {
        let exploration = Builder::new().workers(1).keep_going(true).explore(test);
        assert_eq!((exploration.complete, exploration.violations), (1, 1));
    }
}

extern "C" fn panic_for_good() {
    panic!("at the border");
}

/// Runs the ignored test `name` in another process; returns the signal that ended it.
fn signal_of(name: &str) -> Option<i32> {
    let this = std::env::current_exe().expect("the test is a program");
    let output = Command::new(this).args(["--ignored", "--exact", name]).output().expect("it can be started");
    output.status.signal()
}

#[test]
fn what_crashes_outside_of_executions_still_ends_the_program() {
    assert_eq!(signal_of("follows_a_wild_pointer"), Some(libc::SIGSEGV));
    assert_eq!(signal_of("aborts"), Some(libc::SIGABRT));
    // The standard library says so, and aborts.
    assert_eq!(signal_of("overflows_a_native_stack"), Some(libc::SIGABRT));
}

#[test]
#[ignore = "ends the program"]
fn follows_a_wild_pointer() {
    another_test_works();
    // SAFETY: there is none; that is the point.
    unsafe { ptr::with_exposed_provenance::<u8>(NOWHERE).read_volatile() };
}

#[test]
#[ignore = "ends the program"]
fn aborts() {
    another_test_works();
    abort();
}

#[test]
#[ignore = "ends the program"]
fn overflows_a_native_stack() {
    another_test_works();
    descend(0);
}
