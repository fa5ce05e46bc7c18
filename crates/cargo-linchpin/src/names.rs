//! Names that are almost right.

/// So many names are suggested.
const SUGGESTIONS: usize = 4;

/// Names that contain this one, or are spelt almost like it, the nearest first.
pub(crate) fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace(['_', ' '], "-");
    let wanted = plain(wanted);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| (strsim::osa_distance(&wanted, &plain(name)), name))
        .filter(|&(distance, name)| {
            distance <= 1 + wanted.len() / 4 || wanted.len() > 2 && plain(name).contains(&wanted)
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(SUGGESTIONS).collect()
}

/// `; did you mean one, two or three?`, or nothing.
pub(crate) fn suggestion(near: &[&str]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [some @ .., last] => format!("; did you mean {} or {last}?", some.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["treiber-stack", "snark-deque", "snark-deque-fixed", "Fifo"];

    #[test]
    fn other_spellings_lead_to_the_name() {
        for wanted in ["treiber_stack", "TreiberStack", "triber-stack"] {
            assert_eq!(near(wanted, NAMES), ["treiber-stack"], "{wanted}");
        }
        assert_eq!(near("fifo", NAMES), ["Fifo"]);
    }

    #[test]
    fn part_of_a_name_leads_to_all_that_contain_it() {
        assert_eq!(near("snark", NAMES), ["snark-deque", "snark-deque-fixed"]);
    }

    #[test]
    fn what_is_like_nothing_gets_no_suggestion() {
        assert!(near("unicorn", NAMES).is_empty() && near("", NAMES).is_empty());
        assert_eq!(suggestion(&[]), "");
        assert_eq!(suggestion(&["a", "b", "c"]), "; did you mean a, b or c?");
    }
}
