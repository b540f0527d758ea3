//! From an operation of Usuba0 on atoms to instructions, for each slicing.
//!
//! A vertical atom of fewer bits than its lane has zeros above; every operation here keeps it so.

use crate::bit_interleave;
use crate::messages::Reason;
use crate::select::Selector;
use crate::shuffle::shuffle_elements;
use usuba_ir::evaluate::ones;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{BinaryOp, Op, ShiftOp};
use usuba_machine::Shape;
use usuba_machine::program::RegisterId;
use usuba_target::{Constant, Meaning};

/// Writes `op`, whose result has the layout `layout`, on the registers of its operands.
///
/// # Errors
/// The reason, if the target has no code for it; the steps written so far are then of no use.
pub(crate) fn operate(
    s: &mut Selector<'_>,
    op: &Op,
    layout: Layout,
    of: &[RegisterId],
) -> Result<RegisterId, Reason> {
    let lane = s.shape.lane;
    match (op, of) {
        (Op::Binary(BinaryOp::And, ..), &[a, b]) => return s.two(Meaning::And, a, b),
        (Op::Binary(BinaryOp::Or, ..), &[a, b]) => return s.two(Meaning::Or, a, b),
        (Op::Binary(BinaryOp::Xor, ..), &[a, b]) => return s.two(Meaning::Xor, a, b),
        (Op::Binary(BinaryOp::AndNot, ..), &[a, b]) => return s.two(Meaning::AndNot, a, b),
        (Op::Refresh(_), &[a]) => return Ok(a),
        _ => {}
    }
    match s.shape.slicing {
        Slicing::B => match (op, of) {
            (Op::Constant(0), _) => s.zeros(),
            (Op::Constant(_), _) => s.ones(),
            (Op::Not(_), &[a]) => s.compute(Meaning::Not, lane, &[a], None),
            (Op::Shuffle(_, pattern), &[a]) => {
                if matches!(pattern.first(), Some(Some(_))) {
                    Ok(a)
                } else {
                    s.zeros()
                }
            }
            (Op::Bitmask(..), &[a]) => Ok(a),
            (Op::Binary(..), _) => Err(Reason::Arithmetic(Slicing::B)),
            _ => Err(Reason::Malformed("an operation on single bits that has none to act on")),
        },
        Slicing::H if s.shape.is_bit_interleaved() => bit_interleave::operate(s, op, layout, of),
        Slicing::H => match (op, of) {
            (Op::Constant(number), _) => horizontal_constant(s, *number),
            (Op::Not(_), &[a]) => s.compute(Meaning::Not, lane, &[a], None),
            (Op::Shift(op, _, amount), &[a]) => {
                shuffle_elements(s, a, &shift_pattern(*op, layout.pack, *amount))
            }
            (Op::Shuffle(_, pattern), &[a]) => shuffle_elements(s, a, pattern),
            (Op::Bitmask(_, bit), &[a]) => {
                let element = layout.pack.saturating_sub(1).saturating_sub(*bit);
                shuffle_elements(s, a, &vec![Some(element); layout.pack as usize])
            }
            (Op::Binary(..), _) => Err(Reason::Arithmetic(Slicing::H)),
            (Op::Pack(..), _) => Err(Reason::Pack),
            _ => Err(Reason::Malformed("an operation with the wrong number of operands")),
        },
        Slicing::V => vertical(s, op, layout.word, of),
        Slicing::Packed(_) => match (op, of) {
            (Op::Constant(number), _) => packed_constant(s, *number),
            (Op::Shuffle(_, pattern), &[a]) => {
                let words = word_pattern(layout, pattern).ok_or(Reason::Shuffle(layout.width()))?;
                shuffle_elements(s, a, &words)
            }
            (Op::Bitmask(..), _) => Err(Reason::Shuffle(layout.width())),
            (Op::Pack(..), _) => Err(Reason::Pack),
            _ => vertical(s, op, layout.word, of),
        },
    }
}

/// The pattern of [`Op::Shuffle`] that a shift of `m` bits is.
pub(crate) fn shift_pattern(op: ShiftOp, m: u32, amount: u32) -> Vec<Option<u32>> {
    (0..m)
        .map(|bit| match op {
            ShiftOp::Left => (bit + amount < m).then_some(bit + amount),
            ShiftOp::Right => bit.checked_sub(amount),
            ShiftOp::RightArithmetic => Some(bit.saturating_sub(amount)),
            ShiftOp::RotateLeft => Some((bit + amount) % m),
            ShiftOp::RotateRight => Some((bit + m - amount % m) % m),
        })
        .collect()
}

