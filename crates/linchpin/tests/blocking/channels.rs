//! Channels, unbounded and bounded.

use std::time::Duration;

use linchpin::sync::mpsc::{self, RecvTimeoutError, TryRecvError, TrySendError};
use linchpin::thread;

use crate::common::{MODELS, finding, outcomes_under};

#[test]
fn a_channel_keeps_each_senders_order_and_mixes_senders() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        let threads = [
            thread::spawn(move || [1, 2].map(|item| sender.send(item).unwrap())),
            thread::spawn(move || [other.send(3).unwrap(), ()]),
        ];
        let received: Vec<u8> = receiver.iter().collect();
        for thread in threads {
            thread.join().unwrap();
        }
        received.try_into().expect("three items")
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[1, 2, 3], [1, 3, 2], [3, 1, 2]].into());
    }
}

#[test]
fn a_channel_may_be_found_empty_full_or_closed() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(5_u8).unwrap());
        let first = match receiver.try_recv() {
            Ok(item) => item,
            Err(TryRecvError::Empty) => 1,
            Err(TryRecvError::Disconnected) => 2,
        };
        let second = match receiver.recv_timeout(Duration::from_millis(1)) {
            Ok(item) => item,
            Err(RecvTimeoutError::Timeout) => 1,
            Err(RecvTimeoutError::Disconnected) => 2,
        };
        thread.join().unwrap();
        [first, second]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[5, 1], [5, 2], [1, 5], [1, 1]].into());
    }
}

#[test]
fn a_bounded_channel_makes_its_sender_wait() {
    let test = |bound| {
        move || {
            let (sender, receiver) = mpsc::sync_channel(bound);
            let thread = thread::spawn(move || (0..3).for_each(|item| sender.send(item).unwrap()));
            let received: Vec<u8> = receiver.iter().collect();
            thread.join().unwrap();
            received.try_into().expect("three items")
        }
    };
    for model in MODELS {
        for bound in 0..4 {
            assert_eq!(outcomes_under(model, test(bound)), [[0, 1, 2]].into());
        }
    }
}

#[test]
fn a_bounded_channel_may_be_found_full() {
    let test = || {
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || {
            sender.send(1).unwrap();
            match sender.try_send(2) {
                Ok(()) => 2,
                Err(TrySendError::Full(_)) => 1,
                Err(TrySendError::Disconnected(_)) => 0,
            }
        });
        let received = receiver.iter().count() as u8;
        assert_eq!(thread.join().unwrap(), received);
        [received]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[1], [2]].into());
    }
}

#[test]
fn a_receiver_that_keeps_a_sender_alive_waits_for_ever() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        let thread = thread::spawn(move || other.send(1).unwrap());
        assert_eq!(receiver.iter().count(), 1);
        drop(sender);
        thread.join().unwrap();
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_sender_without_a_receiver_at_the_other_end_waits_for_ever() {
    let test = |bound: usize| {
        move || {
            let (sender, _receiver) = mpsc::sync_channel(bound);
            (0..=bound).for_each(|item| sender.send(item).unwrap());
        }
    };
    assert_eq!(finding(test(0)), "deadlock");
    assert_eq!(finding(test(1)), "deadlock");
}

#[test]
fn requests_and_answers_through_full_channels_are_a_deadlock() {
    let test = || {
        let (ask, asked) = mpsc::sync_channel(1);
        let (answer, answered) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || {
            for question in asked {
                answer.send(question).unwrap();
            }
        });
        // Nobody takes the answers until all questions are asked.
        (0..4).for_each(|question| ask.send(question).unwrap());
        drop(ask);
        assert_eq!(answered.iter().count(), 4);
        thread.join().unwrap();
    };
    assert_eq!(finding(test), "deadlock");
}

#[test]
fn a_receiver_that_is_gone_is_noticed() {
    let test = || {
        let (sender, receiver) = mpsc::sync_channel(0);
        let thread = thread::spawn(move || sender.send(1_u8).is_ok());
        let received = receiver.try_recv().is_ok();
        drop(receiver);
        assert_eq!(thread.join().unwrap(), received);
        [received.into()]
    };
    for model in MODELS {
        assert_eq!(outcomes_under(model, test), [[0], [1]].into());
    }
}
