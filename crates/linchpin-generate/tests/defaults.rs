//! Why random clients have a setup and an epilogue by default, and why there is a second kind of them: counted on faulty objects whose operations are made of
//! several atomic steps, with every interleaving of the steps.

use std::collections::HashSet;

use linchpin_generate::{Options, Sequential, admitted, generate_from};
use linchpin_model::{Client, Invocation, ObjectArgument, ObjectOperation, Outcome, Value};

/// One step of an operation: what is shared, what the operation remembers, how many steps it has made. `Some`: it
/// returns.
type Step = fn(&mut Vec<i64>, &mut i64, usize, &str, i64) -> Option<Value>;

struct Faulty {
    name: &'static str,
    /// Name, number of arguments, read-only.
    operations: &'static [(&'static str, usize, bool)],
    step: Step,
}

const FAULTY: [Faulty; 6] = [
    Faulty { name: "lost increment", operations: &[("inc", 0, false), ("read", 0, true)], step: lost_increment },
    Faulty {
        name: "check, then add",
        operations: &[("add", 1, false), ("remove", 1, false), ("contains", 1, true), ("len", 0, true)],
        step: check_then_add,
    },
    Faulty { name: "pop twice", operations: &[("push", 1, false), ("pop", 0, false)], step: pop_twice },
    Faulty {
        name: "clear in pieces",
        operations: &[("add", 1, false), ("clear", 0, false), ("contains", 1, true)],
        step: clear_in_pieces,
    },
    Faulty {
        name: "len in pieces",
        operations: &[("add", 1, false), ("remove", 1, false), ("len", 0, true)],
        step: len_in_pieces,
    },
    Faulty { name: "lost push", operations: &[("push", 1, false), ("pop", 0, false)], step: lost_push },
];

/// A fault that takes four mutators in the right order, while one operation is under way.
const RARE: Faulty = Faulty {
    name: "equal is unchanged",
    operations: &[("first", 1, false), ("second", 1, false), ("read", 0, true)],
    step: equal_is_unchanged,
};

/// Two cells. What reads both takes the first to be unchanged if it is the same again.
fn equal_is_unchanged(
    shared: &mut Vec<i64>,
    local: &mut i64,
    step: usize,
    operation: &str,
    value: i64,
) -> Option<Value> {
    const SECOND: i64 = 100;
    shared.resize(2, 0);
    match (operation, step % 3) {
        ("first", _) => shared[0] = value,
        ("second", _) => shared[1] = value,
        (_, 0) => {
            *local = shared[0];
            return None;
        }
        (_, 1) => {
            *local += SECOND * shared[1];
            return None;
        }
        // Is the first one the same again? If not, all over again.
        _ => return (*local % SECOND == shared[0]).then_some((*local).into()),
    }
    Some(Value::Nil)
}

fn lost_increment(shared: &mut Vec<i64>, local: &mut i64, step: usize, operation: &str, _: i64) -> Option<Value> {
    shared.resize(1, 0);
    match (operation, step) {
        ("inc", 0) => *local = shared[0],
        ("inc", _) => {
            shared[0] = *local + 1;
            return Some(Value::Nil);
        }
        _ => return Some(shared[0].into()),
    }
    None
}

/// The right operations of a set.
fn set(shared: &mut Vec<i64>, operation: &str, key: i64) -> Value {
    let was_there = shared.contains(&key);
    match operation {
        "add" if !was_there => shared.push(key),
        "remove" => shared.retain(|&other| other != key),
        "len" => return (shared.len() as i64).into(),
        _ => {}
    }
    shared.sort_unstable();
    (was_there != (operation == "add")).into()
}

fn check_then_add(shared: &mut Vec<i64>, local: &mut i64, step: usize, operation: &str, key: i64) -> Option<Value> {
    match (operation, step) {
        ("add", 0) => {
            *local = i64::from(shared.contains(&key));
            None
        }
        ("add", _) => {
            set(shared, operation, key);
            Some((*local == 0).into())
        }
        _ => Some(set(shared, operation, key)),
    }
}

fn pop_twice(shared: &mut Vec<i64>, local: &mut i64, step: usize, operation: &str, value: i64) -> Option<Value> {
    match (operation, step) {
        ("push", _) => shared.push(value),
        (_, 0) if shared.is_empty() => {}
        (_, 0) => {
            *local = shared[shared.len() - 1];
            return None;
        }
        _ => {
            shared.pop();
            return Some((*local).into());
        }
    }
    Some(Value::Nil)
}

fn clear_in_pieces(shared: &mut Vec<i64>, _: &mut i64, step: usize, operation: &str, key: i64) -> Option<Value> {
    if operation == "clear" {
        set(shared, "remove", step as i64);
        return (step == 1).then_some(Value::Nil);
    }
    Some(set(shared, operation, key))
}

fn len_in_pieces(shared: &mut Vec<i64>, local: &mut i64, step: usize, operation: &str, key: i64) -> Option<Value> {
    if operation == "len" {
        *local += i64::from(shared.contains(&(step as i64)));
        return (step == 1).then_some((*local).into());
    }
    Some(set(shared, operation, key))
}

