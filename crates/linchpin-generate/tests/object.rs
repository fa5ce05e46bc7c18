//! The way from an object's description to its clients and their outcomes.

use std::sync::Mutex;

use linchpin_generate::{Bounds, Options, admitted_by_object, enumerate, generate, parse, validate};
use linchpin_model::{AnyObject, Object, ObjectArgument, ObjectOperation, Value};

/// `push(value)`, `pop()`, `len()`.
struct Stack;

impl Object for Stack {
    type Instance = Mutex<Vec<Value>>;
    const NAME: &'static str = "Stack";

    fn create() -> Self::Instance {
        Mutex::default()
    }

    fn operations() -> Vec<ObjectOperation> {
        let value = ObjectArgument { name: "value", domain: |n| (0..n as i64).map(Value::from).collect() };
        let operation =
            |name, arguments, read_only| ObjectOperation { read_only, ..ObjectOperation::new(name, arguments) };
        vec![operation("push", vec![value], false), operation("pop", vec![], false), operation("len", vec![], true)]
    }

    fn invoke(instance: &Self::Instance, operation: usize, arguments: &[Value]) -> Value {
        let mut stack = instance.lock().unwrap();
        match operation {
            0 => {
                stack.push(arguments[0].clone());
                Value::Nil
            }
            1 => stack.pop().unwrap_or_default(),
            _ => (stack.len() as i64).into(),
        }
    }
}

#[test]
fn what_is_generated_is_valid_reads_back_and_has_outcomes() {
    let bounds = Bounds { invocations: 2..=3, ..Bounds::default() };
    for client in generate(AnyObject::of::<Stack>(), 1, Options::default())
        .take(300)
        .chain(enumerate(AnyObject::of::<Stack>(), &bounds))
    {
        assert_eq!(validate(AnyObject::of::<Stack>(), &client), Ok(()));
        assert_eq!(parse(&client.to_string()).as_ref(), Ok(&client));
        assert!(!admitted_by_object(AnyObject::of::<Stack>(), &client).unwrap().is_empty());
    }
}

#[test]
fn an_object_is_its_own_specification() {
    let client = parse("[push(1)] { pop() } || { push(2) } [len()]").unwrap();
    let outcomes = admitted_by_object(AnyObject::of::<Stack>(), &client).unwrap();
    let found: Vec<(String, &[usize])> = outcomes.iter().map(|(outcome, order)| (outcome.to_string(), order)).collect();
    let expected: [(String, &[usize]); 2] =
        [("nil, 1, nil, 1".to_owned(), &[0, 1, 2, 3]), ("nil, 2, nil, 1".to_owned(), &[0, 2, 1, 3])];
    assert_eq!(found, expected);
}
