//! The line numbers of the paper on root causes, in the sources of the stack of its introduction and of its three libraries.

use crate::{array_stack, coarse_list, logical_ordering_tree, optimistic_list};

/// A source file that can be read at run time.
pub(crate) struct Source {
    /// As `Location::file` has it.
    pub file: &'static str,
    pub text: &'static str,
}

/// All that have labels.
const SOURCES: [Source; 4] =
    [array_stack::SOURCE, coarse_list::SOURCE, optimistic_list::SOURCE, logical_ordering_tree::SOURCE];

/// A line that carries the number of the paper's line which it stands for: as a comment at its end, `// [27]`, or in the next
/// line, if it opens a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The source file, as [`Location::file`](std::panic::Location::file) has it.
    pub file: &'static str,
    /// The line in it, from 1 on.
    pub line: u32,
    /// The paper's line.
    pub paper: u32,
}

/// All labels, by file and line.
///
/// A line of the paper may have several, when a variant does the same thing elsewhere.
pub fn labels() -> Vec<Label> {
    let of_source = |source: &Source| {
        let file = source.file;
        let lines = (1..).zip(lines_with_next(source.text));
        lines.filter_map(move |(line, (text, next))| Some(Label { file, line, paper: label(text, next)? }))
    };
    SOURCES.iter().flat_map(of_source).collect()
}

/// The paper's line for a place in the sources of the zoo, where an event says that it happened.
///
/// ```
/// let label = linchpin_zoo::labels::labels()[0];
/// assert_eq!(linchpin_zoo::labels::paper_line(label.file, label.line), Some(label.paper));
/// assert_eq!(linchpin_zoo::labels::paper_line("elsewhere.rs", 1), None);
/// ```
pub fn paper_line(file: &str, line: u32) -> Option<u32> {
    let source = SOURCES.iter().find(|source| source.file == file)?;
    let (text, next) = lines_with_next(source.text).nth(line.checked_sub(1)? as usize)?;
    label(text, next)
}

fn lines_with_next(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().zip(text.lines().skip(1).chain([""]))
}

/// The number that a line has.
fn label(line: &str, next: &str) -> Option<u32> {
    let comment = if line.ends_with('{') { next.trim_start().strip_prefix("// [") } else { line.split(" // [").nth(1) };
    // What is before the comment is the statement; a comment alone belongs to the line before.
    let is_alone = line.trim_start().starts_with("//");
    comment.filter(|_| !is_alone)?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's lines in one file.
    fn labelled(file: &str) -> Vec<u32> {
        labels().iter().filter(|label| label.file.ends_with(file)).map(|label| label.paper).collect()
    }

    #[test]
    fn every_line_that_the_tables_name_has_a_label() {
        let tables: [(&str, &[u32]); 4] = [
            ("array_stack.rs", &[2, 3, 8, 9]),
            ("coarse_list.rs", &[26, 27, 32, 35, 47, 48, 53, 54, 56]),
            ("optimistic_list.rs", &[43, 44, 51, 52, 55, 56, 78, 79, 80, 82]),
            (
                "logical_ordering_tree.rs",
                &[265, 267, 268, 271, 279, 289, 290, 293, 423, 430, 432, 433, 436, 445, 448, 450, 451, 454],
            ),
        ];
        for (file, lines) in tables {
            let labelled = labelled(file);
            for line in lines {
                assert!(labelled.contains(line), "{file}: {line}");
            }
        }
    }

    #[test]
    fn places_without_a_label_have_none() {
        assert_eq!(paper_line(coarse_list::SOURCE.file, 1), None);
        assert_eq!(paper_line(coarse_list::SOURCE.file, 0), None);
        assert_eq!(paper_line(coarse_list::SOURCE.file, 100_000), None);
    }

    #[test]
    fn a_label_is_at_the_end_of_its_line_or_behind_the_brace() {
        assert_eq!(label("    let x = 1; // [12]", "    let y = 2; // [13]"), Some(12));
        assert_eq!(label("    let x = 1;", "    let y = 2; // [13]"), None);
        assert_eq!(label("    let x = 1; // [12] or so", ""), None);
        assert_eq!(label("    if x == 1 {", "        // [14]"), Some(14));
        assert_eq!(label("    if x == 1 {", "        x = 2; // [15]"), None);
        assert_eq!(label("        // [14]", "        x = 2; // [15]"), None);
    }
}
