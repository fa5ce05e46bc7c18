//! Random clients of a made-up object, and reasons for them to fail.

use fastrand::Rng;
use linchpin_generate::canonical;
use linchpin_model::{Argument, Client, Invocation, ObjectArgument, ObjectOperation, Value};

/// `a` and `b` change the object, `c` looks at it. Each has one argument, which takes values from 1 to 4.
pub fn letters() -> Vec<ObjectOperation> {
    let operation = |(name, read_only): (&'static str, bool)| ObjectOperation {
        read_only,
        ..ObjectOperation::new(name, vec![ObjectArgument { name: "value", domain: u8::domain }])
    };
    [("a", false), ("b", false), ("c", true)].map(operation).into()
}

pub fn random_client(random: &mut Rng) -> Client {
    let sequence = |random: &mut Rng, length: usize| -> Vec<Invocation> {
        let invocation = |random: &mut Rng| Invocation {
            operation: (*random.choice(["a", "b", "c"].iter()).unwrap()).into(),
            arguments: vec![Value::from(random.i64(1..5))],
        };
        (0..length).map(|_| invocation(random)).collect()
    };
    let setup = random.usize(0..6);
    let epilogue = random.usize(0..6);
    let threads = random.usize(1..4);
    Client {
        setup: sequence(random, setup),
        threads: (0..threads)
            .map(|_| {
                let length = random.usize(1..4);
                sequence(random, length)
            })
            .collect(),
        epilogue: sequence(random, epilogue),
    }
}

/// A random client that fails.
pub fn failing_client(random: &mut Rng, salt: u64) -> Client {
    loop {
        let client = random_client(random);
        if fails(&client, salt) {
            return client;
        }
    }
}

/// Something that fails for no reason but a number: a pure function of the client, and not monotone in any way.
pub fn fails(client: &Client, salt: u64) -> bool {
    let text = canonical(client).to_string();
    let hash = text.bytes().fold(salt, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    !client.threads.is_empty() && (hash >> 20) % 3 == 0
}

/// Can a glance tell? A pure function of the client again.
pub fn is_plain(client: &Client, salt: u64) -> bool {
    fails(client, salt ^ 0x5eed)
}
