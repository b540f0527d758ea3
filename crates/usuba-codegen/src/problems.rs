//! The choice problems that technology mapping meets, and what it made of them: for who wants to know how good it is.

pub use crate::mapping::solved::{LARGEST, Solved, TABLE, lines};

use crate::effort::Effort;
use crate::{NoCode, mapping};
use usuba_ir::check::Checked;
use usuba_logic::choice::Problem;
use usuba_target::Target;

/// A choice problem of a program and what covering made of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// The problem.
    pub problem: Problem,
    /// The cost of the cover that the search found, in micro-operations.
    pub searched: u32,
    /// The cost of the cover that was taken: the one that was found, or a cheaper one of the table.
    pub cost: u32,
}

/// The choice problems of all blocks of a program for a target, those without gates left out, in the order of the nodes and,
/// within a node, outer blocks first.
///
/// # Errors
/// As for [`select`](crate::select).
pub fn problems(program: Checked<'_>, target: &Target) -> Result<Vec<Covered>, NoCode> {
    let mut found = Vec::new();
    let mut selected = crate::selected(program.program(), target)?;
    let lane = selected.shape.lane;
    for function in &mut selected.program.functions {
        mapping::map_logic(function, target, lane, Effort::Full, &mut |gates, chosen| {
            if !gates.is_empty() {
                let (searched, cost) = (chosen.searched, chosen.cost);
                found.push(Covered { problem: mapping::choice::problem(gates), searched, cost });
            }
        });
    }
    Ok(found)
}

/// What one instruction of a target costs for each function of three bits, in micro-operations; `None` where it takes more
/// than one. The index is the truth table, whose bit `4a + 2b + c` is the value at `a`, `b`, `c`.
pub fn functions(target: &Target) -> Vec<Option<u32>> {
    mapping::costs(target)
}
