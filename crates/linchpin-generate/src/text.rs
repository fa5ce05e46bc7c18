//! Clients as people write them: `[push(1)] { pop(); put(1, "a") } || { pop() } [len()]`.
//!
//! The grammar, in which whitespace is free between any two words:
//!
//! ```text
//! client     = [ "[" sequence "]" ] thread { "||" thread } [ "[" sequence "]" ]
//! thread     = "{" sequence "}"
//! sequence   = [ invocation { ";" invocation } [ ";" ] ]
//! invocation = name "(" [ value { "," value } ] ")"
//! value      = "nil" | "true" | "false" | integer | text | "[" [ value { "," value } ] "]"
//! ```
//!
//! A client has at least one thread, even an empty one: without threads, nobody could tell a setup from an epilogue.
//! So every client with a thread that is printed reads back as itself, and one without threads does not read at all.

use std::error::Error;
use std::fmt;

use linchpin_model::{Client, Invocation, Value};

/// Lists may be nested so deep: a text made of brackets must not exhaust the stack.
const DEPTH: usize = 100;

/// Reads a client as it is written: `[setup] { first; thread } || { second } [epilogue]`.
///
/// ```
/// let text = r#"[push(1)] { pop(); put(1, "a") } || { pop() } [len()]"#;
/// let client = linchpin_generate::parse(text).unwrap();
/// assert_eq!(client.threads.len(), 2);
/// assert_eq!(client.to_string(), text);
///
/// let error = linchpin_generate::parse("{ push(1) } || { pop; pop() }").unwrap_err();
/// assert_eq!(error.to_string(), "\
/// expected `(`, since even an operation without arguments has parentheses, but found `;` at byte 20
///   { push(1) } || { pop; pop() }
///                       ^");
/// ```
///
/// # Errors
/// When the text is not a client: where, what is there, and what should be.
pub fn parse(text: &str) -> Result<Client, ParseError> {
    let mut reader = Reader { text, position: 0 };
    let mut client = Client::default();
    if reader.takes("[") {
        client.setup = reader.sequence("]")?;
        reader.expect("{", "a thread in `{` and `}`")?;
    } else {
        reader.expect("{", "a setup in `[` and `]` or a thread in `{` and `}`")?;
    }
    loop {
        client.threads.push(reader.sequence("}")?);
        if !reader.takes("||") {
            break;
        }
        reader.expect("{", "a thread in `{` and `}`")?;
    }
    let mut expected = "`||`, an epilogue in `[` and `]`, or the end";
    if reader.takes("[") {
        client.epilogue = reader.sequence("]")?;
        expected = "the end";
    }
    if reader.rest().is_empty() { Ok(client) } else { Err(reader.error(expected)) }
}

/// Why a text is not a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The byte of the text at which something else should be.
    pub position: usize,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
    /// The line of the text that holds the position.
    line: String,
    /// What stands in that line before the position.
    before: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "expected {} but found {} at byte {}", self.expected, self.found, self.position)?;
        writeln!(f, "  {}", self.line)?;
        // A tab is as wide as the same tab above it.
        let indent: String = self.before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "  {indent}^")
    }
}

impl Error for ParseError {}

