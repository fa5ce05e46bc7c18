//! An execution as rows in an order for reading, with names for all that is in it.

use linchpin_engine::{Call, Violation};
use linchpin_graph::{EventId, Execution, Kind, LocationId, ThreadId};

use crate::acts::{Act, Acts};
use crate::names::{Names, line, short};
use crate::order::{Item, order};
use crate::phrase::{is_locking, name_of, phrase, source, user_of};
use crate::report::{Access, Location, Operation, Position, Row, ShownExecution, ShownThread, Sort, model};
use crate::text::finding::Staging;

/// Something that a row tells and that is no event: a call, an allocation, a panic, a wait.
pub(crate) struct Remark {
    pub thread: ThreadId,
    /// How many events of the thread come before it.
    pub after: u32,
    pub text: String,
    pub place: String,
    /// Number of its mark.
    pub mark: Option<u8>,
    pub sort: Sort,
}

/// An execution, ready to be shown.
pub(crate) struct Picture<'a> {
    pub execution: &'a Execution,
    pub names: Names<'a>,
    pub is_interleaving: bool,
    acts: Acts,
    remarks: &'a [Remark],
    marks: &'a [(EventId, u8)],
    items: Vec<Item>,
    /// What is shown: acts by their number, then remarks.
    shown: Vec<usize>,
    /// The threads that are shown.
    columns: Vec<ThreadId>,
}

impl<'a> Picture<'a> {
    /// The picture of a violation. Of a client, what its runner does is left out: nobody has written that.
    pub fn of(violation: &'a Violation, staging: &'a Staging) -> Self {
        let is_client = !violation.calls.is_empty() && violation.calls.iter().all(|call| call.target.is_none());
        let is_outside = |act: &Act| {
            let is_own = |call: &Call| call.thread == act.thread && call.events.contains(&act.index);
            act.thread == ThreadId::MAIN && !violation.calls.iter().any(is_own)
        };
        let is_runner = |act: &Act| {
            let kind = violation.execution.event(act.event).kind;
            is_client && matches!(kind, Kind::Spawn | Kind::Join) && is_outside(act)
        };
        Picture::new(&violation.execution, &violation.names, &staging.remarks, &staging.marks, is_runner)
    }

    /// The picture of an execution of which nothing more is known.
    pub fn of_execution(execution: &'a Execution) -> Self {
        Picture::new(execution, &[], &[], &[], |_| false)
    }

    /// `threads` are names of threads; events of `marks` get their marks.
    fn new(
        execution: &'a Execution,
        threads: &'a [(ThreadId, String)],
        remarks: &'a [Remark],
        marks: &'a [(EventId, u8)],
        is_hidden: impl Fn(&Act) -> bool,
    ) -> Self {
        let acts = Acts::of(execution);
        let items = items(execution, &acts, remarks);
        let order = order(execution, &acts, &items, &wanted(&acts, remarks, marks));
        let is_shown = |&item: &usize| match acts.list().get(item) {
            Some(act) => execution.event(act.event).kind != Kind::End && !is_hidden(act),
            None => true,
        };
        let shown: Vec<usize> = order.sequence.iter().copied().filter(is_shown).collect();
        let names = Names::new(execution, threads, shown.iter().filter_map(|&item| acts.list().get(item)));
        let mut columns: Vec<ThreadId> = shown.iter().map(|&item| items[item].thread).collect();
        columns.sort_by(|left, right| execution.compare_threads(*left, *right));
        columns.dedup();
        let is_interleaving = order.is_interleaving;
        Picture { execution, names, is_interleaving, acts, remarks, marks, items, shown, columns }
    }

    /// The act that `event` is part of, in words.
    pub fn phrase(&self, event: EventId) -> String {
        phrase(self.execution, &self.names, &self.acts.list()[self.acts.number_of(event)])
    }

