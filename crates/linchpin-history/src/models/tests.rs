//! What recordings mean to the models, and what models say of recordings that mean nothing to them.

use linchpin_model::{History, Interval, Operation, OperationId, Value};

use super::*;
use crate::{Call, Conventions, FailedCas, Initial, Layout, Lines, Recording};

/// The `number`th operation is on line 10 × `number`, or is called there and returns one line later.
struct Builder {
    recording: Recording,
}

fn operations() -> Builder {
    let conventions =
        Conventions { failed_cas: FailedCas::Compared, nil_read_says_nothing: false, initial: Some(Initial::Zero) };
    let layout = Layout::Operations;
    Builder { recording: Recording { history: History::new(), lines: Vec::new(), layout, conventions, origin: None } }
}

fn events() -> Builder {
    let conventions =
        Conventions { failed_cas: FailedCas::DidNotHappen, nil_read_says_nothing: true, initial: Some(Initial::Nil) };
    let layout = Layout::Events;
    Builder { recording: Recording { history: History::new(), lines: Vec::new(), layout, conventions, origin: None } }
}

impl Builder {
    /// Adds an operation that is over before the next one is called.
    fn then(self, name: &str, key: Option<Value>, argument: Value, result: Value) -> Self {
        self.add(name, key, argument, Some(result), true)
    }

    fn pending(self, name: &str, key: Option<Value>, argument: Value) -> Self {
        self.add(name, key, argument, None, false)
    }

    fn add(mut self, name: &str, key: Option<Value>, argument: Value, result: Option<Value>, returned: bool) -> Self {
        let number = self.recording.history.len() as i64 + 1;
        let ret = if returned { 10 * number + 1 } else { Interval::NEVER };
        let invocation = Call { name: name.into(), key, argument };
        let operation = Operation { process: 0, invocation, result, returned };
        self.recording.history.push(operation, Interval { call: 10 * number, ret });
        let call = 10 * number as usize;
        let ret = if self.recording.layout == Layout::Events { call + 1 } else { call };
        self.recording.lines.push(Lines { call, ret });
        self
    }
}

const NIL: Value = Value::Nil;

fn v(number: i64) -> Value {
    number.into()
}

fn k(name: &str) -> Option<Value> {
    Some(name.into())
}

fn list(items: &[Value]) -> Value {
    Value::list(items.iter().cloned())
}

fn model(name: &str) -> Model {
    let wants = |option: &str| {
        let needs = match name {
            "bounded-queue" => "capacity",
            "semaphore" => "permits",
            _ => "",
        };
        (needs == option).then_some(2)
    };
    let options = Options { initial: None, capacity: wants("capacity"), permits: wants("permits") };
    Model::by_name(name, options).unwrap()
}

/// The recording means this to the model, in which it is linearizable.
fn means(name: &str, built: Builder, expected: &[&str]) {
    let recording = built.recording;
    let model = model(name);
    assert_eq!(model.try_all_orders(&recording).map_err(|error| error.to_string()), Ok(true), "{name}");
    let described: Vec<String> = recording.history.ids().map(|id| model.describe_operation(&recording, id)).collect();
    assert_eq!(described, expected);
}

/// The recording is not linearizable in the model.
fn contradicts(name: &str, built: Builder) {
    let answer = model(name).try_all_orders(&built.recording).map_err(|error| error.to_string());
    assert_eq!(answer, Ok(false), "{name}");
}

/// The recording means nothing to the model.
fn fails(name: &str, built: Builder, message: &str) {
    assert_eq!(model(name).try_all_orders(&built.recording).unwrap_err().to_string(), message);
}

#[test]
fn registers() {
    let recording = operations()
        .then("read", None, NIL, v(0))
        .then("write", None, v(3), NIL)
        .then("GET", None, NIL, v(3))
        .pending("r", None, NIL)
        .pending("put", None, v(4));
    means("register", recording, &["read() → 0", "write(3)", "read() → 3", "read()", "write(4)"]);
    let recording = events()
        .then("read", None, NIL, NIL)
        .then("write", None, v(3), v(3))
        .then("read", None, v(8), v(3))
        .then("read", None, NIL, NIL);
    means("register", recording, &["read()", "write(3)", "read() → 3", "read()"]);
    let mut nil_means_nil = events().then("write", None, v(3), v(3)).then("read", None, NIL, NIL);
    nil_means_nil.recording.conventions.nil_read_says_nothing = false;
    contradicts("register", nil_means_nil);
    contradicts("register", operations().then("read", None, NIL, NIL));
    means("register", operations().then("write", None, v(1), true.into()), &["write(1)"]);
}

