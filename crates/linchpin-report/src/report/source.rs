//! Lines of the source, kept with the report: a page that is opened next week should show the code that failed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Report;

/// So many lines before and after what a report is about are kept.
const AROUND: u32 = 3;
/// Longer lines are cut: generated code has lines that nobody reads.
const LONGEST: usize = 400;

/// Neighbouring lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The file, as the compiler named it.
    pub file: String,
    /// The number of the first line.
    pub first_line: u32,
    /// The lines.
    pub lines: Vec<String>,
}

impl Excerpt {
    /// The line with this number.
    pub fn line(&self, number: u32) -> Option<&str> {
        self.lines.get(number.checked_sub(self.first_line)? as usize).map(String::as_str)
    }
}

impl Report {
    /// Keeps the lines that the report is about. `read` returns the text of a file by the name that the compiler gave it; files
    /// that it cannot read are left out.
    pub fn with_sources(mut self, read: impl Fn(&str) -> Option<String>) -> Report {
        self.sources = Vec::new();
        for (file, lines) in self.lines() {
            let Some(text) = read(&file) else { continue };
            let text: Vec<&str> = text.lines().collect();
            for (first, last) in joined(lines, text.len() as u32) {
                let lines = text[first as usize - 1..last as usize].iter();
                let lines = lines.map(|line| line.chars().take(LONGEST).collect()).collect();
                self.sources.push(Excerpt { file: file.clone(), first_line: first, lines });
            }
        }
        self
    }

    /// The kept lines from `first` to `last`, if all are there.
    pub fn excerpt(&self, file: &str, first: u32, last: u32) -> Option<&Excerpt> {
        let has =
            |excerpt: &&Excerpt| excerpt.file == file && excerpt.line(first).is_some() && excerpt.line(last).is_some();
        self.sources.iter().find(has)
    }

    /// For each file the ranges of lines that the report is about.
    fn lines(&self) -> BTreeMap<String, Vec<(u32, u32)>> {
        let mut lines: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
        let mut add = |file: &str, first, last| lines.entry(file.to_owned()).or_default().push((first, last));
        for position in
            self.execution.iter().flat_map(|execution| &execution.rows).filter_map(|row| row.position.as_ref())
        {
            add(&position.file, position.line, position.line);
        }
        let explanation = self.explanation.iter();
        let ranked =
            explanation.clone().flat_map(|explanation| &explanation.rankings).flat_map(|ranking| &ranking.candidates);
        for section in
            explanation.map(|explanation| &explanation.cause).chain(ranked).flat_map(|candidate| &candidate.sections)
        {
            if let (Some(file), Some(first), Some(last)) = (&section.file, section.first_line, section.last_line) {
                add(file, first, last);
            }
        }
        lines
    }
}

/// The ranges with some lines around them, in order; those that touch are one. Lines that a file of `length` lines does not have
/// are left out.
fn joined(mut ranges: Vec<(u32, u32)>, length: u32) -> Vec<(u32, u32)> {
    ranges.sort();
    let mut all: Vec<(u32, u32)> = Vec::new();
    for (first, last) in ranges {
        let (first, last) = (first.saturating_sub(AROUND).max(1), last.saturating_add(AROUND).min(length));
        match all.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
            _ if first <= last => all.push((first, last)),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{AROUND, joined};

    #[test]
    fn ranges_cover_the_lines_and_those_around_them_and_nothing_else() {
        for seed in 0..2_000_u32 {
            let number = |salt: u32| seed.wrapping_mul(2_654_435_761).rotate_left(salt) >> 26;
            let length = number(3);
            let ranges: Vec<(u32, u32)> =
                (0..seed % 4).map(|at| (number(at * 7 + 1) + 1, number(at * 7 + 1) + 1 + number(at * 5) % 6)).collect();
            let covered = joined(ranges.clone(), length);
            for line in 1..100 {
                let is_near = |&(first, last): &(u32, u32)| line + AROUND >= first && line <= last + AROUND;
                let is_wanted = line <= length && ranges.iter().any(is_near);
                let times = covered.iter().filter(|(first, last)| (*first..=*last).contains(&line)).count();
                assert_eq!(times, usize::from(is_wanted), "line {line} of {length}, {ranges:?}: {covered:?}");
            }
        }
    }
}
