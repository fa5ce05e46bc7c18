//! Litmus tests as data: small programs with what is known about them. The files are in `corpus/litmus`.
//!
//! Each test asks for one outcome, says whether either model allows it and why, and lists all outcomes and the number of
//! executions. Verdicts are the literature's; numbers are argued in the test's sentence or follow from the number of
//! choices. Every engine must give the same answers.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use linchpin_model::MemoryModel;
use serde::Deserialize;

use crate::oracle::{Answer, Outcome};
use crate::program::{Program, Register};

/// One litmus test.
#[derive(Clone, Debug)]
pub struct Litmus {
    /// The file it is from, without extension.
    pub family: String,
    /// Its name, unique in the corpus.
    pub name: String,
    /// The program.
    pub program: Program,
    /// The registers of interest, in the order in which outcomes list them.
    pub observe: Vec<(usize, Register)>,
    /// The outcome that the test is about; empty if it is only about numbers, races or deadlocks.
    pub asked: Vec<u64>,
    /// What SC says.
    pub sc: Expected,
    /// What C11 says.
    pub c11: Expected,
    /// Why the outcome is allowed or forbidden.
    pub why: String,
}

/// What is known about a test under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Is the outcome asked for allowed?
    pub allowed: bool,
    /// How many complete executions there are.
    pub executions: usize,
    /// All outcomes: values of the observed registers.
    pub outcomes: BTreeSet<Vec<u64>>,
    /// Can all threads that are not done wait forever?
    pub deadlock: bool,
    /// Is there a data race?
    pub race: bool,
}

impl Litmus {
    /// What is known under a model.
    pub fn expected(&self, model: MemoryModel) -> &Expected {
        match model {
            MemoryModel::Sc => &self.sc,
            MemoryModel::C11 => &self.c11,
        }
    }

    /// The observed registers' values in an outcome.
    pub fn observed(&self, outcome: &Outcome) -> Vec<u64> {
        self.observe.iter().map(|key| outcome.get(key).copied().unwrap_or(0)).collect()
    }

    /// An answer about this test's program, in the form in which it is expected.
    pub fn summary(&self, answer: &Answer) -> Expected {
        // A test that observes nothing has nothing to list.
        let observed = answer.outcomes.iter().map(|outcome| self.observed(outcome));
        let outcomes: BTreeSet<Vec<u64>> = observed.filter(|values| !values.is_empty()).collect();
        Expected {
            allowed: !self.asked.is_empty() && outcomes.contains(&self.asked),
            executions: answer.executions.len(),
            outcomes,
            deadlock: answer.deadlock,
            race: answer.race,
        }
    }
}

/// Why the corpus could not be read.
#[derive(Debug)]
pub struct LitmusError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for LitmusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.message)
    }
}

impl std::error::Error for LitmusError {}

/// Where the project keeps its litmus tests.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus")
}

/// The project's litmus tests, sorted by file.
pub fn corpus() -> Result<Vec<Litmus>, LitmusError> {
    let directory = directory();
    let unreadable =
        |error: std::io::Error| LitmusError { file: directory.clone(), message: format!("cannot be read: {error}") };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let mut tests = Vec::new();
    for file in files {
        tests.extend(read(&file)?);
    }
    Ok(tests)
}

/// The litmus tests of one file.
pub fn read(file: &Path) -> Result<Vec<Litmus>, LitmusError> {
    let error = |message: String| LitmusError { file: file.to_path_buf(), message };
    let text = std::fs::read_to_string(file).map_err(|e| error(format!("cannot be read: {e}")))?;
    let family = file.file_stem().unwrap_or_default().to_string_lossy();
    parse(&family, &text).map_err(error)
}

/// A file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    test: Vec<RawTest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTest {
    name: String,
    program: String,
    #[serde(default)]
    observe: String,
    #[serde(default)]
    asked: String,
    sc: RawExpected,
    c11: RawExpected,
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExpected {
    #[serde(default)]
    allowed: bool,
    executions: usize,
    #[serde(default)]
    outcomes: Vec<String>,
    #[serde(default)]
    deadlock: bool,
    #[serde(default)]
    race: bool,
}

/// The litmus tests of a text in TOML.
pub fn parse(family: &str, text: &str) -> Result<Vec<Litmus>, String> {
    let file: RawFile = toml::from_str(text).map_err(|e| e.to_string())?;
    file.test
        .into_iter()
        .map(|raw| {
            let name = raw.name.clone();
            convert(family, raw).map_err(|message| format!("{name}: {message}"))
        })
        .collect()
}

fn convert(family: &str, raw: RawTest) -> Result<Litmus, String> {
    let program: Program = raw.program.parse().map_err(|e| format!("program, {e}"))?;
    let registers = program.registers();
    let observe = raw
        .observe
        .split_whitespace()
        .map(|name| {
            let mut owners = registers.iter().filter(|(_, register)| register.to_string() == name);
            match (owners.next(), owners.next()) {
                (Some(&owner), None) => Ok(owner),
                (Some(_), Some(_)) => Err(format!("`{name}` is a register of more than one section")),
                (None, _) => Err(format!("`{name}` is a register of no section")),
            }
        })
        .collect::<Result<Vec<_>, String>>()?;
    let asked = values(&raw.asked)?;
    if !asked.is_empty() && asked.len() != observe.len() {
        return Err("what is asked for does not have as many values as registers are observed".to_string());
    }
    Ok(Litmus {
        family: family.to_string(),
        name: raw.name,
        program,
        observe,
        asked,
        sc: expected(&raw.sc)?,
        c11: expected(&raw.c11)?,
        why: raw.why,
    })
}

fn expected(raw: &RawExpected) -> Result<Expected, String> {
    Ok(Expected {
        allowed: raw.allowed,
        executions: raw.executions,
        outcomes: raw.outcomes.iter().map(|outcome| values(outcome)).collect::<Result<_, String>>()?,
        deadlock: raw.deadlock,
        race: raw.race,
    })
}

fn values(text: &str) -> Result<Vec<u64>, String> {
    text.split_whitespace().map(|word| word.parse().map_err(|_| format!("`{word}` is no value"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let tests = corpus().unwrap();
        let names: BTreeSet<&str> = tests.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names.len(), tests.len());
        assert!(tests.len() >= 70, "{}", tests.len());
    }

    #[test]
    fn a_register_that_two_threads_have_cannot_be_observed() {
        let text = "[[test]]\nname = \"a\"\nprogram = \"T1: r0 = x.load(rlx)\\nT2: r0 = x.load(rlx)\"\n\
                    observe = \"r0\"\nsc = { executions = 1 }\nc11 = { executions = 1 }\nwhy = \"\"";
        let error = parse("f", text).unwrap_err();
        assert!(error.contains("more than one section"), "{error}");
    }

    #[test]
    fn a_field_that_is_not_known_is_refused() {
        assert!(parse("f", "[[test]]\nname = \"a\"\nnumber = 1").is_err());
    }
}
