//! Histories of long runs, and whether they are linearizable.

use std::collections::HashSet;

use linchpin_check::{Limits, Verdict, check, is_linearizable, verify};
use linchpin_engine::Call;
use linchpin_model::{
    AnyObject, Client, History, Invocation, Kind, ObjectOperation, Role, Specification, State, Value,
};

use super::kind::Recognised;

/// A history of a client; operations are numbered as in the client's text.
pub(crate) type ClientHistory = History<Invocation, Value>;

/// The history of a run in time.
pub(crate) fn history(client: &Client, calls: &[Call]) -> ClientHistory {
    let mut history = History::new();
    for (call, invocation) in calls.iter().zip(client.invocations()) {
        let time = call.time.clone().unwrap_or_default();
        let process = u64::from(call.thread.0);
        match &call.result {
            Some(result) => {
                history.returned(process, invocation.clone(), result.clone(), time.start as i64, time.end as i64)
            }
            None => history.pending(process, invocation.clone(), time.start as i64),
        };
    }
    history
}

/// Decides histories of an object's clients.
///
/// Where the specification looks like a queue, a stack or a set, a monitor is asked first. That it is one is a guess, so what the
/// monitor says is checked: an order that explains a history has to do so on the specification itself, and where there is none, the
/// general search has to say so too. A wrong guess costs time and nothing else.
pub(crate) struct Decider {
    specified: Specified,
    /// With what it looks like.
    recognised: Option<Specified>,
}

impl Decider {
    pub fn new(object: AnyObject) -> Decider {
        Decider::of(object.initial_state(), object.operations())
    }

    fn of(initial: State, operations: Vec<ObjectOperation>) -> Decider {
        let specified = Specified { initial, operations, looks_like: None };
        let recognised = Recognised::of(&specified.initial, &specified.operations)
            .map(|recognised| Specified { looks_like: Some(recognised), ..specified.clone() });
        Decider { specified, recognised }
    }

    /// Is the history one of the object's specification?
    pub fn decide(&self, history: &ClientHistory) -> Verdict {
        match self.by_monitor(history) {
            Some(Verdict::Linearizable(witness)) if verify(&self.specified, history, &witness).is_ok() => {
                Verdict::Linearizable(witness)
            }
            Some(Verdict::Violation(evidence)) if self.is_searched_in_vain(history) => Verdict::Violation(evidence),
            _ => check(&self.specified, history, &Limits::default()),
        }
    }

    /// Is it certain that the history is not one of the object's specification?
    pub fn is_wrong(&self, history: &ClientHistory) -> bool {
        let is_right = |verdict| matches!(verdict, Verdict::Linearizable(witness) if verify(&self.specified, history, &witness).is_ok());
        !self.by_monitor(history).is_some_and(is_right) && self.is_searched_in_vain(history)
    }

    fn is_searched_in_vain(&self, history: &ClientHistory) -> bool {
        is_linearizable(&self.specified, history, &Limits::default()) == Ok(false)
    }

    /// What a monitor says, if there is one and it can tell values apart.
    fn by_monitor(&self, history: &ClientHistory) -> Option<Verdict> {
        let recognised = self.recognised.as_ref()?;
        let mut put = HashSet::new();
        for operation in history.operations() {
            if let Some(Role::Add(value)) = recognised.role(&operation.invocation, operation.result.as_ref())
                && !put.insert(value)
            {
                return None;
            }
        }
        Some(check(recognised, history, &Limits::default()))
    }

    /// Gives everything that is put into a queue or a stack a value of its own, if there are as many: histories can then be decided by
    /// a monitor, and what comes out twice is seen at once.
    pub fn tell_apart(&self, client: &mut Client) {
        let Some(recognised) = &self.recognised else { return };
        let adds = |invocation: &Invocation| matches!(recognised.role(invocation, None), Some(Role::Add(_)));
        let mut puts: Vec<&mut Invocation> =
            client.threads.iter_mut().flatten().filter(|invocation| adds(invocation)).collect();
        let domain = |invocation: &Invocation| {
            let operation = &self.specified.operations[self.specified.position(invocation)];
            operation.arguments.first().map(|argument| argument.domain)
        };
        let Some(domain) = puts.first().and_then(|first| domain(first)) else { return };
        let values = domain(puts.len());
        if values.len() == puts.len() {
            puts.iter_mut().zip(values).for_each(|(put, value)| put.arguments = vec![value]);
        }
    }
}