    /// All that there is to see, as plain data.
    pub fn shown(&self) -> ShownExecution {
        let mut rows: Vec<Row> = self.shown.iter().map(|&item| self.row(item)).collect();
        let operations = operations(&mut rows);
        ShownExecution {
            model: model(self.execution.model()),
            is_interleaving: self.is_interleaving,
            threads: self.columns.iter().map(|&thread| self.thread(thread)).collect(),
            rows,
            operations,
            locations: self.names.named_locations().filter_map(|(id, name)| self.location(id, name)).collect(),
            reads_from: self.reads_from(),
            modification_order: self.modification_order(),
            conflicts: self.conflicts(),
        }
    }

    fn thread(&self, thread: ThreadId) -> ShownThread {
        let given_name = self.names.given_name(thread).filter(|_| thread != ThreadId::MAIN);
        ShownThread { name: short(thread), given_name: given_name.map(str::to_owned) }
    }

    fn row(&self, item: usize) -> Row {
        let thread = self.items[item].thread;
        let thread = self.columns.iter().position(|&column| column == thread).unwrap_or(0);
        let Some(act) = self.acts.list().get(item) else {
            let Remark { mark, sort, text, place, .. } = &self.remarks[item - self.acts.list().len()];
            let (text, place) = (text.clone(), place.clone());
            let position = Position::of(&place);
            return Row { thread, mark: *mark, sort: *sort, text, place, position, ..Row::default() };
        };
        let site = self.execution.event(act.event).site;
        let (file, line_number, column) = (site.file().to_owned(), site.line(), Some(site.column()));
        Row {
            thread,
            mark: self.marks.iter().find(|(event, _)| self.acts.number_of(*event) == item).map(|(_, mark)| *mark),
            sort: Sort::Event,
            text: phrase(self.execution, &self.names, act),
            seen: source(self.execution, act.event, |event| self.row_of(event).map(|row| row + 1)),
            place: line(site),
            position: Some(Position { file, line: line_number, column }),
            operation: None,
            access: self.access(act),
        }
    }

    /// What an act did to memory.
    fn access(&self, act: &Act) -> Option<Access> {
        let event = self.execution.event(act.event);
        let is_atomic = matches!(event.kind, Kind::Read | Kind::Write);
        if !is_atomic && !event.is_plain() && event.kind != Kind::Fence {
            return None;
        }
        let has_value = is_atomic && !is_locking(event.verb);
        let value = |id: EventId| self.names.value(self.execution.event(id).value);
        let written = if event.is_write() { Some(act.event) } else { act.write };
        let has_location = event.location != LocationId::NONE;
        Some(Access {
            verb: name_of(event.verb).to_owned(),
            location: has_location.then(|| self.names.location(event.location).to_owned()),
            order: (!event.is_plain() && !is_locking(event.verb)).then(|| format!("{:?}", event.order)),
            read: (has_value && event.is_read()).then(|| value(act.event)),
            written: written.filter(|_| has_value).map(value),
            is_write: written.is_some() || event.kind == Kind::PlainWrite,
        })
    }

    /// The row of the act that `event` is part of.
    fn row_of(&self, event: EventId) -> Option<usize> {
        self.shown.iter().position(|&item| item == self.acts.number_of(event))
    }

    /// The acts that are shown, with their rows.
    fn shown_acts(&self) -> impl Iterator<Item = (usize, &Act)> {
        self.shown.iter().enumerate().filter_map(|(row, &item)| Some((row, self.acts.list().get(item)?)))
    }

    fn reads_from(&self) -> Vec<(usize, usize)> {
        let edge = |(row, act): (usize, &Act)| {
            let event = self.execution.event(act.event);
            let has_source = event.is_read() && event.source.is_some();
            has_source.then(|| Some((self.row_of(event.source)?, row))).flatten()
        };
        self.shown_acts().filter_map(edge).collect()
    }

    fn modification_order(&self) -> Vec<(usize, usize)> {
        let orders = self.names.named_locations().map(|(id, _)| self.execution.location(id).mo());
        let pairs = orders.flat_map(|mo| mo.windows(2));
        pairs.filter_map(|pair| Some((self.row_of(pair[0])?, self.row_of(pair[1])?))).collect()
    }

