//! A model as a table of operations, and what can be done with any such table.

use std::fmt;

use linchpin_check::{Evidence, Fault, Limits, Partial, Verdict, Witness};
use linchpin_model::{History, OperationId, Specification, Value};

use super::found::Found;
use super::{Description, ModelError, OperationDescription, Options, Problem, same_name};
use crate::{Call, Initial, Layout, Recording};

/// A model whose specification is `S`.
pub(super) struct TableOf<S: Specification + 'static> {
    pub(super) description: Description,
    pub(super) starts: Starts,
    pub(super) operations: &'static [Entry<S>],
    /// The specification, given the value or the number with which it starts.
    pub(super) specification: fn(Value) -> S,
}

/// What a model has to be told to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// Nothing: it starts empty.
    Empty,
    /// A value; what the recording's conventions say, or nil.
    Value,
    /// A value; in a recording of events 0, since that is what Knossos's files have for several registers.
    Zeroes,
    /// A number, by default 0.
    Number,
    /// How many elements it has room for.
    Capacity,
    /// How many permits there are.
    Permits,
}

/// One operation of a model.
pub(super) struct Entry<S: Specification> {
    pub(super) description: OperationDescription,
    pub(super) read: fn(&Found<'_>) -> Reading<S>,
}

/// An operation in a specification's own terms.
pub(super) type Reading<S> =
    Result<(<S as Specification>::Invocation, Option<<S as Specification>::Returned>), Problem>;

type Translated<S> = History<<S as Specification>::Invocation, <S as Specification>::Returned>;

/// A table of which specification does not matter.
pub(super) trait Table: Sync {
    fn description(&self) -> &Description;
    fn starts(&self) -> Starts;
    fn operations(&self) -> Vec<OperationDescription>;
    fn check(&self, options: &Options, recording: &Recording, limits: &Limits) -> Result<Verdict, ModelError>;
    fn verify(
        &self,
        options: &Options,
        recording: &Recording,
        witness: &Witness,
    ) -> Result<Result<(), Fault>, ModelError>;
    fn partials(
        &self,
        options: &Options,
        recording: &Recording,
        evidence: &Evidence,
        limits: &Limits,
    ) -> Result<Vec<Partial>, ModelError>;
    fn describe(&self, options: &Options, recording: &Recording, id: OperationId) -> Result<String, ModelError>;
    /// What trying all orders says.
    #[cfg(test)]
    fn try_all_orders(&self, options: &Options, recording: &Recording) -> Result<bool, ModelError>;
}

impl<S: Specification + 'static> Table for TableOf<S> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn starts(&self) -> Starts {
        self.starts
    }

    fn operations(&self) -> Vec<OperationDescription> {
        self.operations.iter().map(|entry| entry.description).collect()
    }

    fn check(&self, options: &Options, recording: &Recording, limits: &Limits) -> Result<Verdict, ModelError> {
        let history = self.translate(recording)?;
        Ok(linchpin_check::check(&self.specification(options, recording), &history, limits))
    }

    fn verify(
        &self,
        options: &Options,
        recording: &Recording,
        witness: &Witness,
    ) -> Result<Result<(), Fault>, ModelError> {
        let history = self.translate(recording)?;
        Ok(linchpin_check::verify(&self.specification(options, recording), &history, witness))
    }

    fn partials(
        &self,
        options: &Options,
        recording: &Recording,
        evidence: &Evidence,
        limits: &Limits,
    ) -> Result<Vec<Partial>, ModelError> {
        let history = self.translate(recording)?;
        let specification = self.specification(options, recording);
        Ok(linchpin_check::partial_linearizations(&specification, &history, evidence, limits))
    }

    fn describe(&self, options: &Options, recording: &Recording, id: OperationId) -> Result<String, ModelError> {
        let (invocation, result) = self.read(recording, id)?;
        Ok(self.specification(options, recording).describe(&invocation, result.as_ref()))
    }

    #[cfg(test)]
    fn try_all_orders(&self, options: &Options, recording: &Recording) -> Result<bool, ModelError> {
        let history = self.translate(recording)?;
        Ok(linearizable(&self.specification(options, recording), &history))
    }
}

