//! An execution as rows in an order for reading, with names for all that is in it.

use linchpin_graph::{EventId, Execution, Kind, LocationId, ThreadId};

use super::columns::{self, Row};
use super::wrap::paragraph;
use crate::acts::Acts;
use crate::names::{Names, line};
use crate::order::{Item, order};
use crate::phrase::{phrase, source, user_of};

/// Something that a row tells and that is no event: an allocation, a panic, a wait.
pub(crate) struct Remark {
    pub thread: ThreadId,
    /// How many events of the thread come before it.
    pub after: u32,
    pub text: String,
    pub place: String,
    /// Number of its mark.
    pub mark: Option<u8>,
}

/// An execution, ready to be shown.
pub(crate) struct Picture<'a> {
    pub execution: &'a Execution,
    pub names: Names<'a>,
    pub is_interleaving: bool,
    acts: Acts,
    /// What is shown: acts by their number, then remarks.
    shown: Vec<usize>,
    columns: Vec<ThreadId>,
    rows: Vec<Row>,
}

impl<'a> Picture<'a> {
    /// `threads` are names of threads; events of `marks` get their marks.
    pub fn new(
        execution: &'a Execution,
        threads: &'a [(ThreadId, String)],
        remarks: &[Remark],
        marks: &[(EventId, u8)],
    ) -> Self {
        let acts = Acts::of(execution);
        let items = items(execution, &acts, remarks);
        let order = order(execution, &acts, &items, &wanted(&acts, remarks, marks));
        let is_shown = |&item: &usize| match acts.list().get(item) {
            Some(act) => execution.event(act.event).kind != Kind::End,
            None => true,
        };
        let shown: Vec<usize> = order.sequence.iter().copied().filter(is_shown).collect();
        let names = Names::new(execution, threads, shown.iter().filter_map(|&item| acts.list().get(item)));

        let mut columns: Vec<ThreadId> = shown.iter().map(|&item| items[item].thread).collect();
        columns.sort_by(|left, right| execution.compare_threads(*left, *right));
        columns.dedup();
        let column = |thread| columns.iter().position(|&column| column == thread).unwrap_or(0);

        let row_of = |event| shown.iter().position(|&item| item == acts.number_of(event)).map(|row| row + 1);
        let rows = shown.iter().map(|&item| match acts.list().get(item) {
            Some(act) => {
                let mut text = phrase(execution, &names, act);
                if let Some(source) = source(execution, act.event, row_of) {
                    text.push_str(&format!("  ← {source}"));
                }
                let mark = marks.iter().find(|(event, _)| acts.number_of(*event) == item).map(|(_, mark)| *mark);
                let place = line(execution.event(act.event).site);
                Row { column: column(act.thread), mark: bracketed(mark), text, place }
            }
            None => {
                let remark = &remarks[item - acts.list().len()];
                let (text, place) = (remark.text.clone(), remark.place.clone());
                Row { column: column(remark.thread), mark: bracketed(remark.mark), text, place }
            }
        });
        let rows = rows.collect();
        Picture { execution, is_interleaving: order.is_interleaving, columns, rows, names, acts, shown }
    }

    /// The act that `event` is part of, in words.
    pub fn phrase(&self, event: EventId) -> String {
        phrase(self.execution, &self.names, &self.acts.list()[self.acts.number_of(event)])
    }

    /// The table and what has to be said about it.
    pub fn render(&self) -> String {
        if self.rows.is_empty() {
            return "Nothing has happened yet.\n".into();
        }
        let heads: Vec<String> = self.columns.iter().map(|&thread| self.names.column(thread)).collect();
        let mut text = columns::table(&heads, &self.rows);
        text.push('\n');
        text.push_str(&self.legend());
        if !self.is_interleaving {
            text.push('\n');
            text.push_str(&paragraph(
                "No interleaving of these rows lets every read see the last write before it: the execution takes weak \
                 memory. Reads (←) say which write they see.",
            ));
            text.push_str(&self.modification_orders());
        }
        text
    }

    /// What the letters stand for.
    fn legend(&self) -> String {
        let mut text = String::new();
        for (id, name) in self.names.named_locations() {
            let Some(first) = self.first_access(id) else { continue };
            let event = self.execution.event(first);
            let what = user_of(event);
            let before = self.predecessor(id).map(|name| format!(", at the address that {name} had before"));
            let before = before.unwrap_or_default();
            text.push_str(&format!("{name}: {what}, first used at {}{before}\n", line(event.site)));
        }
        text
    }

    /// What was at the address of location `id` before, by its name.
    fn predecessor(&self, id: LocationId) -> Option<&str> {
        let location = self.execution.location(id);
        let before = self.execution.locations().find(location.address, location.generation.checked_sub(1)?)?;
        self.names.named_locations().find(|(named, _)| *named == before).map(|(_, name)| name)
    }

    /// The first access in the order of rows.
    fn first_access(&self, id: LocationId) -> Option<EventId> {
        let mut acts = self.shown.iter().filter_map(|&item| self.acts.list().get(item));
        acts.find(|act| self.execution.event(act.event).location == id).map(|act| act.event)
    }

    /// Where the order of rows does not show it: in which order writes to a location took effect.
    fn modification_orders(&self) -> String {
        let mut text = String::new();
        for (id, name) in self.names.named_locations() {
            let location = self.execution.location(id);
            if location.mo().len() < 2 {
                continue;
            }
            let values = location.mo().iter().map(|&write| self.names.value(self.execution.event(write).value));
            let values: Vec<String> = values.collect();
            text.push_str(&format!("{name} takes the values {} in this order.\n", values.join(", ")));
        }
        text
    }
}

fn bracketed(mark: Option<u8>) -> String {
    mark.map_or(String::new(), |mark| format!("({mark})"))
}

/// All acts, then all remarks.
fn items(execution: &Execution, acts: &Acts, remarks: &[Remark]) -> Vec<Item> {
    let acts = acts.list().iter().map(|act| Item {
        thread: act.thread,
        after: act.index,
        is_remark: false,
        stamp: act.event.0,
    });
    let remarks = remarks.iter().map(|remark| {
        let next = execution.thread(remark.thread).events().get(remark.after as usize);
        let stamp = next.map_or(u32::MAX, |next| next.0);
        Item { thread: remark.thread, after: remark.after, is_remark: true, stamp }
    });
    acts.chain(remarks).collect()
}

/// What is marked (1) should stand above what is marked (2).
fn wanted(acts: &Acts, remarks: &[Remark], marks: &[(EventId, u8)]) -> Vec<(usize, usize)> {
    let item = |wanted: u8| {
        let event = marks.iter().find(|(_, mark)| *mark == wanted).map(|(event, _)| acts.number_of(*event));
        let remark = || remarks.iter().position(|remark| remark.mark == Some(wanted));
        event.or_else(|| remark().map(|remark| acts.list().len() + remark))
    };
    match (item(1), item(2)) {
        (Some(first), Some(second)) => vec![(first, second)],
        _ => Vec::new(),
    }
}
