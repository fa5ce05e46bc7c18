//! What a hunt ends with is the easiest to read of *all* clients of its shape that fail, by trying all of them.
//!
//! Shrinking only promises that no single step makes it easier. That this is the easiest of all is a matter of the object; of these it is
//! true.

use linchpin::localize::reading;
use linchpin::{AnyObject, Builder, Client, ClientTest, Invocation, MemoryModel, Object, Value, hunt};
use linchpin_zoo::objects::*;

/// All invocations of an object's operations, with values up to this one.
fn alphabet(object: AnyObject, values: usize) -> Vec<Invocation> {
    let mut all = Vec::new();
    for operation in object.operations() {
        let mut ways: Vec<Vec<Value>> = vec![vec![]];
        for argument in &operation.arguments {
            let with = |way: &Vec<Value>| -> Vec<Vec<Value>> {
                (argument.domain)(values).into_iter().map(|value| [&way[..], &[value]].concat()).collect()
            };
            ways = ways.iter().flat_map(with).collect();
        }
        all.extend(ways.into_iter().map(|arguments| Invocation { operation: operation.name.into(), arguments }));
    }
    all
}

/// All clients with as many invocations everywhere, and the same operations in threads.
fn of_its_shape(client: &Client, alphabet: &[Invocation]) -> Vec<Client> {
    let threads = client.setup.len()..client.len() - client.epilogue.len();
    let mut all = vec![client.clone()];
    for (place, old) in client.invocations().enumerate() {
        let fits = |new: &&Invocation| !threads.contains(&place) || new.operation == old.operation;
        let with = |client: Client| -> Vec<Client> {
            let replaced = alphabet.iter().filter(fits).map(|new| {
                let mut other = client.clone();
                *other.invocations_mut().nth(place).expect("it has the same shape") = new.clone();
                other
            });
            replaced.collect()
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

/// Hunts an object, and compares with all clients that take values up to this one.
#[track_caller]
fn is_easiest<O: Object>(values: usize) {
    let object = AnyObject::of::<O>();
    let operations = object.operations();
    let shrunk = hunt::<O>().histories(400).explore().shrunk.expect("it is faulty");
    let found = shrunk.minimum.client;
    let kind = |client: &Client| {
        // Some go round without end; what fails does so before that.
        let builder = Builder::new().memory_model(MemoryModel::Sc).max_events_per_thread(200);
        let test = ClientTest::of(object, &client.to_string()).expect("it consists of its invocations");
        test.with(builder).explore().violation.map(|violation| violation.kind.name())
    };
    let all = of_its_shape(&found, &alphabet(object, values));
    let easiest =
        all.iter().filter(|client| kind(client) == kind(&found)).min_by_key(|client| reading(client, &operations));
    let easiest = easiest.expect("what was found is among them");
    assert_eq!(reading(&found, &operations), reading(easiest, &operations), "{found} was found, and not {easiest}");
}

#[test]
fn of_all_its_shape() {
    is_easiest::<UnknownList4>(2);
    is_easiest::<SnarkDeque>(3);
    is_easiest::<StripedMap>(2);
    is_easiest::<LogicalOrderingTreeRemove>(2);
    is_easiest::<LockFreeList>(2);
    is_easiest::<OptimisticQueue>(2);
    is_easiest::<KStack>(2);
}
