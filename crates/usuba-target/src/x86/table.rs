//! The vector instructions of x86, each once.

use super::entry::{Entry, Unit, entry};
use crate::feature::Feature::{self, *};
use crate::instruction::Meaning::*;

// The features that an instruction needs in the encodings Legacy, VEX and EVEX, beside what its width needs.
const BASE: [Feature; 3] = [Sse2, Avx, Avx512F];
const BYTES: [Feature; 3] = [Sse2, Avx, Avx512Bw];
const QUADS: [Feature; 3] = [Sse2, Avx, Avx512Dq];
const BYTE_SHUFFLE: [Feature; 3] = [Ssse3, Avx, Avx512Bw];
const WIDE_PRODUCT: [Feature; 3] = [Sse41, Avx, Avx512F];
const REPEAT: [Feature; 3] = [Sse2, Avx2, Avx512F];
const REPEAT_BYTES: [Feature; 3] = [Sse2, Avx2, Avx512Bw];
/// `movddup` came with SSE3, which is asked for as the next level.
const REPEAT_LOW: [Feature; 3] = [Ssse3, Avx, Avx512F];
const DOUBLE_SHIFT: [Feature; 3] = [Avx512Vbmi2, Avx512Vbmi2, Avx512Vbmi2];
const FIELD: [Feature; 3] = [Gfni, Gfni, Gfni];
const AES: [Feature; 3] = [AesNi, AesNi, Vaes];
const VAES: [Feature; 3] = [Vaes, Vaes, Vaes];
const CARRYLESS: [Feature; 3] = [Pclmulqdq, Pclmulqdq, Vpclmulqdq];
const WIDE_CARRYLESS: [Feature; 3] = [Vpclmulqdq, Vpclmulqdq, Vpclmulqdq];

// What may run an instruction: bit p for port p, on registers of up to 256 bits and on those of 512.
const ALU: Unit = Unit(0b10_0011, 0b10_0001);
const SHIFT: Unit = Unit(0b11, 0b1);
const SHUFFLE: Unit = Unit(0b10_0010, 0b10_0000);
const CROSS: Unit = Unit(0b10_0000, 0b10_0000);
const PRODUCT: Unit = Unit(0b11, 0b1);
/// From memory of the public tables for Ice Lake: as the instructions for AES.
const MAP: Unit = Unit(0b11, 0b1);
/// Measured on Emerald Rapids: two rounds of up to 256 bits a cycle, one of 512.
const ROUND: Unit = Unit(0b11, 0b1);
const LOADS: Unit = Unit(0b1000_0000_1100, 0b1100);
const STORES: Unit = Unit(0b11_1001_0000, 0b11_1001_0000);

const W128: &[u32] = &[128];
const W256: &[u32] = &[256];
const W512: &[u32] = &[512];
const WIDE: &[u32] = &[256, 512];
const ALL: &[u32] = &[128, 256, 512];

/// Names of the moves of whole registers.
const MOVES: [&str; 3] = ["movdqa", "vmovdqa", "vmovdqa64"];

/// The same wherever the register lies in memory.
const UNALIGNED: [&str; 3] = ["movdqu", "vmovdqu", "vmovdqu64"];

/// Cycles of a load, by width.
const LOADED: [u8; 3] = [6, 7, 8];

/// Two halves of 128 bits, loaded from the places of these numbers.
macro_rules! halves {
    ($low:literal, $high:literal) => {
        concat!(
            "_mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *){",
            $low,
            "})), (const __m64 *)(const void *){",
            $high,
            "}))"
        )
    };
}

/// 128 bits, loaded from the place of this number.
macro_rules! piece {
    ($number:literal) => {
        concat!("_mm_loadu_si128((const __m128i *)(const void *){", $number, "})")
    };
}

/// 128 bits, stored in halves to the places of these numbers.
macro_rules! put_halves {
    ($low:literal, $high:literal, $value:expr) => {
        concat!(
            "_mm_storel_epi64((__m128i *)(void *){",
            $low,
            "}, ",
            $value,
            "), _mm_storeh_pi((__m64 *)(void *){",
            $high,
            "}, _mm_castsi128_ps(",
            $value,
            "))"
        )
    };
}