/// A text, and how much of it has been read.
struct Reader<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Reader<'a> {
    /// What has not been read, from the next word on.
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.position..];
        let trimmed = rest.trim_start();
        self.position += rest.len() - trimmed.len();
        trimmed
    }

    /// Reads this symbol if it is next.
    fn takes(&mut self, symbol: &str) -> bool {
        let is_next = self.rest().starts_with(symbol);
        if is_next {
            self.position += symbol.len();
        }
        is_next
    }

    fn expect(&mut self, symbol: &str, expected: &str) -> Result<(), ParseError> {
        if self.takes(symbol) { Ok(()) } else { Err(self.error(expected)) }
    }

    /// Invocations up to and including the symbol that ends them.
    fn sequence(&mut self, end: &str) -> Result<Vec<Invocation>, ParseError> {
        let mut invocations = Vec::new();
        while !self.takes(end) {
            let name = self.word();
            if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                return Err(self.error(&format!("an operation or `{end}`")));
            }
            self.position += name.len();
            self.expect("(", "`(`, since even an operation without arguments has parentheses,")?;
            let arguments = self.values(")", 0)?;
            invocations.push(Invocation { operation: name.into(), arguments });
            if !self.takes(";") {
                self.expect(end, &format!("`;` or `{end}`"))?;
                break;
            }
        }
        Ok(invocations)
    }

    /// Values between commas, up to and including the symbol that ends them.
    fn values(&mut self, end: &str, depth: usize) -> Result<Vec<Value>, ParseError> {
        let mut values = Vec::new();
        if self.takes(end) {
            return Ok(values);
        }
        loop {
            values.push(self.value(depth)?);
            if self.takes(end) {
                return Ok(values);
            }
            self.expect(",", &format!("`,` or `{end}`"))?;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, ParseError> {
        let rest = self.rest();
        if rest.starts_with('"') {
            return self.quoted();
        }
        if rest.starts_with('[') {
            if depth == DEPTH {
                return Err(self.error(&format!("lists in at most {DEPTH} lists")));
            }
            self.position += 1;
            return Ok(Value::list(self.values("]", depth + 1)?));
        }
        let sign = usize::from(rest.starts_with('-'));
        let word = &rest[..sign + word_length(&rest[sign..])];
        let value = match word {
            "nil" => Value::Nil,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if word[sign..].starts_with(|c: char| c.is_ascii_digit()) => match word.parse() {
                Ok(number) => Value::Integer(number),
                Err(_) => return Err(self.error(&format!("an integer from {} to {}", i64::MIN, i64::MAX))),
            },
            _ => return Err(self.error("a value: an integer, `true`, `false`, `nil`, \"text\" or a [list]")),
        };
        self.position += word.len();
        Ok(value)
    }

    /// A text in quotes, with the escapes that Rust writes.
    fn quoted(&mut self) -> Result<Value, ParseError> {
        let mut text = String::new();
        self.position += 1;
        loop {
            // Not `rest`: whitespace belongs to the text.
            let mut chars = self.text[self.position..].chars();
            match chars.next() {
                Some('"') => {
                    self.position += 1;
                    return Ok(Value::from(text.as_str()));
                }
                Some('\\') => text.push(self.escape()?),
                Some(c) => {
                    text.push(c);
                    self.position += c.len_utf8();
                }
                None => return Err(self.error("`\"`, the end of the text")),
            }
        }
    }

    /// The character behind a backslash.
    fn escape(&mut self) -> Result<char, ParseError> {
        let rest = &self.text[self.position + 1..];
        let (c, length) = match rest.chars().next() {
            Some('n') => ('\n', 1),
            Some('t') => ('\t', 1),
            Some('r') => ('\r', 1),
            Some('0') => ('\0', 1),
            Some(c @ ('"' | '\'' | '\\')) => (c, 1),
            Some('u') => {
                let digits =
                    rest[1..].strip_prefix('{').and_then(|code| code.split_once('}')).map(|(digits, _)| digits);
                let is_code = |digits: &&str| digits.len() <= 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
                let code = digits.filter(is_code).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                match (digits, code.and_then(char::from_u32)) {
                    (Some(digits), Some(c)) => (c, digits.len() + 3),
                    _ => return Err(self.error("the code of a character as in `\\u{1f600}`")),
                }
            }
            _ => return Err(self.error("one of `\\n`, `\\t`, `\\r`, `\\0`, `\\\"`, `\\'`, `\\\\` and `\\u{…}`")),
        };
        self.position += 1 + length;
        Ok(c)
    }

    /// The name or number that is next.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        &rest[..word_length(rest)]
    }

    /// What is next instead of what is expected: a word, a symbol, or the end.
    fn error(&self, expected: &str) -> ParseError {
        let rest = &self.text[self.position..];
        let found = match rest.chars().next() {
            None => "the end".to_owned(),
            Some(first) => {
                let length = match word_length(rest) {
                    0 if rest.starts_with("||") => 2,
                    0 if first == '-' || first == '\\' => 1 + word_length(&rest[1..]),
                    0 => first.len_utf8(),
                    length => length,
                };
                // A control character would ruin the message; a long word would drown it.
                let shown: String = rest[..length].chars().take(40).flat_map(shown).collect();
                let more = if rest[..length].chars().count() > 40 { "…" } else { "" };
                format!("`{shown}{more}`")
            }
        };
        let start = self.text[..self.position].rfind('\n').map_or(0, |newline| newline + 1);
        let end = rest.find('\n').map_or(self.text.len(), |newline| self.position + newline);
        ParseError {
            position: self.position,
            found,
            expected: expected.to_owned(),
            line: self.text[start..end].trim_end().to_owned(),
            before: self.text[start..self.position].to_owned(),
        }
    }
}

/// A character as it is shown in a message.
fn shown(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}

