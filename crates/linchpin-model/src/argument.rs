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
/// }
/// assert_eq!(Side::from_value(&Side::domain(2)[1]), Some(Side::Right));
/// ```
pub trait Argument: Sized {
    /// Up to so many different values, the simplest first.
    fn domain(most: usize) -> Vec<Value>;

    /// The value as this type, if it is one.
    fn from_value(value: &Value) -> Option<Self>;
}

/// A type that operations of objects can return: equal results have equal values, different ones different values.
pub trait Comparable {
    /// The result as a value.
    fn to_value(&self) -> Value;
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
        }

        /// A number that is too large for a [`Value::Integer`] is a text.
        impl Comparable for $type {
            fn to_value(&self) -> Value {
                i64::try_from(*self).map_or_else(|_| Value::Text(self.to_string().into()), Value::Integer)
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
}

impl Comparable for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
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
}

impl Comparable for char {
    fn to_value(&self) -> Value {
        Value::Text(self.to_string().into())
    }
}

impl Argument for String {
    fn domain(most: usize) -> Vec<Value> {
        char::domain(most)
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_text().map(str::to_owned)
    }
}

impl Comparable for String {
    fn to_value(&self) -> Value {
        self.as_str().to_value()
    }
}

impl Comparable for str {
    fn to_value(&self) -> Value {
        Value::Text(self.into())
    }
}

impl Comparable for () {
    fn to_value(&self) -> Value {
        Value::Nil
    }
}

impl Comparable for Value {
    fn to_value(&self) -> Value {
        self.clone()
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
}

/// What went right is what it is, what went wrong is a pair with the text `error`.
impl<T: Comparable, E: Comparable> Comparable for Result<T, E> {
    fn to_value(&self) -> Value {
        match self {
            Ok(value) => value.to_value(),
            Err(error) => Value::list(["error".into(), error.to_value()]),
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
}

impl<T: Comparable> Comparable for [T] {
    fn to_value(&self) -> Value {
        Value::list(self.iter().map(T::to_value))
    }
}

impl<T: Comparable, const N: usize> Comparable for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: Comparable> Comparable for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

macro_rules! pointers {
    ($($type:ty)*) => {$(
        impl<T: Comparable + ?Sized> Comparable for $type {
            fn to_value(&self) -> Value {
                (**self).to_value()
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
        }

        impl<$first: Comparable, $($rest: Comparable),*> Comparable for ($first, $($rest,)*) {
            fn to_value(&self) -> Value {
                #[allow(non_snake_case)]
                let ($first, $($rest,)*) = self;
                Value::list([$first.to_value(), $($rest.to_value()),*])
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
}
