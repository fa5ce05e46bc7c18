//! How far something is that takes long: shown in a terminal, and nowhere else.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar has so many steps.
const STEPS: u64 = 1_000;

/// Something whose end nobody can guess.
pub(crate) fn spinner(message: String) -> ProgressBar {
    shown(ProgressBar::new_spinner(), "{spinner} {msg} ({elapsed})", message)
}

/// Something of which a share is done.
pub(crate) fn bar(message: String) -> ProgressBar {
    shown(ProgressBar::new(STEPS), "{spinner} [{bar:30}] {percent:>3} % {msg} ({elapsed})", message)
}

fn shown(progress: ProgressBar, template: &str, message: String) -> ProgressBar {
    if let Ok(style) = ProgressStyle::with_template(template) {
        progress.set_style(style);
    }
    progress.set_message(message);
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}

/// Says how much is done, 0 to 1, and more.
pub(crate) fn update(bar: &ProgressBar, done: f64, message: String) {
    // A cast from a float saturates.
    bar.set_position((done * STEPS as f64) as u64);
    bar.set_message(message);
}
