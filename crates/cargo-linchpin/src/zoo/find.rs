//! From a name to an object of the zoo.

use linchpin_zoo::{Entry, all, find};

/// So many names are suggested.
const SUGGESTIONS: usize = 4;

/// The object of this name, or what else could be meant.
pub(crate) fn entry(name: &str) -> Result<&'static Entry, String> {
    find(name).ok_or_else(|| {
        let near = match &near(name)[..] {
            [] => String::new(),
            [one] => format!("; did you mean {one}?"),
            [some @ .., last] => format!("; did you mean {} or {last}?", some.join(", ")),
        };
        format!("there is no object {name:?}{near}\n\nlinchpin zoo lists the objects")
    })
}

/// Names that contain this one, or are spelt almost like it, the nearest first.
fn near(name: &str) -> Vec<&'static str> {
    let wanted = name.to_lowercase().replace(['_', ' '], "-");
    let mut near: Vec<(usize, &str)> = all()
        .iter()
        .map(|entry| (strsim::osa_distance(&wanted, entry.name), entry.name))
        .filter(|&(distance, name)| distance <= 1 + wanted.len() / 4 || wanted.len() > 2 && name.contains(&wanted))
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).take(SUGGESTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_lead_to_the_object() {
        assert_eq!(near("treiber_stack")[0], "treiber-stack");
        assert_eq!(near("TreiberStack")[0], "treiber-stack");
        assert_eq!(near("triber-stack")[0], "treiber-stack");
    }

    #[test]
    fn part_of_a_name_leads_to_all_that_contain_it() {
        assert_eq!(near("snark"), ["snark-deque", "snark-deque-fixed"]);
    }

    #[test]
    fn what_is_like_nothing_gets_no_suggestion() {
        assert!(near("unicorn").is_empty() && near("").is_empty());
    }
}
