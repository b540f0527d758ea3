//! 256-bit registers of x86.

use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning::*, row};
use crate::target::{ByteOrder, Target, Toolchain};

const ALU: u16 = 0b10_0011;
const SHIFT: u16 = 0b11;
const SHUFFLE: u16 = 0b10_0010;
const MULTIPLY: u16 = 0b11;
/// From memory of the public tables for Ice Lake: as the instructions for AES.
const MAP: u16 = 0b11;
const LOADS: u16 = 0b1000_0000_1100;
const STORES: u16 = 0b11_1001_0000;
const CROSS: u16 = 0b10_0000;

// AVX2. Shuffles stay inside 128-bit groups but for `vperm2i128`.
#[rustfmt::skip]
pub(super) const BASE: &[Instruction] = &[
    row(And,                  0,   "vpand",          "_mm256_and_si256({0}, {1})", 1, 1, ALU),
    row(Or,                   0,   "vpor",           "_mm256_or_si256({0}, {1})", 1, 1, ALU),
    row(Xor,                  0,   "vpxor",          "_mm256_xor_si256({0}, {1})", 1, 1, ALU),
    row(NotAnd,               0,   "vpandn",         "_mm256_andnot_si256({0}, {1})", 1, 1, ALU),
    row(Add,                  8,   "vpaddb",         "_mm256_add_epi8({0}, {1})", 1, 1, ALU),
    row(Add,                  16,  "vpaddw",         "_mm256_add_epi16({0}, {1})", 1, 1, ALU),
    row(Add,                  32,  "vpaddd",         "_mm256_add_epi32({0}, {1})", 1, 1, ALU),
    row(Add,                  64,  "vpaddq",         "_mm256_add_epi64({0}, {1})", 1, 1, ALU),
    row(Subtract,             8,   "vpsubb",         "_mm256_sub_epi8({0}, {1})", 1, 1, ALU),
    row(Subtract,             16,  "vpsubw",         "_mm256_sub_epi16({0}, {1})", 1, 1, ALU),
    row(Subtract,             32,  "vpsubd",         "_mm256_sub_epi32({0}, {1})", 1, 1, ALU),
    row(Subtract,             64,  "vpsubq",         "_mm256_sub_epi64({0}, {1})", 1, 1, ALU),
    row(Multiply,             16,  "vpmullw",        "_mm256_mullo_epi16({0}, {1})", 5, 1, MULTIPLY),
    row(MultiplyLowHalves,    64,  "vpmuludq",       "_mm256_mul_epu32({0}, {1})", 5, 1, MULTIPLY),
    row(ShiftLeft,            16,  "vpsllw",         "_mm256_slli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            32,  "vpslld",         "_mm256_slli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            64,  "vpsllq",         "_mm256_slli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           16,  "vpsrlw",         "_mm256_srli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           32,  "vpsrld",         "_mm256_srli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           64,  "vpsrlq",         "_mm256_srli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 16,  "vpsraw",         "_mm256_srai_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 32,  "vpsrad",         "_mm256_srai_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShuffleWords,         32,  "vpshufd",        "_mm256_shuffle_epi32({0}, {imm})", 1, 1, SHUFFLE),
    row(Load,                 0,   "vmovdqa",        "{0}", 7, 1, LOADS),
    row(Store,                0,   "vmovdqa",        "{0} = {1}", 1, 1, STORES),
    row(Broadcast,            8,   "vpbroadcastb",   "_mm256_set1_epi8((char){0})", 8, 2, LOADS),
    row(Broadcast,            16,  "vpbroadcastw",   "_mm256_set1_epi16((short){0})", 8, 2, LOADS),
    row(Broadcast,            32,  "vpbroadcastd",   "_mm256_set1_epi32((int){0})", 7, 1, LOADS),
    row(Broadcast,            64,  "vpbroadcastq",   "_mm256_set1_epi64x((long long){0})", 7, 1, LOADS),
    row(Broadcast,            128, "vbroadcasti128", "_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *){0}))", 7, 1, LOADS),
    row(Broadcast,            256, "vmovdqu",        "_mm256_loadu_si256((const __m256i *)(const void *){0})", 7, 1, LOADS),
    row(Constant,             8,   "vmovdqa",        "_mm256_set1_epi8((char){value})", 7, 1, LOADS),
    row(Constant,             16,  "vmovdqa",        "_mm256_set1_epi16((short){value})", 7, 1, LOADS),
    row(Constant,             32,  "vmovdqa",        "_mm256_set1_epi32((int){value})", 7, 1, LOADS),
    row(Constant,             64,  "vmovdqa",        "_mm256_set1_epi64x((long long){value})", 7, 1, LOADS),
    row(ConstantGroup,        0,   "vbroadcasti128", "_mm256_broadcastsi128_si256(_mm_setr_epi8({bytes}))", 7, 1, LOADS),
    row(ConstantBytes,        0,   "vmovdqa",        "_mm256_setr_epi8({bytes})", 7, 1, LOADS),
    row(Multiply,             32,  "vpmulld",        "_mm256_mullo_epi32({0}, {1})", 10, 2, MULTIPLY),
    row(ShuffleBytes,         0,   "vpshufb",        "_mm256_shuffle_epi8({0}, {1})", 1, 1, SHUFFLE),
    row(PermuteGroups,        0,   "vperm2i128",     "_mm256_permute2x128_si256({0}, {0}, {imm})", 3, 1, CROSS),
];

/// 256-bit AVX2.
pub const AVX2: Target = Target {
    name: "avx2",
    beyond: None,
    description: "256-bit AVX2",
    requires: &[Feature::Avx, Feature::Avx2],
    register_bits: 256,
    register_count: 16,
    register_types: ["__m256i"; 5],
    single_lane: false,
    headers: &["immintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mavx2"],
        clang: "clang",
        clang_flags: &["-mavx2"],
        runner: &[],
    }],
    code_bytes_tenths: 52,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[BASE],
};

/// AVX2 with maps of bytes.
pub const AVX2_GFNI: Target = Target {
    name: "avx2-gfni",
    beyond: Some("avx2"),
    description: "256-bit AVX2 with maps of bytes (GFNI)",
    requires: &[Feature::Avx, Feature::Avx2, Feature::Gfni],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mavx2", "-mgfni"],
        clang: "clang",
        clang_flags: &["-mavx2", "-mgfni"],
        runner: &[],
    }],
    tables: &[BYTES, BASE],
    ..AVX2
};

#[rustfmt::skip]
const BYTES: &[Instruction] = &[
    row(MapBytes,        8, "vgf2p8affineqb",    "_mm256_gf2p8affine_epi64_epi8({0}, {1}, {imm})", 3, 1, MAP),
    row(MapInverseBytes, 8, "vgf2p8affineinvqb", "_mm256_gf2p8affineinv_epi64_epi8({0}, {1}, {imm})", 3, 1, MAP),
];
