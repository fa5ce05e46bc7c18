//! What `object!` makes of a description.

use std::panic::{AssertUnwindSafe, catch_unwind};

use linchpin::sync::{Mutex, MutexGuard};
use linchpin::{Object, Value};

#[derive(Default)]
struct Map(Mutex<Vec<(u8, String)>>);

impl Map {
    fn put(&self, key: u8, value: String) -> Option<String> {
        let mut entries = self.0.lock().unwrap();
        let old = entries.iter().position(|(other, _)| *other == key).map(|i| entries.remove(i).1);
        entries.push((key, value));
        old
    }

    fn get(&self, key: u8) -> Option<String> {
        self.0.lock().unwrap().iter().find(|(other, _)| *other == key).map(|(_, value)| value.clone())
    }

    fn entries(&self) -> impl Iterator<Item = (u8, String)> + use<> {
        self.0.lock().unwrap().clone().into_iter()
    }

    fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}

linchpin::object! {
    MapObject: Map = Map::default();
    #[trusted]
    fn put(&self, key: u8, value: String) -> Option<String>;
    #[read_only]
    #[trusted]
    fn get(&self, key: u8) -> Option<String>;
    #[read_only]
    #[untrusted]
    fn entries(&self) => |entries| {
        let mut entries: Vec<(u8, String)> = Iterator::collect(entries);
        entries.sort();
        entries
    };
    fn clear(&self);
}

#[test]
fn operations_are_listed_as_they_were_described() {
    let listed: Vec<_> = MapObject::operations()
        .into_iter()
        .map(|operation| (operation.name, operation.arguments.len(), operation.read_only, operation.trusted))
        .collect();
    assert_eq!(
        listed,
        [
            ("put", 2, false, Some(true)),
            ("get", 1, true, Some(true)),
            ("entries", 0, true, Some(false)),
            ("clear", 0, false, None)
        ]
    );
    assert_eq!(MapObject::NAME, "MapObject");
    assert_eq!((MapObject::operations()[0].arguments[1].domain)(2), [Value::from("a"), Value::from("b")]);
}

#[test]
fn invocations_run_and_their_results_are_values() {
    let map = MapObject::create();
    let run = |operation: usize, arguments: &[Value]| MapObject::invoke(&map, operation, arguments);
    assert_eq!(run(0, &[1.into(), "x".into()]), Value::Nil);
    assert_eq!(run(0, &[1.into(), "y".into()]), "x".into());
    assert_eq!(run(1, &[1.into()]), "y".into());
    assert_eq!(run(2, &[]), Value::list([Value::list([1.into(), "y".into()])]));
    assert_eq!(run(3, &[]), Value::Nil);
    assert_eq!(run(1, &[1.into()]), Value::Nil);
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let map = MapObject::create();
    let message = |operation: usize, arguments: &[Value]| {
        let panic = catch_unwind(AssertUnwindSafe(|| MapObject::invoke(&map, operation, arguments))).unwrap_err();
        *panic.downcast::<String>().expect("a message")
    };
    assert_eq!(message(1, &[]), "get needs the argument key");
    assert_eq!(message(1, &[300.into()]), "get cannot take 300 as key: it is not of the type u8");
    assert_eq!(message(3, &[1.into()]), "clear takes fewer arguments: what is 1 for?");
    assert_eq!(message(4, &[]), "MapObject has 4 operations; there is none with the number 4");
}

