//! The text form of programs, parsed and printed.
//!
//! ```text
//! main: d.write(1)                              // optional: before the threads are spawned
//! T1: x.store(1, rlx); fence(sc); r0 = y.load(acq)
//! T2: r0 = x.fetch_add(1, acqrel); r1 = x.cas(0, r0 + 1, acqrel, rlx)
//! T3: lock(m); if r0 == 0 { r1 = d.read() }; unlock(m); y.await(1, acq)
//! end: r0 = x.load(rlx)                         // optional: after they were joined
//! ```
//!
//! A section goes on until the next label; line breaks and semicolons separate instructions; `//` starts a comment.
//! Locations are single lower-case letters, registers are `r0` to `r15`, orders are `rlx`, `acq`, `rel`, `acqrel`, `sc`.

use std::fmt;
use std::str::FromStr;

use linchpin_model::Order;

use crate::program::{Instruction, Location, Operand, Program, Register};

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The name of an order in the text form.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "rlx",
        Order::Acquire => "acq",
        Order::Release => "rel",
        Order::AcqRel => "acqrel",
        Order::SeqCst => "sc",
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.register, self.constant) {
            (None, constant) => write!(f, "{constant}"),
            (Some(register), 0) => write!(f, "{register}"),
            (Some(register), constant) => write!(f, "{register} + {constant}"),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = order_name;
        match self {
            Instruction::Load { into, location, order } => write!(f, "{into} = {location}.load({})", name(*order)),
            Instruction::Store { location, value, order } => write!(f, "{location}.store({value}, {})", name(*order)),
            Instruction::Swap { into, location, value, order } => {
                write!(f, "{into} = {location}.swap({value}, {})", name(*order))
            }
            Instruction::FetchAdd { into, location, value, order } => {
                write!(f, "{into} = {location}.fetch_add({value}, {})", name(*order))
            }
            Instruction::CompareExchange { into, location, expected, new, success, failure } => {
                write!(f, "{into} = {location}.cas({expected}, {new}, {}, {})", name(*success), name(*failure))
            }
            Instruction::Fence(order) => write!(f, "fence({})", name(*order)),
            Instruction::PlainRead { into, location } => write!(f, "{into} = {location}.read()"),
            Instruction::PlainWrite { location, value } => write!(f, "{location}.write({value})"),
            Instruction::Lock(location) => write!(f, "lock({location})"),
            Instruction::Unlock(location) => write!(f, "unlock({location})"),
            Instruction::Await { location, value, order } => write!(f, "{location}.await({value}, {})", name(*order)),
            Instruction::If { register, equals, body } => {
                write!(f, "if {register} == {equals} {{ ")?;
                write_body(f, body)?;
                write!(f, " }}")
            }
        }
    }
}

fn write_body(f: &mut fmt::Formatter<'_>, body: &[Instruction]) -> fmt::Result {
    for (i, instruction) in body.iter().enumerate() {
        if i > 0 {
            write!(f, "; ")?;
        }
        write!(f, "{instruction}")?;
    }
    Ok(())
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut section = |label: &str, body: &[Instruction]| {
            write!(f, "{label}:{}", if body.is_empty() { "" } else { " " })?;
            write_body(f, body)?;
            writeln!(f)
        };
        if !self.setup.is_empty() {
            section("main", &self.setup)?;
        }
        for (i, thread) in self.threads.iter().enumerate() {
            section(&format!("T{}", i + 1), thread)?;
        }
        if !self.finish.is_empty() {
            section("end", &self.finish)?;
        }
        Ok(())
    }
}

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Parser { tokens: tokens(text)?, next: 0 }.program()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(u64),
    Mark(char),
    Equals,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Mark(mark) => write!(f, "`{mark}`"),
            Token::Equals => write!(f, "`==`"),
        }
    }
}

/// Every token with its line.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut tokens = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        let line = line.split("//").next().unwrap_or_default();
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = if first.is_ascii_alphanumeric() {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            } else if rest.starts_with("==") {
                2
            } else {
                first.len_utf8()
            };
            let (word, tail) = rest.split_at(length);
            let token = if first.is_ascii_digit() {
                let value = word.parse();
                Token::Number(
                    value.map_err(|_| ParseError { line: number, message: format!("`{word}` is no number") })?,
                )
            } else if first.is_ascii_alphabetic() {
                Token::Word(word.to_string())
            } else if word == "==" {
                Token::Equals
            } else {
                Token::Mark(first)
            };
            tokens.push((number, token));
            rest = tail.trim_start();
        }
    }
    Ok(tokens)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
}

