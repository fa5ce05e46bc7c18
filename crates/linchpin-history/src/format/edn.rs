//! EDN, as far as Clojure programs print it: nil, truth values, integers, strings, characters, keywords, symbols,
//! vectors, lists, sets, maps, tagged literals, discards and comments.
//!
//! Numbers that are no 64-bit integers (`1.5`, `1/2`, `3M`, `##Inf`) are read, but no values; what prints as a reader
//! macro (`#"…"`, `#'…`) is read as a string or symbol. Metadata (`^…`) is not read.

use linchpin_model::Value;

use super::cursor::{Cursor, DEPTH_LIMIT};
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::escape;
use super::intern::Interner;
use super::json::not_an_integer;
use super::pairs;

type Result<T> = std::result::Result<T, ReadError>;

pub(crate) struct Edn<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) names: Interner,
    /// Why the value that was read last is not one of ours, if it is not: nobody minds if it does not matter.
    objection: Option<ReadError>,
    /// Where the form at hand begins.
    place: (usize, usize),
}

/// Something that is not a collection. The cursor's token has its text, keywords without their colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atom {
    Nil,
    Bool(bool),
    Integer(i64),
    /// A number, but no 64-bit integer.
    Number,
    Keyword,
    Symbol,
    /// A string or a character.
    Text,
}

/// What begins here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Atom,
    /// A collection, whose opening bracket has been consumed; and its closing bracket.
    List(u8),
    Set,
    Map,
}

impl<'a> Edn<'a> {
    pub(crate) fn new(cursor: Cursor<'a>) -> Self {
        Edn { cursor, names: Interner::default(), objection: None, place: (1, 1) }
    }

    /// Skips blanks, comments and discarded forms; the next byte, if there is one.
    pub(crate) fn skip_blank(&mut self) -> Result<Option<u8>> {
        loop {
            self.cursor.skip_while(is_blank)?;
            match self.cursor.peek()? {
                Some(b';') => self.cursor.skip_while(|byte| byte != b'\n')?,
                next => return Ok(next),
            }
        }
    }

    /// Goes to the next form, past tags and discarded forms, and into it if it is a collection; `None` at the closing
    /// bracket, which is consumed, or at the end of the input if that may be.
    pub(crate) fn next(&mut self, close: Option<u8>, depth: usize) -> Result<Option<Form>> {
        // After a tag there must be a form.
        let mut tagged = false;
        loop {
            let byte = self.skip_blank()?;
            let place = self.cursor.place();
            self.place = place;
            let form = match byte {
                None if close.is_none() && !tagged => return Ok(None),
                Some(byte) if Some(byte) == close && !tagged => {
                    self.cursor.advance();
                    return Ok(None);
                }
                None | Some(b')' | b']' | b'}') => return Err(self.cursor.unexpected(&expectation(close, tagged))),
                Some(b'[') => Form::List(b']'),
                Some(b'(') => Form::List(b')'),
                Some(b'{') => Form::Map,
                Some(b'#') => {
                    self.cursor.advance();
                    match self.cursor.peek()? {
                        Some(b'{') => Form::Set,
                        Some(b'"') => return Ok(Some(Form::Atom)),
                        Some(b'_') => {
                            self.cursor.advance();
                            self.check_depth(depth + 1)?;
                            self.skip(depth + 1)?;
                            continue;
                        }
                        Some(b'#') => {
                            // `##Inf`, `##NaN`: a number, which `atom` tells by its beginning.
                            return Ok(Some(Form::Atom));
                        }
                        _ => {
                            self.tag(place)?;
                            tagged = true;
                            continue;
                        }
                    }
                }
                Some(_) => return Ok(Some(Form::Atom)),
            };
            self.check_depth(depth)?;
            self.cursor.advance();
            return Ok(Some(form));
        }
    }

    /// Reads a value; or else the objection to it.
    pub(crate) fn value(&mut self, depth: usize) -> Result<std::result::Result<Value, ReadError>> {
        self.objection = None;
        let value = self.any(depth)?;
        Ok(match self.take_objection() {
            None => Ok(value),
            Some(objection) => Err(objection),
        })
    }

    /// Why the form at hand is not one of ours, if it is not.
    pub(crate) fn take_objection(&mut self) -> Option<ReadError> {
        self.objection.take()
    }

    /// Reads whatever comes and forgets it.
    pub(crate) fn skip(&mut self, depth: usize) -> Result<()> {
        match self.next(None, depth)? {
            None => Err(self.cursor.unexpected("a value")),
            Some(form) => self.skip_form(form, depth),
        }
    }

