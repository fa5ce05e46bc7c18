//! Why a client fails.

use std::collections::BTreeSet;

use linchpin_localize::eliminate::{Extent, Ranked, Section, Sections};
use linchpin_localize::tree::{Label, Race, Sequence};
use linchpin_localize::{Explanation, Place, Races, Ranking, Verification, Weak};
use linchpin_model::Coverage;

use super::summary::counted;
use super::wrap::{bullet, paragraph};
use crate::names::short;
use crate::phrase::name_of;

/// So many rankings are shown,
const MOST_RANKINGS: usize = 3;
/// so many candidates of each,
const MOST_CANDIDATES: usize = 5;
/// and so many sequences of races.
const MOST_SEQUENCES: usize = 3;

pub(super) fn explanation(explanation: &Explanation) -> String {
    let mut text = String::new();
    if explanation.verification() == Verification::NothingFails {
        text.push_str(&match &explanation.explored.coverage {
            Coverage::Complete => "Nothing fails that could be explained.\n".to_owned(),
            bounded => format!("Nothing fails that could be explained, as far as it was explored: {bounded}.\n"),
        });
    } else {
        text.push_str(&cause(explanation));
    }
    if let Some(weak) = &explanation.explored.weak {
        text.push('\n');
        text.push_str(&disorder(weak));
    }
    if explanation.explored.otherwise > 0 {
        let others = counted(explanation.explored.otherwise, "execution");
        text.push_str(&paragraph(&format!("Besides, {others} violate something else, which is not looked at here.")));
    }
    // Who has only one candidate knows it already.
    let has_choice = |ranking: &Ranking| ranking.ranked.len() > 1;
    if explanation.rankings.len() > 1 || explanation.rankings.iter().any(has_choice) {
        text.push_str(&rankings(explanation));
    }
    if let Some(found) = explanation.races.as_ref().filter(|races| !races.sequences.is_empty()) {
        text.push_str(&races(found));
    }
    text
}

fn cause(explanation: &Explanation) -> String {
    let cause = &explanation.cause;
    let wrong = cause.violating + explanation.explored.weak.as_ref().map_or(0, |weak| weak.executions);
    let wrong = format!("{wrong} of {}", counted(wrong + cause.linearizable, "execution"));
    if cause.sections.is_empty() {
        return paragraph(&format!(
            "{wrong} fail, and no section of the code that is made atomic would change that: the same accesses in the same \
             order are possible when operations run one after another. Either they are wrong then, too, or they work on \
             memory that Linchpin does not see."
        ));
    }
    let mut text = format!("Cause: {}.\n", must_be_atomic(&cause.sections));
    text.push_str(&paragraph(&format!("Without that, {wrong} fail. With it, {}.", with_it(explanation))));
    if let Some(elsewhere) = elsewhere(explanation) {
        text.push_str(&paragraph(&elsewhere));
    }
    let cost = match cause.disables {
        0 => "It makes no execution impossible that is right.".to_owned(),
        some => format!("It makes {some} of {} impossible that are right.", counted(cause.linearizable, "execution")),
    };
    let cheapest =
        if cause.is_cheapest { "" } else { " Something that costs less may have been missed: a budget ran out." };
    text.push_str(&paragraph(&format!("{cost}{cheapest}")));
    if cause.sections.iter().any(|section| section.extent == Extent::Whole) {
        text.push_str(&paragraph(
            "Which lines of an operation that would take cannot be said, since its accesses are in different files or in a loop \
             that it begins with. In functions that it calls, accesses count at the line of the call if there is debug \
             information, or if they have #[track_caller].",
        ));
    }
    text
}

/// `line 12 does that at list.rs:40 and list.rs:44`, for lines of the cause that call functions which do it.
fn elsewhere(explanation: &Explanation) -> Option<String> {
    let is_in = |place: &Place, section: &Section| match section.extent {
        Extent::Lines { file, first, last } => file == place.file && (first..=last).contains(&place.line),
        Extent::Whole => false,
    };
    let is_shown = |place: &Place| explanation.cause.sections.iter().any(|section| is_in(place, section));
    let one = |(place, own): (&Place, &BTreeSet<Place>)| {
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        format!("line {} does that at {}", place.line, own.join(" and "))
    };
    let lines: Vec<String> = explanation.within.iter().filter(|(place, _)| is_shown(place)).map(one).collect();
    (!lines.is_empty()).then(|| format!("The accesses are in functions that are called: {}.", lines.join(", ")))
}

