//! Names for what has only numbers: threads, locations and pointers.

use std::collections::HashMap;

use linchpin_graph::{Execution, LocationId, Site, ThreadId};

use crate::acts::{Act, Acts};

/// How threads, locations and values are called in one rendering.
pub(crate) struct Names<'a> {
    execution: &'a Execution,
    threads: &'a [(ThreadId, String)],
    locations: HashMap<LocationId, String>,
    /// In order of appearance: all that are named.
    seen: Vec<LocationId>,
    /// Values that look like pointers and are not the address of a named location.
    pointers: HashMap<u64, String>,
}

impl<'a> Names<'a> {
    /// Names by first appearance in `shown`.
    pub fn new<'b>(
        execution: &'a Execution,
        threads: &'a [(ThreadId, String)],
        shown: impl Iterator<Item = &'b Act> + Clone,
    ) -> Self {
        let mut names =
            Names { execution, threads, locations: HashMap::new(), seen: Vec::new(), pointers: HashMap::new() };
        for act in shown.clone() {
            names.name_location(execution.event(act.event).location);
        }
        for act in shown {
            names.name_values(act);
        }
        names
    }

    /// Names for all acts, by stamp.
    pub fn of_all(execution: &'a Execution, acts: &Acts) -> Self {
        let mut by_stamp: Vec<&Act> = acts.list().iter().collect();
        by_stamp.sort_by_key(|act| act.event);
        Names::new(execution, &[], by_stamp.into_iter())
    }

    fn name_location(&mut self, id: LocationId) {
        if id != LocationId::NONE && !self.locations.contains_key(&id) {
            self.locations.insert(id, letters(self.seen.len()));
            self.seen.push(id);
        }
    }

    fn name_values(&mut self, act: &Act) {
        let values = [Some(act.event), act.write].into_iter().flatten().map(|id| self.execution.event(id));
        let accesses = values.filter(|event| event.location != LocationId::NONE && !event.is_plain());
        for value in accesses.map(|event| event.value) {
            let bare = without_tag(value);
            if looks_like_pointer(bare) && self.location_at(bare).is_none() && !self.pointers.contains_key(&bare) {
                let name = format!("p{}", self.pointers.len() + 1);
                self.pointers.insert(bare, name);
            }
        }
    }

    /// The named locations, in the order of their names.
    pub fn named_locations(&self) -> impl Iterator<Item = (LocationId, &str)> {
        self.seen.iter().map(|id| (*id, self.location(*id)))
    }

    /// A location's name.
    pub fn location(&self, id: LocationId) -> &str {
        self.locations.get(&id).map_or("memory", String::as_str)
    }

    /// The newest location at `address`, by name.
    fn location_at(&self, address: u64) -> Option<&str> {
        let is_there = |id: &&LocationId| self.execution.location(**id).address as u64 == address;
        self.seen.iter().rev().find(is_there).map(|id| self.location(*id))
    }

    /// A thread in a sentence: ``thread 1 `producer` ``.
    pub fn thread(&self, thread: ThreadId) -> String {
        match self.given_name(thread) {
            _ if thread == ThreadId::MAIN => "the main thread".into(),
            Some(name) => format!("thread {} `{name}`", thread.0),
            None => format!("thread {}", thread.0),
        }
    }

    /// What the program calls a thread.
    pub fn given_name(&self, thread: ThreadId) -> Option<&str> {
        self.threads.iter().find(|(id, _)| *id == thread).map(|(_, name)| name.as_str())
    }

    /// A value: a pointer by name, a small number in decimal, all others in hexadecimal.
    pub fn value(&self, value: u64) -> String {
        let bare = without_tag(value);
        if looks_like_pointer(bare) {
            let name = match (self.location_at(bare), self.pointers.get(&bare)) {
                (Some(location), _) => format!("&{location}"),
                (None, Some(pointer)) => pointer.clone(),
                (None, None) => return format!("{value:#x}"),
            };
            return if bare == value { name } else { format!("{name}|{}", value - bare) };
        }
        if value <= 0xffff { value.to_string() } else { format!("{value:#x}") }
    }
}

/// A thread in a row: `t1`.
pub(crate) fn short(thread: ThreadId) -> String {
    if thread == ThreadId::MAIN { "main".into() } else { format!("t{}", thread.0) }
}

/// A source position in a sentence.
pub(crate) fn position(site: Site) -> String {
    format!("{}:{}:{}", site.file(), site.line(), site.column())
}

/// A source position in a row.
pub(crate) fn line(site: Site) -> String {
    format!("{}:{}", site.file(), site.line())
}

/// A, B, … Z, AA, AB, …
pub(crate) fn letters(mut number: usize) -> String {
    let mut name = Vec::new();
    loop {
        name.push(b'A' + (number % 26) as u8);
        if number < 26 {
            break;
        }
        number = number / 26 - 1;
    }
    name.iter().rev().map(|&letter| char::from(letter)).collect()
}

/// Low bits of pointers to aligned memory are used for tags.
fn without_tag(value: u64) -> u64 {
    value & !7
}

/// Addresses of user space on 64-bit machines, which are beyond what counters reach.
fn looks_like_pointer(value: u64) -> bool {
    (1 << 32..1 << 47).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn names_go_on_after_z() {
        let names = [0, 25, 26, 51, 52, 701, 702].map(letters);
        assert_eq!(names, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
