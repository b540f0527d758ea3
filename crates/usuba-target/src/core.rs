//! Cores: which execution ports run what, where it differs from the tables of the targets.
//!
//! No code depends on the core; which of several engines a library keeps, and what is said beside measurements, does.

use crate::instruction::{Instruction, Meaning};
use crate::target::Target;

/// A core, or those alike.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// Its name.
    pub name: &'static str,
    /// Where the numbers come from, and how far to trust them.
    pub source: &'static str,
    /// Families and models, as `/proc/cpuinfo` has them.
    models: &'static [(u32, u32)],
    /// Ports by meaning, for vectors: all that computes. Empty if the tables of the targets are about this core.
    vectors: &'static [(Meaning, u16)],
    /// The same for general-purpose registers.
    general: &'static [(Meaning, u16)],
}

use Meaning::*;

/// What the tables of the x86 targets are about.
pub const GOLDEN_COVE: Core = Core {
    name: "Golden Cove",
    source: "the tables of the targets",
    models: &[],
    vectors: &[],
    general: &[],
};

const ALL_FOUR: u16 = 0b1111;
const SHUFFLES: u16 = 0b0011;
const SHIFTS: u16 = 0b0110;
const PRODUCTS: u16 = 0b1001;
const ALU: u16 = 0b11_1111;
const ALU_SHIFTS: u16 = 0b00_0111;

/// Zen 5 with 512-bit data paths (EPYC 9005, Ryzen 9000).
pub const ZEN_5: Core = Core {
    name: "Zen 5",
    source: "Our microbenchmarks on an EPYC of family 26, model 2, 2026-11: throughput of each instruction by itself and \
             of pairs, from which the ports that they share follow; numbers of ports are ours",
    models: &[(26, 2), (26, 17), (26, 68)],
    vectors: &[
        (And, ALL_FOUR),
        (Or, ALL_FOUR),
        (Xor, ALL_FOUR),
        (NotAnd, ALL_FOUR),
        (Ternary, ALL_FOUR),
        (Add, ALL_FOUR),
        (Subtract, ALL_FOUR),
        (ShiftLeft, SHIFTS),
        (ShiftRight, SHIFTS),
        (ShiftRightArithmetic, SHIFTS),
        (RotateLeft, SHIFTS),
        (ShuffleBytes, SHUFFLES),
        (ShuffleWords, SHUFFLES),
        (PermuteGroups, SHUFFLES),
        (MapBytes, SHUFFLES),
        (MapInverseBytes, SHUFFLES),
        (Multiply, PRODUCTS),
        (MultiplyLowHalves, PRODUCTS),
    ],
    general: &[
        (And, ALU),
        (Or, ALU),
        (Xor, ALU),
        (AndNot, ALU),
        (Not, ALU),
        (Add, ALU),
        (Subtract, ALU),
        (Constant, ALU),
        (ShiftLeft, ALU_SHIFTS),
        (ShiftRight, ALU_SHIFTS),
        (ShiftRightArithmetic, ALU_SHIFTS),
        (RotateLeft, ALU_SHIFTS),
        (Multiply, ALU_SHIFTS),
    ],
};

/// The cores with numbers of their own.
pub const CORES: &[Core] = &[ZEN_5];

impl Core {
    /// The core of an x86 processor; that of the tables if it has no numbers of its own.
    pub fn of_cpu(family: u32, model: u32) -> &'static Core {
        CORES.iter().find(|core| core.models.contains(&(family, model))).unwrap_or(&GOLDEN_COVE)
    }

    /// The ports that can run an instruction of a target; 0 for what only reads or writes memory, whose ports have numbers of
    /// their own on cores that are not those of the tables.
    pub fn ports(&self, target: &Target, row: &Instruction) -> u16 {
        let own = if target.single_lane { self.general } else { self.vectors };
        if own.is_empty() {
            return row.ports;
        }
        own.iter().find(|(meaning, _)| *meaning == row.meaning).map_or(0, |(_, ports)| *ports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::{AVX512_GFNI, GP64};

    /// A core that has numbers has them for everything that computes, so that those of two cores are never mixed.
    #[test]
    fn all_that_computes_has_ports() {
        let moves =
            |meaning| matches!(meaning, Load | Store | Broadcast | Constant | ConstantGroup | ConstantBytes);
        for core in CORES {
            for (target, own) in [(&AVX512_GFNI, core.vectors), (&GP64, core.general)] {
                for row in target.instructions().filter(|row| !moves(row.meaning)) {
                    let known = own.iter().any(|(meaning, _)| *meaning == row.meaning);
                    assert!(known, "{}: {} of {}", core.name, row.mnemonic, target.name);
                }
            }
        }
    }

    #[test]
    fn unknown_processors_are_taken_for_the_tables() {
        assert_eq!(Core::of_cpu(26, 2).name, "Zen 5");
        assert_eq!(Core::of_cpu(6, 143).name, "Golden Cove");
        let and = AVX512_GFNI.instruction(And, 0).expect("a row");
        assert_eq!(GOLDEN_COVE.ports(&AVX512_GFNI, and), and.ports);
    }
}
