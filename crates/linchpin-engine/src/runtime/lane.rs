//! Memory for the model threads of one worker: a stack and an arena per thread, always at the same addresses.
//!
//! A lane is a range of addresses that one worker owns. Its part for thread *n* begins at a fixed distance from the
//! lane's start, whatever happened before, so that what a thread allocates depends on its own past only and a replay
//! sees the same addresses. Nothing is given back before the execution ends: a freed block stays readable, and its
//! record tells who freed it. Only runs in the order of time may hand out freed blocks again ([`Lane::reuse`]).

use std::alloc::Layout;
use std::collections::VecDeque;
use std::ops::Range;
use std::ptr;
use std::sync::{Condvar, Mutex};

use linchpin_graph::ThreadId;

use crate::explore::choice::Level;
use crate::sampling::Reuse;

/// Where lanes begin: far from where the system puts things.
pub(super) const FIRST_LANE: usize = 0x2000_0000_0000;
/// Addresses per lane.
pub(super) const LANE: usize = 1 << 40;
/// Addresses per thread.
const SLOT: usize = 1 << 28;
/// Stack of a thread, the guard page included.
pub(super) const STACK: usize = 4 << 20;
const GUARD: usize = 4096;
/// At the low end of a stack, above the guard page: more than the engine needs, for when it finds the rest used up.
const RESERVE: usize = 256 << 10;
/// How many lanes fit: explorations times workers that run at the same time in one process, some of them with one more.
/// They end below where the system puts programs.
pub(super) const LANES: usize = 48;
/// A lane has room for at least so many threads, however much of it is [left](Lane::leave).
const FEWEST_SLOTS: usize = 1024;

/// How far the stack of the slot at `base` is from where it could begin, and its arena.
///
/// Slots are at addresses that differ in their upper bits only. Some processors guess by the lower ones in which way of the cache a line is,
/// and some keep lines with the same lower bits in the same few places: all threads would want the same ones.
fn stagger(base: usize) -> usize {
    (base / SLOT) % 64 * 71 * 64
}

/// Between blocks, so that neighbours are told apart, and before the first one. Its last word has the number of the block behind it.
const GAP: usize = 16;

/// Is this an address of some lane?
#[inline]
pub(crate) fn is_in_a_lane(address: usize) -> bool {
    address.wrapping_sub(FIRST_LANE) < LANES * LANE
}

/// Is this an address of some arena?
pub(super) fn is_in_an_arena(address: usize) -> bool {
    is_in_a_lane(address) && address % SLOT >= STACK
}

/// Lets everybody access the arena in which `address` is, or nobody; `false` if that cannot be done.
pub(super) fn set_accessible(address: usize, on: bool) -> bool {
    let arena: *mut libc::c_void = ptr::with_exposed_provenance_mut(address / SLOT * SLOT + STACK);
    let protection = if on { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
    // SAFETY: the range is an arena of a lane, or not mapped. What faults is seen to.
    unsafe { libc::mprotect(arena, SLOT - STACK, protection) == 0 }
}

/// Memory of a lane that was left to those who use it.
pub(crate) type Left = Range<usize>;

/// All that is in there.
pub(super) fn words(left: &Left) -> impl Iterator<Item = usize> {
    // SAFETY: this is a part of an arena, of which all is mapped, and begins where a block may begin.
    let read = |at| unsafe { ptr::with_exposed_provenance::<usize>(at).read_volatile() };
    left.clone().step_by(size_of::<usize>()).map(read)
}

/// A block that a model thread allocated in this execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub start: usize,
    pub size: usize,
    /// The thread that allocated it.
    pub owner: ThreadId,
    /// How many events its thread had done when it was allocated.
    pub events: u32,
    /// Who freed it, after how many events of its own.
    pub freed: Option<(ThreadId, u32)>,
}

impl Block {
    #[inline]
    fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.size.max(1)
    }
}

/// One thread's part of a lane.
pub(crate) struct Slot {
    /// Lowest address; the stack is first, the arena follows.
    base: usize,
    /// Where what can be used of the stack begins.
    open: usize,
    /// Where the first block may be.
    first: usize,
    /// Next free address of the arena.
    next: usize,
    /// By address.
    pub blocks: Vec<Block>,
    /// Which block was found at an address last, for addresses that agree in some of their bits: mostly it is the same one again.
    found: [u32; Slot::FOUND],
}

impl Slot {
    const FOUND: usize = 32;

