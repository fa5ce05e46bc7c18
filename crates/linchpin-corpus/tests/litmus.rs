//! The litmus tests against the oracle.

use linchpin_corpus::litmus::corpus;
use linchpin_corpus::oracle::enumerate;
use linchpin_model::MemoryModel;

#[test]
fn the_oracle_gives_every_answer_of_the_corpus() {
    let mut wrong = Vec::new();
    for test in corpus().unwrap() {
        for model in [MemoryModel::Sc, MemoryModel::C11] {
            let found = test.summary(&enumerate(&test.program, model));
            if found != *test.expected(model) {
                wrong.push(format!("{} under {model:?}: {found:?}, not {:?}", test.name, test.expected(model)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sc_allows_nothing_that_c11_forbids() {
    for test in corpus().unwrap() {
        assert!(test.sc.outcomes.is_subset(&test.c11.outcomes), "{}", test.name);
        assert!(test.sc.executions <= test.c11.executions, "{}", test.name);
    }
}

#[test]
fn every_test_says_why_in_a_sentence() {
    for test in corpus().unwrap() {
        assert!(test.why.len() > 20 && test.why.ends_with('.'), "{}", test.name);
    }
}
