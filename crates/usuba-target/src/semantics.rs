//! What the rows compute: the executable form of [`Meaning`].
//!
//! A register is its bytes in memory order. Bit i of a byte has the weight 2^i. A lane is a little-endian number: its first
//! byte is the least significant one. Lane 0 is the first in memory, and so is group 0. General-purpose registers hold one
//! little-endian word, of as many bytes as the word has.
//!
//! On a big-endian machine a lane is the same number with its bytes in the opposite order: reverse the bytes of every lane of
//! [`Instruction::lane`] bits in the operands and in the result, but not in what [`Meaning::Broadcast`] reads.

mod moves;

use crate::instruction::{Instruction, Meaning, ZERO_BYTE};
use std::sync::LazyLock;
use thiserror::Error;
use usuba_ir::aes::{self, Round};
use usuba_ir::bytes::{ByteAffine, inverse};
use usuba_ir::carryless::Halves;

/// Bytes of a group.
const GROUP: usize = 16;

/// A constant, as the rows that make constants take it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Constant {
    /// The same number in every lane of the instruction's width ([`Meaning::Constant`]).
    Lane(u64),
    /// Lanes of the instruction's width in memory order, of a group ([`Meaning::ConstantLanes`]).
    Lanes(Vec<u64>),
    /// Bytes in memory order: of a group ([`Meaning::ConstantGroup`]) or of the whole register
    /// ([`Meaning::ConstantBytes`]).
    Bytes(Vec<u8>),
}

/// Why a row computes nothing of these operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Undefined {
    /// The meaning takes another number of operands.
    #[error("it takes {expected} operands, not {found}")]
    Operands {
        /// What it takes.
        expected: usize,
        /// What it was given.
        found: usize,
    },
    /// An operand has another size than the row reads.
    #[error("it reads operands of {expected} bytes, not of {found}")]
    Size {
        /// Bytes that it reads.
        expected: usize,
        /// Bytes that it was given.
        found: usize,
    },
    /// The register is not made of whole lanes, or of as many groups as the meaning is about.
    #[error("it has no meaning on a register of {bytes} bytes")]
    Register {
        /// Bytes of the register.
        bytes: usize,
    },
    /// The immediate is missing, superfluous or out of range.
    #[error("it has no meaning for this immediate: {0:?}")]
    Immediate(Option<u32>),
    /// An index of [`Meaning::ShuffleBytes`] that machines understand in different ways.
    #[error("its index is {0:#x}, neither below 16 nor the one that selects a zero")]
    Index(u8),
    /// A part that is not smaller than the register.
    #[error("it moves fewer than all lanes, not {0} bytes")]
    Part(usize),
    /// What [`Meaning::RepeatMask`] reads is neither all zeros nor all ones.
    #[error("it repeats a mask, all zeros or all ones, not {0:#x}")]
    Mask(u8),
    /// Constants are what [`constant`] makes, and of the kind that the meaning takes.
    #[error("it takes another kind of constant, or one of another size")]
    Constant,
}

impl Meaning {
    /// How many operands an instruction of this meaning has. A load has one, what it reads; a store has the address and the
    /// value. Of [`Meaning::LoadPart`] and [`Meaning::StorePart`] the last is the count. The places of [`Meaning::Gather`] and
    /// [`Meaning::Scatter`] count as one.
    pub fn operands(self) -> usize {
        use Meaning::*;
        match self {
            Constant | ConstantGroup | ConstantLanes | ConstantBytes => 0,
            Not | ShiftLeft | ShiftRight | ShiftRightArithmetic | RotateLeft | ShuffleWords
            | PermuteGroups | Load | Broadcast | RepeatMask | Gather | AesMixColumns
            | AesInverseMixColumns => 1,
            PermuteQuads => 1,
            Ternary | Select | Xor3 | PermuteLanesOfTwo | MergeShuffledBytes | StorePart => 3,
            And
            | Or
            | Xor
            | AndNot
            | NotAnd
            | OrNot
            | Add
            | Subtract
            | Multiply
            | MultiplyLowHalves
            | MapBytes
            | MapInverseBytes
            | ShuffleBytes
            | AlignBytes
            | Store
            | InterleaveLow
            | InterleaveHigh
            | StoreUnaligned
            | Scatter
            | LoadPart
            | EvenLanes
            | OddLanes
            | ExchangeLow
            | ExchangeHigh
            | PermuteTwoGroups
            | PermuteLanes
            | Blend
            | AesEncrypt
            | AesEncryptLast
            | AesDecrypt
            | AesDecryptLast
            | AesAddSubstitute
            | AesAddInverseSubstitute
            | CarrylessProduct
            | CarrylessLow
            | CarrylessHigh => 2,
        }
    }