    /// Reads the rest of a form and forgets it.
    pub(crate) fn skip_form(&mut self, form: Form, depth: usize) -> Result<()> {
        let close = match form {
            Form::Atom => return self.skip_atom(),
            Form::List(close) => close,
            Form::Set | Form::Map => b'}',
        };
        while let Some(form) = self.next(Some(close), depth + 1)? {
            self.skip_form(form, depth + 1)?;
        }
        Ok(())
    }

    fn any(&mut self, depth: usize) -> Result<Value> {
        match self.next(None, depth)? {
            None => Err(self.cursor.unexpected("a value")),
            Some(form) => self.rest(form, depth),
        }
    }

    /// The value of a form that has begun.
    fn rest(&mut self, form: Form, depth: usize) -> Result<Value> {
        let (line, column) = self.place;
        match form {
            Form::Atom => {
                let atom = self.atom()?;
                self.atom_value(atom, line, column)
            }
            Form::List(close) => Ok(Value::List(self.items(close, depth + 1)?.into())),
            Form::Set => {
                let items = self.items(b'}', depth + 1)?;
                let set = pairs::sorted_set(items);
                Ok(set.unwrap_or_else(|item| self.object_to(line, column, format!("{item} stands twice in a set"))))
            }
            Form::Map => {
                let mut items = self.items(b'}', depth + 1)?.into_iter();
                let mut entries = Vec::with_capacity(items.len() / 2);
                while let Some(key) = items.next() {
                    let Some(value) = items.next() else {
                        return Err(ReadError::new(
                            ReadErrorKind::Syntax,
                            line,
                            column,
                            "a key without a value in this map",
                        ));
                    };
                    entries.push((key, value));
                }
                let map = pairs::sorted(entries);
                Ok(map
                    .unwrap_or_else(|key| self.object_to(line, column, format!("the key {key} stands twice in a map"))))
            }
        }
    }

    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Value>> {
        let mut items = Vec::new();
        while let Some(form) = self.next(Some(close), depth)? {
            items.push(self.rest(form, depth)?);
        }
        Ok(items)
    }

    fn atom_value(&mut self, atom: Atom, line: usize, column: usize) -> Result<Value> {
        Ok(match atom {
            Atom::Nil => Value::Nil,
            Atom::Bool(truth) => Value::Bool(truth),
            Atom::Integer(number) => Value::Integer(number),
            Atom::Number => {
                if self.cursor.text.starts_with(b"#") {
                    self.cursor.text.insert(0, b'#');
                }
                let number = self.cursor.token()?;
                let digits = number.trim_start_matches(['+', '-']).trim_end_matches('N');
                let whole = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
                let message = not_an_integer(number, whole);
                self.object_to(line, column, message)
            }
            Atom::Keyword => {
                self.cursor.text.insert(0, b':');
                Value::Text(self.names.intern(self.cursor.token()?))
            }
            Atom::Symbol | Atom::Text => Value::Text(self.names.intern(self.cursor.token()?)),
        })
    }

    /// Reads an atom, whose text is then the cursor's token.
    pub(crate) fn atom(&mut self) -> Result<Atom> {
        self.cursor.text.clear();
        match self.cursor.peek()? {
            Some(b'"') => {
                self.string()?;
                Ok(Atom::Text)
            }
            Some(b'\\') => {
                self.character()?;
                Ok(Atom::Text)
            }
            Some(b':') => {
                self.cursor.advance();
                self.word("a keyword's name")?;
                Ok(Atom::Keyword)
            }
            _ => {
                self.word("a value")?;
                Ok(self.classify())
            }
        }
    }

    /// What the word is that has been read.
    fn classify(&mut self) -> Atom {
        let text = &*self.cursor.text;
        match text {
            b"nil" => return Atom::Nil,
            b"true" => return Atom::Bool(true),
            b"false" => return Atom::Bool(false),
            _ => {}
        }
        let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
        if !unsigned.first().is_some_and(u8::is_ascii_digit) {
            return if text.starts_with(b"#") { Atom::Number } else { Atom::Symbol };
        }
        let digits = unsigned.strip_suffix(b"N").unwrap_or(unsigned);
        // To Clojure `010` is eight; nothing prints it.
        let decimal = digits.iter().all(u8::is_ascii_digit) && (digits.len() == 1 || digits[0] != b'0');
        let whole = text.strip_suffix(b"N").unwrap_or(text);
        let number = std::str::from_utf8(whole).ok().and_then(|number| number.parse().ok());
        number.filter(|_| decimal).map_or(Atom::Number, Atom::Integer)
    }

    fn skip_atom(&mut self) -> Result<()> {
        match self.cursor.peek()? {
            Some(b'"') => self.skip_string(),
            _ => self.atom().map(|_| ()),
        }
    }

