//! Small concurrent programs as plain values.
//!
//! A program has a main thread that runs a setup, spawns all threads, joins them all, and runs a finish. Setup, threads
//! and finish are its *sections*, numbered in this order; each has registers of its own, all 0 at the start. All
//! locations hold 0 at the start. The text form is in [`text`](crate::text).

use std::collections::BTreeSet;

use linchpin_model::Order;

/// A location, named by one lower-case letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub char);

/// A register of one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u8);

impl Register {
    /// How many registers a section has: `r0` to `r15`.
    pub const COUNT: usize = 16;
}

/// The content of a section's registers.
pub type Registers = [u64; Register::COUNT];

/// What an instruction computes: a constant, or a register plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The register, if any.
    pub register: Option<Register>,
    /// The constant.
    pub constant: u64,
}

impl Operand {
    /// A constant.
    pub fn constant(constant: u64) -> Self {
        Operand { register: None, constant }
    }

    /// The operand's value, given the registers.
    pub fn value(self, registers: &Registers) -> u64 {
        let base = self.register.map_or(0, |register| registers[usize::from(register.0)]);
        base.wrapping_add(self.constant)
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the fields say what the variant's sentence says")]
pub enum Instruction {
    /// `into = location.load(order)`
    Load { into: Register, location: Location, order: Order },
    /// `location.store(value, order)`
    Store { location: Location, value: Operand, order: Order },
    /// `into = location.swap(value, order)`
    Swap { into: Register, location: Location, value: Operand, order: Order },
    /// `into = location.fetch_add(value, order)`
    FetchAdd { into: Register, location: Location, value: Operand, order: Order },
    /// `into = location.cas(expected, new, success, failure)`; `into` gets the value read either way.
    CompareExchange {
        into: Register,
        location: Location,
        expected: Operand,
        new: Operand,
        success: Order,
        failure: Order,
    },
    /// `fence(order)`
    Fence(Order),
    /// `into = location.read()`, not atomic.
    PlainRead { into: Register, location: Location },
    /// `location.write(value)`, not atomic.
    PlainWrite { location: Location, value: Operand },
    /// `lock(location)`: waits for 0, and atomically with reading it writes 1; acquires.
    Lock(Location),
    /// `unlock(location)`: stores 0; releases.
    Unlock(Location),
    /// `location.await(value, order)`: a load that waits for this value.
    Await { location: Location, value: u64, order: Order },
    /// `if register == equals { body }`
    If { register: Register, equals: u64, body: Vec<Instruction> },
}

impl Instruction {
    /// The location that the instruction accesses.
    pub fn location(&self) -> Option<Location> {
        match *self {
            Instruction::Load { location, .. }
            | Instruction::Store { location, .. }
            | Instruction::Swap { location, .. }
            | Instruction::FetchAdd { location, .. }
            | Instruction::CompareExchange { location, .. }
            | Instruction::PlainRead { location, .. }
            | Instruction::PlainWrite { location, .. }
            | Instruction::Lock(location)
            | Instruction::Unlock(location)
            | Instruction::Await { location, .. } => Some(location),
            Instruction::Fence(_) | Instruction::If { .. } => None,
        }
    }

    /// The register that the instruction sets.
    pub fn target(&self) -> Option<Register> {
        match *self {
            Instruction::Load { into, .. }
            | Instruction::Swap { into, .. }
            | Instruction::FetchAdd { into, .. }
            | Instruction::CompareExchange { into, .. }
            | Instruction::PlainRead { into, .. } => Some(into),
            _ => None,
        }
    }

    /// Is this a non-atomic access?
    pub fn is_plain(&self) -> bool {
        matches!(self, Instruction::PlainRead { .. } | Instruction::PlainWrite { .. })
    }
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// What the main thread does before it spawns the threads: section 0.
    pub setup: Vec<Instruction>,
    /// The threads: sections 1 to n.
    pub threads: Vec<Vec<Instruction>>,
    /// What the main thread does after it has joined all threads: section n + 1.
    pub finish: Vec<Instruction>,
}

impl Program {
    /// All sections, in the order of their numbers.
    pub fn sections(&self) -> impl Iterator<Item = &Vec<Instruction>> {
        std::iter::once(&self.setup).chain(&self.threads).chain(std::iter::once(&self.finish))
    }

    /// All sections, to be changed.
    pub fn sections_mut(&mut self) -> impl Iterator<Item = &mut Vec<Instruction>> {
        std::iter::once(&mut self.setup).chain(&mut self.threads).chain(std::iter::once(&mut self.finish))
    }

    /// All instructions of one section or body, with those of nested bodies.
    pub fn walk<'a>(body: &'a [Instruction], visit: &mut dyn FnMut(&'a Instruction)) {
        for instruction in body {
            visit(instruction);
            if let Instruction::If { body, .. } = instruction {
                Program::walk(body, visit);
            }
        }
    }

    /// The locations that the program names.
    pub fn locations(&self) -> BTreeSet<Location> {
        let mut locations = BTreeSet::new();
        for section in self.sections() {
            Program::walk(section, &mut |instruction| locations.extend(instruction.location()));
        }
        locations
    }

    /// The registers that each section sets, as pairs of section and register.
    pub fn registers(&self) -> BTreeSet<(usize, Register)> {
        let mut registers = BTreeSet::new();
        for (number, section) in self.sections().enumerate() {
            Program::walk(section, &mut |instruction| {
                registers.extend(instruction.target().map(|register| (number, register)));
            });
        }
        registers
    }

    /// How many instructions there are, nested ones and conditions included.
    pub fn len(&self) -> usize {
        let mut count = 0;
        for section in self.sections() {
            Program::walk(section, &mut |_| count += 1);
        }
        count
    }

    /// Has the program no instruction at all?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Does any instruction access memory non-atomically?
    pub fn has_plain_accesses(&self) -> bool {
        let mut plain = false;
        for section in self.sections() {
            Program::walk(section, &mut |instruction| plain |= instruction.is_plain());
        }
        plain
    }
}
