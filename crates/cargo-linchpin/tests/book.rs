//! The book, the README and the papers beside it: links lead somewhere, and the commands that they show can be typed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// All pages, by their paths.
fn pages() -> BTreeMap<PathBuf, String> {
    let of = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
    };
    let paths = [of(&repository()), of(&repository().join("docs/src"))].concat();
    assert!(paths.len() > 12, "{paths:?}");
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("a page"))).collect()
}

/// The parts of a page, in order: text, and what is fenced, with the language that it is marked with.
fn parts(page: &str) -> (String, Vec<(&str, String)>) {
    let (mut text, mut blocks) = (String::new(), Vec::new());
    let mut block: Option<(&str, String)> = None;
    for line in page.lines() {
        match (&mut block, line.trim_start().strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(block.take()),
            (Some((_, content)), None) => *content += &format!("{line}\n"),
            (None, Some(language)) => block = Some((language, String::new())),
            (None, None) => text += &format!("{line}\n"),
        }
    }
    assert_eq!(block, None, "a block does not end");
    (text, blocks)
}

/// What links to a heading of a page call it.
fn anchors(page: &str) -> Vec<String> {
    let (text, _) = parts(page);
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let plain = |heading: &str| -> String {
        let kept =
            heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>();
        kept.replace(' ', "-")
    };
    headings.map(plain).collect()
}

/// The targets of a page's links. What is `code` has none.
fn links(page: &str) -> Vec<String> {
    let (text, _) = parts(page);
    let text: String = text.split('`').step_by(2).collect::<Vec<_>>().join("");
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// Why a link leads nowhere.
fn dead(link: &str, from: &Path, pages: &BTreeMap<PathBuf, String>) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { from.to_owned() } else { from.parent()?.join(file) };
    let Ok(path) = path.canonicalize() else { return Some(format!("there is no file {file}")) };
    let anchors = anchors(pages.get(&path).map_or("", String::as_str));
    let is_dead = anchor.is_some_and(|anchor| !anchors.iter().any(|known| known == anchor));
    is_dead.then(|| format!("{} has no heading {}: {anchors:?}", path.display(), anchor.unwrap_or_default()))
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut looked_at = 0;
    for (path, page) in &pages {
        for link in links(page) {
            looked_at += 1;
            assert_eq!(dead(&link, path, &pages), None, "{link} in {}", path.display());
        }
    }
    assert!(looked_at > 30, "{looked_at} links");
    let readme = repository().join("README.md");
    assert!(dead("docs/src/no-such-page.md", &readme, &pages).is_some());
    assert!(dead("docs/src/contracts.md#no-such-heading", &readme, &pages).is_some());
    assert_eq!(dead("docs/src/contracts.md#audit", &readme, &pages), None);
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = fs::read_to_string(repository().join("docs/src/SUMMARY.md")).expect("a summary");
    let listed = links(&summary);
    for path in
        pages().into_keys().filter(|path| path.parent().is_some_and(|directory| directory.ends_with("docs/src")))
    {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "{name} is not listed");
    }
}

/// The words of a command as a shell would pass them on; up to what is for the shell alone.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in command.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '#' | '|' | '>' if !is_quoted && word.is_empty() => break,
            c if c.is_whitespace() && !is_quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            c => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The arguments of `linchpin`, if a line is such a command. What stands for one of a few words is replaced by one.
fn typed(line: &str) -> Option<Vec<String>> {
    let line = line.replace("SHELL", "bash").replace("PAPER", "violat").replace("TIME", "10s");
    let line = line.trim_start().trim_start_matches("$ ");
    let commands = ["cargo run --bin linchpin -- ", "cargo linchpin ", "linchpin "];
    commands.iter().find_map(|start| line.strip_prefix(start)).map(words)
}

#[test]
fn every_command_that_is_shown_can_be_typed() {
    let mut looked_at = 0;
    for (path, page) in pages() {
        let (text, blocks) = parts(&page);
        let blocks = blocks.iter().filter(|(language, _)| matches!(*language, "sh" | "text")).map(|(_, block)| block);
        let lines = blocks.flat_map(|block| block.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>());
        let quoted = text.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " "));
        for line in lines.chain(quoted) {
            // What is left out, or one of several, cannot be typed.
            let stands_for_more = |word: &String| word == "…" || word.contains('|') && !word.contains(' ');
            let Some(arguments) = typed(&line).filter(|words| !words.iter().any(stands_for_more)) else { continue };
            looked_at += 1;
            // Whatever stands before it is looked at first.
            let output = Command::new(env!("CARGO_BIN_EXE_linchpin")).args(&arguments).arg("--help").output();
            let output = output.expect("the command runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line} in {}: {said}", path.display());
        }
    }
    assert!(looked_at > 30, "{looked_at} commands");
}

#[test]
fn commands_are_told_from_other_text() {
    assert_eq!(
        typed("linchpin client x \"{ a } || { b }\" # once"),
        Some(["client", "x", "{ a } || { b }"].map(str::to_owned).to_vec())
    );
    assert_eq!(typed("linchpin-sync is std"), None);
    assert_eq!(typed("cargo test"), None);
}
