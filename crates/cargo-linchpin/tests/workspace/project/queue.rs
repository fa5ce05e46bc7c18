use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use linchpin::thread;
use queues::Queue;

linchpin::object! {
    Fifo: Queue = Queue::default();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8>;
}

linchpin::object! {
    Steady: Queue = Queue::default();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8> = Queue::pop_at_once;
}

linchpin::object! {
    Flag: AtomicU32 = AtomicU32::new(0);
    fn raise(&self) -> bool = |flag: &AtomicU32| flag.swap(1, SeqCst) == 0;
}

fn crash(_: &u8) {
    std::process::abort()
}

linchpin::object! {
    Crash: u8 = 0;
    fn crash(&self) = crash;
}

mod again {
    use super::Queue;

    linchpin::object! {
        Twice: Queue = Queue::default();
        fn push(&self, item: u8);
    }
}

linchpin::object! {
    Twice: Queue = Queue::default();
    fn push(&self, item: u8);
}

#[test]
fn a_letter_arrives_whole() {
    linchpin::model(|| {
        let mailbox = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
        let sender = mailbox.clone();
        let thread = thread::spawn(move || {
            sender.0.store(42, Relaxed);
            sender.1.store(true, Release);
        });
        if mailbox.1.load(SeqCst) {
            assert_eq!(mailbox.0.load(Relaxed), 42);
        }
        thread.join().unwrap();
    });
}

#[test]
fn the_fifo_is_linearizable() {
    linchpin::client::<Fifo>("[push(1)] { pop() } || { pop() }").run();
}

#[test]
fn one_and_one_is_two() {
    assert_eq!(1 + 1, 2);
}
