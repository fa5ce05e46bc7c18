//! Rows under columns, one column per thread.
//!
//! Every row has one entry, so an entry may run on below the columns to its right. A column is therefore only as wide as
//! it may be, not as it would have to be: many threads fit on a screen.

use super::style::{Emphasis, Style};

/// Between an entry and the next column, and before the place.
const GAP: usize = 2;

/// The one entry of a row.
pub(crate) struct Cell {
    /// Which column.
    pub column: usize,
    /// A mark such as `(1)`, or nothing.
    pub mark: String,
    /// What stands in the column.
    pub text: String,
    /// Where in the source.
    pub place: String,
}

/// The table of `rows`, numbered from 1, under `heads`.
pub(crate) fn table<'a>(heads: &[String], rows: &'a [Cell], style: Style) -> String {
    let number_width = rows.len().to_string().len() + 1;
    let lead = 4 + number_width + GAP;
    let caps = [usize::MAX, 48, 40, 32, 24, 16, 12, 8, 4];
    let layouts: Vec<Vec<usize>> = caps.iter().map(|&cap| offsets(heads, rows, cap)).collect();
    let full: Vec<&str> = rows.iter().map(|row| row.place.as_str()).collect();
    let short: Vec<&str> = full.iter().map(|place| without_directories(place)).collect();
    let fits = |layout: &Vec<usize>, places: &[&str]| {
        lead + body_width(rows, layout) + GAP + places.iter().map(|place| width(place)).max().unwrap_or(0)
            <= style.width
    };
    let fitting = |places: Vec<&'a str>| Some((layouts.iter().find(|layout| fits(layout, &places))?, places));
    let (offsets, places) =
        fitting(full.clone()).or_else(|| fitting(short)).unwrap_or((&layouts[layouts.len() - 1], full));
    let body = body_width(rows, offsets);

    let mut text = " ".repeat(lead);
    let mut heading = String::new();
    for (head, &offset) in heads.iter().zip(offsets) {
        pad(&mut heading, offset);
        heading.push_str(head);
    }
    text.push_str(&style.paint(Emphasis::Heading, &heading));
    text.push('\n');
    for (index, (row, place)) in rows.iter().zip(places).enumerate() {
        // Colours take no room: what is painted is padded first.
        let mut line = format!("{:<4}#{:<2$}", row.mark, index + 1, number_width - 1);
        pad(&mut line, lead + offsets[row.column]);
        line.push_str(&row.text);
        if !place.is_empty() {
            pad(&mut line, lead + body + GAP);
        }
        text.push_str(&style.paint(Emphasis::Mark, &row.mark));
        text.push_str(if place.is_empty() { line[row.mark.len()..].trim_end() } else { &line[row.mark.len()..] });
        text.push_str(&style.paint(Emphasis::Faint, place));
        text.push('\n');
    }
    text
}

/// Where each column begins if none is wider than `cap`, or than its head.
fn offsets(heads: &[String], rows: &[Cell], cap: usize) -> Vec<usize> {
    let mut offsets = Vec::with_capacity(heads.len());
    let mut next = 0;
    for (column, head) in heads.iter().enumerate() {
        offsets.push(next);
        let entries = rows.iter().filter(|row| row.column == column).map(|row| width(&row.text));
        next += entries.max().unwrap_or(0).min(cap).max(width(head)) + GAP;
    }
    offsets
}

fn body_width(rows: &[Cell], offsets: &[usize]) -> usize {
    rows.iter().map(|row| offsets[row.column] + width(&row.text)).max().unwrap_or(0)
}

/// `src/queue.rs:16` as `queue.rs:16`, where there is no room.
fn without_directories(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or(place)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Makes `line` at least `to` wide.
fn pad(line: &mut String, to: usize) {
    let missing = to.saturating_sub(width(line));
    line.extend(std::iter::repeat_n(' ', missing));
}

#[cfg(test)]
mod tests {
    use super::{Cell, table};
    use crate::text::Style;

    #[test]
    fn many_threads_with_long_entries_fit() {
        let heads: Vec<String> = (0..6).map(|thread| format!("t{thread}")).collect();
        let text = "A.compare_exchange(AcqRel): 0 → 1".to_owned();
        let row = |column| Cell { column, mark: String::new(), text: text.clone(), place: "src/lib.rs:1".into() };
        let rows: Vec<Cell> = (0..6).map(row).collect();
        for width in [120, 100] {
            let table = table(&heads, &rows, Style { width, ..Style::default() });
            assert!(table.lines().all(|line| line.chars().count() <= width), "{table}");
        }
    }
}