    /// Skips a string without minding its escapes.
    fn skip_string(&mut self) -> Result<()> {
        self.cursor.advance();
        loop {
            self.cursor.skip_while(|byte| byte != b'"' && byte != b'\\')?;
            if self.cursor.eat(b'"')? {
                return Ok(());
            }
            // A backslash and whatever follows.
            for _ in 0..2 {
                if self.cursor.peek()?.is_none() {
                    return Err(self.cursor.unexpected("the end of a string ('\"')"));
                }
                self.cursor.advance();
            }
        }
    }

    fn string(&mut self) -> Result<()> {
        self.cursor.advance();
        loop {
            self.cursor.take_while(|byte| byte != b'"' && byte != b'\\')?;
            match self.cursor.peek()? {
                Some(b'"') => {
                    self.cursor.advance();
                    return Ok(());
                }
                Some(_) => {
                    self.cursor.advance();
                    self.escape()?;
                }
                None => return Err(self.cursor.unexpected("the end of a string ('\"')")),
            }
        }
    }

    fn escape(&mut self) -> Result<()> {
        let character = match self.cursor.peek()? {
            Some(byte @ (b'"' | b'\\')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.cursor.advance();
                return escape::take_unicode(&mut self.cursor);
            }
            Some(b'0'..=b'7') => {
                let mut code = 0;
                for _ in 0..3 {
                    let Some(digit @ b'0'..=b'7') = self.cursor.peek()? else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.cursor.advance();
                }
                // At most 0o777, which is always a character.
                escape::push(&mut self.cursor, char::from_u32(code).unwrap_or_default());
                return Ok(());
            }
            _ => return Err(self.cursor.unexpected("one of \" \\ b f n r t u or a digit after a backslash")),
        };
        self.cursor.advance();
        self.cursor.text.push(character);
        Ok(())
    }

    /// `\a`, `\newline`, `\u03a9`, `\o17`.
    fn character(&mut self) -> Result<()> {
        let (line, column) = self.cursor.place();
        self.cursor.advance();
        if !self.cursor.take_character()? {
            return Err(self.cursor.unexpected("a character"));
        }
        self.cursor.take_while(|byte| !ends_word(byte))?;
        let text = self.cursor.token()?;
        let mut characters = text.chars();
        let first = characters.next().unwrap_or_default();
        let code = |radix| u32::from_str_radix(&text[1..], radix).ok().and_then(char::from_u32);
        let character = match text {
            _ if characters.next().is_none() => Some(first),
            "newline" => Some('\n'),
            "space" => Some(' '),
            "tab" => Some('\t'),
            "return" => Some('\r'),
            "backspace" => Some('\u{8}'),
            "formfeed" => Some('\u{c}'),
            _ if first == 'u' && text.len() == 5 => code(16),
            _ if first == 'o' && text.len() <= 4 => code(8),
            _ => None,
        };
        let Some(character) = character else {
            let message = format!("\\{} is not a character", excerpt(text));
            return Err(ReadError::new(ReadErrorKind::Syntax, line, column, message));
        };
        self.cursor.text.clear();
        escape::push(&mut self.cursor, character);
        Ok(())
    }

    /// Reads a tag, after its `#`.
    fn tag(&mut self, (line, column): (usize, usize)) -> Result<()> {
        self.cursor.text.clear();
        self.word("a tag's name")?;
        if self.cursor.text.starts_with(b":") {
            // The map's keys would have to be known by other names.
            let tag = excerpt(self.cursor.token()?);
            self.object_to(line, column, format!("#{tag} is a map whose keys share a namespace: such are not read"));
        }
        Ok(())
    }

    /// Appends a word to the token.
    fn word(&mut self, expected: &str) -> Result<()> {
        let before = self.cursor.text.len();
        self.cursor.take_while(|byte| !ends_word(byte))?;
        if self.cursor.text.len() == before { Err(self.cursor.unexpected(expected)) } else { Ok(()) }
    }

    fn check_depth(&self, depth: usize) -> Result<()> {
        if depth > DEPTH_LIMIT {
            return Err(self.cursor.error(ReadErrorKind::Limit, format!("nested more than {DEPTH_LIMIT} deep")));
        }
        Ok(())
    }

    /// Notes the first reason why the value at hand is not one of ours.
    fn object_to(&mut self, line: usize, column: usize, message: String) -> Value {
        self.objection.get_or_insert_with(|| ReadError::new(ReadErrorKind::Content, line, column, message));
        Value::Nil
    }
}

/// What EDN has between forms: commas too.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | b',')
}

#[inline]
fn ends_word(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'"' | b';')
}

fn expectation(close: Option<u8>, tagged: bool) -> String {
    match close {
        _ if tagged => "a form after a tag".to_owned(),
        Some(close) => format!("a form or '{}'", char::from(close)),
        None => "a form".to_owned(),
    }
}
