//! Instructions that only move bits, and that no kernel selects: what the networks between blocks and registers are made of
//! beside the rows of the targets themselves.

use crate::instruction::{Instruction, Meaning::*, row};
use crate::target::Target;

const ALU: u16 = 0b10_0011;
const SHUFFLE: u16 = 0b10_0010;
const SHUFFLE512: u16 = 0b10_0000;
const CROSS: u16 = 0b10_0000;

#[rustfmt::skip]
const SSE: &[Instruction] = &[
    row(EvenLanes, 32, "shufps", "_mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps({0}), _mm_castsi128_ps({1}), 0x88))", 1, 1, SHUFFLE),
    row(OddLanes, 32, "shufps", "_mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps({0}), _mm_castsi128_ps({1}), 0xdd))", 1, 1, SHUFFLE),
];

// Without byte shuffles.
#[rustfmt::skip]
const SSE2: &[Instruction] = &[
    row(EvenLanes, 8, "pand+pand+packuswb", "_mm_packus_epi16(_mm_and_si128({0}, _mm_set1_epi16(255)), _mm_and_si128({1}, _mm_set1_epi16(255)))", 2, 3, ALU),
    row(OddLanes, 8, "psrlw+psrlw+packuswb", "_mm_packus_epi16(_mm_srli_epi16({0}, 8), _mm_srli_epi16({1}, 8))", 2, 3, ALU),
    row(PermuteQuads, 16, "pshuflw+pshufhw", "_mm_shufflehi_epi16(_mm_shufflelo_epi16({0}, {imm}), {imm})", 2, 2, SHUFFLE),
    row(RotateLeft, 16, "psllw+psrlw+por", "_mm_or_si128(_mm_slli_epi16({0}, {imm}), _mm_srli_epi16({0}, {inv}))", 2, 3, ALU),
];

#[rustfmt::skip]
const SSE41: &[Instruction] = &[
    row(Blend, 16, "pblendw", "_mm_blend_epi16({0}, {1}, {imm})", 1, 1, SHUFFLE),
];

#[rustfmt::skip]
const YMM: &[Instruction] = &[
    row(EvenLanes, 32, "vshufps", "_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps({0}), _mm256_castsi256_ps({1}), 0x88))", 1, 1, SHUFFLE),
    row(OddLanes, 32, "vshufps", "_mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps({0}), _mm256_castsi256_ps({1}), 0xdd))", 1, 1, SHUFFLE),
    row(Blend, 16, "vpblendw", "_mm256_blend_epi16({0}, {1}, {imm})", 1, 1, SHUFFLE),
    row(Blend, 32, "vpblendd", "_mm256_blend_epi32({0}, {1}, {imm})", 1, 1, ALU),
    row(PermuteTwoGroups, 0, "vperm2i128", "_mm256_permute2x128_si256({0}, {1}, {imm})", 3, 1, CROSS),
    row(PermuteLanes, 32, "vpermd", "_mm256_permutevar8x32_epi32({0}, {1})", 3, 1, CROSS),
];

#[rustfmt::skip]
const ZMM: &[Instruction] = &[
    row(EvenLanes, 32, "vshufps", "_mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps({0}), _mm512_castsi512_ps({1}), 0x88))", 1, 1, SHUFFLE512),
    row(OddLanes, 32, "vshufps", "_mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps({0}), _mm512_castsi512_ps({1}), 0xdd))", 1, 1, SHUFFLE512),
    row(PermuteLanesOfTwo, 64, "vpermt2q", "_mm512_permutex2var_epi64({0}, {1}, {2})", 3, 1, CROSS),
    row(PermuteLanes, 32, "vpermd", "_mm512_permutexvar_epi32({1}, {0})", 3, 1, CROSS),
    row(MergeShuffledBytes, 0, "vpshufb", "_mm512_mask_shuffle_epi8({0}, (__mmask64)({imm} * 0x0001000100010001ull), {1}, {2})", 1, 1, SHUFFLE512),
];

// Source of the numbers: as those of the target.
#[rustfmt::skip]
const NEON: &[Instruction] = &[
    row(InterleaveLow, 8, "zip1", "vzip1q_u8({0}, {1})", 2, 1, 0),
    row(InterleaveLow, 16, "zip1", "vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(InterleaveLow, 32, "zip1", "vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(InterleaveHigh, 8, "zip2", "vzip2q_u8({0}, {1})", 2, 1, 0),
    row(InterleaveHigh, 16, "zip2", "vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(InterleaveHigh, 32, "zip2", "vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(EvenLanes, 8, "uzp1", "vuzp1q_u8({0}, {1})", 2, 1, 0),
    row(EvenLanes, 16, "uzp1", "vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(EvenLanes, 32, "uzp1", "vreinterpretq_u8_u32(vuzp1q_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(OddLanes, 8, "uzp2", "vuzp2q_u8({0}, {1})", 2, 1, 0),
    row(OddLanes, 16, "uzp2", "vreinterpretq_u8_u16(vuzp2q_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(OddLanes, 32, "uzp2", "vreinterpretq_u8_u32(vuzp2q_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(ExchangeLow, 8, "trn1", "vtrn1q_u8({0}, {1})", 2, 1, 0),
    row(ExchangeLow, 16, "trn1", "vreinterpretq_u8_u16(vtrn1q_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(ExchangeLow, 32, "trn1", "vreinterpretq_u8_u32(vtrn1q_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(ExchangeHigh, 8, "trn2", "vtrn2q_u8({0}, {1})", 2, 1, 0),
    row(ExchangeHigh, 16, "trn2", "vreinterpretq_u8_u16(vtrn2q_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(ExchangeHigh, 32, "trn2", "vreinterpretq_u8_u32(vtrn2q_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
];

// Bytes are counted in memory order, whatever the byte order: see the remark on `vec_perm` in the table of the target.
#[rustfmt::skip]
const ALTIVEC: &[Instruction] = &[
    row(InterleaveLow, 8, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23})", 3, 1, 0),
    row(InterleaveHigh, 8, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31})", 3, 1, 0),
    row(EvenLanes, 8, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30})", 3, 1, 0),
    row(OddLanes, 8, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31})", 3, 1, 0),
    row(InterleaveLow, 16, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23})", 3, 1, 0),
    row(InterleaveHigh, 16, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31})", 3, 1, 0),
    row(EvenLanes, 16, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29})", 3, 1, 0),
    row(OddLanes, 16, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31})", 3, 1, 0),
    row(InterleaveLow, 32, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23})", 3, 1, 0),
    row(InterleaveHigh, 32, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31})", 3, 1, 0),
    row(EvenLanes, 32, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27})", 3, 1, 0),
    row(OddLanes, 32, "vperm", "vec_perm({0}, {1}, (__vector unsigned char){4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31})", 3, 1, 0),
];

impl Target {
    /// All rows that kernels are made of, and then those that only move bits: what a machine program may have. Preferred
    /// ones come first.
    pub fn all_instructions(&self) -> impl Iterator<Item = &'static Instruction> + use<> {
        self.instructions().chain(permutations(self).iter().flat_map(|table| table.iter()))
    }
}

/// The rows for a target; none on general-purpose registers.
fn permutations(target: &Target) -> &'static [&'static [Instruction]] {
    match (target.name, target.register_bits) {
        ("neon" | "neon-aes", _) => &[NEON],
        ("altivec", _) => &[ALTIVEC],
        ("sse2", _) => &[SSE, SSE2],
        ("ssse3", _) => &[SSE],
        (_, 128) => &[SSE41, SSE],
        (_, 256) => &[YMM],
        (_, 512) => &[ZMM],
        _ => &[],
    }
}
