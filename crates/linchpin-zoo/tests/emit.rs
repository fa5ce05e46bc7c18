//! `emitted.rs` is what `emit_test` writes, to the letter. As a test of this crate it shows that such a file compiles, and
//! that what it says holds natively and in every execution.

use linchpin::client;
use linchpin_zoo::TreiberStack;

linchpin::object! {
    Treiber: TreiberStack<false> = TreiberStack::new();
    fn push(&self, value: u32);
    fn pop(&self) -> Option<u32>;
}

#[test]
fn the_emitted_test_is_the_one_that_is_kept() {
    let client = client::<Treiber>("[push(1)] { pop() } || { push(2) } [pop(); pop()]");
    let file = client.emit_test(Some("use linchpin_zoo::TreiberStack;")).unwrap();
    assert_eq!(file, include_str!("emitted.rs"), "to take it over: copy the left side to tests/emitted.rs");
}
