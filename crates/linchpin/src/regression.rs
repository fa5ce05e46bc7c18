//! One client of an object as a test in a file of its own.

use linchpin_generate::{NotWritten, regression_test};

use crate::ClientTest;

impl ClientTest {
    /// The client and its admitted outcomes as a Rust test that needs nothing but the standard library: to keep when a fault
    /// has been found. It runs on native threads, under Miri, and, where there is a feature `linchpin`, under linchpin.
    ///
    /// ```
    /// # use std::sync::Mutex;
    /// # #[derive(Default)]
    /// # struct Stack(Mutex<Vec<u8>>);
    /// # impl Stack {
    /// #     fn push(&self, item: u8) { self.0.lock().unwrap().push(item); }
    /// #     fn pop(&self) -> Option<u8> { self.0.lock().unwrap().pop() }
    /// # }
    /// linchpin::object! {
    ///     LockedStack: Stack = Stack::default();
    ///     fn push(&self, item: u8);
    ///     fn pop(&self) -> Option<u8>;
    /// }
    ///
    /// let client = linchpin::client::<LockedStack>("[push(1)] { pop() } || { pop() }");
    /// let file = client.emit_test(Some("use stacks::Stack;"))?;
    /// assert!(file.contains("let object: Stack = Stack::default();"));
    /// assert!(file.contains("\"(), Some(1), None\""));
    /// # Ok::<(), linchpin::NotWritten>(())
    /// ```
    ///
    /// `imports` are lines that bring into scope what the object's description names. Without them, the types that it mentions
    /// are imported from where they are defined, which is right where that is public.
    ///
    /// # Errors
    ///
    /// When an argument or a result has a type of which nobody has said how it is written; the message says what to do.
    ///
    /// # Panics
    ///
    /// When the object is not deterministic even when it is run sequentially.
    #[track_caller]
    pub fn emit_test(&self, imports: Option<&str>) -> Result<String, NotWritten> {
        regression_test(self.object, &self.admitted(), imports)
    }
}