fn horizontal_constant(s: &mut Selector<'_>, number: u128) -> Result<RegisterId, Reason> {
    let shape = s.shape;
    let element_bytes = (shape.batch / 8).max(1);
    let chunk_bytes = (shape.chunk_bits / 8).max(1);
    let bytes: Vec<u8> = (0..shape.register_bytes())
        .map(|byte| {
            let element = byte % chunk_bytes / element_bytes;
            let bit = shape.pack.saturating_sub(1).saturating_sub(element);
            if number >> bit & 1 == 1 { 0xff } else { 0 }
        })
        .collect();
    s.bytes(&bytes)
}

/// The words of an atom in memory order, the most significant first.
fn packed_constant(s: &mut Selector<'_>, number: u128) -> Result<RegisterId, Reason> {
    let Shape { lane, pack, .. } = s.shape;
    let words: Vec<u64> = (0..pack).rev().map(|word| (number >> (word * lane) & ones(lane)) as u64).collect();
    match words.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => s.splat(lane, *first),
        _ if s.target.instruction(Meaning::ConstantLanes, lane).is_some() => {
            s.constant(Meaning::ConstantLanes, lane, Constant::Lanes(words))
        }
        _ => {
            let group = words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(lane as usize / 8));
            let group: Vec<u8> = group.collect();
            let bytes = group.iter().copied().cycle().take(s.shape.register_bytes() as usize);
            s.bytes(&bytes.collect::<Vec<_>>())
        }
    }
}

/// The pattern in words, if whole words move.
fn word_pattern(layout: Layout, pattern: &[Option<u32>]) -> Option<Vec<Option<u32>>> {
    let word = layout.word;
    pattern
        .chunks(word as usize)
        .map(|bits| match bits.first()? {
            None => bits.iter().all(Option::is_none).then_some(None),
            Some(first) => {
                let whole = first % word == 0 && bits.iter().copied().eq((*first..first + word).map(Some));
                whole.then_some(Some(first / word))
            }
        })
        .collect()
}

fn vertical(s: &mut Selector<'_>, op: &Op, width: u32, of: &[RegisterId]) -> Result<RegisterId, Reason> {
    let lane = s.shape.lane;
    match (op, of) {
        (Op::Constant(number), _) => s.splat(lane, (*number & ones(width)) as u64),
        (Op::Not(_), &[a]) if width == lane => s.compute(Meaning::Not, lane, &[a], None),
        (Op::Not(_), &[a]) => {
            let all = s.splat(lane, ones(width) as u64)?;
            s.two(Meaning::Xor, a, all)
        }
        (Op::Binary(op, ..), &[a, b]) => {
            let meaning = match (op, width) {
                (BinaryOp::Add | BinaryOp::Subtract, 1) => return s.two(Meaning::Xor, a, b),
                (BinaryOp::Multiply, 1) => return s.two(Meaning::And, a, b),
                (BinaryOp::Add, _) => Meaning::Add,
                (BinaryOp::Subtract, _) => Meaning::Subtract,
                (BinaryOp::Multiply, _) => Meaning::Multiply,
                _ => return Err(Reason::Malformed("a bitwise operation among the arithmetic ones")),
            };
            let exact = s.two(meaning, a, b)?;
            low_bits(s, exact, width)
        }
        (Op::Shift(op, _, amount), &[a]) => vertical_shift(s, *op, width, a, *amount),
        (Op::Shuffle(_, pattern), &[a]) => vertical_shuffle(s, width, a, pattern),
        (Op::Bitmask(_, bit), &[a]) => {
            let top = if *bit + 1 < lane { shift(s, Meaning::ShiftLeft, a, lane - 1 - bit)? } else { a };
            let mask = if s.target.instruction(Meaning::ShiftRightArithmetic, lane).is_some() {
                shift(s, Meaning::ShiftRightArithmetic, top, lane - 1)?
            } else {
                let bit = shift(s, Meaning::ShiftRight, top, lane - 1)?;
                let zero = s.zeros()?;
                s.two(Meaning::Subtract, zero, bit)?
            };
            low_bits(s, mask, width)
        }
        (Op::MapBytes(_, map), &[a]) => {
            let meaning = if map.inverts { Meaning::MapInverseBytes } else { Meaning::MapBytes };
            let matrix = s.splat(64, map.affine.matrix())?;
            s.compute(meaning, lane, &[a, matrix], Some(u32::from(map.affine.constant)))
        }
        (Op::Pack(..), &[high, low]) => {
            let high = shift(s, Meaning::ShiftLeft, high, width / 2)?;
            s.two(Meaning::Or, high, low)
        }
        _ => Err(Reason::Malformed("an operation with the wrong number of operands")),
    }
}

