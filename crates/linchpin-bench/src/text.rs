//! Numbers and tables for people.

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
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

/// A number with three digits that mean something.
pub(crate) fn rounded(number: f64) -> String {
    match number {
        n if n >= 1000.0 => {
            let unit = 10f64.powi(n.log10().floor() as i32 - 2);
            grouped(((n / unit).round() * unit) as u64)
        }
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}

/// A span of time in the unit that fits.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{} ns", rounded(s * 1e9)),
        s if s < 1e-3 => format!("{} µs", rounded(s * 1e6)),
        s if s < 1.0 => format!("{} ms", rounded(s * 1e3)),
        s => format!("{} s", rounded(s)),
    }
}

/// Which way a column's cells lean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lean {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells, in columns as wide as they have to be.
#[derive(Debug)]
pub(crate) struct Table {
    leans: Vec<Lean>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[(&str, Lean)]) -> Self {
        Table {
            leans: columns.iter().map(|&(_, lean)| lean).collect(),
            rows: vec![columns.iter().map(|&(name, _)| name.to_owned()).collect()],
        }
    }

    /// Adds a row.
    pub fn push<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The table as text, a line per row.
    pub fn render(&self) -> String {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.leans.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).zip(&self.leans).map(|((cell, &width), lean)| match lean {
                Lean::Left => format!("{cell:<width$}"),
                Lean::Right => format!("{cell:>width$}"),
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(42), "42");
        assert_eq!(rounded(351_499.0), "351,000");
        assert_eq!(rounded(999_999.0), "1,000,000");
        assert_eq!(rounded(41.26), "41.3");
        assert_eq!(rounded(0.5), "0.50");
    }

    #[test]
    fn times_have_a_unit_that_fits() {
        assert_eq!(time(0.000_000_042), "42.0 ns");
        assert_eq!(time(0.000_18), "180 µs");
        assert_eq!(time(0.0181), "18.1 ms");
        assert_eq!(time(20.0), "20.0 s");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[("name", Lean::Left), ("n", Lean::Right)]);
        table.push(["2×2".into(), "100".into()]);
        assert_eq!(table.render(), "name    n\n2×2   100\n");
    }
}