#[test]
fn cas_registers() {
    let recording = operations()
        .then("cas", None, list(&[v(0), v(2)]), true.into())
        .then("compare-and-set", None, list(&[v(0), v(3)]), false.into())
        .then("read", None, NIL, v(2));
    means("cas-register", recording, &["cas(0 → 2) → true", "cas(0 → 3) → false", "read() → 2"]);
    let recording = events()
        .then("write", None, v(1), v(1))
        .then("cas", None, list(&[v(1), v(2)]), list(&[v(1), v(2)]))
        .then("cas", None, list(&[v(1), v(2)]), false.into())
        .pending("cas", None, list(&[v(2), v(5)]));
    let expected = ["write(1)", "cas(1 → 2) → true", "cas(1 → 2) → false", "cas(2 → 5)"];
    means("CAS_register", recording, &expected);
    contradicts("cas-register", events().then("cas", None, list(&[v(1), v(2)]), list(&[v(1), v(2)])));
}

#[test]
fn transactions() {
    let access = |name: &str, key: &str, value| list(&[name.into(), key.into(), value]);
    let recording = events()
        .then(
            "txn",
            None,
            list(&[access(":read", ":x", NIL), access(":write", ":y", v(2))]),
            list(&[access(":read", ":x", v(0)), access(":write", ":y", v(2))]),
        )
        .then("txn", None, list(&[access("r", ":y", NIL)]), list(&[access("r", ":y", v(2))]))
        .then("txn", None, list(&[access("r", ":y", NIL)]), list(&[access("r", ":y", NIL)]))
        .pending("txn", None, list(&[access("w", ":y", v(7))]));
    let expected = [
        "txn(read(\":x\") → 0, write(\":y\", 2))",
        "txn(read(\":y\") → 2)",
        "txn(read(\":y\"))",
        "txn(write(\":y\", 7))",
    ];
    means("multi-register", recording, &expected);
    fails(
        "multi-register",
        events().then("txn", None, list(&[access("r", ":x", NIL)]), list(&[access("r", ":y", v(1))])),
        "line 11: txn of model multi-register returns the same list with the values that were read, \
         but returned [[\"r\", \":y\", 1]]",
    );
    fails(
        "multi-register",
        events().then("txn", None, v(5), NIL),
        "line 10: txn of model multi-register takes a list of [read, key, nil] and [write, key, value], but has 5",
    );
}

#[test]
fn stores() {
    let mut recording = events()
        .then("get", k("a"), NIL, "".into())
        .then("append", k("a"), "x".into(), "x".into())
        .then("append", k("a"), "y".into(), NIL)
        .then("get", k("a"), NIL, "xy".into())
        .then("put", k("b"), "z".into(), NIL);
    recording.recording.conventions.initial = Some(Initial::EmptyText);
    let expected = [
        "get(\"a\") → \"\"",
        "append(\"a\", \"x\")",
        "append(\"a\", \"y\")",
        "get(\"a\") → \"xy\"",
        "put(\"b\", \"z\")",
    ];
    means("kv", recording, &expected);
    means("kv", operations().then("get", Some(v(2)), NIL, v(0)), &["get(2) → 0"]);
    fails("kv", operations().then("get", None, NIL, v(0)), "line 10: get of model kv works on a key, but has none");
    let recording = operations()
        .then("put", k("a"), v(1), NIL)
        .then("insert", k("a"), v(2), v(1))
        .then("get", k("a"), NIL, v(2))
        .then("putIfAbsent", k("a"), v(3), v(2))
        .then("putIfAbsent", k("a"), v(3), false.into())
        .then("contains", k("a"), NIL, true.into())
        .then("remove", k("a"), NIL, v(2))
        .then("remove", k("a"), NIL, false.into())
        .then("get", k("a"), NIL, NIL);
    let expected = [
        "insert(\"a\", 1) → none",
        "insert(\"a\", 2) → 1",
        "get(\"a\") → 2",
        "insert_if_absent(\"a\", 3) → 2",
        "insert_if_absent(\"a\", 3) → false",
        "contains(\"a\") → true",
        "remove(\"a\") → 2",
        "remove(\"a\") → false",
        "get(\"a\") → none",
    ];
    means("map", recording, &expected);
    let recording = events().then("insert", k("a"), v(1), v(1)).then("remove", k("a"), NIL, NIL);
    means("map", recording, &["insert(\"a\", 1)", "remove(\"a\")"]);
    fails(
        "map",
        operations().then("insert", k("a"), v(1), true.into()),
        "line 10: insert of model map returns the value before, or null, but returned true",
    );
}

