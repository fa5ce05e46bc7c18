//! The histories that others have published, and our own generated ones, with the verdicts that their tables give.
//!
//! They are not part of the repository: without them the test says so and passes.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use linchpin_check::{Limits, Verdict};
use linchpin_history::models::{Model, Options};
use linchpin_history::{ReadOptions, read};

fn histories() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histories");
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

/// Each file that the tables of a README name, and whether the last cell of its row says that it is linearizable.
fn verdicts(directory: &Path) -> Vec<(String, bool)> {
    let text = fs::read_to_string(directory.join("README.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let file = *cells.first()?;
        let is_file = file.contains('.') && directory.join(file).is_file();
        is_file.then(|| (file.to_owned(), !cells[cells.len() - 1].starts_with("NOT")))
    };
    text.lines().filter(|line| line.starts_with('|')).filter_map(row).collect()
}

/// Checks every file against the model that its name tells; says how many there were.
fn check(directory: &str, model: impl Fn(&str) -> Option<&'static str>) -> usize {
    let Some(histories) = histories() else { return 0 };
    let directory = histories.join(directory);
    let mut checked = 0;
    for (file, linearizable) in verdicts(&directory) {
        let Some(model) = model(&file) else { continue };
        let model = Model::by_name(model, Options::default()).unwrap();
        let input = BufReader::new(File::open(directory.join(&file)).unwrap());
        let recording = read(input, &ReadOptions::default()).unwrap();
        let verdict = model.check(&recording, &Limits::default());
        match verdict.unwrap_or_else(|error| panic!("{file}: {error}")) {
            Verdict::Linearizable(witness) => {
                assert!(linearizable, "{file}");
                assert_eq!(model.verify(&recording, &witness).unwrap(), Ok(()), "{file}");
            }
            Verdict::Violation(_) => assert!(!linearizable, "{file}"),
            Verdict::Unknown(_) => panic!("{file}: there were no limits"),
        }
        checked += 1;
    }
    println!("{}: {checked} histories", directory.display());
    checked
}

#[test]
fn histories_of_knossos() {
    check("knossos", |file| {
        let models = ["cas-register", "multi-register", "mutex"];
        models.into_iter().find(|model| file.starts_with(model))
    });
}

#[test]
fn histories_of_porcupine() {
    check("porcupine", |file| match file {
        // Fifty clients that append: half a minute.
        "kv/c50-bad.txt" => None,
        file if file.starts_with("kv") => Some("kv"),
        _ => Some("cas-register"),
    });
}

#[test]
fn our_generated_histories() {
    check("generated", |file| {
        let models = [
            ("register", "register"),
            ("cas", "cas-register"),
            ("kv", "kv"),
            ("set", "set"),
            ("uset", "set"),
            ("queue", "queue"),
            ("stack", "stack"),
            ("pq", "priority-queue"),
        ];
        models.into_iter().find(|(start, _)| file.starts_with(start)).map(|(_, model)| model)
    });
}
