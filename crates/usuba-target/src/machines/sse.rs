//! 128-bit registers of x86, in the two-operand and in the three-operand (VEX) encoding.

use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning::*, row};
use crate::target::{ByteOrder, Target, Toolchain};

const ALU: u16 = 0b10_0011;
const SHIFT: u16 = 0b11;
const SHUFFLE: u16 = 0b10_0010;
const MULTIPLY: u16 = 0b11;
const LOADS: u16 = 0b1000_0000_1100;
const STORES: u16 = 0b11_1001_0000;

// Two-operand encoding: the result takes the place of the first operand.
#[rustfmt::skip]
const BASE: &[Instruction] = &[
    row(And,                  0,   "pand",                          "_mm_and_si128({0}, {1})", 1, 1, ALU),
    row(Or,                   0,   "por",                           "_mm_or_si128({0}, {1})", 1, 1, ALU),
    row(Xor,                  0,   "pxor",                          "_mm_xor_si128({0}, {1})", 1, 1, ALU),
    row(NotAnd,               0,   "pandn",                         "_mm_andnot_si128({0}, {1})", 1, 1, ALU),
    row(Add,                  8,   "paddb",                         "_mm_add_epi8({0}, {1})", 1, 1, ALU),
    row(Add,                  16,  "paddw",                         "_mm_add_epi16({0}, {1})", 1, 1, ALU),
    row(Add,                  32,  "paddd",                         "_mm_add_epi32({0}, {1})", 1, 1, ALU),
    row(Add,                  64,  "paddq",                         "_mm_add_epi64({0}, {1})", 1, 1, ALU),
    row(Subtract,             8,   "psubb",                         "_mm_sub_epi8({0}, {1})", 1, 1, ALU),
    row(Subtract,             16,  "psubw",                         "_mm_sub_epi16({0}, {1})", 1, 1, ALU),
    row(Subtract,             32,  "psubd",                         "_mm_sub_epi32({0}, {1})", 1, 1, ALU),
    row(Subtract,             64,  "psubq",                         "_mm_sub_epi64({0}, {1})", 1, 1, ALU),
    row(Multiply,             16,  "pmullw",                        "_mm_mullo_epi16({0}, {1})", 5, 1, MULTIPLY),
    row(MultiplyLowHalves,    64,  "pmuludq",                       "_mm_mul_epu32({0}, {1})", 5, 1, MULTIPLY),
    row(ShiftLeft,            16,  "psllw",                         "_mm_slli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            32,  "pslld",                         "_mm_slli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            64,  "psllq",                         "_mm_slli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           16,  "psrlw",                         "_mm_srli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           32,  "psrld",                         "_mm_srli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           64,  "psrlq",                         "_mm_srli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 16,  "psraw",                         "_mm_srai_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 32,  "psrad",                         "_mm_srai_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShuffleWords,         32,  "pshufd",                        "_mm_shuffle_epi32({0}, {imm})", 1, 1, SHUFFLE),
    row(Load,                 0,   "movdqa",                        "{0}", 6, 1, LOADS),
    row(Store,                0,   "movdqa",                        "{0} = {1}", 1, 1, STORES),
    row(Broadcast,            8,   "movd+punpcklbw+pshuflw+pshufd", "_mm_set1_epi8((char){0})", 9, 4, LOADS),
    row(Broadcast,            16,  "movd+pshuflw+pshufd",           "_mm_set1_epi16((short){0})", 8, 3, LOADS),
    row(Broadcast,            32,  "movd+pshufd",                   "_mm_set1_epi32((int){0})", 7, 2, LOADS),
    row(Broadcast,            64,  "movq+punpcklqdq",               "_mm_set1_epi64x((long long){0})", 7, 2, LOADS),
    row(Broadcast,            128, "movdqu",                        "_mm_loadu_si128((const __m128i *)(const void *){0})", 6, 1, LOADS),
    row(Constant,             8,   "movdqa",                        "_mm_set1_epi8((char){value})", 6, 1, LOADS),
    row(Constant,             16,  "movdqa",                        "_mm_set1_epi16((short){value})", 6, 1, LOADS),
    row(Constant,             32,  "movdqa",                        "_mm_set1_epi32((int){value})", 6, 1, LOADS),
    row(Constant,             64,  "movdqa",                        "_mm_set1_epi64x((long long){value})", 6, 1, LOADS),
    row(ConstantGroup,        0,   "movdqa",                        "_mm_setr_epi8({bytes})", 6, 1, LOADS),
    row(ConstantBytes,        0,   "movdqa",                        "_mm_setr_epi8({bytes})", 6, 1, LOADS),
];

