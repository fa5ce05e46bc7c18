//! Clients on native threads: what is seen, what is reported, when it stops.

mod objects;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::thread;
use std::time::{Duration, Instant};

use linchpin_generate::{Outcomes, admitted_by_object, generate, parse};
use linchpin_model::{AnyObject, Object, Outcome};
use linchpin_stress::{Ended, Frequency, Hooks, Options, Panic, Place, Seen, Stressed, Stuck, stress};
use objects::{Atomic, Broken, Careless, Fragile, Hanging, Racy, Stack};

fn admitted<O: Object>(client: &str) -> Outcomes {
    admitted_by_object(AnyObject::of::<O>(), &parse(client).unwrap()).unwrap()
}

fn runs(runs: u64) -> Options {
    Options { max_runs: Some(runs), max_time: None, ..Options::default() }
}

fn stressed<O: Object>(client: &str, count: u64) -> Stressed {
    let stressed = stress(AnyObject::of::<O>(), &admitted::<O>(client), &runs(count), Hooks::default());
    assert_eq!(stressed.frequencies.iter().map(|frequency| frequency.count).sum::<u64>(), stressed.runs);
    assert_eq!((stressed.runs, &stressed.ended), (count, &Ended::Runs), "{}", stressed.table());
    stressed
}

fn outcomes(stressed: &Stressed) -> BTreeSet<Outcome> {
    let seen = stressed.frequencies.iter().filter(|frequency| frequency.count > 0);
    seen.map(|frequency| match &frequency.seen {
        Seen::Returned(outcome) => outcome.clone(),
        Seen::Panicked(panics) => panic!("{panics:?}"),
    })
    .collect()
}

/// The racy counter gives its core away between its load and its store, so even a single core would have to schedule two
/// threads in sequence 20,000 times to miss this.
#[test]
fn an_increment_in_two_steps_loses_one() {
    let stressed = stressed::<Racy>("{ increment() } || { increment() } [get()]", 20_000);
    assert!(stressed.is_violated());
    let lost = Outcome(vec![1.into(), 1.into(), 1.into()]);
    assert!(outcomes(&stressed).contains(&lost), "{}", stressed.table());
    assert!(!stressed.frequencies[0].admitted, "what is forbidden comes first");
}

#[test]
fn an_increment_in_one_step_loses_none() {
    let stressed = stressed::<Atomic>("{ increment() } || { increment() } [get()]", 50_000);
    assert!(!stressed.is_violated(), "{}", stressed.table());
    let texts: BTreeSet<String> = outcomes(&stressed).iter().map(Outcome::to_string).collect();
    // Both orders: nobody is first 50,000 times in a row, since who is late after a barrier is random.
    assert_eq!(texts, ["1, 2, 2".to_owned(), "2, 1, 2".to_owned()].into());
    assert_eq!(stressed.frequencies.len(), 2);
}

#[test]
fn what_a_right_object_shows_is_admitted_whatever_the_client() {
    for client in generate(AnyObject::of::<Stack>(), 7, Default::default()).take(30) {
        let text = client.to_string();
        let stressed = stressed::<Stack>(&text, 300);
        assert!(!stressed.is_violated(), "{}", stressed.table());
        // What is admitted and was not seen is listed too.
        assert_eq!(stressed.frequencies.len(), admitted::<Stack>(&text).len());
    }
}

#[test]
fn every_run_has_an_instance_of_its_own_that_is_dropped() {
    assert_eq!(Careless::made(), 0);
    stressed::<Careless>("[touch()] { touch() } || { touch() } [touch()]", 3_001);
    assert_eq!((Careless::made(), Careless::alive()), (3_001 + 1, 0), "and one for the admitted outcome");
}

#[test]
fn there_may_be_more_threads_than_cores() {
    // Threads without invocations take part in everything else.
    let cores = thread::available_parallelism().unwrap().get();
    let threads = [["{ increment() }"; 3].join(" || "), vec!["{ }"; cores].join(" || ")].join(" || ");
    let stressed = stressed::<Atomic>(&format!("{threads} [get()]"), 2_000);
    assert!(outcomes(&stressed).iter().all(|outcome| outcome.0[3] == 3.into()), "{}", stressed.table());
    assert_eq!(stressed.pinned, 0);
}

#[test]
fn a_client_of_one_thread_or_none_is_run_as_well() {
    assert!(!stressed::<Atomic>("{ increment(); increment() } [get()]", 1_000).is_violated());
    let mut client = parse("[increment()] { } [get()]").unwrap();
    client.threads.clear();
    let outcomes = admitted_by_object(AnyObject::of::<Atomic>(), &client).unwrap();
    let stressed = stress(AnyObject::of::<Atomic>(), &outcomes, &runs(100), Hooks::default());
    assert_eq!((stressed.runs, stressed.is_violated()), (100, false));
}