fn lost_push(shared: &mut Vec<i64>, local: &mut i64, step: usize, operation: &str, value: i64) -> Option<Value> {
    match (operation, step) {
        ("push", 0) => {
            *local = shared.len() as i64;
            None
        }
        ("push", _) => {
            shared.resize((*local as usize).max(shared.len()).max(1), value);
            shared.truncate(*local as usize);
            shared.push(value);
            Some(Value::Nil)
        }
        _ => Some(if shared.is_empty() { Value::Nil } else { shared.remove(0).into() }),
    }
}

impl Sequential for Faulty {
    type State = Vec<i64>;
    fn initial(&self) -> Vec<i64> {
        Vec::new()
    }
    fn apply(&self, state: &Vec<i64>, call: &Invocation) -> (Vec<i64>, Value) {
        let (mut shared, mut local) = (state.clone(), 0);
        let value = (0..).find_map(|step| self.step(&mut shared, &mut local, step, call));
        (shared, value.expect("every operation returns"))
    }
}

/// A moment of a parallel run: the shared state, for each thread (invocations done, steps done, what is remembered), and
/// what has been returned.
type Moment = (Vec<i64>, Vec<(usize, usize, i64)>, Vec<Vec<Value>>);

impl Faulty {
    fn step(&self, shared: &mut Vec<i64>, local: &mut i64, step: usize, call: &Invocation) -> Option<Value> {
        let argument = call.arguments.first().and_then(Value::as_integer).unwrap_or_default();
        (self.step)(shared, local, step, &call.operation, argument)
    }

    fn described(&self) -> Vec<ObjectOperation> {
        let argument = ObjectArgument { name: "value", domain: |n| (0..n as i64).map(Value::from).collect() };
        let describe = |&(name, arguments, read_only): &(&'static str, usize, bool)| ObjectOperation {
            read_only,
            ..ObjectOperation::new(name, vec![argument.clone(); arguments])
        };
        self.operations.iter().map(describe).collect()
    }

    /// Does some interleaving of the steps give an outcome that no order of the invocations gives?
    fn fails(&self, client: &Client) -> bool {
        let outcomes = admitted(client, self);
        let in_sequence = |shared: &mut Vec<i64>, calls: &[Invocation]| -> Vec<Value> {
            let run = |call| {
                let (next, value) = self.apply(shared, call);
                *shared = next;
                value
            };
            calls.iter().map(run).collect()
        };
        let mut shared = self.initial();
        let setup = in_sequence(&mut shared, &client.setup);
        let threads = client.threads.len();
        let mut open: Vec<Moment> = vec![(shared, vec![(0, 0, 0); threads], vec![Vec::new(); threads])];
        let mut seen: HashSet<Moment> = HashSet::new();
        while let Some(moment) = open.pop() {
            if !seen.insert(moment.clone()) {
                continue;
            }
            let running = (0..threads).filter(|&thread| moment.1[thread].0 < client.threads[thread].len());
            let before = open.len();
            for thread in running {
                let (mut shared, mut at, mut returned) = moment.clone();
                let (done, step, local) = &mut at[thread];
                match self.step(&mut shared, local, *step, &client.threads[thread][*done]) {
                    None => *step += 1,
                    Some(value) => {
                        returned[thread].push(value);
                        at[thread] = (*done + 1, 0, 0);
                    }
                }
                open.push((shared, at, returned));
            }
            if open.len() == before {
                let (mut shared, _, returned) = moment;
                let epilogue = in_sequence(&mut shared, &client.epilogue);
                let values = setup.iter().cloned().chain(returned.into_iter().flatten()).chain(epilogue);
                if !outcomes.contains(&Outcome(values.collect())) {
                    return true;
                }
            }
        }
        false
    }
}

/// How many of so many random clients fail.
fn failing(object: &Faulty, options: &Options, clients: usize) -> usize {
    generate_from(&object.described(), 1, options.clone()).take(clients).filter(|client| object.fails(client)).count()
}

#[test]
fn the_default_finds_more_than_clients_without_setup_and_epilogue() {
    let sum = |options: &Options| FAULTY.iter().map(|object| failing(object, options, 200)).sum::<usize>();
    let (without, default) = (sum(&Options::violat()), sum(&Options::default()));
    assert!(2 * default > 3 * without, "{default} by default, {without} without");
}

#[test]
fn one_against_many_finds_what_takes_many_mutators_in_the_right_order() {
    assert_eq!(failing(&RARE, &Options::default(), 500), 0);
    let found = failing(&RARE, &Options::one_against_many(), 500);
    assert!(found >= 5, "{found} of 500");
}

/// The table in the documentation of `Options`. Run it with `--release`, and `--ignored --nocapture` behind `--`.
#[test]
#[ignore = "prints a table, proves nothing"]
fn lengths_of_setup_and_epilogue_compared() {
    println!("{:?}", FAULTY.map(|object| object.name));
    for setup in [0..=0, 0..=1, 1..=1, 0..=2] {
        for epilogue in [0..=0, 0..=1, 0..=2, 1..=1, 2..=2, 3..=3, 4..=4] {
            let options = Options { setup: setup.clone(), epilogue, ..Options::default() };
            let counts: Vec<usize> = FAULTY.iter().map(|object| failing(object, &options, 1_000)).collect();
            println!("{setup:?} {:?} {counts:?} {}", options.epilogue, counts.iter().sum::<usize>());
        }
    }
}
