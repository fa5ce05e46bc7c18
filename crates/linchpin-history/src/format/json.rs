//! JSON, one object after another, each on a line of its own.
//!
//! Written by hand rather than with serde_json: an operation must be told apart by its keys while they stream in, each
//! at most once; a number that is no 64-bit integer matters only where a value is wanted, and then the message has to
//! quote it (serde_json hands over `1e400` and 2⁷⁰ as errors or rounded); and the cursor, which bounds memory and
//! counts lines, is there already for EDN. A test holds this grammar against serde_json's.

use linchpin_model::Value;

use super::cursor::{Cursor, DEPTH_LIMIT};
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::escape;
use super::intern::Interner;
use super::pairs;

type Result<T> = std::result::Result<T, ReadError>;

pub(crate) struct Json<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) names: Interner,
    /// Why the value that was read last is not one of ours, if it is not. It stands here, not in a `Result`, because
    /// nobody minds if the value turns out not to matter.
    objection: Option<ReadError>,
    /// The line at which the last object ended.
    last_line: usize,
}

impl<'a> Json<'a> {
    pub(crate) fn new(cursor: Cursor<'a>) -> Self {
        Json { cursor, names: Interner::default(), objection: None, last_line: 0 }
    }

    /// Goes into the next object: its line, or `None` at the end of the input.
    pub(crate) fn next_object(&mut self) -> Result<Option<usize>> {
        self.cursor.end_record();
        self.skip_blank()?;
        match self.cursor.peek()? {
            None => return Ok(None),
            Some(b'{') => {}
            Some(b'[') => {
                return Err(self
                    .cursor
                    .unexpected("an object (one per line, not in an array; jq -c '.[]' takes it apart)"));
            }
            Some(b',') => return Err(self.cursor.unexpected("an object (one per line, without commas in between)")),
            Some(_) => return Err(self.cursor.unexpected("an object")),
        }
        let line = self.cursor.line();
        if line == self.last_line {
            return Err(self.cursor.unexpected("the end of the line (one object per line)"));
        }
        self.cursor.begin_record();
        self.cursor.advance();
        Ok(Some(line))
    }

    /// Goes to the value of the object's next key, which is then the cursor's token; `false` after the last.
    pub(crate) fn next_key(&mut self, first: &mut bool) -> Result<bool> {
        let more = self.next_entry(first, b'}', "',' or '}'")?;
        if more {
            self.key()?;
        } else {
            self.last_line = self.cursor.line();
        }
        Ok(more)
    }

    /// Reads a value; or else the objection to it.
    pub(crate) fn value(&mut self) -> Result<std::result::Result<Value, ReadError>> {
        let value = self.any(1)?;
        Ok(match self.objection.take() {
            None => Ok(value),
            Some(objection) => Err(objection),
        })
    }

    /// Reads whatever comes and forgets it.
    pub(crate) fn skip(&mut self) -> Result<()> {
        self.any(1)?;
        self.objection = None;
        Ok(())
    }

