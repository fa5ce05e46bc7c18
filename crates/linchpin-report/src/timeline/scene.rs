//! A timeline with everything decided that both renderings need.

use linchpin_model::OperationId;

use super::layout::Layout;
use super::order::{Drawn, Orders};
use super::sentence::{Piece, pieces};
use super::window::Window;
use super::{Bar, Outcome, Timeline};
use crate::escape::grouped;
use crate::names::letters;

/// What is drawn, and where.
pub(super) struct Scene<'a> {
    pub timeline: &'a Timeline<'a>,
    pub window: Window,
    pub layout: Layout,
    pub orders: Orders,
    /// As [`Window::shown`]: the letter of an operation of the contradiction.
    pub letters: Vec<Option<String>>,
}

impl<'a> Scene<'a> {
    pub fn of(timeline: &'a Timeline<'a>) -> Self {
        let window = Window::of(timeline);
        let letters = letters_of(timeline, &window);
        let mut tags = vec![0.0; timeline.bars.len()];
        for (letter, &operation) in letters.iter().zip(&window.shown) {
            tags[operation] = letter.as_deref().map_or(0.0, |letter| tag_width(letter) + 6.0);
        }
        let layout = Layout::of(timeline, &window, |operation| tags[operation]);
        let orders = Orders::of(&timeline.orders, &window, &layout);
        Scene { timeline, window, layout, orders, letters }
    }

    /// The operations that are drawn, in order of their calls, by their indices.
    pub fn shown(&self) -> impl Iterator<Item = (usize, OperationId, &'a Bar)> {
        let bar = |(shown, &operation): (usize, &usize)| {
            (shown, OperationId(operation as u32), &self.timeline.bars[operation])
        };
        self.window.shown.iter().enumerate().map(bar)
    }

    /// Is this operation drawn, and as which?
    pub fn index_of(&self, id: OperationId) -> Option<usize> {
        self.window.shown.iter().position(|&operation| operation == id.index())
    }

    /// The order that is drawn when nothing is pointed at. In a violation that is none: the contradiction comes first.
    pub fn initial_order(&self) -> Option<&Drawn> {
        self.initial().map(|order| &self.orders.drawn[order])
    }

    /// The same, as an index.
    pub fn initial(&self) -> Option<usize> {
        self.orders.longest.filter(|_| self.timeline.verdict != Outcome::Violation)
    }

    /// The number of an event as a person counts.
    pub fn call_of(&self, shown: usize) -> usize {
        self.window.ranks.call[self.window.shown[shown]] + 1
    }

    /// The same of the return.
    pub fn return_of(&self, shown: usize) -> Option<usize> {
        self.window.ranks.ret[self.window.shown[shown]].map(|rank| rank + 1)
    }

    /// An operation in words, without its label.
    pub fn particulars(&self, shown: usize, separator: &str) -> String {
        let bar = &self.timeline.bars[self.window.shown[shown]];
        let ret = match self.return_of(shown) {
            Some(event) => format!("returned at event {}", grouped(event)),
            None => "never returned".into(),
        };
        let call = format!("called at event {}", grouped(self.call_of(shown)));
        let mut parts = vec![format!("process {}", bar.process), call, ret];
        if bar.line > 0 {
            parts.push(format!("line {}", bar.line));
        }
        if self.letters[shown].is_some() {
            parts.push("part of the contradiction".into());
        }
        if self.timeline.fails_at == Some(OperationId(self.window.shown[shown] as u32)) {
            parts.push("the shortest failing prefix ends with its return".into());
        }
        parts.join(separator)
    }

    /// The verdict in a few words.
    pub fn verdict(&self) -> &'static str {
        match self.timeline.verdict {
            Outcome::Linearizable => "Linearizable",
            Outcome::Violation => "Not linearizable",
            Outcome::Unknown => "Not decided",
        }
    }

    /// The same as a sign, so that it is not told by colour alone.
    pub fn sign(&self) -> &'static str {
        match self.timeline.verdict {
            Outcome::Linearizable => "✓",
            Outcome::Violation => "✕",
            Outcome::Unknown => "?",
        }
    }

    /// How much of the history is drawn, and what is not.
    pub fn notes(&self) -> Vec<String> {
        let (shown, all) = (self.window.shown.len(), self.timeline.bars.len());
        if shown == all {
            return vec![match all {
                0 => "No operations.".into(),
                1 => "The history's only operation.".into(),
                _ => format!("All {} operations.", grouped(all)),
            }];
        }
        let what = match self.timeline.verdict {
            Outcome::Violation => "those around the contradiction",
            Outcome::Linearizable => "the first ones",
            Outcome::Unknown if self.window.stretches.first().is_some_and(|first| *first.start() == 0) => {
                "the first ones"
            }
            Outcome::Unknown => "those around where the longest attempt got stuck",
        };
        let mut notes = vec![format!("Showing {} of {} operations: {what}.", grouped(shown), grouped(all))];
        let left_out = self.window.contradiction_left_out;
        if left_out > 0 {
            let drawn = self.letters.iter().flatten().count();
            let whole = grouped(drawn + left_out);
            notes.push(format!(
                "The contradiction has {whole} operations; only its first and last ones are shown, {} together.",
                grouped(drawn)
            ));
        }
        let [running, pending] = self.window.running_left_out;
        for (count, what) in [(running, "that ran at the same time"), (pending, "still pending from before")] {
            match count {
                0 => {}
                1 => notes.push(format!("One operation {what} is not shown.")),
                _ => notes.push(format!("{} operations {what} are not shown.", grouped(count))),
            }
        }
        notes
    }
}

/// Letters for the contradiction: first for what the sentence names, as it names it, then by the time of the calls.
fn letters_of(timeline: &Timeline<'_>, window: &Window) -> Vec<Option<String>> {
    let mut is_highlighted = vec![false; timeline.bars.len()];
    for id in timeline.highlighted.iter().filter(|id| id.index() < timeline.bars.len()) {
        is_highlighted[id.index()] = true;
    }
    let named = pieces(timeline).into_iter().filter_map(|piece| match piece {
        Piece::Name(_, id) => window.shown.iter().position(|&operation| operation == id.index()),
        Piece::Words(_) => None,
    });
    let mut result = vec![None; window.shown.len()];
    let mut count = 0;
    for shown in named.chain(0..window.shown.len()) {
        if is_highlighted[window.shown[shown]] && result[shown].is_none() {
            result[shown] = Some(letters(count));
            count += 1;
        }
    }
    result
}

/// The width of the box in which a letter stands.
pub(super) fn tag_width(letter: &str) -> f64 {
    8.0 + 8.0 * letter.len() as f64
}
