//! `cargo linchpin init`.

use std::fs;

use crate::project::{make, run};

/// What is written compiles, and its tests pass: they are among these.
#[path = "../../src/init/first_test.rs.txt"]
mod first_test;

#[test]
fn the_first_test_is_written_once_and_with_its_dependency() {
    let root = make("fresh-crate", "", &[("src/lib.rs", "")]);
    let (text, _) = run(&root, &["init", "--offline"], 0);
    assert!(text.contains("written: tests/linchpin.rs") && text.contains("cargo linchpin check MyCounter"), "{text}");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("[dev-dependencies]\nlinchpin = { "), "{manifest}");
    let test = fs::read_to_string(root.join("tests/linchpin.rs")).expect("a test");
    assert!(test.contains("`use fresh_crate::Counter;`"), "{test}");
    // What is written is what is tested here, but for the name.
    assert_eq!(test.replace("fresh_crate", "CRATE"), include_str!("../../src/init/first_test.rs.txt"));

    fs::write(root.join("tests/linchpin.rs"), "// mine\n").expect("a file");
    let (_, errors) = run(&root, &["init", "--offline"], 2);
    assert!(errors.contains("tests/linchpin.rs is there already"), "{errors}");
    assert_eq!(fs::read_to_string(root.join("tests/linchpin.rs")).expect("a test"), "// mine\n");
    let (text, _) = run(&root, &["init", "--offline", "--file", "tests/second.rs"], 0);
    assert!(!text.contains("added"), "{text}");
}

#[test]
fn what_is_not_added_is_said() {
    let root = make("careful", "", &[("src/lib.rs", "")]);
    let before = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let (text, _) = run(&root, &["init", "--no-add"], 0);
    assert!(text.contains("[dev-dependencies]\n    linchpin = { path = "), "{text}");
    assert_eq!(fs::read_to_string(root.join("Cargo.toml")).expect("a manifest"), before);
}
