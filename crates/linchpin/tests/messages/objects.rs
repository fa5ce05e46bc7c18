//! Objects that fail.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32 as Untouched, Ordering::SeqCst};

use linchpin::command::{About, CheckRequest, ClientRequest, Clients, Request, Session, run};
use linchpin::sync::Arc;
use linchpin::sync::Mutex;
use linchpin::sync::atomic::{AtomicU32, Ordering::*};
use linchpin::{AnyObject, Contract, Object, Report, Watched, call, client, contract, point, thread};

/// What is reported of an object.
fn asked<O: Object>(request: Request) -> Report {
    let answer = run(AnyObject::of::<O>(), &About::of(AnyObject::of::<O>()), &request, &Session::quiet())
        .expect("a request that makes sense");
    *answer.report.expect("something is wrong")
}

/// What is reported of an object that generated clients were tried on.
fn checked<O: Object>(clients: Clients) -> Report {
    asked::<O>(Request::Check(CheckRequest { clients, ..CheckRequest::default() }))
}

/// A stack whose `pop` looks first and takes then.
#[derive(Default)]
pub struct Stack(Mutex<Vec<u8>>);

impl Stack {
    fn push(&self, item: u8) {
        self.0.lock().unwrap().push(item);
    }

    fn pop(&self) -> Option<u8> {
        let last = self.0.lock().unwrap().last().copied()?;
        self.0.lock().unwrap().pop();
        Some(last)
    }
}

linchpin::object! {
    Lifo: Stack = Stack::default();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8>;
}

pub fn what_no_order_explains_has_a_cause() -> Report {
    client::<Lifo>("[push(1)] { pop() } || { pop() }").report().expect("a violation")
}

/// What the same stack is said to be.
#[derive(Default)]
struct Fifo(VecDeque<u8>);

impl Fifo {
    fn push(&mut self, item: u8) {
        self.0.push_back(item);
    }

    fn pop(&mut self) -> Option<u8> {
        self.0.pop_front()
    }
}

linchpin::object! {
    SpecifiedAsAQueue: Stack = Stack::default();
    spec = Fifo::default();
    fn push(&self, item: u8);
    fn pop(&self) -> Option<u8>;
}

pub fn a_disagreement_takes_one_thread() -> Report {
    checked::<SpecifiedAsAQueue>(Clients::default())
}

/// So many were made.
static MADE: Untouched = Untouched::new(0);

/// A ticket with a number that depends on how many there were before.
pub struct Ticket(u32);

linchpin::object! {
    Tickets: Ticket = Ticket(MADE.fetch_add(1, SeqCst));
    fn number(&self) -> u32 = |ticket: &Ticket| ticket.0;
    fn is_first(&self) -> bool = |ticket: &Ticket| ticket.0 == 0;
}

pub fn an_object_that_remembers_is_no_basis_for_a_verdict() -> Report {
    let client = "[number()] { number() } || { is_first() }".to_owned();
    asked::<Tickets>(Request::Client(ClientRequest { client, ..ClientRequest::default() }))
}

pub fn bounds_that_no_client_is_within_are_no_success() -> Report {
    checked::<Lifo>(Clients { threads: Some(3), invocations: Some(0), ..Clients::default() })
}

/// A counter whose `get` may be older than what its caller knows of.
#[derive(Default)]
pub struct Counter(AtomicU32, AtomicU32);

impl Counter {
    fn increment(&self) -> u32 {
        let old = self.0.fetch_add(1, AcqRel);
        point::define(true);
        self.1.store(old + 1, Relaxed);
        old
    }

    fn get(&self) -> u32 {
        let value = self.1.load(Relaxed);
        point::define(true);
        value
    }
}

pub fn a_broken_contract_names_the_clause_and_the_calls() -> Report {
    let counts = Contract::of::<Counter>(|| 0)
        .operation("increment", |count, _| {
            *count += 1;
            *count - 1
        })
        .postcondition(|_, call| call.c_ret == call.s_ret)
        .operation("get", |count, _| *count)
        .justifying_postcondition(|_, call| call.c_ret >= call.s_ret);
    let check = contract(counts).with(linchpin::Builder::new().workers(1)).explore(|| {
        let counter = Arc::new(Watched::new(Counter::default()));
        let other = counter.clone();
        let thread = thread::spawn(move || {
            call!(other.increment());
        });
        call!(counter.increment());
        thread.join().unwrap();
        call!(counter.get());
    });
    let violation = check.exploration.violation.as_ref().expect("the later store may be of the earlier increment");
    Report::of(violation).explored(&check.exploration)
}
