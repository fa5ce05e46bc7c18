//! Long runs of the zoo's objects, and the smallest clients that come of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use linchpin::command::{About, ExplainRequest, Request, Session, Subject, run};
use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
use linchpin::{AnyObject, Client, Hunted, Object, Scheduler, client, hunt};
use linchpin_zoo::objects::{
    ArrayStack, CoarseListRemove, KStack, LockFreeList, LockFreeListFixed, OptimisticQueue, SimpleList, SizeList,
    SnarkDeque, TreiberStack, UnknownList4,
};

/// What is found, with the smallest client proven to be one.
fn minimum<O: Object>() -> Client {
    minimum_of::<O>(hunt::<O>().histories(200).explore())
}

fn minimum_of<O: Object>(hunted: Hunted) -> Client {
    let Some(shrunk) = hunted.shrunk else { panic!("{}: {hunted}", O::NAME) };
    assert!(shrunk.minimum.is_proven, "{}", shrunk.minimum);
    assert!(shrunk.exploration.violation.is_some());
    shrunk.minimum.client
}

/// The client up to the order of threads.
fn canonical(client: &Client) -> String {
    let mut client = client.clone();
    client.threads.sort();
    client.to_string()
}

#[test]
fn long_runs_of_lists_shrink_to_the_clients_of_the_papers() {
    assert_eq!(canonical(&minimum::<LockFreeList>()), "[add(1)] { remove(1) } || { remove(1) }");
    assert_eq!(canonical(&minimum::<SimpleList>()), "{ add(1) } || { add(1) }");
    // The paper's has the keys 1, 5 and 9.
    let size_list = minimum_of::<SizeList>(hunt::<SizeList>().operations(200).explore());
    assert_eq!(canonical(&size_list), "[add(1); add(2)] { remove(1); add(3) } || { size() }");
}

#[test]
fn what_is_no_part_of_a_client_from_which_nothing_can_go_is_found_if_it_is_smaller() {
    let [long, short] =
        ["[add(2)] { add(1) } || { remove(2) } [contains(1)]", "[add(1)] { remove(1) } || { remove(1) }"];
    let shrunk = client::<CoarseListRemove>(long).shrink().expect("it fails");
    assert_eq!(canonical(&shrunk.minimum.client), short);
}

#[test]
fn the_rarest_fault_of_the_lists_is_found_too() {
    // A removal takes along what is added, or removed, beside it.
    let client = minimum::<UnknownList4>();
    assert_eq!(client.threads.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1], "{client}");
}

#[test]
fn long_runs_of_queues_and_stacks_shrink_to_two_concurrent_operations() {
    let sizes = [minimum::<OptimisticQueue>(), minimum::<ArrayStack>(), minimum::<TreiberStack>(), minimum::<KStack>()];
    for client in sizes {
        assert_eq!(client.threads.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1], "{client}");
    }
}

#[test]
fn the_snark_deque_needs_three() {
    let mut sizes: Vec<usize> = minimum::<SnarkDeque>().threads.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 2]);
}

/// Of 20 runs, how many are wrong: with all threads alike, and with a single operation of one at a time.
fn wrong<O: Object>() -> [usize; 2] {
    [false, true]
        .map(|one_operation| hunt::<O>().operations(100).histories(20).seed(1).one_operation(one_operation).count().0)
}

#[test]
fn one_operation_that_is_overtaken_is_enough_for_most_faults() {
    // That is what the paper observes: about as many are wrong either way.
    for [all_alike, one_alone] in [
        wrong::<LockFreeList>(),
        wrong::<SimpleList>(),
        wrong::<OptimisticQueue>(),
        wrong::<TreiberStack>(),
        wrong::<KStack>(),
        wrong::<UnknownList4>(),
    ] {
        println!("{all_alike} {one_alone}");
        assert!(one_alone > 0 && 2 * one_alone >= all_alike, "{one_alone}, where others are {all_alike}");
    }
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let hunted = hunt::<LockFreeListFixed>().histories(20).explore();
    assert!(hunted.detected.is_none(), "{hunted}");
    assert_eq!((hunted.histories, hunted.undecided), (20, 0));
}

/// A counter that lets others run between looking and writing, so that native threads lose increments even on one core.
#[derive(Default)]
struct Slow(AtomicU32);