    fn any(&mut self, depth: usize) -> Result<Value> {
        self.skip_blank()?;
        match self.cursor.peek()? {
            Some(b'"') => {
                self.string()?;
                Ok(Value::Text(self.names.intern(self.cursor.token()?)))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'[') => self.array(depth + 1),
            Some(b'{') => self.object(depth + 1),
            Some(b'a'..=b'z') => self.word(),
            _ => Err(self.cursor.unexpected("a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value> {
        self.enter(depth)?;
        let mut items = Vec::new();
        let mut first = true;
        while self.next_entry(&mut first, b']', "',' or ']'")? {
            items.push(self.any(depth)?);
        }
        Ok(Value::List(items.into()))
    }

    /// An object as a value: the list of its pairs.
    fn object(&mut self, depth: usize) -> Result<Value> {
        let (line, column) = self.enter(depth)?;
        let mut entries = Vec::new();
        let mut first = true;
        while self.next_entry(&mut first, b'}', "',' or '}'")? {
            self.key()?;
            let key = Value::Text(self.names.intern(self.cursor.token()?));
            entries.push((key, self.any(depth)?));
        }
        let value = pairs::sorted(entries);
        Ok(value.unwrap_or_else(|key| self.object_to(line, column, format!("the key {key} stands twice in an object"))))
    }

    /// Goes to the next entry of an array or object; `false` after the last.
    fn next_entry(&mut self, first: &mut bool, close: u8, expected: &str) -> Result<bool> {
        self.skip_blank()?;
        if std::mem::take(first) {
            return Ok(!self.cursor.eat(close)?);
        }
        if self.cursor.eat(close)? {
            return Ok(false);
        }
        if self.cursor.eat(b',')? { Ok(true) } else { Err(self.cursor.unexpected(expected)) }
    }

    /// Reads a key, which is then the cursor's token, and its colon.
    fn key(&mut self) -> Result<()> {
        self.skip_blank()?;
        if self.cursor.peek()? != Some(b'"') {
            return Err(self.cursor.unexpected("a key in double quotes"));
        }
        self.string()?;
        self.skip_blank()?;
        if self.cursor.eat(b':')? { Ok(()) } else { Err(self.cursor.unexpected("':'")) }
    }

    /// Reads a string, which is then the cursor's token.
    fn string(&mut self) -> Result<()> {
        self.cursor.advance();
        self.cursor.text.clear();
        loop {
            self.cursor.take_while(|byte| byte >= b' ' && byte != b'"' && byte != b'\\')?;
            match self.cursor.peek()? {
                Some(b'"') => {
                    self.cursor.advance();
                    return Ok(());
                }
                Some(b'\\') => {
                    self.cursor.advance();
                    self.escape()?;
                }
                _ => return Err(self.cursor.unexpected("the end of a string ('\"')")),
            }
        }
    }

    fn escape(&mut self) -> Result<()> {
        let character = match self.cursor.peek()? {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.cursor.advance();
                return escape::take_unicode(&mut self.cursor);
            }
            _ => return Err(self.cursor.unexpected("one of \" \\ / b f n r t u after a backslash")),
        };
        self.cursor.advance();
        self.cursor.text.push(character);
        Ok(())
    }

    fn number(&mut self) -> Result<Value> {
        let (line, column) = self.place();
        self.cursor.text.clear();
        if self.cursor.eat(b'-')? {
            self.cursor.text.push(b'-');
        }
        if self.cursor.eat(b'0')? {
            self.cursor.text.push(b'0');
        } else {
            self.digits()?;
        }
        let mut whole = true;
        if self.cursor.eat(b'.')? {
            whole = false;
            self.cursor.text.push(b'.');
            self.digits()?;
        }
        if let Some(exponent @ (b'e' | b'E')) = self.cursor.peek()? {
            whole = false;
            self.cursor.advance();
            self.cursor.text.push(exponent);
            if let Some(sign @ (b'+' | b'-')) = self.cursor.peek()? {
                self.cursor.advance();
                self.cursor.text.push(sign);
            }
            self.digits()?;
        }
        let number = self.cursor.token()?;
        if let Some(number) = number.parse().ok().filter(|_| whole) {
            return Ok(Value::Integer(number));
        }
        let message = not_an_integer(number, whole);
        Ok(self.object_to(line, column, message))
    }

    fn digits(&mut self) -> Result<()> {
        if !self.cursor.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.cursor.unexpected("a digit"));
        }
        self.cursor.take_while(|byte| byte.is_ascii_digit())
    }

    fn word(&mut self) -> Result<Value> {
        let (line, column) = self.place();
        self.cursor.text.clear();
        self.cursor.take_while(|byte| byte.is_ascii_alphanumeric())?;
        match self.cursor.token()? {
            "null" => Ok(Value::Nil),
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            word => {
                let message = format!("{} where a value was expected", excerpt(word));
                Err(ReadError::new(ReadErrorKind::Syntax, line, column, message))
            }
        }
    }

    /// Goes into a collection.
    fn enter(&mut self, depth: usize) -> Result<(usize, usize)> {
        if depth > DEPTH_LIMIT {
            return Err(self.cursor.error(ReadErrorKind::Limit, format!("nested more than {DEPTH_LIMIT} deep")));
        }
        let place = self.place();
        self.cursor.advance();
        Ok(place)
    }

    fn place(&self) -> (usize, usize) {
        self.cursor.place()
    }

    /// Notes the first reason why the value at hand is not one of ours.
    fn object_to(&mut self, line: usize, column: usize, message: String) -> Value {
        self.objection.get_or_insert_with(|| ReadError::new(ReadErrorKind::Content, line, column, message));
        Value::Nil
    }

    fn skip_blank(&mut self) -> Result<()> {
        self.cursor.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }
}

/// Why a number is not a value.
pub(crate) fn not_an_integer(number: &str, whole: bool) -> String {
    let number = excerpt(number);
    if whole {
        format!("{number} does not fit into 64 bits (write it as a string if it is a value)")
    } else {
        format!("{number} is not an integer (write it as a string if it is a value)")
    }
}
