//! The global allocator that gives model threads their arenas.

use std::alloc::{GlobalAlloc, Layout, System};

use super::context::{self, Context};
use super::lane;

/// A global allocator that serves model threads from their arenas and everybody else from `A`.
///
/// The façade crate installs it. A test binary that wants another allocator wraps it:
///
/// ```
/// use std::alloc::System;
///
/// #[global_allocator]
/// static ALLOCATOR: linchpin_engine::Allocator<System> = linchpin_engine::Allocator::new(System);
/// # fn main() {}
/// ```
#[derive(Debug, Default)]
pub struct Allocator<A = System> {
    inner: A,
}

impl<A> Allocator<A> {
    /// An allocator that serves all but model threads from `inner`.
    pub const fn new(inner: A) -> Self {
        Allocator { inner }
    }
}

// SAFETY: outside executions this is `inner`. Inside, blocks come from an arena and are disjoint until the execution
// ends; what user code still holds then is never used again. Pointers are told apart by their address ranges.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match context::current() {
            // SAFETY: runs on the coroutine of the current thread; user code holds no reference to the context.
            Some(context) => unsafe { Context::allocate(context, layout) },
            // SAFETY: as promised by the caller.
            None => unsafe { self.inner.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if context::current().is_none() {
            // SAFETY: as promised by the caller.
            return unsafe { self.inner.alloc_zeroed(layout) };
        }
        // SAFETY: as promised by the caller; arena memory is reused, so it has to be cleared.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !lane::is_in_a_lane(block as usize) {
            if !is_put_back(block) {
                // SAFETY: the block is not from an arena, so it came from `inner`.
                unsafe { self.inner.dealloc(block, layout) };
            }
            return;
        }
        if let Some(context) = context::current() {
            // SAFETY: as in `alloc`.
            unsafe { Context::free(context, block as usize) };
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !lane::is_in_a_lane(block as usize) && !is_put_back(block) {
            // Memory that was there before the execution outlives it, so it must not move into an arena.
            // SAFETY: the block is not from an arena, so it came from `inner`.
            return unsafe { self.inner.realloc(block, layout, new_size) };
        }
        // SAFETY: the caller promises a valid layout; the blocks are disjoint, and both are at least as long as what
        // is copied.
        unsafe {
            let new_layout = Layout::from_size_align_unchecked(new_size, layout.align());
            // The same goes for what has outlived its execution.
            let outlives = lane::is_in_a_lane(block as usize) && !is_own(block);
            let new = if outlives { self.inner.alloc(new_layout) } else { self.alloc(new_layout) };
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

/// Has the running execution allocated this block?
fn is_own(block: *mut u8) -> bool {
    // SAFETY: user code holds no reference to the context.
    context::current().is_some_and(|context| unsafe { (*context).lane.contains(block as usize) })
}

/// Does the owner of this block from outside have it again when the execution ends?
fn is_put_back(block: *mut u8) -> bool {
    // SAFETY: user code holds no reference to the context.
    context::current().is_some_and(|context| unsafe { (*context).is_put_back(block as usize) })
}

impl Context {
    /// Panics if the program does not allocate through [`Allocator`]: addresses would differ from run to run.
    pub(crate) fn check_allocator(&mut self) {
        let outer = context::enter(self);
        context::set_in_user_code(true);
        let probe = Box::new(0_u8);
        let address = &raw const *probe as usize;
        std::hint::black_box(&probe);
        drop(probe);
        context::set_in_user_code(false);
        context::leave(outer);
        assert!(
            self.lane.contains(address),
            "linchpin needs its allocator: depend on the crate `linchpin` with its default feature `allocator`, or put \
             `#[global_allocator] static ALLOCATOR: linchpin::Allocator = linchpin::Allocator::new(std::alloc::System);` \
             into the test"
        );
        self.lane.reset();
    }
}
