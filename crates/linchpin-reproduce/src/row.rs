//! Rows of a comparison.

use serde::Serialize;

/// What a paper says and what came out here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What it is about: figure, structure, and more if need be.
    pub id: String,
    /// What the paper says.
    pub paper: String,
    /// What came out here.
    pub ours: String,
    /// Do the two agree? `None` where agreement is not to be expected: times, counts of executions.
    pub agrees: Option<bool>,
}

/// Rows as a table of text.
///
/// ```
/// use linchpin_reproduce::{Row, render};
///
/// let row = Row { id: "figure 8: RCU".into(), paper: "3 of 3".into(), ours: "3 of 3".into(), agrees: Some(true) };
/// assert_eq!(render(&[row]), "                paper   ours\nfigure 8: RCU   3 of 3  3 of 3  agrees\n");
/// ```
pub fn render(rows: &[Row]) -> String {
    let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0);
    let (id, paper) = (width(|row| &row.id).max(13), width(|row| &row.paper).max(5));
    let ours = width(|row| &row.ours);
    let mut text = format!("{:id$}   {:paper$}  ours\n", "", "paper");
    for row in rows {
        let agrees = match row.agrees {
            Some(true) => "agrees",
            Some(false) => "DIFFERS",
            None => "",
        };
        let line = format!("{:id$}   {:paper$}  {:ours$}  {agrees}", row.id, row.paper, row.ours);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