/// How long the name or number is with which a text starts.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    fn check(text: &str, message: &str) {
        assert_eq!(parse(text).expect_err(text).to_string(), message);
    }

    fn value(random: &mut Rng, depth: usize) -> Value {
        match random.usize(0..if depth < 3 { 6 } else { 5 }) {
            0 => Value::Nil,
            1 => Value::Bool(random.bool()),
            2 => Value::Integer(random.i64(..)),
            3 => Value::Integer(random.i64(-2..3)),
            4 => {
                let any = ['"', '\'', '\\', '\n', '\0', '\u{7f}', '\u{301}', 'ä', '😀', ' ', ';', '}', 'u', '{'];
                Value::from((0..random.usize(0..6)).map(|_| random.choice(any).unwrap()).collect::<String>().as_str())
            }
            _ => Value::list((0..random.usize(0..4)).map(|_| value(random, depth + 1)).collect::<Vec<_>>()),
        }
    }

    fn sequence(random: &mut Rng) -> Vec<Invocation> {
        let names = ["push", "pop", "nil", "compare_exchange", "_x1", "größe"];
        let invocation = |random: &mut Rng| Invocation {
            operation: random.choice(names).unwrap().into(),
            arguments: (0..random.usize(0..3)).map(|_| value(random, 0)).collect(),
        };
        (0..random.usize(0..4)).map(|_| invocation(random)).collect()
    }

    fn client(random: &mut Rng) -> Client {
        Client {
            setup: sequence(random),
            threads: (0..random.usize(1..4)).map(|_| sequence(random)).collect(),
            epilogue: sequence(random),
        }
    }

    #[test]
    fn what_is_printed_reads_back_as_itself() {
        let mut random = Rng::with_seed(1);
        for _ in 0..5_000 {
            let client = client(&mut random);
            assert_eq!(parse(&client.to_string()), Ok(client));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let mut random = Rng::with_seed(2);
        let words = [
            "[", "]", "{", "}", "||", "|", "(", ")", ";", ",", "\"", "\\", "\\u{", "-", "9", "nil", "pop", "ä", "\n",
            "\t", " ",
        ];
        for _ in 0..20_000 {
            // Half of the texts are words, half are clients of which a few characters were changed.
            let text: String = if random.bool() {
                (0..random.usize(0..20)).map(|_| random.choice(words).unwrap()).collect()
            } else {
                let mut chars: Vec<char> = client(&mut random).to_string().chars().collect();
                for _ in 0..random.usize(1..4) {
                    let place = random.usize(0..chars.len());
                    match random.u8(0..3) {
                        0 => drop(chars.remove(place)),
                        1 => chars.insert(place, random.char(..)),
                        _ => chars.truncate(place),
                    }
                    if chars.is_empty() {
                        break;
                    }
                }
                chars.into_iter().collect()
            };
            match parse(&text) {
                Ok(client) => assert_eq!(parse(&client.to_string()), Ok(client)),
                Err(error) => {
                    assert!(text.is_char_boundary(error.position));
                    assert!(error.to_string().ends_with('^'));
                }
            }
        }
    }

    #[test]
    fn brackets_without_end_do_not_exhaust_the_stack() {
        let error = parse(&format!("{{ a({}", "[".repeat(1_000_000))).unwrap_err();
        assert_eq!((error.position, error.expected.as_str()), (104, "lists in at most 100 lists"));
        assert!(parse(&format!("{{ a({}{}) }}", "[".repeat(100), "]".repeat(100))).is_ok());
    }

    #[test]
    fn whitespace_and_a_last_semicolon_are_free() {
        let wide = "\n[ push ( 1 ) ; ]\n{ pop ( ) ; put(1 , \"a\" ) ; }\t||{}[ len() ]\n";
        assert_eq!(parse(wide), parse("[push(1)]{pop();put(1,\"a\")}||{ }[len()]"));
        assert_eq!(parse("[] {} []"), Ok(Client { threads: vec![vec![]], ..Client::default() }));
    }

    #[test]
    fn a_client_without_threads_is_none() {
        check("", "expected a setup in `[` and `]` or a thread in `{` and `}` but found the end at byte 0\n  \n  ^");
        check("[push(1)]", "expected a thread in `{` and `}` but found the end at byte 9\n  [push(1)]\n           ^");
    }

    #[test]
    fn an_error_shows_its_line_only() {
        check(
            "[push(1)]\n\t{ pop() } | { pop() }\n[len()]",
            "expected `||`, an epilogue in `[` and `]`, or the end but found `|` at byte 21\n  \t{ pop() } | { pop() }\n  \t          ^",
        );
    }

    #[test]
    fn an_error_says_what_should_be_there() {
        let expected = |text: &str| {
            let error = parse(text).expect_err(text);
            format!("{}: {}, not {}", error.position, error.expected, error.found)
        };
        assert_eq!(
            expected("{ push(x) }"),
            "7: a value: an integer, `true`, `false`, `nil`, \"text\" or a [list], not `x`"
        );
        assert_eq!(expected("{ push(1 2) }"), "9: `,` or `)`, not `2`");
        assert_eq!(expected("{ a() b() }"), "6: `;` or `}`, not `b`");
        assert_eq!(expected("{ 1() }"), "2: an operation or `}`, not `1`");
        assert_eq!(expected("{ a(\"b) }"), "9: `\"`, the end of the text, not the end");
        assert_eq!(expected("{ a(\"\\u{d800}\") }"), "5: the code of a character as in `\\u{1f600}`, not `\\u`");
        assert_eq!(
            expected("{ a(9223372036854775808) }"),
            "4: an integer from -9223372036854775808 to 9223372036854775807, not `9223372036854775808`"
        );
        assert_eq!(expected("{ a() } [b()] { c() }"), "14: the end, not `{`");
        assert!(parse("{ a(-9223372036854775808) }").is_ok());
    }
}
