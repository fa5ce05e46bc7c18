//! From Rust's types to [`Value`]s and back: what operations take and return.

use std::sync::Arc;

use crate::Value;

/// A type that operations of objects can take. For a type of your own, name a few values and convert them:
///
/// ```
/// use linchpin_model::{Argument, Value};
///
/// #[derive(Debug, PartialEq)]
/// enum Side { Left, Right }
///
/// impl Argument for Side {
///     fn domain(most: usize) -> Vec<Value> {
///         ["left", "right"].into_iter().take(most).map(Value::from).collect()
///     }
///     fn from_value(value: &Value) -> Option<Self> {
///         match value.as_text()? {
///             "left" => Some(Side::Left),
///             "right" => Some(Side::Right),
///             _ => None,
///         }
///     }
///     // Only for tests that are written as source.
///     fn source(value: &Value) -> Option<String> {
///         Side::from_value(value).map(|side| format!("Side::{side:?}"))
///     }
/// }
/// assert_eq!(Side::from_value(&Side::domain(2)[1]), Some(Side::Right));
/// ```
pub trait Argument: Sized {
    /// Up to so many different values, the simplest first.
    fn domain(most: usize) -> Vec<Value>;

    /// The value as this type, if it is one.
    fn from_value(value: &Value) -> Option<Self>;

    /// The value as a Rust expression of this type, for tests that are written as source. `None`: it is not of this type,
    /// or nobody has said how; then such tests are not written.
    fn source(_value: &Value) -> Option<String> {
        None
    }
}

/// A type that operations of objects can return: equal results have equal values, different ones different values.
pub trait Comparable {
    /// The result as a value.
    fn to_value(&self) -> Value;

    /// What `{:?}` prints for the result of this type that has this value, for tests that are written as source. `None`:
    /// no result of this type has it, or nobody has said how; then such tests are not written.
    fn debug(_value: &Value) -> Option<String> {
        None
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        /// 1, 2, 3, …: 0 means something special more often than not.
        impl Argument for $type {
            fn domain(most: usize) -> Vec<Value> {
                (1..=most as i64).filter(|&number| <$type>::try_from(number).is_ok()).map(Value::Integer).collect()
            }

            fn from_value(value: &Value) -> Option<Self> {
                value.as_integer()?.try_into().ok()
            }

            fn source(value: &Value) -> Option<String> {
                Self::from_value(value).map(|number| number.to_string())
            }
        }

        /// A number that is too large for a [`Value::Integer`] is a text.
        impl Comparable for $type {
            fn to_value(&self) -> Value {
                i64::try_from(*self).map_or_else(|_| Value::Text(self.to_string().into()), Value::Integer)
            }

            fn debug(value: &Value) -> Option<String> {
                let number: $type = match value {
                    Value::Text(digits) => digits.parse().ok()?,
                    _ => Self::from_value(value)?,
                };
                Some(number.to_string())
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Argument for bool {
    fn domain(most: usize) -> Vec<Value> {
        [false, true].into_iter().take(most).map(Value::Bool).collect()
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_bool()
    }

    fn source(value: &Value) -> Option<String> {
        bool::debug(value)
    }
}

impl Comparable for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }

    fn debug(value: &Value) -> Option<String> {
        value.as_bool().map(|truth| truth.to_string())
    }
}

impl Argument for char {
    fn domain(most: usize) -> Vec<Value> {
        ('a'..='z').take(most).map(|letter| letter.to_value()).collect()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let mut letters = value.as_text()?.chars();
        letters.next().filter(|_| letters.next().is_none())
    }

    fn source(value: &Value) -> Option<String> {
        char::debug(value)
    }
}

impl Comparable for char {
    fn to_value(&self) -> Value {
        Value::Text(self.to_string().into())
    }

    fn debug(value: &Value) -> Option<String> {
        char::from_value(value).map(|letter| format!("{letter:?}"))
    }
}

impl Argument for String {
    fn domain(most: usize) -> Vec<Value> {
        char::domain(most)
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_text().map(str::to_owned)
    }

    fn source(value: &Value) -> Option<String> {
        value.as_text().map(|text| format!("String::from({text:?})"))
    }
}

impl Comparable for String {
    fn to_value(&self) -> Value {
        self.as_str().to_value()
    }

    fn debug(value: &Value) -> Option<String> {
        str::debug(value)
    }
}

impl Comparable for str {
    fn to_value(&self) -> Value {
        Value::Text(self.into())
    }

    fn debug(value: &Value) -> Option<String> {
        value.as_text().map(|text| format!("{text:?}"))
    }
}

impl Comparable for () {
    fn to_value(&self) -> Value {
        Value::Nil
    }

    fn debug(value: &Value) -> Option<String> {
        value.is_nil().then(|| "()".to_owned())
    }
}

impl Comparable for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }

