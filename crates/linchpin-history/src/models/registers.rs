//! Registers, alone and several at once.

use linchpin_check::specs::{
    Access, CasRegister, CasRegisterCall, CasRegisterReturned, MultiRegister, Register, RegisterCall, RegisterReturned,
    Transaction,
};
use linchpin_model::Value;

use super::found::Found;
use super::table::{Entry, Reading, Starts, TableOf};
use super::{Description, OperationDescription, Problem, same_name};

const INITIALLY: &str = "what the recording's format has by convention, or nil";

const WRITE: OperationDescription =
    OperationDescription { names: &["write", "w", "put", "set", "store"], takes: "a value", gives: "" };
const READ: OperationDescription =
    OperationDescription { names: &["read", "r", "get", "load"], takes: "", gives: "the value" };
const CAS: OperationDescription = OperationDescription {
    names: &["cas", "compare_and_set", "compare_and_swap", "compare_exchange"],
    takes: "[expected, new]",
    gives: "true or false",
};
const TRANSACTION: OperationDescription = OperationDescription {
    names: &["txn", "transaction", "t"],
    takes: "a list of [read, key, nil] and [write, key, value]",
    gives: "the same list with the values that were read",
};

pub(super) static REGISTER: TableOf<Register> = TableOf {
    description: Description {
        name: "register",
        aliases: &["rw-register"],
        explanation: "a value that is written and read",
        initially: INITIALLY,
    },
    starts: Starts::Value,
    specification: |initial| Register { initial },
    operations: &[
        Entry {
            description: WRITE,
            read: |found| {
                found.no_key()?;
                Ok((RegisterCall::Write(found.value()), found.done(RegisterReturned::Written)?))
            },
        },
        Entry {
            description: READ,
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((RegisterCall::Read, found.read().map(RegisterReturned::Read)))
            },
        },
    ],
};

pub(super) static CAS_REGISTER: TableOf<CasRegister> = TableOf {
    description: Description {
        name: "cas-register",
        aliases: &["cas"],
        explanation: "a register with compare-and-set",
        initially: INITIALLY,
    },
    starts: Starts::Value,
    specification: |initial| CasRegister { initial },
    operations: &[
        Entry {
            description: WRITE,
            read: |found| {
                found.no_key()?;
                Ok((CasRegisterCall::Write(found.value()), found.done(CasRegisterReturned::Written)?))
            },
        },
        Entry {
            description: READ,
            read: |found| {
                found.no_key()?;
                found.no_argument()?;
                Ok((CasRegisterCall::Read, found.read().map(CasRegisterReturned::Read)))
            },
        },
        Entry {
            description: CAS,
            read: |found| {
                found.no_key()?;
                let (expected, new) = found.pair()?;
                let compared = found.compared()?.map(CasRegisterReturned::Compared);
                Ok((CasRegisterCall::Cas { expected, new }, compared))
            },
        },
    ],
};

pub(super) static MULTI_REGISTER: TableOf<MultiRegister> = TableOf {
    description: Description {
        name: "multi-register",
        aliases: &["registers", "transactions"],
        explanation: "registers by key, read and written several at once",
        initially: "0 for every key in a recording of events; else by convention, or nil",
    },
    starts: Starts::Zeroes,
    specification: |initial| MultiRegister { initial },
    operations: &[Entry { description: TRANSACTION, read: transaction }],
};

fn transaction(found: &Found<'_>) -> Reading<MultiRegister> {
    found.no_key()?;
    let called = accesses(&found.call.argument).ok_or_else(|| found.bad_argument())?;
    let result = match found.result {
        None | Some(Value::Nil) => None,
        Some(list) => Some(values_read(found, &called, list)?),
    };
    Ok((Transaction(called.into_iter().map(|(access, _)| access).collect()), result))
}

/// The values that the reads of a transaction found, which must be the transaction that was called.
fn values_read(found: &Found<'_>, called: &[(Access, Value)], list: &Value) -> Result<Vec<Option<Value>>, Problem> {
    let returned = accesses(list).ok_or_else(|| found.bad_result(list))?;
    if !returned.iter().map(|(access, _)| access).eq(called.iter().map(|(access, _)| access)) {
        return Err(found.bad_result(list));
    }
    let reads = returned.into_iter().filter(|(access, _)| matches!(access, Access::Read { .. }));
    Ok(reads.map(|(_, value)| found.meant(value)).collect())
}

/// Each access of a transaction, and the value that stands in it.
fn accesses(list: &Value) -> Option<Vec<(Access, Value)>> {
    let access = |item: &Value| {
        let (name, key, value) = match item.as_list()? {
            [name, key, value] => (name, key, value.clone()),
            [name, key] => (name, key, Value::Nil),
            _ => return None,
        };
        let name = name.as_text()?.trim_start_matches(':');
        let key = key.clone();
        let is = |operation: OperationDescription, same: fn(&str, &str) -> bool| {
            operation.names.iter().any(|known| same(known, name))
        };
        // Nearly all names are spelled as the table has them.
        if is(READ, |a, b| a == b) || (!is(WRITE, |a, b| a == b) && is(READ, same_name)) {
            Some((Access::Read { key }, value))
        } else if is(WRITE, same_name) {
            Some((Access::Write { key, value: value.clone() }, value))
        } else {
            None
        }
    };
    list.as_list()?.iter().map(access).collect()
}