    /// Whether an instruction of this meaning has an immediate in a register of so many bytes with lanes of `lane` bits, and
    /// whether it may be `n`.
    fn admits(self, immediate: Option<u32>, lane: u32, bytes: usize) -> bool {
        use Meaning::*;
        match (self, immediate) {
            (Ternary | MapBytes | MapInverseBytes | ShuffleWords, Some(n)) => n < 256,
            (ShiftLeft | ShiftRight | ShiftRightArithmetic | RotateLeft, Some(n)) => 0 < n && n < lane,
            (AlignBytes, Some(n)) => 0 < n && n < GROUP as u32,
            (PermuteQuads, Some(n)) => n < 256,
            (PermuteGroups, Some(n)) if bytes == 2 * GROUP => n & !0x11 == 0,
            (PermuteGroups, Some(n)) => n < 256,
            (CarrylessProduct, Some(n)) => n & !0x11 == 0,
            (PermuteTwoGroups, Some(n)) => n & !0x33 == 0,
            (MergeShuffledBytes, Some(n)) => n < 1 << GROUP,
            (_, immediate) => immediate.is_some() == self.has_immediate(),
        }
    }

    /// Whether an instruction of this meaning makes a constant.
    pub fn is_constant(self) -> bool {
        use Meaning::*;
        matches!(self, Constant | ConstantGroup | ConstantLanes | ConstantBytes)
    }

    /// Whether an instruction of this meaning writes to memory.
    pub fn is_store(self) -> bool {
        matches!(self, Meaning::Store | Meaning::StoreUnaligned | Meaning::Scatter | Meaning::StorePart)
    }

    /// Whether an instruction of this meaning moves a register, or a part of one, from memory or to it, unchanged.
    pub fn is_move(self) -> bool {
        self.is_store() || matches!(self, Meaning::Load | Meaning::Gather | Meaning::LoadPart)
    }

    /// Whether an instruction of this meaning reads less than a register from memory, and repeats it.
    pub fn is_repeat(self) -> bool {
        matches!(self, Meaning::Broadcast | Meaning::RepeatMask)
    }

    /// Whether an instruction of this meaning computes from registers.
    pub fn is_computation(self) -> bool {
        !self.is_move() && !self.is_constant() && !self.is_repeat()
    }

    /// Whether an instruction of this meaning has an immediate.
    pub fn has_immediate(self) -> bool {
        use Meaning::*;
        matches!(
            self,
            Ternary
                | MapBytes
                | MapInverseBytes
                | CarrylessProduct
                | ShiftLeft
                | ShiftRight
                | ShiftRightArithmetic
                | RotateLeft
                | ShuffleWords
                | AlignBytes
                | PermuteGroups
                | PermuteTwoGroups
                | PermuteQuads
                | MergeShuffledBytes
                | Blend
        )
    }
}

/// The immediates for which a row has a meaning, in a register of so many bytes; none if it has no immediate.
pub fn immediates(row: &Instruction, bytes: usize) -> impl Iterator<Item = u32> + use<> {
    let (meaning, lane) = (row.meaning, lane_bits(row, bytes));
    // Of the masks of 16 bits those whose halves add to all ones are tried: each bit takes either value, beside either.
    let mask = move |n: u32| if meaning == Meaning::MergeShuffledBytes { n | (255 - n) << 8 } else { n };
    (0..256).map(mask).filter(move |&n| meaning.has_immediate() && meaning.admits(Some(n), lane, bytes))
}

