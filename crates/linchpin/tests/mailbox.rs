//! tests/mailbox.rs

use linchpin::cell::UnsafeCell;
use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicBool, Ordering::*};
use linchpin::thread;

#[derive(Default)]
struct Mailbox {
    letter: UnsafeCell<u32>,
    is_full: AtomicBool,
}

// SAFETY: the letter is read only after the flag says that it is there.
unsafe impl Sync for Mailbox {}

impl Mailbox {
    fn send(&self, letter: u32) {
        // SAFETY: nobody reads before the flag is set.
        self.letter.with_mut(|slot| unsafe { *slot = letter });
        self.is_full.store(true, Relaxed);
    }

    fn receive(&self) -> Option<u32> {
        if !self.is_full.load(Acquire) {
            return None;
        }
        // SAFETY: the flag was set after the letter was written.
        Some(self.letter.with(|slot| unsafe { *slot }))
    }
}

#[cfg(test)]
fn a_letter_that_arrives_is_whole() {
    linchpin::model(|| {
        let mailbox = Arc::new(Mailbox::default());
        let sender = mailbox.clone();
        let thread = thread::spawn(move || sender.send(42));
        assert!(matches!(mailbox.receive(), None | Some(42)));
        thread.join().unwrap();
    });
}

// All above is the example of README.md; it starts at the first line so that the positions in its output are right.

const README: &str = include_str!("../../../README.md");

#[test]
fn the_readme_shows_this_file() {
    let source = include_str!("mailbox.rs").replace("#[cfg(test)]", "#[test]");
    let (example, _) = source.split_once("\n// All above").expect("the example has an end");
    assert!(README.contains(example));
}

#[test]
fn the_readme_shows_what_comes_of_it() {
    let panic = std::panic::catch_unwind(a_letter_that_arrives_is_whole).expect_err("a violation");
    let report = words(&panic.downcast::<String>().expect("a report").replace("crates/linchpin/", ""));
    let (_, after) = README.split_once("//! tests/mailbox.rs").expect("the README has the example");
    let (_, shown) = after.split_once("```text\n").expect("the README shows the output");
    let (shown, _) = shown.split_once("```").expect("the output has an end");
    for line in shown.lines().filter(|line| *line != "…") {
        assert!(report.contains(&words(line)), "the README shows {line:?}, the report is\n{report}");
    }
}

/// The text with all white space alike: paths of other lengths make other columns and other breaks between lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
