//! 64-bit general-purpose registers: portable C, and assembly for x86-64.

use crate::feature::Feature;
use crate::instruction::{Immediate, Instruction, Meaning::*, row};
use crate::target::{ByteOrder, Rows, Target, Toolchain};

const P: u16 = 0b100_0110_0011;
const P06: u16 = 0b100_0001;
const P1: u16 = 0b10;
const P15: u16 = 0b10_0010;
const LOADS: u16 = 0b1000_0000_1100;
const STORES: u16 = 0b11_1001_0000;

// Words of 8 and 16 bits are promoted to `int`: what can leave its range is cast first, so nothing overflows. They have no
// assembly. Right shifts of negative numbers are arithmetic in gcc, clang and every compiler that has them.
#[rustfmt::skip]
const TABLE: &[Instruction] = &[
    row(And,                  0,  "and",   "{0} & {1}", 1, 1, P).commutes(),
    row(Or,                   0,  "or",    "{0} | {1}", 1, 1, P).commutes(),
    row(Xor,                  0,  "xor",   "{0} ^ {1}", 1, 1, P).commutes(),
    row(Not,                  8,  "not",   "(uint8_t)~{0}", 1, 1, P),
    row(Not,                  16, "not",   "(uint16_t)~{0}", 1, 1, P),
    row(Not,                  32, "not",   "~{0}", 1, 1, P).changes(),
    row(Not,                  64, "not",   "~{0}", 1, 1, P).changes(),
    row(Add,                  8,  "add",   "(uint8_t)({0} + {1})", 1, 1, P),
    row(Add,                  16, "add",   "(uint16_t)({0} + {1})", 1, 1, P),
    row(Add,                  32, "add",   "{0} + {1}", 1, 1, P).commutes(),
    row(Add,                  64, "add",   "{0} + {1}", 1, 1, P).commutes(),
    row(Subtract,             8,  "sub",   "(uint8_t)({0} - {1})", 1, 1, P),
    row(Subtract,             16, "sub",   "(uint16_t)({0} - {1})", 1, 1, P),
    row(Subtract,             32, "sub",   "{0} - {1}", 1, 1, P).two(),
    row(Subtract,             64, "sub",   "{0} - {1}", 1, 1, P).two(),
    row(Multiply,             8,  "imul",  "(uint8_t)({0} * {1})", 3, 1, P1),
    row(Multiply,             16, "imul",  "(uint16_t)((uint32_t){0} * {1})", 3, 1, P1),
    row(Multiply,             32, "imul",  "{0} * {1}", 3, 1, P1).commutes(),
    row(Multiply,             64, "imul",  "{0} * {1}", 3, 1, P1).commutes(),
    row(ShiftLeft,            8,  "shl",   "(uint8_t)({0} << {imm})", 1, 1, P06),
    row(ShiftLeft,            16, "shl",   "(uint16_t)({0} << {imm})", 1, 1, P06),
    row(ShiftLeft,            32, "shl",   "{0} << {imm}", 1, 1, P06).changes(),
    row(ShiftLeft,            64, "shl",   "{0} << {imm}", 1, 1, P06).changes(),
    row(ShiftRight,           0,  "shr",   "{0} >> {imm}", 1, 1, P06).changes(),
    row(ShiftRightArithmetic, 8,  "sar",   "(uint8_t)((int8_t){0} >> {imm})", 1, 1, P06),
    row(ShiftRightArithmetic, 16, "sar",   "(uint16_t)((int16_t){0} >> {imm})", 1, 1, P06),
    row(ShiftRightArithmetic, 32, "sar",   "(uint32_t)((int32_t){0} >> {imm})", 1, 1, P06).changes(),
    row(ShiftRightArithmetic, 64, "sar",   "(uint64_t)((int64_t){0} >> {imm})", 1, 1, P06).changes(),
    row(RotateLeft,           8,  "rol",   "(uint8_t)(({0} << {imm}) | ({0} >> {inv}))", 1, 1, P06),
    row(RotateLeft,           16, "rol",   "(uint16_t)(({0} << {imm}) | ({0} >> {inv}))", 1, 1, P06),
    row(RotateLeft,           32, "rol",   "({0} << {imm}) | ({0} >> {inv})", 1, 1, P06).changes(),
    row(RotateLeft,           64, "rol",   "({0} << {imm}) | ({0} >> {inv})", 1, 1, P06).changes(),
    row(Load,                 0,  "mov",   "{0}", 5, 1, LOADS),
    row(Store,                0,  "mov",   "{0} = {1}", 1, 1, STORES),
    row(Broadcast,            0,  "mov",   "{0}", 5, 1, LOADS),
    row(RepeatMask,           8,  "movsx", "(uint64_t)(int8_t){0}", 5, 1, LOADS),
    row(Constant,             0,  "mov",   "{value}", 1, 1, P),
];

