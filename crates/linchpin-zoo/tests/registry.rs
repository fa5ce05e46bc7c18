//! All objects of the zoo do what the list says of them.

mod common;

use std::collections::BTreeSet;

use common::{admitted, client_of, expect_complete, explore, sc};
use linchpin::Object;
use linchpin_generate::Outcomes;
use linchpin_zoo::{Entry, Known, Visitor, all, find, visit};

/// What an object admits when a client's calls run one after another.
struct Admitted<'a>(&'a str);

impl Visitor for Admitted<'_> {
    type Answer = Outcomes;

    fn visit<O: Object>(self, _: &'static Entry) -> Outcomes {
        admitted::<O>(&client_of::<O>(self.0))
    }
}

/// Explores a known client of a faulty object.
struct Shows<'a>(&'a Known);

impl Visitor for Shows<'_> {
    type Answer = ();

    fn visit<O: Object>(self, entry: &'static Entry) {
        let admitted = visit(entry.twin, Admitted(self.0.client)).unwrap();
        let explored = explore::<O>(&sc().deadlocks(false), &client_of::<O>(self.0.client));
        let wrong = explored.other_than(&admitted);
        let e = &explored.exploration;
        println!("{}: {}: {wrong:?} {} {} {:?} {:?} {:?}", entry.name, self.0.client, e.complete, e.blocked, e.elapsed, e.coverage, e.violation.as_ref().map(|v| v.kind.name()));
        let known: BTreeSet<String> = self.0.forbidden.iter().map(|&o| o.to_owned()).collect();
        if wrong != known { println!("   DIFFERENT from {known:?}"); }
    }
}
struct Fine<'a>(&'a str);
impl Visitor for Fine<'_> {
    type Answer = ();
    fn visit<O: Object>(self, entry: &'static Entry) {
        let client = client_of::<O>(self.0);
        let explored = explore::<O>(&sc(), &client);
        let wrong = explored.other_than(&admitted::<O>(&client));
        let e = &explored.exploration;
        println!("   {}: {wrong:?} {} {} {:?} {:?} {:?}", entry.name, e.complete, e.blocked, e.elapsed, e.coverage, e.violation.as_ref().map(|v| v.kind.name()));
    }
}

#[test]
fn known() {
    for entry in all().iter().filter(|e| std::env::var("ONLY").is_ok_and(|o| e.name.contains(&o))) {
        for known in entry.known {
            visit(entry.name, Shows(known)).unwrap();
            visit(entry.twin, Fine(known.client)).unwrap();
        }
    }
}
