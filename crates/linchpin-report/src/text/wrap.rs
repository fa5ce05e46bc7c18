//! Sentences in lines of a readable length.

/// The text in lines of at most `width`, the first with `first` before it, the others with `rest`.
fn wrap(text: &str, width: usize, first: &str, rest: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push_str(&line);
            lines.push('\n');
            line = rest.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

/// A paragraph. Text that has its own lines keeps them.
pub(crate) fn paragraph(text: &str, width: usize) -> String {
    match text.lines().count() {
        0 | 1 => wrap(text, width, "", ""),
        _ => format!("{text}\n"),
    }
}

/// An item of a list.
pub(crate) fn bullet(text: &str, width: usize) -> String {
    wrap(text, width, "- ", "  ")
}

/// A line that is set off by so many blanks, and what runs on below it by two more.
pub(crate) fn indented(text: &str, width: usize, blanks: usize) -> String {
    wrap(text, width, &" ".repeat(blanks), &" ".repeat(blanks + 2))
}

#[cfg(test)]
mod tests {
    use super::bullet;

    #[test]
    fn no_line_of_short_words_is_too_long() {
        let text = bullet(&"word ".repeat(100), 60);
        assert!(text.lines().all(|line| line.len() <= 60));
        assert!(text.starts_with("- word word"));
        assert_eq!(text.matches("word").count(), 100);
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")));
    }
}