    fn debug(value: &Value) -> Option<String> {
        Some(format!("{value:?}"))
    }
}

/// Nothing is nil, something is a list of one: nothing inside of something is something.
impl<T: Argument> Argument for Option<T> {
    fn domain(most: usize) -> Vec<Value> {
        let some = T::domain(most.saturating_sub(1)).into_iter().map(|value| Value::list([value]));
        [Value::Nil].into_iter().take(most).chain(some).collect()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Nil => Some(None),
            Value::List(items) => match &**items {
                [item] => T::from_value(item).map(Some),
                _ => None,
            },
            _ => None,
        }
    }

    fn source(value: &Value) -> Option<String> {
        match value {
            Value::Nil => Some("None".to_owned()),
            Value::List(items) => match &**items {
                [item] => T::source(item).map(|item| format!("Some({item})")),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Nothing is nil, and something is what it is, unless that is nil or a list itself.
impl<T: Comparable> Comparable for Option<T> {
    fn to_value(&self) -> Value {
        match self.as_ref().map(T::to_value) {
            None => Value::Nil,
            Some(value @ (Value::Nil | Value::List(_))) => Value::list([value]),
            Some(value) => value,
        }
    }

    fn debug(value: &Value) -> Option<String> {
        let item = match value {
            Value::Nil => return Some("None".to_owned()),
            Value::List(items) => match &**items {
                [item @ (Value::Nil | Value::List(_))] => item,
                _ => return None,
            },
            value => value,
        };
        T::debug(item).map(|item| format!("Some({item})"))
    }
}

/// What went right is what it is, what went wrong is a pair with the text `error`.
impl<T: Comparable, E: Comparable> Comparable for Result<T, E> {
    fn to_value(&self) -> Value {
        match self {
            Ok(value) => value.to_value(),
            Err(error) => Value::list(["error".into(), error.to_value()]),
        }
    }

    fn debug(value: &Value) -> Option<String> {
        match value.as_list() {
            Some([mark, error]) if mark.as_text() == Some("error") => {
                E::debug(error).map(|error| format!("Err({error})"))
            }
            _ => T::debug(value).map(|value| format!("Ok({value})")),
        }
    }
}

impl<T: Argument> Argument for Vec<T> {
    /// The empty one, then those with one item, then one with all of these.
    fn domain(most: usize) -> Vec<Value> {
        let items = T::domain(most);
        let single = items.iter().map(|item| Value::list([item.clone()]));
        let all = (items.len() > 1).then(|| Value::list(items.iter().cloned()));
        [Value::list([])].into_iter().chain(single).chain(all).take(most).collect()
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_list()?.iter().map(T::from_value).collect()
    }

    fn source(value: &Value) -> Option<String> {
        let items: Vec<String> = value.as_list()?.iter().map(T::source).collect::<Option<_>>()?;
        Some(format!("vec![{}]", items.join(", ")))
    }
}

impl<T: Comparable> Comparable for [T] {
    fn to_value(&self) -> Value {
        Value::list(self.iter().map(T::to_value))
    }

    fn debug(value: &Value) -> Option<String> {
        let items: Vec<String> = value.as_list()?.iter().map(T::debug).collect::<Option<_>>()?;
        Some(format!("[{}]", items.join(", ")))
    }
}

impl<T: Comparable, const N: usize> Comparable for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }

    fn debug(value: &Value) -> Option<String> {
        <[T]>::debug(value).filter(|_| value.as_list().is_some_and(|items| items.len() == N))
    }
}

impl<T: Comparable> Comparable for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }

    fn debug(value: &Value) -> Option<String> {
        <[T]>::debug(value)
    }
}

