//! Locations: addresses, and who wrote there in which order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::event::{EventId, LocationId};

/// A place in memory that atomics or plain accesses touch.
///
/// An address may serve several objects one after the other (a stack slot, a value changed through `get_mut`): each
/// gets a location of its own, told apart by the generation.
#[derive(Debug)]
pub struct Location {
    /// The address.
    pub address: usize,
    /// How many locations had this address before.
    pub generation: u32,
    /// Size of the atomic accesses in bytes.
    pub size: u8,
    /// Is there another address whose accesses touch some of the same bytes, or was there one in another branch of an
    /// exploration?
    pub(crate) overlaps: bool,
    /// So many bytes do the largest plain accesses have, those of other branches included.
    pub(crate) extent: u32,
    /// Value of the memory when the location was first touched.
    pub initial: u64,
    /// Atomic writes in modification order; the initial value comes before them at position 0.
    pub(crate) mo: Vec<EventId>,
    /// Newest read of the initial value.
    pub(crate) last_initial_reader: EventId,
    /// Plain accesses, by stamp.
    pub(crate) plain: Vec<EventId>,
}

/// What nobody has touched, nowhere in particular.
impl Default for Location {
    fn default() -> Self {
        Location {
            address: 0,
            generation: 0,
            size: 0,
            overlaps: false,
            extent: 0,
            initial: 0,
            mo: Vec::new(),
            last_initial_reader: EventId::NONE,
            plain: Vec::new(),
        }
    }
}

impl Location {
    /// The atomic writes in modification order, without the initial value.
    #[inline]
    pub fn mo(&self) -> &[EventId] {
        &self.mo
    }

    /// The write at position `position` of mo; [`EventId::NONE`] for 0, the initial value.
    #[inline]
    pub fn at(&self, position: u32) -> EventId {
        if position == 0 { EventId::NONE } else { self.mo[position as usize - 1] }
    }

    /// Has the graph no access to it?
    #[inline]
    pub fn is_untouched(&self) -> bool {
        self.mo.is_empty() && self.plain.is_empty() && !self.last_initial_reader.is_some()
    }

    /// May an access to it race with another one? That takes a plain access to it, or to something that overlaps it.
    #[inline]
    pub fn may_race(&self) -> bool {
        !self.plain.is_empty() || self.overlaps
    }

    /// Where the memory ends that accesses to it touch.
    fn end(&self) -> usize {
        self.address.saturating_add(self.extent.max(self.size.into()) as usize)
    }

    /// Position of the last write.
    #[inline]
    pub fn last_position(&self) -> u32 {
        self.mo.len() as u32
    }
}

/// Up to so many locations, looking at each is faster than a table.
const FEW: usize = 24;

type Index = HashMap<(usize, u32), LocationId, BuildHasherDefault<AddressHasher>>;

/// All locations of an execution.
#[derive(Debug, Default)]
pub struct Locations {
    list: Vec<Location>,
    /// How many of `list` are in use; the rest keep their buffers for reuse.
    len: usize,
    /// Filled once there are more than [`FEW`] locations.
    index: Index,
    /// A bit for each [`GRANULE`] of memory that a location has been in, modulo the number of bits.
    granules: u64,
    /// Have there been plain accesses? Without them it does not matter what overlaps.
    has_plain: bool,
}

/// Size of the pieces of memory that [`Locations::may_be_in`] tells apart, as a power of two.
const GRANULE: u32 = 4;

fn granule_bit(address: usize) -> u64 {
    1 << ((address >> GRANULE) & 63)
}

