use std::rc::Rc;
use std::time::Duration;

use sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError, channel, sync_channel};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(5);

#[test]
fn messages_of_one_sender_arrive_in_order() {
    let (sender, receiver) = channel();
    let threads: Vec<_> = (0..3u32)
        .map(|who| {
            let sender = sender.clone();
            thread::spawn(move || (0..300u32).for_each(|n| sender.send((who, n)).unwrap()))
        })
        .collect();
    drop(sender);
    let mut next = [0; 3];
    for (who, n) in &receiver {
        assert_eq!(n, next[who as usize]);
        next[who as usize] += 1;
    }
    assert_eq!(next, [300; 3]);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_receiver_learns_that_all_senders_are_gone_after_the_last_message() {
    let (sender, receiver) = channel();
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    let other = sender.clone();
    drop(sender);
    other.send(1).unwrap();
    other.send(2).unwrap();
    drop(other);
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(receiver.recv(), Err(RecvError));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    assert_eq!(receiver.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected));
    assert_eq!(receiver.into_iter().next(), None);
}

#[test]
fn a_receiver_that_waits_learns_that_all_senders_are_gone() {
    let (sender, receiver) = channel::<u8>();
    let waiter = thread::spawn(move || receiver.recv());
    thread::yield_now();
    drop(sender);
    assert_eq!(waiter.join().unwrap(), Err(RecvError));
}

#[test]
fn senders_learn_that_the_receiver_is_gone() {
    let (sender, receiver) = channel();
    let (bounded, bounded_receiver) = sync_channel(1);
    drop((receiver, bounded_receiver));
    assert_eq!(sender.send(5), Err(SendError(5)));
    assert_eq!(bounded.send(6), Err(SendError(6)));
    assert_eq!(bounded.try_send(7), Err(TrySendError::Disconnected(7)));
}

#[test]
fn a_receiver_that_goes_drops_its_messages() {
    let counted = Rc::new(());
    let (sender, receiver) = channel();
    sender.send(Rc::clone(&counted)).unwrap();
    assert_eq!(Rc::strong_count(&counted), 2);
    drop(receiver);
    assert_eq!(Rc::strong_count(&counted), 1);
}

#[test]
fn waiting_for_a_message_can_time_out() {
    let (sender, receiver) = channel();
    assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
    sender.send(1).unwrap();
    assert_eq!(receiver.recv_timeout(LONG), Ok(1));
}

#[test]
fn a_full_channel_makes_senders_wait() {
    let (sender, receiver) = sync_channel(2);
    sender.send(1).unwrap();
    sender.try_send(2).unwrap();
    assert_eq!(sender.try_send(3), Err(TrySendError::Full(3)));
    let waiter = thread::spawn(move || {
        sender.send(3).unwrap();
        sender.send(4).unwrap();
    });
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
    waiter.join().unwrap();
}

#[test]
fn a_sender_that_waits_for_room_learns_that_the_receiver_is_gone() {
    let (sender, receiver) = sync_channel(1);
    sender.send(1).unwrap();
    let waiter = thread::spawn(move || sender.send(2));
    thread::yield_now();
    drop(receiver);
    assert_eq!(waiter.join().unwrap(), Err(SendError(2)));
}

#[test]
fn without_room_messages_are_handed_over() {
    let (sender, receiver) = sync_channel(0);
    assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let sender = sender.clone();
            thread::spawn(move || (0..100).for_each(|n| sender.send(n).unwrap()))
        })
        .collect();
    drop(sender);
    assert_eq!(receiver.iter().sum::<i32>(), 3 * 4950);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn without_room_a_receiver_that_waits_can_be_served_at_once() {
    let (sender, receiver) = sync_channel(0);
    let waiter = thread::spawn(move || receiver.recv());
    while sender.try_send(8).is_err() {
        thread::yield_now();
    }
    assert_eq!(waiter.join().unwrap(), Ok(8));
}

#[test]
fn without_room_a_receiver_that_gave_up_is_not_served() {
    let (sender, receiver) = sync_channel::<u8>(0);
    assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
    assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
    drop(sender);
    assert_eq!(receiver.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn without_room_a_message_that_nobody_takes_comes_back() {
    let (sender, receiver) = sync_channel(0);
    let waiter = thread::spawn(move || sender.send(4));
    thread::sleep(SHORT);
    drop(receiver);
    assert_eq!(waiter.join().unwrap(), Err(SendError(4)));
}
