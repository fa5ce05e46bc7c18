//! The conflict graph: which operation comes before which, and the cycle that no order can have.

use std::fmt::Write;

use crate::escape::{columns, escape, shortened};
use crate::report::{ConflictEdge, ConflictGraph, Kind, Report, ShownExecution};

/// More operations than this are nothing to look at.
const MOST: usize = 40;
const CHARACTER: usize = 7;
const HEIGHT: usize = 34;
const GAP_X: usize = 90;
const GAP_Y: usize = 16;
const MARGIN: usize = 30;

/// A box for each operation: left, top, width.
type Boxes = Vec<(usize, usize, usize)>;

pub(super) fn body(report: &Report) -> String {
    let Some(execution) = report.execution.as_ref() else { return String::new() };
    if execution.operations.len() < 2 || execution.operations.len() > MOST {
        return String::new();
    }
    let graph = execution.conflict_graph();
    // Where nothing is wrong with the outcome, a graph without a cycle explains nothing.
    if graph.cycle.is_empty() && report.kind != Kind::NotLinearizable {
        return String::new();
    }
    let mut html = match graph.cycle.is_empty() {
        true => "<p>Accesses order the operations without a cycle: the same accesses are possible when operations run one after \
                 another.</p>\n"
            .to_owned(),
        false => "<p>Each of these has an access that comes before a conflicting one of the next, and the last before the first. So \
                  the operations cannot be put in order:</p>\n"
            .to_owned()
            + &cycle(execution, &graph),
    };
    html.push_str(&svg(execution, &graph));
    html
}

fn name(execution: &ShownExecution, operation: usize) -> String {
    let operation = &execution.operations[operation];
    format!("{} of {}", operation.name, execution.threads[operation.thread].name)
}

/// The cycle in words.
fn cycle(execution: &ShownExecution, graph: &ConflictGraph) -> String {
    let mut html = "<ol>\n".to_owned();
    for edge in in_order(graph) {
        let (from, to) = (name(execution, edge.from), name(execution, edge.to));
        let _ = write!(html, "<li><code>{}</code> before <code>{}</code>", escape(&from), escape(&to));
        let _ = match edge.rows {
            Some((first, second)) => {
                let row = |number: usize| {
                    let text = escape(&execution.rows[number].text).to_string();
                    format!("<a href=\"#row-{number}\" data-goto=\"{number}\">#{}</a> <code>{text}</code>", number + 1)
                };
                writeln!(html, ": {} comes before {}</li>", row(first), row(second))
            }
            None => writeln!(html, ": one thread runs both</li>"),
        };
    }
    html + "</ol>\n"
}

/// The edges of the cycle, one after another.
fn in_order(graph: &ConflictGraph) -> Vec<&ConflictEdge> {
    let next = graph.cycle.iter().cycle().skip(1);
    let find = |(from, to): (&usize, &usize)| graph.edges.iter().find(|edge| (edge.from, edge.to) == (*from, *to));
    graph.cycle.iter().zip(next).filter_map(find).collect()
}

fn svg(execution: &ShownExecution, graph: &ConflictGraph) -> String {
    let boxes = boxes(execution);
    let width = boxes.iter().map(|(left, _, width)| left + width).max().unwrap_or(0) + MARGIN;
    let height = boxes.iter().map(|(_, top, _)| top + HEIGHT).max().unwrap_or(0) + MARGIN;
    let mut svg = format!(
        "<div class=\"scroll\"><svg class=\"conflicts\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"The conflict graph; its cycle is in the list above\">\n<marker \
         id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path \
         d=\"M0 0L8 4L0 8z\"/></marker><marker id=\"arrow-cycle\" class=\"cycle\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>\n"
    );
    for edge in graph.edges.iter().filter(|edge| is_drawn(execution, graph, edge)) {
        let class = if graph.is_on_cycle(edge) { "edge cycle" } else { "edge" };
        let marker = if graph.is_on_cycle(edge) { "arrow-cycle" } else { "arrow" };
        let path = path(boxes[edge.from], boxes[edge.to]);
        let _ = writeln!(svg, "<path class=\"{class}\" d=\"{path}\" marker-end=\"url(#{marker})\"/>");
    }
    for (number, &(left, top, width)) in boxes.iter().enumerate() {
        let class = if graph.cycle.contains(&number) { "cycle" } else { "" };
        let text = escape(&shortened(&name(execution, number), width / CHARACTER)).to_string();
        let (x, y) = (left + 10, top + HEIGHT / 2 + 4);
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\" rx=\"7\"/><text x=\"{x}\" \
             y=\"{y}\">{text}</text>"
        );
    }
    svg + "</svg></div>\n"
}

/// Of a thread's own order, neighbours are enough.
fn is_drawn(execution: &ShownExecution, graph: &ConflictGraph, edge: &ConflictEdge) -> bool {
    let between = |other: &ConflictEdge| {
        other.rows.is_none()
            && other.from == edge.from
            && execution.operations[other.to].first < execution.operations[edge.to].first
    };
    edge.rows.is_some() || graph.is_on_cycle(edge) || !graph.edges.iter().any(between)
}

/// Operations in a column for each thread, in the order of their calls; what the main thread runs last is below all others.
fn boxes(execution: &ShownExecution) -> Boxes {
    let width = |number: usize| columns(&name(execution, number)).min(40) * CHARACTER + 20;
    let mut lefts = Vec::new();
    let mut left = MARGIN;
    for thread in 0..execution.threads.len() {
        lefts.push(left);
        let own = (0..execution.operations.len()).filter(|&number| execution.operations[number].thread == thread);
        left += own.map(width).max().unwrap_or(0) + GAP_X;
    }
    // By the row of its call, each operation gets a line of its own: arrows then never lie on one another.
    let mut order: Vec<usize> = (0..execution.operations.len()).collect();
    order.sort_by_key(|&number| execution.operations[number].first);
    let line = |number: usize| order.iter().position(|&other| other == number).unwrap_or(0);
    let place = |number: usize| {
        let operation = &execution.operations[number];
        (lefts[operation.thread], 12 + line(number) * (HEIGHT + GAP_Y), width(number))
    };
    (0..execution.operations.len()).map(place).collect()
}

/// From the side of a box to the side of another.
fn path(from: (usize, usize, usize), to: (usize, usize, usize)) -> String {
    let middle = |(_, top, _): (usize, usize, usize)| (top + HEIGHT / 2) as i64;
    let (left, right) = (|of: (usize, usize, usize)| of.0 as i64, |of: (usize, usize, usize)| (of.0 + of.2) as i64);
    let (y1, y2) = (middle(from), middle(to));
    match from.0.cmp(&to.0) {
        std::cmp::Ordering::Equal => {
            let x = left(from);
            format!("M{x} {y1}C{} {y1} {} {y2} {} {y2}", x - 24, x - 24, x - 1)
        }
        std::cmp::Ordering::Less => {
            let (x1, x2, y1) = (right(from), left(to) - 1, y1 - 7);
            format!("M{x1} {y1}C{} {y1} {} {} {x2} {}", x1 + 40, x2 - 40, y2 - 7, y2 - 7)
        }
        std::cmp::Ordering::Greater => {
            let (x1, x2, y1) = (left(from), right(to) + 1, y1 + 7);
            format!("M{x1} {y1}C{} {y1} {} {} {x2} {}", x1 - 40, x2 + 40, y2 + 7, y2 + 7)
        }
    }
}
