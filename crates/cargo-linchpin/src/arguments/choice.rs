//! Choices of the library as arguments.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use linchpin::command::Choice;

/// Reads the name of a choice; helps with what each means.
pub(super) fn choice<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let value = |&(_, name, help): &(C, &'static str, &'static str)| {
        PossibleValue::new(name).help(help.trim().trim_end_matches('.'))
    };
    PossibleValuesParser::new(C::ALL.iter().map(value))
        .try_map(|name| C::of_name(&name).ok_or_else(|| format!("{name} is not a choice")))
}
