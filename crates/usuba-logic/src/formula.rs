//! The smallest formulas of gates with two inputs for the functions of three bits.

use crate::truth::{VARIABLES, renamed};
use std::sync::OnceLock;

/// How a truth table is made of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formula {
    /// `a`, `b` or `c`, by number.
    Input(usize),
    /// `~x`.
    Not(u8),
    /// `x & y`.
    And(u8, u8),
    /// `x | y`.
    Or(u8, u8),
    /// `x ^ y`.
    Xor(u8, u8),
    /// `x & ~y`.
    AndNot(u8, u8),
}

type Formulas = [Option<(u32, Formula)>; 256];

/// The formula of the fewest gates for each truth table, with their number; `None` for the two constants.
fn formulas() -> &'static Formulas {
    static FORMULAS: OnceLock<Formulas> = OnceLock::new();
    FORMULAS.get_or_init(|| {
        let mut known: Formulas = [None; 256];
        for (place, table) in VARIABLES.into_iter().enumerate() {
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

/// The outermost gate of the smallest formula for a truth table; `None` for the two constants.
pub fn formula(table: u8) -> Option<Formula> {
    formulas()[usize::from(table)].map(|(_, formula)| formula)
}

/// How many gates of two inputs the smallest formula for a truth table has; none for the two constants.
pub fn gates(table: u8) -> u32 {
    formulas()[usize::from(table)].map_or(0, |(gates, _)| gates)
}

/// The truth table with every operand that is equal to an earlier one in the place of that: rows that tell equal operands
/// apart cannot occur.
pub fn merged<T: PartialEq>(table: u8, operands: &[T; 3]) -> u8 {
    let first = |k: usize| operands.iter().position(|one| *one == operands[k]).unwrap_or(k);
    renamed(table, [first(0), first(1), first(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(table: u8) -> u8 {
        match formula(table) {
            None => table,
            Some(Formula::Input(place)) => VARIABLES[place],
            Some(Formula::Not(a)) => !evaluated(a),
            Some(Formula::And(a, b)) => evaluated(a) & evaluated(b),
            Some(Formula::Or(a, b)) => evaluated(a) | evaluated(b),
            Some(Formula::Xor(a, b)) => evaluated(a) ^ evaluated(b),
            Some(Formula::AndNot(a, b)) => evaluated(a) & !evaluated(b),
        }
    }

    #[test]
    fn formulas_compute_their_tables() {
        assert!((0..=255).all(|table| evaluated(table) == table));
        let gates = |table: &Option<(u32, Formula)>| table.map(|(gates, _)| gates);
        assert_eq!(formulas().iter().filter_map(gates).max(), Some(5));
        assert!(formula(0).is_none() && formula(255).is_none());
    }
}
