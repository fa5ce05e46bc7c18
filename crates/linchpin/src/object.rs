//! Describing an object once, for everything that runs or generates clients of it.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use linchpin_model::{Argument, Comparable, SequentialRun, State, Value};

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
/// `#[untrusted]` (it is to be tested, at most one in a client), and `#[consistency(level)]` if it promises less than to be
/// atomic, where the level is one of `weak`, `self`, `monotonic`, `peer`, `causal` and `complete`: see
/// [`Consistency`](crate::Consistency).
///
/// An operation that is not a method gets the function to call after `=`; the instance comes first. The object is its own
/// specification, run sequentially, unless `spec` gives another one: anything that has the same methods, which may take
/// `&mut self` and are given the same arguments.
///
/// ```
/// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
///
/// fn take(flags: &AtomicU8, mask: u8) -> bool {
///     flags.fetch_or(mask, SeqCst) & mask == 0
/// }
///
/// #[derive(Default)]
/// struct Flags(u8);
///
/// impl Flags {
///     fn take(&mut self, mask: u8) -> bool {
///         let is_free = self.0 & mask == 0;
///         self.0 |= mask;
///         is_free
///     }
///     fn load(&self) -> u8 {
///         self.0
///     }
/// }
///
/// linchpin::object! {
///     AtomicFlags: AtomicU8 = AtomicU8::new(0);
///     spec = Flags::default();
///     fn take(&self, mask: u8) -> bool = take;
///     #[read_only] #[consistency(monotonic)] fn load(&self) -> u8 = |flags: &AtomicU8| flags.load(SeqCst);
/// }
///
/// linchpin::client::<AtomicFlags>("{ take(1); load() } || { take(1) }").run();
/// ```
///
/// An object that is part of a test binary can be asked things from the shell, without a test:
///
/// ```text
/// cargo linchpin client AtomicFlags "{ take(1) } || { take(1) }"
/// ```
#[macro_export]
macro_rules! object {
    (
        $(#[$meta:meta])*
        $visibility:vis $name:ident : $instance:ty = $create:expr;
        $(spec = $specification:expr;)?
        $(
            $(#[$attribute:ident $(($level:ident))?])*
            fn $operation:ident ( & self $(, $argument:ident : $type:ty)* $(,)? ) $(-> $returned:ty)?
                $(= $function:expr)? $(=> $map:expr)? ;
        )*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        $visibility struct $name;

        // Runs before `main`, so that `cargo linchpin` finds the object wherever a test describes it. Elsewhere nobody asks, and
        // all that could be asked would be compiled for nothing.
        #[cfg(test)]
        const _: () = {
            extern "C" fn register() {
                $crate::__register::<$name>(module_path!(), file!(), line!());
            }

            // SAFETY: the section holds pointers to functions that the C library calls one after another with arguments that a
            // function may ignore; this is one.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static REGISTER: extern "C" fn() = register;
        };

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
                        read_only: false $(|| $crate::__attribute!(read_only $attribute $(($level))?))*,
                        trusted: match (
                            false $(|| $crate::__attribute!(trusted $attribute $(($level))?))*,
                            false $(|| $crate::__attribute!(untrusted $attribute $(($level))?))*,
                        ) {
                            (false, false) => ::std::option::Option::None,
                            (trusted, _) => ::std::option::Option::Some(trusted),
                        },
                        consistency: ::std::option::Option::None
                            $($(.or(::std::option::Option::Some($crate::__level!($level))))?)*
                            .unwrap_or($crate::Consistency::Complete),
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
                        let returned $(: $returned)? =
                            $crate::__call!([$($function)?] instance.$operation($($argument),*));
                        $(let returned = ($map)(returned);)?
                        return $crate::Comparable::to_value(&returned);
                    }
                    position += 1;
                )*
                panic!("{} has {position} operations; there is none with the number {operation}", Self::NAME)
            }

            fn refuses(operation: usize, argument: usize, value: &$crate::Value) -> ::std::option::Option<&'static str> {
                type Refusal = fn(&$crate::Value) -> ::std::option::Option<&'static str>;
                let operations: &[&[Refusal]] = &[$(&[$($crate::__refusal::<$type>),*]),*];
                operations.get(operation)?.get(argument)?(value)
            }

            $crate::__specification! {
                [$($specification)?]
                $(fn $operation ( & self $(, $argument : $type)* ) $(-> $returned)? $(=> $map)? ;)*
            }

            $crate::__source! {
                $instance = $create;
                $(fn $operation($($argument: $type),*) $(-> $returned)? [$($function)?] $(=> $map)?;)*
            }
        }
    };
}

