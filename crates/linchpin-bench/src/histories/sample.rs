//! The histories of a row, with what is known about each.

use std::fs;
use std::path::{Path, PathBuf};

use linchpin_history::generate::{self, Values, generate};
use linchpin_history::models::{Model, Options};
use linchpin_history::{ReadOptions, Recording, read};

use super::rows::Source;

/// The same histories in every run.
const SEED: u64 = 1;

/// The logs that are linearizable, by the verdicts that Porcupine's own tests have for them.
const LINEARIZABLE: [u32; 23] =
    [2, 5, 7, 18, 25, 31, 38, 45, 48, 49, 51, 53, 56, 67, 75, 76, 80, 87, 92, 98, 100, 101, 102];

/// Histories of one object.
pub(crate) struct Sample {
    /// What they are histories of.
    pub model: Model,
    /// The histories, each with whether it is linearizable.
    pub histories: Vec<(Recording, bool)>,
    /// What they were read from; empty if the reading is not to be measured.
    pub files: Vec<Vec<u8>>,
}

impl Sample {
    /// Makes or reads the histories of a row.
    pub fn of(source: &Source) -> Result<Sample, String> {
        match source {
            Source::Generated { model, operations, processes, keys, values, violate } => {
                let options = generate::Options {
                    model: model.clone(),
                    operations: *operations,
                    processes: *processes,
                    seed: SEED,
                    violate: *violate,
                    values: values.map_or(Values::Distinct, Values::Few),
                    keys: *keys,
                    ..generate::Options::default()
                };
                let made = generate(&options).map_err(|error| error.to_string())?;
                Ok(Sample { model: made.model, histories: vec![(made.recording, !violate)], files: Vec::new() })
            }
            Source::Etcd { reading } => etcd(*reading),
        }
    }
}

/// Where the logs are, if they are: they are not part of the repository.
pub(crate) fn etcd_folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histories/porcupine/jepsen");
    path.is_dir().then_some(path)
}

fn etcd(reading: bool) -> Result<Sample, String> {
    let folder = etcd_folder().ok_or("the logs are not there")?;
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let model = Model::by_name("cas-register", Options::default()).map_err(|error| error.to_string())?;
    let mut sample = Sample { model, histories: Vec::new(), files: Vec::new() };
    for path in paths {
        let Some(number) = number(&path) else { continue };
        let file = fs::read(&path).map_err(|error| error.to_string())?;
        sample.histories.push((recording(&file)?, LINEARIZABLE.contains(&number)));
        if reading {
            sample.files.push(file);
        }
    }
    Ok(sample)
}

/// What a file holds.
pub(crate) fn recording(file: &[u8]) -> Result<Recording, String> {
    read(file, &ReadOptions::default()).map_err(|error| error.to_string())
}

/// The number of a log: 7 of `etcd_007.log`.
fn number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("etcd_")?.strip_suffix(".log")?.parse().ok()
}
