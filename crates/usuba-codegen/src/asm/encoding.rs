//! What the encodings of x86 allow: which operand may be memory, which register is overwritten, how lines are spelt.

use usuba_target::{Feature, Instruction, Meaning, Target};

/// The three encodings of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// Two operands; memory must be aligned.
    Legacy,
    /// Three operands, 16 registers.
    Vex,
    /// Three operands, 32 registers, repeated memory.
    Evex,
}

impl Encoding {
    /// That of a target; `None` where there are no vectors of x86.
    pub(crate) fn of(target: &Target) -> Option<Encoding> {
        let has = |feature| target.requires.contains(&feature);
        if has(Feature::Avx512Vl) {
            Some(Encoding::Evex)
        } else if has(Feature::Avx) {
            Some(Encoding::Vex)
        } else {
            has(Feature::Sse2).then_some(Encoding::Legacy)
        }
    }

    /// Vector registers.
    pub(crate) fn registers(self) -> u8 {
        if self == Encoding::Evex { 32 } else { 16 }
    }

    /// The form of an instruction on registers; `None` if there is no instruction of that meaning.
    pub(crate) fn form(self, row: &Instruction) -> Option<Form> {
        use Meaning::*;
        let legacy = self == Encoding::Legacy;
        let evex = self == Encoding::Evex;
        let wide = matches!(row.lane, 32 | 64);
        let form = |memory, free_order, repeats: &'static [u32]| Form {
            overwrites: legacy,
            first_is_chosen: false,
            memory,
            free_order,
            repeats: if evex { repeats } else { &[] },
        };
        let lane: &'static [u32] = match row.lane {
            32 => &[32],
            64 => &[64],
            _ => &[],
        };
        Some(match row.meaning {
            And | Or | Xor => form(Some(1), true, &[32, 64]),
            NotAnd => form(Some(1), false, &[32, 64]),
            Ternary if evex => {
                Form { overwrites: true, first_is_chosen: true, ..form(Some(2), true, &[32, 64]) }
            }
            Add | Multiply if wide => form(Some(1), true, lane),
            Add | Multiply => form(Some(1), true, &[]),
            MultiplyLowHalves => form(Some(1), true, lane),
            Subtract if wide => form(Some(1), false, lane),
            Subtract | ShuffleBytes => form(Some(1), false, &[]),
            ShiftLeft | ShiftRight | ShiftRightArithmetic | RotateLeft => form(evex.then_some(0), false, &[]),
            MapBytes | MapInverseBytes => form(Some(1), false, &[64]),
            ShuffleWords => Form { overwrites: false, ..form(Some(0), false, &[]) },
            PermuteGroups => form(None, false, &[]),
            _ => return None,
        })
    }

    /// Whether bits from memory repeated in a register are one line, so that reading them again is cheap.
    pub(crate) fn repeats_cheaply(self, bits: u32, register: u32) -> bool {
        self != Encoding::Legacy || bits == register
    }
}

/// The form of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// The result takes the place of the first operand.
    pub(crate) overwrites: bool,
    /// Which operand comes first was chosen ([`crate::order::overwritten`]), though they may change places.
    pub(crate) first_is_chosen: bool,
    /// The operand that may be memory.
    pub(crate) memory: Option<usize>,
    /// The operands may change places; a truth table changes with them.
    pub(crate) free_order: bool,
    /// The widths that memory may be repeated from.
    pub(crate) repeats: &'static [u32],
}

/// The name of a vector register of so many bits.
pub(crate) fn vector_name(number: u8, bits: u32) -> String {
    let size = match bits {
        512 => 'z',
        256 => 'y',
        _ => 'x',
    };
    format!("{size}mm{number}")
}

