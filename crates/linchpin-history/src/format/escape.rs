//! Escapes inside strings, which JSON and EDN have nearly in common.

use super::cursor::Cursor;
use super::error::{ReadError, ReadErrorKind};

/// Reads what follows `\u`, four hexadecimal digits, and appends the character to the token. Characters beyond the
/// first plane are two escapes, as in UTF-16; half of one is an error, since texts are UTF-8 here.
pub(crate) fn take_unicode(cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
    let mut code = four_digits(cursor)?;
    if (0xD800..0xDC00).contains(&code) && cursor.eat(b'\\')? {
        let low = if cursor.eat(b'u')? { four_digits(cursor)? } else { 0 };
        code = match low {
            0xDC00..0xE000 => 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00),
            _ => code,
        };
    }
    match char::from_u32(code) {
        Some(character) => {
            push(cursor, character);
            Ok(())
        }
        None => Err(cursor.error(ReadErrorKind::Syntax, format!("\\u{code:04x} is half of a character"))),
    }
}

/// Appends a character to the token.
pub(crate) fn push(cursor: &mut Cursor<'_>, character: char) {
    cursor.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn four_digits(cursor: &mut Cursor<'_>) -> Result<u32, ReadError> {
    let mut code = 0;
    for _ in 0..4 {
        let digit = cursor.peek()?.and_then(|byte| char::from(byte).to_digit(16));
        let Some(digit) = digit else { return Err(cursor.unexpected("a hexadecimal digit")) };
        code = code * 16 + digit;
        cursor.advance();
    }
    Ok(code)
}
