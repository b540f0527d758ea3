//! Functions of up to three bits, and which of them an instruction of a target computes.
//!
//! The order of a truth table ([`usuba_logic::truth`]) is that of [`Meaning::Ternary`], so that a truth table is the immediate
//! of such an instruction.

use usuba_logic::truth::{VARIABLES, applied, depends_on};
use usuba_target::{Instruction, Meaning, Target};

/// Whether a meaning acts on each bit by itself.
pub(super) fn is_bitwise(meaning: Meaning) -> bool {
    use Meaning::*;
    matches!(meaning, And | Or | Xor | AndNot | NotAnd | OrNot | Not | Ternary | Select | Xor3)
}

/// The truth table of a bitwise meaning whose operands have these truth tables; `None` for other meanings and for the
/// wrong number of operands.
pub(super) fn apply(meaning: Meaning, immediate: u8, of: &[u8]) -> Option<u8> {
    Some(match (meaning, of) {
        (Meaning::And, &[a, b]) => a & b,
        (Meaning::Or, &[a, b]) => a | b,
        (Meaning::Xor, &[a, b]) => a ^ b,
        (Meaning::AndNot, &[a, b]) => a & !b,
        (Meaning::NotAnd, &[a, b]) => !a & b,
        (Meaning::OrNot, &[a, b]) => a | !b,
        (Meaning::Not, &[a]) => !a,
        (Meaning::Select, &[a, b, c]) => (a & b) | (!a & c),
        (Meaning::Xor3, &[a, b, c]) => a ^ b ^ c,
        (Meaning::Ternary, &[a, b, c]) => applied(immediate, [a, b, c]),
        _ => return None,
    })
}

/// An instruction that computes a truth table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Realisation {
    pub(super) row: &'static Instruction,
    /// The variables that are its operands.
    pub(super) operands: [usize; 3],
    /// How many operands it has.
    pub(super) arity: usize,
    pub(super) immediate: Option<u32>,
}

/// The instruction for each truth table that a target has one for.
pub(super) struct Functions {
    by_table: Vec<Option<Realisation>>,
}

impl Functions {
    /// Reads them off the rows of the target, for lanes of `lane` bits. Of several instructions the one with the fewest
    /// micro-operations, then operands, is taken, then the earlier one.
    pub(super) fn of(target: &Target, lane: u32) -> Functions {
        let mut functions = Functions { by_table: vec![None; 256] };
        use Meaning::*;
        for meaning in [And, Or, Xor, AndNot, NotAnd, OrNot, Not, Select, Xor3] {
            let arity = match meaning {
                Not => 1,
                Select | Xor3 => 3,
                _ => 2,
            };
            let Some(row) = target.instruction(meaning, lane) else { continue };
            for choice in 0..3usize.pow(arity) {
                let operands = [choice % 3, choice / 3 % 3, choice / 9];
                let arity = arity as usize;
                let of: Vec<u8> = operands[..arity].iter().map(|&place| VARIABLES[place]).collect();
                if let Some(table) = apply(meaning, 0, &of) {
                    functions.offer(table, Realisation { row, operands, arity, immediate: None });
                }
            }
        }
        if let Some(row) = target.instruction(Ternary, lane) {
            for table in 0..=255u8 {
                // A function of fewer variables is given one of them again.
                let used: Vec<usize> = (0..3).filter(|&place| depends_on(table, place)).collect();
                let Some(&last) = used.last() else { continue };
                let operands = [0, 1, 2].map(|place| if used.contains(&place) { place } else { last });
                let immediate = Some(u32::from(table));
                functions.offer(table, Realisation { row, operands, arity: 3, immediate });
            }
        }
        functions
    }

    fn offer(&mut self, table: u8, offered: Realisation) {
        let used = |place: usize| offered.operands[..offered.arity].contains(&place);
        if (0..3).any(|place| used(place) && !depends_on(table, place)) {
            return;
        }
        let price = |one: &Realisation| (one.row.uops, one.arity);
        let known = &mut self.by_table[usize::from(table)];
        if known.is_none_or(|known| price(&offered) < price(&known)) {
            *known = Some(offered);
        }
    }

    /// The instruction for a truth table.
    pub(super) fn get(&self, table: u8) -> Option<&Realisation> {
        self.by_table[usize::from(table)].as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_target::all;

    #[test]
    fn what_an_instruction_is_taken_for_is_what_it_computes() {
        for target in all() {
            let functions = Functions::of(target, 64);
            for table in 0..=255u8 {
                let Some(found) = functions.get(table) else { continue };
                let of: Vec<u8> =
                    found.operands[..found.arity].iter().map(|&place| VARIABLES[place]).collect();
                let immediate = found.immediate.unwrap_or(0) as u8;
                assert_eq!(
                    apply(found.row.meaning, immediate, &of),
                    Some(table),
                    "{} {table:#04x}",
                    target.name
                );
            }
        }
    }

    /// How many of the 256 truth tables are one instruction: the constants and the variables themselves never are.
    #[test]
    fn three_input_logic_of_each_family() {
        let count = |name: &str| {
            let target = usuba_target::by_name(name).expect("a target");
            let functions = Functions::of(target, 64);
            (0..=255).filter(|&table| functions.get(table).is_some()).count()
        };
        let counts =
            ["gp64", "avx2", "avx512", "avx512-256", "neon", "altivec"].map(|name| (name, count(name)));
        expect_test::expect![[r#"
            [
                (
                    "gp64",
                    15,
                ),
                (
                    "avx2",
                    18,
                ),
                (
                    "avx512",
                    254,
                ),
                (
                    "avx512-256",
                    254,
                ),
                (
                    "neon",
                    33,
                ),
                (
                    "altivec",
                    33,
                ),
            ]
        "#]]
        .assert_debug_eq(&counts);
    }
}
