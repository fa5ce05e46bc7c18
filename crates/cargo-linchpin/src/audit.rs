//! `linchpin audit`: memory orders on trial.

use std::fmt::Write;

use linchpin::Builder;
use linchpin::command::{Exit, Session, audit};
use linchpin_reproduce::cdsspec;

use crate::arguments::Audit;
use crate::object::{self, Called, Wanted, told, unusable};
use crate::output::printed;
use crate::progress::Shown;
use crate::{interrupt, zoo};

pub(crate) fn run(options: &Audit, called: Called) -> Exit {
    let structures = zoo::find::structures();
    let Some(name) = &options.object else {
        return printed(&list(&structures), Exit::Holds);
    };
    let is_meant = |(known, _): &&(String, linchpin_zoo::cds::Structure)| known == name;
    let Some((name, structure)) = structures.iter().find(is_meant).filter(|_| !options.location.is_given()) else {
        let names: Vec<String> = structures.into_iter().map(|(name, _)| name).collect();
        return object::audit(name, &names, options, called);
    };
    if !options.clients.is_empty() {
        return unusable(&format!("{name} comes with its tests; clients go with objects, such as treiber-stack-fixed"));
    }
    let builder = match options.time_limit {
        Some(limit) => Builder::new().max_time(limit),
        None => Builder::new(),
    };
    let suite = cdsspec::suite(structure, &builder.memory_model(linchpin::MemoryModel::C11));
    let (interrupt, shown) = (interrupt::flag(), Shown::default());
    let session = Session { interrupt: &interrupt, progress: &|done, message| shown.tell(done, message) };
    let heading = format!("{name} ({})", structure.name);
    let answer = audit(&heading, &suite, options.question(), &session);
    drop(shown);
    told(&[answer], &Wanted::just(&options.output))
}

fn list(structures: &[(String, linchpin_zoo::cds::Structure)]) -> String {
    let mut text = String::new();
    for (name, structure) in structures {
        let _ = writeln!(text, "{name}");
        for test in structure.tests {
            let _ = writeln!(text, "    {}", test.name);
        }
    }
    text.push_str("\nAlso any object that `linchpin zoo` lists, with generated clients or some of yours.\n");
    text
}
