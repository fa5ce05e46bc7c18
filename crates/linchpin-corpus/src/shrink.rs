//! Shrinks a program for which something fails to one in which nothing can be left out.

use linchpin_model::Order;

use crate::program::{Instruction, Operand, Program};

/// The smallest program that can be reached from `program` by leaving out threads and instructions, opening conditions
/// and weakening orders, one at a time, such that it still `fails`.
pub fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    while let Some(smaller) = candidates(&smallest).into_iter().find(|candidate| fails(candidate)) {
        smallest = smaller;
    }
    smallest
}

/// All programs one step smaller, the boldest steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut result = Vec::new();
    for thread in 0..program.threads.len() {
        let mut next = program.clone();
        next.threads.remove(thread);
        result.push(next);
    }
    let bodies: Vec<Vec<Instruction>> = program.sections().cloned().collect();
    for edit in [drop_one, open_condition, simplify] {
        for (number, body) in bodies.iter().enumerate() {
            for changed in edits(body, edit) {
                let mut next = program.clone();
                if let Some(section) = next.sections_mut().nth(number) {
                    *section = changed;
                }
                result.push(next);
            }
        }
    }
    result
}

/// What an instruction may be replaced by.
type Edit = fn(&Instruction) -> Vec<Vec<Instruction>>;

/// All bodies in which one instruction, here or nested, is replaced.
fn edits(body: &[Instruction], edit: Edit) -> Vec<Vec<Instruction>> {
    let mut result = Vec::new();
    for (at, instruction) in body.iter().enumerate() {
        let mut replacements = edit(instruction);
        if let Instruction::If { register, equals, body } = instruction {
            let nested = edits(body, edit).into_iter();
            replacements
                .extend(nested.map(|body| vec![Instruction::If { register: *register, equals: *equals, body }]));
        }
        for replacement in replacements {
            let mut changed = body.to_vec();
            changed.splice(at..=at, replacement);
            result.push(changed);
        }
    }
    result
}

fn drop_one(_: &Instruction) -> Vec<Vec<Instruction>> {
    vec![Vec::new()]
}

fn open_condition(instruction: &Instruction) -> Vec<Vec<Instruction>> {
    match instruction {
        Instruction::If { body, .. } => vec![body.clone()],
        _ => Vec::new(),
    }
}

/// The orders that may stand in place of an order: simpler to think about.
fn weaker(order: Order) -> &'static [Order] {
    match order {
        Order::Relaxed => &[],
        Order::Acquire | Order::Release => &[Order::Relaxed],
        Order::AcqRel => &[Order::Relaxed, Order::Acquire, Order::Release],
        Order::SeqCst => &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel],
    }
}

fn weaker_read(order: Order) -> impl Iterator<Item = Order> {
    weaker(order).iter().copied().filter(|order| !order.releases())
}

fn weaker_write(order: Order) -> impl Iterator<Item = Order> {
    weaker(order).iter().copied().filter(|order| !order.acquires())
}

/// The same instruction with a weaker order, or a simpler one in its place.
fn simplify(instruction: &Instruction) -> Vec<Vec<Instruction>> {
    let mut result = Vec::new();
    match *instruction {
        Instruction::Load { into, location, order } => {
            result.extend(weaker_read(order).map(|order| Instruction::Load { into, location, order }));
        }
        Instruction::Store { location, value, order } => {
            result.extend(weaker_write(order).map(|order| Instruction::Store { location, value, order }));
            result.extend(constant_of(value).map(|value| Instruction::Store { location, value, order }));
        }
        Instruction::Swap { into, location, value, order } => {
            result.push(Instruction::Load { into, location, order: Order::Relaxed });
            result.push(Instruction::Store { location, value, order: Order::Relaxed });
            result.extend(weaker(order).iter().map(|&order| Instruction::Swap { into, location, value, order }));
        }
        Instruction::FetchAdd { into, location, value, order } => {
            result.push(Instruction::Load { into, location, order: Order::Relaxed });
            result.extend(weaker(order).iter().map(|&order| Instruction::FetchAdd { into, location, value, order }));
        }
        Instruction::CompareExchange { into, location, expected, new, success, failure } => {
            result.push(Instruction::Load { into, location, order: failure });
            result.push(Instruction::Swap { into, location, value: new, order: success });
            let with =
                |success, failure| Instruction::CompareExchange { into, location, expected, new, success, failure };
            result.extend(weaker(success).iter().map(|&success| with(success, failure)));
            result.extend(weaker_read(failure).map(|failure| with(success, failure)));
        }
        Instruction::Fence(order) => {
            let orders = weaker(order).iter().filter(|&&order| order != Order::Relaxed);
            result.extend(orders.map(|&order| Instruction::Fence(order)));
        }
        Instruction::Await { location, value, order } => {
            result.extend(weaker_read(order).map(|order| Instruction::Await { location, value, order }));
        }
        Instruction::PlainWrite { location, value } => {
            result.extend(constant_of(value).map(|value| Instruction::PlainWrite { location, value }));
        }
        Instruction::PlainRead { .. } | Instruction::Lock(_) | Instruction::Unlock(_) | Instruction::If { .. } => {}
    }
    result.into_iter().map(|instruction| vec![instruction]).collect()
}

/// The operand without its register, if it has one.
fn constant_of(operand: Operand) -> Option<Operand> {
    operand.register.map(|_| Operand::constant(operand.constant))
}

#[cfg(test)]
mod tests {
    use linchpin_model::MemoryModel;

    use super::*;
    use crate::oracle::enumerate;

    #[test]
    fn a_noisy_store_buffer_shrinks_to_the_store_buffer() {
        let noisy: Program = "\
main: z.store(3, rlx)
T1: x.store(1, rel); if r5 == 0 { fence(acqrel); r0 = y.load(acq) }; r1 = z.load(sc)
T2: r0 = z.swap(2, acqrel); y.store(1, sc); r1 = x.load(rlx)
T3: r0 = z.cas(0, 1, sc, sc)
"
        .parse()
        .unwrap();
        let differs = |program: &Program| {
            enumerate(program, MemoryModel::Sc).executions != enumerate(program, MemoryModel::C11).executions
        };
        let small = shrink(&noisy, differs);
        assert_eq!(small.to_string(), "T1: x.store(1, rlx); r1 = z.load(rlx)\nT2: z.store(2, rlx); r1 = x.load(rlx)\n");
    }

    #[test]
    fn what_does_not_fail_anywhere_smaller_stays() {
        let program: Program = "T1: lock(m); if r0 == 1 { x.store(1, sc) }; unlock(m)\n".parse().unwrap();
        assert_eq!(shrink(&program, |candidate| *candidate == program), program);
    }
}