fn with_it(explanation: &Explanation) -> String {
    match explanation.verification() {
        Verification::NothingFails | Verification::Verified => "none does: verified".to_owned(),
        Verification::WithinBounds(coverage) => format!("none of these does: verified within bounds ({coverage})"),
        Verification::Partly(left) => format!("{left} stay possible: no atomic section rules them out"),
    }
}

/// `pop must be atomic from line 8 to line 9 of stack.rs`
fn must_be_atomic(sections: &Sections) -> String {
    let one = |section: &Section| match section.extent {
        Extent::Lines { file, first, last } if first == last => {
            format!("line {first} of {file} ({}) must be atomic", section.operation)
        }
        Extent::Lines { file, first, last } => {
            format!("lines {first} to {last} of {file} ({}) must be atomic", section.operation)
        }
        Extent::Whole => format!("all of {} must be atomic", section.operation),
    };
    let all: Vec<String> = sections.iter().map(one).collect();
    all.join(", and ")
}

fn rankings(explanation: &Explanation) -> String {
    let mut text = "\nCandidates for single executions, the likeliest first:\n".to_owned();
    for ranking in explanation.rankings.iter().take(MOST_RANKINGS) {
        text.push_str(&format!("  in {}\n", counted(ranking.count, "case")));
        for (number, candidate) in ranking.ranked.iter().take(MOST_CANDIDATES).enumerate() {
            text.push_str(&format!("    {}. {}\n", number + 1, described(candidate)));
        }
        more(&mut text, "    ", ranking.ranked.len(), MOST_CANDIDATES);
        if !ranking.is_complete {
            text.push_str("    a budget ran out: there may be others\n");
        }
    }
    more(&mut text, "  ", explanation.rankings.len(), MOST_RANKINGS);
    text
}

fn described(candidate: &Ranked) -> String {
    let cost = match candidate.disables {
        0 => "makes nothing impossible that is right".to_owned(),
        some => format!("makes {} impossible that are right", counted(some, "execution")),
    };
    format!("{}: {cost}", candidate.sections)
}

fn more(text: &mut String, indent: &str, all: usize, shown: usize) {
    if all > shown {
        text.push_str(&format!("{indent}and {} more\n", all - shown));
    }
}

fn races(races: &Races) -> String {
    let reduced =
        if races.is_reduced { ", not counting the order of steps that have nothing to do with each other" } else { "" };
    let mut text =
        format!("\nDecisive races, in {} right and {} wrong interleavings{reduced}:\n", races.right, races.wrong);
    for sequence in races.sequences.iter().take(MOST_SEQUENCES) {
        text.push_str(&told(sequence));
    }
    more(&mut text, "  ", races.sequences.len(), MOST_SEQUENCES);
    text
}

fn told(sequence: &Sequence) -> String {
    let mut text = format!("  {}\n", sequence.pattern());
    for race in &sequence.races {
        text.push_str(&format!("    {}\n", decided(race)));
    }
    text
}

/// `t1 store at stack.rs:9 or t2 load at stack.rs:8: t2 comes first, and from here on every end is wrong`
fn decided(race: &Race) -> String {
    let choices: Vec<String> = race
        .choices
        .iter()
        .map(|choice| format!("t{} {} at {}", choice.thread, name_of(choice.verb), choice.place))
        .collect();
    let winner = &race.choices[race.winner];
    let others = |label: Label| -> Vec<String> {
        race.choices.iter().filter(|choice| choice.label == label).map(|choice| format!("t{}", choice.thread)).collect()
    };
    let consequence = match (winner.label, others(Label::W), others(Label::B)) {
        (Label::B, _, _) => "and from here on every end is wrong".to_owned(),
        (_, right, _) if !right.is_empty() => {
            format!("not {}, after which every end would be right", right.join(" or "))
        }
        (_, _, wrong) => format!("not {}, after which every end would be wrong", wrong.join(" or ")),
    };
    format!("{}: {} comes first, {consequence}", choices.join(" or "), format_args!("t{}", winner.thread))
}

/// What is wrong with executions that are no interleavings.
fn disorder(weak: &Weak) -> String {
    let mut text = paragraph(&format!(
        "Failing executions that no interleaving of the threads has: {}. Their cause is a missing order between accesses, not \
         missing atomicity. In the first of them each of these comes before the next, and the last before the first:",
        weak.executions
    ));
    for &id in &weak.reason.cycle {
        let event = weak.example.event(id);
        let place = Place::from(event.site);
        text.push_str(&bullet(&format!(
            "{} {}({:?}) at {place}",
            short(event.thread),
            name_of(event.verb),
            event.order
        )));
    }
    text
}
