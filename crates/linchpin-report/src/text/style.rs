//! How text looks: with colours or without, and how wide.

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Are there colours? Only where a terminal shows them.
    pub colour: bool,
    /// How many columns a line has.
    pub width: usize,
}

/// Without colours, in lines of 120 columns.
impl Default for Style {
    fn default() -> Self {
        Style { colour: false, width: 120 }
    }
}

/// What stands out, and how.
#[derive(Clone, Copy)]
pub(crate) enum Emphasis {
    /// What is wrong.
    Alarm,
    /// The title of a part.
    Heading,
    /// A mark in the margin.
    Mark,
    /// What matters less.
    Faint,
}

impl Style {
    /// Sentences are read more easily in lines that are not too long.
    pub(crate) fn sentence_width(self) -> usize {
        self.width.min(100)
    }

    /// The text, so that it stands out.
    pub(crate) fn paint(self, emphasis: Emphasis, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match emphasis {
            Emphasis::Alarm => "1;31",
            Emphasis::Heading => "1",
            Emphasis::Mark => "1;33",
            Emphasis::Faint => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
