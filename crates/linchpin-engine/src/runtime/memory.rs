//! Real memory under the atomics.
//!
//! An atomic's memory in an arena holds the mo-newest value among the writes that have run, so that `get_mut`, `into_inner`, moves
//! and destructors find what they would find with `std`. If memory holds something else when an access comes, the
//! program has changed it by other means (which it may, when nobody else has access): there begins a new location, with
//! what is there as its initial value.
//!
//! Atomics that are not in an arena, such as statics, belong to all executions, and to all workers at once. Nobody can
//! move them or have them exclusively while a test runs, so their memory is left alone: it keeps their initial value.
//! Plain data outside the arenas (what a static lock guards) is changed by the program itself: it is saved when it is
//! first touched and put back when the execution ends, and such a test is explored by a single worker. Blocks that it owns are
//! its own again then, so they are not freed before.

use std::hint::black_box;
use std::mem::MaybeUninit;

use linchpin_graph::{EventId, LocationId};

use super::context::{Context, Mode};

/// What this run knows of a location.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Where it is; 0 if nothing is known of it yet.
    pub address: usize,
    /// What memory held at first; what earlier runs found there, until it is touched.
    pub initial: u64,
    /// What memory holds if only the engine wrote there.
    pub value: u64,
    /// The mo-newest write that has run.
    pub newest: EventId,
    /// This run has been there.
    pub is_touched: bool,
}

impl Place {
    const UNKNOWN: Place = Place::expected(0, 0);

    const fn expected(address: usize, initial: u64) -> Place {
        Place { address, initial, value: initial, newest: EventId::NONE, is_touched: false }
    }
}

/// Reads `size` bytes at `address`.
///
/// # Safety
/// The address is that of an object of this size that the caller may read.
#[inline(always)]
pub(super) unsafe fn peek(address: usize, size: u8) -> u64 {
    let at: *const u8 = std::ptr::with_exposed_provenance(address);
    // SAFETY: as promised by the caller; atomics are aligned to their size.
    unsafe { if size == 8 { *at.cast::<u64>() } else { peek_narrow(at, size) } }
}

/// [`peek`] for less than eight bytes. Not inlined: the compiler would make a table of all sizes.
///
/// # Safety
/// As for [`peek`].
#[inline(never)]
unsafe fn peek_narrow(at: *const u8, size: u8) -> u64 {
    // SAFETY: as promised by the caller; atomics are aligned to their size.
    unsafe {
        match size {
            1 => (*at).into(),
            2 => (*at.cast::<u16>()).into(),
            4 => (*at.cast::<u32>()).into(),
            _ => *at.cast::<u64>(),
        }
    }
}

/// Writes `size` bytes at `address`.
///
/// # Safety
/// The address is that of an atomic of this size, which may be written through a shared reference.
#[inline(always)]
pub(super) unsafe fn poke(address: usize, size: u8, value: u64) {
    let at: *mut u8 = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: as promised by the caller; atomics are aligned to their size.
    unsafe { if size == 8 { *at.cast::<u64>() = value } else { poke_narrow(at, size, value) } }
}

/// [`poke`] for less than eight bytes.
///
/// # Safety
/// As for [`poke`].
#[inline(never)]
unsafe fn poke_narrow(at: *mut u8, size: u8, value: u64) {
    // SAFETY: as promised by the caller; atomics are aligned to their size.
    unsafe {
        match size {
            1 => *at = value as u8,
            2 => *at.cast::<u16>() = value as u16,
            4 => *at.cast::<u32>() = value as u32,
            _ => *at.cast::<u64>() = value,
        }
    }
}

/// Two sizes of access to one address.
#[derive(Clone, Copy, Debug)]
pub(super) struct MixedSize(pub u8, pub u8);

/// Which location was found at an address last, for addresses that agree in some of their bits. Looking there first is faster than any
/// search, since runs go to the same addresses again and again.
pub(super) struct Found([LocationId; Found::LEN]);

impl Found {
    const LEN: usize = 128;
    pub const NOTHING: Found = Found([LocationId::NONE; Found::LEN]);

    #[inline]
    fn at(&mut self, address: usize) -> &mut LocationId {
        &mut self.0[(address >> 3) % Found::LEN]
    }
}

impl Context {
    /// The location that an access to `address` means now, filled in for this run.
    #[inline(always)]
    pub(super) fn locate(&mut self, address: usize, size: u8, has_value: bool) -> Result<LocationId, MixedSize> {
        let id = *self.found.at(address);
        if let Some(place) = self.places.get(id.at())
            && place.address == address
            && place.is_touched
            && has_value
            && self.is_usual
            && self.explorer.execution().location(id).size == size
            && self.is_unchanged(place, address, size)
        {
            return Ok(id);
        }
        let located = self.locate_the_long_way(address, size, has_value);
        if let Ok(id) = located {
            *self.found.at(address) = id;
        }
        located
    }

