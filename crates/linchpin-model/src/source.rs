//! The source text of an object's description, for tests that are written as source.

use crate::Value;

/// How an object's description spells what it is made of.
#[derive(Debug, Clone)]
pub struct ObjectSource {
    /// The type of the instances.
    pub instance: &'static str,
    /// The expression that makes one.
    pub create: &'static str,
    /// The full names of the types that the description mentions, each with the path to where it is defined, as
    /// [`std::any::type_name`] has them.
    pub types: Vec<&'static str>,
    /// The operations, in the order in which they were described.
    pub operations: Vec<OperationSource>,
}

/// How to write an operation's invocations and results.
#[derive(Debug, Clone)]
pub struct OperationSource {
    /// For each argument, how a value of it is written: [`Argument::source`](crate::Argument::source).
    pub arguments: Vec<fn(&Value) -> Option<String>>,
    /// The function to call, with the instance first. `None`: a method.
    pub function: Option<&'static str>,
    /// The expression after `=>`.
    pub map: Option<&'static str>,
    /// How a result, mapped, is printed: [`Comparable::debug`](crate::Comparable::debug).
    pub debug: fn(&Value) -> Option<String>,
}
