//! Operations on atoms that are words in lanes.
//!
//! An atom of fewer bits than its lane has zeros above; every operation here keeps it so.

use crate::messages::Reason;
use crate::select::Selector;
use usuba_ir::evaluate::ones;
use usuba_ir::program::{BinaryOp, Op, ShiftOp};
use usuba_machine::program::RegisterId;
use usuba_target::Meaning;

/// Writes `op` on words of `width` bits.
///
/// # Errors
/// The reason, if the target has no code for it.
pub(crate) fn vertical(
    s: &mut Selector<'_>,
    op: &Op,
    width: u32,
    of: &[RegisterId],
) -> Result<RegisterId, Reason> {
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
