//! What is printed and written of what fails; the same for every command that can find something.

use std::path::PathBuf;

use clap::Args;

/// What is written where.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Output {
    /// Keep a report of what fails in this directory: a page with pictures, text, data, and an index over all that are there.
    #[arg(long, value_name = "DIRECTORY")]
    pub report: Option<PathBuf>,
    /// Write what fails as SARIF 2.1.0; an empty log if nothing does.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
