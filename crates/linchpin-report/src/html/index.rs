//! The page over many reports.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::time::moment;
use crate::escape::escape;
use crate::report::Report;
use crate::text::summary::counted;

pub(super) fn body(reports: &[Report]) -> String {
    // Runs, the newest first; the time of a run is that of its newest report.
    let mut runs: BTreeMap<&str, Vec<&Report>> = BTreeMap::new();
    for report in reports {
        runs.entry(&report.run).or_default().push(report);
    }
    let mut runs: Vec<Vec<&Report>> = runs.into_values().collect();
    let time = |run: &[&Report]| run.iter().map(|report| report.time).max().unwrap_or(0);
    runs.sort_by_key(|run| std::cmp::Reverse(time(run)));
    let Some((newest, earlier)) = runs.split_first() else {
        return "<header>\n<h1>Nothing was found</h1>\n</header>\n<main></main>\n".to_owned();
    };
    let when = moment(time(newest)).map(|when| format!(", {when}")).unwrap_or_default();
    let mut html = format!(
        "<header>\n<p class=\"quiet\">Linchpin</p>\n<h1>{}</h1>\n<p class=\"quiet\">of the newest run that found any{when}</p>\n</header>\n<main>\n",
        counted(newest.len() as u64, "failure")
    );
    html.push_str(&cards(newest));
    if !earlier.is_empty() {
        let old: Vec<&Report> = earlier.iter().flatten().copied().collect();
        let _ = writeln!(
            html,
            "<details class=\"earlier\"><summary>{} of earlier runs, which may be gone by now</summary>\n{}</details>",
            counted(old.len() as u64, "failure"),
            cards(&old)
        );
    }
    html + "</main>\n"
}

fn cards(reports: &[&Report]) -> String {
    let mut sorted = reports.to_vec();
    sorted.sort_by_key(|report| (std::cmp::Reverse(report.time), &report.name));
    let mut html = "<ul class=\"cards\">\n".to_owned();
    for report in sorted {
        let class = if report.kind.is_fault_of_code() { "bad" } else { "fair" };
        let name = escape(report.test.as_ref().unwrap_or(&report.name)).to_string();
        let _ = write!(
            html,
            "<li><a href=\"{}.html\"><span class=\"badge {class}\">{}</span> <strong>{name}</strong></a>\n<p>{}</p>\n",
            escape(&report.file_name()),
            report.kind,
            escape(&report.headline)
        );
        if let Some(client) = &report.minimum_test {
            let _ = writeln!(html, "<p><code>{}</code></p>", escape(&client.to_string()));
        }
        if let Some(when) = moment(report.time) {
            let _ = writeln!(html, "<p class=\"quiet\">{when}</p>");
        }
        html.push_str("</li>\n");
    }
    html + "</ul>\n"
}