/// What BMI1 and BMI2 add: results that take the place of no operand.
#[rustfmt::skip]
const BMI: &[Instruction] = &[
    row(NotAnd,               8,  "andn",  "(uint8_t)(~{0} & {1})", 1, 1, P15),
    row(NotAnd,               16, "andn",  "(uint16_t)(~{0} & {1})", 1, 1, P15),
    row(NotAnd,               32, "andn",  "~{0} & {1}", 1, 1, P15).elsewhere(1, Immediate::Same),
    row(NotAnd,               64, "andn",  "~{0} & {1}", 1, 1, P15).elsewhere(1, Immediate::Same),
    row(RotateLeft,           32, "rorx",  "({0} << {imm}) | ({0} >> {inv})", 1, 1, P06).elsewhere(0, Immediate::Complement(32)),
    row(RotateLeft,           64, "rorx",  "({0} << {imm}) | ({0} >> {inv})", 1, 1, P06).elsewhere(0, Immediate::Complement(64)),
];

/// 64-bit general-purpose registers; portable C.
pub const GP64: Target = Target {
    name: "gp64",
    beyond: None,
    description: "64-bit general-purpose registers, portable C",
    requires: &[],
    register_bits: 64,
    register_count: 15,
    register_types: ["uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint64_t"],
    single_lane: true,
    headers: &[],
    // The second shows that the code does not depend on the order of bytes.
    toolchains: &[
        Toolchain {
            platform: "x86_64-linux-gnu",
            byte_order: ByteOrder::Little,
            gcc: "gcc",
            gcc_flags: &[],
            clang: "clang",
            clang_flags: &[],
            runner: &[],
        },
        Toolchain {
            platform: "powerpc64-linux-gnu",
            byte_order: ByteOrder::Big,
            gcc: "powerpc64-linux-gnu-gcc",
            gcc_flags: &[],
            clang: "clang",
            clang_flags: &["--target=powerpc64-linux-gnu"],
            runner: &["qemu-ppc64"],
        },
    ],
    code_bytes_tenths: 35,
    remarks: "Instance j of single bits is bit j of the integer, whatever the order of its bytes in memory.",
    numbers: super::GOLDEN_COVE,
    rows: Rows::General(&[TABLE]),
};

/// The same on processors of x86 with BMI1 and BMI2: `andn` is one instruction, and rotations go to another register (x86-64-v3 has
/// both). In libraries it stands beside AVX2.
pub const GP64_BMI: Target = Target {
    name: "gp64-bmi",
    description: "64-bit general-purpose registers of x86-64 with BMI1 and BMI2, portable C",
    requires: &[Feature::Bmi1, Feature::Bmi2],
    toolchains: &[Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: &["-mbmi", "-mbmi2"],
        clang: "clang",
        clang_flags: &["-mbmi", "-mbmi2"],
        runner: &[],
    }],
    rows: Rows::General(&[BMI, TABLE]),
    ..GP64
};
