//! What is made in one execution and kept beyond it is not overwritten by the next, or the test is told so.

mod common;

use std::cell::RefCell;
use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::{Mutex as NativeMutex, OnceLock as NativeOnceLock};

use common::litmus::store_buffering;
use common::{LOOPS, expect_proof, violation};
use linchpin::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use linchpin::sync::{Arc, OnceLock};
use linchpin::{Builder, Exploration, LoopReduction, MemoryModel, Sampling, ViolationKind, outside, thread};
use linchpin_engine::{Config, explore};

const SIZE: usize = 200;

/// Overwrites memory that does not belong to anybody.
fn scribble() {
    for size in [1, 8, 24, 100, SIZE * 8, SIZE * 8, 3_000] {
        black_box(vec![0xff_u8; size]);
    }
}

/// Something that does not outlive this program, made outside.
fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// All treatments of loops, by one worker and by three.
fn builders() -> impl Iterator<Item = Builder> {
    [1, 3].into_iter().flat_map(|workers| {
        LOOPS
            .into_iter()
            .chain([LoopReduction::Unchecked])
            .map(move |loops| Builder::new().workers(workers).loops(loops))
    })
}

/// Store buffering has four executions.
fn expect_all_four(exploration: &Exploration) {
    expect_proof(exploration);
    assert_eq!(exploration.complete, 4);
}

#[test]
fn what_the_first_execution_makes_is_the_same_in_all() {
    for builder in builders() {
        let table: &'static NativeOnceLock<Vec<usize>> = forever(NativeOnceLock::new());
        expect_all_four(&builder.explore(|| {
            let table = table.get_or_init(|| (0..SIZE).collect());
            store_buffering(Relaxed, Relaxed);
            scribble();
            assert!(table.iter().copied().eq(0..SIZE));
        }));
        assert!(table.get().unwrap().iter().copied().eq(0..SIZE), "after the exploration");
    }
}

