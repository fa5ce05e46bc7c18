//! Atomic writes: stores.

use linchpin_graph::{EventId, Kind, Shape, ThreadId};

use super::access::describe;
use super::context::{Context, Mode};
use super::memory::poke;
use super::sample;
use super::turn::{Turn, stay, turn};
use crate::rt::Access;

impl Context {
    /// A store.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn write(context: *mut Context, shape: Shape, access: &Access, value: u64) {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            if (*context).mode == Mode::Sample {
                return Context::write_sampled(context, thread, access, value);
            }
            if (*context).write_again(thread, shape, access, value) {
                return;
            }
            if (*context).draining || (*context).has_other_orders() {
                return Context::write_with_care(context, thread, access, value);
            }
            if Context::write_in_turn(context, thread, access, value).is_none() {
                (*context).poke_own(access.address, access.size, value);
            }
        }
    }

    /// [`Context::write`] by a thread that is drained, or where memory orders may differ from those in the source.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[cold]
    #[inline(never)]
    unsafe fn write_with_care(context: *mut Context, thread: ThreadId, access: &Access, value: u64) {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            let (access, _) = Context::as_ordered(context, access);
            let done = match Context::is_detached(context, thread) {
                true => None,
                false => Context::write_in_turn(context, thread, &access, value),
            };
            if done.is_none() {
                (*context).poke_own(access.address, access.size, value);
            }
        }
    }

    /// [`Context::write`] when sampling.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn write_sampled(context: *mut Context, thread: ThreadId, access: &Access, value: u64) {
        // SAFETY: as promised.
        unsafe {
            let done = match Context::is_detached(context, thread) {
                true => None,
                false => sample::write(context, thread, access, value),
            };
            if done.is_none() {
                (*context).poke_own(access.address, access.size, value);
            }
        }
    }

    /// `None` if the run ends before the write is done.
    ///
    /// # Safety
    /// As for [`Context::read`].
    #[inline(never)]
    unsafe fn write_in_turn(context: *mut Context, thread: ThreadId, access: &Access, value: u64) -> Option<()> {
        // SAFETY: as promised; references to the context end before any switch.
        unsafe {
            loop {
                match turn(context, thread) {
                    Turn::Over => return None,
                    Turn::Add => {
                        (*context).grow_by_write(thread, access, value);
                        if (*context).is_held_up(thread) {
                            return stay(context, thread);
                        }
                        if (*context).write_new(thread) {
                            return Some(());
                        }
                    }
                    Turn::Run(id) if (*context).run_write(thread, id, access, value) => return Some(()),
                    Turn::Run(_) => return stay(context, thread),
                }
            }
        }
    }

    fn grow_by_write(&mut self, thread: ThreadId, access: &Access, value: u64) {
        let Some(location) = self.locate_or_complain(access.address, access.size) else {
            return;
        };
        if self.is_exhausted(thread) {
            return;
        }
        let known = self.explorer.execution().known_now(thread);
        let complaint = self.complaint_about_block(thread, known, access.address);
        if self.mode != Mode::Replay {
            self.explorer.add_write(thread, known, location, access.verb, access.request.order, value, access.site);
        } else if !self.replay_write(thread, location, access, value) {
            return;
        }
        self.raise_complaints(thread, location, complaint);
    }

    fn run_write(&mut self, thread: ThreadId, id: EventId, access: &Access, value: u64) -> bool {
        let event = self.explorer.execution().event(id);
        let fits = event.kind == Kind::Write
            && event.verb == access.verb
            && event.order == access.request.order
            && (event.value == value || self.mode == Mode::Rebase)
            && self.is_same_place(id, access.address, access.size);
        if !fits {
            self.diverged(thread, format!("{} of {value:#x}", describe(access.verb, access.site)));
            return false;
        }
        if self.mode == Mode::Rebase {
            self.explorer.execution_mut().rebind(id, value, 0, None);
        }
        self.step(thread);
        self.write_through(id);
        true
    }

    /// Writes for a thread that is drained, unless others would see it.
    ///
    /// # Safety
    /// The address is that of a live atomic.
    pub(super) unsafe fn poke_own(&mut self, address: usize, size: u8, value: u64) {
        if self.lane.contains(address) {
            // SAFETY: as promised by the caller.
            unsafe { poke(address, size, value) };
        }
    }
}
