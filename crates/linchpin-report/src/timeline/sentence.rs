//! The operations that a sentence names.

use std::collections::HashMap;

use linchpin_model::OperationId;

use super::Timeline;

/// How far behind a label something may stand that says which of several operations is meant.
const NEAR: usize = 20;

/// A piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Words.
    Words(&'a str),
    /// What names an operation, and which.
    Name(&'a str, OperationId),
}

impl Piece<'_> {
    /// Is it the label of an operation? An id or a line only points at what was named before.
    pub fn is_label(&self) -> bool {
        match self {
            Piece::Words(_) => false,
            Piece::Name(name, _) => number_after("#", name).or_else(|| number_after("line ", name)).is_none(),
        }
    }
}

/// The sentence in pieces, which, one after the other, are the sentence; only backticks around names are dropped.
///
/// The same label can stand for several operations. Then `#` and an id, or `line` and a line, behind it decide; or else
/// the first occurrence means the first of them, and so on.
pub(super) fn pieces<'a>(timeline: &'a Timeline<'_>) -> Vec<Piece<'a>> {
    let names = Names::of(timeline);
    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut pieces = Vec::new();
    let mut rest = timeline.sentence;
    let mut at = 0;
    while at < rest.len() {
        let is_start = !rest[..at].chars().next_back().is_some_and(is_word);
        match names.at(&rest[at..], &mut used).filter(|_| is_start) {
            Some((length, id)) => {
                let (before, name, after) = (&rest[..at], &rest[at..at + length], &rest[at + length..]);
                let quoted = before.strip_suffix('`').zip(after.strip_prefix('`'));
                let (before, after) = quoted.unwrap_or((before, after));
                pieces.extend((!before.is_empty()).then_some(Piece::Words(before)));
                pieces.push(Piece::Name(name, id));
                (rest, at) = (after, 0);
            }
            None => at += rest[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    pieces.extend((!rest.is_empty()).then_some(Piece::Words(rest)));
    pieces
}

struct Names<'a> {
    timeline: &'a Timeline<'a>,
    /// What may stand for operations of the contradiction, longest first.
    labels: Vec<(&'a str, Vec<OperationId>)>,
}

impl<'a> Names<'a> {
    fn of(timeline: &'a Timeline<'_>) -> Self {
        let mut highlighted = timeline.highlighted.clone();
        highlighted.retain(|id| id.index() < timeline.bars.len());
        highlighted.sort_unstable();
        highlighted.dedup();
        let mut by_label: HashMap<&str, Vec<OperationId>> = HashMap::new();
        for id in highlighted {
            let label = timeline.bars[id.index()].label.as_str();
            let call = label.split(" → ").next().unwrap_or(label);
            by_label.entry(label).or_default().push(id);
            if call != label {
                by_label.entry(call).or_default().push(id);
            }
        }
        let mut labels: Vec<_> = by_label.into_iter().filter(|(label, _)| !label.is_empty()).collect();
        labels.sort_unstable_by_key(|&(label, _)| (std::cmp::Reverse(label.len()), label));
        Names { timeline, labels }
    }

    /// The length of the name at the beginning of `text`, and whose it is.
    fn at(&self, text: &str, used: &mut HashMap<&'a str, usize>) -> Option<(usize, OperationId)> {
        let ends = |length: usize| {
            let is_inside = text[..length].chars().next_back().is_some_and(is_word);
            !(is_inside && text[length..].chars().next().is_some_and(is_word))
        };
        for (label, ids) in &self.labels {
            if text.starts_with(label) && ends(label.len()) {
                return Some((label.len(), self.meant(label, ids, &text[label.len()..], used)));
            }
        }
        if let Some((length, number)) = number_after("#", text) {
            return (number < self.timeline.bars.len()).then_some((length, OperationId(number as u32)));
        }
        let (length, line) = number_after("line ", text)?;
        let mut there = self.labels.iter().flat_map(|(_, ids)| ids).filter(|id| self.line(**id) == line);
        there.next().map(|&id| (length, id))
    }

    fn line(&self, id: OperationId) -> usize {
        self.timeline.bars[id.index()].line
    }

    /// Which of `ids` is meant by a label that is followed by `after`.
    fn meant(
        &self,
        label: &'a str,
        ids: &[OperationId],
        after: &str,
        used: &mut HashMap<&'a str, usize>,
    ) -> OperationId {
        let near = after.char_indices().take(NEAR).map(|(at, _)| &after[at..]);
        let said = near.take_while(|text| !text.starts_with(label)).find_map(|text| {
            let is_said = |id: &&OperationId| {
                number_after("#", text).is_some_and(|(_, number)| number == id.index())
                    || number_after("line ", text).is_some_and(|(_, line)| line == self.line(**id))
            };
            ids.iter().find(is_said)
        });
        let next = used.entry(label).or_default();
        let id = *said.unwrap_or(&ids[(*next).min(ids.len() - 1)]);
        *next += 1;
        id
    }
}

/// The number that follows `mark` at the beginning of `text`, and how long both are.
fn number_after(mark: &str, text: &str) -> Option<(usize, usize)> {
    let digits = text.strip_prefix(mark)?;
    let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
    Some((mark.len() + digits.len(), digits.parse().ok()?))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
