//! Call stacks of events, for those who explain executions: an event knows the line that asked for it, not who called.

use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::sync::Arc;

use linchpin_graph::ThreadId;

/// Who called whom, the innermost first. Without debug information it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallStack(pub Vec<Frame>);

/// A function that was running.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Its name, with the path.
    pub function: Box<str>,
    /// The file of its source, as the compiler was given it, or with the directory before it.
    pub file: Box<str>,
    /// The line at which it was.
    pub line: u32,
}

impl CallStack {
    /// That of the caller.
    fn capture() -> CallStack {
        // Frames have no other public face, and the crate that has would be compiled without optimisation in most tests,
        // which makes it slower by orders of magnitude.
        CallStack::parse(&format!("{:#}", Backtrace::force_capture()))
    }

    /// Reads lines like ` 3: 0x55d0 - queue::pop` and `at /src/queue.rs:12:9`. Functions without the latter are left out.
    fn parse(text: &str) -> CallStack {
        let mut frames = Vec::new();
        let mut function = "";
        for line in text.lines().map(str::trim) {
            match line.strip_prefix("at ") {
                Some(position) => {
                    let mut parts = position.rsplitn(3, ':');
                    let (_column, line, file) = (parts.next(), parts.next(), parts.next());
                    if let (Some(line), Some(file)) = (line.and_then(|line| line.parse().ok()), file) {
                        frames.push(Frame { function: function.into(), file: file.into(), line });
                    }
                }
                None => {
                    let named = line.split_once(": ").map_or(line, |(_, named)| named);
                    function = named.split_once(" - ").map_or(named, |(_, name)| name);
                }
            }
        }
        CallStack(frames)
    }
}

/// The call stacks of one run's events.
#[derive(Default)]
pub(crate) struct Stacks {
    /// By return addresses: finding lines for them takes much longer than finding them.
    known: HashMap<Box<[usize]>, Arc<CallStack>>,
    /// For each thread those of its events, as far as they were noted.
    of_threads: Vec<Vec<Option<Arc<CallStack>>>>,
}

impl Stacks {
    /// Forgets the last run.
    pub fn clear(&mut self) {
        self.of_threads.clear();
    }

    /// Notes the call stack of the caller as that of an event.
    #[cold]
    pub fn note(&mut self, thread: ThreadId, index: u32) {
        const DEEPEST: usize = 256;
        let mut frames = [0_usize; DEEPEST];
        // SAFETY: the buffer is as long as said, and a number has the size of a pointer.
        let depth = unsafe { libc::backtrace(frames.as_mut_ptr().cast(), DEEPEST as libc::c_int) };
        let key = &frames[..depth.max(0) as usize];
        let stack = match self.known.get(key) {
            Some(stack) => stack.clone(),
            None => {
                let stack = Arc::new(CallStack::capture());
                self.known.insert(key.into(), stack.clone());
                stack
            }
        };
        if self.of_threads.len() <= thread.at() {
            self.of_threads.resize(thread.at() + 1, Vec::new());
        }
        let of_thread = &mut self.of_threads[thread.at()];
        of_thread.resize(index as usize, None);
        of_thread.push(Some(stack));
    }

    /// The call stack of an event, if it was noted.
    pub fn of(&self, thread: ThreadId, index: u32) -> Option<&Arc<CallStack>> {
        self.of_threads.get(thread.at())?.get(index as usize)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_read_with_their_lines_and_those_without_are_left_out() {
        let text = "   0:     0x55d0a - queue::Queue<T>::pop\n                 at /src/a:b/queue.rs:12:9\n   \
                    1:     0x55d0b - __libc_start\n   2:     0x55d0c - <A as B>::c - d\n                 at /x.rs:7:1\n";
        let frame = |function: &str, file: &str, line| Frame { function: function.into(), file: file.into(), line };
        let read = CallStack::parse(text);
        let expected = [frame("queue::Queue<T>::pop", "/src/a:b/queue.rs", 12), frame("<A as B>::c - d", "/x.rs", 7)];
        assert_eq!(read.0, expected);
    }

    #[test]
    fn the_caller_is_in_its_own_call_stack() {
        let line = line!() + 1;
        let stack = CallStack::capture();
        let own = |frame: &&Frame| frame.file.ends_with(file!()) && frame.line == line;
        let own = stack.0.iter().find(own).expect("tests have debug information");
        assert!(own.function.contains("the_caller_is_in_its_own_call_stack"), "{own:?}");
    }
}
