//! Blocks of memory: who allocated and freed them, and what is wrong with an access to one.
//!
//! A block may be accessed only between its allocation and its release, and both must be ordered with the access by
//! happens-before. An access to a block that is not ordered after its allocation is the usual face of a missing release
//! or acquire: the pointer arrived, what it points to need not have.
//!
//! Gap: the reference counts of `std`'s `Arc` are not modelled, so the graph does not know that the last owner's release
//! comes after what the others did. A block that is released by the last owner of an `Arc`, or of what the front end shares in its
//! place, is therefore not compared with accesses that the graph does not order; the call stack tells.

use std::alloc::Layout;
use std::backtrace::Backtrace;
use std::hash::{DefaultHasher, Hash, Hasher};

use linchpin_graph::{EventId, Known, ThreadId};

use super::context::{Context, Mode, set_in_user_code};
use super::lane::Block;
use super::schedule::abandon;
use crate::sampling::Reuse;
use crate::violation::ViolationKind;

/// What is wrong with an access to a block.
#[derive(Clone, Copy)]
pub(super) enum BlockComplaint {
    /// It has been freed: by whom, after how many of its events.
    Freed(ThreadId, u32),
    /// Its allocation is not known: who did it, after how many of its events.
    Unpublished(ThreadId, u32),
}

impl Context {
    /// Memory for the running thread.
    ///
    /// # Safety
    /// Runs on the coroutine of the current thread, on behalf of user code; no reference to the context is alive.
    #[inline]
    pub(super) unsafe fn allocate(context: *mut Context, layout: Layout) -> *mut u8 {
        // SAFETY: as promised.
        let this = unsafe { &mut *context };
        let owner = this.current;
        match this.lane.slots.get_mut(owner.at()) {
            Some(slot) if this.lane.reuse == Reuse::Never && slot.has_room() => {
                slot.allocate(layout, owner, this.executed.get(owner.at()).copied().unwrap_or(0))
            }
            _ => this.allocate_the_long_way(layout, owner),
        }
    }

    /// [`Context::allocate`] where something has to be allocated for it, or memory may be handed out again.
    #[cold]
    #[inline(never)]
    fn allocate_the_long_way(&mut self, layout: Layout, owner: ThreadId) -> *mut u8 {
        set_in_user_code(false);
        let events = self.executed(owner);
        let block = match self.allocate_again(layout, owner, events) {
            Some(start) => std::ptr::with_exposed_provenance_mut(start),
            None => self.lane.slot(owner).allocate(layout, owner, events),
        };
        set_in_user_code(true);
        block
    }

    /// Hands out memory that was freed before, if there is any; returns where it is.
    fn allocate_again(&mut self, layout: Layout, owner: ThreadId, events: u32) -> Option<usize> {
        let start = self.lane.use_again(layout, owner, events)?;
        self.renew(start, layout.size());
        Some(start)
    }

    /// The running thread frees the block at `address`.
    ///
    /// # Safety
    /// Runs on the coroutine of the current thread, on behalf of user code; no reference to the context is alive.
    #[inline]
    pub(super) unsafe fn free(context: *mut Context, address: usize) {
        // SAFETY: as promised; references last for one call each.
        unsafe {
            if !(*context).free_quietly(address) {
                Context::free_with_care(context, address);
            }
        }
    }

    /// Notes that the block at `address` is free, if nothing can be wrong with that: no location is in it.
    #[inline(always)]
    fn free_quietly(&mut self, address: usize) -> bool {
        let thread = self.current;
        let events = self.executed(thread);
        let is_simple = self.mode == Mode::Grow && !self.draining;
        let Some(block) = self.lane.slot_of(address).and_then(|slot| slot.block_from(address)) else {
            return false;
        };
        if !is_simple
            || block.freed.is_some()
            || self.explorer.execution().locations().any_is_in(block.start, block.size)
        {
            return false;
        }
        block.freed = Some((thread, events));
        true
    }

    /// [`Context::free`] where something may be wrong.
    ///
    /// # Safety
    /// As for [`Context::free`].
    #[inline(never)]
    unsafe fn free_with_care(context: *mut Context, address: usize) {
        set_in_user_code(false);
        // SAFETY: as promised; references last for one call each.
        unsafe {
            if let Some(kind) = (*context).mark_freed(address) {
                (*context).violation(kind);
                let thread = (*context).current_thread();
                abandon(context, thread);
            }
        }
        set_in_user_code(true);
    }

