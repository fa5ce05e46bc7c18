//! How long processors were busy: what a machine that has other work to do does not change much.

/// With whom processors were busy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whom {
    /// With this process, all its threads together.
    This,
    /// With the processes that this one has started, and that have ended.
    Children,
}

/// For how many seconds. Nothing if this system does not tell.
pub(crate) fn busy_with(whom: Whom) -> Option<f64> {
    #[cfg(unix)]
    {
        let whom = match whom {
            Whom::This => libc::RUSAGE_SELF,
            Whom::Children => libc::RUSAGE_CHILDREN,
        };
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
        // SAFETY: the structure is valid for writes.
        if unsafe { libc::getrusage(whom, usage.as_mut_ptr()) } != 0 {
            return None;
        }
        // SAFETY: the call has succeeded, so it has filled the structure.
        let usage = unsafe { usage.assume_init() };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Some(seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
    #[cfg(not(unix))]
    {
        let _ = whom;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn who_works_keeps_processors_busy() {
        let before = busy_with(Whom::This).expect("this system tells");
        let begin = std::time::Instant::now();
        while busy_with(Whom::This).is_some_and(|now| now <= before) {
            assert!(begin.elapsed().as_secs() < 60, "a minute of work is nothing");
        }
    }
}
