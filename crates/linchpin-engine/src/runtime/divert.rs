//! Lets an interrupted model thread go on elsewhere, and gives it up there.
//!
//! A signal handler must do next to nothing, and never returns into code that cannot go on. So it changes the registers of the interrupted
//! thread, which then goes on in a function of the engine, on its own stack, as if it had been called. What was on the stack is forgotten, as
//! for any other thread whose execution ends early. A lock of the outside world that the thread holds, such as that of standard output, stays
//! locked.

use linchpin_graph::EventId;

use super::context::{self, Context};
use super::lane::Slot;
use super::schedule::abandon_for_good;

/// What a function of the engine may need, on a stack of which little is left.
const ROOM: usize = 64 << 10;

/// What lies below the stack pointer and may be in use: the red zone, and more.
const IN_USE: usize = 256;

/// The interrupted thread goes on in `to`.
///
/// # Safety
/// `interrupted` is what the kernel passed to the handler of a signal, and the interrupted thread runs on the stack in `slot`.
pub(super) unsafe fn divert(interrupted: *mut libc::c_void, slot: &Slot, to: extern "C" fn() -> !) {
    // SAFETY: as promised.
    let left = unsafe { stack_pointer(interrupted) };
    // Below its stack pointer nothing is in use. Where there is no room any more, the thread has lost itself in calls, and nobody else knows of
    // what those have on the stack.
    let has_room = slot.room_of_stack(left).is_some_and(|room| room >= ROOM);
    let stack = if has_room { left - IN_USE } else { slot.middle_of_stack() } & !15;
    // SAFETY: as promised.
    unsafe {
        let registers = &mut (*interrupted.cast::<libc::ucontext_t>()).uc_mcontext;
        #[cfg(target_arch = "x86_64")]
        {
            // The direction in which strings are copied, which functions expect to be upwards.
            const DIRECTION: i64 = 1 << 10;
            // At a function's entry the return address has just been pushed on an aligned stack.
            registers.gregs[libc::REG_RSP as usize] = (stack - 8) as i64;
            registers.gregs[libc::REG_RIP as usize] = to as *const () as usize as i64;
            registers.gregs[libc::REG_EFL as usize] &= !DIRECTION;
        }
        #[cfg(target_arch = "aarch64")]
        {
            registers.sp = stack as u64;
            registers.pc = to as *const () as usize as u64;
        }
    }
}

/// The stack pointer of the interrupted thread.
///
/// # Safety
/// `interrupted` is what the kernel passed to the handler of a signal.
pub(super) unsafe fn stack_pointer(interrupted: *const libc::c_void) -> usize {
    // SAFETY: as promised.
    unsafe {
        let registers = &(*interrupted.cast::<libc::ucontext_t>()).uc_mcontext;
        #[cfg(target_arch = "x86_64")]
        let stack = registers.gregs[libc::REG_RSP as usize] as usize;
        #[cfg(target_arch = "aarch64")]
        let stack = registers.sp as usize;
        stack
    }
}

/// Where a thread goes on: it `notes` what has happened, and is abandoned.
///
/// # Safety
/// Runs where [`divert`] led to.
pub(super) unsafe fn give_up(note: impl FnOnce(&mut Context)) -> ! {
    context::set_in_user_code(false);
    let context = context::running();
    // SAFETY: runs on the coroutine of the current thread; user code holds no reference to the context. What the engine does on the short ways
    // of accesses and blocks, which count as user code, the end of the run takes back, finished or not.
    unsafe {
        note(&mut *context);
        abandon_for_good(context, (*context).current_thread())
    }
}

impl Context {
    /// The stack and the arena of the running thread.
    pub(super) fn current_slot(&mut self) -> Option<&mut Slot> {
        self.lane.slots.get_mut(self.current.at())
    }

    /// The last event of the running thread.
    pub(super) fn last_event(&self) -> Option<EventId> {
        // A run for sampling has no graph.
        let events = self.explorer.execution().threads().get(self.current.at());
        events.and_then(|thread| thread.events().last().copied())
    }
}
