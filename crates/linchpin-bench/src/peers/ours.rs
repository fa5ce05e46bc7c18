//! Linchpin on the programs: C11, one worker, every iteration of every loop.

use std::time::Instant;

use linchpin::{Builder, Exploration};

use crate::measurement::ENOUGH;
use crate::processor::{Whom, busy_with};
use crate::programs::Program;
use crate::programs::on_linchpin::run;
use crate::tools::one_worker;

use super::comparison::{Found, LINCHPIN, Looked, Outcome, Trial};

/// Explores a program to its end, and, if something is wrong with it, once more until that is found.
pub(super) fn measure(program: Program) -> Trial {
    let (all, seconds) = timed(&one_worker().keep_going(true), program);
    let found = (all.violations > 0).then(|| {
        let (first, seconds) = timed(&one_worker(), program);
        Found { after: executions(&first), seconds }
    });
    let looked = Looked {
        executions: executions(&all),
        failing: all.violations,
        are_all: all.coverage.is_complete(),
        seconds: Some(seconds),
        found,
    };
    Trial { tool: LINCHPIN, outcome: Outcome::Looked(looked) }
}

/// All executions, those that fail included.
fn executions(exploration: &Exploration) -> u64 {
    exploration.complete + exploration.blocked + exploration.violations
}

/// An exploration, and how long processors are busy with it: on average, if it is short and done several times.
fn timed(builder: &Builder, program: Program) -> (Exploration, f64) {
    let once = || builder.explore(move || run(program));
    let (begin, before) = (Instant::now(), busy_with(Whom::This));
    let first = once();
    let mut times = 1;
    while begin.elapsed() < ENOUGH {
        once();
        times += 1;
    }
    let all = match (before, busy_with(Whom::This)) {
        (Some(before), Some(after)) => after - before,
        _ => begin.elapsed().as_secs_f64(),
    };
    (first, all / f64::from(times))
}

#[cfg(test)]
mod tests {
    use super::super::comparison::Comparison;
    use super::*;
    use crate::programs::CATALOGUE;

    fn ours(name: &'static str, program: Program) -> Looked {
        let is_faulty = matches!(program, Program::Faulty(_));
        let comparison = Comparison { program: name, is_faulty, tools: vec![measure(program)] };
        assert_eq!(comparison.wrong(), [""; 0]);
        comparison.ours().expect("linchpin does not fail").clone()
    }

    #[test]
    fn the_right_programs_are_right_and_the_faulty_ones_are_not() {
        for &(name, program) in CATALOGUE {
            let looked = ours(name, program);
            assert!(looked.are_all, "{name}");
            let is_faulty = matches!(program, Program::Faulty(_));
            assert_eq!((looked.failing > 0, looked.found.is_some()), (is_faulty, is_faulty), "{name}");
        }
    }

    /// Two loads that each see one of two stores: four executions, and one is what the program excludes. Two `pop`s of one value:
    /// either comes first, or both see it, and then either exchange comes first.
    #[test]
    fn executions_that_fail_are_counted_with_the_others() {
        for (name, executions, failing) in [("faulty-sb", 4, 1), ("faulty-mp", 4, 1), ("unchecked-pop", 4, 2)] {
            let &(_, program) = CATALOGUE.iter().find(|(entry, _)| *entry == name).expect("it is in the catalogue");
            let looked = ours(name, program);
            assert_eq!((looked.executions, looked.failing), (executions, failing), "{name}");
            assert!(looked.found.is_some_and(|found| (1..=executions - failing + 1).contains(&found.after)), "{name}");
        }
    }
}
