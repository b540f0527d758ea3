//! A row of an instruction table, and the closed list of what a row can mean.

use crate::feature::Feature;

/// What an instruction computes. `a`, `b`, `c` are its operands in order, `n` its immediate. Where a meaning speaks of
/// lanes, [`Instruction::lane`] gives their width; otherwise it acts on bits and `lane` is 0.
///
/// A *group* is 128 consecutive bits. Bytes, lanes and groups are counted in memory order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Meaning {
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `a & ~b`: the second operand is complemented (`bic` of Arm, `vandc` of POWER).
    AndNot,
    /// `~a & b`: the first operand is complemented (`pandn` of x86).
    NotAnd,
    /// `a | ~b`: the second operand is complemented.
    OrNot,
    /// `~a`.
    Not,
    /// The function of three bits whose truth table is `n`: bit `4a + 2b + c` of `n`.
    Ternary,
    /// `(a & b) | (~a & c)`.
    Select,
    /// `a ^ b ^ c`.
    Xor3,
    /// `a + b` in each lane.
    Add,
    /// `a - b` in each lane.
    Subtract,
    /// The low half of `a * b` in each lane.
    Multiply,
    /// In each lane, the product of the low halves of `a` and of `b`.
    MultiplyLowHalves,
    /// `a << n` in each lane, `0 < n < lane`.
    ShiftLeft,
    /// `a >> n` in each lane, zeros in, `0 < n < lane`.
    ShiftRight,
    /// `a >> n` in each lane, copies of the top bit in, `0 < n < lane`.
    ShiftRightArithmetic,
    /// Rotation by `n` towards the most significant bit in each lane, `0 < n < lane`.
    RotateLeft,
    /// The image of each byte of `a` under the affine map whose matrix is the 64-bit lane of `b` and whose constant is `n`
    /// (`usuba_ir::bytes::ByteAffine`).
    MapBytes,
    /// [`Meaning::MapBytes`] of the inverse of each byte in GF(2^8).
    MapInverseBytes,
    /// A round of AES of the state in each group of `a` with the round key in the same group of `b`, which is added last
    /// ([`usuba_ir::aes::Round::Encrypt`]).
    AesEncrypt,
    /// [`usuba_ir::aes::Round::EncryptLast`].
    AesEncryptLast,
    /// [`usuba_ir::aes::Round::Decrypt`].
    AesDecrypt,
    /// [`usuba_ir::aes::Round::DecryptLast`].
    AesDecryptLast,
    /// `SubBytes(ShiftRows(a ^ b))` of AES in each group: the key is added first.
    AesAddSubstitute,
    /// `InvSubBytes(InvShiftRows(a ^ b))` in each group.
    AesAddInverseSubstitute,
    /// `MixColumns` of each group of `a`.
    AesMixColumns,
    /// `InvMixColumns` of each group of `a`.
    AesInverseMixColumns,
    /// In each group, the carry-less product of the half of `a` that bit 0 of `n` names and that of `b` that bit 4 names, the
    /// later one if it is set; the other bits of `n` are 0 ([`usuba_ir::carryless::Halves`]).
    CarrylessProduct,
    /// The same of the earlier halves.
    CarrylessLow,
    /// The same of the later halves.
    CarrylessHigh,
    /// Byte `i` of each group is byte `b[i]` of the same group of `a`; zero if `b[i]` is [`ZERO_BYTE`].
    ShuffleBytes,
    /// 32-bit word `i` of each group is word `n >> 2i & 3` of the same group of `a`.
    ShuffleWords,
    /// Group `i` of the register is group `s(i)` of `a`, any function `s`. 256-bit registers: `n = s(0) + 16 s(1)`;
    /// 512-bit registers: `n = s(0) + 4 s(1) + 16 s(2) + 64 s(3)`.
    PermuteGroups,
    /// Byte `i` of each group is byte `i + n` of that group of `b` and then that of `a`, for `n` from 1 to 15.
    AlignBytes,
    /// In each group, the lanes of the low halves of `a` and `b` in turn, one of `a` first.
    InterleaveLow,
    /// The same of the high halves.
    InterleaveHigh,
    /// In each group, the lanes of even number of `a`, then those of `b`.
    EvenLanes,
    /// The same of odd number.
    OddLanes,
    /// Lanes of even number of `a` and `b` in turn: lane `2i` of `a`, then lane `2i` of `b`.
    ExchangeLow,
    /// Lanes of odd number of `a` and `b` in turn.
    ExchangeHigh,
    /// Groups of two registers of two groups: group 0 is number `n & 3` of the groups of `a` and then of `b`, group 1 number
    /// `n >> 4 & 3`; the other bits of `n` are 0.
    PermuteTwoGroups,
    /// Lane `i` is lane `b[i]` of the lanes of `a` and then of `c`.
    PermuteLanesOfTwo,
    /// Lane `i` is lane `b[i]` of `a`.
    PermuteLanes,
    /// Lane `i` of each four lanes is lane `n >> 2i & 3` of the same four of `a`.
    PermuteQuads,
    /// Byte `i` of each group is that of [`Meaning::ShuffleBytes`] of `b` by `c` where bit `i` of `n` is 1, else byte `i` of
    /// that group of `a`.
    MergeShuffledBytes,
    /// In each group, lane `i` of `b` where bit `i` of `n` is 1, else of `a`.
    Blend,
    /// A register from memory, aligned to its size.
    Load,
    /// A register to memory, aligned to its size.
    Store,
    /// `lane` bits from memory, repeated in the whole register; as many as the register has: a register from anywhere.
    Broadcast,
    /// A byte from memory, all zeros or all ones, repeated in the whole register: [`Meaning::Broadcast`] of what is known to be a
    /// mask, where that costs less.
    RepeatMask,
    /// A register to memory, wherever.
    StoreUnaligned,
    /// A register whose lanes lie in as many places in memory, wherever.
    Gather,
    /// The lanes of a register to as many places in memory, wherever.
    Scatter,
    /// The first `n` lanes of a register from memory, wherever, and zeros; the rest of memory is not touched. `n` is a public
    /// count, fewer than all lanes.
    LoadPart,
    /// The first `n` lanes of a register to memory, wherever; the rest of memory is not touched. `n` as for
    /// [`Meaning::LoadPart`].
    StorePart,
    /// The constant `n`, known when the code is made, repeated in every lane.
    Constant,
    /// 16 constant bytes, repeated in every group.
    ConstantGroup,
    /// Constant lanes of a group, in memory order, repeated in every group; a row only where the byte order of the machine
    /// is not known when the code is made, so that [`Meaning::ConstantGroup`] will not do.
    ConstantLanes,
    /// As many constant bytes as the register has.
    ConstantBytes,
}

