//! 128-bit vectors of POWER.

use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning::*, row};
use crate::target::{ByteOrder, Rows, Target, Toolchain};

// The amounts of the shifts are registers in the machine; the compiler splats them.
// `vec_perm` counts bytes in memory order in both byte orders: on little-endian machines the compiler turns the
// indices round for `vperm`, which counts from the other end. An assembly printer has to do so itself.
#[rustfmt::skip]
const TABLE: &[Instruction] = &[
    row(And,                  0,   "vand",        "vec_and({0}, {1})", 2, 1, 0),
    row(Or,                   0,   "vor",         "vec_or({0}, {1})", 2, 1, 0),
    row(Xor,                  0,   "vxor",        "vec_xor({0}, {1})", 2, 1, 0),
    row(AndNot,               0,   "vandc",       "vec_andc({0}, {1})", 2, 1, 0),
    row(OrNot,                0,   "vorc",        "vec_orc({0}, {1})", 2, 1, 0),
    row(Not,                  0,   "vnor",        "vec_nor({0}, {0})", 2, 1, 0),
    row(Select,               0,   "vsel",        "vec_sel({2}, {1}, {0})", 2, 1, 0),
    row(Add,                  8,   "vaddubm",     "vec_add({0}, {1})", 2, 1, 0),
    row(Add,                  16,  "vadduhm",     "(__vector unsigned char)vec_add((__vector unsigned short){0}, (__vector unsigned short){1})", 2, 1, 0),
    row(Add,                  32,  "vadduwm",     "(__vector unsigned char)vec_add((__vector unsigned int){0}, (__vector unsigned int){1})", 2, 1, 0),
    row(Add,                  64,  "vaddudm",     "(__vector unsigned char)vec_add((__vector unsigned long long){0}, (__vector unsigned long long){1})", 2, 1, 0),
    row(Subtract,             8,   "vsububm",     "vec_sub({0}, {1})", 2, 1, 0),
    row(Subtract,             16,  "vsubuhm",     "(__vector unsigned char)vec_sub((__vector unsigned short){0}, (__vector unsigned short){1})", 2, 1, 0),
    row(Subtract,             32,  "vsubuwm",     "(__vector unsigned char)vec_sub((__vector unsigned int){0}, (__vector unsigned int){1})", 2, 1, 0),
    row(Subtract,             64,  "vsubudm",     "(__vector unsigned char)vec_sub((__vector unsigned long long){0}, (__vector unsigned long long){1})", 2, 1, 0),
    row(Multiply,             16,  "vmladduhm",   "(__vector unsigned char)((__vector unsigned short){0} * (__vector unsigned short){1})", 7, 2, 0),
    row(Multiply,             32,  "vmuluwm",     "(__vector unsigned char)((__vector unsigned int){0} * (__vector unsigned int){1})", 7, 1, 0),
    row(Multiply,             64,  "mulld+mulld", "(__vector unsigned char)((__vector unsigned long long){0} * (__vector unsigned long long){1})", 20, 8, 0),
    row(ShiftLeft,            8,   "vslb",        "vec_sl({0}, vec_splats((unsigned char){imm}))", 2, 1, 0),
    row(ShiftLeft,            16,  "vslh",        "(__vector unsigned char)vec_sl((__vector unsigned short){0}, vec_splats((unsigned short){imm}))", 2, 1, 0),
    row(ShiftLeft,            32,  "vslw",        "(__vector unsigned char)vec_sl((__vector unsigned int){0}, vec_splats((unsigned int){imm}))", 2, 1, 0),
    row(ShiftLeft,            64,  "vsld",        "(__vector unsigned char)vec_sl((__vector unsigned long long){0}, vec_splats((unsigned long long){imm}))", 2, 1, 0),
    row(ShiftRight,           8,   "vsrb",        "vec_sr({0}, vec_splats((unsigned char){imm}))", 2, 1, 0),
    row(ShiftRight,           16,  "vsrh",        "(__vector unsigned char)vec_sr((__vector unsigned short){0}, vec_splats((unsigned short){imm}))", 2, 1, 0),
    row(ShiftRight,           32,  "vsrw",        "(__vector unsigned char)vec_sr((__vector unsigned int){0}, vec_splats((unsigned int){imm}))", 2, 1, 0),
    row(ShiftRight,           64,  "vsrd",        "(__vector unsigned char)vec_sr((__vector unsigned long long){0}, vec_splats((unsigned long long){imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 8,   "vsrab",       "vec_sra({0}, vec_splats((unsigned char){imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 16,  "vsrah",       "(__vector unsigned char)vec_sra((__vector unsigned short){0}, vec_splats((unsigned short){imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 32,  "vsraw",       "(__vector unsigned char)vec_sra((__vector unsigned int){0}, vec_splats((unsigned int){imm}))", 2, 1, 0),
    row(ShiftRightArithmetic, 64,  "vsrad",       "(__vector unsigned char)vec_sra((__vector unsigned long long){0}, vec_splats((unsigned long long){imm}))", 2, 1, 0),
    row(RotateLeft,           8,   "vrlb",        "vec_rl({0}, vec_splats((unsigned char){imm}))", 2, 1, 0),
    row(RotateLeft,           16,  "vrlh",        "(__vector unsigned char)vec_rl((__vector unsigned short){0}, vec_splats((unsigned short){imm}))", 2, 1, 0),
    row(RotateLeft,           32,  "vrlw",        "(__vector unsigned char)vec_rl((__vector unsigned int){0}, vec_splats((unsigned int){imm}))", 2, 1, 0),
    row(RotateLeft,           64,  "vrld",        "(__vector unsigned char)vec_rl((__vector unsigned long long){0}, vec_splats((unsigned long long){imm}))", 2, 1, 0),
    row(ShuffleBytes,         0,   "vperm",       "vec_perm({0}, vec_splats((unsigned char)0), {1})", 3, 1, 0),
    row(Load,                 0,   "lvx",         "{0}", 5, 1, 0),
    row(Store,                0,   "stvx",        "{0} = {1}", 1, 1, 0),
    row(StoreUnaligned,       0,   "stxvw4x",     "vec_xst({1}, 0, (unsigned char *){0})", 1, 1, 0),
    row(Gather,               64,  "ld+ld+mtvsrd+mtvsrd+xxpermdi", "__extension__({ unsigned long long low_, high_; memcpy(&low_, {0}, 8); memcpy(&high_, {1}, 8); (__vector unsigned char)(__vector unsigned long long){ low_, high_ }; })", 10, 5, 0),
    row(Scatter,              64,  "mfvsrd+mfvsrd+std+std", "__extension__({ const unsigned long long low_ = ((__vector unsigned long long){2})[0], high_ = ((__vector unsigned long long){2})[1]; memcpy({0}, &low_, 8); memcpy({1}, &high_, 8); })", 1, 4, 0),
    row(Broadcast,            8,   "lvx+vspltb",  "vec_splats((unsigned char){0})", 7, 2, 0),
    row(Broadcast,            16,  "lvx+vsplth",  "(__vector unsigned char)vec_splats((unsigned short){0})", 7, 2, 0),
    row(Broadcast,            32,  "lvx+vspltw",  "(__vector unsigned char)vec_splats((unsigned int){0})", 7, 2, 0),
    row(Broadcast,            64,  "lxvdsx",      "(__vector unsigned char)vec_splats((unsigned long long){0})", 7, 1, 0),
    row(Broadcast,            128, "lxvw4x",      "vec_xl(0, (const unsigned char *){0})", 5, 1, 0),
    row(Constant,             8,   "lvx",         "vec_splats((unsigned char){value})", 5, 1, 0),
    row(Constant,             16,  "lvx",         "(__vector unsigned char)vec_splats((unsigned short){value})", 5, 1, 0),
    row(Constant,             32,  "lvx",         "(__vector unsigned char)vec_splats((unsigned int){value})", 5, 1, 0),
    row(Constant,             64,  "lvx",         "(__vector unsigned char)vec_splats((unsigned long long){value})", 5, 1, 0),
    row(ConstantLanes,        16,  "lvx",         "(__vector unsigned char)(__vector unsigned short){{lanes}}", 5, 1, 0),
    row(ConstantLanes,        32,  "lvx",         "(__vector unsigned char)(__vector unsigned int){{lanes}}", 5, 1, 0),
    row(ConstantLanes,        64,  "lvx",         "(__vector unsigned char)(__vector unsigned long long){{lanes}}", 5, 1, 0),
    row(ConstantGroup,        0,   "lvx",         "(__vector unsigned char){{unsigned}}", 5, 1, 0),
    row(ConstantBytes,        0,   "lvx",         "(__vector unsigned char){{unsigned}}", 5, 1, 0),
];

/// 128-bit vectors of POWER8, which added the 64-bit lanes; either byte order.
pub const ALTIVEC: Target = Target {
    name: "altivec",
    beyond: None,
    description: "128-bit AltiVec and VSX of POWER8, either byte order",
    requires: &[Feature::Altivec, Feature::Vsx, Feature::Power8Vector],
    register_bits: 128,
    register_count: 32,
    register_types: ["__vector unsigned char"; 5],
    single_lane: false,
    headers: &["altivec.h"],
    toolchains: &[
        Toolchain {
            platform: "powerpc64le-linux-gnu",
            byte_order: ByteOrder::Little,
            gcc: "powerpc64le-linux-gnu-gcc",
            gcc_flags: &["-mcpu=power8", "-maltivec", "-mvsx"],
            clang: "clang",
            clang_flags: &["--target=powerpc64le-linux-gnu", "-mcpu=power8", "-maltivec", "-mvsx"],
            runner: &["qemu-ppc64le"],
        },
        Toolchain {
            platform: "powerpc64-linux-gnu",
            byte_order: ByteOrder::Big,
            gcc: "powerpc64-linux-gnu-gcc",
            gcc_flags: &["-mcpu=power8", "-maltivec", "-mvsx"],
            clang: "clang",
            clang_flags: &["--target=powerpc64-linux-gnu", "-mcpu=power8", "-maltivec", "-mvsx"],
            runner: &["qemu-ppc64"],
        },
    ],
    code_bytes_tenths: 40,
    remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory, in both byte orders; lane 0 is the first in \
              memory, each lane in the byte order of the machine.",
    numbers: "POWER8 processor user's manual, approximate; ports not modelled",
    rows: Rows::Tables(&[TABLE]),
};
