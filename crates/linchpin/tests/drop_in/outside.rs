//! What was made before the exploration.

use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use linchpin::sync::{Arc, Condvar, Mutex, OnceLock, mpsc};
use linchpin::{Builder, thread};

use crate::common::{executions, in_threads};

/// `workers` explore a test that uses atomics, a lock, and plain data in it, all of which were made before.
fn is_the_same_in_each_execution(workers: usize) {
    let outside = Arc::new((AtomicU32::new(5), Mutex::new(6)));
    let inside = Arc::clone(&outside);
    let test = move || {
        assert_eq!(inside.0.load(Relaxed), 5);
        let shared = Arc::clone(&inside);
        in_threads(3, move |_| {
            shared.0.fetch_add(1, Relaxed);
            *shared.1.lock().unwrap() += 1;
        });
        assert_eq!(inside.0.load(Relaxed), 8);
        assert_eq!(*inside.1.lock().unwrap(), 9);
    };
    // 3! orders of the additions and 3! orders of the critical sections.
    assert_eq!(executions(&Builder::new().workers(workers), test), 36);
    assert_eq!(outside.0.load(Relaxed), 5, "nothing is left behind");
    assert_eq!(*outside.1.lock().unwrap(), 6, "nothing is left behind");
}

#[test]
fn what_is_captured_starts_from_its_outside_value_in_each_execution() {
    is_the_same_in_each_execution(1);
}

#[test]
fn what_is_captured_is_not_shared_by_workers() {
    for _ in 0..5 {
        is_the_same_in_each_execution(3);
    }
}

#[test]
fn a_condition_variable_can_be_made_outside() {
    let outside = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
    let test = move || {
        let other = Arc::clone(&outside);
        let thread = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.2.store(true, Relaxed);
            other.1.notify_all();
        });
        let mut guard = outside.0.lock().unwrap();
        while !outside.2.load(Relaxed) {
            guard = outside.1.wait(guard).unwrap();
        }
        drop(guard);
        thread.join().unwrap();
    };
    // The flag is seen at once, or after a wait.
    assert_eq!(executions(&Builder::new(), test), 2);
}

/// Two threads do `change` to a vector that was made outside and has no room for another element. Each finds what the other has left, if
/// anything, and in the end nothing has changed.
#[track_caller]
fn a_full_vector_survives(change: fn(&mut Vec<u64>)) {
    let original: Vec<u64> = (0..1000).collect();
    let outside = Arc::new(Mutex::new(original.clone().into_boxed_slice().into_vec()));
    let inside = Arc::clone(&outside);
    let test = move || {
        let vector = inside.lock().unwrap();
        assert!(vector.len() == vector.capacity() && vector.iter().copied().eq(0..1000));
        drop(vector);
        let shared = Arc::clone(&inside);
        in_threads(2, move |_| change(&mut shared.lock().unwrap()));
    };
    assert_eq!(executions(&Builder::new(), test), 2);
    assert_eq!(*outside.lock().unwrap(), original);
}

#[test]
fn a_vector_that_has_to_grow_is_as_it_was_in_each_execution() {
    a_full_vector_survives(|vector| vector.extend(vector.len() as u64..3000));
    a_full_vector_survives(|vector| vector.push(vector.len() as u64));
}

#[test]
fn a_vector_that_an_execution_drops_is_there_for_the_next() {
    a_full_vector_survives(|vector| drop(std::mem::take(vector)));
    a_full_vector_survives(|vector| {
        vector.truncate(3);
        vector.shrink_to_fit();
    });
}

#[test]
fn a_channel_can_be_made_outside() {
    let (sender, receiver) = mpsc::channel::<u8>();
    let outside = Arc::new((sender, Mutex::new(receiver)));
    let inside = Arc::clone(&outside);
    let test = move || {
        let shared = Arc::clone(&inside);
        in_threads(2, move |number| shared.0.send(number as u8).unwrap());
        let receiver = inside.1.lock().unwrap();
        assert_eq!(receiver.recv().unwrap() + receiver.recv().unwrap(), 1);
        assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Empty));
    };
    assert_eq!(executions(&Builder::new(), test), 2);
    outside.0.send(7).unwrap();
    let receiver = outside.1.lock().unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [7], "nothing is left behind");
}

#[test]
fn messages_that_were_sent_outside_arrive_in_each_execution() {
    let (sender, receiver) = mpsc::channel();
    let original = ["first", "second", "third"].map(String::from);
    original.iter().for_each(|message| sender.send(message.clone()).unwrap());
    let outside = Arc::new((sender, Mutex::new(receiver)));
    let inside = Arc::clone(&outside);
    let test = move || {
        let receiver = inside.1.lock().unwrap();
        let mut received = Vec::new();
        // The queue has four places: it goes round once, so that new messages come to where the others were.
        for _ in 0..4 {
            received.push(receiver.recv().unwrap());
            inside.0.send(String::from("new")).unwrap();
        }
        assert_eq!(received, ["first", "second", "third", "new"]);
        // Then it has to grow.
        (0..9).for_each(|_| inside.0.send(String::from("newer")).unwrap());
        drop(receiver);
        let shared = Arc::clone(&inside);
        in_threads(2, move |_| drop(shared.1.lock().unwrap().recv().unwrap()));
        let lengths: Vec<_> = inside.1.lock().unwrap().try_iter().map(|message| message.len()).collect();
        assert_eq!(lengths, [3, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    };
    assert_eq!(executions(&Builder::new(), test), 2);
    let receiver = outside.1.lock().unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), original);
}

#[test]
fn a_value_that_is_made_once_is_made_once_in_each_execution() {
    let outside = Arc::new(OnceLock::new());
    let inside = Arc::clone(&outside);
    let test = move || {
        assert_eq!(inside.get(), None);
        let shared = Arc::clone(&inside);
        in_threads(2, move |number| assert!(shared.get_or_init(|| vec![number; 3]).len() == 3));
    };
    assert_eq!(executions(&Builder::new(), test), 2);
    assert_eq!(outside.set(vec![1]), Ok(()), "nothing is left behind");
}

#[test]
fn outside_of_explorations_everything_just_works() {
    let (sender, receiver) = mpsc::channel();
    let value = AtomicU32::new(1);
    thread::scope(|scope| {
        scope.spawn(|| value.fetch_add(1, SeqCst));
        scope.spawn(move || sender.send(2).unwrap());
    });
    assert_eq!((value.into_inner(), receiver.recv()), (2, Ok(2)));
}