/// Calls a method, or the function that stands for it.
#[doc(hidden)]
#[macro_export]
macro_rules! __call {
    ([] $instance:ident . $operation:ident ( $($argument:ident),* )) => {
        $instance.$operation($($argument),*)
    };
    ([$function:expr] $instance:ident . $operation:ident ( $($argument:ident),* )) => {
        ($function)($instance $(, $argument)*)
    };
}

/// What an object with a specification has in addition.
#[doc(hidden)]
#[macro_export]
macro_rules! __specification {
    ([] $($operations:tt)*) => {};
    ([$specification:expr] $($operations:tt)*) => {
        const IS_SPECIFIED: bool = true;

        #[allow(unused_mut, unused_variables, unused_assignments, clippy::let_unit_value, clippy::unused_unit)]
        fn specification() -> $crate::SequentialRun {
            let (mut specification, run) = $crate::__specified!($specification; $($operations)*);
            ::std::boxed::Box::new(move |operation, arguments| run(&mut specification, operation, arguments))
        }

        #[allow(unused_mut, unused_variables, unused_assignments, clippy::let_unit_value, clippy::unused_unit)]
        fn initial_state() -> $crate::State {
            // Which of the two is used depends on what the specification can do.
            #[allow(unused_imports)]
            use $crate::{__Compared as _, __NotCompared as _};
            let (specification, run) = $crate::__specified!($specification; $($operations)*);
            (&$crate::__Specified::new(specification, run)).initial_state(Self::specification)
        }
    };
}

/// A specification, and the function that runs an operation on it.
#[doc(hidden)]
#[macro_export]
macro_rules! __specified {
    (
        $specification:expr;
        $(fn $operation:ident ( & self $(, $argument:ident : $type:ty)* ) $(-> $returned:ty)? $(=> $map:expr)? ;)*
    ) => {
        $crate::__with_run($specification, |specification, operation, arguments| {
            let mut position = 0;
            $(
                if operation == position {
                    let mut arguments = arguments.iter();
                    $(let $argument: $type =
                        $crate::__argument(stringify!($operation), stringify!($argument), arguments.next());)*
                    $crate::__no_more(stringify!($operation), arguments.next());
                    let returned $(: $returned)? = specification.$operation($($argument),*);
                    $(let returned = ($map)(returned);)?
                    return $crate::Comparable::to_value(&returned);
                }
                position += 1;
            )*
            panic!("{} has {position} operations; there is none with the number {operation}", Self::NAME)
        })
    };
}

/// Is the second what the first asks for? Anything but the known attributes does not compile.
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
    ($asked:ident consistency($level:ident)) => {
        false
    };
    ($asked:ident $other:ident $($level:tt)?) => {
        compile_error!(concat!(
            "there is no attribute #[",
            stringify!($other $($level)?),
            "]; an operation may be #[read_only], #[trusted], #[untrusted] or #[consistency(level)]"
        ))
    };
}

/// A level of consistency by its name.
#[doc(hidden)]
#[macro_export]
macro_rules! __level {
    (weak) => {
        $crate::Consistency::Weak
    };
    (self) => {
        $crate::Consistency::Own
    };
    (monotonic) => {
        $crate::Consistency::Monotonic
    };
    (peer) => {
        $crate::Consistency::Peer
    };
    (causal) => {
        $crate::Consistency::Causal
    };
    (complete) => {
        $crate::Consistency::Complete
    };
    ($other:ident) => {
        compile_error!(concat!(
            "there is no consistency `",
            stringify!($other),
            "`; the levels are weak, self, monotonic, peer, causal and complete"
        ))
    };
}

