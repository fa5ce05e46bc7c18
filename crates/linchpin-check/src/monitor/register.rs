//! Registers whose writes all write different values (Gibbons and Korach 1997).
//!
//! A value's *cluster* is the operation that wrote it and those that read it; between them, nothing else is written. Let
//! `f` be the first return in a cluster and `s` its last call. One cluster has to be before another if it has an
//! operation that returned before one of the other was called: if its `f` is before the other's `s`. So two clusters
//! contradict each other iff each one's `f` is before the other's `s`. Drawn as zones, `f..s` if `f < s` (*forward*: the
//! value was there all that time) and `s..f` otherwise (*backward*: it can have been there at any one moment of that
//! time), that is: no two forward zones overlap, and no backward zone lies within a forward one. That suffices; see
//! [`Sweep::order`].
//!
//! The initial value was written before all times.
//!
//! What is pending: a read need not take effect, and nothing follows if it does; nor does a write whose value no returned
//! operation read. A write that was read must have taken effect, and returns at the end of time.
//!
//! The sweep goes through the returns in their order. What has returned by then, with the writes that it read, is
//! exactly the history that matters at that time, so the first return at which two zones clash ends the shortest failing
//! prefix.

use std::collections::BTreeMap;

use linchpin_model::OperationId;

use super::{Act, Decision, Op};
use crate::limits::Budget;
use crate::{Contradiction, Unknown};

/// Decides a history of a register.
pub(super) fn decide(initial: u32, history: &[Op], budget: &Budget) -> Result<Decision, Unknown> {
    let Some(mut sweep) = Sweep::new(initial, history) else { return Ok(Decision::NotApplicable) };
    let mut returned: Vec<&Op> = history.iter().filter(|op| !op.is_pending()).collect();
    returned.sort_unstable_by_key(|op| op.ret);
    for (at, op) in returned.into_iter().enumerate() {
        if at % (1 << 13) == 0 {
            budget.check_time()?;
        }
        if let Err(contradiction) = sweep.see(op) {
            return Ok(Decision::Violation { fails_at: op.id, contradiction: Some(contradiction) });
        }
    }
    Ok(Decision::Order(sweep.order()))
}

/// Times, with room for the write of the initial value before all of them.
type Time = i64;
const INITIAL_CALL: Time = -2;
const INITIAL_RETURN: Time = -1;

/// A value with what has been seen of it.
#[derive(Debug, Clone)]
struct Cluster {
    /// What wrote it; nothing wrote the initial value.
    write: Option<Op>,
    /// The operations that have returned, by their returns.
    seen: Vec<Op>,
    /// The first return, once there is one, and the last call.
    first_return: Option<(Time, Option<Op>)>,
    last_call: (Time, Option<Op>),
    /// How many of the clusters that returned after this one have been compared with its forward zone.
    compared: usize,
}

struct Sweep {
    clusters: Vec<Cluster>,
    by_value: hashbrown::HashMap<u32, usize>,
    /// The forward zones, which do not overlap: their ends and clusters, by their beginnings.
    forward: BTreeMap<Time, (Time, usize)>,
    /// The clusters of which something has returned, by their first returns.
    begun: Vec<usize>,
}

impl Sweep {
    /// `None` if a value is written twice, or something else than reads and writes happens.
    fn new(initial: u32, history: &[Op]) -> Option<Self> {
        let mut clusters = vec![Cluster {
            write: None,
            seen: Vec::new(),
            first_return: Some((INITIAL_RETURN, None)),
            last_call: (INITIAL_CALL, None),
            compared: 1,
        }];
        let mut by_value = hashbrown::HashMap::with_capacity(history.len() / 2);
        by_value.insert(initial, 0);
        for op in history {
            match op.act {
                Act::Write(value) => {
                    if by_value.insert(value, clusters.len()).is_some() {
                        return None;
                    }
                    let last_call = (Time::from(op.call), Some(*op));
                    let write = Some(*op);
                    clusters.push(Cluster { write, seen: Vec::new(), first_return: None, last_call, compared: 0 });
                }
                Act::Read(_) => {}
                _ => return None,
            }
        }
        Some(Sweep { clusters, by_value, forward: BTreeMap::new(), begun: vec![0] })
    }

    /// The next return.
    fn see(&mut self, op: &Op) -> Result<(), Contradiction> {
        let (Act::Write(value) | Act::Read(value)) = op.act else { unreachable!("only reads and writes are seen") };
        let Some(&this) = self.by_value.get(&value) else {
            return Err(Contradiction::NeverWritten { read: op.id });
        };
        let cluster = &mut self.clusters[this];
        if let Some(write) = cluster.write
            && op.ret < write.call
        {
            return Err(Contradiction::ReadBeforeWrite { write: write.id, read: op.id });
        }
        cluster.seen.push(*op);
        let call = Time::from(op.call);
        let later = call > cluster.last_call.0;
        if later {
            cluster.last_call = (call, Some(*op));
        }
        let Some((first_return, _)) = cluster.first_return else {
            // A new backward zone ends now, after all forward zones.
            cluster.first_return = Some((Time::from(op.ret), Some(*op)));
            self.begun.push(this);
            cluster.compared = self.begun.len();
            return Ok(());
        };
        if !later {
            return Ok(());
        }
        let clash = match call > first_return {
            true => self.grown_forward(this, first_return, call),
            false => self.forward_zone_around(call, first_return),
        };
        match clash {
            Some(other) => Err(self.contradiction(this, other)),
            None => Ok(()),
        }
    }

