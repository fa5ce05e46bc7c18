//! The paper's numbers.

use std::fmt;

/// A row of Figure 7.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Executions that CDSChecker explored.
    pub executions: u32,
    /// Those of them that are executions at all.
    pub feasible: u32,
    /// Total time.
    pub seconds: f64,
}

/// A row of Figure 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detections {
    /// How many there are.
    pub injections: usize,
    /// Found by what needs no specification.
    pub built_in: usize,
    /// Found since an execution is not admissible.
    pub admissibility: usize,
    /// Found since an execution breaks the specification.
    pub assertion: usize,
}

impl Detections {
    /// How many were found.
    pub fn detected(&self) -> usize {
        self.built_in + self.admissibility + self.assertion
    }
}

impl fmt::Display for Detections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detections { injections, built_in, admissibility, assertion } = self;
        write!(f, "{} of {injections}: {built_in} built-in, {admissibility} admissibility, ", self.detected())?;
        write!(f, "{assertion} assertion")
    }
}

const fn cost(executions: u32, feasible: u32, seconds: f64) -> Cost {
    Cost { executions, feasible, seconds }
}

const fn detections(injections: usize, built_in: usize, admissibility: usize, assertion: usize) -> Detections {
    Detections { injections, built_in, admissibility, assertion }
}

/// Figure 7, in the order of [`linchpin_zoo::cds::structures`].
pub const FIGURE_7: [Cost; 10] = [
    cost(893, 158, 0.10),
    cost(18, 15, 0.01),
    cost(47, 18, 0.01),
    cost(6, 6, 0.01),
    cost(21_126, 13_786, 3.00),
    cost(2_911, 1_274, 4.83),
    cost(296, 150, 0.03),
    cost(69_386, 1_822, 13.71),
    cost(89, 36, 0.01),
    cost(1_790, 978, 0.17),
];

/// Figure 8, in the order of [`linchpin_zoo::cds::structures`].
pub const FIGURE_8: [Detections; 10] = [
    detections(7, 3, 0, 4),
    detections(2, 0, 0, 2),
    detections(3, 3, 0, 0),
    detections(4, 2, 0, 2),
    detections(8, 4, 0, 4),
    detections(8, 0, 4, 0),
    detections(10, 3, 0, 7),
    detections(8, 0, 0, 8),
    detections(5, 0, 0, 5),
    detections(2, 0, 0, 2),
];