/// The index that selects a zero in [`Meaning::ShuffleBytes`]. x86 wants bit 7 set, `tbl` of Arm any index above 15,
/// `vperm` of POWER with a zero second operand an index of 16 to 31 modulo 32: this value is right for all three.
pub const ZERO_BYTE: u8 = 0x90;

/// How an instruction takes its operands in assembly: what constrains their registers, order and memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraints {
    /// The result takes the place of the first operand.
    pub overwrites: bool,
    /// Which operand comes first matters, though they may change places: the result waits less for the one it overwrites.
    pub first_matters: bool,
    /// The operand that may be memory.
    pub memory: Option<usize>,
    /// The operands may change places; a truth table changes with them.
    pub free_order: bool,
    /// The widths in bits that memory may be repeated from, with the name that the instruction has then.
    pub repeats: &'static [(u32, &'static str)],
    /// The operand is given twice.
    pub doubled: bool,
    /// The immediate in assembly, of that of the meaning.
    pub immediate: Immediate,
}

impl Constraints {
    /// Operands in registers, as they are, and the result in any register.
    pub(crate) const NONE: Constraints = Constraints {
        overwrites: false,
        first_matters: false,
        memory: None,
        free_order: false,
        repeats: &[],
        doubled: false,
        immediate: Immediate::Same,
    };

