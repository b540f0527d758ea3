//! The smallest formulas of gates with two inputs for the functions of three bits.

use crate::circuits::Gate;
use std::sync::OnceLock;

/// How a truth table is made of others. Bit `4a + 2b + c` of a truth table is the value at `a`, `b`, `c`.
#[derive(Clone, Copy)]
enum Formula {
    /// `a`, `b` or `c`.
    Input(usize),
    Not(u8),
    And(u8, u8),
    Or(u8, u8),
    Xor(u8, u8),
    AndNot(u8, u8),
}

type Formulas = [Option<(u32, Formula)>; 256];

/// The formula of the fewest gates for each truth table, with their number; `None` for the two constants.
fn formulas() -> &'static Formulas {
    static FORMULAS: OnceLock<Formulas> = OnceLock::new();
    FORMULAS.get_or_init(|| {
        let mut known: Formulas = [None; 256];
        for (place, table) in [0xf0, 0xcc, 0xaa_u8].into_iter().enumerate() {
            known[usize::from(table)] = Some((0, Formula::Input(place)));
        }
        // Until no formula gets shorter.
        loop {
            let before = known;
            let mut offer = |table: u8, gates: u32, formula: Formula| {
                let slot = &mut known[usize::from(table)];
                if table != 0 && table != 0xff && slot.is_none_or(|(fewest, _)| gates < fewest) {
                    *slot = Some((gates, formula));
                }
            };
            for a in 0..=255u8 {
                let Some((one, _)) = before[usize::from(a)] else { continue };
                offer(!a, one + 1, Formula::Not(a));
                for b in 0..=255u8 {
                    let Some((other, _)) = before[usize::from(b)] else { continue };
                    let gates = one + other + 1;
                    offer(a & b, gates, Formula::And(a, b));
                    offer(a | b, gates, Formula::Or(a, b));
                    offer(a ^ b, gates, Formula::Xor(a, b));
                    offer(a & !b, gates, Formula::AndNot(a, b));
                }
            }
            let gates = |known: &Formulas| known.map(|one| one.map(|(gates, _)| gates));
            if gates(&known) == gates(&before) {
                return known;
            }
        }
    })
}

/// Writes gates for a truth table of three wires, which may be the same; `push` adds a gate and says its wire. `None` for
/// a constant.
pub(crate) fn write(table: u8, of: [usize; 3], push: &mut impl FnMut(Gate) -> usize) -> Option<usize> {
    // Where wires are the same, the rows that tell them apart cannot occur.
    let place = |k: usize| of.iter().position(|&wire| wire == of[k]).unwrap_or(k);
    let table = (0..8).fold(0, |used, row: u8| {
        let bit = |k: usize| row >> (2 - place(k)) & 1;
        used | (table >> (bit(0) << 2 | bit(1) << 1 | bit(2)) & 1) << row
    });
    write_formula(table, of, push)
}

fn write_formula(table: u8, of: [usize; 3], push: &mut impl FnMut(Gate) -> usize) -> Option<usize> {
    let (_, formula) = formulas()[usize::from(table)]?;
    let gate = match formula {
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
                });
                wires.len() - 1
            });
            assert_eq!(result.map(|wire| wires[wire]), Some(table));
            most = most.max(wires.len() - 3);
        }
        assert_eq!(most, 5);
        assert!(formulas()[0].is_none() && formulas()[255].is_none());
    }
}
