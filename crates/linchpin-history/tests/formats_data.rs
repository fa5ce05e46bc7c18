//! The histories that others have published, and our own generated ones, with the numbers that their tables give.
//!
//! They are not part of the repository: without them the test says so and passes.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use linchpin_history::{Call, Format, ReadOptions, Recording, read};
use linchpin_model::{Operation, Value};

/// The rows of the tables in a README whose first cell names a file of that ending.
fn rows(readme: &Path, ending: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(readme).unwrap();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    text.lines().filter(|line| line.starts_with('|')).map(cells).filter(|row| row[0].ends_with(ending)).collect()
}

fn histories() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histories");
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

fn open(path: &Path) -> Recording {
    let file = BufReader::new(File::open(path).unwrap());
    read(file, &ReadOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

struct Numbers {
    format: Format,
    operations: usize,
    failed: usize,
    processes: usize,
    pending: usize,
    pending_reads: usize,
    nil_reads: usize,
    keys: usize,
}

/// The tables count the processes of all operations; those of failed ones are not in the history.
fn check_processes(numbers: &Numbers, expected: &str, file: &str) {
    let expected: usize = expected.parse().unwrap();
    assert!(numbers.processes <= expected && numbers.processes + numbers.failed >= expected, "{file}");
}

fn numbers(recording: &Recording) -> Numbers {
    let operations = recording.history.operations();
    let is_read = |operation: &Operation<Call, Value>| &*operation.invocation.name == "read";
    let origin = recording.origin.unwrap();
    assert_eq!(recording.lines.len(), operations.len());
    Numbers {
        format: origin.format,
        operations: operations.len(),
        failed: origin.left_out.failed,
        processes: operations.iter().map(|operation| operation.process).collect::<BTreeSet<_>>().len(),
        pending: operations.iter().filter(|operation| !operation.returned).count(),
        pending_reads: operations.iter().filter(|operation| !operation.returned && is_read(operation)).count(),
        nil_reads: operations
            .iter()
            .filter(|operation| operation.result == Some(Value::Nil) && is_read(operation))
            .count(),
        keys: operations
            .iter()
            .filter_map(|operation| operation.invocation.key.as_ref())
            .collect::<BTreeSet<_>>()
            .len(),
    }
}

#[test]
fn generated_histories_have_their_operations() {
    let Some(histories) = histories() else { return };
    let folder = histories.join("generated");
    let rows = rows(&folder.join("README.md"), ".jsonl");
    assert_eq!(rows.len(), 24);
    for row in rows {
        let numbers = numbers(&open(&folder.join(&row[0])));
        assert_eq!(numbers.format, Format::JsonOperations, "{}", row[0]);
        assert_eq!(numbers.operations.to_string(), row[1], "{}", row[0]);
        assert_eq!(numbers.processes.to_string(), row[2], "{}", row[0]);
        assert_eq!((numbers.pending, numbers.failed), (0, 0), "{}", row[0]);
    }
}

#[test]
fn knossos_histories_have_their_operations() {
    let Some(histories) = histories() else { return };
    let folder = histories.join("knossos");
    let rows = rows(&folder.join("README.md"), ".edn");
    assert_eq!(rows.len(), 121);
    for row in rows {
        let numbers = numbers(&open(&folder.join(&row[0])));
        let [_, _, operations, processes, kept, pending, _] = &row[..] else { panic!("{row:?}") };
        assert_eq!(numbers.format, Format::JepsenEdn, "{}", row[0]);
        assert_eq!((numbers.operations + numbers.failed).to_string(), *operations, "{}", row[0]);
        // Reads that never returned are not counted as kept, for they constrain nothing; reads of nil are counted with
        // the pending operations, for the same reason.
        assert_eq!((numbers.operations - numbers.pending_reads).to_string(), *kept, "{}", row[0]);
        let unconstrained = (numbers.pending - numbers.pending_reads + numbers.nil_reads).to_string();
        if row[0].starts_with("multi-register") {
            // The table says 5; the file has two operations that end in `:info`, and all others have a completion.
            assert_eq!(unconstrained, "2");
        } else {
            assert_eq!(unconstrained, *pending, "{}", row[0]);
        }
        check_processes(&numbers, processes, &row[0]);
    }
}

#[test]
fn porcupine_logs_have_their_operations() {
    let Some(histories) = histories() else { return };
    let folder = histories.join("porcupine");
    let rows = rows(&folder.join("README.md"), ".log");
    assert_eq!(rows.len(), 102);
    for row in rows {
        let numbers = numbers(&open(&folder.join(&row[0])));
        let [_, operations, processes, pending, _] = &row[..] else { panic!("{row:?}") };
        assert_eq!(numbers.format, Format::PorcupineLog, "{}", row[0]);
        assert_eq!((numbers.operations + numbers.failed).to_string(), *operations, "{}", row[0]);
        assert_eq!(numbers.pending.to_string(), *pending, "{}", row[0]);
        check_processes(&numbers, processes, &row[0]);
    }
}

#[test]
fn porcupine_key_value_histories_have_their_operations() {
    let Some(histories) = histories() else { return };
    let folder = histories.join("porcupine");
    let rows = rows(&folder.join("README.md"), ".txt");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let numbers = numbers(&open(&folder.join(&row[0])));
        assert_eq!(numbers.format, Format::PorcupineKv, "{}", row[0]);
        assert_eq!(numbers.operations.to_string(), row[1], "{}", row[0]);
        assert_eq!(numbers.processes.to_string(), row[2], "{}", row[0]);
        assert_eq!(numbers.keys.to_string(), row[3], "{}", row[0]);
        assert_eq!((numbers.pending, numbers.failed), (0, 0), "{}", row[0]);
    }
}
