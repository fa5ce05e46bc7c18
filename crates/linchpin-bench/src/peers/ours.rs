//! Linchpin on the programs: C11, one worker, every iteration of every loop.

use std::time::Instant;

use linchpin::{Builder, Exploration};

use crate::measurement::{ENOUGH, median};
use crate::programs::Program;
use crate::programs::on_linchpin::run;
use crate::tools::one_worker;

use super::comparison::{Found, LINCHPIN, Looked, Outcome, Trial};

/// Explores a program to its end, and, if something is wrong with it, once more until that is found.
pub(super) fn measure(program: Program) -> Trial {
    let (all, seconds) = timed(&one_worker().keep_going(true), program);
    let found = (all.violations > 0).then(|| {
        let (first, seconds) = timed(&one_worker(), program);
        Found { after: first.complete + first.blocked, seconds }
    });
    let looked = Looked {
        executions: all.complete + all.blocked,
        failing: all.violations,
        are_all: all.coverage.is_complete(),
        seconds: Some(seconds),
        found,
    };
    Trial { tool: LINCHPIN, outcome: Outcome::Looked(looked) }
}

/// An exploration and how long it takes: the median of several if that is short.
fn timed(builder: &Builder, program: Program) -> (Exploration, f64) {
    let once = || {
        let begin = Instant::now();
        (builder.explore(move || run(program)), begin.elapsed())
    };
    let begin = Instant::now();
    let (first, time) = once();
    let mut times = vec![time];
    while begin.elapsed() < ENOUGH {
        times.push(once().1);
    }
    (first, median(&mut times).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::comparison::Comparison;
    use super::*;
    use crate::programs::CATALOGUE;

    #[test]
    fn the_right_programs_are_right_and_the_faulty_ones_are_not() {
        for &(name, program) in CATALOGUE {
            let is_faulty = matches!(program, Program::Faulty(_));
            let comparison = Comparison { program: name, is_faulty, tools: vec![measure(program)] };
            assert_eq!(comparison.wrong(), [""; 0]);
            let ours = comparison.ours().expect("linchpin does not fail");
            assert!(ours.are_all, "{name}");
            assert_eq!(ours.found.is_some(), is_faulty, "{name}");
        }
    }
}
