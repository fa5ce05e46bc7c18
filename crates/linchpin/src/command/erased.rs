//! One type that stands for any object, so that whatever answers requests is compiled once and not once for each object: what it
//! takes to explore, hunt, shrink and explain is a lot of code, and a test binary, or the zoo, has many objects.
//!
//! An object is a type without values, so the type that stands for others has to look up which one is meant. There is one at a
//! time in a process, and [`Meant`] sees to that.

use std::any::Any;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use linchpin_model::{Object, ObjectOperation, ObjectSource, SequentialRun, State, Value};

type Instance = Box<dyn Any + Send + Sync>;

/// All that an object has, without its type.
pub(crate) struct Description {
    name: &'static str,
    is_specified: bool,
    create: fn() -> Instance,
    operations: fn() -> Vec<ObjectOperation>,
    invoke: fn(&Instance, usize, &[Value]) -> Value,
    refuses: fn(usize, usize, &Value) -> Option<&'static str>,
    specification: fn() -> SequentialRun,
    initial_state: fn() -> State,
    source: fn() -> Option<ObjectSource>,
}

impl Description {
    /// That of an object.
    pub const fn of<O: Object>() -> &'static Description {
        const {
            &Description {
                name: O::NAME,
                is_specified: O::IS_SPECIFIED,
                create: || Box::new(O::create()),
                operations: O::operations,
                invoke: invoke::<O>,
                refuses: O::refuses,
                specification: O::specification,
                initial_state: O::initial_state,
                source: O::source,
            }
        }
    }

    /// The object's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

fn invoke<O: Object>(instance: &Instance, operation: usize, arguments: &[Value]) -> Value {
    let instance = (**instance).downcast_ref().expect("an instance goes to the object that has created it");
    O::invoke(instance, operation, arguments)
}

/// Comes from a `&'static Description`, or is null.
static MEANT: AtomicPtr<Description> = AtomicPtr::new(ptr::null_mut());

/// As long as this lives, [`Erased`] stands for one object.
pub(crate) struct Meant(#[expect(dead_code, reason = "is held, not looked at")] MutexGuard<'static, ()>);

impl Meant {
    /// Waits until nobody means another object.
    pub fn is(description: &'static Description) -> Meant {
        static ONE: Mutex<()> = Mutex::new(());
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        MEANT.store(ptr::from_ref(description).cast_mut(), Ordering::Release);
        Meant(one)
    }
}

fn meant() -> &'static Description {
    let description = MEANT.load(Ordering::Acquire);
    // SAFETY: it comes from a shared reference that lives for ever, and is never written through.
    unsafe { description.as_ref() }.expect("an object is meant before anything is done with it")
}

/// The object that is meant.
pub(crate) struct Erased;

impl Object for Erased {
    type Instance = Instance;

    const NAME: &'static str = "an object";

    fn name() -> &'static str {
        meant().name
    }

    fn create() -> Instance {
        (meant().create)()
    }

    fn operations() -> Vec<ObjectOperation> {
        (meant().operations)()
    }

    fn invoke(instance: &Instance, operation: usize, arguments: &[Value]) -> Value {
        (meant().invoke)(instance, operation, arguments)
    }

    fn refuses(operation: usize, argument: usize, value: &Value) -> Option<&'static str> {
        (meant().refuses)(operation, argument, value)
    }

    fn is_specified() -> bool {
        meant().is_specified
    }

    fn specification() -> SequentialRun {
        (meant().specification)()
    }

    fn initial_state() -> State {
        (meant().initial_state)()
    }

    fn source() -> Option<ObjectSource> {
        (meant().source)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;
    use linchpin_sync::sync::atomic::{AtomicU8, Ordering::SeqCst};

    #[derive(Default)]
    struct Flags(u8);

    impl Flags {
        fn take(&mut self, mask: u8) -> bool {
            let is_free = self.0 & mask == 0;
            self.0 |= mask;
            is_free
        }
    }

    crate::object! {
        Taken: AtomicU8 = AtomicU8::new(0);
        spec = Flags::default();
        fn take(&self, mask: u8) -> bool = |flags: &AtomicU8, mask| flags.fetch_or(mask, SeqCst) & mask == 0;
    }

    crate::object! {
        Lost: AtomicU8 = AtomicU8::new(0);
        fn add(&self) -> u8 = |count: &AtomicU8| {
            let read = count.load(SeqCst);
            count.store(read + 1, SeqCst);
            read
        };
    }

    /// All that a client of an object says about it.
    fn explored<O: Object>(text: &str) -> (String, u64, u64, Option<String>, String, bool) {
        let test = client::<O>(text);
        let exploration = test.explore();
        let violation = exploration.violation.as_ref().map(crate::report::violation);
        let emitted = test.emit_test(None).expect("all types can be written");
        let (complete, violations) = (exploration.complete, exploration.violations);
        (O::name().to_owned(), complete, violations, violation, emitted, O::is_specified())
    }

    #[test]
    fn what_stands_for_an_object_does_what_the_object_does() {
        let (taken, lost) = ("{ take(1); take(2) } || { take(3) }", "{ add() } || { add() }");
        let meant = Meant::is(Description::of::<Taken>());
        assert_eq!(explored::<Erased>(taken), explored::<Taken>(taken));
        assert_eq!(Erased::refuses(0, 0, &Value::Nil), Taken::refuses(0, 0, &Value::Nil));
        let (mut erased, mut specified) = (Erased::specification(), Taken::specification());
        for mask in [1, 2, 3] {
            assert_eq!(erased(0, &[mask.into()]), specified(0, &[mask.into()]));
        }
        drop(meant);
        let _meant = Meant::is(Description::of::<Lost>());
        let (erased, own) = (explored::<Erased>(lost), explored::<Lost>(lost));
        assert_eq!(erased, own);
        assert!(own.3.is_some(), "an update is lost");
    }
}
