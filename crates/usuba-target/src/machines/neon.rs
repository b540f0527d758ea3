//! Advanced SIMD of AArch64.

use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning::*, row};
use crate::target::{ByteOrder, Rows, Target, Toolchain};

// One register type for all lane widths; `vreinterpretq` costs nothing.
#[rustfmt::skip]
const TABLE: &[Instruction] = &[
    row(And,                  0,   "and",           "vandq_u8({0}, {1})", 2, 1, 0),
    row(Or,                   0,   "orr",           "vorrq_u8({0}, {1})", 2, 1, 0),
    row(Xor,                  0,   "eor",           "veorq_u8({0}, {1})", 2, 1, 0),
    row(AndNot,               0,   "bic",           "vbicq_u8({0}, {1})", 2, 1, 0),
    row(OrNot,                0,   "orn",           "vornq_u8({0}, {1})", 2, 1, 0),
    row(Not,                  0,   "mvn",           "vmvnq_u8({0})", 2, 1, 0),
    row(Select,               0,   "bsl",           "vbslq_u8({0}, {1}, {2})", 2, 1, 0),
    row(Add,                  8,   "add",           "vaddq_u8({0}, {1})", 2, 1, 0),
    row(Add,                  16,  "add",           "vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(Add,                  32,  "add",           "vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(Add,                  64,  "add",           "vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8({0}), vreinterpretq_u64_u8({1})))", 2, 1, 0),
    row(InterleaveLow,        64,  "zip1",          "vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8({0}), vreinterpretq_u64_u8({1})))", 2, 1, 0),
    row(InterleaveHigh,       64,  "zip2",          "vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8({0}), vreinterpretq_u64_u8({1})))", 2, 1, 0),
    row(Subtract,             8,   "sub",           "vsubq_u8({0}, {1})", 2, 1, 0),
    row(Subtract,             16,  "sub",           "vreinterpretq_u8_u16(vsubq_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 2, 1, 0),
    row(Subtract,             32,  "sub",           "vreinterpretq_u8_u32(vsubq_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 2, 1, 0),
    row(Subtract,             64,  "sub",           "vreinterpretq_u8_u64(vsubq_u64(vreinterpretq_u64_u8({0}), vreinterpretq_u64_u8({1})))", 2, 1, 0),
    row(Multiply,             8,   "mul",           "vmulq_u8({0}, {1})", 4, 1, 0),
    row(Multiply,             16,  "mul",           "vreinterpretq_u8_u16(vmulq_u16(vreinterpretq_u16_u8({0}), vreinterpretq_u16_u8({1})))", 4, 1, 0),
    row(Multiply,             32,  "mul",           "vreinterpretq_u8_u32(vmulq_u32(vreinterpretq_u32_u8({0}), vreinterpretq_u32_u8({1})))", 4, 1, 0),
    row(MultiplyLowHalves,    64,  "xtn+xtn+umull", "vreinterpretq_u8_u64(vmull_u32(vmovn_u64(vreinterpretq_u64_u8({0})), vmovn_u64(vreinterpretq_u64_u8({1}))))", 6, 3, 0),
    row(ShiftLeft,            8,   "shl",           "vshlq_n_u8({0}, {imm})", 2, 1, 0),
    row(ShiftLeft,            16,  "shl",           "vreinterpretq_u8_u16(vshlq_n_u16(vreinterpretq_u16_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftLeft,            32,  "shl",           "vreinterpretq_u8_u32(vshlq_n_u32(vreinterpretq_u32_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftLeft,            64,  "shl",           "vreinterpretq_u8_u64(vshlq_n_u64(vreinterpretq_u64_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRight,           8,   "ushr",          "vshrq_n_u8({0}, {imm})", 2, 1, 0),
    row(ShiftRight,           16,  "ushr",          "vreinterpretq_u8_u16(vshrq_n_u16(vreinterpretq_u16_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRight,           32,  "ushr",          "vreinterpretq_u8_u32(vshrq_n_u32(vreinterpretq_u32_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRight,           64,  "ushr",          "vreinterpretq_u8_u64(vshrq_n_u64(vreinterpretq_u64_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 8,   "sshr",          "vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 16,  "sshr",          "vreinterpretq_u8_s16(vshrq_n_s16(vreinterpretq_s16_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 32,  "sshr",          "vreinterpretq_u8_s32(vshrq_n_s32(vreinterpretq_s32_u8({0}), {imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 64,  "sshr",          "vreinterpretq_u8_s64(vshrq_n_s64(vreinterpretq_s64_u8({0}), {imm}))", 2, 1, 0),
    row(RotateLeft,           8,   "shl+sri",       "vsriq_n_u8(vshlq_n_u8({0}, {imm}), {0}, {inv})", 4, 2, 0),
    row(RotateLeft,           16,  "shl+sri",       "vreinterpretq_u8_u16(vsriq_n_u16(vshlq_n_u16(vreinterpretq_u16_u8({0}), {imm}), vreinterpretq_u16_u8({0}), {inv}))", 4, 2, 0),
    row(RotateLeft,           32,  "shl+sri",       "vreinterpretq_u8_u32(vsriq_n_u32(vshlq_n_u32(vreinterpretq_u32_u8({0}), {imm}), vreinterpretq_u32_u8({0}), {inv}))", 4, 2, 0),
    row(RotateLeft,           64,  "shl+sri",       "vreinterpretq_u8_u64(vsriq_n_u64(vshlq_n_u64(vreinterpretq_u64_u8({0}), {imm}), vreinterpretq_u64_u8({0}), {inv}))", 4, 2, 0),
    row(ShuffleBytes,         0,   "tbl",           "vqtbl1q_u8({0}, {1})", 2, 1, 0),
    row(Load,                 0,   "ldr",           "{0}", 6, 1, 0),
    row(Store,                0,   "str",           "{0} = {1}", 1, 1, 0),
    row(StoreUnaligned,       0,   "str",           "vst1q_u8({0}, {1})", 1, 1, 0),
    row(Gather,               64,  "ldr+ld1",       "vcombine_u8(vld1_u8({0}), vld1_u8({1}))", 8, 2, 0),
    row(Scatter,              64,  "str+st1",       "(vst1_u8({0}, vget_low_u8({2})), vst1_u8({1}, vget_high_u8({2})))", 1, 2, 0),
    row(Broadcast,            8,   "ld1r",          "vdupq_n_u8({0})", 7, 1, 0),
    row(Broadcast,            16,  "ld1r",          "vreinterpretq_u8_u16(vdupq_n_u16({0}))", 7, 1, 0),
    row(Broadcast,            32,  "ld1r",          "vreinterpretq_u8_u32(vdupq_n_u32({0}))", 7, 1, 0),
    row(Broadcast,            64,  "ld1r",          "vreinterpretq_u8_u64(vdupq_n_u64({0}))", 7, 1, 0),
    row(Broadcast,            128, "ldr",           "vld1q_u8((const uint8_t *){0})", 6, 1, 0),
    row(Constant,             8,   "ldr",           "vdupq_n_u8({value})", 6, 1, 0),
    row(Constant,             16,  "ldr",           "vreinterpretq_u8_u16(vdupq_n_u16({value}))", 6, 1, 0),
    row(Constant,             32,  "ldr",           "vreinterpretq_u8_u32(vdupq_n_u32({value}))", 6, 1, 0),
    row(Constant,             64,  "ldr",           "vreinterpretq_u8_u64(vdupq_n_u64({value}))", 6, 1, 0),
    row(ConstantGroup,        0,   "ldr",           "(const uint8x16_t){{unsigned}}", 6, 1, 0),
    row(ConstantBytes,        0,   "ldr",           "(const uint8x16_t){{unsigned}}", 6, 1, 0),
];

// The steps of AES and the carry-less product.
#[rustfmt::skip]
const CRYPTOGRAPHY: &[Instruction] = &[
    row(AesAddSubstitute,        0, "aese",   "vaeseq_u8({0}, {1})", 2, 1, 0),
    row(AesAddInverseSubstitute, 0, "aesd",   "vaesdq_u8({0}, {1})", 2, 1, 0),
    row(AesMixColumns,           0, "aesmc",  "vaesmcq_u8({0})", 2, 1, 0),
    row(AesInverseMixColumns,    0, "aesimc", "vaesimcq_u8({0})", 2, 1, 0),
    row(CarrylessLow,            0, "pmull",  "vreinterpretq_u8_p128(vmull_p64((poly64_t)vgetq_lane_u64(vreinterpretq_u64_u8({0}), 0), (poly64_t)vgetq_lane_u64(vreinterpretq_u64_u8({1}), 0)))", 2, 1, 0),
    row(CarrylessHigh,           0, "pmull2", "vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8({0}), vreinterpretq_p64_u8({1})))", 2, 1, 0),
];

/// The same with the steps of AES and carry-less products.
pub const NEON_AES: Target = Target {
    name: "neon-aes",
    beyond: Some(&NEON),
    description: "128-bit Advanced SIMD of AArch64 with the steps of AES and carry-less products",
    requires: &[Feature::Neon, Feature::NeonAes, Feature::NeonPmull],
    toolchains: &[Toolchain {
        gcc_flags: &["-march=armv8-a+crypto"],
        clang_flags: &["--target=aarch64-linux-gnu", "-march=armv8-a+crypto"],
        ..TOOLCHAIN
    }],
    rows: Rows::Tables(&[TABLE, CRYPTOGRAPHY]),
    ..NEON
};

const TOOLCHAIN: Toolchain = Toolchain {
    platform: "aarch64-linux-gnu",
    byte_order: ByteOrder::Little,
    gcc: "aarch64-linux-gnu-gcc",
    gcc_flags: &[],
    clang: "clang",
    clang_flags: &["--target=aarch64-linux-gnu"],
    runner: &["qemu-aarch64"],
};

/// 128-bit Advanced SIMD of AArch64.
pub const NEON: Target = Target {
    name: "neon",
    beyond: None,
    description: "128-bit Advanced SIMD of AArch64",
    requires: &[Feature::Neon],
    register_bits: 128,
    register_count: 32,
    register_types: ["uint8x16_t"; 5],
    single_lane: false,
    headers: &["arm_neon.h"],
    toolchains: &[TOOLCHAIN],
    code_bytes_tenths: 40,
    remarks: "Little-endian AArch64. Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first \
              in memory.",
    numbers: "Neoverse N1 software optimization guide, approximate; ports not modelled",
    rows: Rows::Tables(&[TABLE]),
};
