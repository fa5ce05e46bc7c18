//! Which format an input has, told by its beginning.

use super::Format;
use super::cursor::Cursor;
use super::edn::is_blank;
use super::error::{ReadError, ReadErrorKind, excerpt};
use super::{json_events, json_operations};

/// Looks at what comes after blanks and comments, which it consumes.
pub(crate) fn detect(cursor: &mut Cursor<'_>) -> Result<Format, ReadError> {
    let mut comment = false;
    loop {
        cursor.skip_while(is_blank)?;
        match cursor.peek()? {
            Some(b';') => {
                comment = true;
                cursor.skip_while(|byte| byte != b'\n')?;
            }
            Some(_) => break,
            None => {
                let what = if comment { "only comments" } else { "empty" };
                return Err(unknown(0, format!("the input is {what}")));
            }
        }
    }
    let line = cursor.line();
    let beginning = cursor.lookahead()?;
    match from_beginning(beginning) {
        Ok(Format::JsonOperations | Format::JsonEvents) if comment => {
            Err(unknown(line, "JSON, which has no comments, after a comment".to_owned()))
        }
        found => found.map_err(|seen| unknown(line, seen)),
    }
}

/// The format of what begins like this; or what was seen instead.
fn from_beginning(beginning: &str) -> Result<Format, String> {
    let first_line = beginning.lines().next().unwrap_or_default();
    let mut words = first_line.split_ascii_whitespace();
    let level = words.next().unwrap_or_default();
    if level.bytes().all(|byte| byte.is_ascii_uppercase()) && words.nth(1) == Some("-") {
        return Ok(Format::PorcupineLog);
    }
    let inside =
        beginning.strip_prefix('{').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii() && is_blank(c as u8)));
    match (beginning.as_bytes().first(), inside) {
        (Some(b'{'), Some(inside)) if inside.starts_with('"') => json_layout(beginning),
        (Some(b'{'), _) if first_line.contains(":key") => Ok(Format::PorcupineKv),
        (Some(b'{' | b'(' | b'#'), _) => Ok(Format::JepsenEdn),
        // `[` begins a vector of maps, or else an array of objects, which is not one of ours.
        (Some(b'['), _) if !beginning[1..].trim_start().starts_with(r#"{""#) => Ok(Format::JepsenEdn),
        (Some(b'['), _) => Err("a JSON array (one object per line is expected; jq -c '.[]' takes it apart)".to_owned()),
        _ => Err(format!("{:?}", excerpt(first_line))),
    }
}

/// Operations or events? Each has keys that the other has not.
fn json_layout(beginning: &str) -> Result<Format, String> {
    let keys = keys(beginning);
    let operation = keys.iter().any(|key| json_operations::is_key(key) && !json_events::is_key(key));
    let event = keys.iter().any(|key| json_events::is_key(key) && !json_operations::is_key(key));
    match (operation, event) {
        (true, false) => Ok(Format::JsonOperations),
        (false, true) => Ok(Format::JsonEvents),
        _ => {
            let keys: Vec<String> = keys.iter().take(10).map(|key| format!("{:?}", excerpt(key))).collect();
            Err(format!("a JSON object with the keys {}", keys.join(", ")))
        }
    }
}

/// The keys of the first object, as they are written, as far as they can be seen.
fn keys(beginning: &str) -> Vec<&str> {
    let mut keys = Vec::new();
    let mut depth = 0;
    let mut last_string = None;
    let mut bytes = beginning.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let mut end = None;
                while let Some((at, byte)) = bytes.next() {
                    match byte {
                        b'\\' => {
                            bytes.next();
                        }
                        b'"' => {
                            end = Some(at);
                            break;
                        }
                        _ => {}
                    }
                }
                last_string = end.map(|end| &beginning[at + 1..end]);
            }
            b':' if depth == 1 => keys.extend(last_string.take()),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    keys
}

fn unknown(line: usize, seen: String) -> ReadError {
    let formats: Vec<String> =
        Format::ALL.iter().map(|format| format!("\n  {:16} {}", format.name(), format.explanation())).collect();
    let message = format!("the format cannot be told: {seen}. The formats are{}", formats.concat());
    ReadError::new(ReadErrorKind::Detection, line, 0, message)
}
