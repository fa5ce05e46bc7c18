//! The space-time diagram: a lane per thread, time from top to bottom, operations as boxes, accesses as dots.
//!
//! Edges are all there and hidden; the style shows those of the relations that are chosen, and those of the row that is looked at.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::escape::{columns, escape, shortened};
use crate::report::{Report, Row, ShownExecution, Sort};

/// Width of a character, as the style sets it.
const CHARACTER: usize = 7;
/// Height of a row.
const ROW: usize = 24;
/// Room for the names of threads.
const TOP: usize = 36;
/// Room for the numbers of rows.
const LEFT: usize = 52;
/// From the edge of a lane to its dots,
const DOT: usize = 32;
/// and from there to the text.
const TEXT: usize = 12;
/// Between lanes.
const GAP: usize = 20;
/// Longer texts are shortened; what is next to the diagram has them in full.
const LONGEST: usize = 46;
/// A lane is at least as wide as this many characters.
const SHORTEST: usize = 14;

struct Layout {
    /// Left edge and width of each lane.
    lanes: Vec<(usize, usize)>,
    width: usize,
    height: usize,
}

impl Layout {
    fn of(execution: &ShownExecution) -> Layout {
        let mut lanes = Vec::new();
        let mut left = LEFT;
        for (number, thread) in execution.threads.iter().enumerate() {
            let texts = execution.rows.iter().filter(|row| row.thread == number).map(|row| columns(&label(row)));
            let longest = texts.chain([columns(&thread.name) + 12]).max().unwrap_or(0).clamp(SHORTEST, LONGEST);
            let width = DOT + TEXT + longest * CHARACTER + 10;
            lanes.push((left, width));
            left += width + GAP;
        }
        Layout { lanes, width: left, height: TOP + execution.rows.len() * ROW + 12 }
    }

    /// The dot of a row.
    fn dot(&self, execution: &ShownExecution, row: usize) -> (usize, usize) {
        let (left, _) = self.lanes[execution.rows[row].thread];
        (left + DOT, self.middle(row))
    }

    fn middle(&self, row: usize) -> usize {
        TOP + row * ROW + ROW / 2
    }
}

/// What stands beside a dot.
fn label(row: &Row) -> String {
    match row.sort {
        Sort::Return => format!("returns {}", row.text),
        Sort::Event | Sort::Call | Sort::Remark => row.text.clone(),
    }
}

/// Is the row part of the cause: an access of one of its operations, in one of its sections?
pub(super) fn in_cause(report: &Report, row: &Row) -> bool {
    let (Some(explained), Some(execution)) = (&report.explanation, &report.execution) else { return false };
    let operation = row.operation.and_then(|operation| execution.operations.get(operation));
    let (Some(position), Some(operation)) = (&row.position, operation) else { return false };
    let name = operation.name.split('(').next().unwrap_or_default();
    explained.cause.sections.iter().any(|section| {
        let lines = section.first_line.zip(section.last_line);
        let is_there = section.file.as_ref() == Some(&position.file)
            && lines.is_some_and(|(first, last)| (first..=last).contains(&position.line));
        section.operation == name && (is_there || section.file.is_none())
    })
}

/// A row in a sentence, for those who do not see the diagram.
fn spoken(report: &Report, execution: &ShownExecution, number: usize) -> String {
    let row = &execution.rows[number];
    let thread = &execution.threads[row.thread].name;
    let what = match row.sort {
        Sort::Call => format!("calls {}", row.text),
        Sort::Return => format!("returns {}", row.text),
        Sort::Event | Sort::Remark => row.text.clone(),
    };
    let seen = row.seen.as_ref().map(|seen| format!(", sees {seen}")).unwrap_or_default();
    let place = if row.place.is_empty() { String::new() } else { format!(", at {}", row.place) };
    let mark = row.mark.map(|mark| format!(", marked ({mark})")).unwrap_or_default();
    let cause = if in_cause(report, row) { ", part of the cause" } else { "" };
    format!("Row {}, {thread}: {what}{seen}{place}{mark}{cause}", number + 1)
}

pub(super) fn svg(report: &Report, execution: &ShownExecution) -> String {
    let layout = Layout::of(execution);
    let (width, height) = (layout.width, layout.height);
    // Writing to a string does not fail.
    let mut svg = format!(
        "<svg id=\"diagram\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" role=\"listbox\" aria-label=\"The execution, row by row; arrow keys go from one to the next\">\n"
    );
    for (kind, _) in RELATIONS {
        let _ = writeln!(
            svg,
            "<marker id=\"head-{kind}\" class=\"head {kind}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" \
             markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\"/></marker>"
        );
    }
    svg.push_str(&lanes(execution, &layout));
    svg.push_str(&boxes(execution, &layout));
    svg.push_str(&edges(execution, &layout));
    for number in 0..execution.rows.len() {
        let (x, y) = (LEFT - 14, layout.middle(number) + 4);
        let _ = writeln!(svg, "<text class=\"number\" aria-hidden=\"true\" x=\"{x}\" y=\"{y}\">{}</text>", number + 1);
        svg.push_str(&act(report, execution, &layout, number));
    }
    svg + "</svg>\n"
}

fn lanes(execution: &ShownExecution, layout: &Layout) -> String {
    let mut svg = String::new();
    for (thread, (left, width)) in execution.threads.iter().zip(&layout.lanes) {
        let name = match &thread.given_name {
            Some(given) => format!("{} `{given}`", thread.name),
            None => thread.name.clone(),
        };
        let (x, bottom) = (left + DOT, layout.height - 6);
        let name = escape(&shortened(&name, width / CHARACTER)).to_string();
        let _ = writeln!(
            svg,
            "<g role=\"presentation\"><text class=\"lane\" x=\"{left}\" y=\"22\">{name}</text><line class=\"lane\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\"/></g>"
        );
    }
    svg
}

