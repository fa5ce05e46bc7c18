//! Reports of three failures of the zoo, as files: `cargo run -p linchpin-zoo --example reports -- DIRECTORY`. They are what the
//! browser test of `linchpin-report` opens.

use std::error::Error;

use linchpin::{Builder, MemoryModel, Object, Reports, client};
use linchpin_zoo::objects::{ArrayStack, BoxedStack, SimpleList};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("in which directory?")?;
    let reports = Reports::new(directory);
    // What no order explains, with a cause that is verified.
    keep::<ArrayStack>(&reports, "array-stack", "[push(1)] { pop() } || { pop() }")?;
    // Locks.
    keep::<SimpleList>(&reports, "simple-list", "{ add(1) } || { add(1) }")?;
    // Something else than a wrong outcome.
    keep::<BoxedStack>(&reports, "boxed-stack", "[push(1)] { pop() } || { pop() }")?;
    Ok(())
}

fn keep<O: Object>(reports: &Reports, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let test = client::<O>(text).with(Builder::new().memory_model(MemoryModel::Sc));
    let mut report = test.report().ok_or("it should fail")?;
    report.name = name.to_owned();
    println!("{}", reports.keep(&report)?.page.display());
    Ok(())
}