    /// Reads-from, modification order, and reads before the writes that they do not see, between threads; of plain memory, what
    /// happens-before orders.
    fn conflicts(&self) -> Vec<(usize, usize)> {
        let mut conflicts = [self.reads_from(), self.modification_order()].concat();
        for (row, act) in self.shown_acts().filter(|(_, act)| self.execution.event(act.event).is_read()) {
            let mo = self.execution.location(self.execution.event(act.event).location).mo();
            let next = mo.get(self.execution.source_position(act.event) as usize);
            conflicts
                .extend(next.and_then(|&next| self.row_of(next)).filter(|&next| next != row).map(|next| (row, next)));
        }
        conflicts.extend(self.plain_conflicts());
        let thread = |row: usize| self.items[self.shown[row]].thread;
        conflicts.retain(|&(first, second)| thread(first) != thread(second));
        conflicts.sort();
        conflicts.dedup();
        conflicts
    }

    fn plain_conflicts(&self) -> Vec<(usize, usize)> {
        let mut conflicts = Vec::new();
        for (id, _) in self.names.named_locations() {
            // Since the last write, with it.
            let mut recent: Vec<(usize, &Act)> = Vec::new();
            let is_here = |act: &Act| {
                let event = self.execution.event(act.event);
                event.is_plain() && event.location == id
            };
            for (row, act) in self.shown_acts().filter(|(_, act)| is_here(act)) {
                let writes = |act: &Act| self.execution.event(act.event).kind == Kind::PlainWrite;
                let earlier = recent.iter().filter(|(_, earlier)| writes(act) || writes(earlier));
                let ordered = earlier.filter(|(_, earlier)| self.execution.happens_before(earlier.event, act.event));
                conflicts.extend(ordered.map(|(earlier, _)| (*earlier, row)));
                if writes(act) {
                    recent.clear();
                }
                recent.push((row, act));
            }
        }
        conflicts
    }

    /// What a name stands for.
    fn location(&self, id: LocationId, name: &str) -> Option<Location> {
        let first = self.first_access(id)?;
        let event = self.execution.event(first);
        let has_value = !event.is_plain() && !is_locking(event.verb);
        let value = |value| self.names.value(value);
        let mut reads = self.shown_acts().map(|(_, act)| self.execution.event(act.event));
        let read = reads.find(|event| event.location == id && event.is_read());
        let writes = self.execution.location(id).mo().iter().map(|&write| self.execution.event(write).value);
        Some(Location {
            name: name.to_owned(),
            what: user_of(event),
            first_used: line(event.site),
            before: self.predecessor(id).map(str::to_owned),
            initial: read.filter(|_| has_value).map(|event| value(event.initial)),
            values: writes.map(value).collect(),
        })
    }

    /// What was at the address of location `id` before, by its name.
    fn predecessor(&self, id: LocationId) -> Option<&str> {
        let location = self.execution.location(id);
        let before = self.execution.locations().find(location.address, location.generation.checked_sub(1)?)?;
        self.names.named_locations().find(|(named, _)| *named == before).map(|(_, name)| name)
    }

    /// The first access in the order of rows.
    fn first_access(&self, id: LocationId) -> Option<EventId> {
        self.shown_acts().map(|(_, act)| act.event).find(|&event| self.execution.event(event).location == id)
    }
}

/// The operations, by the rows of their calls and returns; each row between is told which one it is part of.
fn operations(rows: &mut [Row]) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    for (number, row) in rows.iter_mut().enumerate() {
        let is_open = |operation: &Operation| operation.thread == row.thread && operation.result.is_none();
        if row.sort == Sort::Call {
            let (name, thread) = (row.text.clone(), row.thread);
            operations.push(Operation { name, thread, first: number, last: number, result: None });
        }
        let Some(open) = operations.iter().rposition(is_open) else { continue };
        row.operation = Some(open);
        operations[open].last = number;
        if row.sort == Sort::Return {
            operations[open].result = Some(row.text.clone());
        }
    }
    operations
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
