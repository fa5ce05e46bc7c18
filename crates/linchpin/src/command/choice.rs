//! Choices that have a name: on a command line, in a request, in `linchpin.toml`.

/// A choice among a few.
pub trait Choice: Copy + PartialEq + Sized + 'static {
    /// All of them, each with its name and what it means.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// What it is called.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(choice, ..)| *choice == self).map_or("", |(_, name, _)| name)
    }

    /// The one of this name.
    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(choice, ..)| *choice)
    }
}

/// An enumeration of named choices. What documents a variant is also what people are told about it.
macro_rules! choices {
    ($(#[$meta:meta])* $type:ident { $(#[doc = $help:literal] $(#[$attribute:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $(#[doc = $help] $(#[$attribute])* #[serde(rename = $name)] $variant,)*
        }

        impl Choice for $type {
            const ALL: &'static [(Self, &'static str, &'static str)] = &[$(($type::$variant, $name, $help)),*];
        }
    };
}

choices! {
    /// How a client is run.
    #[derive(Default)]
    Tester {
        /// Every execution that the memory model allows.
        #[default]
        Explore = "explore",
        /// Random schedules under sequential consistency.
        Sample = "sample",
        /// Native threads, as fast as they can.
        Stress = "stress",
    }
}

choices! {
    /// By whose rules reads see writes.
    Model {
        /// Sequential consistency.
        Sc = "sc",
        /// The memory model of C++ and Rust.
        C11 = "c11",
    }
}

choices! {
    /// How the next thread of a run is chosen.
    Strategy {
        /// Each thread that can go on is as likely as the others.
        Random = "random",
        /// Random priorities, and a few places where they change.
        Pct = "pct",
        /// The same, with places that follow from the structure of the code.
        DPct = "d-pct",
    }
}

choices! {
    /// Where freed memory goes.
    Reuse {
        /// No address is used twice, so that every use after free is seen.
        Never = "never",
        /// What was freed last is used again first.
        Lifo = "lifo",
        /// What was freed first is used again first.
        Fifo = "fifo",
    }
}

choices! {
    /// Who decides which thread of a long run goes on.
    #[derive(Default)]
    Scheduler {
        /// The machine.
        Native = "native",
        /// Each thread that can go on is as likely as the others.
        Random = "random",
        /// Random priorities, and a few places where they change.
        Pct = "pct",
        /// The same, with places that follow from the structure of the code.
        #[default]
        DPct = "d-pct",
    }
}

impl From<Model> for linchpin_model::MemoryModel {
    fn from(model: Model) -> Self {
        match model {
            Model::Sc => linchpin_model::MemoryModel::Sc,
            Model::C11 => linchpin_model::MemoryModel::C11,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_one_name_everywhere() {
        fn names<C: Choice + serde::Serialize + std::fmt::Debug>() {
            for &(choice, name, _) in C::ALL {
                assert_eq!((choice.name(), C::of_name(name)), (name, Some(choice)));
                assert_eq!(serde_json::to_value(choice).unwrap(), name);
            }
        }
        names::<Tester>();
        names::<Model>();
        names::<Strategy>();
        names::<Reuse>();
        names::<Scheduler>();
    }
}