    /// A cluster whose forward zone contains this backward zone.
    fn forward_zone_around(&self, start: Time, end: Time) -> Option<usize> {
        let (_, &(zone_end, other)) = self.forward.range(..start).next_back()?;
        (zone_end > end).then_some(other)
    }

    /// Notes that a forward zone is, or has become, this long. A cluster whose zone it overlaps, or contains.
    fn grown_forward(&mut self, this: usize, start: Time, end: Time) -> Option<usize> {
        if let Some((_, &(earlier_end, other))) = self.forward.range(..start).next_back()
            && earlier_end > start
        {
            return Some(other);
        }
        self.forward.insert(start, (end, this));
        // What returned first within the zone must have been called last before it. Each first return is within one
        // forward zone at most, so each cluster is compared once; one that grows later is compared with this zone then.
        while let Some(&other) = self.begun.get(self.clusters[this].compared) {
            let Cluster { first_return: Some((other_end, _)), last_call: (other_start, _), .. } = self.clusters[other]
            else {
                unreachable!("it has begun")
            };
            if other_end > end {
                break;
            }
            if other_start > start {
                return Some(other);
            }
            self.clusters[this].compared += 1;
        }
        None
    }

    /// As few operations of two clusters as contradict each other.
    fn contradiction(&self, this: usize, other: usize) -> Contradiction {
        let mut parts = [this, other].map(|cluster| {
            let Cluster { write, first_return, last_call, .. } = &self.clusters[cluster];
            Part::new(*write, [first_return.and_then(|(_, op)| op), last_call.1])
        });
        for side in 0..2 {
            for read in (0..parts[side].reads.len()).rev() {
                let spared = parts[side].reads.remove(read);
                if !parts[0].contradicts(&parts[1]) {
                    parts[side].reads.insert(read, spared);
                }
            }
        }
        parts.sort_by_key(|part| part.write.map(|write| write.call));
        let [first, second] = parts.map(Part::into_operations);
        Contradiction::Clusters { first, second }
    }

    /// An order of a history without contradictions: the forward zones in their order, and each backward zone at its
    /// beginning, or, if that is within a forward zone, right after it, which is before its own end.
    fn order(&self) -> Vec<OperationId> {
        let mut places: Vec<(Time, bool, usize)> = Vec::with_capacity(self.begun.len());
        for &this in &self.begun {
            let Cluster { first_return: Some((first_return, _)), last_call: (last_call, _), .. } = self.clusters[this]
            else {
                unreachable!("it has begun")
            };
            let is_backward = last_call < first_return;
            let around = || self.forward.range(..last_call).next_back().map_or(last_call, |(_, &(end, _))| end);
            let place = if is_backward { last_call.max(around()) } else { last_call };
            places.push((place, is_backward, this));
        }
        places.sort_unstable();
        let mut order = Vec::new();
        for (_, _, this) in places {
            let Cluster { write, seen, .. } = &self.clusters[this];
            order.extend(write.map(|write| write.id));
            let mut reads: Vec<&Op> = seen.iter().filter(|op| matches!(op.act, Act::Read(_))).collect();
            reads.sort_unstable_by_key(|op| op.call);
            order.extend(reads.into_iter().map(|op| op.id));
        }
        order
    }
}

/// Some operations of a cluster.
struct Part {
    write: Option<Op>,
    reads: Vec<Op>,
}

impl Part {
    fn new(write: Option<Op>, others: [Option<Op>; 2]) -> Self {
        let mut reads: Vec<Op> = others.into_iter().flatten().filter(|op| matches!(op.act, Act::Read(_))).collect();
        reads.sort_unstable_by_key(|op| op.call);
        reads.dedup_by_key(|op| op.id);
        Part { write, reads }
    }

    fn first_return(&self) -> Time {
        let returns = self.write.iter().chain(&self.reads).map(|op| Time::from(op.ret));
        returns.chain(self.write.is_none().then_some(INITIAL_RETURN)).min().expect("something was written")
    }

    fn last_call(&self) -> Time {
        self.write.iter().chain(&self.reads).map(|op| Time::from(op.call)).max().unwrap_or(INITIAL_CALL)
    }

    fn contradicts(&self, other: &Part) -> bool {
        self.first_return() < other.last_call() && other.first_return() < self.last_call()
    }

    fn into_operations(self) -> Vec<OperationId> {
        self.write.iter().chain(&self.reads).map(|op| op.id).collect()
    }
}
