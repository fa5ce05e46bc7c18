//! The input as a stream of UTF-8 bytes with one byte of look-ahead, which knows its line and column.
//!
//! Nothing is held but one chunk and the token at hand, whatever the input looks like: a gigabyte without a line end
//! passes through, or meets [`RECORD_LIMIT`].

use std::io::{BufRead, ErrorKind};

use super::error::{ReadError, ReadErrorKind, excerpt};

type Result<T> = std::result::Result<T, ReadError>;

/// The most bytes that one operation or event may take. Larger than any real one by far, small enough for any machine.
pub(crate) const RECORD_LIMIT: u64 = 16 << 20;

/// How deeply collections may nest.
pub(crate) const DEPTH_LIMIT: usize = 64;

const CHUNK: usize = 64 << 10;

/// How far [`Cursor::lookahead`] looks.
const LOOKAHEAD: usize = 16 << 10;

/// The input is a trait object so that everything here is compiled once; it is asked only for whole chunks.
pub(crate) struct Cursor<'a> {
    input: &'a mut dyn BufRead,
    /// `..end` is UTF-8, of which `..position` has been consumed; `end..filled` is the beginning of a character whose
    /// other bytes have not arrived yet.
    buffer: Box<[u8]>,
    position: usize,
    end: usize,
    filled: usize,
    rest: Rest,
    /// How many bytes came before the buffer's first.
    before: u64,
    /// Where the record at hand begins, counted in bytes; none is at hand outside of records, and white space may go
    /// on for ever.
    record: Option<u64>,
    line: usize,
    column: usize,
    /// The token at hand.
    pub(crate) text: Vec<u8>,
}

/// What comes after the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Unread,
    Nothing,
    /// Bytes that are not UTF-8. Told only when the cursor gets there, so that the line is right and whatever is wrong
    /// before them is told first.
    Invalid,
}

