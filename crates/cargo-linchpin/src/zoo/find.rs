//! From a name to an object or a structure of the zoo.

use linchpin_zoo::cds::{self, Structure};
use linchpin_zoo::{Entry, all, find};

use crate::names::{near, suggestion};

/// The object of this name, or what else could be meant.
pub(crate) fn entry(name: &str) -> Result<&'static Entry, String> {
    entry_among(name, &[])
}

/// As [`entry`], where these could be meant as well.
pub(crate) fn entry_among(name: &str, others: &[String]) -> Result<&'static Entry, String> {
    find(name).ok_or_else(|| {
        let names = all().iter().map(|entry| entry.name).chain(others.iter().map(String::as_str));
        let near = near(name, names);
        format!(
            "there is no object {name:?}{}\n\nlinchpin zoo lists the objects; cargo linchpin looks in the tests of your crate",
            suggestion(&near)
        )
    })
}

/// The structures that come with contracts and tests, by names that can be typed.
pub(crate) fn structures() -> Vec<(String, Structure)> {
    let all = cds::structures().into_iter().chain([cds::blocking_queue(), cds::overly_strong()]);
    all.chain(cds::known_bugs()).map(|structure| (typed(structure.name), structure)).collect()
}

/// A name of the paper's as it is typed: `M&S Queue` is `m-s-queue`.
fn typed(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_structure_has_a_name_of_its_own_that_no_object_has() {
        let names: Vec<String> = structures().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 15);
        for (number, name) in names.iter().enumerate() {
            assert!(!names[..number].contains(name) && find(name).is_none(), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
        }
        assert!(names.contains(&"m-s-queue".to_owned()) && names.contains(&"ticket-lock".to_owned()));
    }
}