/// What a row makes of its operands: the bytes of a register of `bytes` bytes, in memory order.
///
/// Every operand is a register of that size, but for [`Meaning::Broadcast`] and
/// [`Meaning::RepeatMask`]: the bits that they read, in memory order. A load
/// gives what it reads, and a store, which is given its value alone, what it writes; what a gather reads is given lane by
/// lane, as one operand. Of a part it is given the number of lanes
/// besides, in eight bytes, and what is not stored is zero.
///
/// # Errors
/// The meaning says nothing of these operands, of this immediate or of such a register.
pub fn evaluate(
    row: &Instruction,
    bytes: usize,
    operands: &[&[u8]],
    immediate: Option<u32>,
) -> Result<Vec<u8>, Undefined> {
    let mut result = vec![0; bytes];
    evaluate_into(row, operands, immediate, &mut result)?;
    Ok(result)
}

/// [`evaluate`] into a register that is there.
///
/// # Errors
/// As for [`evaluate`]; the register has any content then.
pub fn evaluate_into(
    row: &Instruction,
    operands: &[&[u8]],
    immediate: Option<u32>,
    result: &mut [u8],
) -> Result<(), Undefined> {
    use Meaning::*;
    let bytes = result.len();
    let lane = lane_bits(row, bytes);
    check(row.meaning, operands, immediate, lane, bytes)?;
    let n = immediate.unwrap_or(0);
    match row.meaning {
        And => bits(operands, result, |[a, b]| a & b),
        Or => bits(operands, result, |[a, b]| a | b),
        Xor => bits(operands, result, |[a, b]| a ^ b),
        AndNot => bits(operands, result, |[a, b]| a & !b),
        NotAnd => bits(operands, result, |[a, b]| !a & b),
        OrNot => bits(operands, result, |[a, b]| a | !b),
        Not => bits(operands, result, |[a]| !a),
        Ternary => bits(operands, result, |[a, b, c]| ternary(n, a, b, c)),
        Select => bits(operands, result, |[a, b, c]| a & b | !a & c),
        Xor3 => bits(operands, result, |[a, b, c]| a ^ b ^ c),
        Add => lanes(lane, operands, result, |[a, b]| a.wrapping_add(b)),
        Subtract => lanes(lane, operands, result, |[a, b]| a.wrapping_sub(b)),
        Multiply => lanes(lane, operands, result, |[a, b]| a.wrapping_mul(b)),
        MultiplyLowHalves => {
            let half = u64::MAX >> (64 - lane / 2);
            lanes(lane, operands, result, |[a, b]| (a & half).wrapping_mul(b & half))
        }
        ShiftLeft => lanes(lane, operands, result, |[a]| a << n),
        ShiftRight => lanes(lane, operands, result, |[a]| a >> n),
        ShiftRightArithmetic => {
            lanes(lane, operands, result, |[a]| ((a << (64 - lane)) as i64 >> (64 - lane + n)) as u64)
        }
        RotateLeft => lanes(lane, operands, result, |[a]| a << n | a >> (lane - n)),
        MapBytes => map_bytes(operands, n as u8, result, |byte| byte),
        MapInverseBytes => map_bytes(operands, n as u8, result, |byte| INVERSES[usize::from(byte)]),
        AesEncrypt => blocks(operands, result, |[a, key]| Round::Encrypt.of(a, key)),
        AesEncryptLast => blocks(operands, result, |[a, key]| Round::EncryptLast.of(a, key)),
        AesDecrypt => blocks(operands, result, |[a, key]| Round::Decrypt.of(a, key)),
        AesDecryptLast => blocks(operands, result, |[a, key]| Round::DecryptLast.of(a, key)),
        AesAddSubstitute => blocks(operands, result, |[a, key]| added_and_substituted(a, key, true)),
        AesAddInverseSubstitute => blocks(operands, result, |[a, key]| added_and_substituted(a, key, false)),
        AesMixColumns => blocks(operands, result, |[a]| aes::mix_columns(a)),
        AesInverseMixColumns => blocks(operands, result, |[a]| aes::inverse_mix_columns(a)),
        CarrylessProduct => {
            blocks(operands, result, |[a, b]| Halves { first: n & 1 != 0, second: n & 16 != 0 }.product(a, b))
        }
        CarrylessLow => {
            blocks(operands, result, |[a, b]| Halves { first: false, second: false }.product(a, b))
        }
        CarrylessHigh => {
            blocks(operands, result, |[a, b]| Halves { first: true, second: true }.product(a, b))
        }
        ShuffleBytes => return shuffle_bytes(operands, result),
        ShuffleWords => {
            for (word, to) in result.chunks_exact_mut(4).enumerate() {
                let from = word / 4 * 4 + (n >> (2 * (word % 4)) & 3) as usize;
                to.copy_from_slice(&operands[0][4 * from..][..4]);
            }
        }
        AlignBytes => {
            for (number, to) in result.iter_mut().enumerate() {
                let (group, place) = (number / GROUP * GROUP, number % GROUP + n as usize);
                *to = operands[if place < GROUP { 1 } else { 0 }][group + place % GROUP];
            }
        }
        PermuteGroups => {
            let (mask, step) = if bytes == 2 * GROUP { (1, 4) } else { (3, 2) };
            for (group, to) in result.chunks_exact_mut(GROUP).enumerate() {
                let from = (n >> (step * group) & mask) as usize;
                to.copy_from_slice(&operands[0][GROUP * from..][..GROUP]);
            }
        }
        Load | Store | StoreUnaligned | Gather | Scatter => result.copy_from_slice(operands[0]),
        Broadcast => {
            result.chunks_exact_mut(operands[0].len()).for_each(|to| to.copy_from_slice(operands[0]))
        }
        RepeatMask => match operands[0] {
            &[mask @ (0 | 0xff)] => result.fill(mask),
            other => return Err(Undefined::Mask(other.iter().fold(0, |all, byte| all | byte))),
        },
        LoadPart | StorePart => {
            let part = number(operands[1]) as usize * (lane as usize / 8);
            if part >= bytes {
                return Err(Undefined::Part(part));
            }
            result.fill(0);
            result[..part].copy_from_slice(&operands[0][..part]);
        }
        Constant | ConstantGroup | ConstantLanes | ConstantBytes => return Err(Undefined::Constant),
        moving => {
            if !moves::moved(moving, lane, operands, n, result) {
                return Err(Undefined::Register { bytes });
            }
        }
    }
    Ok(())
}