#[test]
fn a_text_with_an_argument_of_another_type_is_no_client() {
    let message = |text: &str| match linchpin::ClientTest::of(linchpin::AnyObject::of::<MapObject>(), text) {
        Ok(test) => test.client().to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(message("{ get(1) } || { put(1, \"x\") }"), "{ get(1) } || { put(1, \"x\") }");
    assert_eq!(
        message("{ get(300) }"),
        "{ get(300) } is not a client of MapObject: `get(300)`: 300 cannot be the argument `key`, which has the type u8"
    );
    assert_eq!(
        message("{ put(1, 2) }"),
        "{ put(1, 2) } is not a client of MapObject: `put(1, 2)`: 2 cannot be the argument `value`, which has the type \
         alloc::string::String"
    );
    assert!(message("{ get }").starts_with("expected `(`"), "{}", message("{ get }"));
}

/// Its operations return what borrows from it.
struct Name(Mutex<String>, [u8; 2]);

impl Name {
    fn lock(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap()
    }

    fn bytes(&self) -> &[u8] {
        &self.1
    }
}

linchpin::object! {
    NameObject: Name = Name(Mutex::new("n".into()), [1, 2]);
    fn lock(&self) -> MutexGuard<'_, String> => |name: MutexGuard<'_, String>| name.clone();
    fn bytes(&self) -> &[u8];
}

#[test]
fn the_description_is_there_as_source() {
    let source = MapObject::source().unwrap();
    assert_eq!((source.instance, source.create), ("Map", "Map::default()"));
    assert_eq!(source.types, ["object::Map", "u8", "alloc::string::String", "u8"]);
    assert_eq!(source.operations.len(), 4);
    let put = &source.operations[0];
    assert_eq!((put.arguments[0])(&1.into()).as_deref(), Some("1"));
    assert_eq!((put.arguments[1])(&"a".into()).as_deref(), Some("String::from(\"a\")"));
    assert_eq!((put.debug)(&"a".into()).as_deref(), Some("Some(\"a\")"));
    assert_eq!(put.map, None);
    let entries = &source.operations[2];
    assert_eq!((entries.debug)(&Value::list([])).as_deref(), Some("[]"));
    assert!(
        entries.map.is_some_and(|map| map.starts_with("|entries|") && map.contains("entries.sort();")),
        "{entries:?}"
    );

    let source = NameObject::source().unwrap();
    let printed: Vec<_> = (0..2)
        .map(|operation| {
            (source.operations[operation].debug)(&NameObject::invoke(&NameObject::create(), operation, &[]))
        })
        .collect();
    assert_eq!(printed, [Some("\"n\"".to_owned()), Some("[1, 2]".to_owned())]);
}

/// A specification whose states can be copied and compared, and one whose states cannot.
#[derive(Default, Clone, PartialEq, Eq, Hash, Debug)]
struct Known(u8);

#[derive(Default)]
struct Unknown(u8);

macro_rules! add {
    ($type:ident) => {
        impl $type {
            fn add(&mut self, amount: u8) -> u8 {
                self.0 += amount;
                self.0
            }
        }
    };
}

add!(Known);
add!(Unknown);

linchpin::object! {
    WithStates: std::sync::atomic::AtomicU8 = Default::default();
    spec = Known::default();
    fn add(&self, amount: u8) -> u8 = |sum: &std::sync::atomic::AtomicU8, amount| {
        sum.fetch_add(amount, std::sync::atomic::Ordering::SeqCst) + amount
    };
}

linchpin::object! {
    WithoutStates: std::sync::atomic::AtomicU8 = Default::default();
    spec = Unknown::default();
    fn add(&self, amount: u8) -> u8 = |sum: &std::sync::atomic::AtomicU8, amount| {
        sum.fetch_add(amount, std::sync::atomic::Ordering::SeqCst) + amount
    };
}

#[test]
fn states_of_a_specification_are_compared_if_that_is_possible() {
    fn sums<O: Object>() -> [(linchpin::State, Value); 2] {
        let add = |amounts: [i64; 2]| {
            let (state, _) = O::initial_state().after(0, &[amounts[0].into()]);
            state.after(0, &[amounts[1].into()])
        };
        [add([1, 2]), add([2, 1])]
    }
    let [one, other] = sums::<WithStates>();
    assert_eq!(one, other);
    let [one, other] = sums::<WithoutStates>();
    assert_ne!(one.0, other.0);
    assert_eq!((one.1, other.1), (3.into(), 3.into()));
}
