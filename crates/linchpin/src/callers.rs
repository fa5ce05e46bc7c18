//! At which lines of an operation its accesses count: those that call the functions in which they are.
//!
//! An event knows the line that asked for it. In a function that an operation calls, that line says too little: the same line
//! may run on behalf of several lines of the operation, and a section of an operation is between lines of its own. So some
//! executions are run with their call stacks noted. The calls that all accesses of an operation share (what `object!` writes,
//! functions that only call the next one) are no lines to tell accesses apart, and are left out; the first line below is
//! where an access counts.
//!
//! Without debug information nothing is known, and accesses count where they are asked for.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use linchpin_engine::{Call, CallStack, Frame};
use linchpin_graph::{Execution, Site};
use linchpin_localize::{Accesses, Place};

use crate::judge::Verdicts;
use crate::{ClientTest, Hooks};

/// So many executions of a client are looked at. Noting a call stack takes longer than anything else an access does.
const MOST_EXECUTIONS: u64 = 100;

/// The function from which operations are called.
const OUTSIDE: &str = "linchpin::client::invoke";

/// The way to an access, by its stack and its site. Both are compared by address, which says the same of one exploration's and is
/// much faster: whoever keeps a way keeps the stack.
#[derive(Clone)]
struct Way(Arc<CallStack>, Site);

impl Way {
    fn key(&self) -> (usize, usize) {
        (Arc::as_ptr(&self.0).addr(), std::ptr::from_ref(self.1).addr())
    }
}

impl PartialEq for Way {
    fn eq(&self, other: &Way) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Way {}

impl Hash for Way {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// What is known about who calls whom in an object.
#[derive(Default)]
pub(crate) struct Callers {
    /// For each operation the calls that all its accesses share, the outermost first.
    shared: HashMap<Arc<str>, Vec<Frame>>,
    /// For each operation the ways to its accesses.
    ways: HashMap<Arc<str>, HashSet<Way>>,
    /// Where accesses count.
    known: Mutex<HashMap<(Arc<str>, Way), Place>>,
}

impl Callers {
    /// Looks at some executions of a client.
    pub fn look_at(&mut self, client: &ClientTest) {
        let names = client.names();
        let verdicts = Verdicts::new(client.object, client.admitted());
        let ways: Mutex<HashMap<Arc<str>, HashSet<Way>>> = Mutex::default();
        let judge = |execution: &Execution, calls: &[Call]| {
            let mut ways = ways.lock().unwrap_or_else(PoisonError::into_inner);
            for call in verdicts.of_threads(calls) {
                let of_operation = ways.entry(names[call.tag as usize].clone()).or_default();
                of_operation.extend(accesses(execution, call).filter_map(|(site, stack)| Some(Way(stack?, site))));
            }
            None
        };
        let builder = client.exhaustive().at_most(MOST_EXECUTIONS).call_stacks(true);
        builder.explore_with(client.test(), Hooks { judge: &judge, ..Hooks::default() });
        for (operation, found) in ways.into_inner().unwrap_or_else(PoisonError::into_inner) {
            for Way(stack, site) in &found {
                self.share(&operation, &way(stack, site));
            }
            self.ways.entry(operation).or_default().extend(found);
        }
        self.known = Mutex::default();
    }

    /// Takes away from what the accesses of an operation share what this one does not. The last call on its way is its own.
    fn share(&mut self, operation: &Arc<str>, way: &[&Frame]) {
        let Some((_, above)) = way.split_last() else { return };
        match self.shared.get_mut(operation) {
            Some(shared) => {
                let common = shared.iter().zip(above).take_while(|(left, right)| left == *right).count();
                shared.truncate(common);
            }
            None => drop(self.shared.insert(operation.clone(), above.iter().copied().cloned().collect())),
        }
    }

    /// Does some access count in another line than the one that asked for it?
    pub fn are_needed(&self) -> bool {
        !self.within().is_empty()
    }