#[test]
fn what_is_made_in_some_executions_only_is_the_same_in_all() {
    for (when, is_leaking) in
        [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().flat_map(|when| [(when, false), (when, true)])
    {
        for builder in builders() {
            let table: &'static NativeOnceLock<Vec<usize>> = forever(NativeOnceLock::new());
            expect_all_four(&builder.explore(move || {
                if is_leaking {
                    black_box(Box::leak(Box::new(1)));
                }
                if store_buffering(Relaxed, Relaxed) == when {
                    table.get_or_init(|| (0..SIZE).collect());
                }
                scribble();
                assert!(table.get().is_none_or(|table| table.iter().copied().eq(0..SIZE)));
            }));
        }
    }
}

#[test]
fn what_takes_several_executions_to_make_is_the_same_in_all() {
    for builder in builders() {
        let parts: &'static NativeMutex<Vec<Box<[usize]>>> = forever(NativeMutex::new(Vec::new()));
        expect_all_four(&builder.explore(|| {
            store_buffering(Relaxed, Relaxed);
            let mut parts = parts.lock().unwrap();
            if parts.len() < 3 {
                parts.push((0..SIZE).collect());
            }
            scribble();
            assert!(parts.iter().all(|part| part.iter().copied().eq(0..SIZE)));
        }));
    }
}

#[test]
fn what_belongs_to_a_thread_of_the_operating_system_is_the_same_in_all() {
    thread_local! {
        static TABLE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    }
    // Each worker has a thread of its own, and gets something to do.
    let config = |loops, workers| Config { loops, workers, shares_always: true, ..Config::default() };
    for config in LOOPS.into_iter().flat_map(|loops| [1, 2, 3].map(|workers| config(loops, workers))) {
        expect_all_four(&explore(&config, &|| {
            TABLE.with_borrow_mut(|table| {
                if table.is_empty() {
                    *table = (0..SIZE).collect();
                }
            });
            store_buffering(Relaxed, Relaxed);
            scribble();
            TABLE.with_borrow(|table| assert!(table.iter().copied().eq(0..SIZE)));
        }));
    }
}

#[test]
fn modelled_memory_that_is_kept_begins_each_execution_with_the_same() {
    for model in common::MODELS {
        let kept: &'static NativeOnceLock<Box<[AtomicUsize; 2]>> = forever(NativeOnceLock::new());
        let outcomes: &'static NativeMutex<Vec<[usize; 3]>> = forever(NativeMutex::new(Vec::new()));
        let exploration = Builder::new().memory_model(model).workers(1).loops(LoopReduction::Off).explore(|| {
            let numbers = kept.get_or_init(|| Box::new([AtomicUsize::new(0), AtomicUsize::new(0)]));
            let before = numbers[0].load(Relaxed);
            let thread = thread::spawn(|| {
                numbers[0].fetch_add(1, Relaxed);
                numbers[1].load(Relaxed)
            });
            numbers[1].fetch_add(1, Relaxed);
            let mine = numbers[0].load(Relaxed);
            let theirs = thread.join().unwrap();
            scribble();
            outside(|| outcomes.lock().unwrap().push([before, mine, theirs]));
        });
        expect_proof(&exploration);
        // Who reads before the other has added, sees what both began with.
        let expected = if model == MemoryModel::Sc { 3 } else { 4 };
        assert_eq!(exploration.complete, expected);
        let outcomes = outcomes.lock().unwrap();
        let mut last = outcomes[outcomes.len() - expected as usize..].to_vec();
        let begin = last[0][0];
        last.iter_mut().flatten().for_each(|number| *number -= begin.min(*number));
        last.sort_unstable();
        last.dedup();
        assert_eq!(last.len() as u64, expected, "{outcomes:?}");
    }
}

#[test]
fn what_grows_may_do_so_in_every_execution() {
    let numbers: &'static NativeMutex<Vec<usize>> = forever(NativeMutex::new(Vec::new()));
    let builder = Builder::new().workers(1).loops(LoopReduction::Off);
    let exploration = builder.explore(|| {
        let [left, right] = store_buffering(Relaxed, Relaxed);
        scribble();
        let mut numbers = numbers.lock().unwrap();
        numbers.reserve_exact(SIZE);
        (0..SIZE).for_each(|_| numbers.push(usize::from(2 * left + right)));
    });
    expect_all_four(&exploration);
    let numbers = numbers.lock().unwrap();
    let all: Vec<usize> = numbers.chunks(SIZE).map(|chunk| chunk[0]).collect();
    assert!(numbers.chunks(SIZE).all(|chunk| chunk.len() == SIZE && chunk.iter().all(|&number| number == chunk[0])));
    assert!((0..4).all(|outcome| all.contains(&outcome)), "{all:?}");
}

#[test]
fn what_samples_make_is_the_same_in_all() {
    let table: &'static NativeOnceLock<Vec<usize>> = forever(NativeOnceLock::new());
    let sampling = Sampling { runs: 100, ..Sampling::default() };
    let sampled = Builder::new().workers(1).sample(&sampling, || {
        let [left, right] = store_buffering(Relaxed, Relaxed);
        if left < right {
            table.get_or_init(|| (0..SIZE).collect());
        }
        scribble();
        assert!(table.get().is_none_or(|table| table.iter().copied().eq(0..SIZE)));
    });
    assert!(sampled.found.is_none() && sampled.complete == 100);
    assert!(table.get().is_some());
}

#[test]
fn what_is_made_once_is_no_leak() {
    for (builder, is_leaking) in builders().flat_map(|builder| [(builder.clone(), false), (builder, true)]) {
        let table: &'static NativeOnceLock<Vec<usize>> = forever(NativeOnceLock::new());
        let exploration = builder.leaks(true).explore(move || {
            let table = table.get_or_init(|| (0..SIZE).collect());
            let [left, right] = store_buffering(Relaxed, Relaxed);
            assert!(table.iter().copied().eq(0..SIZE));
            if is_leaking && left + right == 2 {
                black_box(Box::leak(Box::new([left, right])));
            }
        });
        match exploration.violation {
            Some(found) => {
                assert!(is_leaking && matches!(&found.kind, ViolationKind::Leak { blocks } if blocks.len() == 1))
            }
            None => assert!(!is_leaking),
        }
    }
}

#[test]
fn what_is_leaked_and_forgotten_is_in_nobodys_way() {
    for builder in builders() {
        expect_all_four(&builder.explore(|| {
            black_box(Box::leak(Box::new([1; 4])));
            let [left, right] = store_buffering(Relaxed, Relaxed);
            black_box(Vec::leak(vec![1_u8; (2 * left + right).into()]));
        }));
    }
}

#[test]
fn statics_of_modelled_types_begin_anew_and_keep_nothing() {
    static TABLE: OnceLock<Vec<usize>> = OnceLock::new();
    for builder in builders() {
        let exploration = builder.explore(|| {
            assert!(TABLE.get().is_none());
            let thread = thread::spawn(|| assert_eq!(TABLE.get_or_init(|| (0..SIZE).collect()).len(), SIZE));
            scribble();
            assert_eq!(TABLE.get_or_init(|| (0..SIZE).collect())[SIZE - 1], SIZE - 1);
            thread.join().unwrap();
        });
        expect_proof(&exploration);
    }
}

/// Keeps something new of each execution, in what the first one has made, and perhaps looks at what others have kept.
fn hoard(looks: bool) -> impl Fn() + Send + Sync + Copy + 'static {
    let kept: &'static NativeMutex<Vec<Box<usize>>> = forever(NativeMutex::new(Vec::new()));
    move || {
        store_buffering(Relaxed, Relaxed);
        let mut kept = kept.lock().unwrap();
        let number = kept.len();
        kept.reserve_exact(10_000 - number);
        kept.push(Box::new(number));
        if looks {
            black_box(kept.iter().map(|number| **number).sum::<usize>());
        }
    }
}

