//! Queues of a user, one of them wrong.

use std::collections::VecDeque;

use linchpin_sync::sync::Mutex;

/// A queue whose `pop` looks at the first item and takes it in two steps.
#[derive(Default)]
pub struct Queue(Mutex<VecDeque<u8>>);

impl Queue {
    pub fn push(&self, item: u8) {
        self.0.lock().unwrap().push_back(item);
    }

    pub fn pop(&self) -> Option<u8> {
        let first = *self.0.lock().unwrap().front()?;
        self.0.lock().unwrap().pop_front();
        Some(first)
    }

    pub fn pop_at_once(&self) -> Option<u8> {
        self.0.lock().unwrap().pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    linchpin::object! {
        Inner: Queue = Queue::default();
        fn push(&self, item: u8);
        fn pop(&self) -> Option<u8>;
    }

    #[test]
    fn a_body_describes_an_object() {
        linchpin::object! {
            Local: Queue = Queue::default();
            fn push(&self, item: u8);
            fn pop(&self) -> Option<u8> = Queue::pop_at_once;
        }
        linchpin::client::<Local>("[push(1)] { pop() } || { pop() }").run();
    }
}