/// An object's specification, for histories of its clients.
#[derive(Clone)]
struct Specified {
    initial: State,
    operations: Vec<ObjectOperation>,
    looks_like: Option<Recognised>,
}

impl Specified {
    fn position(&self, invocation: &Invocation) -> usize {
        let is_meant = |operation: &ObjectOperation| *operation.name == *invocation.operation;
        self.operations.iter().position(is_meant).expect("the client is valid")
    }
}

impl Specification for Specified {
    type Invocation = Invocation;
    type Returned = Value;
    type State = State;

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn step(&self, state: &State, invocation: &Invocation, result: Option<&Value>, next: &mut Vec<State>) {
        let (after, value) = state.after(self.position(invocation), &invocation.arguments);
        if result.is_none_or(|result| *result == value) {
            next.push(after);
        }
    }

    fn is_read_only(&self, invocation: &Invocation, _: Option<&Value>) -> bool {
        self.operations[self.position(invocation)].read_only
    }

    fn part(&self, invocation: &Invocation) -> Option<Value> {
        self.looks_like.as_ref()?.part(&invocation.arguments)
    }

    fn kind(&self) -> Option<Kind> {
        Some(self.looks_like.as_ref()?.kind())
    }

    fn role(&self, invocation: &Invocation, result: Option<&Value>) -> Option<Role> {
        self.looks_like.as_ref()?.role(self.position(invocation), &invocation.arguments, result)
    }

