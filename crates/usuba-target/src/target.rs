//! A machine that code is made for.

use crate::encoding::Encoding;
use crate::feature::Feature;
use crate::instruction::{Instruction, Meaning};
use crate::x86;
use usuba_ir::layout::Slicing;

/// Order of the bytes of a word in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteOrder {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
    /// The generated code is the same, and right, for both.
    Both,
}

/// How to compile for a machine and how to run what comes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// Name of the platform, as in GNU triples.
    pub platform: &'static str,
    /// Order of bytes on it.
    pub byte_order: ByteOrder,
    /// The gcc driver.
    pub gcc: &'static str,
    /// The flags for it.
    pub gcc_flags: &'static [&'static str],
    /// The clang driver; a version suffix may be needed.
    pub clang: &'static str,
    /// The flags for it.
    pub clang_flags: &'static [&'static str],
    /// The command that runs a statically linked program, put before its name; empty to run it directly, on a CPU that
    /// has what [`Target::requires`] says.
    pub runner: &'static [&'static str],
}

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// What the user calls it.
    pub name: &'static str,
    /// The target whose instructions these are with some more: programs that use none of them have the same code on both.
    pub beyond: Option<&'static Target>,
    /// A line of description.
    pub description: &'static str,
    /// What the CPU must have. The operating system must also save the registers (x86: `XGETBV`).
    pub requires: &'static [Feature],
    /// Bits of a register.
    pub register_bits: u32,
    /// Registers of that size that code may use.
    pub register_count: u32,
    /// The C type of a register, by the width of the lanes: 8, 16, 32, 64 and, last, for single bits.
    pub register_types: [&'static str; 5],
    /// Whether a register holds one word only, of the width of its lane (general-purpose registers).
    pub single_lane: bool,
    /// Headers that declare the type and the instructions.
    pub headers: &'static [&'static str],
    /// How to compile for it, the most common platform first.
    pub toolchains: &'static [Toolchain],
    /// Bytes of code that an instruction takes, typically, in tenths.
    pub code_bytes_tenths: u32,
    /// Remarks on the order of bytes, bits and lanes.
    pub remarks: &'static str,
    /// Where latencies and ports come from, and how far to trust them.
    pub numbers: &'static str,
    /// The instructions.
    pub rows: Rows,
}

/// Where the instructions of a machine are; an earlier row wins over a later one of the same meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// In tables of its own, or shared with those it goes beyond.
    Tables(&'static [&'static [Instruction]]),
    /// In tables on general-purpose registers, which x86 has as instructions too.
    General(&'static [&'static [Instruction]]),
    /// In the table of x86: those of an encoding, for the registers of the machine.
    X86(Encoding),
}

impl Target {
    /// All rows that kernels are made of, preferred ones first.
    pub fn instructions(&self) -> impl Iterator<Item = &'static Instruction> + use<> {
        let requires = self.requires;
        let (tables, rows): (&[&[Instruction]], &[Instruction]) = match self.rows {
            Rows::Tables(tables) | Rows::General(tables) => (tables, &[]),
            Rows::X86(encoding) => (&[], x86::rows(encoding, self.register_bits)),
        };
        tables
            .iter()
            .copied()
            .flatten()
            .chain(rows)
            .filter(move |row| row.needs.is_none_or(|feature| requires.contains(&feature)))
    }

    /// Whether words lie in memory with their least significant byte first, wherever its code runs.
    pub fn is_little_endian(&self) -> bool {
        self.toolchains.iter().all(|toolchain| toolchain.byte_order == ByteOrder::Little)
    }

    /// How its vector instructions are encoded; `None` where there are no vectors of x86.
    pub fn encoding(&self) -> Option<Encoding> {
        match self.rows {
            Rows::X86(encoding) => Some(encoding),
            Rows::Tables(_) | Rows::General(_) => None,
        }
    }

    /// How its instructions are encoded in assembly for x86-64; `None` where there is none.
    pub fn assembly(&self) -> Option<Encoding> {
        match self.rows {
            Rows::X86(encoding) => Some(encoding),
            Rows::General(_) => Some(Encoding::General),
            Rows::Tables(_) => None,
        }
    }

    /// Whether this target may get code of its own in a slicing where other targets have some, as `have` tells by their names.
    /// A target that extends another gets its own code only where the base has none, as otherwise the two would be the same,
    /// or where there may be rounds of AES, or rotations of words, that the base has no instructions for.
    /// A base that has none of its own may go beyond another one that has.
    pub fn adds_to(&self, slicing: Slicing, have: impl Fn(&str) -> bool) -> bool {
        let rounds = |base: &Target| slicing == Slicing::BLOCKS && self.has_rounds() && !base.has_rounds();
        let rotates = |base: &Target| slicing == Slicing::V && self.rotates_more(base);
        self.bases().all(|base| !have(base.name) || rounds(base) || rotates(base))
    }

    /// Whether there are instructions for rotations of words that another one has none for.
    fn rotates_more(&self, other: &Target) -> bool {
        let has = |target: &Target, lane| target.instruction(Meaning::RotateLeft, lane).is_some();
        [8, 16, 32, 64].into_iter().any(|lane| has(self, lane) && !has(other, lane))
    }

    /// Whether there are instructions for rounds of AES.
    pub fn has_rounds(&self) -> bool {
        let meanings = [Meaning::AesEncrypt, Meaning::AesAddSubstitute];
        meanings.into_iter().any(|meaning| self.instruction(meaning, 0).is_some())
    }

    /// The targets that it goes beyond, the nearest first.
    pub fn bases(&self) -> impl Iterator<Item = &'static Target> + use<> {
        std::iter::successors(self.beyond, |base| base.beyond)
    }

    /// The preferred instruction of a meaning in lanes of `lane` bits.
    pub fn instruction(&self, meaning: Meaning, lane: u32) -> Option<&'static Instruction> {
        self.instructions().find(|row| row.meaning == meaning && (row.lane == 0 || row.lane == lane))
    }

    /// The C type of a register with lanes of `lane` bits; 0 or 1 for single bits.
    pub fn register_type(&self, lane: u32) -> &'static str {
        let [eight, sixteen, thirty_two, sixty_four, bits] = self.register_types;
        match lane {
            8 => eight,
            16 => sixteen,
            32 => thirty_two,
            64 => sixty_four,
            _ => bits,
        }
    }
}
