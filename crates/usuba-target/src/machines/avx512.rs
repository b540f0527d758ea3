//! AVX-512 (F, BW, DQ, VL), on 512-bit, 256-bit and 128-bit registers.

use super::{avx2, sse};
use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning::*, row};
use crate::target::{ByteOrder, Target, Toolchain};

const ALU: u16 = 0b10_0001;
const SHIFT: u16 = 0b1;
const SHUFFLE: u16 = 0b10_0000;
const MULTIPLY: u16 = 0b1;
/// From memory of the public tables for Ice Lake: as the instructions for AES.
const MAP: u16 = 0b1;
const CROSS: u16 = 0b10_0000;
const LOADS512: u16 = 0b1100;
const ALU256: u16 = 0b10_0011;
const SHIFT256: u16 = 0b11;
const MULTIPLY256: u16 = 0b11;
const LOADS: u16 = 0b1000_0000_1100;
const STORES: u16 = 0b11_1001_0000;

// 512-bit registers. No byte permutes of VBMI: `vpshufb` of permuted groups does for every shuffle.
#[rustfmt::skip]
const BASE: &[Instruction] = &[
    row(And,                  0,   "vpandq",          "_mm512_and_si512({0}, {1})", 1, 1, ALU),
    row(Or,                   0,   "vporq",           "_mm512_or_si512({0}, {1})", 1, 1, ALU),
    row(Xor,                  0,   "vpxorq",          "_mm512_xor_si512({0}, {1})", 1, 1, ALU),
    row(NotAnd,               0,   "vpandnq",         "_mm512_andnot_si512({0}, {1})", 1, 1, ALU),
    row(Ternary,              0,   "vpternlogq",      "_mm512_ternarylogic_epi64({0}, {1}, {2}, {imm})", 1, 1, ALU),
    row(RotateLeft,           32,  "vprold",          "_mm512_rol_epi32({0}, {imm})", 1, 1, SHIFT),
    row(RotateLeft,           64,  "vprolq",          "_mm512_rol_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 64,  "vpsraq",          "_mm512_srai_epi64({0}, {imm})", 1, 1, SHIFT),
    row(Multiply,             64,  "vpmullq",         "_mm512_mullo_epi64({0}, {1})", 15, 3, MULTIPLY),
    row(Add,                  8,   "vpaddb",          "_mm512_add_epi8({0}, {1})", 1, 1, ALU),
    row(Add,                  16,  "vpaddw",          "_mm512_add_epi16({0}, {1})", 1, 1, ALU),
    row(Add,                  32,  "vpaddd",          "_mm512_add_epi32({0}, {1})", 1, 1, ALU),
    row(Add,                  64,  "vpaddq",          "_mm512_add_epi64({0}, {1})", 1, 1, ALU),
    row(Subtract,             8,   "vpsubb",          "_mm512_sub_epi8({0}, {1})", 1, 1, ALU),
    row(Subtract,             16,  "vpsubw",          "_mm512_sub_epi16({0}, {1})", 1, 1, ALU),
    row(Subtract,             32,  "vpsubd",          "_mm512_sub_epi32({0}, {1})", 1, 1, ALU),
    row(Subtract,             64,  "vpsubq",          "_mm512_sub_epi64({0}, {1})", 1, 1, ALU),
    row(Multiply,             16,  "vpmullw",         "_mm512_mullo_epi16({0}, {1})", 5, 1, MULTIPLY),
    row(Multiply,             32,  "vpmulld",         "_mm512_mullo_epi32({0}, {1})", 10, 2, MULTIPLY),
    row(MultiplyLowHalves,    64,  "vpmuludq",        "_mm512_mul_epu32({0}, {1})", 5, 1, MULTIPLY),
    row(ShiftLeft,            16,  "vpsllw",          "_mm512_slli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            32,  "vpslld",          "_mm512_slli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftLeft,            64,  "vpsllq",          "_mm512_slli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           16,  "vpsrlw",          "_mm512_srli_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           32,  "vpsrld",          "_mm512_srli_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRight,           64,  "vpsrlq",          "_mm512_srli_epi64({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 16,  "vpsraw",          "_mm512_srai_epi16({0}, {imm})", 1, 1, SHIFT),
    row(ShiftRightArithmetic, 32,  "vpsrad",          "_mm512_srai_epi32({0}, {imm})", 1, 1, SHIFT),
    row(ShuffleWords,         32,  "vpshufd",         "_mm512_shuffle_epi32({0}, (_MM_PERM_ENUM){imm})", 1, 1, SHUFFLE),
    row(ShuffleBytes,         0,   "vpshufb",         "_mm512_shuffle_epi8({0}, {1})", 1, 1, SHUFFLE),
    row(PermuteGroups,        0,   "vshufi64x2",      "_mm512_shuffle_i64x2({0}, {0}, {imm})", 3, 1, CROSS),
    row(Load,                 0,   "vmovdqa64",       "{0}", 8, 1, LOADS512),
    row(Store,                0,   "vmovdqa64",       "{0} = {1}", 1, 1, STORES),
    row(Broadcast,            8,   "vpbroadcastb",    "_mm512_set1_epi8((char){0})", 9, 2, LOADS512),
    row(Broadcast,            16,  "vpbroadcastw",    "_mm512_set1_epi16((short){0})", 9, 2, LOADS512),
    row(Broadcast,            32,  "vpbroadcastd",    "_mm512_set1_epi32((int){0})", 8, 1, LOADS512),
    row(Broadcast,            64,  "vpbroadcastq",    "_mm512_set1_epi64((long long){0})", 8, 1, LOADS512),
    row(Broadcast,            128, "vbroadcasti32x4", "_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *){0}))", 8, 1, LOADS512),
    row(Broadcast,            256, "vbroadcasti64x4", "_mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *){0}))", 8, 1, LOADS512),
    row(Broadcast,            512, "vmovdqu64",       "_mm512_loadu_si512((const void *){0})", 8, 1, LOADS512),
    row(Constant,             8,   "vmovdqa64",       "_mm512_set1_epi8((char){value})", 8, 1, LOADS512),
    row(Constant,             16,  "vmovdqa64",       "_mm512_set1_epi16((short){value})", 8, 1, LOADS512),
    row(Constant,             32,  "vmovdqa64",       "_mm512_set1_epi32((int){value})", 8, 1, LOADS512),
    row(Constant,             64,  "vmovdqa64",       "_mm512_set1_epi64((long long){value})", 8, 1, LOADS512),
    row(ConstantGroup,        0,   "vbroadcasti32x4", "_mm512_broadcast_i32x4(_mm_setr_epi8({bytes}))", 8, 1, LOADS512),
    row(ConstantBytes,        0,   "vmovdqa64",       "_mm512_set_epi8({reversed})", 8, 1, LOADS512),
];

// 256-bit registers: what is new beside AVX2, and what has another name in the encoding that reaches all 32 registers.
#[rustfmt::skip]
const NARROW: &[Instruction] = &[
    row(And,                  0,  "vpandq",     "_mm256_and_si256({0}, {1})", 1, 1, ALU256),
    row(Or,                   0,  "vporq",      "_mm256_or_si256({0}, {1})", 1, 1, ALU256),
    row(Xor,                  0,  "vpxorq",     "_mm256_xor_si256({0}, {1})", 1, 1, ALU256),
    row(NotAnd,               0,  "vpandnq",    "_mm256_andnot_si256({0}, {1})", 1, 1, ALU256),
    row(Ternary,              0,  "vpternlogq", "_mm256_ternarylogic_epi64({0}, {1}, {2}, {imm})", 1, 1, ALU256),
    row(RotateLeft,           32, "vprold",     "_mm256_rol_epi32({0}, {imm})", 1, 1, SHIFT256),
    row(RotateLeft,           64, "vprolq",     "_mm256_rol_epi64({0}, {imm})", 1, 1, SHIFT256),
    row(ShiftRightArithmetic, 64, "vpsraq",     "_mm256_srai_epi64({0}, {imm})", 1, 1, SHIFT256),
    row(Multiply,             64, "vpmullq",    "_mm256_mullo_epi64({0}, {1})", 15, 3, MULTIPLY256),
    row(Load,                 0,  "vmovdqa64",  "{0}", 7, 1, LOADS),
    row(Store,                0,  "vmovdqa64",  "{0} = {1}", 1, 1, STORES),
];

// 128-bit registers: what is new beside AVX.
#[rustfmt::skip]
const NARROWEST: &[Instruction] = &[
    row(And,                  0,  "vpandq",     "_mm_and_si128({0}, {1})", 1, 1, ALU256),
    row(Or,                   0,  "vporq",      "_mm_or_si128({0}, {1})", 1, 1, ALU256),
    row(Xor,                  0,  "vpxorq",     "_mm_xor_si128({0}, {1})", 1, 1, ALU256),
    row(NotAnd,               0,  "vpandnq",    "_mm_andnot_si128({0}, {1})", 1, 1, ALU256),
    row(Ternary,              0,  "vpternlogq", "_mm_ternarylogic_epi64({0}, {1}, {2}, {imm})", 1, 1, ALU256),
    row(RotateLeft,           32, "vprold",     "_mm_rol_epi32({0}, {imm})", 1, 1, SHIFT256),
    row(RotateLeft,           64, "vprolq",     "_mm_rol_epi64({0}, {imm})", 1, 1, SHIFT256),
    row(ShiftRightArithmetic, 64, "vpsraq",     "_mm_srai_epi64({0}, {imm})", 1, 1, SHIFT256),
    row(Multiply,             64, "vpmullq",    "_mm_mullo_epi64({0}, {1})", 15, 3, MULTIPLY256),
    row(Load,                 0,  "vmovdqa64",  "{0}", 6, 1, LOADS),
    row(Store,                0,  "vmovdqa64",  "{0} = {1}", 1, 1, STORES),
    row(Broadcast,            8,   "vpbroadcastb", "_mm_set1_epi8((char){0})", 8, 2, LOADS),
    row(Broadcast,            16,  "vpbroadcastw", "_mm_set1_epi16((short){0})", 8, 2, LOADS),
    row(Broadcast,            32,  "vpbroadcastd", "_mm_set1_epi32((int){0})", 6, 1, LOADS),
    row(Broadcast,            64,  "vpbroadcastq", "_mm_set1_epi64x((long long){0})", 6, 1, LOADS),
    row(Broadcast,            128, "vmovdqu64",    "_mm_loadu_si128((const __m128i *)(const void *){0})", 6, 1, LOADS),
];

/// 128-bit AVX-512.
pub const AVX512_128: Target = Target {
    name: "avx512-128",
    description: "128-bit registers, 32 of them, with AVX-512 F, BW, DQ, VL",
    requires: &[Feature::Avx, Feature::Avx512F, Feature::Avx512Bw, Feature::Avx512Dq, Feature::Avx512Vl],
    register_bits: 128,
    register_types: ["__m128i"; 5],
    tables: &[NARROWEST, sse::VEX],
    ..AVX512_256
};

/// 256-bit AVX-512.
pub const AVX512_256: Target = Target {
    name: "avx512-256",
    beyond: None,
    description: "256-bit registers, 32 of them, with AVX-512 F, BW, DQ, VL",
    requires: &[Feature::Avx2, Feature::Avx512F, Feature::Avx512Bw, Feature::Avx512Dq, Feature::Avx512Vl],
    register_bits: 256,
    register_count: 32,
    register_types: ["__m256i"; 5],
    single_lane: false,
    headers: &["immintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=256"],
        clang: "clang",
        clang_flags: &["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=256"],
        runner: &[],
    }],
    code_bytes_tenths: 62,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[NARROW, avx2::BASE],
};

/// 512-bit AVX-512.
pub const AVX512: Target = Target {
    name: "avx512",
    beyond: None,
    description: "512-bit registers with AVX-512 F, BW, DQ, VL",
    requires: &[Feature::Avx512F, Feature::Avx512Bw, Feature::Avx512Dq, Feature::Avx512Vl],
    register_bits: 512,
    register_count: 32,
    register_types: ["__m512i"; 5],
    single_lane: false,
    headers: &["immintrin.h"],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"],
        clang: "clang",
        clang_flags: &["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"],
        runner: &[],
    }],
    code_bytes_tenths: 66,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
    numbers: super::GOLDEN_COVE,
    tables: &[BASE],
};

/// AVX-512 with maps of bytes: all processors with AVX-512 since Ice Lake and Zen 4.
pub const AVX512_GFNI: Target = Target {
    name: "avx512-gfni",
    beyond: Some("avx512"),
    description: "512-bit registers with AVX-512 F, BW, DQ, VL, and maps of bytes (GFNI)",
    requires: &[Feature::Avx512F, Feature::Avx512Bw, Feature::Avx512Dq, Feature::Avx512Vl, Feature::Gfni],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mgfni"],
        clang: "clang",
        clang_flags: &["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mgfni"],
        runner: &[],
    }],
    tables: &[BYTES, BASE],
    ..AVX512
};

#[rustfmt::skip]
const BYTES: &[Instruction] = &[
    row(MapBytes,        8, "vgf2p8affineqb",    "_mm512_gf2p8affine_epi64_epi8({0}, {1}, {imm})", 3, 1, MAP),
    row(MapInverseBytes, 8, "vgf2p8affineinvqb", "_mm512_gf2p8affineinv_epi64_epi8({0}, {1}, {imm})", 3, 1, MAP),
];