    /// Whether memory may be repeated from so many bits.
    pub fn repeats(&self, bits: u32) -> bool {
        self.repeats.iter().any(|(width, _)| *width == bits)
    }
}

/// How assembly writes an immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// As the meaning has it.
    Same,
    /// The functions of two groups, which the meaning counts in bits 0 and 4, in bits 0 and 1.
    AdjacentBits,
    /// What is missing to so many bits: a rotation the other way.
    Complement(u32),
}

/// One instruction of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// What it computes.
    pub meaning: Meaning,
    /// Bits of a lane; 0 if the meaning has no lanes.
    pub lane: u32,
    /// Its name in assembly; several names, with `+`, where it takes several instructions.
    pub mnemonic: &'static str,
    /// A C expression of the register type. `{0}` `{1}` `{2}`: operands (identifiers; of [`Meaning::Gather`] and
    /// [`Meaning::Scatter`] the pointers to the lanes in order come first); `{imm}`: the immediate; `{inv}`:
    /// lane width minus the immediate; `{value}`: a constant of a lane; `{bytes}`: constant bytes as signed numbers in
    /// memory order; `{lanes}`: constant lanes in memory order; `{reversed}`: the same, last first; `{unsigned}`: the same as unsigned numbers in memory order.
    pub c: &'static str,
    /// Cycles from an operand to the result.
    pub latency: u8,
    /// Micro-operations.
    pub uops: u8,
    /// Ports that can run each of them: bit p for port p; 0 where not known.
    pub ports: u16,
    /// What the CPU must have for it beside what all rows of its table need.
    pub needs: Option<Feature>,
    /// How it takes its operands in assembly for x86; `None` for what has no operands in registers, and elsewhere.
    pub constraints: Option<Constraints>,
    /// The lines of assembly of a load for x86 that takes several: `{x}` for the register, `{m}` for the address in brackets.
    pub lines: &'static [&'static str],
    /// Whether these lines go through `eax`.
    pub scratch: bool,
}

impl Instruction {
    /// How many places in memory it is given, on registers of so many bits: none if it computes.
    pub fn places(&self, bits: u32) -> usize {
        match self.meaning {
            Meaning::Gather | Meaning::Scatter => (bits / self.lane.max(1)) as usize,
            meaning => usize::from(meaning.is_move() || meaning.is_repeat()),
        }
    }
}

/// A row of a machine other than x86. The order of the fields is that of [`Instruction`].
pub(crate) const fn row(
    meaning: Meaning,
    lane: u32,
    mnemonic: &'static str,
    c: &'static str,
    latency: u8,
    uops: u8,
    ports: u16,
) -> Instruction {
    Instruction {
        meaning,
        lane,
        mnemonic,
        c,
        latency,
        uops,
        ports,
        needs: None,
        constraints: None,
        lines: &[],
        scratch: false,
    }
}

/// How rows on general-purpose registers of x86 take their operands in assembly.
impl Instruction {
    const fn takes(self, constraints: Constraints) -> Instruction {
        Instruction { constraints: Some(constraints), ..self }
    }

    /// One operand, whose place the result takes, and an immediate if the meaning has one.
    pub(crate) const fn changes(self) -> Instruction {
        self.takes(Constraints { overwrites: true, ..Constraints::NONE })
    }

    /// Two operands, the second of which may be memory; the result takes the place of the first.
    pub(crate) const fn two(self) -> Instruction {
        self.takes(Constraints { overwrites: true, memory: Some(1), ..Constraints::NONE })
    }

    /// The same in either order.
    pub(crate) const fn commutes(self) -> Instruction {
        self.takes(Constraints { overwrites: true, memory: Some(1), free_order: true, ..Constraints::NONE })
    }

    /// The result is in any register, and the operand of that number may be memory.
    pub(crate) const fn elsewhere(self, memory: usize, immediate: Immediate) -> Instruction {
        self.takes(Constraints { memory: Some(memory), immediate, ..Constraints::NONE })
    }
}
