//! How far something is that takes long: shown in a terminal, and nowhere else.

use std::cell::OnceCell;
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

/// What is told of something: shown from the first word on, gone with this value.
#[derive(Default)]
pub(crate) struct Shown(OnceCell<ProgressBar>);

impl Shown {
    /// Says what is being done, and how much of it is, 0 to 1, where that is known.
    pub fn tell(&self, done: Option<f64>, message: &str) {
        let new = || match done {
            Some(_) => bar(message.to_owned()),
            None => spinner(message.to_owned()),
        };
        update(self.0.get_or_init(new), done.unwrap_or(0.0), message.to_owned());
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = self.0.get() {
            bar.finish_and_clear();
        }
    }
}