impl<'a> Cursor<'a> {
    /// The input from its beginning, after a byte order mark if there is one.
    pub(crate) fn new(input: &'a mut dyn BufRead) -> Result<Self> {
        let mut cursor = Cursor {
            input,
            buffer: vec![0; CHUNK].into_boxed_slice(),
            position: 0,
            end: 0,
            filled: 0,
            rest: Rest::Unread,
            before: 0,
            record: None,
            line: 1,
            column: 0,
            text: Vec::new(),
        };
        // At most three reads even if they come byte by byte.
        while cursor.end == 0 && cursor.rest == Rest::Unread {
            cursor.read_more()?;
        }
        if cursor.buffer[..cursor.end].starts_with("\u{feff}".as_bytes()) {
            cursor.position = 3;
        }
        Ok(cursor)
    }

    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// The line and the column of the next byte.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.line, self.column + 1)
    }

    /// The next byte, if there is one.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Option<u8>> {
        if self.position < self.end || self.refill()? { Ok(Some(self.buffer[self.position])) } else { Ok(None) }
    }

    /// Consumes the byte that [`Self::peek`] has shown.
    #[inline]
    pub(crate) fn advance(&mut self) {
        debug_assert!(self.position < self.end);
        let byte = self.buffer[self.position];
        self.position += 1;
        if byte == b'\n' {
            self.line += 1;
            self.column = 0;
        } else {
            self.column += usize::from(starts_character(byte));
        }
    }

    /// Consumes the next byte if it is this one.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> Result<bool> {
        let there = self.peek()? == Some(byte);
        if there {
            self.advance();
        }
        Ok(there)
    }

    /// Consumes bytes as long as they are such.
    #[inline]
    pub(crate) fn skip_while(&mut self, such: impl Fn(u8) -> bool) -> Result<()> {
        loop {
            let unread = &self.buffer[self.position..self.end];
            let length = run_length(unread, &such);
            self.pass(length);
            if self.position < self.end || !self.refill()? {
                return Ok(());
            }
        }
    }

    /// Consumes bytes as long as they are such, and appends them to the token.
    #[inline]
    pub(crate) fn take_while(&mut self, such: impl Fn(u8) -> bool) -> Result<()> {
        loop {
            let unread = &self.buffer[self.position..self.end];
            let length = run_length(unread, &such);
            self.text.extend_from_slice(&unread[..length]);
            self.pass(length);
            if self.position < self.end || !self.refill()? {
                return Ok(());
            }
        }
    }

    /// Consumes the next character, whichever it is, and appends it to the token; `false` at the end.
    pub(crate) fn take_character(&mut self) -> Result<bool> {
        let Some(byte) = self.peek()? else { return Ok(false) };
        self.text.push(byte);
        self.advance();
        // Whole characters are in the buffer: the others of this one are there too.
        while self.position < self.end && !starts_character(self.buffer[self.position]) {
            self.text.push(self.buffer[self.position]);
            self.advance();
        }
        Ok(true)
    }

    /// The token as text.
    pub(crate) fn token(&self) -> Result<&str> {
        std::str::from_utf8(&self.text).map_err(|_| self.invalid())
    }

    /// What comes next, without consuming it: up to 16 KiB.
    pub(crate) fn lookahead(&mut self) -> Result<&str> {
        while self.end - self.position < LOOKAHEAD && self.rest == Rest::Unread {
            self.read_more()?;
        }
        let end = self.end.min(self.position + LOOKAHEAD);
        let unread = &self.buffer[self.position..end];
        // The cut may be inside a character.
        let whole = std::str::from_utf8(unread).map_or_else(|error| error.valid_up_to(), str::len);
        std::str::from_utf8(&unread[..whole]).map_err(|_| self.invalid())
    }

    /// A record begins here; from now on its length counts.
    pub(crate) fn begin_record(&mut self) {
        self.record = Some(self.before + self.position as u64);
    }

    /// The record has ended.
    pub(crate) fn end_record(&mut self) {
        self.record = None;
    }

    /// An error about the next byte.
    pub(crate) fn error(&self, kind: ReadErrorKind, message: impl Into<String>) -> ReadError {
        ReadError::new(kind, self.line, self.column + 1, message)
    }

    /// The next byte is not what the grammar has.
    pub(crate) fn unexpected(&mut self, expected: &str) -> ReadError {
        match self.next_character() {
            Ok(found) => self.error(ReadErrorKind::Syntax, format!("{found} where {expected} was expected")),
            Err(error) => error,
        }
    }

    /// The next character, for a message.
    fn next_character(&mut self) -> Result<String> {
        if self.peek()?.is_none() {
            return Ok("the input ends".to_owned());
        }
        let unread = &self.buffer[self.position..self.end.min(self.position + 4)];
        let whole = std::str::from_utf8(unread).map_or_else(|error| error.valid_up_to(), str::len);
        let next = std::str::from_utf8(&unread[..whole]).ok().and_then(|text| text.chars().next());
        Ok(match next {
            Some('\n') => "the line ends".to_owned(),
            Some(character) => excerpt(&format!("{character:?}")),
            None => "something".to_owned(),
        })
    }

    /// Consumes `length` bytes of the buffer.
    #[inline]
    fn pass(&mut self, length: usize) {
        let passed = &self.buffer[self.position..self.position + length];
        self.position += length;
        // Most of what passes is a few bytes; what is long deserves to be counted many bytes at a time.
        if length < 32 {
            for byte in passed {
                self.column += usize::from(starts_character(*byte));
                if *byte == b'\n' {
                    self.line += 1;
                    self.column = 0;
                }
            }
            return;
        }
        let mut after = passed;
        let lines = count(passed, |byte| byte == b'\n');
        if lines > 0 {
            self.line += lines;
            self.column = 0;
            let last = passed.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            after = &passed[last..];
        }
        self.column += count(after, starts_character);
    }

    /// More to read when the buffer has been consumed; `false` at the end.
    #[cold]
    fn refill(&mut self) -> Result<bool> {
        while self.position == self.end {
            match self.rest {
                Rest::Unread => self.read_more()?,
                Rest::Nothing => return Ok(false),
                Rest::Invalid => return Err(self.invalid()),
            }
        }
        Ok(true)
    }

    /// Adds what the input has, once, to the buffer; what is unread stays.
    fn read_more(&mut self) -> Result<()> {
        self.check_record()?;
        self.buffer.copy_within(self.position..self.filled, 0);
        self.before += self.position as u64;
        self.end -= self.position;
        self.filled -= self.position;
        self.position = 0;
        let arrived = loop {
            match self.input.fill_buf() {
                Ok(arrived) => break arrived,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::io(self.line, error)),
            }
        };
        let length = arrived.len().min(self.buffer.len() - self.filled);
        self.buffer[self.filled..self.filled + length].copy_from_slice(&arrived[..length]);
        self.input.consume(length);
        self.filled += length;
        self.rest = match std::str::from_utf8(&self.buffer[self.end..self.filled]) {
            Ok(valid) => {
                self.end += valid.len();
                if length == 0 { Rest::Nothing } else { Rest::Unread }
            }
            Err(error) => {
                self.end += error.valid_up_to();
                // Without more to come, a character that has only begun is not one.
                if error.error_len().is_some() || length == 0 { Rest::Invalid } else { Rest::Unread }
            }
        };
        Ok(())
    }

    fn check_record(&self) -> Result<()> {
        match self.record {
            Some(start) if self.before + self.position as u64 - start > RECORD_LIMIT => {
                let limit = RECORD_LIMIT >> 20;
                let message = format!("one operation or event takes more than {limit} MiB");
                Err(ReadError::new(ReadErrorKind::Limit, self.line, 0, message))
            }
            _ => Ok(()),
        }
    }

    fn invalid(&self) -> ReadError {
        self.error(ReadErrorKind::Encoding, "bytes that are not UTF-8")
    }
}

/// How many bytes at the beginning are such. Tokens are short and looked at byte by byte; what is longer, in blocks, for
/// which the compiler finds vector instructions.
#[inline]
fn run_length(bytes: &[u8], such: &impl Fn(u8) -> bool) -> usize {
    const BLOCK: usize = 32;
    let not_such = |byte: &u8| !such(*byte);
    let mut length = BLOCK.min(bytes.len());
    if let Some(end) = bytes[..length].iter().position(not_such) {
        return end;
    }
    for block in bytes[length..].chunks_exact(BLOCK) {
        if !block.iter().fold(true, |all, byte| all & such(*byte)) {
            break;
        }
        length += BLOCK;
    }
    bytes[length..].iter().position(not_such).map_or(bytes.len(), |rest| length + rest)
}

/// How many bytes are such, counted in blocks whose counts fit into a byte.
fn count(bytes: &[u8], such: impl Fn(u8) -> bool) -> usize {
    let block = |block: &[u8]| block.iter().fold(0u8, |sum, byte| sum.wrapping_add(u8::from(such(*byte))));
    bytes.chunks(128).map(|bytes| usize::from(block(bytes))).sum()
}

/// Is this the first byte of a character in UTF-8?
#[inline]
fn starts_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
