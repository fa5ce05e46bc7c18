//! Drawings for Graphviz.

use std::fmt::Write;

use linchpin_graph::{EventId, Execution, Kind, LocationId, ThreadId};

use crate::acts::{Act, Acts};
use crate::names::{Names, line, short};
use crate::phrase::phrase;

/// The execution as a graph in the DOT language: a cluster per thread, with program order, reads-from (`rf`) and
/// modification order (`mo`) as edges. Initial values that matter are nodes of their own.
///
/// ```
/// use linchpin_graph::{Execution, MemoryModel};
///
/// let drawing = linchpin_report::dot::execution(&Execution::new(MemoryModel::Sc));
/// assert!(drawing.starts_with("digraph execution {"));
/// ```
pub fn execution(execution: &Execution) -> String {
    let acts = Acts::of(execution);
    let names = Names::of_all(execution, &acts);
    let drawing = Drawing { execution, acts: &acts, names: &names };
    let mut dot = String::new();
    // Writing to a string does not fail.
    let _ = drawing.draw(&mut dot);
    dot
}

struct Drawing<'a> {
    execution: &'a Execution,
    acts: &'a Acts,
    names: &'a Names<'a>,
}

impl Drawing<'_> {
    fn draw(&self, dot: &mut String) -> std::fmt::Result {
        writeln!(dot, "digraph execution {{")?;
        writeln!(dot, "  node [shape=box, fontname=\"monospace\"];")?;
        self.initial_values(dot)?;
        for number in 0..self.execution.threads().len() as u32 {
            self.thread(dot, ThreadId(number))?;
        }
        self.threads_edges(dot)?;
        self.reads_from(dot)?;
        self.modification_order(dot)?;
        writeln!(dot, "}}")
    }

    fn acts_of(&self, thread: ThreadId) -> impl Iterator<Item = (usize, &Act)> {
        self.acts.list().iter().enumerate().filter(move |(_, act)| act.thread == thread)
    }

    fn thread(&self, dot: &mut String, thread: ThreadId) -> std::fmt::Result {
        if self.acts_of(thread).next().is_none() {
            return Ok(());
        }
        writeln!(dot, "  subgraph cluster_{} {{", thread.0)?;
        writeln!(dot, "    label=\"{}\";", short(thread))?;
        for (number, act) in self.acts_of(thread) {
            let event = self.execution.event(act.event);
            let text = escape(&phrase(self.execution, self.names, act));
            // The end of a thread is nowhere in the user's source.
            let place =
                if event.kind == Kind::End { String::new() } else { format!("\\n{}", escape(&line(event.site))) };
            writeln!(dot, "    a{number} [label=\"{text}{place}\"];")?;
        }
        let numbers: Vec<usize> = self.acts_of(thread).map(|(number, _)| number).collect();
        for pair in numbers.windows(2) {
            writeln!(dot, "    a{} -> a{};", pair[0], pair[1])?;
        }
        writeln!(dot, "  }}")
    }

    fn initial_values(&self, dot: &mut String) -> std::fmt::Result {
        for (id, name) in self.names.named_locations() {
            if !self.has_initial(id) {
                continue;
            }
            let value = self.names.value(self.execution.location(id).initial);
            writeln!(dot, "  i{} [label=\"{name} = {value}\", shape=plaintext];", id.0)?;
        }
        Ok(())
    }

    /// Does somebody see or replace the location's initial value?
    fn has_initial(&self, id: LocationId) -> bool {
        !self.execution.location(id).mo().is_empty() || self.execution.initial_readers(id).next().is_some()
    }

    fn threads_edges(&self, dot: &mut String) -> std::fmt::Result {
        for (number, act) in self.acts.list().iter().enumerate() {
            if act.index == 0 && act.thread != ThreadId::MAIN {
                let spawn = self.acts.number_of(self.execution.spawn_of(act.thread));
                writeln!(dot, "  a{spawn} -> a{number} [style=dotted];")?;
            }
            let event = self.execution.event(act.event);
            if event.kind == Kind::Join {
                writeln!(dot, "  a{} -> a{number} [style=dotted];", self.acts.number_of(event.source))?;
            }
        }
        Ok(())
    }

    fn reads_from(&self, dot: &mut String) -> std::fmt::Result {
        for (number, act) in self.acts.list().iter().enumerate() {
            let event = self.execution.event(act.event);
            if event.is_read() {
                let from = self.write(event.source, event.location);
                writeln!(dot, "  {from} -> a{number} [label=\"rf\", color=darkgreen, constraint=false];")?;
            }
        }
        Ok(())
    }

    fn modification_order(&self, dot: &mut String) -> std::fmt::Result {
        for (id, location) in self.execution.locations().iter() {
            let mut previous = EventId::NONE;
            for &write in location.mo() {
                let (from, to) = (self.write(previous, id), self.write(write, id));
                writeln!(dot, "  {from} -> {to} [label=\"mo\", color=brown, constraint=false];")?;
                previous = write;
            }
        }
        Ok(())
    }

    /// The node of a write, or of the initial value.
    fn write(&self, write: EventId, location: LocationId) -> String {
        if write.is_some() { format!("a{}", self.acts.number_of(write)) } else { format!("i{}", location.0) }
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
