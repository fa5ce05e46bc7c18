#![no_main]

#[path = "../../crates/linchpin-history/tests/support/invariants.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|input: &[u8]| invariants::check(linchpin_history::Format::JsonOperations, input));
