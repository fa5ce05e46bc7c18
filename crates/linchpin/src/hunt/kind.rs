//! Which well-known kind of object a specification is, so that long histories can be decided by a monitor in n log n.
//!
//! An object's description does not say that it is a queue. Its specification can be run, though, and small runs tell a queue from
//! a stack from a set: all short sequences of operations have to return what they would on the real thing. What behaves like a
//! queue for four operations may still become something else at the fifth, so this is a guess, and
//! [`Decider`](super::history::Decider) takes it for no more than that.

use linchpin_model::{Kind, ObjectOperation, Role, State, Value};

/// How many operations the sequences have that are compared.
const LENGTH: usize = 4;

/// What an operation seems to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Puts its argument in, and says nothing.
    Put,
    /// Takes something out, or says that there is nothing.
    Take,
    /// Adds its argument to a set: was it missing?
    Add,
    /// Removes its argument from a set: was it there?
    Remove,
    /// Looks for its argument in a set.
    Contains,
}

/// What an object seems to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recognised {
    kind: Kind,
    /// By operation.
    does: Vec<Does>,
}

impl Recognised {
    /// What a specification behaves like, if it is anything that is known.
    pub fn of(initial: &State, operations: &[ObjectOperation]) -> Option<Recognised> {
        let mut invocations: Vec<(usize, Vec<Value>)> = Vec::new();
        for (number, operation) in operations.iter().enumerate() {
            match &operation.arguments[..] {
                [] => invocations.push((number, Vec::new())),
                [argument] => {
                    invocations.extend((argument.domain)(2).into_iter().map(|value| (number, vec![value])));
                }
                _ => return None,
            }
        }
        let is_like = |recognised: &Recognised| recognised.is_like(initial, &[], &invocations, LENGTH);
        candidates(operations).into_iter().find(is_like)
    }

    /// Do all sequences of so many operations return what they should, from a state of the specification and the same state of
    /// the real thing?
    fn is_like(&self, state: &State, real: &[Value], invocations: &[(usize, Vec<Value>)], length: usize) -> bool {
        length == 0
            || invocations.iter().all(|(operation, arguments)| {
                let mut real = real.to_vec();
                let (after, returned) = state.after(*operation, arguments);
                returned == self.run(&mut real, *operation, arguments)
                    && self.is_like(&after, &real, invocations, length - 1)
            })
    }

    /// Runs an operation on the real thing.
    fn run(&self, real: &mut Vec<Value>, operation: usize, arguments: &[Value]) -> Value {
        let place = || real.iter().position(|value| Some(value) == arguments.first());
        match self.does[operation] {
            Does::Put => {
                real.extend(arguments.first().cloned());
                Value::Nil
            }
            Does::Take if real.is_empty() => Value::Nil,
            Does::Take if self.kind == Kind::Queue => real.remove(0),
            Does::Take => real.pop().unwrap_or(Value::Nil),
            Does::Contains => Value::Bool(place().is_some()),
            Does::Add => match place() {
                Some(_) => Value::Bool(false),
                None => {
                    real.extend(arguments.first().cloned());
                    Value::Bool(true)
                }
            },
            Does::Remove => match place() {
                Some(place) => {
                    real.remove(place);
                    Value::Bool(true)
                }
                None => Value::Bool(false),
            },
        }
    }

    pub fn kind(&self) -> Kind {
        self.kind.clone()
    }

    /// The key of a set that an invocation is about. Queues and stacks have no parts.
    pub fn part(&self, arguments: &[Value]) -> Option<Value> {
        arguments.first().filter(|_| matches!(self.kind, Kind::Bit { .. })).cloned()
    }

    /// What an invocation does that returned this; `None`: that is not known, or nothing that the kind knows.
    pub fn role(&self, operation: usize, arguments: &[Value], result: Option<&Value>) -> Option<Role> {
        match (self.does[operation], result) {
            (Does::Put, None | Some(Value::Nil)) => Some(Role::Add(arguments.first()?.clone())),
            (Does::Take, None) => Some(Role::RemoveUnknown),
            (Does::Take, Some(Value::Nil)) => Some(Role::FindEmpty),
            (Does::Take, Some(value)) => Some(Role::Remove(value.clone())),
            (Does::Add, Some(Value::Bool(true))) => Some(Role::Switch { to: true }),
            (Does::Remove, Some(Value::Bool(true))) => Some(Role::Switch { to: false }),
            (Does::Add, Some(Value::Bool(false))) => Some(Role::Observe(true)),
            (Does::Remove, Some(Value::Bool(false))) => Some(Role::Observe(false)),
            (Does::Contains, Some(Value::Bool(there))) => Some(Role::Observe(*there)),
            (Does::Contains, None) => Some(Role::Nothing),
            _ => None,
        }
    }
}

/// Everything that an object with these operations might be: a queue or a stack, if each takes an argument or returns something; a
/// set, if each takes an argument.
fn candidates(operations: &[ObjectOperation]) -> Vec<Recognised> {
    let takes = |operation: &ObjectOperation| !operation.arguments.is_empty();
    // Sets of the well-known kind have three operations. All ways of more to be one would be too many.
    if operations.is_empty() || operations.len() > 4 {
        return Vec::new();
    }
    if !operations.iter().all(takes) {
        let does = |operation| if takes(operation) { Does::Put } else { Does::Take };
        let does: Vec<Does> = operations.iter().map(does).collect();
        return [Kind::Queue, Kind::Stack].map(|kind| Recognised { kind, does: does.clone() }).into();
    }
    let mut ways: Vec<Vec<Does>> = vec![Vec::new()];
    for _ in operations {
        let with = |way: &Vec<Does>| [Does::Add, Does::Remove, Does::Contains].map(|does| [&way[..], &[does]].concat());
        ways = ways.iter().flat_map(with).collect();
    }
    ways.into_iter().map(|does| Recognised { kind: Kind::Bit { initial: false }, does }).collect()
}