#[test]
fn panics_are_counted_with_what_they_say() {
    // Sequentially, nobody finds the door open that somebody has opened and closed again.
    let stressed = stressed::<Fragile>("{ pass() } || { pass() }", 20_000);
    assert!(stressed.is_violated());
    let mut panics = stressed.forbidden().filter_map(|frequency| match &frequency.seen {
        Seen::Panicked(panics) => Some(panics),
        Seen::Returned(_) => None,
    });
    let Panic { place, message } = &panics.next().unwrap_or_else(|| panic!("{}", stressed.table()))[0];
    assert!(matches!(place, Place::Invocation(0 | 1)), "{place:?}");
    assert!(
        message.starts_with("\"the door is open\" at crates/linchpin-stress/tests/stress/objects.rs:"),
        "{message}"
    );
}

/// Where the specification is another object, even a setup may panic.
#[test]
fn what_panics_in_the_setup_or_at_the_end_is_counted_too() {
    let outcomes = admitted::<Atomic>("[increment()] { get() } || { get() } [get()]");
    let stressed = stress(AnyObject::of::<Broken>(), &outcomes, &runs(500), Hooks::default());
    assert_eq!((stressed.runs, &stressed.ended), (500, &Ended::Runs));
    let seen: Vec<_> = stressed.forbidden().collect();
    let [Frequency { seen: Seen::Panicked(panics), count: 500, .. }] = &seen[..] else {
        panic!("{}", stressed.table())
    };
    assert_eq!((panics.len(), panics[0].place), (1, Place::Invocation(0)));
    assert!(panics[0].message.starts_with("\"cannot increment\" at "), "{panics:?}");

    let outcomes = admitted::<Atomic>("{ get() } || { increment() }");
    let stressed = stress(AnyObject::of::<Broken>(), &outcomes, &runs(500), Hooks::default());
    let seen: Vec<_> = stressed.forbidden().collect();
    let [Frequency { seen: Seen::Panicked(panics), count: 500, .. }] = &seen[..] else {
        panic!("{}", stressed.table())
    };
    let places: Vec<Place> = panics.iter().map(|panic| panic.place).collect();
    assert_eq!(places, [Place::Invocation(1), Place::Drop]);
}

#[test]
fn an_operation_that_does_not_return_is_named() {
    let options = Options {
        max_time: Some(Duration::from_secs(60)),
        stuck_after: Duration::from_millis(200),
        ..Options::default()
    };
    let outcomes = admitted::<Hanging>("{ set() } || { wait() }");
    let stressed = stress(AnyObject::of::<Hanging>(), &outcomes, &options, Hooks::default());
    assert!(stressed.is_violated());
    let Ended::Stuck(stuck) = &stressed.ended else { panic!("{}", stressed.table()) };
    assert_eq!(stuck[..], [Stuck { thread: 1, place: Place::Invocation(1) }]);
    assert!(stressed.table().contains("wait() of thread 2 does not come back"), "{}", stressed.table());
}

#[test]
fn it_stops_when_the_time_is_over() {
    let options = Options { max_time: Some(Duration::from_millis(100)), ..Options::default() };
    let stressed = stress(
        AnyObject::of::<Atomic>(),
        &admitted::<Atomic>("{ increment() } || { get() }"),
        &options,
        Hooks::default(),
    );
    assert_eq!(stressed.ended, Ended::Time);
    assert!(stressed.runs > 0 && stressed.elapsed >= Duration::from_millis(100));
}

#[test]
fn it_stops_when_it_is_interrupted_and_tells_how_far_it_is() {
    let interrupt = AtomicBool::new(false);
    let told = Mutex::new(Vec::new());
    let progress = |progress: &linchpin_stress::Progress| {
        told.lock().unwrap().push(progress.clone());
        // At the second time, so that there are runs.
        interrupt.store(told.lock().unwrap().len() == 2, Relaxed);
    };
    let options = Options { max_time: None, ..Options::default() };
    let hooks = Hooks { progress: &progress, interrupt: Some(&interrupt) };
    let begin = Instant::now();
    let stressed =
        stress(AnyObject::of::<Atomic>(), &admitted::<Atomic>("{ increment() } || { get() }"), &options, hooks);
    assert_eq!(stressed.ended, Ended::Interrupted);
    let told = told.into_inner().unwrap();
    assert!(told[0].runs <= told[1].runs && told[1].runs <= stressed.runs && stressed.runs > 0);
    assert!(told.iter().all(|progress| progress.forbidden == 0 && progress.elapsed <= begin.elapsed()));
}

#[test]
fn nothing_asked_for_is_nothing_done() {
    let stressed = stressed::<Atomic>("{ increment() } || { get() }", 0);
    assert!(!stressed.is_violated());
}
