//! How many cores there are, and how a thread stays on one.

use std::thread;

/// The number of cores that this process may use.
pub(crate) fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Keeps the calling thread on the core with this number among those that it may use. Was that possible?
#[cfg(target_os = "linux")]
pub(crate) fn pin(number: usize) -> bool {
    use std::mem::{size_of, zeroed};

    // SAFETY: a set of cores is plain memory, and all zeroes is the empty one.
    let mut allowed: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: 0 is the calling thread; the kernel writes a set of the given size.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut allowed) } != 0 {
        return false;
    }
    // SAFETY: the numbers are below the size of the set.
    let is_allowed = |core: &usize| unsafe { libc::CPU_ISSET(*core, &allowed) };
    let Some(core) = (0..libc::CPU_SETSIZE as usize).filter(is_allowed).nth(number) else { return false };
    // SAFETY: as above.
    let mut one: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: the number was found in a set of the same size.
    unsafe { libc::CPU_SET(core, &mut one) };
    // SAFETY: 0 is the calling thread; the kernel reads a set of the given size.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &one) == 0 }
}

/// Threads go where the system puts them.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_number: usize) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pinned_thread_stays_on_its_core() {
        let seen = thread::spawn(|| {
            assert!(pin(0));
            // SAFETY: a question without arguments.
            (0..100).map(|_| unsafe { libc::sched_getcpu() }).collect::<Vec<_>>()
        });
        let seen = seen.join().unwrap();
        assert!(seen.iter().all(|core| *core == seen[0]), "{seen:?}");
    }

    #[test]
    fn there_is_no_core_beyond_the_last() {
        assert!(available() > 0);
        assert!(!thread::spawn(|| pin(1_000_000)).join().unwrap());
    }
}
