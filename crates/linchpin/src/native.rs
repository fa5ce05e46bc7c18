//! One client of an object on native threads.

use linchpin_stress::{Hooks, Options, Progress, Stressed, stress};

use crate::builder::announcer;
use crate::{ClientTest, reports};

impl ClientTest {
    /// Runs the client on native threads until a budget is reached, and returns how often each outcome was seen. Prints
    /// nothing.
    ///
    /// The object needs no type of Linchpin for this; those that it has behave as `std`'s. What was not seen may still
    /// happen: only exploring gives a proof.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use linchpin::stress::{Hooks, Options};
    ///
    /// #[derive(Default)]
    /// struct Stack(Mutex<Vec<u8>>);
    ///
    /// impl Stack {
    ///     fn push(&self, item: u8) {
    ///         self.0.lock().unwrap().push(item);
    ///     }
    ///     fn pop(&self) -> Option<u8> {
    ///         self.0.lock().unwrap().pop()
    ///     }
    /// }
    ///
    /// linchpin::object! {
    ///     LockedStack: Stack = Stack::default();
    ///     fn push(&self, item: u8);
    ///     fn pop(&self) -> Option<u8>;
    /// }
    ///
    /// let client = linchpin::client::<LockedStack>("[push(1)] { pop() } || { pop() }");
    /// let stressed = client.stress(&Options { max_runs: Some(10_000), ..Options::default() }, Hooks::default());
    /// assert_eq!(stressed.runs, 10_000);
    /// assert!(!stressed.is_violated(), "{}", stressed.table());
    /// ```
    ///
    /// # Panics
    ///
    /// When the object is not deterministic even when it is run sequentially.
    #[track_caller]
    pub fn stress(&self, options: &Options, hooks: Hooks<'_>) -> Stressed {
        stress(self.object, &self.admitted(), options, hooks)
    }

    /// Runs the client on native threads until a budget is reached, and prints how often each outcome was seen.
    ///
    /// # Panics
    ///
    /// With a report that has the table if there is a violation: an outcome that no order of the invocations explains, a panic, or
    /// an operation that does not return. It is kept as a file like those of [`run`](Self::run).
    #[track_caller]
    pub fn run_stress(&self, options: &Options) -> Stressed {
        let announce = announcer();
        let progress = |progress: &Progress| {
            announce(None, &format!("{} runs so far, {} of them forbidden", progress.runs, progress.forbidden));
        };
        self.agree();
        let stressed = self.stress(options, Hooks { progress: &progress, ..Hooks::default() });
        let explore = format!("linchpin::client::<{}>(r#\"{}\"#).run()", self.object.name(), self.client());
        if let Some(report) = self.report_of_native(&stressed, &explore) {
            reports::fail(report);
        }
        println!("linchpin: {}", stressed.table());
        stressed
    }
}
