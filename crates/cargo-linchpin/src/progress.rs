//! How far something is that takes long: shown in a terminal, and nowhere else.

use std::cell::{Cell, OnceCell};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar has so many steps.
const STEPS: u64 = 1_000;

/// Something whose end nobody can guess. Whatever is wider than the terminal is cut off at its end,
const WITHOUT_END: &str = "{spinner} {elapsed} {wide_msg}";
/// and something of which a share is done. What remains is a guess from the share and the time.
const WITH_SHARE: &str = "{spinner} [{bar:20}] {percent:>3} % {elapsed}, about {eta} left; {wide_msg}";

/// Something whose end nobody can guess.
pub(crate) fn spinner(message: String) -> ProgressBar {
    let progress = ProgressBar::new(STEPS);
    dress(&progress, WITHOUT_END);
    progress.set_message(message);
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}

fn dress(progress: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        progress.set_style(style);
    }
}

/// What is told of something: shown from the first word on, gone with this value.
#[derive(Default)]
pub(crate) struct Shown {
    progress: OnceCell<ProgressBar>,
    /// The share that was told last, as steps.
    last: Cell<Option<u64>>,
}

impl Shown {
    /// Says what is being done, and how much of it is, 0 to 1, where that is known.
    pub fn tell(&self, done: Option<f64>, message: &str) {
        let progress = self.progress.get_or_init(|| spinner(message.to_owned()));
        // A cast from a float saturates.
        let now = done.map(|done| (done * STEPS as f64) as u64);
        let before = self.last.replace(now);
        match (before, now) {
            (Some(_), None) => dress(progress, WITHOUT_END),
            (None, Some(_)) => dress(progress, WITH_SHARE),
            _ => {}
        }
        if let Some(now) = now {
            progress.set_position(now);
            // Something else has begun, of which nothing is known from what came before.
            if before.is_none_or(|before| now < before) {
                progress.reset_eta();
            }
        }
        progress.set_message(message.to_owned());
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(progress) = self.progress.get() {
            progress.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use indicatif::{InMemoryTerm, ProgressDrawTarget};

    use super::*;

    /// What a terminal shows after all that was told.
    fn shown(width: u16, told: &[(Option<f64>, &str)]) -> String {
        let terminal = InMemoryTerm::new(3, width);
        let shown = Shown::default();
        let progress = shown.progress.get_or_init(|| spinner(String::new()));
        progress.set_draw_target(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        for (done, message) in told {
            shown.tell(*done, message);
        }
        progress.disable_steady_tick();
        progress.tick();
        terminal.contents()
    }

    #[test]
    fn a_share_is_a_bar_with_an_estimate_and_without_one_it_is_not() {
        let bar = shown(100, &[(Some(0.0), "0 of 50 clients"), (Some(0.5), "25 of 50 clients")]);
        assert!(bar.contains(" 50 % ") && bar.contains(" left; 25 of 50 clients"), "{bar}");
        let spinner = shown(100, &[(Some(1.0), "50 of 50 clients"), (None, "looking for the cause")]);
        assert!(spinner.contains("looking for the cause") && !spinner.contains('%'), "{spinner}");
        let again = shown(100, &[(None, "building"), (Some(0.25), "a quarter")]);
        assert!(again.contains(" 25 % ") && again.ends_with("a quarter"), "{again}");
    }

    #[test]
    fn what_is_wider_than_the_terminal_takes_one_line() {
        let narrow = shown(60, &[(Some(0.5), &"many words ".repeat(20))]);
        assert!(narrow.contains(" 50 % ") && narrow.lines().count() == 1, "{narrow}");
    }
}
