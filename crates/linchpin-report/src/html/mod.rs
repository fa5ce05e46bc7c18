//! Reports as pages: one for each, and an index over many.
//!
//! A page is one file that needs no other and loads nothing, and says so to the browser. All that people see is in the document;
//! the script only shows, hides and moves. So no text of a report is ever part of a script.

mod cause;
mod client;
mod conflict;
mod diagram;
mod index;
mod page;
mod source;
mod steps;
mod time;
mod tree;

use std::fmt::Write;

use crate::escape::escape;
use crate::report::Report;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The page of a report.
///
/// ```
/// use linchpin_report::report::{Kind, Report};
///
/// let page = linchpin_report::html::page(&Report::told(Kind::Leak, "2 < 3 blocks leak"));
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("2 &lt; 3 blocks leak"));
/// ```
pub fn page(report: &Report) -> String {
    document(&format!("{}: {}", report.kind, report.name), &page::body(report))
}

/// A page over many reports, with links to the page of each, which is next to it: [`Report::file_name`] with `.html`. The reports of the newest run come
/// first; those of earlier runs are folded away.
///
/// ```
/// use linchpin_report::report::{Kind, Report};
///
/// let report = Report { name: "queue.leaks".into(), ..Report::told(Kind::Leak, "two blocks leak") };
/// assert!(linchpin_report::html::index(&[report]).contains(r#"href="queue.leaks.html""#));
/// ```
pub fn index(reports: &[Report]) -> String {
    document("Linchpin: what was found", &index::body(reports))
}

/// A whole document.
fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
{body}
<script>
{SCRIPT}</script>
</body>
</html>
"#
    )
}

/// A part of a page under a heading, if there is anything in it.
fn section(id: &str, heading: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{}</h2>\n{content}</section>\n",
        escape(heading)
    )
}

/// Paragraphs; text with lines of its own keeps them.
fn paragraphs<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let mut html = String::new();
    for text in texts {
        // Writing to a string does not fail.
        let _ = match text.lines().count() {
            0 | 1 => writeln!(html, "<p>{}</p>", escape(text)),
            _ => writeln!(html, "<pre>{}</pre>", lines(text)),
        };
    }
    html
}

/// The text with its lines kept: escaping would make their ends visible.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| escape(line).to_string()).collect();
    lines.join("\n")
}

/// A list of sentences.
fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    format!("<ul>\n{items}</ul>\n")
}