/// What memory orders an instruction may have.
#[derive(Clone, Copy)]
enum Allowed {
    Read,
    Write,
    Both,
    Fence,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        let at = self.next.min(self.tokens.len().saturating_sub(1));
        Err(ParseError { line: self.tokens.get(at).map_or(1, |(line, _)| *line), message: message.into() })
    }

    fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
        match self.peek() {
            Some(token) => self.error(format!("expected {what}, found {token}")),
            None => self.error(format!("expected {what}, found the end of the text")),
        }
    }

    fn accept(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    fn mark(&mut self, mark: char) -> Result<(), ParseError> {
        if self.accept(&Token::Mark(mark)) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn word(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.next += 1;
                Ok(word)
            }
            _ => self.expected("a word"),
        }
    }

    fn number(&mut self) -> Result<u64, ParseError> {
        match self.peek() {
            Some(&Token::Number(number)) => {
                self.next += 1;
                Ok(number)
            }
            _ => self.expected("a number"),
        }
    }

    /// A label is a word that a colon follows.
    fn at_label(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(_)))
            && self.tokens.get(self.next + 1).is_some_and(|(_, token)| *token == Token::Mark(':'))
    }

    fn program(mut self) -> Result<Program, ParseError> {
        let mut program = Program::default();
        let mut finished = false;
        while self.peek().is_some() {
            if !self.at_label() {
                return self.expected("a label");
            }
            let next_thread = format!("T{}", program.threads.len() + 1);
            let label = match self.peek() {
                Some(Token::Word(word)) => word.clone(),
                _ => return self.expected("a label"),
            };
            let first = program.threads.is_empty() && program.setup.is_empty();
            let wanted = (label == "main" && first) || label == "end" || label == next_thread;
            if finished || !wanted {
                return self.error(format!("label `{label}` is out of place: main, T1, T2, …, end is the order"));
            }
            self.next += 2;
            let body = self.body()?;
            match label.as_str() {
                "main" => program.setup = body,
                "end" => {
                    program.finish = body;
                    finished = true;
                }
                _ => program.threads.push(body),
            }
        }
        Ok(program)
    }

    /// Instructions up to a label, a closing brace or the end.
    fn body(&mut self) -> Result<Vec<Instruction>, ParseError> {
        let mut body = Vec::new();
        loop {
            while self.accept(&Token::Mark(';')) {}
            if self.peek().is_none() || self.peek() == Some(&Token::Mark('}')) || self.at_label() {
                return Ok(body);
            }
            body.push(self.instruction()?);
        }
    }

    fn instruction(&mut self) -> Result<Instruction, ParseError> {
        let start = self.next;
        let word = self.word()?;
        match word.as_str() {
            "fence" => {
                self.mark('(')?;
                let order = self.order(Allowed::Fence)?;
                self.mark(')')?;
                Ok(Instruction::Fence(order))
            }
            "lock" | "unlock" => {
                self.mark('(')?;
                let location = self.location()?;
                self.mark(')')?;
                Ok(if word == "lock" { Instruction::Lock(location) } else { Instruction::Unlock(location) })
            }
            "if" => {
                let register = self.register()?;
                if !self.accept(&Token::Equals) {
                    return self.expected("`==`");
                }
                let equals = self.number()?;
                self.mark('{')?;
                let body = self.body()?;
                self.mark('}')?;
                Ok(Instruction::If { register, equals, body })
            }
            _ => {
                self.next = start;
                if register(&word).is_some() { self.assignment() } else { self.statement() }
            }
        }
    }

    fn statement(&mut self) -> Result<Instruction, ParseError> {
        let location = self.location()?;
        self.mark('.')?;
        let verb = self.word()?;
        self.mark('(')?;
        let instruction = match verb.as_str() {
            "store" => {
                let value = self.operand()?;
                self.mark(',')?;
                Instruction::Store { location, value, order: self.order(Allowed::Write)? }
            }
            "write" => Instruction::PlainWrite { location, value: self.operand()? },
            "await" => {
                let value = self.number()?;
                self.mark(',')?;
                Instruction::Await { location, value, order: self.order(Allowed::Read)? }
            }
            _ => return self.error(format!("`{verb}` is not store, write or await")),
        };
        self.mark(')')?;
        Ok(instruction)
    }

    fn assignment(&mut self) -> Result<Instruction, ParseError> {
        let into = self.register()?;
        self.mark('=')?;
        let location = self.location()?;
        self.mark('.')?;
        let verb = self.word()?;
        self.mark('(')?;
        let instruction = match verb.as_str() {
            "load" => Instruction::Load { into, location, order: self.order(Allowed::Read)? },
            "read" => Instruction::PlainRead { into, location },
            "swap" | "fetch_add" => {
                let value = self.operand()?;
                self.mark(',')?;
                let order = self.order(Allowed::Both)?;
                if verb == "swap" {
                    Instruction::Swap { into, location, value, order }
                } else {
                    Instruction::FetchAdd { into, location, value, order }
                }
            }
            "cas" => {
                let expected = self.operand()?;
                self.mark(',')?;
                let new = self.operand()?;
                self.mark(',')?;
                let success = self.order(Allowed::Both)?;
                self.mark(',')?;
                let failure = self.order(Allowed::Read)?;
                Instruction::CompareExchange { into, location, expected, new, success, failure }
            }
            _ => return self.error(format!("`{verb}` is not load, read, swap, fetch_add or cas")),
        };
        self.mark(')')?;
        Ok(instruction)
    }

    fn operand(&mut self) -> Result<Operand, ParseError> {
        if let Some(Token::Number(_)) = self.peek() {
            return Ok(Operand::constant(self.number()?));
        }
        let register = Some(self.register()?);
        let constant = if self.accept(&Token::Mark('+')) { self.number()? } else { 0 };
        Ok(Operand { register, constant })
    }

    fn register(&mut self) -> Result<Register, ParseError> {
        match self.peek() {
            Some(Token::Word(word)) if register(word).is_some() => {
                let register = register(word);
                self.next += 1;
                register.map_or_else(|| self.expected("a register"), Ok)
            }
            _ => self.expected("a register"),
        }
    }

    fn location(&mut self) -> Result<Location, ParseError> {
        match self.peek() {
            Some(Token::Word(word)) if word.len() == 1 && word.as_bytes()[0].is_ascii_lowercase() => {
                let name = char::from(word.as_bytes()[0]);
                self.next += 1;
                Ok(Location(name))
            }
            _ => self.expected("a location"),
        }
    }

    fn order(&mut self, allowed: Allowed) -> Result<Order, ParseError> {
        let order = match self.peek() {
            Some(Token::Word(word)) => match word.as_str() {
                "rlx" => Order::Relaxed,
                "acq" => Order::Acquire,
                "rel" => Order::Release,
                "acqrel" => Order::AcqRel,
                "sc" => Order::SeqCst,
                _ => return self.expected("an order"),
            },
            _ => return self.expected("an order"),
        };
        let fits = match allowed {
            Allowed::Read => !matches!(order, Order::Release | Order::AcqRel),
            Allowed::Write => !matches!(order, Order::Acquire | Order::AcqRel),
            Allowed::Both => true,
            Allowed::Fence => order != Order::Relaxed,
        };
        if !fits {
            return self.error(format!("`{}` is not an order for this", order_name(order)));
        }
        self.next += 1;
        Ok(order)
    }
}

