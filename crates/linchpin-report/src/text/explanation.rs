//! Why a client fails.

use super::excerpt::excerpts;
use super::style::{Emphasis, Style};
use super::summary::counted;
use super::wrap::{bullet, indented, paragraph};
use crate::report::advice::named;
use crate::report::{
    Calls, Candidate, Choice, Excerpt, Explained, Extent, Race, RaceSequence, Races, Ranking, Section, Verified, Weak,
};

/// So many rankings are shown,
const MOST_RANKINGS: usize = 3;
/// so many candidates of each,
const MOST_CANDIDATES: usize = 5;
/// and so many sequences of races.
const MOST_SEQUENCES: usize = 3;

/// `sources` are shown with the cause underlined, if it is in them.
pub(super) fn explanation(explanation: &Explained, sources: &[Excerpt], style: Style) -> String {
    let width = style.sentence_width();
    let mut text = String::new();
    if explanation.verification == Verified::NothingFails {
        text.push_str(&match explanation.covered.coverage {
            Extent::Complete => "Nothing fails that could be explained.\n".to_owned(),
            Extent::Bounded => {
                format!("Nothing fails that could be explained, as far as it was explored: {}.\n", explanation.covered)
            }
        });
    } else {
        text.push_str(&cause(explanation, sources, style));
    }
    if let Some(weak) = &explanation.weak {
        text.push('\n');
        text.push_str(&disorder(weak, width));
    }
    if explanation.otherwise > 0 {
        let others = counted(explanation.otherwise, "execution");
        text.push_str(&paragraph(
            &format!("Besides, {others} violate something else, which is not looked at here."),
            width,
        ));
    }
    // Who has only one candidate knows it already.
    let has_choice = |ranking: &Ranking| ranking.candidates.len() > 1;
    if explanation.rankings.len() > 1 || explanation.rankings.iter().any(has_choice) {
        text.push_str(&rankings(explanation, style));
    }
    if let Some(found) = explanation.races.as_ref().filter(|races| !races.sequences.is_empty()) {
        text.push_str(&races(found, style));
    }
    text
}

fn cause(explanation: &Explained, sources: &[Excerpt], style: Style) -> String {
    let width = style.sentence_width();
    let sections = &explanation.cause.sections;
    let all = counted(explanation.violating + explanation.linearizable, "execution");
    let wrong = format!("{} of {all}", explanation.violating);
    if sections.is_empty() {
        return paragraph(
            &format!(
                "{wrong} fail, and no section of the code that is made atomic would change that: the same accesses in the \
                 same order are possible when operations run one after another. Either they are wrong then, too, or they \
                 work on memory that Linchpin does not see."
            ),
            width,
        );
    }
    let mut text = paragraph(&format!("Cause: {}.", must_be_atomic(sections)), style.width);
    text.replace_range(.."Cause:".len(), &style.paint(Emphasis::Heading, "Cause:"));
    text.push_str(&excerpts(sections, sources, style));
    let with_it = with_it(explanation);
    text.push_str(&paragraph(&format!("Without that, {wrong} fail. With it, {with_it}."), width));
    if let Some(elsewhere) = elsewhere(explanation) {
        text.push_str(&paragraph(&elsewhere, width));
    }
    let cost = match explanation.cause.disables {
        0 => "It makes no execution impossible that is right.".to_owned(),
        some => {
            format!("It makes {some} of {} impossible that are right.", counted(explanation.linearizable, "execution"))
        }
    };
    let cheapest =
        if explanation.is_cheapest { "" } else { " Something that costs less may have been missed: a budget ran out." };
    text.push_str(&paragraph(&format!("{cost}{cheapest}"), width));
    if sections.iter().any(|section| section.file.is_none()) {
        text.push_str(&paragraph(
            "Which lines of an operation that would take cannot be said, since its accesses are in different files or in a loop \
             that it begins with. In functions that it calls, accesses count at the line of the call if there is debug \
             information, or if they have #[track_caller].",
            width,
        ));
    }
    text
}

/// `line 12 does that at list.rs:40 and list.rs:44`, for lines of the cause that call functions which do it.
fn elsewhere(explanation: &Explained) -> Option<String> {
    let one = |calls: &Calls| format!("line {} does that at {}", calls.line, calls.accesses.join(" and "));
    let lines: Vec<String> = explanation.calls.iter().map(one).collect();
    (!lines.is_empty()).then(|| format!("The accesses are in functions that are called: {}.", lines.join(", ")))
}

