//! Text from files, made inert.

use std::fmt::{self, Display, Write};

/// `text` for the content of an element or an attribute in quotes, in HTML and in XML alike.
///
/// What must not be in XML, or would reorder or hide the text around it, is replaced by something visible: control
/// characters by their pictures, all else by U+FFFD.
pub(crate) fn escape(text: &str) -> Escaped<'_> {
    Escaped(text)
}

pub(crate) struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match visible(c) {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The character itself, or what stands for it.
pub(crate) fn visible(c: char) -> char {
    match c {
        // ␀ to ␟, ␡.
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        // Line separators, marks and overrides of direction.
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
            char::REPLACEMENT_CHARACTER
        }
        c => c,
    }
}

/// How many columns of a monospace font the text takes, nearly.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// The text, if it fits into `room` columns; otherwise its beginning and an ellipsis. Empty if not even that fits.
pub(crate) fn shortened(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.into();
    }
    let mut left = room.saturating_sub(1);
    let fits = |c: &char| {
        let fits = width(*c) <= left;
        left = left.saturating_sub(width(*c));
        fits
    };
    let start: String = text.chars().take_while(fits).collect();
    if room == 0 { start } else { start + "…" }
}

/// East Asian characters and emoji take two columns. `timeline.js` has the same ranges.
fn width(c: char) -> usize {
    match c as u32 {
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f => 2,
        0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000.. => 2,
        _ => 1,
    }
}

/// A number as it is read: `100,000`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{escape, grouped, shortened};

    #[test]
    fn markup_is_inert() {
        assert_eq!(escape("<a b='\"'>&").to_string(), "&lt;a b=&#39;&quot;&#39;&gt;&amp;");
    }

    #[test]
    fn what_xml_forbids_and_what_reorders_text_is_replaced() {
        assert_eq!(escape("a\0b\nc\u{1b}d\u{202e}e\u{ffff}").to_string(), "a␀b␊c␛d\u{fffd}e\u{fffd}");
    }

    #[test]
    fn long_text_ends_in_an_ellipsis() {
        let short = |room| shortened("write(値値値)", room);
        assert_eq!([13, 12, 9, 1, 0].map(short), ["write(値値値)", "write(値値…", "write(値…", "…", ""]);
    }

    #[test]
    fn digits_come_in_threes() {
        assert_eq!([0, 999, 1_000, 100_000, 1_234_567].map(grouped), ["0", "999", "1,000", "100,000", "1,234,567"]);
    }
}