/// The spelling of an instruction, for repeated memory of so many bits; the immediate may be encoded differently.
pub(crate) fn spelling(
    row: &Instruction,
    encoding: Encoding,
    repeated: Option<u32>,
    immediate: Option<u32>,
) -> (String, Option<u32>) {
    let mnemonic = row.mnemonic;
    if encoding == Encoding::Evex && mnemonic == "vperm2i128" {
        // The instruction that reaches all 32 registers selects each half by one bit.
        let n = immediate.unwrap_or(0);
        return ("vshufi64x2".into(), Some(n & 1 | n >> 3 & 2));
    }
    let bitwise =
        matches!(row.meaning, Meaning::And | Meaning::Or | Meaning::Xor | Meaning::NotAnd | Meaning::Ternary);
    match repeated {
        Some(32) if bitwise => (format!("{}d", mnemonic.trim_end_matches('q')), immediate),
        _ => (mnemonic.to_owned(), immediate),
    }
}

/// The lines that repeat `bits` bits from memory in a register of `register` bits: templates with `{x}` for the register,
/// `{xmm}` for its lowest 128 bits, `{m}` for the memory; `eax` is free.
pub(crate) fn repeating(encoding: Encoding, bits: u32, register: u32, sse3: bool) -> &'static [&'static str] {
    match (encoding, bits, register) {
        (Encoding::Legacy, 8, _) => &[
            "movzx eax, byte ptr {m}",
            "movd {x}, eax",
            "punpcklbw {x}, {x}",
            "pshuflw {x}, {x}, 0",
            "pshufd {x}, {x}, 0",
        ],
        (Encoding::Legacy, 16, _) => {
            &["movzx eax, word ptr {m}", "movd {x}, eax", "pshuflw {x}, {x}, 0", "pshufd {x}, {x}, 0"]
        }
        (Encoding::Legacy, 32, _) => &["movd {x}, dword ptr {m}", "pshufd {x}, {x}, 0"],
        (Encoding::Legacy, 64, _) if sse3 => &["movddup {x}, qword ptr {m}"],
        (Encoding::Legacy, 64, _) => &["movq {x}, qword ptr {m}", "punpcklqdq {x}, {x}"],
        (Encoding::Legacy, ..) => &["movdqu {x}, xmmword ptr {m}"],
        (Encoding::Vex, 8, 128) => &[
            "movzx eax, byte ptr {m}",
            "vmovd {x}, eax",
            "vpunpcklbw {x}, {x}, {x}",
            "vpshuflw {x}, {x}, 0",
            "vpshufd {x}, {x}, 0",
        ],
        (Encoding::Vex, 16, 128) => {
            &["movzx eax, word ptr {m}", "vmovd {x}, eax", "vpshuflw {x}, {x}, 0", "vpshufd {x}, {x}, 0"]
        }
        (Encoding::Vex, 32, 128) => &["vbroadcastss {x}, dword ptr {m}"],
        (Encoding::Vex, 64, 128) => &["vmovddup {x}, qword ptr {m}"],
        (_, 8, _) => &["vpbroadcastb {x}, byte ptr {m}"],
        (_, 16, _) => &["vpbroadcastw {x}, word ptr {m}"],
        (_, 32, _) => &["vpbroadcastd {x}, dword ptr {m}"],
        (_, 64, _) => &["vpbroadcastq {x}, qword ptr {m}"],
        (Encoding::Evex, 128, 128) => &["vmovdqu64 {x}, xmmword ptr {m}"],
        (Encoding::Vex, 128, 256) => &["vbroadcasti128 {x}, xmmword ptr {m}"],
        (Encoding::Evex, 128, _) => &["vbroadcasti32x4 {x}, xmmword ptr {m}"],
        (Encoding::Evex, 256, 512) => &["vbroadcasti64x4 {x}, ymmword ptr {m}"],
        (Encoding::Evex, 256, _) => &["vmovdqu64 {x}, ymmword ptr {m}"],
        (Encoding::Evex, ..) => &["vmovdqu64 {x}, zmmword ptr {m}"],
        (Encoding::Vex, 128, _) => &["vmovdqu {x}, xmmword ptr {m}"],
        (Encoding::Vex, ..) => &["vmovdqu {x}, ymmword ptr {m}"],
    }
}

/// The name of the move of a whole register that is aligned.
pub(crate) fn moving(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Legacy => "movdqa",
        Encoding::Vex => "vmovdqa",
        Encoding::Evex => "vmovdqa64",
    }
}