// SSSE3.
#[rustfmt::skip]
const BYTE_SHUFFLE: &[Instruction] = &[
    row(ShuffleBytes, 0, "pshufb", "_mm_shuffle_epi8({0}, {1})", 1, 1, SHUFFLE),
];

// SSE4.1.
#[rustfmt::skip]
const WIDE_MULTIPLY: &[Instruction] = &[
    row(Multiply, 32, "pmulld", "_mm_mullo_epi32({0}, {1})", 10, 2, MULTIPLY),
];

// Three-operand encoding.
#[rustfmt::skip]
pub(super) const VEX: &[Instruction] = &[
    row(ShuffleBytes,         0,   "vpshufb",                           "_mm_shuffle_epi8({0}, {1})", 1, 1, SHUFFLE),
    row(Multiply,             32,  "vpmulld",                           "_mm_mullo_epi32({0}, {1})", 10, 2, MULTIPLY),
    row(And,                  0,   "vpand",                             "_mm_and_si128({0}, {1})", 1, 1, ALU),
    row(Or,                   0,   "vpor",                              "_mm_or_si128({0}, {1})", 1, 1, ALU),
    row(Xor,                  0,   "vpxor",                             "_mm_xor_si128({0}, {1})", 1, 1, ALU),
    row(NotAnd,               0,   "vpandn",                            "_mm_andnot_si128({0}, {1})", 1, 1, ALU),
    row(Add,                  8,   "vpaddb",                            "_mm_add_epi8({0}, {1})", 1, 1, ALU),
    row(Add,                  16,  "vpaddw",                            "_mm_add_epi16({0}, {1})", 1, 1, ALU),
    row(Add,                  32,  "vpaddd",                            "_mm_add_epi32({0}, {1})", 1, 1, ALU),
    row(Add,                  64,  "vpaddq",                            "_mm_add_epi64({0}, {1})", 1, 1, ALU),
    row(Subtract,             8,   "vpsubb",                            "_mm_sub_epi8({0}, {1})", 1, 1, ALU),
    row(Subtract,             16,  "vpsubw",                            "_mm_sub_epi16({0}, {1})", 1, 1, ALU),
    row(Subtract,             32,  "vpsubd",                            "_mm_sub_epi32({0}, {1})", 1, 1, ALU),
    row(Subtract,             64,  "vpsubq",                            "_mm_sub_epi64({0}, {1})", 1, 1, ALU),
    row(Multiply,             16,  "vpmullw",                           "_mm_mullo_epi16({0}, {1})", 5, 1, MULTIPLY),
    row(MultiplyLowHalves,    64,  "vpmuludq",                          "_mm_mul_epu32({0}, {1})", 5, 1, MULTIPLY),
    row(ShiftLeft,            16,  "vpsllw",                            "_mm_slli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            32,  "vpslld",                            "_mm_slli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            64,  "vpsllq",                            "_mm_slli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           16,  "vpsrlw",                            "_mm_srli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           32,  "vpsrld",                            "_mm_srli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           64,  "vpsrlq",                            "_mm_srli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 16,  "vpsraw",                            "_mm_srai_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 32,  "vpsrad",                            "_mm_srai_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShuffleWords,         32,  "vpshufd",                           "_mm_shuffle_epi32({0}, {imm})", 1, 1, SHUFFLE),
    row(Load,                 0,   "vmovdqa",                           "{0}", 6, 1, LOADS),
    row(Store,                0,   "vmovdqa",                           "{0} = {1}", 1, 1, STORES),
    row(Broadcast,            8,   "vmovd+vpunpcklbw+vpshuflw+vpshufd", "_mm_set1_epi8((char){0})", 9, 4, LOADS),
    row(Broadcast,            16,  "vmovd+vpshuflw+vpshufd",            "_mm_set1_epi16((short){0})", 8, 3, LOADS),
    row(Broadcast,            32,  "vmovd+vpshufd",                     "_mm_set1_epi32((int){0})", 7, 2, LOADS),
    row(Broadcast,            64,  "vmovq+vpunpcklqdq",                 "_mm_set1_epi64x((long long){0})", 7, 2, LOADS),
    row(Broadcast,            128, "vmovdqu",                           "_mm_loadu_si128((const __m128i *)(const void *){0})", 6, 1, LOADS),
    row(Constant,             8,   "vmovdqa",                           "_mm_set1_epi8((char){value})", 6, 1, LOADS),
    row(Constant,             16,  "vmovdqa",                           "_mm_set1_epi16((short){value})", 6, 1, LOADS),
    row(Constant,             32,  "vmovdqa",                           "_mm_set1_epi32((int){value})", 6, 1, LOADS),
    row(Constant,             64,  "vmovdqa",                           "_mm_set1_epi64x((long long){value})", 6, 1, LOADS),
    row(ConstantGroup,        0,   "vmovdqa",                           "_mm_setr_epi8({bytes})", 6, 1, LOADS),
    row(ConstantBytes,        0,   "vmovdqa",                           "_mm_setr_epi8({bytes})", 6, 1, LOADS),
];