    #[inline(never)]
    fn locate_the_long_way(&mut self, address: usize, size: u8, has_value: bool) -> Result<LocationId, MixedSize> {
        let generation = if self.generations.is_empty() { 0 } else { *self.generations.get(&address).unwrap_or(&0) };
        let id = self.find_or_add(address, generation, size);
        let known_size = self.explorer.execution().location(id).size;
        let same_size = known_size == size;
        if !has_value || (same_size && self.fill_in(id)) {
            return Ok(id);
        }
        if !self.is_timed && !self.is_quiet(id) {
            // Somebody else is still at it: what the program has put here is part of a race, if anything.
            return if same_size { Ok(id) } else { Err(MixedSize(known_size, size)) };
        }
        // The program has put something else here.
        self.add_generation(address, generation + 1);
        let id = self.find_or_add(address, generation + 1, size);
        self.fill_in(id);
        Ok(id)
    }

    /// Memory is handed out again: whatever is accessed there is another object.
    pub(super) fn renew(&mut self, start: usize, size: usize) {
        if self.mode == Mode::Sample {
            return;
        }
        let locations = self.explorer.execution().locations();
        let inside = locations.iter().filter(|(_, location)| location.address.wrapping_sub(start) < size);
        let newest: Vec<(usize, u32)> = inside.map(|(_, location)| (location.address, location.generation)).collect();
        for (address, generation) in newest {
            let known = self.generations.get(&address).copied().unwrap_or(0);
            self.add_generation(address, known.max(generation + 1));
        }
    }

    /// Notes that `address` serves another object now.
    fn add_generation(&mut self, address: usize, generation: u32) {
        self.generations.insert(address, generation);
        self.is_usual = false;
    }

    #[inline(always)]
    fn find_or_add(&mut self, address: usize, generation: u32, size: u8) -> LocationId {
        let locations = self.explorer.execution_mut().locations_mut();
        match locations.find(address, generation) {
            Some(id) => {
                // Plain accesses leave the size open.
                if locations[id].size == 0 || locations[id].is_untouched() {
                    locations.set_size(id, size);
                }
                id
            }
            None => locations.add(address, generation, size),
        }
    }

    /// Does the current thread know of all accesses to the location, so that the memory may have become another object?
    fn is_quiet(&self, id: LocationId) -> bool {
        let execution = self.explorer.execution();
        let known = execution.known_now(self.current);
        let mut accesses = execution.events().iter().filter(|event| event.location == id);
        accesses.all(|event| execution.known_events(known, event.thread) > event.index)
    }

    /// Captures the initial value at the first access of a run; afterwards says whether memory is as the engine left
    /// it.
    pub(super) fn fill_in(&mut self, id: LocationId) -> bool {
        if !self.is_filled_in(id) {
            self.capture(id);
            return true;
        }
        let location = self.explorer.execution().location(id);
        self.is_unchanged(&self.places[id.at()], location.address, location.size)
    }

    /// Notes what a run along the graph will find, if it is like earlier ones.
    pub(super) fn expect_places(&mut self) {
        self.places.clear();
        let expected = self.explorer.execution().locations().iter().map(|(_, location)| {
            // What other branches have left behind says nothing, and the short way is not for second objects.
            let is_expected = !location.is_untouched() && location.generation == 0;
            if is_expected { Place::expected(location.address, location.initial) } else { Place::UNKNOWN }
        });
        self.places.extend(expected);
    }

    /// Captures the initial value.
    #[inline(never)]
    pub(super) fn capture(&mut self, id: LocationId) {
        if self.places.len() <= id.at() {
            self.places.resize(id.at() + 1, Place::UNKNOWN);
        }
        let location = &mut self.explorer.execution_mut().locations_mut()[id];
        // SAFETY: the access that brought us here is to a live object of this size.
        let found = unsafe { peek(location.address, location.size) };
        location.initial = found;
        self.places[id.at()] = Place { is_touched: true, ..Place::expected(location.address, found) };
    }

    /// Does memory hold what the engine left there, or at first what earlier runs found? Outside the lane the engine leaves
    /// nothing, so that only the beginning tells.
    #[inline(always)]
    pub(super) fn is_unchanged(&self, place: &Place, address: usize, size: u8) -> bool {
        // SAFETY: the access that brought us here is to a live object of this size.
        let found = unsafe { peek(address, size) };
        place.value == found || (place.is_touched && !self.lane.contains(address))
    }

