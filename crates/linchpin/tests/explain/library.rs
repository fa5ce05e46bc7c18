//! The cause of all failures of an object, over generated clients.

use std::sync::atomic::AtomicBool;

use linchpin::localize::eliminate::Section;
use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
use linchpin::{Check, Object, Options, check, client};

use crate::objects::Counter as Guarded;
use crate::sc;

/// Two operations that are not atomic, and one that is.
#[derive(Default)]
pub struct Account(AtomicU8);

impl Account {
    fn deposit(&self) -> u8 {
        let before = self.0.load(SeqCst); // deposit reads
        self.0.store(before + 1, SeqCst); // deposit writes
        before
    }

    fn withdraw(&self) -> bool {
        let before = self.0.load(SeqCst); // withdraw reads
        if before == 0 {
            return false;
        }
        self.0.store(before - 1, SeqCst); // withdraw writes
        true
    }

    fn balance(&self) -> u8 {
        self.0.load(SeqCst)
    }
}

linchpin::object! {
    pub Bank: Account = Account::default();
    fn deposit(&self) -> u8;
    fn withdraw(&self) -> bool;
    #[read_only] fn balance(&self) -> u8;
}

/// The same with one step each.
#[derive(Default)]
pub struct Repaired(AtomicU8);

impl Repaired {
    fn deposit(&self) -> u8 {
        self.0.fetch_add(1, SeqCst)
    }

    fn withdraw(&self) -> bool {
        self.0.fetch_update(SeqCst, SeqCst, |before| before.checked_sub(1)).is_ok()
    }
}

linchpin::object! {
    pub RepairedBank: Repaired = Repaired::default();
    fn deposit(&self) -> u8;
    fn withdraw(&self) -> bool;
}

/// The section from a line of this file to another, by the comments at their ends.
fn section(operation: &str, first: &str, last: &str) -> Section {
    let line = |comment: &str| {
        let is_meant = |line: &str| line.ends_with(&format!("// {comment}"));
        include_str!("library.rs").lines().position(is_meant).expect("there is such a line") as u32 + 1
    };
    Section::lines(operation, file!(), line(first), line(last))
}

fn checked<O: Object>() -> Check {
    let options = Options { invocations: 2..=3, epilogue: 1..=1, ..Options::default() };
    check::<O>().with(sc()).options(options).clients(40)
}

#[test]
fn the_whole_object_has_the_causes_of_all_its_clients_and_no_more() {
    let causes = checked::<Bank>().causes();
    let sections: Vec<Section> = causes.repair.cause.sections.iter().cloned().collect();
    let deposit = section("deposit", "deposit reads", "deposit writes");
    assert_eq!(sections, [deposit, section("withdraw", "withdraw reads", "withdraw writes")]);
    assert_eq!((causes.repair.clients, causes.repair.cause.left, causes.otherwise), (40, 0, 0));
    assert!(causes.repair.failing > 5 && causes.repair.rounds < causes.repair.failing, "{causes}");
    assert!(causes.coverage.is_complete(), "{causes}");
    let text = causes.to_string();
    assert!(text.contains("With it, no client fails."), "{text}");
}

#[test]
fn the_cause_of_one_client_is_held_against_the_others() {
    let one = client::<Bank>("{ deposit() } || { deposit() }").with(sc());
    let left = checked::<Bank>().verify(&one, &one.explain());
    // Those remain in which something is withdrawn at the same time as something else happens.
    assert!(!left.clients_left.is_empty() && left.clients_left.len() < left.failing, "{left}");
    let withdraws = |text: &str| text.split_once('{').is_some_and(|(_, threads)| threads.contains("withdraw"));
    assert!(left.clients_left.iter().all(|client| withdraws(&client.to_string())), "{left}");
    // A client that has both causes leaves none.
    let both = client::<Bank>("[deposit()] { deposit() } || { withdraw(); withdraw() } [balance()]").with(sc());
    let left = checked::<Bank>().verify(&both, &both.explain());
    assert!(left.failing > 5 && left.clients_left.is_empty(), "{left}");
}

#[test]
fn an_object_that_is_right_has_no_cause() {
    let causes = checked::<RepairedBank>().causes();
    assert!(causes.repair.cause.sections.is_empty() && causes.repair.failing == 0, "{causes}");
    assert!(causes.to_string().starts_with("40 clients, none of which returns what it should not"), "{causes}");
}

#[test]
fn locks_stand_for_what_they_protect() {
    let causes = check::<Guarded>().with(sc()).clients(10).causes();
    assert_eq!((causes.repair.cause.sections.len(), causes.repair.cause.left), (1, 0), "{causes}");
}

#[test]
fn an_interrupt_ends_it_with_what_is_known() {
    let causes = checked::<Bank>().causes_until(&AtomicBool::new(true));
    assert_eq!(causes.repair.clients, 0);
    assert!(!causes.coverage.is_complete());
}
