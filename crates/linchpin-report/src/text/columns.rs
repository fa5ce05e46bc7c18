//! Rows under columns, one column per thread.
//!
//! Every row has one entry, so an entry may run on below the columns to its right. A column is therefore only as wide as
//! it may be, not as it would have to be: many threads fit on a screen.

/// What the widest line should not exceed.
const WIDTH: usize = 120;
/// Between an entry and the next column, and before the place.
const GAP: usize = 2;

/// One row.
pub(crate) struct Row {
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
pub(crate) fn table(heads: &[String], rows: &[Row]) -> String {
    let number_width = rows.len().to_string().len() + 1;
    let lead = 4 + number_width + GAP;
    let caps = [usize::MAX, 48, 40, 32, 24, 16, 12, 8, 4];
    let fits = |offsets: &[usize]| lead + body_width(rows, offsets) + GAP + place_width(rows) <= WIDTH;
    let layouts = caps.iter().map(|&cap| offsets(heads, rows, cap));
    let layouts: Vec<Vec<usize>> = layouts.collect();
    let offsets = layouts.iter().find(|offsets| fits(offsets)).unwrap_or(&layouts[layouts.len() - 1]);
    let body = body_width(rows, offsets);

    let mut text = " ".repeat(lead);
    let mut heading = String::new();
    for (head, &offset) in heads.iter().zip(offsets) {
        pad(&mut heading, offset);
        heading.push_str(head);
    }
    text.push_str(&heading);
    text.push('\n');
    for (index, row) in rows.iter().enumerate() {
        let number = format!("#{}", index + 1);
        let mut line = format!("{:<4}{number:<number_width$}", row.mark);
        pad(&mut line, lead + offsets[row.column]);
        line.push_str(&row.text);
        if !row.place.is_empty() {
            pad(&mut line, lead + body + GAP);
            line.push_str(&row.place);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Where each column begins if none is wider than `cap`, or than its head.
fn offsets(heads: &[String], rows: &[Row], cap: usize) -> Vec<usize> {
    let mut offsets = Vec::with_capacity(heads.len());
    let mut next = 0;
    for (column, head) in heads.iter().enumerate() {
        offsets.push(next);
        let entries = rows.iter().filter(|row| row.column == column).map(|row| width(&row.text));
        next += entries.max().unwrap_or(0).min(cap).max(width(head)) + GAP;
    }
    offsets
}

fn body_width(rows: &[Row], offsets: &[usize]) -> usize {
    rows.iter().map(|row| offsets[row.column] + width(&row.text)).max().unwrap_or(0)
}

fn place_width(rows: &[Row]) -> usize {
    rows.iter().map(|row| width(&row.place)).max().unwrap_or(0)
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
    use super::{Row, WIDTH, table};

    #[test]
    fn many_threads_with_long_entries_fit() {
        let heads: Vec<String> = (0..6).map(|thread| format!("t{thread}")).collect();
        let text = "A.compare_exchange(AcqRel): 0 → 1".to_owned();
        let row = |column| Row { column, mark: String::new(), text: text.clone(), place: "src/lib.rs:1".into() };
        let rows: Vec<Row> = (0..6).map(row).collect();
        let table = table(&heads, &rows);
        assert!(table.lines().all(|line| line.chars().count() <= WIDTH), "{table}");
    }
}
