//! A thread's part in every batch.
//!
//! In each of three phases, with a barrier after each, a thread locks what the phase needs, once for the whole batch: the
//! code under test must not be synchronised by anything but itself. Locks are never waited for; they show the compiler that
//! nobody else is there.

use std::collections::BTreeMap;
use std::hint;
use std::mem;
use std::sync::{RwLockReadGuard, TryLockError};

use linchpin_model::{AnyInstance, Step, Value};

use crate::barrier::Abandoned;
use crate::catch::catch;
use crate::counts::Counts;
use crate::crew::Crew;
use crate::padded::Padded;
use crate::plan::Plan;
use crate::{Panic, Place, cores};

/// The instances that a thread makes and drops.
pub(crate) type Share = Vec<Padded<Slot>>;

/// An instance in the course of a batch.
pub(crate) enum Slot {
    /// After its setup, with what that returned.
    Ready(AnyInstance, Vec<Value>),
    /// There is none, or its setup did not come to its end.
    Failed(Panic),
    /// Its outcome is counted.
    Gone,
}

/// What a thread's invocations returned in a batch, in the order in which instances were run.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// As many for each instance as the thread has invocations.
    values: Vec<Value>,
    /// By the instance's place in the order. Values after a panic are there, and mean nothing.
    panics: BTreeMap<usize, Panic>,
}

/// Does this thread's part until there is no batch any more, or one from which not everybody comes back.
pub(crate) fn work(crew: &Crew, me: usize) {
    if crew.roomy() && cores::pin(me) {
        crew.note_pinned();
    }
    let mut worker = Worker { crew, me, random: fastrand::Rng::new(), counts: Counts::default() };
    // Abandoned: somebody else has noticed, and says so.
    let _ = worker.work();
}

struct Worker<'a> {
    crew: &'a Crew,
    me: usize,
    random: fastrand::Rng,
    /// Of the current batch.
    counts: Counts,
}

impl Worker<'_> {
    fn work(&mut self) -> Result<(), Abandoned> {
        loop {
            let plan = free(self.crew.plan.try_read());
            if plan.ended.is_some() {
                return Ok(());
            }
            self.prepare(&plan);
            self.meet()?;
            self.run(&plan)?;
            self.meet()?;
            self.finish(&plan);
            drop(plan);
            self.crew.barrier.wait(|| self.crew.next())?;
        }
    }

    fn meet(&self) -> Result<(), Abandoned> {
        self.crew.barrier.wait(|| ())
    }

    /// Makes the instances of this thread's share, and runs the setup on them.
    fn prepare(&mut self, plan: &Plan) {
        let mut share = free(self.crew.shares[self.me].try_write());
        let count = plan.order.iter().filter(|&&(owner, _)| owner == self.me).count();
        for _ in 0..count {
            let mut values = Vec::with_capacity(self.crew.script.setup.len());
            let slot = match self.attempt(Place::Create, || self.crew.object.create()) {
                Err(panic) => Slot::Failed(panic),
                Ok(instance) => match self.perform(&instance, &self.crew.script.setup, &mut values) {
                    Ok(()) => Slot::Ready(instance, values),
                    Err(panic) => {
                        // What else goes wrong is a consequence.
                        let _ = self.attempt(Place::Drop, || drop(instance));
                        Slot::Failed(panic)
                    }
                },
            };
            share.push(Padded(slot));
        }
        self.crew.posts[self.me].idle();
    }

    /// Runs this thread's invocations on all instances, together with the others.
    fn run(&mut self, plan: &Plan) -> Result<(), Abandoned> {
        let shares: Vec<RwLockReadGuard<'_, Share>> =
            self.crew.shares.iter().map(|share| free(share.try_read())).collect();
        let mut notes = free(self.crew.notes[self.me].try_write());
        let Notes { values, panics } = &mut *notes;
        values.clear();
        panics.clear();
        let steps = &self.crew.script.threads[self.me];
        values.reserve(plan.order.len() * steps.len());
        for (number, &(share, place)) in plan.order.iter().enumerate() {
            if number % plan.stride == 0 {
                self.crew.posts[self.me].idle();
                self.meet()?;
                for _ in 0..self.random.u32(..=plan.delay) {
                    hint::spin_loop();
                }
            }
            let Slot::Ready(instance, _) = &*shares[share][place] else {
                values.resize(values.len() + steps.len(), Value::Nil);
                continue;
            };
            if let Err(panic) = self.perform(instance, steps, values) {
                values.resize((number + 1) * steps.len(), Value::Nil);
                panics.insert(number, panic);
            }
        }
        self.crew.posts[self.me].idle();
        Ok(())
    }

    /// Runs the epilogue on the instances of this thread's share, counts their outcomes, and drops them.
    fn finish(&mut self, plan: &Plan) {
        let notes: Vec<_> = self.crew.notes.iter().map(|notes| free(notes.try_read())).collect();
        let mut share = free(self.crew.shares[self.me].try_write());
        let mut values = Vec::new();
        for (number, &(owner, place)) in plan.order.iter().enumerate() {
            if owner != self.me {
                continue;
            }
            values.clear();
            let mut panics: Vec<Panic> = notes.iter().filter_map(|notes| notes.panics.get(&number).cloned()).collect();
            match mem::replace(&mut *share[place], Slot::Gone) {
                Slot::Gone => unreachable!("each instance is in the order once"),
                Slot::Failed(panic) => panics.push(panic),
                Slot::Ready(instance, returned) => {
                    values.extend(returned);
                    for (notes, steps) in notes.iter().zip(&self.crew.script.threads) {
                        values.extend_from_slice(&notes.values[number * steps.len()..][..steps.len()]);
                    }
                    if panics.is_empty() {
                        panics.extend(self.perform(&instance, &self.crew.script.epilogue, &mut values).err());
                    }
                    panics.extend(self.attempt(Place::Drop, || drop(instance)).err());
                }
            }
            if panics.is_empty() {
                self.counts.returned(&values);
            } else {
                self.counts.panicked(panics);
            }
        }
        share.clear();
        self.crew.posts[self.me].idle();
        self.crew.add(&mut self.counts);
    }

    fn perform(&self, instance: &AnyInstance, steps: &[Step], values: &mut Vec<Value>) -> Result<(), Panic> {
        for step in steps {
            let invoke = || self.crew.object.invoke(instance, step.operation, &step.arguments);
            values.push(self.attempt(Place::Invocation(step.place), invoke)?);
        }
        Ok(())
    }

    fn attempt<T>(&self, place: Place, f: impl FnOnce() -> T) -> Result<T, Panic> {
        self.crew.posts[self.me].begin(place);
        catch(f).map_err(|message| Panic { place, message })
    }
}

/// What is free by now: barriers keep phases apart, and what panics is caught before a lock could notice.
fn free<T>(locked: Result<T, TryLockError<T>>) -> T {
    match locked {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => unreachable!("phases are kept apart by barriers"),
    }
}
