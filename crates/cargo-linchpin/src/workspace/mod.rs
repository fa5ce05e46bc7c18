//! The user's own objects and tests, in the test binaries that cargo builds.

mod binary;
mod talk;

use linchpin::command::serve::{Ask, Message, Place};
use linchpin::command::{Answer, Question, Request};

use crate::arguments::Location;
use crate::interrupt;
use crate::names::{near, suggestion};
use crate::progress::Shown;
pub(crate) use binary::cargo;

use binary::Binary;

/// Test binaries, with what is in them.
pub(crate) struct Workspace {
    contents: Vec<Contents>,
}

/// A test binary and what is in it.
struct Contents {
    binary: Binary,
    objects: Vec<Place>,
    tests: Vec<String>,
}

/// One test of the user's.
pub(crate) struct Test<'a> {
    binary: &'a Binary,
    name: &'a str,
}

impl Workspace {
    /// Lets cargo build the tests, and asks each binary what is in it.
    pub fn build(location: &Location) -> Result<Workspace, String> {
        let contents = binary::build(&location.arguments())?.into_iter().map(contents).collect::<Result<_, _>>()?;
        Ok(Workspace { contents })
    }

    /// The test of this name, if there is exactly one and no object is called like that.
    pub fn test(&self, wanted: &str) -> Option<Test<'_>> {
        let mut tests = self.contents.iter().flat_map(|Contents { binary, tests, .. }| {
            tests.iter().filter(|name| is_called(name, wanted)).map(move |name| Test { binary, name })
        });
        match (tests.next(), tests.next()) {
            (Some(test), None) if self.objects_called(wanted).is_empty() => Some(test),
            _ => None,
        }
    }

    /// Asks the object of this name.
    pub fn ask(&self, name: &str, request: &Request) -> Result<Answer, String> {
        let (binary, place) = self.object(name)?;
        let mut answers = answers(binary, &Ask::Object(place.clone(), request.clone()), &["--list"])?;
        answers.pop().unwrap_or_else(|| Err("there was no answer".into()))
    }

    /// Asks a test about its memory orders; one answer for each thing that it explores.
    pub fn orders(&self, test: &Test<'_>, question: Question) -> Result<Vec<Answer>, String> {
        let Test { binary, name } = test;
        let answers = answers(binary, &Ask::Orders(question), &["--exact", name])?;
        if answers.is_empty() {
            return Err(format!(
                "{name} explores nothing that could be audited: only `linchpin::model`, `Builder::check`, `client(…).run()` and \
                 `contract(…).check(…)` are; for `check::<Object>()`, type cargo linchpin audit Object"
            ));
        }
        answers.into_iter().collect()
    }

    /// Objects of this name, each with the first binary that it is in. An object of a library is in all of them.
    fn objects_called(&self, wanted: &str) -> Vec<(&Binary, &Place)> {
        let mut found: Vec<(&Binary, &Place)> = Vec::new();
        for Contents { binary, objects, .. } in &self.contents {
            for place in objects.iter().filter(|place| is_called(&place.to_string(), wanted)) {
                if found.iter().all(|(_, known)| *known != place) {
                    found.push((binary, place));
                }
            }
        }
        found
    }

    fn object(&self, wanted: &str) -> Result<(&Binary, &Place), String> {
        let found = self.objects_called(wanted);
        match &found[..] {
            [one] => Ok(*one),
            [] => Err(self.no_such_object(wanted)),
            [(_, first), rest @ ..] if rest.iter().all(|(_, place)| place.to_string() == first.to_string()) => {
                Err(format!("there are several objects {wanted}:\n{}\ngive one of them another name", listed(&found)))
            }
            _ => Err(format!(
                "there are several objects {wanted}:\n{}\nsay which one, by more of its path or by --lib, --test or --package",
                listed(&found)
            )),
        }
    }

    fn no_such_object(&self, wanted: &str) -> String {
        let all: Vec<&Place> = self.contents.iter().flat_map(|contents| &contents.objects).collect();
        if all.is_empty() {
            return format!(
                "there is no object {wanted:?}, nor any other: no test binary describes one with linchpin::object!\n\n\
                 cargo linchpin init writes a first one; linchpin zoo lists objects to try things on"
            );
        }
        let mut names: Vec<&str> = all.iter().map(|place| place.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let suggestion = suggestion(&near(wanted, names.iter().copied()));
        format!("there is no object {wanted:?}{suggestion}\n\nthe objects in these tests: {}", names.join(", "))
    }
}

/// Is `path` meant by `wanted`: the same, or its end?
fn is_called(path: &str, wanted: &str) -> bool {
    path.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

fn listed(found: &[(&Binary, &Place)]) -> String {
    let line = |(_, place): &(&Binary, &Place)| format!("    {place} at {}:{}", place.file, place.line);
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn contents(binary: Binary) -> Result<Contents, String> {
    let mut objects = Vec::new();
    let note = &mut |message| {
        if let Message::Object(place) = message {
            objects.push(place);
        }
    };
    let ended = talk::talk(&binary, &Ask::Objects, &["--list"], &interrupt::flag(), note)?;
    let tests = ended.printed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
    Ok(Contents { binary, objects, tests })
}

/// All answers of a binary, while its progress is shown.
fn answers(binary: &Binary, ask: &Ask, arguments: &[&str]) -> Result<Vec<Result<Answer, String>>, String> {
    let (shown, mut answers) = (Shown::default(), Vec::new());
    let note = &mut |message| match message {
        Message::Progress(done, message) => shown.tell(done, &message),
        Message::Answer(answer) => answers.push(answer),
        Message::Object(_) => {}
    };
    let ended = talk::talk(binary, ask, arguments, &interrupt::flag(), note)?;
    // A test that is audited may go on to fail.
    let is_crash = ended.code.is_none() || matches!(ask, Ask::Object(..)) && answers.is_empty();
    if is_crash {
        return Err(format!(
            "{} ended before there was an answer ({}){}\n\nOn native threads, a program that leaves its memory can end like \
             this; --tester explore shows what it does, if it goes through linchpin's types.",
            binary.executable.display(),
            ended.status,
            ended.last_words()
        ));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::is_called;

    #[test]
    fn a_path_is_called_by_its_end() {
        for wanted in ["Fifo", "tests::Fifo", "queue::tests::Fifo"] {
            assert!(is_called("queue::tests::Fifo", wanted), "{wanted}");
        }
        for wanted in ["ifo", "s::Fifo", "fifo", "x::queue::tests::Fifo"] {
            assert!(!is_called("queue::tests::Fifo", wanted), "{wanted}");
        }
    }
}
