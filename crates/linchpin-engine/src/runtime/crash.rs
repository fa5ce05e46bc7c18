//! Threads that crash: what would end the whole program ends an execution.
//!
//! A thread that is aborted, touches memory that is not there or overflows its stack gets a signal, whose handler lets it go on where it is
//! given up: the finding is reported as usual. Signals of anybody else, and those that were sent from outside, go to whoever handled them
//! before, which is the standard library for native stack overflows.
//!
//! A bad pointer to an atomic is followed by the engine, on behalf of the program, so a thread may be diverted out of the engine too. But where
//! the stack ends, the engine may be in the midst of anything, and hold a lock of the system's allocator: it gets more stack, and the thread is given
//! up when it asks for its next event.
//! Not covered: programs that exit, and locks of the outside world that a thread holds when it crashes.

use std::cell::Cell;
use std::mem::{MaybeUninit, transmute};
use std::ptr;
use std::sync::OnceLock;

use libc::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, c_int, c_void, siginfo_t};

use super::context::{self, Context};
use super::divert::{divert, give_up, stack_pointer};
use super::lane::STACK;
use super::outliving;
use crate::violation::{Crash, ViolationKind};

/// What tells of a crash.
const SIGNALS: [c_int; 5] = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE];

/// The code of a fault whose address the processor does not tell.
const SI_KERNEL: c_int = 0x80;

/// Who handled the signals before.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

thread_local! {
    /// Why this thread of the operating system was diverted.
    static CRASH: Cell<Option<Crash>> = const { Cell::new(None) };
}

/// Crashes of model threads are noted from now on.
pub(crate) fn install_handlers() {
    BEFORE.get_or_init(|| {
        // SAFETY: nothing is changed.
        let before = SIGNALS.map(|signal| unsafe {
            let mut before = MaybeUninit::zeroed();
            libc::sigaction(signal, ptr::null(), before.as_mut_ptr());
            before.assume_init()
        });
        for signal in SIGNALS {
            // SAFETY: the handler does nothing but divert a model thread, or what was done before. Its own stack is needed when there is no
            // other one left; std gives one to each of its threads.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_signal as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, ptr::null_mut());
            }
        }
        before
    });
}

extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, interrupted: *mut c_void) {
    // SAFETY: this is what the kernel passes.
    unsafe {
        if matches!(signal, SIGSEGV | SIGBUS) && (*info).si_code > 0 && outliving::let_pass((*info).si_addr().addr()) {
            return;
        }
        if !divert_crashed(signal, &*info, interrupted) {
            pass_on(signal, info, interrupted);
        }
    }
}

/// Lets the interrupted thread be given up, if it is a model thread that has crashed.
///
/// # Safety
/// All is what the kernel passed to the handler.
unsafe fn divert_crashed(signal: c_int, info: &siginfo_t, interrupted: *mut c_void) -> bool {
    let context = context::running();
    if context.is_null() || !is_own(signal, info) {
        return false;
    }
    // SAFETY: the context of this thread is there as long as it is the current one, and the slots stay as they are while model threads run.
    let Some(slot) = (unsafe { (*context).current_slot() }) else { return false };
    let in_user_code = context::current().is_some();
    let is_fault = matches!(signal, SIGSEGV | SIGBUS);
    // SAFETY: the kernel says where faults are, and who was interrupted.
    let (address, stack) = unsafe { (info.si_addr().addr(), stack_pointer(interrupted)) };
    let overflows = is_fault && slot.is_guard(address);
    if !overflows && slot.room_of_stack(stack).is_none() {
        return false;
    }
    if !in_user_code && overflows {
        let is_opened = slot.open_reserve();
        // SAFETY: as above.
        unsafe { (*context).overflowed = Some((*context).current_thread()) };
        return is_opened;
    }
    if !in_user_code && !is_fault {
        // A defect of the engine.
        return false;
    }
    CRASH.set(Some(match signal {
        SIGABRT => Crash::Abort,
        _ if overflows => Crash::StackOverflow { size: STACK },
        SIGSEGV | SIGBUS => Crash::BadAddress { address: (info.si_code != SI_KERNEL).then_some(address) },
        SIGILL => Crash::IllegalInstruction,
        _ => Crash::Arithmetic,
    }));
    // SAFETY: this is what the kernel passed, and the thread is on its stack or has just left it at the wrong end.
    unsafe { divert(interrupted, slot, crashed) };
    true
}

/// Has the interrupted thread got the signal for what it did itself?
fn is_own(signal: c_int, info: &siginfo_t) -> bool {
    // SAFETY: always allowed; signals that are sent tell who sent them.
    let is_sent_by_us = || unsafe { info.si_code == libc::SI_TKILL && info.si_pid() == libc::getpid() };
    info.si_code > 0 || (signal == SIGABRT && is_sent_by_us())
}

/// Does what was done about the signal before.
///
/// # Safety
/// All is what the kernel passed to the handler.
unsafe fn pass_on(signal: c_int, info: *mut siginfo_t, interrupted: *mut c_void) {
    let before = BEFORE.get().and_then(|all| Some(&all[SIGNALS.iter().position(|known| *known == signal)?]));
    // SAFETY: whoever was asked to handle the signal is called as they wish to be; the default is always allowed.
    unsafe {
        let is_sent = (*info).si_code <= 0;
        match before.map_or(libc::SIG_DFL, |before| before.sa_sigaction) {
            libc::SIG_IGN if is_sent => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                // What is to blame happens again, now without a handler.
                libc::signal(signal, libc::SIG_DFL);
                if is_sent {
                    libc::raise(signal);
                }
            }
            handler if before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0) => {
                transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(handler)(
                    signal,
                    info,
                    interrupted,
                );
            }
            handler => transmute::<usize, extern "C" fn(c_int)>(handler)(signal),
        }
    }
}

/// Abandons the running model thread, which has crashed.
extern "C" fn crashed() -> ! {
    let crash = CRASH.take().expect("whoever diverts the thread says why");
    // SAFETY: only a thread that was diverted comes here.
    unsafe { give_up(|context| context.note_crash(crash)) }
}

impl Context {
    /// Notes that the stack of the running thread was too small for the engine.
    #[cold]
    pub(super) fn note_overflow(&mut self) {
        self.note_crash(Crash::StackOverflow { size: STACK });
    }

    fn note_crash(&mut self, cause: Crash) {
        let thread = self.current;
        let is_panicking = self.is_panicking();
        // The panic will not end any more, so nobody shall wait for that.
        let kind = match self.model_thread(thread).panic.take() {
            Some(note) if is_panicking && cause == Crash::Abort => note.that_was_aborted().into_kind(),
            _ => ViolationKind::Crash { cause, last: self.last_event() },
        };
        self.violation(kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_installed_once_and_know_who_was_there_before() {
        install_handlers();
        install_handlers();
        let ours = on_signal as *const () as usize;
        let before = BEFORE.get().expect("they are installed");
        assert!(before.iter().all(|action| action.sa_sigaction != ours));
        for signal in SIGNALS {
            // SAFETY: nothing is changed.
            let now = unsafe {
                let mut now = MaybeUninit::<libc::sigaction>::zeroed();
                libc::sigaction(signal, ptr::null(), now.as_mut_ptr());
                now.assume_init()
            };
            assert_eq!(now.sa_sigaction, ours);
        }
    }
}
