//! What each operator computes, on atoms as numbers.
//!
//! An atom of `width` bits is a number below 2^width; word 0 of a packed atom is the most significant. Every function
//! expects operands in that range and answers in it. `width` is from 1 to 128.

use crate::aes;
use crate::block::BlockOp;
use crate::bytes::ByteMap;
use crate::layout::Layout;
use crate::program::{BinaryOp, ShiftOp};

/// The number whose `width` bits are all set.
pub fn ones(width: u32) -> u128 {
    if width >= u128::BITS { u128::MAX } else { (1 << width) - 1 }
}

/// A function of words, applied to each word of an atom that has lanes, else to the whole atom.
pub fn each_word(layout: Layout, a: u128, b: u128, f: impl Fn(u32, u128, u128) -> u128) -> u128 {
    if !layout.has_lanes() {
        return f(layout.width(), a, b);
    }
    let Layout { word, pack, .. } = layout;
    let of = |number: u128, i: u32| number >> (i * word) & ones(word);
    (0..pack).fold(0, |result, i| result | f(word, of(a, i), of(b, i)) << (i * word))
}

/// The complement.
pub fn not(width: u32, a: u128) -> u128 {
    !a & ones(width)
}

/// A binary operator.
pub fn binary(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::AndNot => a & !b,
        BinaryOp::Add => a.wrapping_add(b) & ones(width),
        BinaryOp::Subtract => a.wrapping_sub(b) & ones(width),
        BinaryOp::Multiply => a.wrapping_mul(b) & ones(width),
    }
}

/// A shift or rotation by any `amount`: shifts by the width or more leave no bit of the operand (copies of its sign, for
/// [`ShiftOp::RightArithmetic`]), rotations are modulo the width.
pub fn shift(op: ShiftOp, width: u32, a: u128, amount: u32) -> u128 {
    let left = |n: u32| a.checked_shl(n).unwrap_or(0) & ones(width);
    let right = |n: u32| a.checked_shr(n).unwrap_or(0);
    match op {
        ShiftOp::Left => left(amount),
        ShiftOp::Right => right(amount),
        ShiftOp::RightArithmetic => {
            let negative = a >> (width - 1) & 1 == 1;
            let kept = width.saturating_sub(amount);
            let signs = if kept == 0 { ones(width) } else { ones(width) & !ones(kept) };
            right(amount) | if negative { signs } else { 0 }
        }
        ShiftOp::RotateLeft => left(amount % width) | right(width - amount % width),
        ShiftOp::RotateRight => right(amount % width) | left(width - amount % width),
    }
}

/// A shuffle: bit i of the result, from the most significant, is bit `pattern[i]` of the operand, or zero.
/// `pattern` has `width` entries.
pub fn shuffle(width: u32, a: u128, pattern: &[Option<u32>]) -> u128 {
    let bit = |from: &Option<u32>| from.map_or(0, |p| a >> (width - 1 - p) & 1);
    pattern.iter().fold(0, |result, from| result << 1 | bit(from))
}

/// All ones if bit `bit`, from the least significant, is set, else zero.
pub fn bitmask(width: u32, a: u128, bit: u32) -> u128 {
    if a >> bit & 1 == 1 { ones(width) } else { 0 }
}

/// The image of every byte of an atom whose words are bytes.
pub fn map_bytes(layout: Layout, a: u128, map: &ByteMap) -> u128 {
    each_word(layout, a, 0, |_, a, _| u128::from(map.of(a as u8)))
}

/// An operation on two blocks.
pub fn block(op: BlockOp, a: u128, b: u128) -> u128 {
    u128::from_be_bytes(op.of(a.to_be_bytes(), b.to_be_bytes()))
}

/// `InvMixColumns` of AES.
pub fn inverse_mix_columns(a: u128) -> u128 {
    u128::from_be_bytes(aes::inverse_mix_columns(a.to_be_bytes()))
}

/// `high` above `low`, each of `width` bits; the result has twice as many.
pub fn pack(width: u32, high: u128, low: u128) -> u128 {
    high.checked_shl(width).unwrap_or(0) | low
}

/// The function of three bits with this truth table, bit by bit: bit `4a + 2b + c` of the table is the value at `a`, `b`, `c`.
pub fn ternary(width: u32, table: u8, [a, b, c]: [u128; 3]) -> u128 {
    let row = |row: u8| {
        let side = |operand: u128, bit: u8| if row >> bit & 1 == 1 { operand } else { !operand };
        side(a, 2) & side(b, 1) & side(c, 0)
    };
    let chosen = (0..8).filter(|&number| table >> number & 1 == 1);
    chosen.fold(0, |value, number| value | row(number)) & ones(width)
}
