//! Describing an object once, for everything that runs or generates clients of it.

use linchpin_model::{Argument, Value};

/// Describes a type and its operations: a name for the object, the type, how to make one, and the signatures of its methods.
///
/// ```
/// use linchpin::sync::Mutex;
/// use linchpin::{Object, Value};
///
/// #[derive(Default)]
/// struct Stack(Mutex<Vec<u8>>);
///
/// impl Stack {
///     fn push(&self, item: u8) {
///         self.0.lock().unwrap().push(item);
///     }
///     fn pop(&self) -> Option<u8> {
///         self.0.lock().unwrap().pop()
///     }
///     fn len(&self) -> usize {
///         self.0.lock().unwrap().len()
///     }
/// }
///
/// linchpin::object! {
///     /// A stack behind a lock.
///     LockedStack: Stack = Stack::default();
///     #[trusted] fn push(&self, item: u8);
///     fn pop(&self) -> Option<u8>;
///     #[read_only] fn len(&self) -> usize => |length| length > 0;
/// }
///
/// let stack = LockedStack::create();
/// LockedStack::invoke(&stack, 0, &[7.into()]);
/// assert_eq!(LockedStack::invoke(&stack, 1, &[]), Value::Integer(7));
/// assert_eq!(LockedStack::invoke(&stack, 2, &[]), Value::Bool(false));
/// ```
///
/// Arguments are of types that implement [`Argument`](crate::Argument), results of types that implement
/// [`Comparable`](crate::Comparable). A method that returns something else is given a closure after `=>`, which makes a
/// comparable value of it: of a guard, an iterator, a length that only matters if it is 0.
///
/// Before an operation may stand `#[read_only]` (it leaves every state as it is), `#[trusted]` (it is beyond suspicion) or
/// `#[untrusted]` (it is to be tested, at most one in a client).
#[macro_export]
macro_rules! object {
    (
        $(#[$meta:meta])*
        $visibility:vis $name:ident : $instance:ty = $create:expr;
        $(
            $(#[$attribute:ident])*
            fn $operation:ident ( & self $(, $argument:ident : $type:ty)* $(,)? ) $(-> $returned:ty)? $(=> $map:expr)? ;
        )*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        $visibility struct $name;

        impl $crate::Object for $name {
            type Instance = $instance;

            const NAME: &'static str = stringify!($name);

            fn create() -> Self::Instance {
                $create
            }

            fn operations() -> ::std::vec::Vec<$crate::ObjectOperation> {
                ::std::vec![$(
                    $crate::ObjectOperation {
                        name: stringify!($operation),
                        arguments: ::std::vec![$(
                            $crate::ObjectArgument {
                                name: stringify!($argument),
                                domain: <$type as $crate::Argument>::domain,
                            }
                        ),*],
                        read_only: false $(|| $crate::__attribute!(read_only $attribute))*,
                        trusted: match (
                            false $(|| $crate::__attribute!(trusted $attribute))*,
                            false $(|| $crate::__attribute!(untrusted $attribute))*,
                        ) {
                            (false, false) => ::std::option::Option::None,
                            (trusted, _) => ::std::option::Option::Some(trusted),
                        },
                    }
                ),*]
            }

            #[allow(unused_mut, unused_variables, unused_assignments, clippy::let_unit_value, clippy::unused_unit)]
            fn invoke(instance: &Self::Instance, operation: usize, arguments: &[$crate::Value]) -> $crate::Value {
                let mut position = 0;
                $(
                    if operation == position {
                        let mut arguments = arguments.iter();
                        $(let $argument: $type =
                            $crate::__argument(stringify!($operation), stringify!($argument), arguments.next());)*
                        $crate::__no_more(stringify!($operation), arguments.next());
                        let returned $(: $returned)? = instance.$operation($($argument),*);
                        $(let returned = ($map)(returned);)?
                        return $crate::Comparable::to_value(&returned);
                    }
                    position += 1;
                )*
                panic!("{} has {position} operations; there is none with the number {operation}", Self::NAME)
            }
        }
    };
}

/// Is the second what the first asks for? Anything but the three attributes does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! __attribute {
    (read_only read_only) => {
        true
    };
    (trusted trusted) => {
        true
    };
    (untrusted untrusted) => {
        true
    };
    ($asked:ident read_only) => {
        false
    };
    ($asked:ident trusted) => {
        false
    };
    ($asked:ident untrusted) => {
        false
    };
    ($asked:ident $other:ident) => {
        compile_error!(concat!(
            "there is no attribute #[",
            stringify!($other),
            "]; an operation may be #[read_only], #[trusted] or #[untrusted]"
        ))
    };
}

/// An argument of an operation as its type.
#[doc(hidden)]
#[track_caller]
pub fn __argument<T: Argument>(operation: &str, argument: &str, value: Option<&Value>) -> T {
    let Some(value) = value else { panic!("{operation} needs the argument {argument}") };
    T::from_value(value).unwrap_or_else(|| {
        let wanted = std::any::type_name::<T>();
        panic!("{operation} cannot take {value} as {argument}: it is not of the type {wanted}")
    })
}

/// There are not more arguments than the operation takes.
#[doc(hidden)]
#[track_caller]
pub fn __no_more(operation: &str, value: Option<&Value>) {
    if let Some(value) = value {
        panic!("{operation} takes fewer arguments: what is {value} for?");
    }
}
