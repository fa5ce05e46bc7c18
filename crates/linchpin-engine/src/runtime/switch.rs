//! Changing over from one stack to another, without anybody in between.
//!
//! Crates for coroutines resume one from outside and come back there when it suspends itself: two changes for each of ours, with a call
//! to get in and a return to get out. A processor foresees returns by the calls it has seen, so each such pair makes it guess two
//! returns wrongly, and what threads of a test do between two changes is short. Here a thread jumps to the next one: whoever goes on
//! returns through the same functions as the one that was left, and the guesses are right. With `corosensei`, explorations took 3 to 9 %
//! longer, and random runs whose threads take turns a third.

use std::arch::asm;
use std::num::NonZero;
use std::ptr;

/// A stack that was left: its stack pointer, at which is written where to go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left(NonZero<usize>);

impl Left {
    /// A stack whose memory ends at `end`, on which `entry` is the first to be called. Nobody called it, which is where backtraces end.
    ///
    /// # Safety
    /// The memory before `end`, which is aligned to 16 bytes, is a stack that is not in use.
    pub unsafe fn at_the_beginning(end: usize, entry: extern "C" fn() -> !) -> Left {
        let end: *mut usize = ptr::with_exposed_provenance_mut(end);
        // SAFETY: as promised.
        let at = unsafe {
            if cfg!(target_arch = "x86_64") {
                // The address that `entry` would return to, where a call would have put it.
                end.sub(1).write(0);
            }
            let at = end.sub(FRAME);
            at.write(entry as *const () as usize);
            at
        };
        Left(NonZero::new(at.expose_provenance()).expect("stacks are not at zero"))
    }
}

/// How many words [`change_over`] leaves on a stack, or there are on a new one.
const FRAME: usize = if cfg!(target_arch = "x86_64") { 2 } else { 4 };

/// Leaves the running stack, of which it notes in `left` how to go on, for `next`.
///
/// # Safety
/// `left` can be written to. Nobody has gone on with `next` since it was left, and whoever runs there may do so now on this thread of the
/// operating system.
#[inline(always)]
pub(super) unsafe fn change_over(left: *mut Option<Left>, next: Left) {
    // SAFETY: registers that have to be preserved are named as overwritten, so the compiler keeps what it needs of them on the stack, except
    // those that it does not let be named, which are pushed here. Whoever left `next` did so here too, and finds the stack as it was.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rdi], rsp",
            "mov rsp, rsi",
            "xor ebp, ebp", // for those who follow frame pointers on a new stack
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inlateout("rdi") left => _,
            inlateout("rsi") next.0.get() => _,
            lateout("r12") _, lateout("r13") _, lateout("r14") _, lateout("r15") _,
            clobber_abi("sysv64"),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "adr x9, 2f",
            "stp x9, x19, [sp, #-32]!",
            "str x29, [sp, #16]",
            "mov x9, sp",
            "str x9, [x0]",
            "mov sp, x1",
            "mov x29, xzr", // as if nobody had called, on a new stack
            "mov x30, xzr",
            "ldr x9, [sp]",
            "br x9",
            "2:",
            "ldr x29, [sp, #16]",
            "ldp x9, x19, [sp], #32",
            inlateout("x0") left => _,
            inlateout("x1") next.0.get() => _,
            lateout("x20") _, lateout("x21") _, lateout("x22") _, lateout("x23") _, lateout("x24") _,
            lateout("x25") _, lateout("x26") _, lateout("x27") _, lateout("x28") _,
            clobber_abi("C"),
        );
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!("Linchpin explores on Linux, on x86-64 and AArch64 only: elsewhere leave out the crate `linchpin`");

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::hint::black_box;

    use super::*;

    thread_local! {
        /// The stack of the test, and two others.
        static LEFT: [Cell<Option<Left>>; 3] = const { [const { Cell::new(None) }; 3] };
        static LOG: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    }

    #[inline(never)]
    fn go_on(from: usize, to: usize) {
        let (left, next) = LEFT.with(|left| (left[from].as_ptr(), left[to].get().expect("it was left")));
        // SAFETY: the place is that of a thread-local, and the two take turns.
        unsafe { change_over(left, next) };
    }

    /// Has more to remember than there are registers while the other one runs.
    fn sum(me: usize, depth: u32) -> u64 {
        let below = if depth == 0 { 0 } else { sum(me, depth - 1) };
        LOG.with_borrow_mut(|log| log.push(depth + 100 * me as u32));
        let known = |number: u64| black_box(1_000 * me as u64 + number * u64::from(depth));
        let (a, b, c, d, e, f, g) = (known(1), known(2), known(3), known(4), known(5), known(6), known(7));
        let floats: [f64; 12] = std::array::from_fn(|at| known(at as u64) as f64);
        go_on(me, 3 - me);
        assert_eq!([a, b, c, d, e, f, g], [1, 2, 3, 4, 5, 6, 7].map(known));
        assert_eq!(floats, std::array::from_fn(|at| known(at as u64) as f64));
        below + u64::from(depth)
    }

    extern "C" fn first() -> ! {
        assert_eq!(sum(1, 5), 15);
        go_on(1, 0);
        unreachable!("nobody goes on here")
    }

    extern "C" fn second() -> ! {
        let backtrace = std::backtrace::Backtrace::force_capture().to_string();
        assert!(backtrace.contains("second") && !backtrace.contains("first"), "{backtrace}");
        loop {
            assert_eq!(sum(2, 3), 6);
        }
    }

    #[test]
    fn whoever_goes_on_finds_everything_as_it_was() {
        let mut stacks = vec![[0_u128; 16_384]; 2];
        for (number, (stack, entry)) in stacks.iter_mut().zip([first as extern "C" fn() -> !, second]).enumerate() {
            // SAFETY: the memory is used for nothing else until the end of the test.
            let beginning = unsafe { Left::at_the_beginning(stack.as_mut_ptr_range().end.expose_provenance(), entry) };
            LEFT.with(|left| left[number + 1].set(Some(beginning)));
        }
        go_on(0, 1);
        let log = LOG.take();
        assert_eq!(log, [100, 200, 101, 201, 102, 202, 103, 203, 104, 200, 105, 201]);
    }
}