    fn map(base: usize) -> Slot {
        // SAFETY: the range belongs to this lane, nobody else maps there, and FIXED_NOREPLACE fails rather than
        // replace a mapping that is there.
        let mapped = unsafe {
            libc::mmap(
                base as *mut libc::c_void,
                SLOT,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        assert!(
            mapped as usize == base,
            "linchpin could not reserve memory for a model thread at {base:#x}: {}",
            std::io::Error::last_os_error()
        );
        // SAFETY: the first pages of the range just mapped; a stack overflow then faults instead of corrupting.
        let guarded = unsafe { libc::mprotect(mapped, GUARD + RESERVE, libc::PROT_NONE) };
        assert_eq!(guarded, 0, "linchpin could not protect a stack: {}", std::io::Error::last_os_error());
        let first = base + STACK + stagger(base) + GAP;
        Slot { base, open: base + GUARD + RESERVE, first, next: first, blocks: Vec::new(), found: [0; Slot::FOUND] }
    }

    /// Where the thread's stack ends, which is where it begins to grow from. A guard page is at the other end.
    pub fn end_of_stack(&self) -> usize {
        self.base + STACK - stagger(self.base)
    }

    /// How much of the stack is below `pointer`; `None` if that is not on the stack.
    pub fn room_of_stack(&self, pointer: usize) -> Option<usize> {
        let is_on_stack = pointer >= self.base && pointer <= self.end_of_stack();
        is_on_stack.then(|| pointer.saturating_sub(self.open))
    }

    /// Where a stack that has overflowed is used again.
    pub fn middle_of_stack(&self) -> usize {
        self.base + STACK / 2
    }

    /// Is this an address at which a stack has grown too far?
    pub fn is_guard(&self, address: usize) -> bool {
        (self.base..self.open).contains(&address)
    }

    /// Lets the stack grow into its reserve; `false` if it has done so before.
    pub fn open_reserve(&mut self) -> bool {
        let open = self.base + GUARD;
        if self.open == open {
            return false;
        }
        // SAFETY: this is memory of the stack.
        let opened = unsafe {
            let start = ptr::with_exposed_provenance_mut(open);
            libc::mprotect(start, self.open - open, libc::PROT_READ | libc::PROT_WRITE)
        };
        self.open = open;
        opened == 0
    }

    fn reset(&mut self) {
        let closed = self.base + GUARD + RESERVE;
        if self.open < closed {
            // SAFETY: this is memory of a stack that is not in use so far down. If it stays open, the stack is only longer.
            unsafe { libc::mprotect(ptr::with_exposed_provenance_mut(self.open), closed - self.open, libc::PROT_NONE) };
            self.open = closed;
        }
        self.next = self.first;
        self.blocks.clear();
    }

    /// Can a block be noted without asking for memory?
    #[inline]
    pub fn has_room(&self) -> bool {
        self.blocks.len() < self.blocks.capacity()
    }

    /// A new block for `owner`, after `events` of its events; null if the arena is full.
    #[inline]
    pub fn allocate(&mut self, layout: Layout, owner: ThreadId, events: u32) -> *mut u8 {
        let align = layout.align().max(16);
        // A power of two: a general multiple would take a division.
        let start = (self.next + align - 1) & !(align - 1);
        // A size is at most half of all addresses, so this does not overflow.
        let end = start + layout.size() + GAP;
        if end > self.base + SLOT {
            return ptr::null_mut();
        }
        self.next = end;
        let number = self.blocks.len();
        self.blocks.push(Block { start, size: layout.size(), owner, events, freed: None });
        let block: *mut u8 = ptr::with_exposed_provenance_mut(start);
        // SAFETY: the gap before the block belongs to the arena, which is mapped, and to nobody else.
        unsafe { block.cast::<usize>().sub(1).write(number) };
        block
    }

    /// The block that begins at `address`, if its gap still says which one that is.
    #[inline]
    pub fn block_from(&mut self, address: usize) -> Option<&mut Block> {
        if address < self.first || !address.is_multiple_of(align_of::<usize>()) {
            return None;
        }
        // SAFETY: this is in the arena, of which all is mapped, and not before its first gap. Whatever it says is looked at with suspicion.
        let number = unsafe { ptr::with_exposed_provenance::<usize>(address).sub(1).read() };
        self.blocks.get_mut(number).filter(|block| block.start == address)
    }

    /// The block that holds `address`.
    #[inline]
    pub fn block_at(&mut self, address: usize) -> Option<&mut Block> {
        if address < self.first {
            // On the stack.
            return None;
        }
        let hint = (address >> 4) % Slot::FOUND;
        let mut at = self.found[hint] as usize;
        if !self.blocks.get(at).is_some_and(|block| block.holds(address)) {
            at = self.look_for(address)?;
            self.found[hint] = at as u32;
        }
        self.blocks.get_mut(at)
    }

    /// The number of the block that holds `address`.
    #[inline(never)]
    fn look_for(&self, address: usize) -> Option<usize> {
        let at = self.blocks.partition_point(|block| block.start <= address).checked_sub(1)?;
        self.blocks[at].holds(address).then_some(at)
    }
}

/// The memory of one worker.
pub(crate) struct Lane {
    pub(super) base: usize,
    end: usize,
    pub slots: Vec<Slot>,
    /// Some complete execution of this exploration has left blocks behind.
    pub(super) has_leftovers: bool,
    /// Graphs of earlier explorations, kept for their buffers.
    pub levels: Vec<Level>,
    /// Where freed blocks go.
    pub reuse: Reuse,
    /// Freed blocks that may be used again: for each size where they start, oldest first.
    free: Vec<(usize, VecDeque<usize>)>,
}

/// Gives the lane back for later explorations, however this one has ended.
impl Drop for Lane {
    fn drop(&mut self) {
        if self.has_leftovers {
            self.close();
        }
        self.reset();
        let (slots, levels) = (std::mem::take(&mut self.slots), std::mem::take(&mut self.levels));
        let mut lane = Lane::between(self.base, self.end);
        (lane.slots, lane.levels) = (slots, levels);
        let mut free = FREE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        free.0.push(lane);
        // The lowest lane is used first, so that explorations one after the other see the same addresses.
        free.0.sort_by_key(|lane| std::cmp::Reverse(lane.base));
        RETURNED.notify_one();
    }
}

/// Lanes that are not in use, and how many were ever made.
static FREE: Mutex<(Vec<Lane>, usize)> = Mutex::new((Vec::new(), 0));
static RETURNED: Condvar = Condvar::new();

impl Lane {
    /// A lane that nobody else uses. Waits for one when there are too many explorations at once.
    pub fn acquire() -> Lane {
        let mut free = FREE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        loop {
            if let Some(lane) = Lane::take(&mut free) {
                return lane;
            }
            free = RETURNED.wait(free).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// A lane that nobody else uses, if there is one now.
    pub fn try_acquire() -> Option<Lane> {
        Lane::take(&mut FREE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn take((free, made): &mut (Vec<Lane>, usize)) -> Option<Lane> {
        if let Some(lane) = free.pop() {
            lane.open();
            return Some(lane);
        }
        let is_room = *made < LANES;
        *made += usize::from(is_room);
        let end = FIRST_LANE + *made * LANE;
        is_room.then(|| Lane::between(end - LANE, end))
    }

    fn between(base: usize, end: usize) -> Lane {
        Lane {
            base,
            end,
            slots: Vec::new(),
            has_leftovers: false,
            levels: Vec::new(),
            reuse: Reuse::Never,
            free: Vec::new(),
        }
    }

    /// Leaves all that is in use to whoever uses it, and goes on behind it; `None` if there is no room.
    pub(super) fn leave(&mut self) -> Option<Vec<Left>> {
        let base = self.base + self.slots.len() * SLOT;
        if base + FEWEST_SLOTS * SLOT > self.end {
            return None;
        }
        for slot in &self.slots {
            // SAFETY: nobody is on this stack any more, and nobody will be.
            unsafe { libc::madvise(ptr::with_exposed_provenance_mut(slot.base), STACK, libc::MADV_DONTNEED) };
        }
        self.base = base;
        self.has_leftovers = false;
        self.free.clear();
        Some(self.slots.drain(..).map(|slot| slot.first..slot.next & !7).collect())
    }

    /// Lets everybody access the arenas, or nobody.
    pub(super) fn set_arenas_accessible(&self, on: bool) {
        for slot in &self.slots {
            set_accessible(slot.first, on);
        }
    }

    /// Forgets all that the last execution allocated.
    pub fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.reset();
        }
        self.free.clear();
    }

    /// A freed block of this layout becomes one of `owner`, after `events` of its events; returns where it is.
    pub fn use_again(&mut self, layout: Layout, owner: ThreadId, events: u32) -> Option<usize> {
        let (_, starts) = self.free.iter_mut().find(|(size, _)| *size == layout.size())?;
        let fits = |start: &usize| start & (layout.align() - 1) == 0;
        let at = match self.reuse {
            Reuse::Never => None,
            Reuse::Lifo => starts.iter().rposition(fits),
            Reuse::Fifo => starts.iter().position(fits),
        };
        let start = starts.remove(at?)?;
        let (_, block) = self.block_at(start)?;
        *block = Block { owner, events, freed: None, ..*block };
        Some(start)
    }

    /// The block of `size` bytes at `start` may be used again.
    pub fn give_back(&mut self, start: usize, size: usize) {
        match self.free.iter_mut().find(|(known, _)| *known == size) {
            Some((_, starts)) => starts.push_back(start),
            None => self.free.push((size, VecDeque::from([start]))),
        }
    }

    /// The part for `thread`.
    #[inline]
    pub fn slot(&mut self, thread: ThreadId) -> &mut Slot {
        if self.slots.len() <= thread.at() {
            self.map_slots(thread);
        }
        &mut self.slots[thread.at()]
    }

    #[cold]
    fn map_slots(&mut self, thread: ThreadId) {
        while self.slots.len() <= thread.at() {
            let base = self.base + self.slots.len() * SLOT;
            assert!(base < self.end, "linchpin has no room for more than {} threads", self.slots.len());
            self.slots.push(Slot::map(base));
        }
    }

    /// Is this an address of this lane?
    #[inline]
    pub fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) < self.end - self.base
    }

    /// The part of the lane in which `address` is.
    #[inline]
    pub fn slot_of(&mut self, address: usize) -> Option<&mut Slot> {
        self.slots.get_mut(address.wrapping_sub(self.base) / SLOT)
    }

    /// The block that holds `address`, and whose it is.
    #[inline]
    pub fn block_at(&mut self, address: usize) -> Option<(ThreadId, &mut Block)> {
        let block = self.slot_of(address)?.block_at(address)?;
        Some((block.owner, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocate(lane: &mut Lane, size: usize, align: usize) -> usize {
        let layout = Layout::from_size_align(size, align).expect("a layout");
        lane.slot(ThreadId::MAIN).allocate(layout, ThreadId::MAIN, 0).addr()
    }

    #[test]
    fn a_block_is_found_by_where_it_begins_whatever_its_size_and_alignment() {
        let mut lane = Lane::acquire();
        let layouts = [(0, 1), (1, 1), (8, 8), (100, 4), (24, 256), (5000, 16)];
        let starts = layouts.map(|(size, align)| allocate(&mut lane, size, align));
        for ((size, align), start) in layouts.into_iter().zip(starts) {
            assert!(start.is_multiple_of(align));
            let block = lane.slot_of(start).and_then(|slot| slot.block_from(start));
            assert_eq!(block.map(|block| (block.start, block.size)), Some((start, size)));
        }
    }

    #[test]
    fn what_was_found_at_an_address_in_one_execution_does_not_mislead_the_next() {
        let mut lane = Lane::acquire();
        for size in [8, 100, 24, 3_000] {
            let starts: Vec<usize> = (0..200).map(|_| allocate(&mut lane, size, 8)).collect();
            for start in starts {
                for address in [start, start + size / 2, start + size - 1] {
                    assert_eq!(lane.block_at(address).map(|(_, block)| block.start), Some(start));
                }
                assert!(lane.block_at(start + size).is_none() && lane.block_at(start - 1).is_none());
            }
            lane.reset();
            assert!(lane.slots.iter_mut().all(|slot| slot.block_at(slot.first).is_none()));
        }
    }

    #[test]
    fn what_is_not_the_beginning_of_a_block_is_not_taken_for_one() {
        let mut lane = Lane::acquire();
        let start = allocate(&mut lane, 64, 16);
        // The number of a block, in the middle of one: as if it stood in a gap.
        // SAFETY: the block is as large.
        unsafe { ptr::with_exposed_provenance_mut::<usize>(start).write_bytes(0, 8) };
        let slot = lane.slot_of(start).expect("the thread has a slot");
        let first = slot.first;
        for address in [start + 8, start + 16, start + 1, start + 64, first - 8, first - STACK] {
            assert!(slot.block_from(address).is_none(), "{} bytes from the start", address.wrapping_sub(start));
        }
        assert!(slot.block_at(start + 8).is_some());
    }

    #[test]
    fn a_block_whose_gap_was_overwritten_is_still_found_by_looking() {
        let mut lane = Lane::acquire();
        let start = allocate(&mut lane, 8, 8);
        // SAFETY: the gap is in the arena.
        unsafe { ptr::with_exposed_provenance_mut::<usize>(start).sub(1).write(usize::MAX) };
        assert!(lane.slot_of(start).and_then(|slot| slot.block_from(start)).is_none());
        assert!(lane.block_at(start).is_some());
    }
}
