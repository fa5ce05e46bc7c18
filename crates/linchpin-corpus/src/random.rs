//! Random programs, small enough for the oracle to answer in about a millisecond.

use linchpin_model::Order;

use crate::prng::Prng;
use crate::program::{Instruction, Location, Operand, Program, Register};

/// What a random program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Everything atomic: all accesses and orders, fences, locks, conditions, setup and finish.
    Mixed,
    /// Critical cycles of two or three locations with SC accesses and fences: SB, R, S, 2+2W, MP, LB, IRIW, RWC, WRC and
    /// the like, in random orders. Programs of [`Flavour::Mixed`] hardly ever have a cycle of psc.
    Psc,
    /// Plain accesses, guarded by flags and locks, or not.
    Plain,
}

impl Flavour {
    /// All flavours.
    pub const ALL: [Flavour; 3] = [Flavour::Mixed, Flavour::Psc, Flavour::Plain];
}

/// The random program of this flavour and seed.
pub fn program(flavour: Flavour, seed: u64) -> Program {
    let mut generator = Generator { prng: Prng::new(seed ^ ((flavour as u64) << 56)), registers: 0, values: 0 };
    match flavour {
        Flavour::Mixed => generator.mixed(),
        Flavour::Psc => generator.critical_cycle(),
        Flavour::Plain => generator.plain(),
    }
}

const X: Location = Location('x');
const Y: Location = Location('y');
const Z: Location = Location('z');
const D: Location = Location('d');
const E: Location = Location('e');
const M: Location = Location('m');

struct Generator {
    prng: Prng,
    /// How many registers the current section has used.
    registers: u8,
    /// How many different values were written.
    values: u64,
}

impl Generator {
    fn read_order(&mut self) -> Order {
        self.prng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    fn write_order(&mut self) -> Order {
        self.prng.pick(&[Order::Relaxed, Order::Relaxed, Order::Release, Order::SeqCst])
    }

    fn rmw_order(&mut self) -> Order {
        self.prng.pick(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])
    }

    fn fence_order(&mut self) -> Order {
        self.prng.pick(&[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])
    }

    fn new_register(&mut self) -> Register {
        let register = Register(self.registers % Register::COUNT as u8);
        self.registers += 1;
        register
    }

    /// A register that was set before, if there is one.
    fn old_register(&mut self) -> Option<Register> {
        let used = usize::from(self.registers).min(Register::COUNT);
        (used > 0).then(|| Register(self.prng.below(used) as u8))
    }

    /// Mostly small constants, so that values repeat and compare-exchanges succeed; sometimes a register.
    fn operand(&mut self) -> Operand {
        if self.prng.chance(20) {
            let constant = self.prng.below(2) as u64;
            return Operand { register: self.old_register(), constant };
        }
        Operand::constant(self.prng.pick(&[0, 1, 1, 2]))
    }

    fn mixed(&mut self) -> Program {
        let threads = self.prng.pick(&[2, 2, 2, 3, 3, 4]);
        let mut budget: usize = match threads {
            2 => 6 + self.prng.below(4),
            3 => 6 + self.prng.below(3),
            _ => 8,
        };
        let locations = self.prng.pick(&[&[X][..], &[X, Y], &[X, Y], &[X, Y], &[X, Y], &[X, Y, Z]]);
        let mut program = Program::default();
        if self.prng.chance(10) {
            program.setup = self.body(1, locations);
            budget -= 1;
        }
        for left in (1..=threads).rev() {
            let fair = budget / left;
            let length = if left == 1 { budget } else { fair - usize::from(self.prng.chance(50)) };
            budget -= length;
            self.registers = 0;
            program.threads.push(self.body(length, locations));
        }
        if self.prng.chance(25) {
            self.registers = 0;
            program.finish = locations.iter().map(|&location| self.load_with(location, Order::Relaxed)).collect();
        }
        program
    }

    /// This many instructions, conditions not counted.
    fn body(&mut self, mut length: usize, locations: &[Location]) -> Vec<Instruction> {
        let mut body = Vec::new();
        while length > 0 {
            let guard = if self.prng.chance(12) { self.old_register() } else { None };
            if let Some(register) = guard {
                let inner = 1 + self.prng.below(length.min(2));
                length -= inner;
                let equals = self.prng.below(3) as u64;
                body.push(Instruction::If { register, equals, body: self.body(inner, locations) });
            } else if length >= 3 && self.prng.chance(12) {
                let inner = 1 + self.prng.below(length - 2);
                length -= inner + 2;
                body.push(Instruction::Lock(M));
                body.extend(self.body(inner, locations));
                body.push(Instruction::Unlock(M));
            } else {
                length -= 1;
                let location = self.prng.pick(locations);
                body.push(self.instruction(location));
            }
        }
        body
    }

