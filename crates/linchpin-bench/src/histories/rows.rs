//! The histories of the table, and what was aimed for.

use serde::{Deserialize, Serialize};

/// A history, or two of a kind: one that is linearizable and one that is not.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Its name in the table: what, operations × processes.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
    /// Linchpin shall decide it within so many seconds.
    pub aim: Option<f64>,
}

/// Where histories come from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Source {
    /// A history that is made such that its verdict is known. Every process is always inside an operation.
    Generated {
        /// The object it is a history of.
        model: String,
        operations: usize,
        processes: usize,
        /// How many keys there are, if the object has keys.
        keys: u64,
        /// How many different values there are; `None`: no value twice.
        values: Option<u64>,
        /// Shall it not be linearizable?
        violate: bool,
    },
    /// All logs of etcd that Jepsen recorded, of which some are linearizable.
    Etcd {
        /// Does the time have the reading of the files?
        reading: bool,
    },
}

/// What every row shall stay below, in megabytes.
pub(crate) const MEMORY_AIM_MB: f64 = 500.0;

/// The objects whose histories are decided in n log n.
const MONITORED: [(&str, &str); 5] = [
    ("queue", "queue"),
    ("stack", "stack"),
    ("priority queue", "priority-queue"),
    ("set, 16 keys,", "set"),
    ("register", "register"),
];

/// How many operations the histories have that show how time grows.
pub(crate) const GROWTH: [usize; 5] = [12_500, 25_000, 50_000, 100_000, 200_000];

/// All rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    let [queue, stack, priority_queue, set, register] = MONITORED;
    let mut rows = vec![Row { aim: Some(0.010), ..row(("kv, 10 keys,", "kv"), 10_000, 10, 10) }];
    rows.extend([(200, 4), (200, 16), (10_000, 16), (100_000, 16)].map(|(n, processes)| row(queue, n, processes, 1)));
    rows.extend([(1_000, 4), (10_000, 16), (100_000, 16)].map(|(n, processes)| row(stack, n, processes, 1)));
    rows.extend([10_000, 100_000].map(|n| row(priority_queue, n, 16, 1)));
    rows.extend([10_000, 100_000].map(|n| row(set, n, 16, 16)));
    rows.extend([(1_000, 20), (100_000, 16)].map(|(n, processes)| row(register, n, processes, 1)));
    for row in &mut rows {
        if let Source::Generated { operations: 100_000, .. } = row.source {
            row.aim = Some(0.3);
        }
    }
    let mut few = Row { aim: Some(1.0), ..row(("queue, 5 values,", "queue"), 1_000, 8, 1) };
    if let Source::Generated { values, .. } = &mut few.source {
        *values = Some(5);
    }
    rows.push(few);
    rows.push(Row { name: "etcd logs".into(), source: Source::Etcd { reading: false }, aim: Some(0.2) });
    rows.push(Row { name: "etcd logs, with reading".into(), source: Source::Etcd { reading: true }, aim: None });
    rows
}

/// For each monitored object, its name and its histories of all sizes.
pub(crate) fn growing() -> Vec<(String, Vec<Row>)> {
    let sizes = |object: (&str, &str)| GROWTH.map(|n| row(object, n, 16, 16)).into();
    let name = |object: (&str, &str)| object.0.trim_end_matches(',').to_owned();
    MONITORED.into_iter().map(|object| (name(object), sizes(object))).collect()
}

fn row((name, model): (&str, &str), operations: usize, processes: usize, keys: u64) -> Row {
    let size = match operations {
        n if n % 1_000 == 0 && n > 1_000 => format!("{}k", n / 1_000),
        n => n.to_string(),
    };
    let source = Source::Generated { model: model.into(), operations, processes, keys, values: None, violate: false };
    Row { name: format!("{name} {size}×{processes}"), source, aim: None }
}

impl Source {
    /// The histories of a row: the linearizable one and the other one, unless they come together.
    pub fn variants(&self) -> Vec<Source> {
        match self {
            Source::Generated { .. } => [false, true].map(|violate| self.violating(violate)).into(),
            Source::Etcd { .. } => vec![self.clone()],
        }
    }

    fn violating(&self, shall: bool) -> Source {
        let mut source = self.clone();
        if let Source::Generated { violate, .. } = &mut source {
            *violate = shall;
        }
        source
    }

    /// What is known about its histories.
    pub fn verdict(&self) -> &'static str {
        match self {
            Source::Generated { violate: false, .. } => "ok",
            Source::Generated { violate: true, .. } => "violating",
            Source::Etcd { .. } => "both",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_have_the_same_name() {
        let mut names: Vec<String> = rows().into_iter().map(|row| row.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.contains(&"queue 100k×16".to_owned()) && names.contains(&"register 1000×20".to_owned()));
    }

    #[test]
    fn every_history_of_a_hundred_thousand_operations_has_an_aim() {
        let large = rows().into_iter().filter(|row| row.name.contains("100k"));
        assert_eq!(large.map(|row| row.aim).collect::<Vec<_>>(), [Some(0.3); 5]);
    }
}
