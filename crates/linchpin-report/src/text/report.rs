//! A report as a colleague would tell it.

use super::style::{Emphasis, Style};
use super::wrap::{bullet, paragraph};
use super::{execution, explanation};
use crate::report::{Extent, Report};

pub(super) fn report(report: &Report, style: Style) -> String {
    let width = style.sentence_width();
    let mut parts = vec![style.paint(Emphasis::Alarm, &report.headline) + "\n"];
    parts.extend(client(report, style));
    parts.extend(report.execution.as_ref().map(|shown| execution::execution(shown, style)));
    parts.extend(report.why.iter().map(|why| paragraph(why, width)));
    let explained = report.explanation.as_ref();
    parts.extend(explained.map(|explained| explanation::explanation(explained, &report.sources, style)));
    parts.extend(known(report, style));
    if !report.next.is_empty() {
        let steps: String = report.next.iter().map(|step| bullet(step, width)).collect();
        parts.push(format!("{}\n{steps}", style.paint(Emphasis::Heading, "What to do:")));
    }
    if let Some(command) = &report.replay_command {
        let heading = style.paint(Emphasis::Heading, "This execution again, and only this one:");
        parts.push(format!("{heading}\n    {command}\n"));
    }
    parts.join("\n")
}

/// The client whose execution is shown, unless the headline has it.
fn client(report: &Report, style: Style) -> Option<String> {
    let (object, client) = (report.object.as_ref()?, report.minimum_test.as_ref()?);
    let mut text = format!("{} {client}, a client of {object}\n", style.paint(Emphasis::Heading, "Client:"));
    if let Some(original) = report.original_test.as_ref().filter(|original| *original != client) {
        text.push_str(&paragraph(&format!("It was made smaller from {original}."), style.sentence_width()));
    }
    Some(text)
}

/// What is proven, and what was bounded.
fn known(report: &Report, style: Style) -> Option<String> {
    let mut items: Vec<String> = report.minimality.iter().chain(&report.other_clients).cloned().collect();
    items.extend(report.executions.map(|executions| looked_at(executions, report)));
    items.extend(report.assumptions.iter().map(|assumption| format!("Assumed: {assumption}.")));
    if items.is_empty() {
        return None;
    }
    let items: String = items.iter().map(|item| bullet(item, style.sentence_width())).collect();
    Some(format!("{}\n{items}", style.paint(Emphasis::Heading, "What is known:")))
}

/// How much was looked at, in a sentence.
pub(crate) fn looked_at(executions: u64, report: &Report) -> String {
    let executions = super::summary::counted(executions, "execution");
    match report.covered.coverage {
        Extent::Complete => format!("All {executions} were looked at."),
        Extent::Bounded if report.covered.bounded_by == ["the first violation"] => {
            format!(
                "This is execution {} of those that were looked at; the search ended with it.",
                report.executions.unwrap_or(1)
            )
        }
        Extent::Bounded => format!("{executions} were looked at; coverage: {}.", report.covered),
    }
}