    fn load_with(&mut self, location: Location, order: Order) -> Instruction {
        Instruction::Load { into: self.new_register(), location, order }
    }

    fn instruction(&mut self, location: Location) -> Instruction {
        match self.prng.below(100) {
            0..32 => {
                let order = self.read_order();
                self.load_with(location, order)
            }
            32..65 => Instruction::Store { location, value: self.operand(), order: self.write_order() },
            65..72 => {
                let (value, order) = (self.operand(), self.rmw_order());
                Instruction::Swap { into: self.new_register(), location, value, order }
            }
            72..80 => {
                let (value, order) = (self.operand(), self.rmw_order());
                Instruction::FetchAdd { into: self.new_register(), location, value, order }
            }
            80..90 => {
                let (expected, new) = (self.operand(), self.operand());
                let (success, failure) = (self.rmw_order(), self.read_order());
                Instruction::CompareExchange { into: self.new_register(), location, expected, new, success, failure }
            }
            90..98 => Instruction::Fence(self.fence_order()),
            _ => Instruction::Await { location, value: self.prng.below(2) as u64, order: self.read_order() },
        }
    }

    /// A ring of two or three threads, each accessing two locations and sharing each with a neighbour. Where both
    /// neighbours only read, another thread writes.
    fn critical_cycle(&mut self) -> Program {
        let ring = self.prng.pick(&[2, 2, 3]);
        let locations = &[X, Y, Z][..ring];
        let mut program = Program::default();
        let mut written = vec![false; ring];
        for thread in 0..ring {
            self.registers = 0;
            let mut body = Vec::new();
            for (step, at) in [thread, (thread + 1) % ring].into_iter().enumerate() {
                if step == 1 {
                    self.maybe_fence(&mut body, 50);
                }
                // With three threads, the last access of a location writes if no other did: a fourth thread is enough.
                let writes = self.prng.chance(50) || (ring == 3 && program.threads.len() == 2 && !written[at]);
                written[at] |= writes;
                let access = self.sc_access(locations[at], writes);
                body.push(access);
            }
            if self.prng.chance(10) {
                self.maybe_fence(&mut body, 50);
                let location = self.prng.pick(locations);
                let writes = self.prng.chance(30);
                let access = self.sc_access(location, writes);
                body.push(access);
            }
            program.threads.push(body);
        }
        for at in (0..ring).filter(|&at| !written[at]) {
            self.registers = 0;
            let mut body = Vec::new();
            self.maybe_fence(&mut body, 10);
            let access = self.sc_access(locations[at], true);
            body.push(access);
            program.threads.push(body);
        }
        // Threads are explored from left to right, so their order is part of what is tested.
        for last in (1..program.threads.len()).rev() {
            let other = self.prng.below(last + 1);
            program.threads.swap(last, other);
        }
        program
    }

    fn maybe_fence(&mut self, body: &mut Vec<Instruction>, percent: usize) {
        if self.prng.chance(percent) {
            let order = if self.prng.chance(75) { Order::SeqCst } else { self.fence_order() };
            body.push(Instruction::Fence(order));
        }
    }

    /// A read or write that is SC more often than not; now and then a read-modify-write in its place.
    fn sc_access(&mut self, location: Location, writes: bool) -> Instruction {
        let sc = self.prng.chance(55);
        let special = self.prng.chance(12);
        self.values += 1;
        let value = Operand::constant(self.values);
        let order = match (sc, writes) {
            (true, _) => Order::SeqCst,
            (false, true) => self.write_order(),
            (false, false) => self.read_order(),
        };
        match (writes, special) {
            (true, false) => Instruction::Store { location, value, order },
            (false, false) => self.load_with(location, order),
            (true, true) => Instruction::Swap { into: self.new_register(), location, value, order },
            (false, true) if self.prng.chance(50) => {
                let add = Operand::constant(0);
                Instruction::FetchAdd { into: self.new_register(), location, value: add, order }
            }
            (false, true) => Instruction::CompareExchange {
                into: self.new_register(),
                location,
                expected: Operand::constant(1),
                new: value,
                success: self.rmw_order(),
                failure: order,
            },
        }
    }

