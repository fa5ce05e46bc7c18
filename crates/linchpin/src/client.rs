//! One client of an object, run through every execution and compared with what its sequential self admits.

use std::marker::PhantomData;
use std::sync::Arc;

use linchpin_generate::{Outcomes, admitted_by_object, parse, validate};
use linchpin_model::{Client, Invocation, Object, Outcome, Value};
use linchpin_sync::thread;

use crate::{Builder, Exploration};

/// A client of an object, given as text: `[setup] { first; thread } || { second } [epilogue]`.
///
/// ```
/// # use linchpin::sync::Mutex;
/// # #[derive(Default)]
/// # struct Stack(Mutex<Vec<u8>>);
/// # impl Stack {
/// #     fn push(&self, item: u8) { self.0.lock().unwrap().push(item); }
/// #     fn pop(&self) -> Option<u8> { self.0.lock().unwrap().pop() }
/// # }
/// linchpin::object! {
///     LockedStack: Stack = Stack::default();
///     fn push(&self, item: u8);
///     fn pop(&self) -> Option<u8>;
/// }
///
/// linchpin::client::<LockedStack>("[push(1)] { pop() } || { pop() }").run();
/// ```
///
/// # Panics
///
/// When the text is not a client, or not one of this object.
#[track_caller]
pub fn client<O: Object>(text: &str) -> ClientTest<O> {
    let client = parse(text).unwrap_or_else(|error| panic!("{error}"));
    if let Err(error) = validate::<O>(&client) {
        panic!("{client} is not a client of {}: {error}", O::NAME);
    }
    ClientTest { client, builder: Builder::new(), object: PhantomData }
}

/// A client that is going to be explored.
#[must_use = "a client does nothing until it is run"]
pub struct ClientTest<O> {
    client: Client,
    builder: Builder,
    object: PhantomData<O>,
}

impl<O: Object> ClientTest<O> {
    /// With the memory model, budgets and findings of this builder instead of the default ones.
    pub fn with(mut self, builder: Builder) -> Self {
        self.builder = builder;
        self
    }

    /// Explores the client, prints what was established, and panics with a report if there is a violation: an outcome that
    /// no order of the invocations explains, or whatever else a [`Builder`] looks for.
    #[track_caller]
    pub fn run(&self) -> Exploration {
        println!("linchpin: {} as a client of {}", self.client, O::NAME);
        self.builder.check(self.test())
    }

    /// Explores the client and returns what was established, whatever that is. Prints nothing.
    #[track_caller]
    pub fn explore(&self) -> Exploration {
        self.builder.explore(self.test())
    }

    /// The outcomes that the object itself has when the client's invocations run one after another, in every order that
    /// keeps the order within each thread.
    ///
    /// # Panics
    ///
    /// When the object is not deterministic even then: outcomes would say nothing.
    #[track_caller]
    pub fn admitted(&self) -> Outcomes {
        admitted_by_object::<O>(&self.client).unwrap_or_else(|error| panic!("{}: {error}", O::NAME))
    }

    /// What is explored: the client run once, and its outcome looked up.
    #[track_caller]
    fn test(&self) -> impl Fn() + Send + Sync + 'static {
        let admitted = Arc::new(self.admitted());
        let client = Arc::new(self.client.clone());
        move || {
            let outcome = run_once::<O>(&client);
            if !admitted.contains(&outcome) {
                panic!("{}", unexplained(&client, &admitted, &outcome));
            }
        }
    }
}

/// Runs a client: what its invocations return, in the order of the text.
fn run_once<O: Object>(client: &Arc<Client>) -> Outcome {
    let instance = Arc::new(O::create());
    let mut results: Vec<Value> = client.setup.iter().map(|call| invoke::<O>(&instance, call)).collect();
    let threads: Vec<_> = (0..client.threads.len())
        .map(|thread| {
            let (client, instance) = (client.clone(), instance.clone());
            thread::spawn(move || -> Vec<Value> {
                client.threads[thread].iter().map(|call| invoke::<O>(&instance, call)).collect()
            })
        })
        .collect();
    for thread in threads {
        // A thread that panics is a violation of its own, found before this one goes on.
        results.extend(thread.join().unwrap_or_default());
    }
    results.extend(client.epilogue.iter().map(|call| invoke::<O>(&instance, call)));
    Outcome(results)
}

fn invoke<O: Object>(instance: &O::Instance, invocation: &Invocation) -> Value {
    let operations = O::operations();
    let position = operations.iter().position(|operation| *operation.name == *invocation.operation);
    O::invoke(instance, position.expect("the client was validated"), &invocation.arguments)
}

/// What is wrong with an outcome, in words.
fn unexplained(client: &Client, admitted: &Outcomes, outcome: &Outcome) -> String {
    let explanation = admitted.explain(outcome).map(|explanation| explanation.to_string()).unwrap_or_default();
    format!("{client}: {explanation}")
}
