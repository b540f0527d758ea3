//! Which gates a basis has, and what two of them make of three wires.

use std::sync::OnceLock;
use usuba_logic::netlist::Gate;
pub use usuba_lower::circuit::Basis;

/// The truth tables of the three operands of a gate.
pub(crate) const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// The gates of two operands a, b = c: `and`, `or`, `xor`, `a & ~b`, `~a & b`. Only the rows 0, 3, 4 and 7 occur.
const PAIRS: [u8; 5] = [0x80, 0x98, 0x18, 0x10, 0x08];

/// Whether a gate in its normal form belongs to a basis. [`Basis::TwoInput`] has `and`, `or`, `xor`, `a & ~b` and `not`;
/// [`Basis::Select`] has the choice besides; [`Basis::Ternary`] has everything.
pub(crate) fn has(basis: Basis, gate: &Gate) -> bool {
    let [a, b, c] = gate.of;
    match basis {
        Basis::Ternary => true,
        _ if a == b => gate.table == 0x01,
        _ if b == c => PAIRS.contains(&gate.table),
        Basis::TwoInput => false,
        Basis::Select => is_choice(gate.table),
    }
}

/// Whether a truth table is `s ? x : y` of the three operands in some order.
pub(crate) fn is_choice(table: u8) -> bool {
    let [a, b, c] = OPERANDS;
    let orders = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
    orders.iter().any(|&[s, x, y]| table == (s & x) | (!s & y))
}

/// A gate of a [`Recipe`]: its operands are 0, 1, 2 for the three wires and 3 for the first gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) of: [usize; 3],
    pub(crate) table: u8,
}

/// One or two gates that compute a truth table of three wires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub(crate) table: u8,
    pub(crate) first: Option<Step>,
    pub(crate) last: Step,
}

/// The recipes of a basis; none for [`Basis::Ternary`], where each truth table is one gate.
pub(crate) fn recipes(basis: Basis) -> &'static [Recipe] {
    static TWO: OnceLock<Vec<Recipe>> = OnceLock::new();
    static SELECT: OnceLock<Vec<Recipe>> = OnceLock::new();
    match basis {
        Basis::TwoInput => TWO.get_or_init(|| written(Basis::TwoInput)),
        Basis::Select => SELECT.get_or_init(|| written(Basis::Select)),
        Basis::Ternary => &[],
    }
}

/// All gates of a basis on wires of these truth tables, with what they compute.
fn gates(basis: Basis, wires: &[u8]) -> Vec<(Step, u8)> {
    let mut found = Vec::new();
    let mut offer = |of: [usize; 3], table: u8| {
        if let Some(gate) = Gate::normal(of, table)
            && gate.of == of
            && has(basis, &gate)
        {
            let value = (0..8).fold(0, |value: u8, row: u8| {
                let bit = |place: usize| wires[of[place]] >> row & 1;
                value | (gate.table >> (4 * bit(0) + 2 * bit(1) + bit(2)) & 1) << row
            });
            found.push((Step { of, table: gate.table }, value));
        }
    };
    let count = wires.len();
    for a in 0..count {
        offer([a, a, a], 0x01);
        for b in a + 1..count {
            for table in PAIRS {
                offer([a, b, b], table);
            }
            for c in b + 1..count {
                for table in (0..=255).filter(|&table| basis == Basis::Select && is_choice(table)) {
                    offer([a, b, c], table);
                }
            }
        }
    }
    found
}

fn written(basis: Basis) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    let single = gates(basis, &OPERANDS);
    for &(last, table) in &single {
        recipes.push(Recipe { table, first: None, last });
    }
    for &(first, table) in &single {
        let [a, b, c] = OPERANDS;
        for (last, table) in gates(basis, &[a, b, c, table]) {
            let uses_first = last.of.contains(&3);
            let is_shorter = recipes.iter().any(|one| one.first.is_none() && one.table == table);
            if uses_first && !is_shorter && ![0, 0xff, a, b, c].contains(&table) {
                recipes.push(Recipe { table, first: Some(first), last });
            }
        }
    }
    recipes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_compute_their_tables() {
        for basis in [Basis::TwoInput, Basis::Select] {
            for recipe in recipes(basis) {
                let mut wires = OPERANDS.to_vec();
                for step in recipe.first.iter().chain([&recipe.last]) {
                    let value = (0..8).fold(0, |value: u8, row: u8| {
                        let bit = |place: usize| wires[step.of[place]] >> row & 1;
                        value | (step.table >> (4 * bit(0) + 2 * bit(1) + bit(2)) & 1) << row
                    });
                    wires.push(value);
                }
                assert_eq!(wires.last(), Some(&recipe.table), "{recipe:?}");
            }
        }
        // Three pairs with five gates each and three complements; six choices.
        let single = |basis| recipes(basis).iter().filter(|one| one.first.is_none()).count();
        assert_eq!([Basis::TwoInput, Basis::Select].map(single), [18, 24]);
    }
}