/// Operations.
fn boxes(execution: &ShownExecution, layout: &Layout) -> String {
    let mut svg = String::new();
    for operation in &execution.operations {
        let (left, width) = layout.lanes[operation.thread];
        let (top, rows) = (TOP + operation.first * ROW + 1, operation.last - operation.first + 1);
        let height = rows * ROW - 2;
        let open = if operation.result.is_none() { " open" } else { "" };
        let _ = writeln!(
            svg,
            "<rect class=\"operation{open}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"7\" \
             role=\"presentation\"/>"
        );
    }
    svg
}

/// The relations that are drawn, with the words for them.
pub(super) const RELATIONS: [(&str, &str); 3] =
    [("rf", "reads from"), ("mo", "modification order"), ("conflict", "conflicts")];

fn edges(execution: &ShownExecution, layout: &Layout) -> String {
    let relations = [&execution.reads_from, &execution.modification_order, &execution.conflicts];
    let mut svg = "<g class=\"edges\" aria-hidden=\"true\">\n".to_owned();
    for ((kind, _), pairs) in RELATIONS.iter().zip(relations) {
        for &(from, to) in pairs {
            let _ = writeln!(
                svg,
                "<path class=\"edge {kind}\" data-from=\"{from}\" data-to=\"{to}\" d=\"{}\" marker-end=\"url(#head-{kind})\"/>",
                path(layout.dot(execution, from), layout.dot(execution, to), kind)
            );
        }
    }
    svg + "</g>\n"
}

/// A curve from dot to dot that ends beside them. Relations bend differently, so that one does not hide another.
fn path((x1, y1): (usize, usize), (x2, y2): (usize, usize), kind: &str) -> String {
    let bend = match kind {
        "rf" => 34,
        "mo" => 20,
        _ => 50,
    };
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(|at| at as i64);
    match x1.cmp(&x2) {
        // In a lane: out to the left and back.
        std::cmp::Ordering::Equal => {
            let (x, out) = (x1 - 6, x1 - 6 - bend / 2);
            format!("M{x} {y1}C{out} {y1} {out} {y2} {x} {y2}")
        }
        std::cmp::Ordering::Less => {
            format!("M{} {y1}C{} {y1} {} {y2} {} {y2}", x1 + 6, x1 + 6 + bend, x2 - 6 - bend, x2 - 7)
        }
        std::cmp::Ordering::Greater => {
            format!("M{} {y1}C{} {y1} {} {y2} {} {y2}", x1 - 6, x1 - 6 - bend, x2 - 6 - bend, x2 - 7)
        }
    }
}

fn act(report: &Report, execution: &ShownExecution, layout: &Layout, number: usize) -> String {
    let row = &execution.rows[number];
    let (x, y) = layout.dot(execution, number);
    let (left, width) = layout.lanes[row.thread];
    let mut classes = vec![match row.sort {
        Sort::Event => "event",
        Sort::Call => "call",
        Sort::Return => "return",
        Sort::Remark => "remark",
    }];
    if row.access.as_ref().is_some_and(|access| access.is_write) {
        classes.push("write");
    }
    if in_cause(report, row) {
        classes.push("cause");
    }
    if row.mark.is_some() {
        classes.push("marked");
    }
    let mut svg = format!(
        "<g class=\"act {}\" id=\"row-{number}\" data-row=\"{number}\" role=\"option\" aria-selected=\"false\" tabindex=\"-1\" \
         aria-label=\"{}\">",
        classes.join(" "),
        escape(&spoken(report, execution, number))
    );
    let (top, room) = (y - ROW / 2, (width - DOT - TEXT) / CHARACTER);
    let _ =
        write!(svg, "<rect class=\"ground\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\" rx=\"5\"/>");
    match row.sort {
        Sort::Event => {
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\"/>");
        }
        Sort::Remark => {
            let _ = write!(svg, "<path class=\"sign\" d=\"M{x} {}l6 6l-6 6l-6 -6z\"/>", y - 6);
        }
        Sort::Call | Sort::Return => {}
    }
    if let Some(mark) = row.mark {
        let _ = write!(svg, "<text class=\"mark\" x=\"{}\" y=\"{}\">({mark})</text>", left + 1, y + 4);
    }
    let text = escape(&shortened(&label(row), room)).to_string();
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{text}</text></g>", x + TEXT, y + 4);
    svg
}

/// The rows that somebody wants to see first: what is marked, otherwise where the cause begins, in each thread but the one that runs
/// setup and epilogue.
pub(super) fn of_interest(report: &Report, execution: &ShownExecution) -> Vec<(usize, String)> {
    let numbered = || execution.rows.iter().enumerate();
    let mut marked: Vec<(usize, String)> =
        numbered().filter_map(|(number, row)| Some((number, format!("({})", row.mark?)))).collect();
    marked.sort_by(|(_, left), (_, right)| left.cmp(right));
    if !marked.is_empty() {
        return marked;
    }
    let name = |row: &Row| &execution.threads[row.thread].name;
    let mut threads = BTreeSet::new();
    let first = |(_, row): &(usize, &Row)| in_cause(report, row) && name(row) != "main" && threads.insert(row.thread);
    numbered().filter(first).map(|(number, row)| (number, format!("cause in {}", name(row)))).collect()
}