/// The description as source text, for tests that are written as source.
///
/// The type of a mapped result has no name here. A branch that is never taken makes the compiler find it out.
#[doc(hidden)]
#[macro_export]
macro_rules! __source {
    (
        $instance:ty = $create:expr;
        $(fn $operation:ident($($argument:ident: $type:ty),*) $(-> $returned:ty)? [$($function:expr)?] $(=> $map:expr)?;)*
    ) => {
        #[allow(unused_variables, clippy::let_unit_value, clippy::unused_unit)]
        fn source() -> ::std::option::Option<$crate::ObjectSource> {
            ::std::option::Option::Some($crate::ObjectSource {
                instance: stringify!($instance),
                create: stringify!($create),
                types: ::std::vec![
                    ::std::any::type_name::<$instance>()
                    $($(, ::std::any::type_name::<$type>())*)*
                ],
                operations: ::std::vec![$({
                    let nobody: ::std::option::Option<$instance> = ::std::option::Option::None;
                    let results = $crate::__Results::new();
                    if let ::std::option::Option::Some(instance) = &nobody {
                        $(let $argument: $type =
                            $crate::__argument(stringify!($operation), stringify!($argument), ::std::option::Option::None);)*
                        let returned $(: $returned)? =
                            $crate::__call!([$($function)?] instance.$operation($($argument),*));
                        $(let returned = ($map)(returned);)?
                        results.are_like(&returned);
                    }
                    $crate::OperationSource {
                        arguments: ::std::vec![$(<$type as $crate::Argument>::source),*],
                        function: ::std::option::Option::None$(.or(::std::option::Option::Some(stringify!($function))))?,
                        map: ::std::option::Option::None$(.or(::std::option::Option::Some(stringify!($map))))?,
                        debug: results.debug(),
                    }
                }),*],
            })
        }
    };
}

/// The type of an operation's results, for the compiler to find out.
#[doc(hidden)]
pub struct __Results<T>(PhantomData<T>);

impl<T: Comparable> __Results<T> {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        __Results(PhantomData)
    }

    pub fn are_like(&self, _: &T) {}

    pub fn debug(&self) -> fn(&Value) -> Option<String> {
        T::debug
    }
}

/// A specification with the function that runs it; its type tells what that of the function's argument is.
#[doc(hidden)]
pub fn __with_run<S>(specification: S, run: Run<S>) -> (S, Run<S>) {
    (specification, run)
}

/// Runs the operation with this position on a specification.
type Run<S> = fn(&mut S, usize, &[Value]) -> Value;

/// A specification of which it is to be found out whether its states can be copied and compared.
#[doc(hidden)]
pub struct __Specified<S>(S, Run<S>);

impl<S> __Specified<S> {
    pub fn new(specification: S, run: Run<S>) -> Self {
        __Specified(specification, run)
    }
}

/// They can. Method calls find this before [`__NotCompared`], which takes one reference more.
#[doc(hidden)]
pub trait __Compared {
    fn initial_state(&self, create: fn() -> SequentialRun) -> State;
}

impl<S: Clone + Eq + Hash + Debug + Send + Sync + 'static> __Compared for __Specified<S> {
    fn initial_state(&self, _: fn() -> SequentialRun) -> State {
        State::new(self.0.clone(), self.1)
    }
}

/// They cannot.
#[doc(hidden)]
pub trait __NotCompared {
    fn initial_state(&self, create: fn() -> SequentialRun) -> State;
}

impl<S> __NotCompared for &__Specified<S> {
    fn initial_state(&self, create: fn() -> SequentialRun) -> State {
        State::of_runs(create)
    }
}

/// The name of the type, if the value is not of it.
#[doc(hidden)]
pub fn __refusal<T: Argument>(value: &Value) -> Option<&'static str> {
    T::from_value(value).is_none().then(std::any::type_name::<T>)
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
