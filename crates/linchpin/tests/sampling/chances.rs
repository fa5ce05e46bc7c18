//! How likely things are. Seeds are fixed, so none of these tests fails now and then; margins say how unlikely it would have
//! been for a right program to have such a seed.

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU8, Ordering::Relaxed};
use linchpin::{Builder, Sampled, Sampling, Strategy, Unit, thread};
use linchpin_engine::Config;

use crate::join_all;
use crate::outcomes::sample_outcomes;

/// As often as expected, give or take six standard deviations of a binomial distribution: beyond is one in 500 million.
#[track_caller]
fn is_about(count: u64, runs: u64, probability: f64) {
    let expected = runs as f64 * probability;
    let margin = 6.0 * (expected * (1.0 - probability)).sqrt();
    assert!((count as f64 - expected).abs() <= margin, "{count} of {runs}, not {expected:.0} ± {margin:.0}");
}

/// Two threads that make so many steps; returns whose steps came when, as the digits of a binary number after a one, the first
/// step first.
fn order_of(steps: [u8; 2]) -> [u8; 1] {
    let clock = Arc::new(AtomicU8::new(0));
    let [_, second] = steps.map(|steps| {
        let clock = clock.clone();
        thread::spawn(move || (0..steps).map(|_| 1 << clock.fetch_add(1, Relaxed)).sum::<u8>())
    });
    let seconds = second.join().unwrap();
    // The first thread has the other places.
    [1 << steps.iter().sum::<u8>() | seconds.reverse_bits() >> (8 - steps.iter().sum::<u8>())]
}

#[test]
fn the_random_walk_tosses_a_fair_coin_at_every_step() {
    let runs = 8_000;
    let sampling = Sampling { runs, seed: 2, ..Sampling::default() };
    let (_, seen) = sample_outcomes(&Config::default(), &sampling, || order_of([2, 1]));
    assert_eq!(seen.len(), 3);
    // Once one thread has ended there is nothing to toss for.
    is_about(seen[&[0b1100]], runs, 0.5);
    is_about(seen[&[0b1010]], runs, 0.25);
    is_about(seen[&[0b1001]], runs, 0.25);
}

#[test]
fn every_interleaving_is_seen() {
    let sampling = Sampling { runs: 2_000, seed: 2, ..Sampling::default() };
    let (_, seen) = sample_outcomes(&Config::default(), &sampling, || order_of([3, 3]));
    // Three of six places belong to one of the threads. The rarest way has probability 2^-5: of 2,000 runs to have none of
    // it is one in 10^27.
    assert_eq!(seen.len(), 20);
}

#[test]
fn without_change_points_threads_run_one_after_the_other() {
    for strategy in [Strategy::Pct { depth: 1, steps: None }, Strategy::DPct { depth: 1, structures: None }] {
        let sampling = Sampling { strategy, runs: 1_016, seed: 2, ..Sampling::default() };
        let (_, seen) = sample_outcomes(&Config::default(), &sampling, || order_of([3, 3]));
        let in_turn = seen.get(&[0b100_0111]).unwrap() + seen.get(&[0b111_1000]).unwrap();
        // The first 16 runs are a random walk.
        assert!(in_turn >= 1_000, "{seen:?}");
    }
}

/// So many steps of no interest.
fn idle(steps: usize, rest: &AtomicU8) {
    for _ in 0..steps {
        rest.load(Relaxed);
    }
}

/// A fault of depth `depth`: two threads have to pass a ball to and fro so many times, each being given one chance to do
/// so. Before each chance there are steps of no interest; other threads make nothing else.
fn pass_the_ball(depth: u8, idle: usize, bystanders: usize) {
    let ball = Arc::new(AtomicU8::new(0));
    let rest = Arc::new(AtomicU8::new(0));
    let player = |first: u8| {
        let (ball, rest) = (ball.clone(), rest.clone());
        move || {
            for pass in (first..=depth).step_by(2) {
                self::idle(idle, &rest);
                if pass == depth {
                    assert_ne!(ball.load(Relaxed), depth, "the ball has come all the way");
                } else {
                    let _ = ball.compare_exchange(pass, pass + 1, Relaxed, Relaxed);
                }
            }
        }
    };
    let mut threads: Vec<_> = [player(0), player(1)].map(thread::spawn).into();
    for _ in 0..bystanders {
        let rest = rest.clone();
        threads.push(thread::spawn(move || self::idle(idle, &rest)));
    }
    join_all(threads);
}

/// How many steps the threads make, main without any: what PCT calls k.
fn steps(depth: u8, idle: usize, bystanders: usize) -> Vec<u64> {
    let player = |first: u8| (first..=depth).step_by(2).map(|_| idle as u64 + 1).sum();
    let mut steps = vec![0, player(0), player(1)];
    steps.extend((0..bystanders).map(|_| idle as u64));
    steps
}

