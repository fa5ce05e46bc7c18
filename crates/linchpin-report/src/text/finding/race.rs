//! Data races.

use linchpin_graph::{EventId, Execution};

use super::{Staging, Tale};
use crate::names::position;
use crate::phrase::deed;
use crate::picture::Picture;
use crate::text::link::Link;

pub(super) fn stage(execution: &Execution, first: EventId, second: EventId) -> Staging {
    Staging::marking([first, second]).with_link(Link::lost(execution, first, second))
}

pub(super) fn tell(staging: &Staging, picture: &Picture<'_>, first: EventId, second: EventId) -> Tale {
    let execution = picture.execution;
    let (first, second) = (execution.event(first), execution.event(second));
    let same = match first.location == second.location {
        true => "it".into(),
        false => format!("{} in the same bytes", picture.names.location(first.location)),
    };
    let headline = format!(
        "data race: {} {} {} at {} while {} {} {same} at {}, and nothing orders the two",
        picture.names.thread(second.thread),
        deed(second),
        picture.names.location(second.location),
        position(second.site),
        picture.names.thread(first.thread),
        deed(first),
        position(first.site),
    );
    let mut why = vec![
        "(1) and (2) touch the same memory, one of them writes, and not both are atomic. Neither happens before the \
         other, so this is undefined behaviour: the code under test is at fault, whatever values it saw here."
            .to_owned(),
    ];
    let next = match &staging.link {
        Some(link) => {
            why.push(format!(
                "The news got through, the order did not: (4) reads what (3) wrote, but {}.",
                link.defect(execution)
            ));
            vec![format!("Publish with Release, read with Acquire: {}.", link.remedy(execution))]
        }
        None => vec![
            "Put one before the other: by a lock around both, by joining the thread, or by a Release store after the \
             first that an Acquire load before the second has seen."
                .to_owned(),
            "If both are meant to happen at once, make both accesses atomic.".to_owned(),
        ],
    };
    Tale { headline, why, next }
}
