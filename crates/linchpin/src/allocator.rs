//! The global allocator of whatever is linked with this crate.

use std::alloc::System;

use linchpin_engine::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator::new(System);