#[test]
fn a_test_that_keeps_more_and_more_is_told_so_and_others_are_not() {
    let is_told = |kind: ViolationKind| {
        assert!(matches!(kind, ViolationKind::KeptMemory { block: Some((_, _, 8)) }), "{kind:?}");
    };
    for (builder, looks) in builders().flat_map(|builder| [(builder.clone(), false), (builder, true)]) {
        is_told(violation(&builder, hoard(looks)).kind);
        expect_all_four(&builder.explore(|| _ = store_buffering(Relaxed, Relaxed)));
        let sampling = Sampling { runs: 1_000, ..Sampling::default() };
        is_told(builder.sample(&sampling, hoard(looks)).found.expect("a violation").violation.kind);
    }
}

#[test]
fn a_test_that_begins_to_keep_what_it_has_only_leaked_before_is_told_so() {
    for builder in builders() {
        let kept: &'static NativeMutex<Vec<&usize>> = forever(NativeMutex::new(Vec::with_capacity(10_000)));
        let runs: &'static NativeMutex<u32> = forever(NativeMutex::new(0));
        let kind = violation(&builder, || {
            // Some hundred executions, of which all leave the same.
            (0..4).for_each(|_| _ = store_buffering(Relaxed, Relaxed));
            let (mut kept, mut runs) = (kept.lock().unwrap(), runs.lock().unwrap());
            let new = black_box(Box::leak(Box::new(1)));
            *runs += 1;
            if *runs > 2 {
                kept.push(new);
            }
            black_box(kept.iter().copied().sum::<usize>());
        });
        assert!(matches!(kind.kind, ViolationKind::KeptMemory { .. }), "{:?}", kind.kind);
    }
}

#[test]
fn no_replay_is_offered_for_what_a_single_execution_does_not_show() {
    let check = |test: fn()| {
        let panic = std::panic::catch_unwind(|| Builder::new().check(test)).expect_err("a violation");
        panic.downcast_ref::<String>().expect("a report").contains("LINCHPIN_REPLAY")
    };
    assert!(check(|| panic!("at once")));
    static KEPT: NativeMutex<Vec<&u8>> = NativeMutex::new(Vec::new());
    assert!(!check(|| {
        let mut kept = KEPT.lock().unwrap();
        kept.push(black_box(Box::leak(Box::new(1))));
        black_box(kept.iter().copied().sum::<u8>());
    }));
}

#[test]
fn what_is_looked_at_when_all_is_over_must_have_been_made_outside() {
    const CHILD: &str = "LINCHPIN_TEST_OUTLIVING";
    static SEEN: NativeMutex<Vec<Arc<[usize]>>> = NativeMutex::new(Vec::new());
    if std::env::var_os(CHILD).is_some() {
        SEEN.lock().unwrap().reserve(1_000);
        Builder::new().workers(1).check(|| {
            let [left, right] = store_buffering(Relaxed, Relaxed);
            SEEN.lock().unwrap().push(Arc::from([left.into(), right.into()]));
        });
        println!("{:?}", SEEN.lock().unwrap());
        unreachable!("what belongs to nobody was printed");
    }
    let this = std::env::current_exe().expect("a path");
    let name = "what_is_looked_at_when_all_is_over_must_have_been_made_outside";
    let output = Command::new(this).args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{said}");
    assert!(said.contains("made in `linchpin::outside(|| ...)`"), "{said}");
}