/// PCT's bound for `n` threads and `k` steps.
fn bound(depth: u8, n: u64, k: u64) -> f64 {
    1.0 / (n as f64 * (k as f64).powi(i32::from(depth) - 1))
}

fn sample_ball(strategy: Strategy, runs: u64, depth: u8, idle: usize, bystanders: usize) -> Sampled {
    let sampling = Sampling { strategy, runs, seed: 4, ..Sampling::default() };
    Builder::new().keep_going(true).sample(&sampling, move || pass_the_ball(depth, idle, bystanders))
}

#[test]
fn faults_of_depth_1_2_and_3_are_found_as_often_as_pct_promises() {
    for (depth, idle, bystanders) in [(1, 3, 0), (1, 2, 2), (2, 2, 0), (2, 2, 1), (3, 1, 0)] {
        let steps = steps(depth, idle, bystanders);
        let (n, k) = (steps.len() as u64, steps.iter().sum());
        let structures = steps.iter().map(|&steps| vec![Unit::Steps(steps as u32)]).collect();
        let depth_32 = u32::from(depth);
        let strategies = [
            Strategy::Pct { depth: depth_32, steps: Some(k) },
            Strategy::DPct { depth: depth_32, structures: Some(structures) },
            Strategy::DPct { depth: depth_32, structures: None },
        ];
        for strategy in strategies {
            // What is learnt is never less than there is, but may be more: a loop that now does one thing and now another is taken
            // to do all of the longer one each time.
            let probe = sample_ball(strategy.clone(), 20, depth, idle, bystanders);
            let assumed = probe.assumed_steps.expect("all of these assume something");
            assert!((k..=2 * k).contains(&assumed), "{strategy:?}: {assumed}, not {k}");
            let wanted = bound(depth, n, assumed);
            // With a probability that is just the bound, 100 would be expected, and less than that minus six times its root
            // would come in one of e^18 cases (Chernoff).
            let runs = (100.0 / wanted).ceil() as u64;
            let sampled = sample_ball(strategy.clone(), runs, depth, idle, bystanders);
            let expected = runs as f64 * wanted;
            let least = expected - 6.0 * expected.sqrt();
            let found = sampled.violations as f64;
            assert!(found >= least, "{strategy:?}: {found} of {runs}, at least {least:.0} with n = {n}, k = {assumed}");
        }
    }
}

#[test]
fn a_fault_that_the_random_walk_hardly_ever_finds_is_found_by_pct() {
    // The second thread has to be through with 16 idle steps and the first to be still before its own.
    let test = || {
        let (late, rest) = (Arc::new(AtomicU8::new(0)), Arc::new(AtomicU8::new(0)));
        let shared = (late.clone(), rest.clone());
        let thread = thread::spawn(move || {
            idle(16, &shared.1);
            shared.0.store(1, Relaxed);
        });
        assert_eq!(late.load(Relaxed), 0);
        thread.join().unwrap();
    };
    let rate = |strategy| {
        let sampling = Sampling { strategy, runs: 2_000, seed: 4, ..Sampling::default() };
        Builder::new().keep_going(true).sample(&sampling, test).violations
    };
    // One in 2^17, and one in two.
    assert_eq!(rate(Strategy::Random), 0);
    assert!(rate(Strategy::Pct { depth: 1, steps: None }) > 900);
    assert!(rate(Strategy::DPct { depth: 1, structures: None }) > 900);
}

#[test]
fn d_pct_has_change_points_beyond_the_steps_that_were_assumed() {
    // Two threads that take their time, and then a fault of depth 2.
    let test = || {
        let rest = Arc::new(AtomicU8::new(0));
        let idle = [(); 2].map(|()| {
            let rest = rest.clone();
            thread::spawn(move || idle(20, &rest))
        });
        join_all(idle);
        pass_the_ball(2, 0, 0);
    };
    let rate = |strategy| {
        let sampling = Sampling { strategy, runs: 20_000, seed: 4, ..Sampling::default() };
        Builder::new().keep_going(true).sample(&sampling, test).violations
    };
    // PCT that is told of three steps has none left for the fault.
    assert_eq!(rate(Strategy::Pct { depth: 2, steps: Some(3) }), 0);
    // D-PCT assumes no more, notices, and assumes as many steps again as there have been: at most 40 for each thread. The fault
    // takes three, and there are five threads. Threads that were not declared are noticed as well.
    let expected: f64 = 20_000.0 / 5.0 / 83.0;
    for of_fault in [[1, 2].as_slice(), &[]] {
        let declared = [0, 1, 1].iter().chain(of_fault).map(|&steps| vec![Unit::Steps(steps)]).collect();
        let found = rate(Strategy::DPct { depth: 2, structures: Some(declared) });
        assert!(found as f64 >= expected - 6.0 * expected.sqrt(), "{found}");
    }
}