    fn plain(&mut self) -> Program {
        let mut program = Program::default();
        if self.prng.chance(30) {
            program.setup.push(self.plain_access(D));
        }
        for _ in 0..self.prng.pick(&[2, 2, 3]) {
            self.registers = 0;
            let mut body = Vec::new();
            for _ in 0..1 + self.prng.below(2) {
                self.plain_block(&mut body);
            }
            program.threads.push(body);
        }
        if self.prng.chance(30) {
            self.registers = 0;
            program.finish = vec![self.plain_access(D), self.plain_access(E)];
        }
        program
    }

    fn plain_access(&mut self, location: Location) -> Instruction {
        if self.prng.chance(50) {
            Instruction::PlainRead { into: self.new_register(), location }
        } else {
            let value = Operand::constant(1 + self.prng.below(2) as u64);
            Instruction::PlainWrite { location, value }
        }
    }

    /// A plain access: published, behind a flag, in a critical section, or bare. Mostly synchronised, so that programs
    /// with and without races are about equally many.
    fn plain_block(&mut self, body: &mut Vec<Instruction>) {
        let location = self.prng.pick(&[D, D, E]);
        let flag = self.prng.pick(&[X, X, Y]);
        let access = self.plain_access(location);
        match self.prng.below(20) {
            0..7 => {
                body.push(access);
                if self.prng.chance(25) {
                    body.push(Instruction::Fence(self.fence_order()));
                }
                let order = self.prng.pick(&[Order::Release, Order::Release, Order::SeqCst, Order::Relaxed]);
                body.push(Instruction::Store { location: flag, value: Operand::constant(1), order });
            }
            7..15 => {
                let order = self.prng.pick(&[Order::Acquire, Order::Acquire, Order::SeqCst, Order::Relaxed]);
                let into = self.new_register();
                if self.prng.chance(30) {
                    let (expected, new) = (Operand::constant(1), Operand::constant(2));
                    let success = self.prng.pick(&[Order::AcqRel, order]);
                    let failure = Order::Relaxed;
                    body.push(Instruction::CompareExchange { into, location: flag, expected, new, success, failure });
                } else {
                    body.push(Instruction::Load { into, location: flag, order });
                }
                if self.prng.chance(25) {
                    body.push(Instruction::Fence(self.fence_order()));
                }
                body.push(Instruction::If { register: into, equals: 1, body: vec![access] });
            }
            15..19 => body.extend([Instruction::Lock(M), access, Instruction::Unlock(M)]),
            _ => body.push(access),
        }
    }
}

#[cfg(test)]
mod tests {
    use linchpin_model::MemoryModel;

    use super::*;
    use crate::axioms::Axioms;
    use crate::oracle::{enumerate, enumerate_with, enumerate_within};

    #[test]
    fn a_seed_is_a_program() {
        for flavour in Flavour::ALL {
            assert_eq!(program(flavour, 7), program(flavour, 7));
            assert_ne!(program(flavour, 7), program(flavour, 8));
        }
    }

    #[test]
    fn programs_survive_printing_and_parsing() {
        for flavour in Flavour::ALL {
            for seed in 0..200 {
                let program = program(flavour, seed);
                assert_eq!(program.to_string().parse::<Program>().unwrap(), program);
            }
        }
    }

    #[test]
    fn sc_executions_are_c11_executions() {
        for flavour in [Flavour::Mixed, Flavour::Psc] {
            for seed in 0..100 {
                let program = program(flavour, seed);
                let (Some(sc), Some(c11)) = (
                    enumerate_within(&program, &Axioms::of(MemoryModel::Sc), 2000),
                    enumerate_within(&program, &Axioms::of(MemoryModel::C11), 2000),
                ) else {
                    continue;
                };
                assert!(sc.executions.is_subset(&c11.executions), "{program}");
            }
        }
    }

    #[test]
    fn psc_decides_something_in_many_cycles() {
        let without = Axioms { psc_base: false, psc_fence: false, ..Axioms::of(MemoryModel::C11) };
        let decided = (0..200)
            .map(|seed| program(Flavour::Psc, seed))
            .filter(|program| {
                let all = enumerate_with(program, &without).executions.len();
                all > enumerate(program, MemoryModel::C11).executions.len()
            })
            .count();
        assert!(decided >= 20, "{decided} of 200");
    }

    #[test]
    fn plain_programs_are_racy_about_half_of_the_time() {
        let racy = (0..200).filter(|&seed| enumerate(&program(Flavour::Plain, seed), MemoryModel::C11).race).count();
        assert!((50..150).contains(&racy), "{racy} of 200");
    }
}
