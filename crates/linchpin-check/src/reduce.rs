//! Leaves out what is not needed.

/// A smallest collection of units, in the sense that none of them can go, which together with what has to stay still
/// passes the test; everything, if not even that passes.
///
/// Halves are tried before quarters and so on (as in delta debugging), so that few of many are found in few tests.
pub(crate) fn reduced(
    (mut units, needed): (Vec<Vec<u32>>, Vec<u32>),
    mut passes: impl FnMut(&[u32]) -> bool,
) -> Vec<u32> {
    let all = |units: &[Vec<u32>]| {
        let mut operations = needed.clone();
        operations.extend(units.iter().flatten());
        operations.sort_unstable();
        operations
    };
    if !passes(&all(&units)) {
        return all(&units);
    }
    let mut chunk = units.len().div_ceil(2);
    while chunk > 0 {
        let mut start = 0;
        let before = units.len();
        while start < units.len() {
            let end = (start + chunk).min(units.len());
            let without: Vec<Vec<u32>> = units[..start].iter().chain(&units[end..]).cloned().collect();
            if passes(&all(&without)) {
                units = without;
            } else {
                start = end;
            }
        }
        // Single units are tried again until none can go: leaving one out may have made another dispensable.
        if chunk > 1 || units.len() == before {
            chunk /= 2;
        }
    }
    // The state that the test left behind is that of the last success.
    let operations = all(&units);
    passes(&operations);
    operations
}
