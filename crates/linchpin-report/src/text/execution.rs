//! An execution as a table, and what has to be said about it.

use super::columns::{self, Cell};
use super::style::Style;
use super::wrap::paragraph;
use crate::report::{Location, Row, ShownExecution, ShownThread, Sort};

pub(super) fn execution(execution: &ShownExecution, style: Style) -> String {
    if execution.rows.is_empty() {
        return "Nothing has happened yet.\n".into();
    }
    let heads: Vec<String> = execution.threads.iter().map(head).collect();
    let cells: Vec<Cell> = execution.rows.iter().map(cell).collect();
    let mut text = columns::table(&heads, &cells, style);
    text.push('\n');
    text.extend(execution.locations.iter().map(legend));
    if !execution.is_interleaving {
        text.push('\n');
        text.push_str(&paragraph(
            "No interleaving of these rows lets every read see the last write before it: the execution takes weak memory. \
             Reads (←) say which write they see.",
            style.sentence_width(),
        ));
        text.extend(execution.locations.iter().filter(|location| location.values.len() > 1).map(modification_order));
    }
    text
}

/// ``t1 `producer` ``
fn head(thread: &ShownThread) -> String {
    match &thread.given_name {
        Some(given) => format!("{} `{given}`", thread.name),
        None => thread.name.clone(),
    }
}

fn cell(row: &Row) -> Cell {
    let text = match (row.sort, &row.seen) {
        (Sort::Call, _) => format!("┌ {}", row.text),
        (Sort::Return, _) => format!("└ returns {}", row.text),
        (_, Some(seen)) => format!("{}  ← {seen}", row.text),
        (_, None) => row.text.clone(),
    };
    let mark = row.mark.map_or(String::new(), |mark| format!("({mark})"));
    Cell { column: row.thread, mark, text, place: row.place.clone() }
}

/// What a letter stands for.
fn legend(location: &Location) -> String {
    let Location { name, what, first_used, .. } = location;
    let before = location.before.as_ref().map(|name| format!(", at the address that {name} had before"));
    format!("{name}: {what}, first used at {first_used}{}\n", before.unwrap_or_default())
}

/// Where the order of rows does not show it: in which order writes to a location took effect.
fn modification_order(location: &Location) -> String {
    format!("{} takes the values {} in this order.\n", location.name, location.values.join(", "))
}