/// A shift of the lanes, or nothing.
pub(crate) fn shift(
    s: &mut Selector<'_>,
    meaning: Meaning,
    a: RegisterId,
    amount: u32,
) -> Result<RegisterId, Reason> {
    let lane = s.shape.lane;
    match amount {
        0 => Ok(a),
        _ if amount >= lane => Err(Reason::Malformed("a shift by the width of the lane or more")),
        _ => s.compute(meaning, lane, &[a], Some(amount)),
    }
}

/// Clears what is above the atom.
fn low_bits(s: &mut Selector<'_>, a: RegisterId, width: u32) -> Result<RegisterId, Reason> {
    if width == s.shape.lane {
        return Ok(a);
    }
    let mask = s.splat(s.shape.lane, ones(width) as u64)?;
    s.two(Meaning::And, a, mask)
}

fn vertical_shift(
    s: &mut Selector<'_>,
    op: ShiftOp,
    width: u32,
    a: RegisterId,
    amount: u32,
) -> Result<RegisterId, Reason> {
    if amount >= width {
        return Err(Reason::Malformed("a shift by the width of the atom or more"));
    }
    let whole = width == s.shape.lane;
    match op {
        _ if amount == 0 => Ok(a),
        ShiftOp::Left => {
            let shifted = shift(s, Meaning::ShiftLeft, a, amount)?;
            low_bits(s, shifted, width)
        }
        ShiftOp::Right => shift(s, Meaning::ShiftRight, a, amount),
        ShiftOp::RightArithmetic if whole => shift(s, Meaning::ShiftRightArithmetic, a, amount),
        ShiftOp::RightArithmetic => {
            // As the rule `sign-extend`, for the sign of the atom instead of that of the lane.
            let shifted = shift(s, Meaning::ShiftRight, a, amount)?;
            let sign = s.splat(s.shape.lane, 1 << (width - 1 - amount))?;
            let flipped = s.two(Meaning::Xor, shifted, sign)?;
            let extended = s.two(Meaning::Subtract, flipped, sign)?;
            low_bits(s, extended, width)
        }
        ShiftOp::RotateLeft if whole => shift(s, Meaning::RotateLeft, a, amount),
        ShiftOp::RotateLeft => {
            let high = shift(s, Meaning::ShiftLeft, a, amount)?;
            let high = low_bits(s, high, width)?;
            let low = shift(s, Meaning::ShiftRight, a, width - amount)?;
            s.two(Meaning::Or, high, low)
        }
        ShiftOp::RotateRight => vertical_shift(s, ShiftOp::RotateLeft, width, a, width - amount),
    }
}

/// The bits that move by the same distance move together: a shift (or rotation, where it is one instruction) and a mask.
pub(crate) fn vertical_shuffle(
    s: &mut Selector<'_>,
    width: u32,
    a: RegisterId,
    pattern: &[Option<u32>],
) -> Result<RegisterId, Reason> {
    let lane = s.shape.lane;
    let rotates = width == lane && s.target.instruction(Meaning::RotateLeft, lane).is_some();
    let mut moves: Vec<(i64, u64)> = Vec::new();
    for (bit, source) in pattern.iter().enumerate() {
        let Some(source) = source else { continue };
        if *source >= width || bit >= width as usize {
            return Err(Reason::Malformed("a shuffle of a bit beyond the width"));
        }
        let left = i64::from(*source) - bit as i64;
        let distance = if rotates { left.rem_euclid(i64::from(width)) } else { left };
        let mask = 1u64 << (width as usize - 1 - bit);
        match moves.iter_mut().find(|(other, _)| *other == distance) {
            Some((_, bits)) => *bits |= mask,
            None => moves.push((distance, mask)),
        }
    }
    let all = ones(width) as u64;
    let mut result: Option<RegisterId> = None;
    for (distance, mask) in moves {
        let amount = distance.unsigned_abs() as u32;
        let (moved, possible) = match distance {
            0 => (a, all),
            _ if rotates => (shift(s, Meaning::RotateLeft, a, amount)?, all),
            1.. => {
                let fresh = ones(lane) as u64;
                (shift(s, Meaning::ShiftLeft, a, amount)?, (all << amount) & fresh)
            }
            _ => (shift(s, Meaning::ShiftRight, a, amount)?, all >> amount),
        };
        let kept = if possible == mask {
            moved
        } else {
            let mask = s.splat(lane, mask)?;
            s.two(Meaning::And, moved, mask)?
        };
        result = Some(match result {
            Some(before) => s.two(Meaning::Or, before, kept)?,
            None => kept,
        });
    }
    match result {
        Some(result) => Ok(result),
        None => s.zeros(),
    }
}