fn register(word: &str) -> Option<Register> {
    let number: u8 = word.strip_prefix('r')?.parse().ok()?;
    (usize::from(number) < Register::COUNT).then_some(Register(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: &str = "\
main: d.write(1); x.store(1, rel)
T1: r0 = x.load(acq); r1 = x.swap(r0 + 2, acqrel); r2 = x.fetch_add(1, sc); r3 = x.cas(0, r2, acqrel, rlx)
T2: fence(sc); lock(m); if r0 == 0 { r1 = d.read(); if r1 == 1 { d.write(2) } }; unlock(m)
T3:
T4: x.await(1, acq)
end: r0 = x.load(rlx)
";

    fn refuses(text: &str, message: &str) {
        let error = text.parse::<Program>().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn every_instruction_is_printed_as_it_was_read() {
        let program: Program = EVERYTHING.parse().unwrap();
        assert_eq!(program.to_string(), EVERYTHING);
        assert_eq!(program.threads.len(), 4);
    }

    #[test]
    fn line_breaks_and_comments_separate_instructions() {
        let program: Program = "T1: // writer\n  x.store(1, rlx)\n  x.store(2, rlx) // again\n".parse().unwrap();
        assert_eq!(program.to_string(), "T1: x.store(1, rlx); x.store(2, rlx)\n");
    }

    #[test]
    fn an_order_that_std_would_refuse_is_refused() {
        refuses("T1: r0 = x.load(rel)", "not an order for this");
        refuses("T1: x.store(1, acq)", "not an order for this");
        refuses("T1: fence(rlx)", "not an order for this");
        refuses("T1: r0 = x.cas(0, 1, sc, acqrel)", "not an order for this");
    }

    #[test]
    fn errors_name_the_line() {
        refuses("T1: x.store(1, rlx)\nT3: x.store(1, rlx)", "line 2: label `T3` is out of place");
        refuses("T1: x.store(1, rlx)\n\nT2: x.stor(1, rlx)", "line 3");
        refuses("T1: r16 = x.load(rlx)", "line 1");
        refuses("T1: if r0 == 1 { x.store(1, rlx)", "expected `}`");
    }
}