/// The register of `bytes` bytes, in memory order, that a row makes of a constant. Of the number of a lane the bits above the
/// lane do not matter.
///
/// # Errors
/// The row makes no constants, or not of this kind or size.
pub fn constant(row: &Instruction, bytes: usize, constant: &Constant) -> Result<Vec<u8>, Undefined> {
    let lane = lane_bits(row, bytes) as usize / 8;
    if lane == 0 || lane > 8 && matches!(row.meaning, Meaning::Constant | Meaning::ConstantLanes) {
        return Err(Undefined::Register { bytes });
    }
    let (piece, size) = match (row.meaning, constant) {
        (Meaning::Constant, Constant::Lane(value)) => (value.to_le_bytes()[..lane].to_vec(), lane),
        (Meaning::ConstantLanes, Constant::Lanes(values)) => {
            let lanes = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(lane));
            (lanes.collect(), GROUP)
        }
        (Meaning::ConstantGroup, Constant::Bytes(group)) => (group.clone(), GROUP),
        (Meaning::ConstantBytes, Constant::Bytes(all)) => (all.clone(), bytes),
        _ => return Err(Undefined::Constant),
    };
    if piece.len() != size {
        return Err(Undefined::Constant);
    }
    if !bytes.is_multiple_of(size) {
        return Err(Undefined::Register { bytes });
    }
    Ok(piece.repeat(bytes / size))
}

/// A number of eight bytes, the lowest first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The inverse of each byte in GF(2^8).
static INVERSES: LazyLock<[u8; 256]> = LazyLock::new(|| std::array::from_fn(|byte| inverse(byte as u8)));

/// Bits of the lanes of a row; a row without lanes has one, the register, which matters for general-purpose registers alone.
fn lane_bits(row: &Instruction, bytes: usize) -> u32 {
    if row.lane == 0 { 8 * bytes as u32 } else { row.lane }
}

