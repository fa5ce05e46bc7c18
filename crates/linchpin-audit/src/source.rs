//! Accesses in the text of a source file: for saying which of them no test reaches.
//!
//! No parser: an access is taken to be a call with a memory order among its own arguments. That finds wrappers of atomics that
//! take an order, too. What hides its order in a variable is not found.

/// A call with a memory order among its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The line, from 1.
    pub line: u32,
    /// The column of the name, from 1.
    pub column: u32,
    /// What is called.
    pub name: String,
}

const ORDERS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// The accesses in a text, in its order.
///
/// ```
/// let found = linchpin_audit::mentions("let a = x.load(Acquire);\nx.store(f(Relaxed), Ordering::Release); // y.load(SeqCst)");
/// let found: Vec<_> = found.iter().map(|found| (found.line, found.column, &*found.name)).collect();
/// assert_eq!(found, [(1, 11, "load"), (2, 3, "store"), (2, 9, "f")]);
/// ```
pub fn mentions(source: &str) -> Vec<Mention> {
    let mut found: Vec<(Mention, bool)> = Vec::new();
    // For each open bracket the call that it belongs to, if it is one.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut last: Option<Mention> = None;
    let mut is_definition = false;
    for (line, text) in (1..).zip(source.lines()) {
        let letters: Vec<char> = without_comment(text).chars().collect();
        let mut at = 0;
        while at < letters.len() {
            let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
            let length = letters[at..].iter().take_while(|letter| is_part(letter)).count();
            if length > 0 {
                let name: String = letters[at..at + length].iter().collect();
                if let Some(&Some(call)) = open.last()
                    && ORDERS.contains(&name.as_str())
                {
                    found[call].1 = true;
                }
                is_definition = last.as_ref().is_some_and(|before| before.name == "fn");
                last = Some(Mention { line, column: at as u32 + 1, name });
                at += length;
                continue;
            }
            match letters[at] {
                '(' => {
                    let call = last.take().filter(|_| !is_definition);
                    open.push(call.map(|call| {
                        found.push((call, false));
                        found.len() - 1
                    }));
                }
                '[' | '{' => open.push(None),
                ')' | ']' | '}' => drop(open.pop()),
                _ => {}
            }
            if !letters[at].is_whitespace() {
                last = None;
            }
            at += 1;
        }
    }
    found.into_iter().filter(|(_, has_order)| *has_order).map(|(mention, _)| mention).collect()
}

/// A line without what follows `//`, and with blanks in place of texts.
fn without_comment(line: &str) -> String {
    let mut result = String::new();
    let (mut in_text, mut is_escaped, mut before) = (false, false, ' ');
    for letter in line.chars() {
        if in_text {
            in_text = is_escaped || letter != '"';
            is_escaped = !is_escaped && letter == '\\';
            result.push(' ');
            continue;
        }
        if before == '/' && letter == '/' {
            result.pop();
            break;
        }
        in_text = letter == '"';
        result.push(if in_text { ' ' } else { letter });
        before = letter;
    }
    result
}