#[test]
fn sets() {
    let recording = operations()
        .then("add", Some(v(13)), NIL, true.into())
        .then("insert", None, v(13), false.into())
        .then("contains", Some(v(13)), NIL, true.into())
        .then("remove", None, v(13), NIL);
    means("set", recording, &["add(13) → true", "add(13) → false", "contains(13) → true", "remove(13)"]);
    let recording = events().then("add", None, v(1), v(1)).then("add", None, v(1), v(1)).pending("remove", None, v(1));
    means("set", recording, &["add(1)", "add(1)", "remove(1)"]);
    fails(
        "set",
        operations().then("contains", None, v(1), v(7)),
        "line 10: contains of model set returns true or false, but returned 7",
    );
    fails(
        "set",
        operations().then("add", None, NIL, true.into()),
        "line 10: add of model set takes an element, but has no argument",
    );
}

#[test]
fn collections() {
    let recording = operations()
        .then("enqueue", None, v(1), NIL)
        .then("push", None, v(2), NIL)
        .then("deq", None, NIL, v(1))
        .then("recv", None, NIL, v(2))
        .then("poll", None, NIL, NIL)
        .pending("pop", None, NIL);
    means("queue", recording, &["enq(1)", "enq(2)", "deq() → 1", "deq() → 2", "deq() → empty", "deq()"]);
    let recording = events().then("enqueue", None, v(1), v(1)).then("dequeue", None, NIL, v(1));
    means("fifo", recording, &["enq(1)", "deq() → 1"]);
    let recording = operations()
        .then("enq", None, v(1), true.into())
        .then("enq", None, v(2), NIL)
        .then("enq", None, v(3), false.into())
        .then("deq", None, NIL, v(1));
    means("bounded-queue", recording, &["enq(1)", "enq(2)", "enq(3) → full", "deq() → 1"]);
    contradicts("bounded-queue", operations().then("enq", None, v(1), false.into()));
    let recording =
        operations().then("push", None, v(1), NIL).then("push", None, v(2), NIL).then("pop", None, NIL, v(2));
    means("stack", recording, &["push(1)", "push(2)", "pop() → 2"]);
    let recording = operations()
        .then("pushBack", None, v(1), NIL)
        .then("push_front", None, v(2), NIL)
        .then("pop-front", None, NIL, v(2))
        .then("pop_back", None, NIL, v(1));
    means("deque", recording, &["push_back(1)", "push_front(2)", "pop_front() → 2", "pop_back() → 1"]);
    let recording =
        operations().then("insert", None, v(1), NIL).then("insert", None, v(2), NIL).then("popmax", None, NIL, v(2));
    means("pq", recording, &["insert(1)", "insert(2)", "pop_max() → 2"]);
    fails(
        "queue",
        operations().then("enq", None, v(1), NIL).then("peek", None, NIL, v(1)),
        "line 20: model queue has no operation \"peek\"; it has enq (enqueue, push, offer, add, send, put) and \
         deq (dequeue, pop, poll, remove, recv, receive, take)",
    );
    fails(
        "queue",
        operations().then("enq", None, v(1), false.into()),
        "line 10: enq of model queue returns nothing, but returned false",
    );
    fails(
        "queue",
        operations().then("deq", None, v(4), NIL),
        "line 10: deq of model queue takes no argument, but has 4",
    );
    fails(
        "queue",
        operations().then("enq", k("a"), v(4), NIL),
        "line 10: enq of model queue works on no key, but has \"a\"",
    );
}

#[test]
fn counters() {
    let recording = operations()
        .then("inc", None, NIL, NIL)
        .then("add", None, v(5), v(1))
        .then("decrementAndGet", None, NIL, v(5))
        .then("get", None, NIL, v(5));
    let expected = ["increment()", "add(5) → previously 1", "decrement() → now 5", "get() → 5"];
    means("counter", recording, &expected);
    let recording = events().then("add", None, v(5), v(5)).then("read", None, NIL, v(5));
    means("counter", recording, &["add(5)", "get() → 5"]);
    fails(
        "counter",
        operations().then("get", None, NIL, true.into()),
        "line 10: get of model counter returns the number, but returned true",
    );
}

