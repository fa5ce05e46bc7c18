//! Lines of the source.

use std::fmt::Write;

use crate::escape::escape;
use crate::report::Report;

/// The lines from `first` to `last` with some around them, those in between marked; nothing if the report has not kept them.
pub(super) fn excerpt(report: &Report, file: &str, first: u32, last: u32, around: u32) -> Option<String> {
    let source = report.excerpt(file, first, last)?;
    let mut html = format!(
        "<pre class=\"source\" tabindex=\"0\" role=\"group\" aria-label=\"{}, lines {first} to {last}\"><code>",
        escape(file)
    );
    for number in first.saturating_sub(around)..=last.saturating_add(around) {
        let Some(line) = source.line(number) else { continue };
        let is_marked = (first..=last).contains(&number);
        let (open, close) = if is_marked { ("<mark>", "</mark>") } else { ("<span>", "</span>") };
        // Writing to a string does not fail.
        let _ = writeln!(html, "{open}<i>{number}</i> {}{close}", escape(line));
    }
    html.push_str("</code></pre>\n");
    Some(html)
}
