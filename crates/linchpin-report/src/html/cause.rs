//! What would have to be atomic, and what else would do.

use std::fmt::Write;

use super::source::excerpt;
use crate::escape::escape;
use crate::report::{Explained, Ranking, Report, Section, Verified, Weak};
use crate::text::explanation::{cost, missing_order, must_be_atomic, with_it};
use crate::text::summary::counted;

/// So many candidates are shown.
const MOST: usize = 12;

pub(super) fn body(report: &Report) -> String {
    let Some(explained) = &report.explanation else { return String::new() };
    let mut html = String::new();
    if explained.verification != Verified::NothingFails {
        html.push_str(&cause(report, explained));
    }
    if let Some(weak) = &explained.weak {
        html.push_str(&disorder(weak));
    }
    html.push_str(&alternatives(explained));
    html
}

fn cause(report: &Report, explained: &Explained) -> String {
    let sections = &explained.cause.sections;
    let all = counted(explained.violating + explained.linearizable, "execution");
    let wrong = format!("{} of {all} fail", explained.violating);
    if sections.is_empty() {
        return format!("<p>{wrong}, and no section of the code that is made atomic would change that.</p>\n");
    }
    let (badge, class) = match explained.verification {
        Verified::Yes | Verified::NothingFails => ("verified", "good"),
        Verified::WithinBounds => ("verified within bounds", "fair"),
        Verified::Partly => ("not all of it", "bad"),
    };
    let mut html = format!(
        "<p><strong>{}.</strong> <span class=\"badge {class}\">{badge}</span></p>\n",
        sentence(&must_be_atomic(sections))
    );
    html.extend(sections.iter().filter_map(|section| shown(report, section)));
    let _ = writeln!(
        html,
        "<p>Without that, {wrong}. With it, {}. It {}.</p>",
        escape(&with_it(explained)),
        cost(&explained.cause)
    );
    html
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    escape(&(first + characters.as_str())).to_string()
}

fn shown(report: &Report, section: &Section) -> Option<String> {
    let (file, first, last) = (section.file.as_ref()?, section.first_line?, section.last_line?);
    let source = excerpt(report, file, first, last, 2)?;
    Some(format!(
        "<figure><figcaption><code>{}</code> in <code>{}:{first}</code></figcaption>\n{source}</figure>\n",
        escape(&section.operation),
        escape(file)
    ))
}

fn disorder(weak: &Weak) -> String {
    let mut html = format!("<p>{}</p>\n<ol>\n", escape(&missing_order(weak)));
    for part in &weak.cycle {
        let text = format!("{} {}({}) at {}", part.thread, part.verb, part.order, part.position);
        let _ = writeln!(html, "<li><code>{}</code></li>", escape(&text));
    }
    html + "</ol>\n"
}

/// Everything else that would rule some failing execution out, by rank.
fn alternatives(explained: &Explained) -> String {
    let is_choice = |ranking: &Ranking| ranking.candidates.len() > 1;
    if explained.rankings.len() < 2 && !explained.rankings.iter().any(is_choice) {
        return String::new();
    }
    let mut html = "<details><summary>Alternatives, for single executions</summary>\n".to_owned();
    for ranking in &explained.rankings {
        let _ = writeln!(
            html,
            "<table><caption>In {}</caption>\n<thead><tr><th scope=\"col\">rank</th><th scope=\"col\">make atomic</th><th \
             scope=\"col\">which forbids</th></tr></thead><tbody>",
            counted(ranking.cases, "failing execution")
        );
        for (number, candidate) in ranking.candidates.iter().take(MOST).enumerate() {
            let forbids = match candidate.disables {
                0 => "nothing that is right".to_owned(),
                some => format!("{} that are right", counted(some, "execution")),
            };
            let candidate = escape(&candidate.to_string()).to_string();
            let _ =
                writeln!(html, "<tr><td>{}</td><td><code>{candidate}</code></td><td>{forbids}</td></tr>", number + 1);
        }
        html.push_str("</tbody></table>\n");
        let more = ranking.candidates.len().saturating_sub(MOST);
        if more > 0 {
            let _ = writeln!(html, "<p>and {more} more</p>");
        }
        if !ranking.is_complete {
            html.push_str("<p>A budget ran out: there may be others.</p>\n");
        }
    }
    html + "</details>\n"
}
