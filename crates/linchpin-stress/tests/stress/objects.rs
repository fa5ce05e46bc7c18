//! Small objects on `std`'s types, right and wrong.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::thread;

use linchpin_model::{Argument, Comparable, Object, ObjectArgument, ObjectOperation, Value};

fn operation(name: &'static str) -> ObjectOperation {
    ObjectOperation::new(name, vec![])
}

/// A counter. `increment` returns the new value.
fn counter(count: &AtomicUsize, operation: usize, increment: impl FnOnce() -> usize) -> Value {
    if operation == 0 { increment() } else { count.load(SeqCst) }.to_value()
}

/// Increments in two steps, with time for others between them.
pub struct Racy;

impl Object for Racy {
    type Instance = AtomicUsize;
    const NAME: &'static str = "Racy";

    fn create() -> AtomicUsize {
        AtomicUsize::new(0)
    }

    fn operations() -> Vec<ObjectOperation> {
        vec![operation("increment"), operation("get")]
    }

    fn invoke(count: &AtomicUsize, operation: usize, _: &[Value]) -> Value {
        counter(count, operation, || {
            let new = count.load(SeqCst) + 1;
            thread::yield_now();
            count.store(new, SeqCst);
            new
        })
    }
}

/// Increments in one step.
pub struct Atomic;

impl Object for Atomic {
    type Instance = AtomicUsize;
    const NAME: &'static str = "Atomic";

    fn create() -> AtomicUsize {
        AtomicUsize::new(0)
    }

    fn operations() -> Vec<ObjectOperation> {
        Racy::operations()
    }

    fn invoke(count: &AtomicUsize, operation: usize, _: &[Value]) -> Value {
        counter(count, operation, || count.fetch_add(1, SeqCst) + 1)
    }
}

/// A counter that panics, and panics again when it goes.
pub struct Broken;

impl Drop for Broken {
    fn drop(&mut self) {
        panic!("cannot go");
    }
}

impl Object for Broken {
    type Instance = Broken;
    const NAME: &'static str = "Broken";

    fn create() -> Broken {
        Broken
    }

    fn operations() -> Vec<ObjectOperation> {
        Racy::operations()
    }

    fn invoke(_: &Broken, operation: usize, _: &[Value]) -> Value {
        assert!(operation != 0, "cannot increment");
        Value::Nil
    }
}

/// A stack behind a lock.
pub struct Stack;

impl Object for Stack {
    type Instance = Mutex<Vec<u8>>;
    const NAME: &'static str = "Stack";

    fn create() -> Self::Instance {
        Mutex::default()
    }

    fn operations() -> Vec<ObjectOperation> {
        let item = ObjectArgument { name: "item", domain: u8::domain };
        vec![ObjectOperation::new("push", vec![item]), operation("pop"), operation("all")]
    }

    fn invoke(stack: &Self::Instance, operation: usize, arguments: &[Value]) -> Value {
        let mut stack = stack.lock().unwrap();
        match operation {
            0 => {
                stack.push(u8::from_value(&arguments[0]).unwrap());
                Value::Nil
            }
            1 => stack.pop().to_value(),
            _ => stack.to_value(),
        }
    }
}

/// Counts its instances; only one test may use it.
pub struct Careless;

static MADE: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// An instance that says when it goes.
pub struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, SeqCst);
    }
}

impl Careless {
    pub fn made() -> usize {
        MADE.load(SeqCst)
    }

    pub fn alive() -> usize {
        MADE.load(SeqCst) - DROPPED.load(SeqCst)
    }
}

impl Object for Careless {
    type Instance = Counted;
    const NAME: &'static str = "Careless";

    fn create() -> Counted {
        MADE.fetch_add(1, SeqCst);
        Counted
    }

    fn operations() -> Vec<ObjectOperation> {
        vec![operation("touch")]
    }

    fn invoke(_: &Counted, _: usize, _: &[Value]) -> Value {
        Value::Nil
    }
}

/// A door that panics when two go through at the same time.
pub struct Fragile;

impl Object for Fragile {
    type Instance = AtomicBool;
    const NAME: &'static str = "Fragile";

    fn create() -> AtomicBool {
        AtomicBool::new(false)
    }

    fn operations() -> Vec<ObjectOperation> {
        vec![operation("pass")]
    }

    fn invoke(is_open: &AtomicBool, _: usize, _: &[Value]) -> Value {
        assert!(!is_open.swap(true, SeqCst), "the door is open");
        thread::yield_now();
        is_open.store(false, SeqCst);
        Value::Nil
    }
}

/// `wait` comes back at once, unless `set` is there at the same time: a signal that is missed.
pub struct Hanging;

impl Object for Hanging {
    type Instance = AtomicUsize;
    const NAME: &'static str = "Hanging";

    fn create() -> AtomicUsize {
        AtomicUsize::new(0)
    }

    fn operations() -> Vec<ObjectOperation> {
        vec![operation("set"), operation("wait")]
    }

    fn invoke(state: &AtomicUsize, operation: usize, _: &[Value]) -> Value {
        if operation == 0 {
            state.store(1, SeqCst);
            thread::yield_now();
            state.store(2, SeqCst);
        } else if state.load(SeqCst) == 1 {
            loop {
                thread::park();
            }
        }
        Value::Nil
    }
}