    /// Has the location been filled in for this run?
    #[inline]
    pub(super) fn is_filled_in(&self, id: LocationId) -> bool {
        self.places.get(id.at()).is_some_and(|place| place.is_touched)
    }

    /// In a graph that was made elsewhere, the first access to a location says where it is.
    pub(super) fn bind(&mut self, id: LocationId, address: usize, has_value: bool) -> bool {
        let location = self.explorer.execution().location(id);
        if self.is_filled_in(id) {
            return location.address == address && (!has_value || self.fill_in(id));
        }
        let generation = location.generation;
        if generation > 0 {
            self.add_generation(address, generation);
        }
        self.explorer.execution_mut().locations_mut().bind(id, address);
        if has_value {
            self.fill_in(id);
        }
        true
    }

    /// `write` has run: memory holds it if it is mo-newest so far.
    #[inline(always)]
    pub(super) fn write_through(&mut self, write: EventId) {
        let execution = self.explorer.execution();
        let event = execution.event(write);
        let place = &mut self.places[event.location.at()];
        let newest = if place.newest.is_some() { execution.event(place.newest).mo_position() } else { 0 };
        if event.mo_position() > newest || !place.newest.is_some() {
            place.newest = write;
            place.value = event.value;
            if self.lane.contains(place.address) {
                // SAFETY: the access that is being run is to a live atomic of this size.
                unsafe { poke(place.address, event.size, event.value) };
            }
        }
    }

    /// Saves plain data outside the arenas before the program changes it.
    ///
    /// # Safety
    /// The bytes may be read now, and written when the run is over.
    pub(crate) unsafe fn borrow(&mut self, address: usize, size: usize) {
        let is_saved = |(known, bytes): &(usize, Vec<_>)| *known <= address && address + size <= known + bytes.len();
        if self.lane.contains(address) || self.borrowed.iter().any(is_saved) {
            return;
        }
        self.needs_to_be_alone = true;
        // SAFETY: the exploration outlives the context.
        unsafe { (*self.subject.alone).claim() };
        let mut bytes: Vec<MaybeUninit<u8>> = Vec::with_capacity(size);
        let from: *const MaybeUninit<u8> = std::ptr::with_exposed_provenance(address);
        // SAFETY: as promised by the caller; any byte is a valid `MaybeUninit<u8>`.
        unsafe {
            from.copy_to_nonoverlapping(bytes.as_mut_ptr(), size);
            bytes.set_len(size);
        }
        self.borrowed.push((address, bytes));
    }

    /// Will the owner of the block at `address` find itself as it was before the run? It then has the block again.
    pub(super) fn is_put_back(&self, address: usize) -> bool {
        self.borrowed.iter().any(|(start, bytes)| holds_pointer(*start, bytes, address))
    }

    /// Puts back the plain data that is not ours as it was before the run.
    pub(super) fn give_back(&mut self) {
        // What was saved first is put back last: what was saved later may overlap it, and may have been changed by then.
        for (address, bytes) in self.borrowed.drain(..).rev() {
            let to: *mut MaybeUninit<u8> = std::ptr::with_exposed_provenance_mut(address);
            // SAFETY: who announced the data promised that; no model thread is left that could be using it.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
}

/// Is `pointer` among the bytes that were saved from `start` on?
fn holds_pointer(start: usize, bytes: &[MaybeUninit<u8>], pointer: usize) -> bool {
    let aligned = bytes.get(start.next_multiple_of(align_of::<usize>()) - start..).unwrap_or_default();
    let words = aligned.chunks_exact(size_of::<usize>());
    // SAFETY: the words lie within the bytes. Some may be padding, of which the compiler is told nothing: it takes what it finds.
    words.map(|word| unsafe { black_box(word).as_ptr().cast::<usize>().read_unaligned() }).any(|word| word == pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_found_where_pointers_can_be() {
        let bytes: Vec<_> = (0..24).map(MaybeUninit::new).collect();
        let word = |at: u8| usize::from_ne_bytes(std::array::from_fn(|n| at + n as u8));
        for (start, places) in [(64, &[0, 8, 16][..]), (67, &[5, 13]), (71, &[1, 9])] {
            let found: Vec<u8> = (0..=16).filter(|&at| holds_pointer(start, &bytes, word(at))).collect();
            assert_eq!(found, places);
        }
        assert!(!holds_pointer(67, &bytes[..3], word(0)));
    }
}
