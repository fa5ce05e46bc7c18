//! `cargo linchpin init`: a first test in the user's crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use linchpin::command::Exit;
use serde::Deserialize;

use crate::arguments::Init;
use crate::object::unusable;
use crate::output::printed;
use crate::workspace::cargo;

const FIRST_TEST: &str = include_str!("first_test.rs.txt");

/// The crate in which the command is run.
struct Package {
    /// Its name as Rust code has it.
    name: String,
    manifest: PathBuf,
    directory: PathBuf,
    has_linchpin: bool,
}

pub(crate) fn run(options: &Init) -> Exit {
    match package().and_then(|package| init(&package, options)) {
        Ok(text) => printed(&text, Exit::Holds),
        Err(message) => unusable(&message),
    }
}

/// Everything that can fail comes before the file is written, and nothing is overwritten.
fn init(package: &Package, options: &Init) -> Result<String, String> {
    let file = package.directory.join(&options.file);
    let shown = options.file.display();
    if file.exists() {
        return Err(format!("{shown} is there already, and stays as it is; --file names another one"));
    }
    let sources = sources(options);
    let mut text = String::new();
    match (&sources, package.has_linchpin) {
        (_, true) => {}
        (Some(sources), false) if !options.no_add => {
            add(package, sources, options.offline)?;
            text.push_str(&format!("added the dev-dependency linchpin to {}\n", package.manifest.display()));
        }
        (sources, false) => text.push_str(&to_add(package, sources.as_deref())),
    }
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    }
    let test = FIRST_TEST.replace("CRATE", &package.name);
    fs::write(&file, test).map_err(|error| format!("cannot write {shown}: {error}"))?;
    text.push_str(&next(options, &sources));
    Ok(text)
}

fn next(options: &Init, sources: &Option<PathBuf>) -> String {
    let shown = options.file.display();
    let test = options.file.file_stem().unwrap_or_default().display();
    let sync = sources.as_ref().map_or("…".into(), |sources| sources.join("linchpin-sync").display().to_string());
    format!(
        "written: {shown}\n\n\
         Next:\n\
         1. cargo test --test {test}            it passes as it is\n\
         2. put your own type in the place of `Counter` in {shown}\n\
         3. let that type take atomics, locks, cells and threads from linchpin-sync, which is `std` in production:\n   \
            cargo add linchpin-sync --path {sync}\n\
         4. cargo linchpin check MyCounter      the same from the shell; also client, hunt, stress and audit\n"
    )
}

/// The crate around the current directory.
fn package() -> Result<Package, String> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Described>,
    }
    #[derive(Deserialize)]
    struct Described {
        name: String,
        manifest_path: PathBuf,
        dependencies: Vec<Dependency>,
    }
    #[derive(Deserialize)]
    struct Dependency {
        name: String,
    }
    let located = said(&["locate-project", "--message-format", "plain"])?;
    let manifest = PathBuf::from(located.trim());
    let metadata = said(&["metadata", "--no-deps", "--format-version=1"])?;
    let metadata: Metadata =
        serde_json::from_str(&metadata).map_err(|error| format!("cannot read what cargo says: {error}"))?;
    let package = metadata.packages.into_iter().find(|package| package.manifest_path == manifest).ok_or_else(|| {
        format!("{} is the manifest of a workspace; go to the directory of one of its crates", manifest.display())
    })?;
    Ok(Package {
        name: package.name.replace('-', "_"),
        directory: manifest.parent().unwrap_or(Path::new("")).to_owned(),
        manifest,
        has_linchpin: package.dependencies.iter().any(|dependency| dependency.name == "linchpin"),
    })
}

/// What cargo prints.
fn said(arguments: &[&str]) -> Result<String, String> {
    let output = cargo().args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot run cargo: {error}; is it installed?"))?;
    if !output.status.success() {
        return Err("there is no crate here; go to one, or make one with cargo new".into());
    }
    String::from_utf8(output.stdout).map_err(|error| format!("cannot read what cargo says: {error}"))
}

/// The directory of Linchpin's crates: as given, or where this command was built from.
fn sources(options: &Init) -> Option<PathBuf> {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned);
    let given = options.linchpin.as_ref().map(|directory| directory.join("crates"));
    let sources = given.or(built_from)?;
    sources.join("linchpin/Cargo.toml").is_file().then(|| fs::canonicalize(&sources).unwrap_or(sources))
}

fn add(package: &Package, sources: &Path, offline: bool) -> Result<(), String> {
    let mut command = cargo();
    command.args(["add", "--quiet", "--dev", "linchpin", "--path"]).arg(sources.join("linchpin"));
    command.arg("--manifest-path").arg(&package.manifest);
    if offline {
        command.arg("--offline");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("cargo add does not work here, so nothing was written\n\n{}", to_add(package, Some(sources)))),
    }
}

fn to_add(package: &Package, sources: Option<&Path>) -> String {
    let path =
        sources.map_or("…/linchpin/crates/linchpin".into(), |sources| sources.join("linchpin").display().to_string());
    let manifest = package.manifest.display();
    format!("add this to {manifest}:\n\n    [dev-dependencies]\n    linchpin = {{ path = \"{path}\" }}\n\n")
}
