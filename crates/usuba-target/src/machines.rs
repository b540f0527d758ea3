//! The tables, a file for each family.

use crate::target::Target;

mod altivec;
mod general;
mod neon;
mod permute;
mod x86;

pub use altivec::ALTIVEC;
pub use general::{GP64, GP64_BMI};
pub use neon::{NEON, NEON_AES};
pub use x86::{
    AVX, AVX_AES, AVX2, AVX2_GFNI, AVX2_VAES, AVX512, AVX512_128, AVX512_256, AVX512_GFNI, AVX512_VAES, SSE2,
    SSE42, SSSE3,
};

/// All targets, from the plainest to the widest of each family. Of those of one width the last that a machine has is the one that
/// most programs gain by.
pub fn all() -> &'static [&'static Target] {
    &[
        &GP64,
        &GP64_BMI,
        &SSE2,
        &SSSE3,
        &SSE42,
        &AVX,
        &AVX_AES,
        &AVX2,
        &AVX2_VAES,
        &AVX2_GFNI,
        &AVX512_128,
        &AVX512_256,
        &AVX512,
        &AVX512_GFNI,
        &AVX512_VAES,
        &NEON,
        &NEON_AES,
        &ALTIVEC,
    ]
}

/// The target of that name.
pub fn by_name(name: &str) -> Option<&'static Target> {
    all().iter().find(|target| target.name == name).copied()
}

/// Source of the numbers of the x86 tables.
const GOLDEN_COVE: &str = "Golden Cove. Throughput of logic, sums, shifts, rotations, shuffles, loads and stores: our \
                           microbenchmarks on Emerald Rapids, 2026-11. Latencies and ports: from memory of the public \
                           tables for that core (uops.info), approximate";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Meaning;
    use usuba_ir::layout::Slicing;

    #[test]
    fn names_are_unique_and_found() {
        for target in all() {
            assert_eq!(by_name(target.name).map(|found| found.name), Some(target.name));
        }
    }

    /// A target has what those have that it goes beyond, and code of its own only where none of these has any.
    #[test]
    fn what_goes_beyond_a_target_adds_to_it() {
        for target in all() {
            for base in target.bases() {
                let has = |row: &crate::Instruction| target.instructions().any(|own| own == row);
                assert!(base.instructions().all(has), "{} and {}", target.name, base.name);
                assert!(base.requires.iter().all(|feature| target.requires.contains(feature)));
                let adds = |slicing| target.adds_to(slicing, |other| other == base.name);
                let rotates = base.name == "avx512";
                assert_eq!(adds(Slicing::V), rotates, "{} and {}", target.name, base.name);
                let rounds = target.has_rounds() && !base.has_rounds();
                assert_eq!(adds(Slicing::BLOCKS), rounds, "{} and {}", target.name, base.name);
            }
            assert!(target.adds_to(Slicing::V, |other| other == target.name), "{}", target.name);
        }
        // Where the base adds nothing to its own, it has no code; this one must not have any for that.
        assert!(!AVX512_VAES.adds_to(Slicing::B, |other| other == "avx512"));
        assert!(AVX512_VAES.adds_to(Slicing::B, |other| other == "avx2"));
    }

    #[test]
    fn every_machine_has_the_basis() {
        for target in all() {
            for meaning in [Meaning::And, Meaning::Or, Meaning::Xor, Meaning::Load, Meaning::Store] {
                assert!(target.instruction(meaning, 64).is_some(), "{} has no {meaning:?}", target.name);
            }
            for lane in [8, 16, 32, 64] {
                for meaning in [Meaning::Constant, Meaning::Broadcast, Meaning::Add, Meaning::Subtract] {
                    assert!(
                        target.instruction(meaning, lane).is_some(),
                        "{} has no {meaning:?} {lane}",
                        target.name
                    );
                }
            }
        }
    }

    #[test]
    fn templates_name_the_operands_of_their_meaning() {
        for target in all() {
            for row in target.all_instructions() {
                let memory = usize::from(row.meaning.is_move() || row.meaning.is_repeat());
                let operands = row.meaning.operands() - memory + row.places(target.register_bits);
                for n in 0..10 {
                    let named = row.c.contains(&format!("{{{n}}}"));
                    assert_eq!(
                        named,
                        n < operands,
                        "{} {}: operand {n} in {}",
                        target.name,
                        row.mnemonic,
                        row.c
                    );
                }
                let immediate = row.meaning.has_immediate();
                let named = row.c.contains("{imm}");
                assert_eq!(named, immediate, "{} {}", target.name, row.mnemonic);
            }
        }
    }
}