/// 128-bit SSE2.
pub const SSE2: Target = Target {
    name: "sse2",
    beyond: None,
    description: "128-bit SSE2 of every x86-64 CPU",
    requires: &[Feature::Sse2],
    register_bits: 128,
    register_count: 16,
    register_types: ["__m128i"; 5],
    single_lane: false,
    headers: &["emmintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-msse2"],
        clang: "clang",
        clang_flags: &["-msse2"],
        runner: &[],
    }],
    code_bytes_tenths: 48,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[BASE],
};

/// 128-bit SSE with byte shuffles.
pub const SSSE3: Target = Target {
    name: "ssse3",
    beyond: None,
    description: "128-bit SSE with byte shuffles",
    requires: &[Feature::Sse2, Feature::Ssse3],
    register_bits: 128,
    register_count: 16,
    register_types: ["__m128i"; 5],
    single_lane: false,
    headers: &["tmmintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mssse3"],
        clang: "clang",
        clang_flags: &["-mssse3"],
        runner: &[],
    }],
    code_bytes_tenths: 48,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[BYTE_SHUFFLE, BASE],
};

/// 128-bit SSE4.2.
pub const SSE42: Target = Target {
    name: "sse4.2",
    beyond: None,
    description: "128-bit SSE4.2",
    requires: &[Feature::Sse2, Feature::Ssse3, Feature::Sse41, Feature::Sse42],
    register_bits: 128,
    register_count: 16,
    register_types: ["__m128i"; 5],
    single_lane: false,
    headers: &["nmmintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-msse4.2"],
        clang: "clang",
        clang_flags: &["-msse4.2"],
        runner: &[],
    }],
    code_bytes_tenths: 48,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[WIDE_MULTIPLY, BYTE_SHUFFLE, BASE],
};

/// 128-bit integers in the three-operand encoding; the 256-bit registers of AVX have no integer instructions.
pub const AVX: Target = Target {
    name: "avx",
    beyond: None,
    description: "128-bit integers in the three-operand encoding of AVX",
    requires: &[Feature::Avx],
    register_bits: 128,
    register_count: 16,
    register_types: ["__m128i"; 5],
    single_lane: false,
    headers: &["immintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mavx"],
        clang: "clang",
        clang_flags: &["-mavx"],
        runner: &[],
    }],
    code_bytes_tenths: 48,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[VEX],
};
