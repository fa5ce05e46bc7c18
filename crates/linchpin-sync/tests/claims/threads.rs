use std::time::Duration;

use sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use sync::{Arc, Mutex, mpsc};

#[test]
fn joining_returns_the_result() {
    let thread = thread::spawn(|| 6 * 7);
    assert_ne!(thread.thread().id(), thread::current().id());
    assert_eq!(thread.join().unwrap(), 42);
}

#[test]
fn joining_a_thread_that_panicked_is_an_error() {
    let error = thread::spawn(|| panic!("for the test")).join().unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&"for the test"));
}

#[test]
fn a_thread_knows_its_name_and_id() {
    let builder = thread::Builder::new().name("worker".into()).stack_size(1 << 16);
    let thread = builder
        .spawn(|| (thread::current().name().map(str::to_owned), thread::current().id()))
        .unwrap();
    let (id, name) = (thread.thread().id(), thread.thread().name().map(str::to_owned));
    assert_eq!(name.as_deref(), Some("worker"));
    assert_eq!(thread.join().unwrap(), (name, id));
    assert_eq!(thread::current().id(), thread::current().id());
}

#[test]
fn a_name_with_a_null_byte_is_refused_when_the_thread_starts() {
    let builder = thread::Builder::new().name("a\0b".into());
    let spawned = std::panic::catch_unwind(|| builder.spawn(|| ()).is_ok());
    assert!(spawned.is_err());
}

#[test]
fn a_thread_is_finished_after_its_closure() {
    let (go, gone) = mpsc::channel::<()>();
    let thread = thread::spawn(move || gone.recv().is_err());
    assert!(!thread.is_finished());
    drop(go);
    while !thread.is_finished() {
        thread::yield_now();
    }
    assert!(thread.join().unwrap());
}

#[test]
fn unparking_first_is_not_lost() {
    thread::current().unpark();
    thread::park();
    thread::current().unpark();
    thread::current().unpark();
    thread::park_timeout(Duration::from_secs(60));
    thread::park_timeout(Duration::from_millis(5));
}

#[test]
fn a_parked_thread_is_woken() {
    static WOKEN: AtomicBool = AtomicBool::new(false);
    let parked = thread::spawn(|| {
        while !WOKEN.load(SeqCst) {
            thread::park();
        }
    });
    thread::sleep(Duration::from_millis(5));
    WOKEN.store(true, SeqCst);
    parked.thread().unpark();
    parked.join().unwrap();
}

#[test]
fn a_scope_ends_after_its_threads() {
    let count = AtomicU32::new(0);
    let mut changed = 1;
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(5));
                count.fetch_add(1, SeqCst);
            });
            count.fetch_add(1, SeqCst);
        });
        let builder = thread::Builder::new().name("scoped".into());
        let thread = builder
            .spawn_scoped(scope, || thread::current().name().map(str::to_owned))
            .unwrap();
        assert_eq!(thread.thread().name(), Some("scoped"));
        scope.spawn(|| changed += 1);
        thread.join().unwrap()
    });
    assert_eq!((count.load(SeqCst), changed, result.as_deref()), (2, 2, Some("scoped")));
}

#[test]
fn a_scope_passes_on_that_a_thread_panicked() {
    let result = std::panic::catch_unwind(|| {
        thread::scope(|scope| {
            scope.spawn(|| panic!("for the test"));
        })
    });
    assert!(result.is_err());
    let joined = thread::scope(|scope| scope.spawn(|| panic!("for the test")).join().is_err());
    assert!(joined);
}

#[test]
fn results_may_borrow_in_a_scope() {
    let words = Mutex::new(vec!["a".to_owned(), "bc".to_owned()]);
    let longest = thread::scope(|scope| {
        let finder = scope.spawn(|| words.lock().unwrap().iter().map(String::len).max());
        while !finder.is_finished() {
            thread::yield_now();
        }
        finder.join().unwrap()
    });
    assert_eq!(longest, Some(2));
}

#[test]
fn handles_of_threads_can_be_passed_around() {
    let handle = Arc::new(Mutex::new(None));
    let sleeper = thread::spawn({
        let handle = Arc::clone(&handle);
        move || {
            *handle.lock().unwrap() = Some(thread::current());
            thread::park();
        }
    });
    let other = loop {
        if let Some(thread) = handle.lock().unwrap().take() {
            break thread;
        }
        thread::yield_now();
    };
    assert_eq!(other.id(), sleeper.thread().id());
    other.unpark();
    sleeper.join().unwrap();
    assert!(thread::available_parallelism().is_ok() && !thread::panicking());
}