impl Locations {
    /// All locations.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (LocationId, &Location)> {
        self.list[..self.len].iter().enumerate().map(|(i, location)| (LocationId(i as u32), location))
    }

    /// Number of locations.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Finds a location by address and generation.
    #[inline]
    pub fn find(&self, address: usize, generation: u32) -> Option<LocationId> {
        if self.len > FEW {
            return self.find_in_index(address, generation);
        }
        let is_it = |location: &Location| location.address == address && location.generation == generation;
        self.list[..self.len].iter().position(is_it).map(|at| LocationId(at as u32))
    }

    /// Not inlined: the compiler would compute the hash before it knows whether it is needed.
    #[inline(never)]
    fn find_in_index(&self, address: usize, generation: u32) -> Option<LocationId> {
        self.index.get(&(address, generation)).copied()
    }

    /// Is there a location in the `size` bytes from `start` on?
    #[inline]
    pub fn any_is_in(&self, start: usize, size: usize) -> bool {
        self.may_be_in(start, size)
            && self.list[..self.len].iter().any(|location| location.address.wrapping_sub(start) < size)
    }

    /// May there be a location in the `size` bytes from `start` on? Most blocks of memory have none, and are told so without
    /// a look at every location.
    #[inline]
    fn may_be_in(&self, start: usize, size: usize) -> bool {
        if size == 0 {
            return false;
        }
        let (first, last) = (start >> GRANULE, (start + size - 1) >> GRANULE);
        let count = last - first + 1;
        let bits = if count < 64 { ((1 << count) - 1_u64).rotate_left(first as u32 & 63) } else { u64::MAX };
        self.granules & bits != 0
    }

    /// Adds a location that was not there.
    #[inline]
    pub fn add(&mut self, address: usize, generation: u32, size: u8) -> LocationId {
        let id = LocationId(self.len as u32);
        self.granules |= granule_bit(address);
        if self.len == self.list.len() {
            self.list.push(Location::default());
        }
        let slot = &mut self.list[self.len];
        slot.address = address;
        slot.generation = generation;
        slot.size = size;
        slot.overlaps = false;
        slot.extent = 0;
        slot.initial = 0;
        slot.mo.clear();
        slot.last_initial_reader = EventId::NONE;
        slot.plain.clear();
        self.len += 1;
        if self.len == FEW + 1 {
            self.fill_index();
        } else if self.len > FEW {
            self.index.insert((address, generation), id);
        }
        if self.has_plain {
            self.find_overlaps(id);
        }
        id
    }

    /// Says of which size the atomic accesses to a location are.
    #[inline]
    pub fn set_size(&mut self, id: LocationId, size: u8) {
        let is_larger = size > std::mem::replace(&mut self.list[id.at()].size, size);
        if is_larger && self.has_plain {
            self.find_overlaps(id);
        }
    }

    /// Notes that there is a plain access of `extent` bytes to a location.
    #[inline]
    pub(crate) fn extend(&mut self, id: LocationId, extent: u32) {
        if extent > self.list[id.at()].extent {
            self.has_plain = true;
            self.list[id.at()].extent = extent;
            self.find_overlaps(id);
        }
    }

    /// Notes which locations overlap this one, which is new or larger than it was.
    #[inline(never)]
    fn find_overlaps(&mut self, id: LocationId) {
        let (start, end) = (self.list[id.at()].address, self.list[id.at()].end());
        let mut overlaps = false;
        for other in &mut self.list[..self.len] {
            if other.address != start && other.address < end && start < other.end() {
                (other.overlaps, overlaps) = (true, true);
            }
        }
        self.list[id.at()].overlaps |= overlaps;
    }

    /// Has the graph no accesses to a later location at the same address?
    pub(crate) fn is_current(&self, id: LocationId) -> bool {
        let &Location { address, generation, .. } = &self[id];
        let is_later = |other: &Location| other.address == address && other.generation > generation;
        !self.list[..self.len].iter().any(|other| is_later(other) && !other.is_untouched())
    }

    /// Becomes the same places as `other`, with what is known of them from the start; returns each with that of `other`, for the
    /// caller to copy the rest.
    pub(crate) fn copy_places<'a>(
        &'a mut self,
        other: &'a Locations,
    ) -> impl Iterator<Item = (&'a mut Location, &'a Location)> {
        if self.len > FEW {
            self.index.clear();
        }
        self.len = other.len;
        self.granules = 0;
        self.has_plain = other.has_plain;
        self.list.resize_with(self.list.len().max(other.len), Location::default);
        for (new, old) in self.list.iter_mut().zip(&other.list[..other.len]) {
            self.granules |= granule_bit(old.address);
            (new.address, new.generation, new.size, new.initial) = (old.address, old.generation, old.size, old.initial);
            (new.overlaps, new.extent) = (old.overlaps, old.extent);
        }
        if self.len > FEW {
            self.fill_index();
        }
        self.list.iter_mut().zip(&other.list[..other.len])
    }

    fn fill_index(&mut self) {
        self.index.clear();
        for (at, location) in self.list[..self.len].iter().enumerate() {
            self.index.insert((location.address, location.generation), LocationId(at as u32));
        }
    }

    /// Puts a location that was not there, with what is known of `old`, and takes its accesses over.
    pub(crate) fn add_from(&mut self, old: &mut Location) -> LocationId {
        // What overlaps it is known of both already.
        let has_plain = std::mem::replace(&mut self.has_plain, false);
        let id = self.add(old.address, old.generation, old.size);
        self.has_plain = has_plain || old.extent > 0;
        let new = &mut self.list[id.at()];
        (new.initial, new.last_initial_reader) = (old.initial, old.last_initial_reader);
        (new.overlaps, new.extent) = (old.overlaps, old.extent);
        std::mem::swap(&mut new.mo, &mut old.mo);
        std::mem::swap(&mut new.plain, &mut old.plain);
        id
    }

    /// Forgets at which addresses the locations are, for an execution that is run again elsewhere.
    pub fn forget_addresses(&mut self) {
        for location in &mut self.list[..self.len] {
            location.address = 0;
        }
        self.index.clear();
    }

    /// Says at which address a location is now.
    pub fn bind(&mut self, id: LocationId, address: usize) {
        let location = &mut self.list[id.at()];
        location.address = address;
        self.granules |= granule_bit(address);
        if self.len > FEW {
            self.index.insert((address, location.generation), id);
        }
    }

    /// Forgets the last locations if the graph has no access to them, so that they do not pile up.
    pub(crate) fn forget_untouched_at_the_end(&mut self) {
        while let Some(last) = self.list[..self.len].last().filter(|last| last.is_untouched()) {
            if self.len > FEW {
                self.index.remove(&(last.address, last.generation));
            }
            self.len -= 1;
        }
    }
}

impl std::ops::Index<LocationId> for Locations {
    type Output = Location;

    #[inline]
    fn index(&self, id: LocationId) -> &Location {
        &self.list[id.at()]
    }
}

impl std::ops::IndexMut<LocationId> for Locations {
    #[inline]
    fn index_mut(&mut self, id: LocationId) -> &mut Location {
        &mut self.list[id.at()]
    }
}

/// Addresses are well spread already: one multiplication does.
#[derive(Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        let mixed = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_location_is_overlooked_whatever_the_block() {
        for address in (0x2000_0000..0x2000_4000).step_by(56) {
            let mut locations = Locations::default();
            locations.add(address, 0, 8);
            for (before, after) in [(0, 1), (1, 1), (40, 100), (64, 1), (100, 5_000), (5_000, 1)] {
                assert!(locations.may_be_in(address - before, before + after));
            }
            assert!(!locations.may_be_in(address - 192, 64) && !locations.may_be_in(address + 128, 64));
            assert!(!locations.may_be_in(address, 0));
        }
    }
}