macro_rules! pointers {
    ($($type:ty)*) => {$(
        impl<T: Comparable + ?Sized> Comparable for $type {
            fn to_value(&self) -> Value {
                (**self).to_value()
            }

            fn debug(value: &Value) -> Option<String> {
                T::debug(value)
            }
        }
    )*};
}

pointers!(&T &mut T Box<T> Arc<T>);

macro_rules! tuples {
    ($($first:ident $($rest:ident)*;)*) => {$(
        impl<$first: Argument, $($rest: Argument),*> Argument for ($first, $($rest,)*) {
            /// The first values of each together, then the second ones, and so on; domains that are shorter go round.
            fn domain(most: usize) -> Vec<Value> {
                let domains = [$first::domain(most), $($rest::domain(most)),*];
                if domains.iter().any(Vec::is_empty) {
                    return Vec::new();
                }
                let longest = domains.iter().map(Vec::len).max().unwrap_or(0);
                (0..longest).map(|i| Value::list(domains.iter().map(|domain| domain[i % domain.len()].clone()))).collect()
            }

            fn from_value(value: &Value) -> Option<Self> {
                let mut items = value.as_list()?.iter();
                let tuple = ($first::from_value(items.next()?)?, $($rest::from_value(items.next()?)?,)*);
                items.next().is_none().then_some(tuple)
            }

            fn source(value: &Value) -> Option<String> {
                tuple(value, &[$first::source, $($rest::source),*])
            }
        }

        impl<$first: Comparable, $($rest: Comparable),*> Comparable for ($first, $($rest,)*) {
            fn to_value(&self) -> Value {
                #[allow(non_snake_case)]
                let ($first, $($rest,)*) = self;
                Value::list([$first.to_value(), $($rest.to_value()),*])
            }

            fn debug(value: &Value) -> Option<String> {
                tuple(value, &[$first::debug, $($rest::debug),*])
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
}

/// A tuple, each of its items as text.
fn tuple(value: &Value, texts: &[fn(&Value) -> Option<String>]) -> Option<String> {
    let items = value.as_list().filter(|items| items.len() == texts.len())?;
    let items: Vec<String> = items.iter().zip(texts).map(|(item, text)| text(item)).collect::<Option<_>>()?;
    Some(match &items[..] {
        [only] => format!("({only},)"),
        items => format!("({})", items.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: Argument + Comparable>(most: usize) -> Vec<Value> {
        let domain = T::domain(most);
        assert!(domain.len() <= most, "{domain:?}");
        for value in &domain {
            assert!(T::from_value(value).is_some(), "{value}");
        }
        domain
    }

    #[test]
    fn domains_are_of_their_types_and_have_no_more_values_than_asked_for() {
        assert_eq!(round_trip::<u8>(2), [1.into(), 2.into()]);
        assert_eq!(round_trip::<u8>(300).len(), 255);
        assert_eq!(round_trip::<bool>(5), [false.into(), true.into()]);
        assert_eq!(round_trip::<String>(2), ["a".into(), "b".into()]);
        assert_eq!(round_trip::<Option<u8>>(2), [Value::Nil, Value::list([1.into()])]);
        assert_eq!(
            round_trip::<(u8, bool)>(2),
            [Value::list([1.into(), false.into()]), Value::list([2.into(), true.into()])]
        );
        assert_eq!(round_trip::<Vec<u8>>(2).len(), 2);
        assert_eq!(round_trip::<u8>(0), []);
    }

    #[test]
    fn different_results_have_different_values() {
        let results = [
            None::<Option<Option<u8>>>.to_value(),
            Some(None::<Option<u8>>).to_value(),
            Some(Some(None::<u8>)).to_value(),
            Some(Some(Some(1_u8))).to_value(),
        ];
        for (i, a) in results.iter().enumerate() {
            assert!(results[..i].iter().all(|b| a != b), "{results:?}");
        }
        assert_eq!(u64::MAX.to_value(), "18446744073709551615".into());
        assert_eq!(Ok::<u8, bool>(3).to_value(), 3.into());
    }

    fn printed<T: Comparable + std::fmt::Debug>(results: impl IntoIterator<Item = T>) {
        for result in results {
            assert_eq!(T::debug(&result.to_value()), Some(format!("{result:?}")));
        }
    }

    #[test]
    fn what_is_printed_for_a_value_is_what_is_printed_for_the_result() {
        printed([0, 1, u64::MAX]);
        printed([i8::MIN, 0, i8::MAX]);
        printed([i128::MIN, i128::MAX]);
        printed([true, false]);
        printed(['a', '\'', '\n']);
        printed(["", "a \"quote\"", "\u{7f}"]);
        printed([String::from("a")]);
        printed([()]);
        printed([Value::Nil, Value::list([1.into()])]);
        printed([None, Some(None), Some(Some(None)), Some(Some(Some(1_u8)))]);
        printed([None, Some(()), Some(())]);
        printed([None, Some(vec![]), Some(vec![None, Some(2_u8)])]);
        printed([Ok(1), Err("full")]);
        printed([Ok(Some((1_u8, true))), Ok(None), Err(Some("full")), Err(None)]);
        printed([[1_u8, 2], [3, 4]]);
        printed([&[1_u8, 2][..], &[]]);
        printed([(1_u8,)]);
        printed([(1_u8, Box::new(2_i32), Arc::<str>::from("a"), &[true])]);
    }

    #[test]
    fn what_no_result_has_is_not_printed() {
        assert_eq!(u8::debug(&256.into()), None);
        assert_eq!(u8::debug(&"x".into()), None);
        assert_eq!(<[u8; 2]>::debug(&Value::list([1.into()])), None);
        assert_eq!(<(u8, u8)>::debug(&Value::list([1.into()])), None);
        assert_eq!(Option::<Option<u8>>::debug(&Value::list([1.into()])), None);
        assert_eq!(Result::<u8, ()>::debug(&Value::Nil), None);
    }

    #[test]
    fn arguments_are_written_as_expressions_of_their_types() {
        let sources = |domain: Vec<Value>, source: fn(&Value) -> Option<String>| -> Vec<String> {
            domain.iter().map(|value| source(value).expect("a value of its type")).collect()
        };
        assert_eq!(sources(u8::domain(2), u8::source), ["1", "2"]);
        assert_eq!(sources(bool::domain(2), bool::source), ["false", "true"]);
        assert_eq!(sources(char::domain(1), char::source), ["'a'"]);
        assert_eq!(sources(String::domain(1), String::source), ["String::from(\"a\")"]);
        assert_eq!(sources(<(u8, bool)>::domain(1), <(u8, bool)>::source), ["(1, false)"]);
        assert_eq!(sources(<(u8,)>::domain(1), <(u8,)>::source), ["(1,)"]);
        assert_eq!(sources(Vec::<u8>::domain(3), Vec::<u8>::source), ["vec![]", "vec![1]", "vec![2]"]);
        let nested = sources(Option::<Option<u8>>::domain(3), Option::<Option<u8>>::source);
        assert_eq!(nested, ["None", "Some(None)", "Some(Some(1))"]);
        assert_eq!(u8::source(&256.into()), None);
        assert_eq!(Option::<u8>::source(&1.into()), None);
        assert_eq!(<(u8, u8)>::source(&Value::list([1.into()])), None);
    }
}