impl<S: Specification + 'static> TableOf<S> {
    fn specification(&self, options: &Options, recording: &Recording) -> S {
        let size = |size: Option<u64>| Value::Integer(size.map_or(0, |size| size.try_into().unwrap_or(i64::MAX)));
        let conventional = || match recording.conventions.initial {
            None | Some(Initial::Nil) => Value::Nil,
            Some(Initial::Zero) => Value::Integer(0),
            Some(Initial::EmptyText) => "".into(),
        };
        (self.specification)(match (self.starts, &options.initial) {
            (Starts::Empty, _) => Value::Nil,
            (Starts::Capacity, _) => size(options.capacity),
            (Starts::Permits, _) => size(options.permits),
            (_, Some(initial)) => initial.clone(),
            (Starts::Number, None) => Value::Integer(0),
            (Starts::Zeroes, None) if recording.layout == Layout::Events => Value::Integer(0),
            (Starts::Value | Starts::Zeroes, None) => conventional(),
        })
    }

    fn translate(&self, recording: &Recording) -> Result<Translated<S>, ModelError> {
        recording.history.try_map(|id, _| self.read(recording, id))
    }

    /// The operation in the specification's terms.
    fn read(&self, recording: &Recording, id: OperationId) -> Result<(S::Invocation, Option<S::Returned>), ModelError> {
        let operation = &recording.history[id];
        let call = &operation.invocation;
        let read = || {
            let entry = self.entry(call)?;
            (entry.read)(&Found {
                operation: entry.description,
                call,
                result: operation.result.as_ref(),
                returned: operation.returned,
                layout: recording.layout,
                nil_read_says_nothing: recording.conventions.nil_read_says_nothing,
            })
        };
        read().map_err(|problem| {
            let lines = recording.lines.get(id.index()).copied().unwrap_or_default();
            let line = if problem.is_about_the_return() { lines.ret } else { lines.call };
            ModelError::Operation { model: self.description.name, operation: id, line, problem }
        })
    }

    fn entry(&self, call: &Call) -> Result<&Entry<S>, Problem> {
        let named = |is: &dyn Fn(&&'static str) -> bool| {
            self.operations.iter().find(|entry| entry.description.names.iter().any(is))
        };
        // Nearly all names are spelled as the table has them.
        named(&|name| **name == *call.name)
            .or_else(|| named(&|name| same_name(name, &call.name)))
            .ok_or_else(|| Problem::NoSuchOperation { name: call.name.to_string(), has: self.operations() })
    }
}

impl fmt::Debug for dyn Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description().name)
    }
}

/// Is there an order that explains all results? Tries all of them: for tests with a handful of operations.
#[cfg(test)]
fn linearizable<S: Specification>(spec: &S, history: &Translated<S>) -> bool {
    /// `done`: a bit for each operation that has its place already.
    fn search<S: Specification>(
        spec: &S,
        history: &Translated<S>,
        done: u32,
        state: &S::State,
        seen: &mut std::collections::HashSet<(u32, S::State)>,
    ) -> bool {
        let open = |id: &OperationId| done & (1 << id.index()) == 0;
        if history.ids().filter(open).all(|id| !history[id].returned) {
            return true;
        }
        if !seen.insert((done, state.clone())) {
            return false;
        }
        history.ids().filter(open).any(|id| {
            let next_in_line = history.ids().filter(open).all(|other| !history.precedes(other, id));
            let mut next = Vec::new();
            if next_in_line {
                spec.step(state, &history[id].invocation, history[id].result.as_ref(), &mut next);
            }
            next.iter().any(|state| search(spec, history, done | 1 << id.index(), state, seen))
        })
    }
    search(spec, history, 0, &spec.initial(), &mut Default::default())
}