/// 128 bits, stored to the place of this number.
macro_rules! put_piece {
    ($number:literal, $value:expr) => {
        concat!("_mm_storeu_si128((__m128i *)(void *){", $number, "}, ", $value, ")")
    };
}

/// 256 bits of two groups, and 512 bits of four.
macro_rules! groups {
    ($a:expr, $b:expr) => {
        concat!("_mm256_inserti128_si256(_mm256_castsi128_si256(", $a, "), ", $b, ", 1)")
    };
    ($a:expr, $b:expr, $c:expr, $d:expr) => {
        concat!(
            "_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi256_si512(",
            groups!($a, $b),
            "), ",
            $c,
            ", 2), ",
            $d,
            ", 3)"
        )
    };
}

/// A group of the operand of this number, of 256 or 512 bits.
macro_rules! group {
    (256, $operand:literal, 0) => {
        concat!("_mm256_castsi256_si128({", $operand, "})")
    };
    (256, $operand:literal, $number:literal) => {
        concat!("_mm256_extracti128_si256({", $operand, "}, ", $number, ")")
    };
    (512, $operand:literal, 0) => {
        concat!("_mm512_castsi512_si128({", $operand, "})")
    };
    (512, $operand:literal, $number:literal) => {
        concat!("_mm512_extracti32x4_epi32({", $operand, "}, ", $number, ")")
    };
}

