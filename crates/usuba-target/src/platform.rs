//! Families of machines that one library serves: which targets can be tried, and how a CPU tells that it has one.

use crate::core::{Core, TOLD_APART};
use crate::feature::Feature;
use crate::machines::{
    ALTIVEC, AVX_AES, AVX2, AVX512, AVX512_GFNI, AVX512_VAES, GP64, GP64_BMI, NEON, NEON_AES, SSSE3,
};
use crate::target::Target;

/// Machines for which one object file is made.
#[derive(Clone, Copy, Debug)]
pub struct Platform {
    /// Its name.
    pub name: &'static str,
    /// When the C preprocessor compiles for it.
    pub condition: &'static str,
    /// What code exists for, from what all of its machines run. Who has one of them has those before it.
    pub levels: &'static [&'static Target],
    /// The cores that its libraries tell apart; none if all of its machines are taken to be alike.
    pub cores: &'static [&'static Core],
}

/// The platforms with more than general-purpose registers.
pub const PLATFORMS: [Platform; 3] = [
    Platform {
        name: "x86-64",
        condition: "defined(__x86_64__)",
        // Rounds of AES stand behind AVX2, so that a machine without them keeps all it had below AVX-512. AVX-512 whose AES
        // is switched off, as firmware and virtual machines may, is used as AVX2: no such processor was made. VAES
        // without AVX-512 has no level: in a line, AVX-512 without VAES (Skylake) would fall below it.
        levels: &[&GP64, &SSSE3, &AVX2, &AVX_AES, &AVX512, &AVX512_GFNI, &AVX512_VAES],
        cores: TOLD_APART,
    },
    Platform {
        name: "AArch64",
        condition: "defined(__aarch64__) && defined(__ARM_NEON)",
        levels: &[&GP64, &NEON, &NEON_AES],
        cores: &[],
    },
    Platform {
        name: "POWER",
        condition: "defined(__POWER8_VECTOR__)",
        levels: &[&GP64, &ALTIVEC],
        cores: &[],
    },
];

/// What machines of a level have beside its vectors: general-purpose registers with more instructions than all machines have. A
/// machine that lacks them does not have the level.
pub fn beside(level: &Target) -> Option<&'static Target> {
    (level.name == AVX2.name).then_some(&GP64_BMI)
}

/// The level whose code libraries have where they could have that of a target, both by their names: itself, but for a target that
/// is no level and that a level goes beyond, the first level with registers as wide. AVX brings little more to SSSE3 than
/// operands, and no library grows for that.
pub fn level_for(target: &str) -> &str {
    let stands = |platform: &Platform| {
        let level = platform.levels.iter().find(|level| level.bases().any(|base| base.name == target))?;
        let is_as_wide = |other: &&&Target| !other.single_lane && other.register_bits == level.register_bits;
        platform.levels.iter().find(is_as_wide).map(|level| level.name)
    };
    let is_level = PLATFORMS.iter().flat_map(|platform| platform.levels).any(|level| level.name == target);
    if is_level { target } else { PLATFORMS.iter().find_map(stands).unwrap_or(target) }
}

/// Where x86 says whether it has a feature: `CPUID`, and for what needs registers that the operating system must save, `XCR0`
/// (Intel's Software Developer's Manual, volume 1, chapters 13 to 15, and volume 2, `CPUID`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cpuid {
    /// The leaf, 1 or 7; subleaf 0.
    pub leaf: u32,
    /// The register of the answer: 0 to 3 for EAX, EBX, ECX, EDX.
    pub register: u8,
    /// The bit of it.
    pub bit: u8,
    /// The bits of `XCR0` that must be set.
    pub state: u32,
}

/// Vectors of 128 and 256 bits are saved.
const YMM: u32 = 0b110;
/// Those, the mask registers, and all of 512 bits.
const ZMM: u32 = 0b1110_0110;

impl Feature {
    /// The bit of `AT_HWCAP` that says on Linux whether an AArch64 CPU has it (`arch/arm64/include/uapi/asm/hwcap.h`); `None` for
    /// what all of them have, and for features of other machines.
    pub fn hwcap(self) -> Option<u8> {
        match self {
            Feature::NeonAes => Some(3),
            Feature::NeonPmull => Some(4),
            _ => None,
        }
    }

    /// How to ask an x86 CPU; `None` for features of other machines.
    pub fn cpuid(self) -> Option<Cpuid> {
        let ask = |leaf, register, bit, state| Some(Cpuid { leaf, register, bit, state });
        match self {
            Feature::Sse2 => ask(1, 3, 26, 0),
            Feature::Ssse3 => ask(1, 2, 9, 0),
            Feature::Sse41 => ask(1, 2, 19, 0),
            Feature::Sse42 => ask(1, 2, 20, 0),
            Feature::Bmi1 => ask(7, 1, 3, 0),
            Feature::Bmi2 => ask(7, 1, 8, 0),
            Feature::Avx => ask(1, 2, 28, YMM),
            Feature::Avx2 => ask(7, 1, 5, YMM),
            Feature::Avx512F => ask(7, 1, 16, ZMM),
            Feature::Avx512Dq => ask(7, 1, 17, ZMM),
            Feature::Avx512Bw => ask(7, 1, 30, ZMM),
            Feature::Avx512Vl => ask(7, 1, 31, ZMM),
            Feature::Avx512Vbmi2 => ask(7, 2, 6, ZMM),
            // As long as no target has it without AVX, what the operating system saves is asked for by that.
            Feature::Gfni => ask(7, 2, 8, 0),
            // As for GFNI.
            Feature::AesNi => ask(1, 2, 25, 0),
            Feature::Pclmulqdq => ask(1, 2, 1, 0),
            Feature::Vaes => ask(7, 2, 9, 0),
            Feature::Vpclmulqdq => ask(7, 2, 10, 0),
            Feature::NeonAes | Feature::NeonPmull => None,
            Feature::Neon | Feature::Altivec | Feature::Vsx | Feature::Power8Vector => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PLATFORMS, level_for};
    use crate::machines::{AVX, SSSE3};

    #[test]
    fn levels_stand_for_themselves_and_for_what_is_none() {
        for level in PLATFORMS.iter().flat_map(|platform| platform.levels) {
            assert_eq!(level_for(level.name), level.name);
        }
        assert_eq!(level_for(AVX.name), SSSE3.name);
        assert_eq!(level_for("no target"), "no target");
    }
}
