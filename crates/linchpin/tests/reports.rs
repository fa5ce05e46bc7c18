//! Reports as files.

use std::fs;
use std::path::PathBuf;
use std::thread;

use linchpin::{Report, Reports};
use linchpin_report::report::Kind;

/// A directory for one test, which is gone afterwards.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let directory = std::env::temp_dir().join(format!("linchpin-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        Directory(directory)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn report(name: String, run: &str) -> Report {
    Report { name, run: run.to_owned(), time: 1_794_000_000, ..Report::told(Kind::Leak, "two blocks leak") }
}

#[test]
fn what_many_write_at_once_is_all_in_the_index() {
    const WRITERS: usize = 8;
    const EACH: usize = 5;
    let directory = Directory::new("many");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let reports = Reports::new(&directory.0);
            scope.spawn(move || {
                for number in 0..EACH {
                    reports.keep(&report(format!("w{writer}n{number}"), "one")).unwrap();
                }
            });
        }
    });
    let index = directory.read("index.html");
    assert!(index.contains(&format!("<h1>{} failures</h1>", WRITERS * EACH)));
    let log: serde_json::Value = serde_json::from_str(&directory.read("linchpin.sarif")).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), WRITERS * EACH);
    for writer in 0..WRITERS {
        for number in 0..EACH {
            assert!(index.contains(&format!("href=\"w{writer}n{number}.html\"")));
            assert!(directory.read(&format!("w{writer}n{number}.html")).ends_with("</html>\n"));
        }
    }
    let is_part = |name: &str| name.ends_with(".part");
    let left = fs::read_dir(&directory.0)
        .unwrap()
        .filter(|entry| is_part(entry.as_ref().unwrap().file_name().to_str().unwrap()));
    assert_eq!(left.count(), 0);
}

#[test]
fn earlier_runs_are_not_in_sarif_and_folded_in_the_index() {
    let directory = Directory::new("runs");
    let reports = Reports::new(&directory.0);
    reports.keep(&Report { time: 1_700_000_000, ..report("old".into(), "first") }).unwrap();
    reports.keep(&report("new".into(), "second")).unwrap();
    let sarif = directory.read("linchpin.sarif");
    assert!(sarif.contains("new leak") && !sarif.contains("old leak"));
    assert!(directory.read("index.html").contains("1 failure of earlier runs"));
    // The same test fails again: its report takes the place of the old one.
    reports.keep(&report("old".into(), "second")).unwrap();
    assert!(!directory.read("index.html").contains("earlier runs"));
}

#[test]
fn files_that_are_no_reports_are_left_alone() {
    let directory = Directory::new("strange");
    fs::create_dir_all(&directory.0).unwrap();
    fs::write(directory.0.join("strange.json"), "{\"schema\": 99}").unwrap();
    Reports::new(&directory.0).keep(&report("a/../b::c d".into(), "one")).unwrap();
    assert_eq!(directory.read("strange.json"), "{\"schema\": 99}");
    assert!(directory.read("a....b.c.d.json").contains("two blocks leak"));
    assert!(directory.read("index.html").contains("href=\"a....b.c.d.html\""));
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error_and_no_panic() {
    let directory = Directory::new("file");
    fs::write(&directory.0, "not a directory").unwrap();
    assert!(Reports::new(directory.0.join("below")).keep(&report("x".into(), "one")).is_err());
    fs::remove_file(&directory.0).unwrap();
}