// Names in the encodings Legacy, VEX and EVEX; empty where there is none. `{mm}` in C is the prefix of the intrinsics of the
// width, `{bits}` the width, `{x}` the letter that tells some 64-bit intrinsics of the narrower widths.
// No byte permutes of VBMI: `vpshufb` of permuted groups does for every shuffle.
#[rustfmt::skip]
pub(super) const TABLE: &[Entry] = &[
    entry(And,                  0,  ["pand", "vpand", "vpandq"],          ALL, BASE,         "{mm}_and_si{bits}({0}, {1})").commutes().repeats(&[(32, "vpandd"), (64, "vpandq")]).cost(1, 1, ALU),
    entry(Or,                   0,  ["por", "vpor", "vporq"],             ALL, BASE,         "{mm}_or_si{bits}({0}, {1})").commutes().repeats(&[(32, "vpord"), (64, "vporq")]).cost(1, 1, ALU),
    entry(Xor,                  0,  ["pxor", "vpxor", "vpxorq"],          ALL, BASE,         "{mm}_xor_si{bits}({0}, {1})").commutes().repeats(&[(32, "vpxord"), (64, "vpxorq")]).cost(1, 1, ALU),
    entry(NotAnd,               0,  ["pandn", "vpandn", "vpandnq"],       ALL, BASE,         "{mm}_andnot_si{bits}({0}, {1})").two().repeats(&[(32, "vpandnd"), (64, "vpandnq")]).cost(1, 1, ALU),
    entry(Ternary,              0,  ["", "", "vpternlogq"],               ALL, BASE,         "{mm}_ternarylogic_epi64({0}, {1}, {2}, {imm})").three().repeats(&[(32, "vpternlogd"), (64, "vpternlogq")]).cost(1, 1, ALU),
    entry(Add,                  8,  ["paddb", "vpaddb", "vpaddb"],        ALL, BYTES,        "{mm}_add_epi8({0}, {1})").commutes().cost(1, 1, ALU),
    entry(Add,                  16, ["paddw", "vpaddw", "vpaddw"],        ALL, BYTES,        "{mm}_add_epi16({0}, {1})").commutes().cost(1, 1, ALU),
    entry(Add,                  32, ["paddd", "vpaddd", "vpaddd"],        ALL, BASE,         "{mm}_add_epi32({0}, {1})").commutes().repeats(&[(32, "vpaddd")]).cost(1, 1, ALU),
    entry(Add,                  64, ["paddq", "vpaddq", "vpaddq"],        ALL, BASE,         "{mm}_add_epi64({0}, {1})").commutes().repeats(&[(64, "vpaddq")]).cost(1, 1, ALU),
    entry(Subtract,             8,  ["psubb", "vpsubb", "vpsubb"],        ALL, BYTES,        "{mm}_sub_epi8({0}, {1})").two().cost(1, 1, ALU),
    entry(Subtract,             16, ["psubw", "vpsubw", "vpsubw"],        ALL, BYTES,        "{mm}_sub_epi16({0}, {1})").two().cost(1, 1, ALU),
    entry(Subtract,             32, ["psubd", "vpsubd", "vpsubd"],        ALL, BASE,         "{mm}_sub_epi32({0}, {1})").two().repeats(&[(32, "vpsubd")]).cost(1, 1, ALU),
    entry(Subtract,             64, ["psubq", "vpsubq", "vpsubq"],        ALL, BASE,         "{mm}_sub_epi64({0}, {1})").two().repeats(&[(64, "vpsubq")]).cost(1, 1, ALU),
    entry(Multiply,             16, ["pmullw", "vpmullw", "vpmullw"],     ALL, BYTES,        "{mm}_mullo_epi16({0}, {1})").commutes().cost(5, 1, PRODUCT),
    entry(Multiply,             32, ["pmulld", "vpmulld", "vpmulld"],     ALL, WIDE_PRODUCT, "{mm}_mullo_epi32({0}, {1})").commutes().repeats(&[(32, "vpmulld")]).cost(10, 2, PRODUCT),
    entry(Multiply,             64, ["", "", "vpmullq"],                  ALL, QUADS,        "{mm}_mullo_epi64({0}, {1})").commutes().repeats(&[(64, "vpmullq")]).cost(15, 3, PRODUCT),
    entry(MultiplyLowHalves,    64, ["pmuludq", "vpmuludq", "vpmuludq"],  ALL, BASE,         "{mm}_mul_epu32({0}, {1})").commutes().repeats(&[(64, "vpmuludq")]).cost(5, 1, PRODUCT),
    entry(ShiftLeft,            16, ["psllw", "vpsllw", "vpsllw"],        ALL, BYTES,        "{mm}_slli_epi16({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftLeft,            32, ["pslld", "vpslld", "vpslld"],        ALL, BASE,         "{mm}_slli_epi32({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftLeft,            64, ["psllq", "vpsllq", "vpsllq"],        ALL, BASE,         "{mm}_slli_epi64({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftRight,           16, ["psrlw", "vpsrlw", "vpsrlw"],        ALL, BYTES,        "{mm}_srli_epi16({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftRight,           32, ["psrld", "vpsrld", "vpsrld"],        ALL, BASE,         "{mm}_srli_epi32({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftRight,           64, ["psrlq", "vpsrlq", "vpsrlq"],        ALL, BASE,         "{mm}_srli_epi64({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftRightArithmetic, 16, ["psraw", "vpsraw", "vpsraw"],        ALL, BYTES,        "{mm}_srai_epi16({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftRightArithmetic, 32, ["psrad", "vpsrad", "vpsrad"],        ALL, BASE,         "{mm}_srai_epi32({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(ShiftRightArithmetic, 64, ["", "", "vpsraq"],                   ALL, BASE,         "{mm}_srai_epi64({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(RotateLeft,           16, ["", "", "vpshldw"],                  ALL, DOUBLE_SHIFT, "{mm}_shldi_epi16({0}, {0}, {imm})").doubled().cost(1, 1, SHIFT),
    entry(RotateLeft,           32, ["", "", "vprold"],                   ALL, BASE,         "{mm}_rol_epi32({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(RotateLeft,           64, ["", "", "vprolq"],                   ALL, BASE,         "{mm}_rol_epi64({0}, {imm})").shifts().cost(1, 1, SHIFT),
    entry(MapBytes,             8,  ["", "vgf2p8affineqb", "vgf2p8affineqb"],       ALL, FIELD, "{mm}_gf2p8affine_epi64_epi8({0}, {1}, {imm})").two().repeats(&[(64, "vgf2p8affineqb")]).cost(3, 1, MAP),
    entry(MapInverseBytes,      8,  ["", "vgf2p8affineinvqb", "vgf2p8affineinvqb"], ALL, FIELD, "{mm}_gf2p8affineinv_epi64_epi8({0}, {1}, {imm})").two().repeats(&[(64, "vgf2p8affineinvqb")]).cost(3, 1, MAP),
    entry(AesEncrypt,           0,  ["", "vaesenc", "vaesenc"],           W128, AES,         "_mm_aesenc_si128({0}, {1})").two().cost(3, 1, ROUND),
    entry(AesEncryptLast,       0,  ["", "vaesenclast", "vaesenclast"],   W128, AES,         "_mm_aesenclast_si128({0}, {1})").two().cost(3, 1, ROUND),
    entry(AesDecrypt,           0,  ["", "vaesdec", "vaesdec"],           W128, AES,         "_mm_aesdec_si128({0}, {1})").two().cost(3, 1, ROUND),
    entry(AesDecryptLast,       0,  ["", "vaesdeclast", "vaesdeclast"],   W128, AES,         "_mm_aesdeclast_si128({0}, {1})").two().cost(3, 1, ROUND),
    // Beyond 128 bits there is none, nor one in the encoding EVEX.
    entry(AesInverseMixColumns, 0,  ["", "vaesimc", ""],                  W128, AES,         "_mm_aesimc_si128({0})").moves().cost(6, 2, ROUND),
    entry(AesEncrypt,           0,  ["", "vaesenc", "vaesenc"],           WIDE, VAES,        "{mm}_aesenc_epi128({0}, {1})").two().cost(3, 1, ROUND),
    entry(AesEncryptLast,       0,  ["", "vaesenclast", "vaesenclast"],   WIDE, VAES,        "{mm}_aesenclast_epi128({0}, {1})").two().cost(3, 1, ROUND),
    entry(AesDecrypt,           0,  ["", "vaesdec", "vaesdec"],           WIDE, VAES,        "{mm}_aesdec_epi128({0}, {1})").two().cost(3, 1, ROUND),
    entry(AesDecryptLast,       0,  ["", "vaesdeclast", "vaesdeclast"],   WIDE, VAES,        "{mm}_aesdeclast_epi128({0}, {1})").two().cost(3, 1, ROUND),
    entry(CarrylessProduct,     0,  ["", "vpclmulqdq", "vpclmulqdq"],     W128, CARRYLESS,   "_mm_clmulepi64_si128({0}, {1}, {imm})").two().cost(3, 1, CROSS),
    entry(CarrylessProduct,     0,  ["", "vpclmulqdq", "vpclmulqdq"],     WIDE, WIDE_CARRYLESS, "{mm}_clmulepi64_epi128({0}, {1}, {imm})").two().cost(3, 1, CROSS),
    entry(ShuffleBytes,         0,  ["pshufb", "vpshufb", "vpshufb"],     ALL, BYTE_SHUFFLE, "{mm}_shuffle_epi8({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(ShuffleWords,         32, ["pshufd", "vpshufd", "vpshufd"],     ALL, BASE,         "{mm}_shuffle_epi32({0}, {imm})").c512("_mm512_shuffle_epi32({0}, (_MM_PERM_ENUM){imm})").moves().cost(1, 1, SHUFFLE),
    entry(AlignBytes,           0,  ["", "vpalignr", "vpalignr"],         WIDE, BYTE_SHUFFLE, "{mm}_alignr_epi8({0}, {1}, {imm})").two().cost(1, 1, SHUFFLE),
    entry(PermuteQuads,         64, ["", "vpermq", "vpermq"],             WIDE, BASE,        "_mm256_permute4x64_epi64({0}, {imm})").c512("_mm512_permutex_epi64({0}, {imm})").moves().cost(3, 1, CROSS),
    entry(InterleaveLow,        8,  ["punpcklbw", "vpunpcklbw", "vpunpcklbw"],ALL, BYTES, "{mm}_unpacklo_epi8({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveHigh,       8,  ["punpckhbw", "vpunpckhbw", "vpunpckhbw"],ALL, BYTES, "{mm}_unpackhi_epi8({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveLow,        16, ["punpcklwd", "vpunpcklwd", "vpunpcklwd"],ALL, BYTES, "{mm}_unpacklo_epi16({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveHigh,       16, ["punpckhwd", "vpunpckhwd", "vpunpckhwd"],ALL, BYTES, "{mm}_unpackhi_epi16({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveLow,        32, ["punpckldq", "vpunpckldq", "vpunpckldq"],ALL, BASE,  "{mm}_unpacklo_epi32({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveHigh,       32, ["punpckhdq", "vpunpckhdq", "vpunpckhdq"],ALL, BASE,  "{mm}_unpackhi_epi32({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveLow,        64, ["punpcklqdq", "vpunpcklqdq", "vpunpcklqdq"], ALL, BASE, "{mm}_unpacklo_epi64({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(InterleaveHigh,       64, ["punpckhqdq", "vpunpckhqdq", "vpunpckhqdq"], ALL, BASE, "{mm}_unpackhi_epi64({0}, {1})").two().cost(1, 1, SHUFFLE),
    entry(Blend,                32, ["", "vpblendd", ""],                 ALL, [Avx2, Avx2, Avx2], "{mm}_blend_epi32({0}, {1}, {imm})").two().cost(1, 1, ALU),
    entry(PermuteGroups,        0,  ["", "vperm2i128", ""],               W256, BASE,        "_mm256_permute2x128_si256({0}, {0}, {imm})").doubled().cost(3, 1, CROSS),
    // The one that reaches all 32 registers; compilers take the other's intrinsic for both.
    entry(PermuteGroups,        0,  ["", "", "vshufi64x2"],               W256, BASE,        "_mm256_permute2x128_si256({0}, {0}, {imm})").doubled().adjacent().cost(3, 1, CROSS),
    entry(PermuteGroups,        0,  ["", "", "vshufi64x2"],               W512, BASE,        "_mm512_shuffle_i64x2({0}, {0}, {imm})").doubled().cost(3, 1, CROSS),
    entry(Load,                 0,  MOVES,                                ALL, BASE,         "{0}").cost(6, 1, LOADS).takes(LOADED),
    entry(Store,                0,  MOVES,                                ALL, BASE,         "{0} = {1}").cost(1, 1, STORES),
    entry(StoreUnaligned,       0,  UNALIGNED,                            ALL, BASE,         "{mm}_storeu_si{bits}((__m{bits}i *)(void *){0}, {1})").cost(1, 1, STORES),
    // As many instructions as there are lanes, but for what brings groups together and apart.
    entry(Gather,               64, ["movq+movhps", "vmovq+vmovhps", "vmovq+vmovhps"], W128, BASE, halves!(0, 1)).cost(7, 2, LOADS),
    entry(Gather,               64, ["", "vmovq+vmovhps+vinserti128", "vmovq+vmovhps+vinserti64x2"], W256, BASE, groups!(halves!(0, 1), halves!(2, 3))).cost(10, 4, LOADS),
    entry(Gather,               64, ["", "", "vmovq+vmovhps+vinserti32x4"], W512, BASE, groups!(halves!(0, 1), halves!(2, 3), halves!(4, 5), halves!(6, 7))).cost(12, 8, LOADS),
    entry(Gather,               128, ["", "vmovdqu+vinserti128", "vmovdqu64+vinserti64x2"], W256, BASE, groups!(piece!(0), piece!(1))).cost(10, 2, LOADS),
    entry(Gather,               128, ["", "", "vmovdqu64+vinserti32x4"],  W512, BASE,        groups!(piece!(0), piece!(1), piece!(2), piece!(3))).cost(12, 4, LOADS),
    entry(Scatter,              64, ["movq+movhps", "vmovq+vmovhps", "vmovq+vmovhps"], W128, BASE, concat!("(", put_halves!(0, 1, "{2}"), ")")).cost(1, 2, STORES),
    entry(Scatter,              64, ["", "vmovq+vmovhps+vextracti128", "vmovq+vmovhps+vextracti64x2"], W256, BASE, concat!("(", put_halves!(0, 1, group!(256, 4, 0)), ", ", put_halves!(2, 3, group!(256, 4, 1)), ")")).cost(1, 4, STORES),
    entry(Scatter,              64, ["", "", "vmovq+vmovhps+vextracti32x4"], W512, BASE, concat!("(", put_halves!(0, 1, group!(512, 8, 0)), ", ", put_halves!(2, 3, group!(512, 8, 1)), ", ", put_halves!(4, 5, group!(512, 8, 2)), ", ", put_halves!(6, 7, group!(512, 8, 3)), ")")).cost(1, 8, STORES),
    entry(Scatter,              128, ["", "vmovdqu+vextracti128", "vmovdqu64+vextracti64x2"], W256, BASE, concat!("(", put_piece!(0, group!(256, 2, 0)), ", ", put_piece!(1, group!(256, 2, 1)), ")")).cost(1, 2, STORES),
    entry(Scatter,              128, ["", "", "vmovdqu64+vextracti32x4"], W512, BASE,        concat!("(", put_piece!(0, group!(512, 4, 0)), ", ", put_piece!(1, group!(512, 4, 1)), ", ", put_piece!(2, group!(512, 4, 2)), ", ", put_piece!(3, group!(512, 4, 3)), ")")).cost(1, 4, STORES),
    // The mask is made of the count where it is used.
    entry(LoadPart,             8,  ["", "", "vmovdqu8"],                 ALL, BYTES,        "{mm}_maskz_loadu_epi8((__mmask{bytes})(((uint64_t)1 << {1}) - 1), {0})").cost(8, 2, LOADS),
    entry(StorePart,            8,  ["", "", "vmovdqu8"],                 ALL, BYTES,        "{mm}_mask_storeu_epi8({0}, (__mmask{bytes})(((uint64_t)1 << {2}) - 1), {1})").cost(1, 2, STORES),
    entry(Broadcast,            8,  ["", "vpbroadcastb", "vpbroadcastb"], ALL, REPEAT_BYTES, "{mm}_set1_epi8((char){0})").cost(8, 2, LOADS).takes([8, 8, 9]),
    entry(Broadcast,            16, ["", "vpbroadcastw", "vpbroadcastw"], ALL, REPEAT_BYTES, "{mm}_set1_epi16((short){0})").cost(8, 2, LOADS).takes([8, 8, 9]),
    entry(Broadcast,            32, ["", "vpbroadcastd", "vpbroadcastd"], ALL, REPEAT,       "{mm}_set1_epi32((int){0})").cost(7, 1, LOADS).takes(LOADED),
    entry(Broadcast,            64, ["", "vpbroadcastq", "vpbroadcastq"], ALL, REPEAT,       "{mm}_set1_epi64{x}((long long){0})").cost(7, 1, LOADS).takes(LOADED),
    entry(Broadcast,            8,  ["movd+punpcklbw+pshuflw+pshufd", "", ""],     W128, BASE, "_mm_set1_epi8((char){0})").lines_through_eax(&["movzx eax, byte ptr {m}", "movd {x}, eax", "punpcklbw {x}, {x}", "pshuflw {x}, {x}, 0", "pshufd {x}, {x}, 0"]).cost(9, 4, LOADS),
    entry(Broadcast,            8,  ["", "vmovd+vpunpcklbw+vpshuflw+vpshufd", ""], W128, BASE, "_mm_set1_epi8((char){0})").lines_through_eax(&["movzx eax, byte ptr {m}", "vmovd {x}, eax", "vpunpcklbw {x}, {x}, {x}", "vpshuflw {x}, {x}, 0", "vpshufd {x}, {x}, 0"]).cost(9, 4, LOADS),
    entry(Broadcast,            16, ["movd+pshuflw+pshufd", "", ""],      W128, BASE,        "_mm_set1_epi16((short){0})").lines_through_eax(&["movzx eax, word ptr {m}", "movd {x}, eax", "pshuflw {x}, {x}, 0", "pshufd {x}, {x}, 0"]).cost(8, 3, LOADS),
    entry(Broadcast,            16, ["", "vmovd+vpshuflw+vpshufd", ""],   W128, BASE,        "_mm_set1_epi16((short){0})").lines_through_eax(&["movzx eax, word ptr {m}", "vmovd {x}, eax", "vpshuflw {x}, {x}, 0", "vpshufd {x}, {x}, 0"]).cost(8, 3, LOADS),
    entry(Broadcast,            32, ["movd+pshufd", "", ""],              W128, BASE,        "_mm_set1_epi32((int){0})").lines(&["movd {x}, dword ptr {m}", "pshufd {x}, {x}, 0"]).cost(7, 2, LOADS),
    entry(Broadcast,            32, ["", "vbroadcastss", ""],             W128, BASE,        "_mm_set1_epi32((int){0})").cost(7, 2, LOADS),
    entry(Broadcast,            64, ["movddup", "vmovddup", ""],          W128, REPEAT_LOW,  "_mm_set1_epi64x((long long){0})").cost(7, 2, LOADS),
    entry(Broadcast,            64, ["movq+punpcklqdq", "", ""],          W128, BASE,        "_mm_set1_epi64x((long long){0})").lines(&["movq {x}, qword ptr {m}", "punpcklqdq {x}, {x}"]).cost(7, 2, LOADS),
    entry(Broadcast,            128, ["movdqu", "vmovdqu", "vmovdqu64"],  W128, BASE,        "_mm_loadu_si128((const __m128i *)(const void *){0})").cost(6, 1, LOADS).takes(LOADED),
    entry(Broadcast,            128, ["", "vbroadcasti128", "vbroadcasti32x4"], WIDE, BASE,  "_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *){0}))").c512("_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *){0}))").cost(7, 1, LOADS).takes(LOADED),
    entry(Broadcast,            256, ["", "vmovdqu", "vmovdqu64"],        W256, BASE,        "_mm256_loadu_si256((const __m256i *)(const void *){0})").cost(7, 1, LOADS),
    entry(Broadcast,            256, ["", "", "vbroadcasti64x4"],         W512, BASE,        "_mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *){0}))").cost(8, 1, LOADS),
    entry(Broadcast,            512, ["", "", "vmovdqu64"],               W512, BASE,        "_mm512_loadu_si512((const void *){0})").cost(8, 1, LOADS),
    entry(Constant,             8,  MOVES, ALL, BASE, "{mm}_set1_epi8((char){value})").cost(6, 1, LOADS).takes(LOADED),
    entry(Constant,             16, MOVES, ALL, BASE, "{mm}_set1_epi16((short){value})").cost(6, 1, LOADS).takes(LOADED),
    entry(Constant,             32, MOVES, ALL, BASE, "{mm}_set1_epi32((int){value})").cost(6, 1, LOADS).takes(LOADED),
    entry(Constant,             64, MOVES, ALL, BASE, "{mm}_set1_epi64{x}((long long){value})").cost(6, 1, LOADS).takes(LOADED),
    entry(ConstantGroup,        0,  MOVES, W128, BASE, "_mm_setr_epi8({bytes})").cost(6, 1, LOADS),
    entry(ConstantGroup,        0,  ["", "vbroadcasti128", "vbroadcasti32x4"], WIDE, BASE, "_mm256_broadcastsi128_si256(_mm_setr_epi8({bytes}))").c512("_mm512_broadcast_i32x4(_mm_setr_epi8({bytes}))").cost(7, 1, LOADS).takes(LOADED),
    entry(ConstantBytes,        0,  MOVES, ALL, BASE, "{mm}_setr_epi8({bytes})").c512("_mm512_set_epi8({reversed})").cost(6, 1, LOADS).takes(LOADED),
];