linchpin::object! {
    SlowCounter: Slow = Slow::default();
    fn increment(&self) -> u32 = |counter: &Slow| {
        let found = counter.0.load(SeqCst);
        std::thread::yield_now();
        counter.0.store(found + 1, SeqCst);
        found
    };
}

#[test]
fn native_threads_are_hunted_too() {
    let hunted = hunt::<SlowCounter>().scheduler(Scheduler::Native).operations(500).histories(50).explore();
    assert_eq!(canonical(&minimum_of::<SlowCounter>(hunted)), "{ increment() } || { increment() }");
}

#[test]
fn an_interrupt_ends_a_hunt_with_what_is_known() {
    let hunted = hunt::<LockFreeListFixed>().explore_until(&std::sync::atomic::AtomicBool::new(true));
    assert_eq!(hunted.histories, 0);
    assert!(hunted.detected.is_none());
}

/// How many counters were made, and after how many somebody wants the hunt to end.
static MADE: AtomicUsize = AtomicUsize::new(0);
static ENOUGH: AtomicUsize = AtomicUsize::new(usize::MAX);
static INTERRUPT: AtomicBool = AtomicBool::new(false);

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Count(u32);

impl Count {
    fn increment(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }
}

linchpin::object! {
    Impatient: AtomicU32 = {
        if MADE.fetch_add(1, Relaxed) >= ENOUGH.load(Relaxed) {
            INTERRUPT.store(true, Relaxed);
        }
        AtomicU32::new(0)
    };
    spec = Count::default();
    fn increment(&self) -> u32 = |counter: &AtomicU32| {
        let found = counter.load(SeqCst);
        counter.store(found + 1, SeqCst);
        found
    };
}

/// Interrupts after a few counters, then after a few more, and so on, until that comes while something is being shrunk: where shrinking
/// begins is not known beforehand.
fn with_more_patience_each_time<T>(attempt: impl Fn() -> Option<T>) -> T {
    let interrupted = |enough| {
        MADE.store(0, Relaxed);
        ENOUGH.store(enough, Relaxed);
        INTERRUPT.store(false, Relaxed);
        attempt()
    };
    (1..).find_map(interrupted).expect("there is always a larger number")
}

#[test]
fn an_interrupt_while_shrinking_ends_with_the_smallest_client_so_far() {
    let shrunk = with_more_patience_each_time(|| {
        let hunted = hunt::<Impatient>().explore_until(&INTERRUPT);
        let text = hunted.to_string();
        let shrunk = hunted.shrunk?;
        assert!(hunted.is_interrupted, "shrinking ended before anybody interrupted it: {text}");
        // That is what Ctrl-C prints.
        let best = format!("{} is the smallest client that was found to fail like", shrunk.minimum.client);
        assert!(text.contains(&best) && text.contains("the search was interrupted"), "{text}");
        Some(shrunk)
    });
    assert!(shrunk.minimum.is_interrupted, "{}", shrunk.minimum);
    assert!(shrunk.exploration.violation.is_some());

    // The same where a client is explained.
    let client = "[increment()] { increment(); increment() } || { increment() } [increment()]".to_owned();
    let subject = Subject::Client(client);
    let request =
        Request::Explain(ExplainRequest { subject, model: None, time_limit: None, clients: Some(0), seed: 0 });
    let report = with_more_patience_each_time(|| {
        let session = Session { interrupt: &INTERRUPT, progress: &|_, _| {} };
        let object = AnyObject::of::<Impatient>();
        let answer = run(object, &About::of(object), &request, &session).expect("it is a client");
        assert!(INTERRUPT.load(Relaxed), "it ended before anybody interrupted it: {}", answer.text);
        answer.report
    });
    let minimality = report.minimality.expect("it was made smaller");
    assert!(minimality.contains("the search was interrupted") && !report.minimal_proven, "{minimality}");
}

#[test]
fn a_run_of_ten_thousand_operations_shrinks_as_well() {
    let hunted = hunt::<SimpleList>().operations(5_000).values(40).histories(5).explore();
    let Some(shrunk) = &hunted.shrunk else { panic!("{hunted}") };
    assert_eq!(canonical(&shrunk.minimum.client), "{ add(1) } || { add(1) }");
}