/// Refuses what [`evaluate_into`] does not compute, so that it need not look.
fn check(
    meaning: Meaning,
    operands: &[&[u8]],
    immediate: Option<u32>,
    lane: u32,
    bytes: usize,
) -> Result<(), Undefined> {
    use Meaning::*;
    let expected = meaning.operands() - usize::from(meaning.is_store());
    if operands.len() != expected {
        return Err(Undefined::Operands { expected, found: operands.len() });
    }
    let size = if meaning.is_repeat() { lane as usize / 8 } else { bytes };
    let is_part = matches!(meaning, LoadPart | StorePart);
    for (place, operand) in operands.iter().enumerate() {
        let expected = if is_part && place == 1 { 8 } else { size };
        if operand.len() != expected {
            return Err(Undefined::Size { expected, found: operand.len() });
        }
    }
    let lanes = bytes > 0 && size > 0 && (8 * bytes).is_multiple_of(lane as usize);
    let fits = match meaning {
        Add | Subtract | Multiply | ShiftLeft | ShiftRight | ShiftRightArithmetic | RotateLeft => {
            matches!(lane, 8 | 16 | 32 | 64)
        }
        MultiplyLowHalves => matches!(lane, 16 | 32 | 64),
        MapBytes | MapInverseBytes => bytes.is_multiple_of(8),
        ShuffleBytes
        | ShuffleWords
        | AlignBytes
        | AesEncrypt
        | AesEncryptLast
        | AesDecrypt
        | AesDecryptLast
        | AesAddSubstitute
        | AesAddInverseSubstitute
        | AesMixColumns
        | AesInverseMixColumns
        | CarrylessProduct
        | CarrylessLow
        | CarrylessHigh => bytes.is_multiple_of(GROUP),
        PermuteGroups => bytes == 2 * GROUP || bytes == 4 * GROUP,
        _ => true,
    };
    if !lanes || !fits {
        return Err(Undefined::Register { bytes });
    }
    if !meaning.admits(immediate, lane, bytes) {
        return Err(Undefined::Immediate(immediate));
    }
    Ok(())
}

/// A function of single bits, of eight bytes at once where there are as many.
fn bits<const N: usize>(operands: &[&[u8]], result: &mut [u8], function: impl Fn([u64; N]) -> u64) {
    lanes(if result.len().is_multiple_of(8) { 64 } else { 8 }, operands, result, function);
}

/// A function of lanes of `lane` bits, 8, 16, 32 or 64. What it sees of a lane is its number; what it gives beyond the lane is
/// lost.
fn lanes<const N: usize>(
    lane: u32,
    operands: &[&[u8]],
    result: &mut [u8],
    function: impl Fn([u64; N]) -> u64,
) {
    match lane {
        8 => each_lane::<1, N>(operands, result, function),
        16 => each_lane::<2, N>(operands, result, function),
        32 => each_lane::<4, N>(operands, result, function),
        _ => each_lane::<8, N>(operands, result, function),
    }
}

fn each_lane<const BYTES: usize, const N: usize>(
    operands: &[&[u8]],
    result: &mut [u8],
    function: impl Fn([u64; N]) -> u64,
) {
    for (number, to) in result.chunks_exact_mut(BYTES).enumerate() {
        let at = number * BYTES;
        let read = |place: usize| {
            let mut word = [0; 8];
            word[..BYTES].copy_from_slice(&operands[place][at..at + BYTES]);
            u64::from_le_bytes(word)
        };
        to.copy_from_slice(&function(std::array::from_fn(read)).to_le_bytes()[..BYTES]);
    }
}

/// The function of three bits whose truth table is `table`, for 64 of each: bit `4a + 2b + c` of the table.
fn ternary(table: u32, a: u64, b: u64, c: u64) -> u64 {
    let of = |operand: u64, set: u32| if set == 1 { operand } else { !operand };
    let cases = (0..8).filter(|case| table >> case & 1 == 1);
    cases.fold(0, |sum, case| sum | of(a, case >> 2) & of(b, case >> 1 & 1) & of(c, case & 1))
}