    /// The lines of operations whose accesses are elsewhere, and where.
    pub fn within(&self) -> BTreeMap<Place, BTreeSet<Place>> {
        let mut within: BTreeMap<Place, BTreeSet<Place>> = BTreeMap::new();
        for (operation, ways) in &self.ways {
            for Way(stack, site) in ways {
                let (place, own) = (self.place(operation, stack, site), Place::from(*site));
                if place != own {
                    within.entry(place).or_default().insert(own);
                }
            }
        }
        within
    }

    /// Where the events of a call count. Empty if that is where they were asked for.
    pub fn places(&self, operation: &Arc<str>, execution: &Execution, call: &Call) -> Vec<Place> {
        if call.stacks.is_empty() {
            return Vec::new();
        }
        let place = |(site, stack): (Site, Option<Arc<CallStack>>)| match stack {
            Some(stack) => {
                let key = (operation.clone(), Way(stack, site));
                let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                *known.entry(key).or_insert_with_key(|(_, Way(stack, _))| self.place(operation, stack, site))
            }
            None => site.into(),
        };
        events(execution, call).map(place).collect()
    }

    fn place(&self, operation: &Arc<str>, stack: &CallStack, site: Site) -> Place {
        let way = way(stack, site);
        let shared = self.shared.get(operation).map_or(&[][..], Vec::as_slice);
        // An access that was not looked at may leave the common way sooner.
        let shared = shared.iter().zip(&way).take_while(|(left, right)| left == *right).count();
        let (Some(own), Some(caller)) = (way.last(), way.get(shared)) else { return site.into() };
        match caller == own {
            true => site.into(),
            false => Place { file: relative(&caller.file, own, site), line: caller.line },
        }
    }
}

/// The sites and call stacks of a call's events.
fn events(execution: &Execution, call: &Call) -> impl Iterator<Item = (Site, Option<Arc<CallStack>>)> {
    let own = &execution.thread(call.thread).events()[call.events.start as usize..call.events.end as usize];
    own.iter().zip(&call.stacks).map(|(&id, stack)| (execution.event(id).site, stack.clone()))
}

/// Those of its accesses. What locks do is none: an operation that takes a lock and calls another function does its work there.
fn accesses(execution: &Execution, call: &Call) -> impl Iterator<Item = (Site, Option<Arc<CallStack>>)> {
    let own = &execution.thread(call.thread).events()[call.events.start as usize..call.events.end as usize];
    let counts = |id: &_| {
        let event = execution.event(*id);
        Accesses::Memory.count(event.kind, event.verb)
    };
    let counts: Vec<bool> = own.iter().map(counts).collect();
    events(execution, call).zip(counts).filter(|(_, counts)| *counts).map(|(event, _)| event)
}

/// The calls from an operation's to the one that is at this site, the outermost first. Empty if the stack does not say.
fn way(stack: &CallStack, site: Site) -> Vec<&Frame> {
    let is_at_site = |frame: &Frame| frame.line == site.line() && frame.file.ends_with(site.file());
    let inside =
        stack.0.iter().position(|frame| frame.function.contains(OUTSIDE)).map_or(&[][..], |end| &stack.0[..end]);
    let own = inside.iter().position(is_at_site).unwrap_or(inside.len());
    inside[own..].iter().rev().collect()
}

/// A file as sites name it. Call stacks have the directory of the compiler before it, which is also before the file of the frame
/// that is at a site.
fn relative(file: &str, own: &Frame, site: Site) -> &'static str {
    static FILES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let directory = own.file.strip_suffix(site.file()).unwrap_or_default();
    let file = file.strip_prefix(directory).unwrap_or(file);
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    match files.get(file) {
        Some(known) => known,
        None => {
            // One for each file of an object's source.
            let kept: &'static str = Box::leak(file.into());
            files.insert(kept);
            kept
        }
    }
}
