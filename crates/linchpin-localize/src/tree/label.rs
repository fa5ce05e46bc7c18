//! Colours of nodes.

use std::fmt;

/// What the ends below a node are like, and what the next step has to do with it. After definition 8 of the paper, for any
/// number of threads. A node with one child has its child's label: nobody competes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// White: all ends are right.
    W,
    /// Black: all ends are wrong.
    B,
    /// Grey: some steps lead to white nodes, all others to black ones.
    G,
    /// Some steps lead to white nodes, all others to grey ones.
    Wg,
    /// Some steps lead to black nodes, and some to grey ones. If there are more than two, some may lead to white ones.
    Bg,
    /// All steps lead to grey nodes.
    Gg,
}

impl Label {
    /// The label of a node with these children, of which there is at least one.
    pub fn of(children: impl IntoIterator<Item = Label>) -> Label {
        let (mut white, mut black, mut grey, mut last, mut count) = (false, false, false, Label::W, 0);
        for label in children {
            white |= label == Label::W;
            black |= label == Label::B;
            grey |= !matches!(label, Label::W | Label::B);
            (last, count) = (label, count + 1);
        }
        match (white, black, grey) {
            _ if count == 1 => last,
            (_, true, true) => Label::Bg,
            (true, false, true) => Label::Wg,
            (false, false, true) => Label::Gg,
            (true, true, false) => Label::G,
            (false, true, false) => Label::B,
            (_, false, false) => Label::W,
        }
    }

    /// Does it depend on what comes whether the end is right?
    pub fn is_grey(self) -> bool {
        !matches!(self, Label::W | Label::B)
    }
}

/// As in the paper, in one line: `Wg` for W with an index g.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Label::W => "W",
            Label::B => "B",
            Label::G => "G",
            Label::Wg => "Wg",
            Label::Bg => "Bg",
            Label::Gg => "Gg",
        })
    }
}