/// Maps bytes by the matrix of each 64-bit lane of the second operand and a constant.
fn map_bytes(operands: &[&[u8]], constant: u8, result: &mut [u8], first: impl Fn(u8) -> u8) {
    let lanes = operands[0].chunks_exact(8).zip(operands[1].chunks_exact(8));
    for ((from, matrix), to) in lanes.zip(result.chunks_exact_mut(8)) {
        let matrix = matrix.iter().rev().fold(0, |matrix, &byte| matrix << 8 | u64::from(byte));
        let map = ByteAffine::of_matrix(matrix, constant);
        to.iter_mut().zip(from).for_each(|(to, &byte)| *to = map.of(first(byte)));
    }
}

/// A function of blocks, of each group.
fn blocks<const N: usize>(
    operands: &[&[u8]],
    result: &mut [u8],
    function: impl Fn([[u8; GROUP]; N]) -> [u8; GROUP],
) {
    for (number, to) in result.chunks_exact_mut(GROUP).enumerate() {
        let read = |place: usize| {
            let mut group = [0; GROUP];
            group.copy_from_slice(&operands[place][number * GROUP..][..GROUP]);
            group
        };
        to.copy_from_slice(&function(std::array::from_fn(read)));
    }
}

fn added_and_substituted(a: [u8; GROUP], key: [u8; GROUP], forward: bool) -> [u8; GROUP] {
    let sum = std::array::from_fn(|place| a[place] ^ key[place]);
    aes::substitute(aes::shift_rows(sum, forward), forward)
}

