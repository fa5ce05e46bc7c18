//! An object as a value.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use crate::{Object, ObjectOperation, ObjectSource, SequentialRun, State, Value};

/// Some object, of which only the running program knows which one it is.
///
/// What it takes to explore, hunt, shrink and explain is a lot of code. It works on these, so that it is compiled once and not
/// once for each object.
///
/// ```
/// # use linchpin_model::{AnyObject, Object, ObjectOperation, Value};
/// # struct Counter;
/// # impl Object for Counter {
/// #     type Instance = std::sync::atomic::AtomicI64;
/// #     const NAME: &'static str = "Counter";
/// #     fn create() -> Self::Instance { Default::default() }
/// #     fn operations() -> Vec<ObjectOperation> { vec![ObjectOperation::new("add", vec![])] }
/// #     fn invoke(counter: &Self::Instance, _: usize, _: &[Value]) -> Value {
/// #         counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst).into()
/// #     }
/// # }
/// fn run_twice(object: AnyObject) -> [Value; 2] {
///     let instance = object.create();
///     [object.invoke(&instance, 0, &[]), object.invoke(&instance, 0, &[])]
/// }
///
/// assert_eq!(run_twice(AnyObject::of::<Counter>()), [Value::from(0), Value::from(1)]);
/// ```
#[derive(Clone, Copy)]
pub struct AnyObject(&'static dyn Described);

/// An instance of some object, in memory of its own: what runs on others at the same time does not slow it down.
pub struct AnyInstance(Box<dyn Any + Send + Sync>);

impl AnyObject {
    /// This object.
    pub const fn of<O: Object>() -> AnyObject {
        AnyObject(const { &Typed::<O>(PhantomData) })
    }

    /// The object's name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// A new instance.
    pub fn create(self) -> AnyInstance {
        self.0.create()
    }

    /// The operations, in the order in which they were described.
    pub fn operations(self) -> Vec<ObjectOperation> {
        self.0.operations()
    }

    /// Runs the operation with this position on an instance of this object. What it returns is made comparable.
    ///
    /// # Panics
    /// When there is no such operation, the arguments are not of its types, or the instance is another object's.
    pub fn invoke(self, instance: &AnyInstance, operation: usize, arguments: &[Value]) -> Value {
        self.0.invoke(instance, operation, arguments)
    }

    /// See [`Object::refuses`].
    pub fn refuses(self, operation: usize, argument: usize, value: &Value) -> Option<&'static str> {
        self.0.refuses(operation, argument, value)
    }

    /// Was a specification given, so that the object is not its own?
    pub fn is_specified(self) -> bool {
        self.0.is_specified()
    }

    /// See [`Object::specification`].
    pub fn specification(self) -> SequentialRun {
        self.0.specification()
    }

    /// See [`Object::initial_state`].
    pub fn initial_state(self) -> State {
        self.0.initial_state()
    }

    /// See [`Object::source`].
    pub fn source(self) -> Option<ObjectSource> {
        self.0.source()
    }
}

impl fmt::Debug for AnyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyObject").field(&self.name()).finish()
    }
}

impl fmt::Debug for AnyInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyInstance").finish_non_exhaustive()
    }
}

/// What an [`Object`] has, as methods of a value.
trait Described: Sync {
    fn name(&self) -> &'static str;
    fn create(&self) -> AnyInstance;
    fn operations(&self) -> Vec<ObjectOperation>;
    fn invoke(&self, instance: &AnyInstance, operation: usize, arguments: &[Value]) -> Value;
    fn refuses(&self, operation: usize, argument: usize, value: &Value) -> Option<&'static str>;
    fn is_specified(&self) -> bool;
    fn specification(&self) -> SequentialRun;
    fn initial_state(&self) -> State;
    fn source(&self) -> Option<ObjectSource>;
}

/// Has its cache lines to itself, and the next one as well, which some processors fetch together.
#[repr(align(128))]
struct Apart<T>(T);

/// A value for an object, which is a type without values.
struct Typed<O>(PhantomData<fn() -> O>);

impl<O: Object> Described for Typed<O> {
    fn name(&self) -> &'static str {
        O::NAME
    }

    fn create(&self) -> AnyInstance {
        AnyInstance(Box::new(Apart(O::create())))
    }

    fn operations(&self) -> Vec<ObjectOperation> {
        O::operations()
    }

    fn invoke(&self, instance: &AnyInstance, operation: usize, arguments: &[Value]) -> Value {
        let instance: Option<&Apart<O::Instance>> = instance.0.downcast_ref();
        let Apart(instance) = instance.expect("an instance goes to the object that has created it");
        O::invoke(instance, operation, arguments)
    }

    fn refuses(&self, operation: usize, argument: usize, value: &Value) -> Option<&'static str> {
        O::refuses(operation, argument, value)
    }

    fn is_specified(&self) -> bool {
        O::IS_SPECIFIED
    }

    fn specification(&self) -> SequentialRun {
        O::specification()
    }

    fn initial_state(&self) -> State {
        O::initial_state()
    }

    fn source(&self) -> Option<ObjectSource> {
        O::source()
    }
}