#[test]
fn locks() {
    let recording = operations()
        .then("lock", None, NIL, NIL)
        .then("lock", None, NIL, false.into())
        .then("try_lock", None, NIL, false.into())
        .then("unlock", None, NIL, true.into())
        .then("unlock", None, NIL, false.into());
    let expected =
        ["acquire()", "try_acquire() → false", "try_acquire() → false", "release()", "try_release() → false"];
    means("mutex", recording, &expected);
    let recording =
        events().then("acquire", None, NIL, NIL).then("release", None, NIL, NIL).pending("acquire", None, NIL);
    means("mutex", recording, &["acquire()", "release()", "acquire()"]);
    contradicts("mutex", events().then("acquire", None, NIL, NIL).then("acquire", None, NIL, NIL));
    let recording = events().then("acquire", k("a"), NIL, NIL).then("acquire", k("b"), NIL, NIL);
    means("mutex", recording, &["acquire(\"a\")", "acquire(\"b\")"]);
    let recording = operations()
        .then("rlock", None, NIL, NIL)
        .then("read_lock", None, NIL, true.into())
        .then("try_write", None, NIL, false.into())
        .then("runlock", None, NIL, NIL);
    means("rwlock", recording, &["read_lock()", "read_lock()", "try_write_lock() → false", "read_unlock()"]);
    let recording = operations()
        .then("acquire", None, v(2), NIL)
        .then("acquire", None, NIL, false.into())
        .then("release", None, NIL, NIL)
        .then("try_acquire", None, NIL, true.into());
    let expected = ["acquire(2)", "try_acquire(1) → false", "release(1)", "try_acquire(1) → true"];
    means("semaphore", recording, &expected);
    fails(
        "semaphore",
        operations().then("acquire", None, v(-1), NIL),
        "line 10: acquire of model semaphore takes a number of permits (1 if it is left out), but has -1",
    );
}

#[test]
fn problems_with_registers() {
    fails(
        "cas-register",
        operations().then("cas", None, v(7), true.into()),
        "line 10: cas of model cas-register takes [expected, new], but has 7",
    );
    fails(
        "cas-register",
        operations().then("cas", None, list(&[v(0), v(1)]), NIL),
        "line 10: cas of model cas-register returns true or false, but returned nil",
    );
    fails(
        "register",
        operations().then("write", None, v(7), v(7)),
        "line 10: write of model register returns nothing, but returned 7",
    );
    fails(
        "register",
        operations().then("read", k("a"), NIL, v(7)),
        "line 10: read of model register works on no key, but has \"a\"; model kv has a register for each key",
    );
    let mut from_nowhere = operations().then("cas", None, list(&[v(1), v(2)]), NIL);
    from_nowhere.recording.lines.clear();
    fails(
        "register",
        from_nowhere,
        "operation #0: model register has no operation \"cas\"; it has write (w, put, set, store) and read (r, get, load)",
    );
}

#[test]
fn what_a_model_does_not_understand_is_described_as_it_is() {
    let recording = operations().then("peek", k("a"), v(1), NIL).recording;
    assert_eq!(model("queue").describe_operation(&recording, OperationId(0)), "peek(\"a\", 1)");
}

#[test]
fn options() {
    let fails = |name, options, message| {
        assert_eq!(Model::by_name(name, options).unwrap_err().to_string(), message);
    };
    let none = Options::default;
    fails(
        "tree",
        none(),
        "there is no model \"tree\"; there are register, cas-register, multi-register, kv, map, set, queue, \
         bounded-queue, stack, deque, priority-queue, counter, mutex, rwlock and semaphore",
    );
    fails("bounded-queue", none(), "model bounded-queue needs a capacity: how many elements there is room for");
    fails("semaphore", none(), "model semaphore needs permits: how many there are at first");
    fails("queue", Options { initial: Some(v(1)), ..none() }, "model queue takes no initial value");
    fails("queue", Options { permits: Some(1), ..none() }, "model queue takes no permits");
    fails("bounded-queue", Options { capacity: Some(0), ..none() }, "a capacity of 0 leaves no room for any element");
    fails(
        "counter",
        Options { initial: Some("x".into()), ..none() },
        "the initial value of model counter is a number, not \"x\"",
    );
}

#[test]
fn initial_values() {
    let reads = |name: &str, initial: Option<Value>, built: Builder| {
        let options = Options { initial, ..Options::default() };
        Model::by_name(name, options).unwrap().try_all_orders(&built.recording).unwrap()
    };
    assert!(reads("register", None, operations().then("read", None, NIL, v(0))));
    assert!(!reads("register", Some(v(5)), operations().then("read", None, NIL, v(0))));
    assert!(reads("register", Some(v(5)), operations().then("read", None, NIL, v(5))));
    assert!(reads("counter", Some(v(5)), operations().then("get", None, NIL, v(5))));
    assert!(!reads("register", None, events().then("read", None, NIL, v(0))));
}

/// No name of an operation or of a model stands for two.
#[test]
fn names_are_unambiguous() {
    let unambiguous = |groups: Vec<Vec<&str>>| {
        let names: Vec<(usize, &str)> =
            groups.iter().enumerate().flat_map(|(group, names)| names.iter().map(move |name| (group, *name))).collect();
        for (at, (_, name)) in names.iter().enumerate() {
            assert!(!names[at + 1..].iter().any(|(_, other)| same_name(name, other)), "{name}");
        }
    };
    unambiguous(Model::all().map(|(model, _)| [&[model.name], model.aliases].concat()).collect());
    for (_, operations) in Model::all() {
        unambiguous(operations.iter().map(|operation| operation.names.to_vec()).collect());
    }
}
