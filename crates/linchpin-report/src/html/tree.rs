//! The races that decide, and the interleaving tree around them.

use std::fmt::Write;

use crate::escape::escape;
use crate::report::{Races, Report, TreeBranch, TreePoint, TreeStep};
use crate::text::explanation::{decided, decisive};

/// So many sequences of races are shown.
const MOST: usize = 6;
/// Points as deep as this are open at first.
const OPEN: usize = 2;

pub(super) fn body(report: &Report) -> String {
    let Some(races) = report.explanation.as_ref().and_then(|explained| explained.races.as_ref()) else {
        return String::new();
    };
    let mut html = String::new();
    if !races.sequences.is_empty() {
        html.push_str(&sequences(races));
    }
    if let Some(root) = races.tree.first() {
        let mut seen = vec![false; races.tree.len()];
        let _ = writeln!(
            html,
            "<h3>Interleaving tree</h3>\n<p class=\"quiet\">Folded: below a point where all ends are right, or all are wrong, \
             nothing is shown, and steps without a choice are one. Each point says how many ends below it are right and wrong.</p>\n<div \
             class=\"tree\">{}",
            ends(root)
        );
        branches(races, 0, 0, &mut seen, &mut html);
        html.push_str("</div>\n");
    }
    html
}

fn sequences(races: &Races) -> String {
    let mut html = format!("<p>{}:</p>\n", escape(&decisive(races)));
    for sequence in races.sequences.iter().take(MOST) {
        html.push_str("<ol class=\"races\">\n");
        for race in &sequence.races {
            let _ = writeln!(html, "<li>{}</li>", escape(&decided(race)));
        }
        html.push_str("</ol>\n");
    }
    let more = races.sequences.len().saturating_sub(MOST);
    if more > 0 {
        let _ = writeln!(html, "<p>and {more} more</p>");
    }
    html
}

/// What can be done at a point, each with what comes of it. A point that several ways lead to is shown once.
fn branches(races: &Races, point: usize, depth: usize, seen: &mut [bool], html: &mut String) {
    seen[point] = true;
    html.push_str("<ul>\n");
    for TreeBranch { steps, point } in &races.tree[point].branches {
        let Some(next) = races.tree.get(*point) else { continue };
        let steps = steps.iter().map(step).collect::<Vec<_>>().join(" ");
        let label = format!("{steps} {}", ends(next));
        if next.branches.is_empty() {
            let cut = if is_grey(next) { " <span class=\"quiet\">left out</span>" } else { "" };
            let _ = writeln!(html, "<li>{label}{cut}</li>");
        } else if seen[*point] {
            let _ = writeln!(html, "<li>{label} <a href=\"#point-{point}\">as above</a></li>");
        } else {
            let open = if depth < OPEN { " open" } else { "" };
            let _ = writeln!(html, "<li><details id=\"point-{point}\"{open}><summary>{label}</summary>");
            branches(races, *point, depth + 1, seen, html);
            html.push_str("</details></li>\n");
        }
    }
    html.push_str("</ul>\n");
}

fn step(step: &TreeStep) -> String {
    let file = step.position.file.rsplit('/').next().unwrap_or_default();
    format!(
        "<code title=\"{}\">{} {} <b>{}:{}</b></code>",
        escape(&step.position.to_string()),
        escape(&step.thread),
        escape(&step.verb),
        escape(file),
        step.position.line
    )
}

fn is_grey(point: &TreePoint) -> bool {
    point.right > 0 && point.wrong > 0
}

/// A point's label, in words and in the paper's letters.
fn ends(point: &TreePoint) -> String {
    let (class, words) = match (point.right, point.wrong) {
        (right, 0) => ("good", format!("{right} right")),
        (0, wrong) => ("bad", format!("{wrong} wrong")),
        (right, wrong) => ("fair", format!("{right} right, {wrong} wrong")),
    };
    format!("<span class=\"badge {class}\" title=\"{}\">{words}</span>", escape(&point.label))
}
