//! Threads that would have ended the whole program.

use linchpin_engine::{Crash, Violation};
use linchpin_graph::EventId;

use super::{Staging, Tale, length, nearby};
use crate::names::position;
use crate::picture::{Picture, Remark};
use crate::report::Sort;

/// Addresses below this are those of fields, or elements, of what a null pointer points to.
const NEAR_NULL: usize = 4096;

pub(super) fn stage(violation: &Violation, cause: Crash) -> Staging {
    let (execution, thread) = (&violation.execution, violation.thread);
    let after = length(execution, thread);
    let text = match cause {
        Crash::Abort => "aborts",
        Crash::BadAddress { .. } => "follows a bad pointer",
        Crash::StackOverflow { .. } => "overflows its stack",
        Crash::IllegalInstruction | Crash::Arithmetic => "crashes",
    };
    let place = nearby(execution, thread, after);
    let remark = Remark { thread, after, text: text.to_owned(), place, mark: Some(1), sort: Sort::Remark };
    Staging { remarks: vec![remark], ..Staging::default() }
}

pub(super) fn tell(violation: &Violation, picture: &Picture<'_>, cause: Crash, last: Option<EventId>) -> Tale {
    let what = match cause {
        Crash::Abort => "aborts the program".to_owned(),
        Crash::BadAddress { address: Some(address) } => {
            format!("accesses the address {address:#x}, where it may not (segmentation fault)")
        }
        Crash::BadAddress { address: None } => {
            "accesses an address at which no memory can be (segmentation fault)".to_owned()
        }
        Crash::StackOverflow { size } => format!("overflows its stack, which has {} MiB", size >> 20),
        Crash::IllegalInstruction => "comes to an instruction that the processor does not know".to_owned(),
        Crash::Arithmetic => "computes what has no result, such as a division by zero".to_owned(),
    };
    let since = match last {
        Some(last) => format!("the last that was seen of it is at {}", position(picture.execution.event(last).site)),
        None => "it did nothing before".to_owned(),
    };
    Tale {
        headline: format!("crash: {} {what}; {since}", picture.names.thread(violation.thread)),
        why: vec![why(cause).to_owned()],
        next: next(cause).iter().map(|&advice| advice.to_owned()).collect(),
    }
}

fn why(cause: Crash) -> &'static str {
    match cause {
        Crash::Abort => {
            "This would end the whole program. What it said is in the output of the test; the code under test is at fault, \
             or the test."
        }
        Crash::BadAddress { address: Some(0..NEAR_NULL) } => {
            "This would end the whole program. The pointer is null, or nearly so: it was used before anybody had set it, or \
             after somebody had taken it away. The code under test is at fault."
        }
        Crash::BadAddress { .. } => {
            "This would end the whole program. The pointer is not initialised, or no pointer at all. The code under test is \
             at fault."
        }
        Crash::StackOverflow { .. } => {
            "This would end the whole program. Calls go deeper than the stack of a model thread allows, and perhaps without \
             end."
        }
        Crash::IllegalInstruction | Crash::Arithmetic => {
            "This would end the whole program. The code under test is at fault, or a library."
        }
    }
}

fn next(cause: Crash) -> &'static [&'static str] {
    match cause {
        Crash::Abort => {
            &["Look for what aborts after the last row of the thread: `process::abort`, a failed allocation, C."]
        }
        Crash::BadAddress { .. } => &[
            "Find the row from which the thread has the pointer: what it read there is not what it should have been.",
            "Without optimisations, std and the compiler check pointers before they are used, and say on which line.",
        ],
        Crash::StackOverflow { .. } => &[
            "Look for a recursion that what the thread has read does not end.",
            "If the calls are merely deep, let the test be smaller, and keep large values on the heap.",
        ],
        Crash::IllegalInstruction | Crash::Arithmetic => &["Look at what the thread does after its last row."],
    }
}