/// What happens if the cause is removed.
pub(crate) fn with_it(explanation: &Explained) -> String {
    match explanation.verification {
        Verified::NothingFails | Verified::Yes => "none does: verified".to_owned(),
        Verified::WithinBounds => {
            format!("none of these does: verified within bounds ({})", explanation.covered)
        }
        Verified::Partly => format!("{} stay possible: no atomic section rules them out", explanation.left),
    }
}

/// `lines 8 to 9 of stack.rs (pop) must be atomic`
pub(crate) fn must_be_atomic(sections: &[Section]) -> String {
    let all: Vec<String> = sections.iter().map(|section| format!("{} must be atomic", named(section))).collect();
    all.join(", and ")
}

fn rankings(explanation: &Explained, style: Style) -> String {
    let mut text = "\nCandidates for single executions, the likeliest first:\n".to_owned();
    for ranking in explanation.rankings.iter().take(MOST_RANKINGS) {
        text.push_str(&format!("  in {}\n", counted(ranking.cases, "case")));
        for (number, candidate) in ranking.candidates.iter().take(MOST_CANDIDATES).enumerate() {
            let line = format!("{}. {candidate}: {}", number + 1, cost(candidate));
            text.push_str(&indented(&line, style.width, 4));
        }
        more(&mut text, "    ", ranking.candidates.len(), MOST_CANDIDATES);
        if !ranking.is_complete {
            text.push_str("    a budget ran out: there may be others\n");
        }
    }
    more(&mut text, "  ", explanation.rankings.len(), MOST_RANKINGS);
    text
}

/// What else would be impossible.
pub(crate) fn cost(candidate: &Candidate) -> String {
    match candidate.disables {
        0 => "makes nothing impossible that is right".to_owned(),
        some => format!("makes {} impossible that are right", counted(some, "execution")),
    }
}

fn more(text: &mut String, indent: &str, all: usize, shown: usize) {
    if all > shown {
        text.push_str(&format!("{indent}and {} more\n", all - shown));
    }
}

fn races(races: &Races, style: Style) -> String {
    let mut text = format!("\n{}", paragraph(&format!("{}:", decisive(races)), style.width));
    for sequence in races.sequences.iter().take(MOST_SEQUENCES) {
        text.push_str(&told(sequence, style));
    }
    more(&mut text, "  ", races.sequences.len(), MOST_SEQUENCES);
    text
}

/// What is said above the races.
pub(crate) fn decisive(races: &Races) -> String {
    let reduced =
        if races.is_reduced { ", not counting the order of steps that have nothing to do with each other" } else { "" };
    format!("Decisive races, in {} right and {} wrong interleavings{reduced}", races.right, races.wrong)
}

fn told(sequence: &RaceSequence, style: Style) -> String {
    let mut text = format!("  {}\n", sequence.pattern);
    for race in &sequence.races {
        text.push_str(&indented(&decided(race), style.width, 4));
    }
    text
}

/// `t1 store at stack.rs:9 or t2 load at stack.rs:8: t2 comes first, and from here on every end is wrong`
pub(crate) fn decided(race: &Race) -> String {
    let described =
        |choice: &Choice| format!("{} {} at {}", choice.step.thread, choice.step.verb, choice.step.position);
    let choices: Vec<String> = race.choices.iter().map(described).collect();
    let Some(winner) = race.choices.get(race.winner) else { return choices.join(" or ") };
    let others = |is_meant: fn(&Choice) -> bool| -> Vec<&str> {
        race.choices.iter().filter(|choice| is_meant(choice)).map(|choice| choice.step.thread.as_str()).collect()
    };
    let consequence = match (winner.is_wrong(), others(Choice::is_right), others(Choice::is_wrong)) {
        (true, _, _) => "and from here on every end is wrong".to_owned(),
        (_, right, _) if !right.is_empty() => {
            format!("not {}, after which every end would be right", right.join(" or "))
        }
        (_, _, wrong) => format!("not {}, after which every end would be wrong", wrong.join(" or ")),
    };
    format!("{}: {} comes first, {consequence}", choices.join(" or "), winner.step.thread)
}

/// What is wrong with executions that are no interleavings.
fn disorder(weak: &Weak, width: usize) -> String {
    let mut text = paragraph(&missing_order(weak), width);
    for part in &weak.cycle {
        text.push_str(&bullet(&format!("{} {}({}) at {}", part.thread, part.verb, part.order, part.position), width));
    }
    text
}

/// What is said above a cycle.
pub(crate) fn missing_order(weak: &Weak) -> String {
    format!(
        "Failing executions that no interleaving of the threads has: {}. Their cause is a missing order between accesses, not \
         missing atomicity. In the first of them each of these comes before the next, and the last before the first:",
        weak.executions
    )
}
