//! Leaves out what is not needed.

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Passed,
    /// Neither this nor any part of it passes.
    Failed,
    /// That was too much to tell; a part of it may pass.
    GaveUp,
}

/// A smallest collection of units, in the sense that none of them can go, which together with what has to stay still
/// passes the test; everything, if not even that passes. The last test that passes is that of the result.
///
/// Halves are tried before quarters and so on (as in delta debugging), so that few of many are found in few tests.
pub(crate) fn reduced(
    (mut units, needed): (Vec<Vec<u32>>, Vec<u32>),
    mut test: impl FnMut(&[u32]) -> Test,
) -> Vec<u32> {
    let all = |units: &[Vec<u32>]| {
        let mut operations = needed.clone();
        operations.extend(units.iter().flatten());
        operations.sort_unstable();
        operations
    };
    if test(&all(&units)) != Test::Passed {
        return all(&units);
    }
    let mut chunk = units.len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        let mut gave_up = false;
        let before = units.len();
        while start < units.len() {
            let end = (start + chunk).min(units.len());
            let without: Vec<Vec<u32>> = units[..start].iter().chain(&units[end..]).cloned().collect();
            match test(&all(&without)) {
                Test::Passed => units = without,
                answer => {
                    gave_up |= answer == Test::GaveUp;
                    start = end;
                }
            }
        }
        // What cannot go cannot go when there is even less, either; but what was too much to tell may be told now.
        if chunk > 1 || !gave_up || units.len() == before {
            chunk /= 2;
        }
    }
    all(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_found_in_few_tests() {
        let mut tests = 0;
        let units: Vec<Vec<u32>> = (0..64).map(|i| vec![i]).collect();
        let operations = reduced((units, vec![64]), |operations| {
            tests += 1;
            if [3, 40].iter().all(|i| operations.contains(i)) { Test::Passed } else { Test::Failed }
        });
        assert_eq!(operations, [3, 40, 64]);
        assert!(tests < 30, "{tests}");
    }

    #[test]
    fn what_was_too_much_to_tell_is_tried_again() {
        let units: Vec<Vec<u32>> = (0..4).map(|i| vec![i]).collect();
        let mut first = true;
        // Without the first unit nothing can be told until there is only one more.
        let operations = reduced((units, Vec::new()), |operations| match operations {
            _ if std::mem::take(&mut first) => Test::Passed,
            [0, ..] => {
                if operations.contains(&3) {
                    Test::Passed
                } else {
                    Test::Failed
                }
            }
            [3] => Test::Passed,
            _ => Test::GaveUp,
        });
        assert_eq!(operations, [3]);
    }
}
