//! CPU features and the names that others give them.

/// Something that a CPU may or may not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Feature {
    /// 128-bit integer vectors of x86.
    Sse2,
    /// Byte shuffles in 128-bit registers.
    Ssse3,
    /// 32-bit vector multiplication.
    Sse41,
    /// 64-bit vector comparison.
    Sse42,
    /// Complements in conjunctions of general-purpose registers (`andn`).
    Bmi1,
    /// Rotations of general-purpose registers that go elsewhere (`rorx`).
    Bmi2,
    /// Three-operand encoding of the 128-bit instructions.
    Avx,
    /// 256-bit integer vectors.
    Avx2,
    /// 512-bit vectors and 32 registers.
    Avx512F,
    /// 512-bit instructions on bytes and 16-bit words.
    Avx512Bw,
    /// 64-bit multiplication and more broadcasts.
    Avx512Dq,
    /// The AVX-512 instructions on 128- and 256-bit registers.
    Avx512Vl,
    /// Shifts of two words as one.
    Avx512Vbmi2,
    /// Affine maps of bytes and inversion in GF(2^8).
    Gfni,
    /// Rounds of AES in 128-bit registers.
    AesNi,
    /// Carry-less products in 128-bit registers.
    Pclmulqdq,
    /// Rounds of AES in 256-bit registers and, with AVX-512, in those of 512 bits.
    Vaes,
    /// The same for carry-less products.
    Vpclmulqdq,
    /// Advanced SIMD of AArch64.
    Neon,
    /// The steps of AES on AArch64 (`FEAT_AES`).
    NeonAes,
    /// Carry-less products of 64 bits on AArch64 (`FEAT_PMULL`).
    NeonPmull,
    /// 128-bit vectors of POWER.
    Altivec,
    /// Vector-scalar extension of POWER.
    Vsx,
    /// The vector instructions on 64-bit lanes of POWER ISA 2.07 (POWER8).
    Power8Vector,
}

impl Feature {
    /// The word in the `flags` (x86), `Features` (AArch64) line of Linux' `/proc/cpuinfo`; on POWER, whose file has no
    /// such line, the name of the bit in the auxiliary vector (`AT_HWCAP`, `AT_HWCAP2`).
    pub fn cpuinfo(self) -> &'static str {
        match self {
            Feature::Sse2 => "sse2",
            Feature::Ssse3 => "ssse3",
            Feature::Sse41 => "sse4_1",
            Feature::Sse42 => "sse4_2",
            Feature::Bmi1 => "bmi1",
            Feature::Bmi2 => "bmi2",
            Feature::Avx => "avx",
            Feature::Avx2 => "avx2",
            Feature::Avx512F => "avx512f",
            Feature::Avx512Bw => "avx512bw",
            Feature::Avx512Dq => "avx512dq",
            Feature::Avx512Vl => "avx512vl",
            Feature::Avx512Vbmi2 => "avx512_vbmi2",
            Feature::Gfni => "gfni",
            Feature::AesNi | Feature::NeonAes => "aes",
            Feature::Pclmulqdq => "pclmulqdq",
            Feature::Vaes => "vaes",
            Feature::Vpclmulqdq => "vpclmulqdq",
            Feature::Neon => "asimd",
            Feature::NeonPmull => "pmull",
            Feature::Altivec => "PPC_FEATURE_HAS_ALTIVEC",
            Feature::Vsx => "PPC_FEATURE_HAS_VSX",
            Feature::Power8Vector => "PPC_FEATURE2_ARCH_2_07",
        }
    }

    /// The option of gcc and clang that allows its instructions; empty where the architecture always has it.
    pub fn flag(self) -> &'static str {
        match self {
            Feature::Sse2 => "-msse2",
            Feature::Ssse3 => "-mssse3",
            Feature::Sse41 => "-msse4.1",
            Feature::Sse42 => "-msse4.2",
            Feature::Bmi1 => "-mbmi",
            Feature::Bmi2 => "-mbmi2",
            Feature::Avx => "-mavx",
            Feature::Avx2 => "-mavx2",
            Feature::Avx512F => "-mavx512f",
            Feature::Avx512Bw => "-mavx512bw",
            Feature::Avx512Dq => "-mavx512dq",
            Feature::Avx512Vl => "-mavx512vl",
            Feature::Avx512Vbmi2 => "-mavx512vbmi2",
            Feature::Gfni => "-mgfni",
            Feature::AesNi => "-maes",
            Feature::Pclmulqdq => "-mpclmul",
            Feature::Vaes => "-mvaes",
            Feature::Vpclmulqdq => "-mvpclmulqdq",
            Feature::Neon => "",
            // `+aes` allows both; gcc before 13 wants all of the extension.
            Feature::NeonAes | Feature::NeonPmull => "-march=armv8-a+crypto",
            Feature::Altivec => "-maltivec",
            Feature::Vsx => "-mvsx",
            Feature::Power8Vector => "-mpower8-vector",
        }
    }

    /// The word for it in the attribute `target` of gcc and clang.
    pub fn attribute(self) -> &'static str {
        self.flag().trim_start_matches("-m")
    }
}
