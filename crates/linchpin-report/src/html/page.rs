//! The page of one report, from top to bottom.

use std::fmt::Write;

use super::time::moment;
use super::{cause, client, conflict, diagram, list, paragraphs, section, steps, tree};
use crate::escape::escape;
use crate::report::{Report, Row, ShownExecution, Sort};
use crate::text::report::looked_at;

pub(super) fn body(report: &Report) -> String {
    let mut html = header(report);
    html.push_str("<main>\n");
    html.push_str(&section("client", "Client", &client::body(report)));
    html.push_str(&section("execution", "Execution", &execution(report)));
    // What comes closest stands with the client.
    let why = report.why.iter().skip(usize::from(!report.closest.is_empty()));
    html.push_str(&section("why", "Why that is wrong", &paragraphs(why)));
    html.push_str(&section("cause", "Cause", &cause::body(report)));
    html.push_str(&section("conflicts", "Conflict graph", &conflict::body(report)));
    html.push_str(&section("races", "Decisive races", &tree::body(report)));
    html.push_str(&section("known", "What is known", &known(report)));
    html.push_str(&section("next", "What to do", &next(report)));
    html.push_str("</main>\n");
    html
}

fn header(report: &Report) -> String {
    let mut html = "<header>\n<p class=\"quiet\"><a href=\"index.html\">All failures</a>".to_owned();
    for part in [report.test.clone(), report.object.clone(), moment(report.time)].into_iter().flatten() {
        let _ = write!(html, " · {}", escape(&part));
    }
    let class = if report.kind.is_fault_of_code() { "bad" } else { "fair" };
    let _ = writeln!(
        html,
        "</p>\n<p><span class=\"badge {class}\">{}</span></p>\n<h1>{}</h1>\n</header>",
        report.kind,
        escape(&report.headline)
    );
    html
}

fn execution(report: &Report) -> String {
    let Some(execution) = report.execution.as_ref().filter(|execution| !execution.rows.is_empty()) else {
        return String::new();
    };
    let mut html = String::new();
    if !execution.is_interleaving {
        html.push_str(
            "<p>No interleaving of these rows lets every read see the last write before it: the execution takes weak memory. \
             Look at what each read sees.</p>\n",
        );
    }
    html.push_str(&tools(report, execution));
    html.push_str("<div class=\"stage\">\n<div class=\"scroll\">\n");
    html.push_str(&diagram::svg(report, execution));
    html.push_str("</div>\n<aside id=\"steps\" aria-live=\"polite\" aria-label=\"The row that is selected\">\n");
    html.push_str(
        "<p class=\"quiet\" id=\"hint\">Select a row, or go through them with the arrow keys: what it did, where in the source, \
         and what memory holds then stands here.</p>\n",
    );
    html.push_str(&steps::items(report, execution));
    html.push_str("</aside>\n</div>\n");
    html.push_str(&legend(execution));
    html.push_str(&table(execution));
    html
}

fn tools(report: &Report, execution: &ShownExecution) -> String {
    let mut html =
        "<div class=\"tools\" role=\"toolbar\" aria-label=\"Walk through the execution\" aria-controls=\"diagram\">\n"
            .to_owned();
    for (action, sign, label) in
        [("first", "|◀", "First row"), ("back", "◀", "Row before"), ("on", "▶", "Next row"), ("last", "▶|", "Last row")]
    {
        let _ = writeln!(
            html,
            "<button type=\"button\" data-step=\"{action}\" aria-label=\"{label}\" title=\"{label}\">{sign}</button>"
        );
    }
    for (row, name) in diagram::of_interest(report, execution) {
        let _ =
            writeln!(html, "<button type=\"button\" data-goto=\"{row}\" class=\"interest\">{}</button>", escape(&name));
    }
    for (kind, words) in diagram::RELATIONS {
        let _ = writeln!(
            html,
            "<label class=\"{kind}\"><input type=\"checkbox\" data-relation=\"{kind}\"> {words}</label>"
        );
    }
    html + "</div>\n"
}

/// What the letters stand for.
fn legend(execution: &ShownExecution) -> String {
    if execution.locations.is_empty() {
        return String::new();
    }
    let mut html = "<details><summary>What the letters stand for</summary>\n<dl class=\"legend\">\n".to_owned();
    for location in &execution.locations {
        let before = location.before.as_ref().map(|name| format!(", at the address that {name} had before"));
        let (name, what) = (escape(&location.name).to_string(), escape(&location.what).to_string());
        let _ = writeln!(
            html,
            "<div><dt>{name}</dt><dd>{what}, first used at <code>{}</code>{}",
            escape(&location.first_used),
            escape(&before.unwrap_or_default())
        );
        if !execution.is_interleaving && location.values.len() > 1 {
            let _ = write!(html, "; takes the values {} in this order", escape(&location.values.join(", ")));
        }
        html.push_str("</dd></div>\n");
    }
    html + "</dl></details>\n"
}

/// The same as the diagram, for those who cannot use it, and for copying.
fn table(execution: &ShownExecution) -> String {
    let mut html = "<details><summary>The same as a table</summary>\n<div class=\"scroll\"><table class=\"rows\">\n<thead><tr><th \
                    scope=\"col\">#</th><th scope=\"col\">thread</th><th scope=\"col\">what</th><th scope=\"col\">sees</th><th \
                    scope=\"col\">where</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for (number, row) in execution.rows.iter().enumerate() {
        let Row { seen, place, .. } = row;
        let text = match row.sort {
            Sort::Call => format!("calls {}", row.text),
            Sort::Return => format!("returns {}", row.text),
            Sort::Event | Sort::Remark => row.text.clone(),
        };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td><td><code>{}</code></td></tr>",
            number + 1,
            escape(&execution.threads[row.thread].name),
            escape(&text),
            escape(seen.as_deref().unwrap_or_default()),
            escape(place)
        );
    }
    html + "</tbody></table></div></details>\n"
}

fn known(report: &Report) -> String {
    // What is known about smaller clients stands with the client.
    let mut items: Vec<String> = report.other_clients.iter().cloned().collect();
    items.extend(report.executions.map(|executions| looked_at(executions, report)));
    items.extend(report.assumptions.iter().map(|assumption| format!("Assumed: {assumption}.")));
    let seconds = |(phase, seconds): (&String, &f64)| format!("{phase} {seconds:.2} s");
    let times: Vec<String> = report.seconds.iter().map(seconds).collect();
    if !times.is_empty() {
        items.push(format!("It took: {}.", times.join(", ")));
    }
    list(&items)
}

fn next(report: &Report) -> String {
    let mut html = list(&report.next);
    if let Some(command) = &report.replay_command {
        let command = escape(command).to_string();
        let _ = writeln!(
            html,
            "<p>This execution again, and only this one:</p>\n<div class=\"command\"><pre tabindex=\"0\"><code>{command}</code></pre><button \
             type=\"button\" data-copy>Copy</button></div>"
        );
    }
    html
}
