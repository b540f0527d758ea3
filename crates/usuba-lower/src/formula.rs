//! Gates of two inputs for the functions of three bits.

use crate::circuit::Gate;
use usuba_logic::formula::{Formula, formula, merged};

/// Writes gates for a truth table of three wires, which may be the same; `push` adds a gate and says its wire. `None` for
/// a constant.
pub(crate) fn write(table: u8, of: [usize; 3], push: &mut impl FnMut(Gate) -> usize) -> Option<usize> {
    write_formula(merged(table, &of), of, push)
}

fn write_formula(table: u8, of: [usize; 3], push: &mut impl FnMut(Gate) -> usize) -> Option<usize> {
    let gate = match formula(table)? {
        Formula::Input(place) => return of.get(place).copied(),
        Formula::Not(a) => Gate::Not(write_formula(a, of, push)?),
        Formula::And(a, b) => Gate::And(write_formula(a, of, push)?, write_formula(b, of, push)?),
        Formula::Or(a, b) => Gate::Or(write_formula(a, of, push)?, write_formula(b, of, push)?),
        Formula::Xor(a, b) => Gate::Xor(write_formula(a, of, push)?, write_formula(b, of, push)?),
        Formula::AndNot(a, b) => Gate::AndNot(write_formula(a, of, push)?, write_formula(b, of, push)?),
    };
    Some(push(gate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_compute_their_tables() {
        let mut most = 0;
        for table in 1..255u8 {
            let mut wires = vec![0xf0, 0xcc, 0xaa_u8];
            let result = write(table, [0, 1, 2], &mut |gate| {
                wires.push(match gate {
                    Gate::Not(a) => !wires[a],
                    Gate::And(a, b) => wires[a] & wires[b],
                    Gate::Or(a, b) => wires[a] | wires[b],
                    Gate::Xor(a, b) => wires[a] ^ wires[b],
                    Gate::AndNot(a, b) => wires[a] & !wires[b],
                    Gate::Ternary(..) => unreachable!("gates of two inputs"),
                });
                wires.len() - 1
            });
            assert_eq!(result.map(|wire| wires[wire]), Some(table));
            most = most.max(wires.len() - 3);
        }
        assert_eq!(most, 5);
    }
}