    fn describe(&self, invocation: &Invocation, result: Option<&Value>) -> String {
        match result {
            Some(result) => format!("{invocation} → {result}"),
            None => invocation.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, VecDeque};

    use linchpin_model::{ObjectArgument, SplitMix};

    use super::*;

    /// An object by its state and what its operations do there: those with an argument first.
    fn decider<S>(
        with_argument: &[&'static str],
        without: &[&'static str],
        run: fn(&mut S, usize, &[Value]) -> Value,
    ) -> Decider
    where
        S: Clone + Eq + std::hash::Hash + std::fmt::Debug + Default + Send + Sync + 'static,
    {
        let argument = || ObjectArgument { name: "value", domain: <i32 as linchpin_model::Argument>::domain };
        let with_argument = with_argument.iter().map(|name| ObjectOperation::new(name, vec![argument()]));
        let without = without.iter().map(|name| ObjectOperation::new(name, Vec::new()));
        Decider::of(State::new(S::default(), run), with_argument.chain(without).collect())
    }

    fn queue() -> Decider {
        decider(&["put"], &["take"], |queue: &mut VecDeque<Value>, operation, arguments| match operation {
            0 => {
                queue.push_back(arguments[0].clone());
                Value::Nil
            }
            _ => queue.pop_front().unwrap_or_default(),
        })
    }

    fn stack() -> Decider {
        decider(&["put"], &["take"], |stack: &mut Vec<Value>, operation, arguments| match operation {
            0 => {
                stack.push(arguments[0].clone());
                Value::Nil
            }
            _ => stack.pop().unwrap_or_default(),
        })
    }

    fn set() -> Decider {
        let run = |set: &mut BTreeSet<Value>, operation, arguments: &[Value]| {
            Value::Bool(match operation {
                0 => set.contains(&arguments[0]),
                1 => set.insert(arguments[0].clone()),
                _ => set.remove(&arguments[0]),
            })
        };
        decider(&["contains", "add", "remove"], &[], run)
    }

    /// A queue as long as it has three elements at most; with more, the newest come out first.
    fn queue_at_first() -> Decider {
        decider(&["put"], &["take"], |queue: &mut VecDeque<Value>, operation, arguments| match operation {
            0 => {
                queue.push_back(arguments[0].clone());
                Value::Nil
            }
            _ if queue.len() > 3 => queue.pop_back().unwrap_or_default(),
            _ => queue.pop_front().unwrap_or_default(),
        })
    }

    /// Operations that overlap those beside them, in an order that explains them; then some have other results.
    fn random_history(decider: &Decider, random: &mut SplitMix, are_distinct: bool) -> ClientHistory {
        let Specified { initial, operations, .. } = &decider.specified;
        let mut state = initial.clone();
        let mut history = ClientHistory::new();
        let mut results = Vec::new();
        for at in 0..random.within(&(1..=9)) {
            let operation = random.below(operations.len());
            let value = if are_distinct { at as i64 + 1 } else { random.below(3) as i64 + 1 };
            let arguments: Vec<Value> = operations[operation].arguments.iter().map(|_| value.into()).collect();
            let (after, mut result) = state.after(operation, &arguments);
            state = after;
            results.push(result.clone());
            if random.below(5) == 0 {
                result = results[random.below(results.len())].clone();
            }
            let invocation = Invocation { operation: operations[operation].name.into(), arguments };
            let point = 10 * at as i64;
            let (call, ret) = (point - random.below(20) as i64, point + 1 + random.below(20) as i64);
            history.returned(at as u64, invocation, result, call, ret);
        }
        history
    }

    /// Compares with the general search, which knows nothing but the specification. Returns how often there was an order, and
    /// how often there was none.
    fn compare(decider: &Decider, are_distinct: bool) -> [usize; 2] {
        let mut random = SplitMix::new(5);
        let mut seen = [0, 0];
        for _ in 0..400 {
            let history = random_history(decider, &mut random, are_distinct);
            let is_wrong = match check(&decider.specified, &history, &Limits::default()) {
                Verdict::Linearizable(_) => false,
                Verdict::Violation(_) => true,
                Verdict::Unknown(why) => panic!("{why:?}"),
            };
            seen[usize::from(is_wrong)] += 1;
            assert_eq!(decider.is_wrong(&history), is_wrong, "{history:?}");
            assert_eq!(matches!(decider.decide(&history), Verdict::Violation(_)), is_wrong, "{history:?}");
        }
        seen
    }

    #[test]
    fn queues_stacks_and_sets_are_recognised_and_decided_as_by_the_general_search() {
        for (decider, kind) in [(queue(), Kind::Queue), (stack(), Kind::Stack), (set(), Kind::Bit { initial: false })] {
            assert_eq!(decider.recognised.as_ref().and_then(Specification::kind), Some(kind));
            for are_distinct in [true, false] {
                let seen = compare(&decider, are_distinct);
                assert!(seen[0].min(seen[1]) > 30, "{seen:?}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_queue_is_decided_by_what_it_is() {
        let decider = queue_at_first();
        assert_eq!(decider.recognised.as_ref().and_then(Specification::kind), Some(Kind::Queue));
        let seen = compare(&decider, true);
        assert!(seen[0].min(seen[1]) > 30, "{seen:?}");
        // The monitor alone would have been wrong, both ways.
        for (taken, is_wrong) in [(4, false), (1, true)] {
            let mut history = ClientHistory::new();
            let invocation = |operation: &str, arguments| Invocation { operation: operation.into(), arguments };
            for value in 1..=4 {
                history.returned(0, invocation("put", vec![value.into()]), Value::Nil, 2 * value, 2 * value + 1);
            }
            history.returned(0, invocation("take", Vec::new()), taken.into(), 10, 11);
            let says = matches!(decider.by_monitor(&history), Some(Verdict::Violation(_)));
            assert_eq!((says, decider.is_wrong(&history)), (!is_wrong, is_wrong));
            assert_eq!(matches!(decider.decide(&history), Verdict::Violation(_)), is_wrong);
        }
    }

    #[test]
    fn what_is_neither_is_not_recognised() {
        let counter = decider(&[], &["increment"], |count: &mut i64, _, _| {
            *count += 1;
            Value::from(*count)
        });
        assert!(counter.recognised.is_none());
    }

    #[test]
    fn what_is_put_in_is_told_apart() {
        let mut client = linchpin_generate::parse("{ put(1); take(); put(1) } || { put(2) }").unwrap();
        queue().tell_apart(&mut client);
        assert_eq!(client.to_string(), "{ put(1); take(); put(2) } || { put(3) }");
        let mut client = linchpin_generate::parse("{ add(1); add(1) }").unwrap();
        set().tell_apart(&mut client);
        assert_eq!(client.to_string(), "{ add(1); add(1) }");
    }
}
