//! A directory of reports: a page, data and text for each, an index over all, and SARIF for the newest run.
//!
//! Tests run side by side, in one process or in several, and none may destroy what another one writes. So each report has files of
//! its own, named after it, and files appear as a whole: they are written under another name first. What is about all reports is
//! made anew from the data that is there, by everyone who adds some. Whoever writes last looks again whether it has seen all.
//!
//! Nothing is deleted. The next failure of the same test takes the place of the last one, and the index keeps apart what the newest
//! run has found from what earlier ones have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;
use std::{fs, io, process};

use linchpin_report::Report;
use linchpin_report::text::{self, Style};
use linchpin_report::{html, sarif};

/// A directory in which reports are kept.
#[derive(Clone, Debug)]
pub struct Reports {
    directory: PathBuf,
}

/// The files of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// For people with a browser.
    pub page: PathBuf,
    /// Over all reports of the directory.
    pub index: PathBuf,
}

impl Reports {
    /// Reports in this directory, which is made when it is needed.
    pub fn new(directory: impl Into<PathBuf>) -> Reports {
        Reports { directory: directory.into() }
    }

    /// Keeps a report: `NAME.txt`, `NAME.json` and `NAME.html`, and makes `index.html` and `linchpin.sarif` anew.
    ///
    /// ```
    /// use linchpin_report::report::{Kind, Report};
    ///
    /// let directory = std::env::temp_dir().join(format!("linchpin-doc-{}", std::process::id()));
    /// let kept = linchpin::Reports::new(&directory).keep(&Report::told(Kind::Leak, "two blocks leak")).unwrap();
    /// assert!(std::fs::read_to_string(kept.page).unwrap().contains("two blocks leak"));
    /// # std::fs::remove_dir_all(directory).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a file cannot be written. What can be written is: text and data first.
    pub fn keep(&self, report: &Report) -> io::Result<Kept> {
        fs::create_dir_all(&self.directory)?;
        let file = |ending: &str| self.directory.join(format!("{}.{ending}", report.file_name()));
        write(&file("txt"), &text::report(report, Style::default()))?;
        write(&file("json"), &report.to_json())?;
        write(&file("html"), &html::page(report))?;
        self.summarise(&report.run)?;
        Ok(Kept { page: file("html"), index: self.directory.join("index.html") })
    }

    /// Makes the files that are about all reports. Somebody else may be doing the same: whoever is last to write has seen all
    /// data, or sees now that there is more and writes again.
    fn summarise(&self, run: &str) -> io::Result<()> {
        loop {
            let before = self.data()?;
            let reports: Vec<Report> = before.keys().filter_map(|path| read(path)).collect();
            let of_run: Vec<Report> = reports.iter().filter(|report| report.run == run).cloned().collect();
            write(&self.directory.join("index.html"), &html::index(&reports))?;
            write(&self.directory.join("linchpin.sarif"), &sarif::log(&of_run))?;
            if self.data()? == before {
                return Ok(());
            }
        }
    }

    /// The files with data, and when they were written.
    fn data(&self) -> io::Result<BTreeMap<PathBuf, Option<SystemTime>>> {
        let mut data = BTreeMap::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|ending| ending == "json") {
                data.insert(entry.path(), entry.metadata().and_then(|metadata| metadata.modified()).ok());
            }
        }
        Ok(data)
    }
}

/// A report that was kept; `None` for files of other versions and for what is none.
fn read(path: &Path) -> Option<Report> {
    Report::from_json(&fs::read_to_string(path).ok()?).ok()
}

/// Writes a file that is there as a whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let unique = format!("{}-{}.part", process::id(), WRITTEN.fetch_add(1, Relaxed));
    let part = path.with_extension(unique);
    fs::write(&part, text)?;
    fs::rename(&part, path)
}
