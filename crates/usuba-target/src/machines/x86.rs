//! Vectors of x86: the targets. Their rows are those of one table ([`crate::x86`]), by encoding, width and features.

use super::GOLDEN_COVE;
use crate::encoding::Encoding;
use crate::feature::Feature::{self, *};
use crate::target::{ByteOrder, Rows, Target, Toolchain};

/// A target of this name on registers of `bits` bits, which the compilers of this machine compile for with `flags`.
const fn target(
    name: &'static str,
    description: &'static str,
    encoding: Encoding,
    bits: u32,
    requires: &'static [Feature],
    toolchains: &'static [Toolchain],
) -> Target {
    Target {
        name,
        beyond: None,
        description,
        requires,
        register_bits: bits,
        register_count: match encoding {
            Encoding::Evex => 32,
            Encoding::Legacy | Encoding::Vex | Encoding::General => 16,
        },
        register_types: [match bits {
            512 => "__m512i",
            256 => "__m256i",
            _ => "__m128i",
        }; 5],
        single_lane: false,
        headers: &["immintrin.h"],
        toolchains,
        code_bytes_tenths: match bits {
            512 => 66,
            256 => 52,
            _ => 48,
        },
        remarks: "Instance j of single bits is bit j mod 8 of byte j / 8 in memory; lane 0 is the first in memory.",
        numbers: GOLDEN_COVE,
        rows: Rows::X86(encoding),
    }
}

const fn native(flags: &'static [&'static str]) -> Toolchain {
    Toolchain {
        platform: "x86_64-linux-gnu",
        byte_order: ByteOrder::Little,
        gcc: "gcc",
        gcc_flags: flags,
        clang: "clang",
        clang_flags: flags,
        runner: &[],
    }
}

/// 128-bit SSE2.
pub const SSE2: Target = Target {
    headers: &["emmintrin.h"],
    ..target(
        "sse2",
        "128-bit SSE2 of every x86-64 CPU",
        Encoding::Legacy,
        128,
        &[Sse2],
        &[native(&["-msse2"])],
    )
};

/// 128-bit SSE with byte shuffles.
pub const SSSE3: Target = Target {
    headers: &["tmmintrin.h"],
    ..target(
        "ssse3",
        "128-bit SSE with byte shuffles",
        Encoding::Legacy,
        128,
        &[Sse2, Ssse3],
        &[native(&["-mssse3"])],
    )
};

/// 128-bit SSE4.2.
pub const SSE42: Target = Target {
    headers: &["nmmintrin.h"],
    ..target(
        "sse4.2",
        "128-bit SSE4.2",
        Encoding::Legacy,
        128,
        &[Sse2, Ssse3, Sse41, Feature::Sse42],
        &[native(&["-msse4.2"])],
    )
};

/// 128-bit integers in the three-operand encoding; the 256-bit registers of AVX have no integer instructions.
pub const AVX: Target = target(
    "avx",
    "128-bit integers in the three-operand encoding of AVX",
    Encoding::Vex,
    128,
    &[Avx],
    &[native(&["-mavx"])],
);

/// 256-bit AVX2.
pub const AVX2: Target =
    target("avx2", "256-bit AVX2", Encoding::Vex, 256, &[Avx, Avx2], &[native(&["-mavx2"])]);

/// AVX with rounds of AES and carry-less products: most processors with AVX.
pub const AVX_AES: Target = Target {
    beyond: Some(&AVX),
    ..target(
        "avx-aes",
        "128-bit AVX with rounds of AES (AES-NI) and carry-less products (PCLMULQDQ)",
        Encoding::Vex,
        128,
        &[Avx, AesNi, Pclmulqdq],
        &[native(&["-mavx", "-maes", "-mpclmul"])],
    )
};

/// AVX2 with the same in 256-bit registers, and without maps of bytes, which Zen 3 has not.
pub const AVX2_VAES: Target = Target {
    beyond: Some(&AVX2),
    ..target(
        "avx2-vaes",
        "256-bit AVX2 with rounds of AES (VAES) and carry-less products (VPCLMULQDQ)",
        Encoding::Vex,
        256,
        &[Avx, Avx2, Vaes, Vpclmulqdq],
        &[native(&["-mavx2", "-mvaes", "-mvpclmulqdq"])],
    )
};

/// AVX2 with maps of bytes.
pub const AVX2_GFNI: Target = Target {
    beyond: Some(&AVX2),
    ..target(
        "avx2-gfni",
        "256-bit AVX2 with maps of bytes (GFNI)",
        Encoding::Vex,
        256,
        &[Avx, Avx2, Gfni],
        &[native(&["-mavx2", "-mgfni"])],
    )
};

const NARROW: &[Toolchain] =
    &[native(&["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=256"])];

/// 128-bit AVX-512.
pub const AVX512_128: Target = Target {
    code_bytes_tenths: 62,
    ..target(
        "avx512-128",
        "128-bit registers, 32 of them, with AVX-512 F, BW, DQ, VL",
        Encoding::Evex,
        128,
        &[Avx, Avx512F, Avx512Bw, Avx512Dq, Avx512Vl],
        NARROW,
    )
};

/// 256-bit AVX-512.
pub const AVX512_256: Target = Target {
    code_bytes_tenths: 62,
    ..target(
        "avx512-256",
        "256-bit registers, 32 of them, with AVX-512 F, BW, DQ, VL",
        Encoding::Evex,
        256,
        &[Avx2, Avx512F, Avx512Bw, Avx512Dq, Avx512Vl],
        NARROW,
    )
};

/// 512-bit AVX-512.
pub const AVX512: Target = target(
    "avx512",
    "512-bit registers with AVX-512 F, BW, DQ, VL",
    Encoding::Evex,
    512,
    &[Avx512F, Avx512Bw, Avx512Dq, Avx512Vl],
    &[native(&["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"])],
);

/// AVX-512 with maps of bytes and rotations of 16 bits: all processors with AVX-512 since Ice Lake and Zen 4.
pub const AVX512_GFNI: Target = Target {
    beyond: Some(&AVX512),
    ..target(
        "avx512-gfni",
        "512-bit registers with AVX-512 F, BW, DQ, VL, VBMI2, and maps of bytes (GFNI)",
        Encoding::Evex,
        512,
        &[Avx512F, Avx512Bw, Avx512Dq, Avx512Vl, Avx512Vbmi2, Gfni],
        &[native(&["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vbmi2", "-mgfni"])],
    )
};

/// The same with rounds of AES and carry-less products, which the same processors have.
pub const AVX512_VAES: Target = Target {
    beyond: Some(&AVX512_GFNI),
    ..target(
        "avx512-vaes",
        "512-bit registers with AVX-512 F, BW, DQ, VL, VBMI2, GFNI, rounds of AES (VAES) and carry-less products (VPCLMULQDQ)",
        Encoding::Evex,
        512,
        &[Avx512F, Avx512Bw, Avx512Dq, Avx512Vl, Avx512Vbmi2, Gfni, Vaes, Vpclmulqdq],
        &[native(&[
            "-mavx512f",
            "-mavx512bw",
            "-mavx512dq",
            "-mavx512vl",
            "-mavx512vbmi2",
            "-mgfni",
            "-mvaes",
            "-mvpclmulqdq",
        ])],
    )
};
