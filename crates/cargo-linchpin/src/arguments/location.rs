//! Where to look for an object in a user's workspace.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// What is passed on to cargo.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where your own object is (these look in the crate, as `cargo linchpin` does)")]
pub(crate) struct Location {
    /// The package whose tests the object is in.
    #[arg(long, short, value_name = "NAME")]
    pub package: Option<String>,
    /// It is in the library, or in its unit tests.
    #[arg(long)]
    pub lib: bool,
    /// It is in this integration test.
    #[arg(long, value_name = "NAME")]
    pub test: Option<String>,
    /// Features to build the tests with.
    #[arg(long, short = 'F', value_name = "FEATURES")]
    pub features: Option<String>,
    /// Build the tests with all features.
    #[arg(long)]
    pub all_features: bool,
    /// Build the tests without the default features.
    #[arg(long)]
    pub no_default_features: bool,
    /// Build the tests with optimisation.
    #[arg(long, short)]
    pub release: bool,
    /// The package's Cargo.toml.
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
    /// Do not use the network.
    #[arg(long)]
    pub offline: bool,
}

impl Location {
    /// Does it say anything?
    pub fn is_given(&self) -> bool {
        !self.arguments().is_empty()
    }

    /// The same as arguments of cargo.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let values = [("--package", &self.package), ("--test", &self.test), ("--features", &self.features)];
        for (name, value) in values {
            if let Some(value) = value {
                arguments.extend([name.into(), value.into()]);
            }
        }
        if let Some(path) = &self.manifest_path {
            arguments.extend(["--manifest-path".into(), path.into()]);
        }
        let flags = [
            ("--lib", self.lib),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
            ("--offline", self.offline),
        ];
        arguments.extend(flags.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name.into()));
        arguments
    }
}
