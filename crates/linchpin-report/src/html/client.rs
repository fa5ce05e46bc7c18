//! The client: what was run, what it returned, and what would have been right.

use std::fmt::Write;

use crate::escape::escape;
use crate::report::{Closest, Report, ShownClient};

/// The client as a little table, and what is known about its outcome.
pub(super) fn body(report: &Report) -> String {
    let mut html = String::new();
    if let Some(client) = &report.minimum_test {
        html.push_str(&table(client, report));
        let original = report.original_test.as_ref().filter(|original| *original != client);
        if let Some(original) = original {
            let _ = writeln!(html, "<p>It was made smaller from <code>{}</code>.</p>", escape(&original.to_string()));
        }
        if let Some(minimality) = &report.minimality {
            let _ = writeln!(html, "<p>{}</p>", escape(minimality));
        }
    }
    html.push_str(&closest(&report.closest));
    html
}

fn table(client: &ShownClient, report: &Report) -> String {
    let mut results = report.outcome.iter().enumerate();
    let mut part = |title: &str, class: &str, invocations: &[String]| {
        let mut html = format!("<div class=\"part {class}\"><h3>{}</h3><ol>", escape(title));
        for invocation in invocations {
            let _ = write!(html, "<li><code>{}</code>", escape(invocation));
            let result = results.next().map(|(position, result)| match report.unreturned.contains(&position) {
                true => "has not returned".to_owned(),
                false => format!("→ {}", shown(result)),
            });
            if let Some(result) = result {
                let _ = write!(html, " <span class=\"result\">{}</span>", escape(&result));
            }
            html.push_str("</li>");
        }
        html + "</ol></div>\n"
    };
    let mut html = "<div class=\"client\">\n".to_owned();
    if !client.setup.is_empty() {
        html.push_str(&part("First", "alone", &client.setup));
    }
    html.push_str("<div class=\"parallel\" role=\"group\" aria-label=\"At the same time\">\n");
    for (number, thread) in client.threads.iter().enumerate() {
        html.push_str(&part(&format!("Thread {}", number + 1), "thread", thread));
    }
    html.push_str("</div>\n");
    if !client.epilogue.is_empty() {
        html.push_str(&part("At the end", "alone", &client.epilogue));
    }
    html + "</div>\n"
}

/// A value as operations return it.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "nil".to_owned(),
        other => other.to_string(),
    }
}

fn closest(closest: &[Closest]) -> String {
    if closest.is_empty() {
        return String::new();
    }
    let mut html =
        "<p>No order of the invocations returns that. These come closest:</p>\n<ul class=\"closest\">\n".to_owned();
    for near in closest {
        let order: Vec<String> = near.order.iter().map(|call| format!("<code>{}</code>", escape(call))).collect();
        let differences = escape(&near.differences.join(", ")).to_string();
        let _ = writeln!(html, "<li>{}<br><span class=\"quiet\">but {differences}</span></li>", order.join(", then "));
    }
    html + "</ul>\n"
}
