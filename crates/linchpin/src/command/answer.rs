//! What comes of a request.

use linchpin_report::Report;
use linchpin_report::text::{self, Style};
use serde::{Deserialize, Serialize};

use super::exit::Exit;

/// What is known now: for people, for programs, and for the shell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// How it ended.
    pub exit: Exit,
    /// For people: what is said before the report, if there is one.
    pub text: String,
    /// What fails, if something does.
    pub report: Option<Box<Report>>,
    /// For programs: a line of JSON.
    pub json: String,
    /// The test that was to be written, or why it could not be.
    pub test: Option<Result<String, String>>,
    /// The execution that is wrong, if it can be run again.
    pub replay: Option<String>,
}

impl Answer {
    pub(crate) fn new(exit: Exit, text: String, known: &impl Serialize) -> Answer {
        // Nothing here has keys that are not text, which is all that could fail.
        let json = serde_json::to_string(known).unwrap_or_default() + "\n";
        Answer { exit, text, report: None, json, test: None, replay: None }
    }

    /// All that there is for people to read.
    pub fn told(&self, style: Style) -> String {
        match &self.report {
            Some(report) => format!("{}\n{}", self.text, text::report(report, style)),
            None => self.text.clone(),
        }
    }
}