fn shuffle_bytes(operands: &[&[u8]], result: &mut [u8]) -> Result<(), Undefined> {
    let groups = operands[0].chunks_exact(GROUP).zip(operands[1].chunks_exact(GROUP));
    for ((from, indices), to) in groups.zip(result.chunks_exact_mut(GROUP)) {
        for (to, &index) in to.iter_mut().zip(indices) {
            *to = match index {
                0..16 => from[usize::from(index)],
                ZERO_BYTE => 0,
                _ => return Err(Undefined::Index(index)),
            };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::row;

    /// Evaluates a meaning of lanes of so many bits.
    fn of(
        meaning: Meaning,
        lane: u32,
        operands: &[&[u8]],
        immediate: Option<u32>,
    ) -> Result<Vec<u8>, Undefined> {
        let bytes = operands.first().map_or(0, |operand| operand.len());
        evaluate(&row(meaning, lane, "", "", 1, 1, 0), bytes, operands, immediate)
    }

    #[test]
    fn lanes_are_little_endian_and_do_not_touch() {
        use Meaning::*;
        let (a, b) = ([0xff, 0x00, 0x80, 0x01], [0x01, 0x00, 0x80, 0x01]);
        assert_eq!(of(Add, 8, &[&a, &b], None), Ok(vec![0x00, 0x00, 0x00, 0x02]));
        assert_eq!(of(Add, 16, &[&a, &b], None), Ok(vec![0x00, 0x01, 0x00, 0x03]));
        assert_eq!(of(Subtract, 32, &[&b, &a], None), Ok(vec![0x02, 0xff, 0xff, 0xff]));
        assert_eq!(of(Multiply, 16, &[&a, &b], None), Ok(vec![0xff, 0x00, 0x00, 0x40]));
        assert_eq!(of(MultiplyLowHalves, 32, &[&a, &b], None), Ok(vec![0xff, 0x00, 0x00, 0x00]));
        assert_eq!(of(ShiftLeft, 16, &[&a], Some(4)), Ok(vec![0xf0, 0x0f, 0x00, 0x18]));
        assert_eq!(of(ShiftRight, 16, &[&a], Some(4)), Ok(vec![0x0f, 0x00, 0x18, 0x00]));
        assert_eq!(of(ShiftRightArithmetic, 8, &[&a], Some(7)), Ok(vec![0xff, 0x00, 0xff, 0x00]));
        assert_eq!(of(RotateLeft, 32, &[&a], Some(8)), Ok(vec![0x01, 0xff, 0x00, 0x80]));
        // A row without lanes, on a register that is one word.
        assert_eq!(of(ShiftRight, 0, &[&[0x00, 0x01]], Some(1)), Ok(vec![0x80, 0x00]));
    }

    #[test]
    fn truth_tables_are_read_by_their_operands() {
        let (a, b, c) = ([0xf0u8], [0xccu8], [0xaau8]);
        for table in 0..256 {
            assert_eq!(of(Meaning::Ternary, 0, &[&a, &b, &c], Some(table)), Ok(vec![table as u8]));
        }
        assert_eq!(of(Meaning::Select, 0, &[&a, &b, &c], None), Ok(vec![0xca]));
        assert_eq!(of(Meaning::Xor3, 0, &[&a, &b, &c], None), Ok(vec![0x96]));
        assert_eq!(of(Meaning::NotAnd, 0, &[&a, &b], None), Ok(vec![0x0c]));
        assert_eq!(of(Meaning::AndNot, 0, &[&a, &b], None), Ok(vec![0x30]));
        assert_eq!(of(Meaning::OrNot, 0, &[&a, &b], None), Ok(vec![0xf3]));
    }

    #[test]
    fn shuffles_count_in_memory_order() {
        let bytes: Vec<u8> = (0..64).collect();
        let words = of(Meaning::ShuffleWords, 32, &[&bytes[..32]], Some(0b00_01_10_11)).expect("a shuffle");
        assert_eq!(words[..8], [12, 13, 14, 15, 8, 9, 10, 11]);
        assert_eq!(words[16..20], [28, 29, 30, 31]);
        let groups = of(Meaning::PermuteGroups, 0, &[&bytes], Some(0b01_10_11_11)).expect("a permutation");
        assert_eq!([groups[0], groups[16], groups[32], groups[48]], [48, 48, 32, 16]);
        let halves = of(Meaning::PermuteGroups, 0, &[&bytes[..32]], Some(0x01)).expect("a permutation");
        assert_eq!([halves[0], halves[16]], [16, 0]);
        let joined = of(Meaning::AlignBytes, 0, &[&bytes[32..], &bytes[..32]], Some(3)).expect("a shuffle");
        assert_eq!([joined[0], joined[12], joined[13], joined[15]], [3, 15, 32, 34]);
        assert_eq!([joined[16], joined[28], joined[29], joined[31]], [19, 31, 48, 50]);
        let mut indices = [15u8; 16];
        indices[1] = ZERO_BYTE;
        let picked = of(Meaning::ShuffleBytes, 0, &[&bytes[16..32], &indices], None).expect("a shuffle");
        assert_eq!(picked[..3], [31, 0, 31]);
    }

    #[test]
    fn bytes_are_mapped_by_the_matrix_of_their_lane() {
        // FIPS 197, section 5.1.1: the S-box of AES is an affine map after the inversion.
        let matrix = 0xf1e3_c78f_1f3e_7cf8u64.to_le_bytes();
        let sbox = of(Meaning::MapInverseBytes, 8, &[&[0x53; 8], &matrix], Some(0x63));
        assert_eq!(sbox, Ok(vec![0xed; 8]));
        let identity = ByteAffine::IDENTITY.matrix().to_le_bytes();
        assert_eq!(of(Meaning::MapBytes, 8, &[&[0x53; 8], &identity], Some(1)), Ok(vec![0x52; 8]));
    }

    #[test]
    fn blocks_are_encrypted_each_for_itself() {
        // FIPS 197, appendix B, round 1.
        let state = 0x193d_e3be_a0f4_e22b_9ac6_8d2a_e9f8_4808_u128.to_be_bytes();
        let key = 0xa0fa_fe17_8854_2cb1_23a3_3939_2a6c_7605_u128.to_be_bytes();
        let next = 0xa49c_7ff2_689f_352b_6b5b_ea43_026a_5049_u128.to_be_bytes();
        let (states, keys) = ([state, [0; 16]].concat(), [key, key].concat());
        let round = of(Meaning::AesEncrypt, 0, &[&states, &keys], None).expect("a round");
        assert_eq!(round[..16], next);
        let zero = of(Meaning::AesEncrypt, 0, &[&[0; 16], &key], None).expect("a round");
        assert_eq!(round[16..], zero);
        // As Arm does it: the key of the round before is added first.
        let first = of(Meaning::AesAddSubstitute, 0, &[&state, &[0; 16]], None).expect("a step");
        let mixed = of(Meaning::AesMixColumns, 0, &[&first], None).expect("a step");
        assert_eq!(of(Meaning::Xor, 0, &[&mixed, &key], None), Ok(next.to_vec()));
        let undone = of(Meaning::AesAddInverseSubstitute, 0, &[&first, &[0; 16]], None);
        assert_eq!(undone, Ok(state.to_vec()));
        let back = of(Meaning::AesInverseMixColumns, 0, &[&mixed], None);
        assert_eq!(back, Ok(first));
    }

    #[test]
    fn halves_are_multiplied_without_carries() {
        let (mut a, mut b) = ([0; 16], [0; 16]);
        (a[0], a[8], b[0], b[8]) = (0b11, 0b101, 0b110, 0x80);
        let product = |meaning, n| of(meaning, 0, &[&a, &b], n).map(|product| (product[0], product[1]));
        assert_eq!(product(Meaning::CarrylessProduct, Some(0x00)), Ok((0b1010, 0)));
        assert_eq!(product(Meaning::CarrylessProduct, Some(0x01)), Ok((0b11110, 0)));
        assert_eq!(product(Meaning::CarrylessProduct, Some(0x10)), Ok((0x80, 1)));
        assert_eq!(product(Meaning::CarrylessProduct, Some(0x11)), Ok((0x80, 2)));
        assert_eq!(product(Meaning::CarrylessLow, None), Ok((0b1010, 0)));
        assert_eq!(product(Meaning::CarrylessHigh, None), Ok((0x80, 2)));
        assert_eq!(product(Meaning::CarrylessProduct, Some(2)), Err(Undefined::Immediate(Some(2))));
    }

    #[test]
    fn registers_are_filled() {
        let fill =
            |meaning, lane, value: &Constant| constant(&row(meaning, lane, "", "", 1, 1, 0), 32, value);
        let word = fill(Meaning::Constant, 16, &Constant::Lane(0x1_0203)).expect("a constant");
        assert_eq!(word[..4], [3, 2, 3, 2]);
        let lanes = fill(Meaning::ConstantLanes, 64, &Constant::Lanes(vec![1, 2])).expect("a constant");
        assert_eq!([lanes[0], lanes[8], lanes[16], lanes[24]], [1, 2, 1, 2]);
        let group: Vec<u8> = (0..16).collect();
        let whole = fill(Meaning::ConstantGroup, 0, &Constant::Bytes(group.clone())).expect("a constant");
        assert_eq!(whole, [group.clone(), group.clone()].concat());
        assert_eq!(fill(Meaning::ConstantBytes, 0, &Constant::Bytes(group)), Err(Undefined::Constant));
        let broadcast = row(Meaning::Broadcast, 16, "", "", 1, 1, 0);
        assert_eq!(evaluate(&broadcast, 4, &[&[1, 2]], None), Ok(vec![1, 2, 1, 2]));
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        use Meaning::*;
        let a = [0u8; 16];
        assert_eq!(of(Add, 32, &[&a], None), Err(Undefined::Operands { expected: 2, found: 1 }));
        assert_eq!(of(Add, 32, &[&a, &a[..8]], None), Err(Undefined::Size { expected: 16, found: 8 }));
        assert_eq!(of(Add, 0, &[&a, &a], None), Err(Undefined::Register { bytes: 16 }));
        assert_eq!(of(Add, 64, &[&a[..4], &a[..4]], None), Err(Undefined::Register { bytes: 4 }));
        assert_eq!(of(Add, 32, &[&a, &a], Some(1)), Err(Undefined::Immediate(Some(1))));
        assert_eq!(of(ShiftLeft, 32, &[&a], Some(32)), Err(Undefined::Immediate(Some(32))));
        assert_eq!(of(ShiftLeft, 32, &[&a], None), Err(Undefined::Immediate(None)));
        assert_eq!(of(PermuteGroups, 0, &[&a], Some(0)), Err(Undefined::Register { bytes: 16 }));
        assert_eq!(of(ShuffleBytes, 0, &[&a, &[0x80; 16]], None), Err(Undefined::Index(0x80)));
        assert_eq!(of(Constant, 8, &[], None), Err(Undefined::Register { bytes: 0 }));
    }
}
