//! What is said about each row when it is looked at.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::diagram::in_cause;
use super::source::excerpt;
use crate::escape::escape;
use crate::report::{Report, Row, ShownExecution, Sort};

/// What memory holds is not told of executions with more rows times locations than this: nobody would wait for the page.
const MOST_CELLS: usize = 40_000;

/// One hidden item for each row.
pub(super) fn items(report: &Report, execution: &ShownExecution) -> String {
    let is_told = execution.is_interleaving && execution.rows.len() * execution.locations.len() <= MOST_CELLS;
    let mut memory: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let mut html = String::new();
    for (number, row) in execution.rows.iter().enumerate() {
        if let Some((location, written)) =
            row.access.as_ref().and_then(|access| access.location.as_deref().zip(access.written.as_deref()))
        {
            memory.insert(location, (written, number));
        }
        let _ =
            write!(html, "<div class=\"step\" id=\"step-{number}\" hidden>\n{}", told(report, execution, number, row));
        if is_told {
            html.push_str(&after(execution, &memory, number));
        }
        html.push_str("</div>\n");
    }
    html
}

fn told(report: &Report, execution: &ShownExecution, number: usize, row: &Row) -> String {
    let thread = escape(&execution.threads[row.thread].name).to_string();
    let text = escape(&row.text).to_string();
    let what = match row.sort {
        Sort::Call => format!("calls <code>{text}</code>"),
        Sort::Return => format!("returns <code>{text}</code>"),
        Sort::Event | Sort::Remark => format!("<code>{text}</code>"),
    };
    let mut html = format!("<p class=\"what\"><span class=\"quiet\">#{} {thread}</span> {what}</p>\n", number + 1);
    let operation = row.operation.and_then(|operation| execution.operations.get(operation));
    if let Some(operation) = operation.filter(|_| row.sort != Sort::Call) {
        let _ = writeln!(html, "<p class=\"quiet\">in <code>{}</code></p>", escape(&operation.name));
    }
    if in_cause(report, row) {
        html.push_str("<p><span class=\"badge bad\">part of the cause</span></p>\n");
    }
    if let Some(seen) = &row.seen {
        let source = execution.reads_from.iter().find(|(_, read)| *read == number);
        let seen = escape(seen).to_string();
        let _ = match source {
            Some((write, _)) => writeln!(html, "<p>sees <a href=\"#row-{write}\" data-goto=\"{write}\">{seen}</a></p>"),
            None if seen == "initial" => writeln!(html, "<p>sees what was there at first</p>"),
            None => writeln!(html, "<p>sees {seen}</p>"),
        };
    }
    if let Some(position) = &row.position {
        let _ = writeln!(html, "<p class=\"place\"><code>{}</code></p>", escape(&position.to_string()));
        html.extend(excerpt(report, &position.file, position.line, position.line, 2));
    } else if !row.place.is_empty() {
        let _ = writeln!(html, "<p class=\"place\"><code>{}</code></p>", escape(&row.place));
    }
    html
}

/// What memory holds after a row, as far as it is known.
fn after(execution: &ShownExecution, memory: &BTreeMap<&str, (&str, usize)>, number: usize) -> String {
    let mut cells = String::new();
    for location in &execution.locations {
        let written = memory.get(location.name.as_str());
        let Some(value) = written.map(|(value, _)| *value).or(location.initial.as_deref()) else { continue };
        let class = if written.is_some_and(|(_, row)| *row == number) { " class=\"new\"" } else { "" };
        let (name, value) = (escape(&location.name).to_string(), escape(value).to_string());
        let _ = write!(cells, "<tr{class}><th scope=\"row\">{name}</th><td><code>{value}</code></td></tr>");
    }
    if cells.is_empty() {
        cells
    } else {
        format!("<table class=\"memory\"><caption>Memory after it</caption><tbody>{cells}</tbody></table>\n")
    }
}
