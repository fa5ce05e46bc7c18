//! Why a file could not be read: where, what was found there, and what was expected.

use std::error::Error;
use std::fmt;
use std::io;

/// Why a history could not be read. Displayed, it is one message that begins with the place:
/// `line 17: "ret" is 3 but "call" is 5: an operation returns after it is called`.
pub struct ReadError(Box<Inner>);

// Boxed: the reader returns a `Result` for nearly every byte, which should fit into registers.
struct Inner {
    kind: ReadErrorKind,
    line: usize,
    column: usize,
    message: String,
    source: Option<io::Error>,
}

/// What is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The input could not be read: the operating system says why.
    Io,
    /// The format was not given, and the beginning of the input does not tell it.
    Detection,
    /// The input is not UTF-8.
    Encoding,
    /// One record is too long, nested too deeply, or there are too many of them.
    Limit,
    /// The input does not follow the grammar of its format, or it ends in the middle.
    Syntax,
    /// It does, but what it says cannot be a history: a field is missing, a process has two operations at a time.
    Content,
}

impl ReadError {
    /// An error at a line and column, both from 1; 0 when they are not known.
    pub(crate) fn new(kind: ReadErrorKind, line: usize, column: usize, message: impl Into<String>) -> Self {
        ReadError(Box::new(Inner { kind, line, column, message: message.into(), source: None }))
    }

    /// What a line says cannot be.
    pub(crate) fn content(line: usize, message: impl Into<String>) -> Self {
        ReadError::new(ReadErrorKind::Content, line, 0, message)
    }

    pub(crate) fn io(line: usize, error: io::Error) -> Self {
        let message = format!("the input cannot be read further: {error}");
        ReadError(Box::new(Inner { kind: ReadErrorKind::Io, line, column: 0, message, source: Some(error) }))
    }

    /// What is at fault.
    pub fn kind(&self) -> ReadErrorKind {
        self.0.kind
    }

    /// The line, from 1, if the error belongs to one.
    pub fn line(&self) -> Option<usize> {
        Some(self.0.line).filter(|line| *line > 0)
    }

    /// The column in characters, from 1, if it is known.
    pub fn column(&self) -> Option<usize> {
        Some(self.0.column).filter(|column| *column > 0)
    }

    /// What was found and what was expected, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line(), self.column()) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: {}", self.0.message),
            (Some(line), None) => write!(f, "line {line}: {}", self.0.message),
            _ => f.write_str(&self.0.message),
        }
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadError({:?}, {:?})", self.0.kind, self.to_string())
    }
}

impl Error for ReadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}

/// What was found, short enough for a message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