    /// Notes that the block at `address` is free; returns what is wrong with that.
    fn mark_freed(&mut self, address: usize) -> Option<ViolationKind> {
        let thread = self.current;
        let events = self.executed(thread);
        let (_, block) = self.lane.block_at(address)?;
        let (start, size) = (block.start, block.size);
        let before = block.freed.replace((thread, events));
        if self.lane.reuse != Reuse::Never && before.is_none() {
            self.lane.give_back(start, size);
        }
        let is_watched = matches!(self.mode, Mode::Grow | Mode::Replay | Mode::Sample);
        if !self.config.findings.use_after_free || self.draining || !is_watched {
            return None;
        }
        if let Some((first_by, after_events)) = before {
            return Some(ViolationKind::DoubleFree { first_by, after_events });
        }
        if self.is_timed {
            // What comes later is not asked for.
            return None;
        }
        let event = self.unordered_access(thread, events, start, size)?;
        (!self.is_counted_free()).then_some(ViolationKind::UseAfterFree {
            event,
            freed_by: thread,
            after_events: events,
        })
    }

    /// The oldest access to one of `size` bytes from `start` on that does not happen before what `thread` does after
    /// `events` events.
    fn unordered_access(&self, thread: ThreadId, events: u32, start: usize, size: usize) -> Option<EventId> {
        let execution = self.explorer.execution();
        if !execution.locations().any_is_in(start, size) {
            return None;
        }
        let known = execution.known_before(thread, events);
        let is_known = |of: ThreadId, count: u32| execution.known_events(known, of) >= count;
        // Usually the thread knows of all that the others have done.
        let is_up_to_date = execution.threads().iter().enumerate().all(|(number, other)| {
            number == thread.at() || is_known(ThreadId(number as u32), other.events().len() as u32)
        });
        if is_up_to_date {
            return None;
        }
        let inside = execution.locations().iter().filter(|(_, location)| location.address.wrapping_sub(start) < size);
        let accesses = inside.flat_map(|(id, _)| execution.accesses(id));
        let unordered = |access: &EventId| {
            let access = execution.event(*access);
            access.thread != thread && !is_known(access.thread, access.index + 1)
        };
        accesses.filter(unordered).min()
    }

    /// Is the running thread freeing something as the last one of several owners?
    #[cold]
    #[inline(never)]
    fn is_counted_free(&mut self) -> bool {
        let mut frames = [std::ptr::null_mut(); 64];
        // SAFETY: the buffer is as long as said.
        let depth = unsafe { libc::backtrace(frames.as_mut_ptr(), frames.len() as libc::c_int) };
        let mut hasher = DefaultHasher::new();
        frames[..depth.max(0) as usize].hash(&mut hasher);
        *self.counted_frees.entry(hasher.finish()).or_insert_with(|| {
            let stack = Backtrace::force_capture().to_string();
            let counts = |line: &str| line.contains("sync::Arc") || line.contains("linchpin_sync::model::owner");
            stack.lines().any(|line| counts(line) && line.contains("drop"))
        })
    }

    /// What is wrong with an access to `address` by a thread that knows so much, as far as blocks of memory go.
    #[inline(always)]
    pub(super) fn complaint_about_block(
        &mut self,
        thread: ThreadId,
        known: Known,
        address: usize,
    ) -> Option<BlockComplaint> {
        let (owner, &mut Block { events, freed, .. }) = self.lane.block_at(address)?;
        if let Some((freed_by, after_events)) = freed {
            let wanted = self.config.findings.use_after_free;
            return wanted.then_some(BlockComplaint::Freed(freed_by, after_events));
        }
        let unpublished = owner != thread && self.explorer.execution().known_events(known, owner) <= events;
        (unpublished && self.config.findings.unpublished_memory).then_some(BlockComplaint::Unpublished(owner, events))
    }

    /// Has the running thread freed the block at `address`?
    pub(crate) fn has_freed(&mut self, address: usize) -> bool {
        let thread = self.current;
        let block = self.lane.block_at(address);
        block.is_some_and(|(_, block)| block.freed.is_some_and(|(freed_by, _)| freed_by == thread))
    }

    pub(super) fn leaks(&mut self) -> Option<ViolationKind> {
        let mut blocks = Vec::new();
        for slot in &self.lane.slots {
            for block in slot.blocks.iter().filter(|block| block.freed.is_none() && block.size > 0) {
                blocks.push((block.owner, block.events, block.size));
            }
        }
        (!blocks.is_empty()).then_some(ViolationKind::Leak { blocks })
    }
}
