//! How much memory this process has.

use std::fs;

/// A line of what the kernel says about this process, in megabytes of 10⁶ bytes: `VmRSS:` is what is resident now,
/// `VmHWM:` the most that ever was. Nothing if this system does not tell.
pub(crate) fn megabytes(field: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
