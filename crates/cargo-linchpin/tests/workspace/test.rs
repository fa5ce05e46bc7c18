//! `cargo linchpin test`.

use crate::project::{make, queues, run};

#[test]
fn only_tests_that_fail_say_where_the_failing_execution_is() {
    let (text, errors) = run(queues(), &["test", "--test", "queue", "--", "one_and_one_is_two"], 0);
    assert!(text.contains("1 passed") && !errors.contains("failing execution"), "{text}{errors}");
    let (text, errors) = run(queues(), &["test", "--test", "queue", "the_fifo_is_linearizable"], 1);
    assert!(text.contains("test the_fifo_is_linearizable ... FAILED"), "{text}");
    assert!(errors.contains("the_fifo_is_linearizable.replay"), "{errors}");
}

#[test]
fn tests_that_do_not_build_are_no_violation() {
    let root = make("broken", "", &[("src/lib.rs", "fn broken(")]);
    let (_, errors) = run(&root, &["test"], 2);
    assert!(errors.contains("error: the tests do not build"), "{errors}");
    let (_, errors) = run(&root, &["client", "Fifo", "{ pop() }"], 2);
    assert!(errors.contains("error: the tests do not build"), "{errors}");
}
