//! Numbers for values, so that what comes after need not compare values.

use linchpin_model::Value;

/// The values of a history, numbered from 0 in their order.
pub(crate) enum Numbers<'a> {
    /// Whole numbers that lie close together, as most are: one entry for each from the least to the greatest.
    Dense { least: i64, numbers: Vec<u32> },
    /// Whole numbers, in ascending order.
    Integers(Vec<i64>),
    /// Any values, in ascending order.
    Any(Vec<&'a Value>),
}

/// How many entries of a table one value is worth: looking one up is far cheaper than a search.
const ENTRIES_PER_VALUE: u64 = 8;

impl<'a> Numbers<'a> {
    /// Of these values, each of which may occur several times.
    pub(crate) fn of(values: impl Iterator<Item = &'a Value> + Clone) -> Self {
        let Some(mut integers) = values.clone().map(Value::as_integer).collect::<Option<Vec<i64>>>() else {
            return Numbers::Any(ascending(values.collect()));
        };
        let (Some(&least), Some(&greatest)) = (integers.iter().min(), integers.iter().max()) else {
            return Numbers::Integers(integers);
        };
        if greatest.abs_diff(least) / ENTRIES_PER_VALUE >= integers.len() as u64 {
            integers = ascending(integers);
            return Numbers::Integers(integers);
        }
        let mut numbers = vec![0; greatest.abs_diff(least) as usize + 1];
        for integer in integers {
            numbers[integer.abs_diff(least) as usize] = 1;
        }
        let mut before = 0;
        for number in &mut numbers {
            let occurs = *number;
            *number = before;
            before += occurs;
        }
        Numbers::Dense { least, numbers }
    }

    /// The number of one of these values.
    ///
    /// # Panics
    /// When it is none of them; or it gets a number that means nothing.
    pub(crate) fn number(&self, value: &Value) -> u32 {
        const WHY: &str = "every value was collected";
        let integer = || value.as_integer().expect(WHY);
        match self {
            Numbers::Dense { least, numbers } => numbers[integer().abs_diff(*least) as usize],
            Numbers::Integers(values) => values.binary_search(&integer()).expect(WHY) as u32,
            Numbers::Any(values) => values.binary_search(&value).expect(WHY) as u32,
        }
    }
}

fn ascending<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[Value]) -> Vec<u32> {
        let numbers = Numbers::of(values.iter());
        values.iter().map(|value| numbers.number(value)).collect()
    }

    #[test]
    fn numbers_keep_the_order_of_the_values() {
        let integers = |integers: &[i64]| numbers(&integers.iter().map(|&i| i.into()).collect::<Vec<Value>>());
        assert_eq!(integers(&[7, 3, 7, -2, 4]), [3, 1, 3, 0, 2]);
        assert_eq!(integers(&[i64::MAX, i64::MIN, 0, 0]), [2, 0, 1, 1]);
        assert_eq!(integers(&[]), [0; 0]);
        assert_eq!(numbers(&["b".into(), 9.into(), Value::Nil, "a".into()]), [3, 1, 0, 2]);
    }
}
