//! H-sliced atoms in general-purpose registers: the words of k instances interleaved bit by bit in one integer.
//!
//! Bit i of instance j is bit k i + j, so that what moves bits by i moves elements of k bits by k i: a rotation of every word
//! is one rotation of the register. Logic does not change. What couples the bits of a word, as sums do, there is not.

use crate::messages::Reason;
use crate::select::Selector;
use crate::shuffle::shift_pattern;
use crate::vertical::{shift, vertical_shuffle};
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{Op, ShiftOp};
use usuba_machine::program::RegisterId;
use usuba_target::Meaning;

/// Writes an operation that is not logic of two operands.
///
/// # Errors
/// There is none for sums, products and packing.
pub(crate) fn operate(
    s: &mut Selector<'_>,
    op: &Op,
    layout: Layout,
    of: &[RegisterId],
) -> Result<RegisterId, Reason> {
    let (lane, count) = (s.shape.lane, s.shape.chunk_instances);
    match (op, of) {
        (Op::Constant(number), _) => {
            let bits = (0..layout.pack).filter(|bit| number >> bit & 1 == 1);
            let value = bits.fold(0, |value, bit| value | element(count) << (bit * count));
            s.splat(lane, value)
        }
        (Op::Not(_), &[a]) => s.compute(Meaning::Not, lane, &[a], None),
        (Op::Shift(_, _, amount), _) if *amount >= layout.pack => {
            Err(Reason::Malformed("a shift by the width of the atom or more"))
        }
        (Op::Shift(ShiftOp::Left, _, amount), &[a]) => shift(s, Meaning::ShiftLeft, a, amount * count),
        (Op::Shift(ShiftOp::Right, _, amount), &[a]) => shift(s, Meaning::ShiftRight, a, amount * count),
        (Op::Shift(op, _, amount), &[a]) => shuffle(s, a, &shift_pattern(*op, layout.pack, *amount)),
        (Op::Shuffle(_, pattern), &[a]) => shuffle(s, a, pattern),
        (Op::Bitmask(_, bit), &[a]) => {
            // The element goes to the bottom and doubles until it fills the register.
            let low = shift(s, Meaning::ShiftRight, a, bit * count)?;
            let mask = s.splat(lane, element(count))?;
            let mut filled = s.two(Meaning::And, low, mask)?;
            let mut width = count;
            while width < lane {
                let moved = shift(s, Meaning::ShiftLeft, filled, width)?;
                filled = s.two(Meaning::Or, filled, moved)?;
                width *= 2;
            }
            Ok(filled)
        }
        (Op::Binary(..), _) => Err(Reason::Arithmetic(Slicing::H)),
        (Op::Pack(..), _) => Err(Reason::Pack),
        _ => Err(Reason::Malformed("an operation with the wrong number of operands")),
    }
}

/// An element of `count` ones.
fn element(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Element i, from the most significant, is element `pattern[i]` of `a`, or zero: a shuffle of bits in steps of `count`.
fn shuffle(s: &mut Selector<'_>, a: RegisterId, pattern: &[Option<u32>]) -> Result<RegisterId, Reason> {
    let (lane, count) = (s.shape.lane, s.shape.chunk_instances);
    let bits: Vec<Option<u32>> = pattern
        .iter()
        .flat_map(|source| (0..count).map(move |bit| source.map(|source| source * count + bit)))
        .collect();
    vertical_shuffle(s, lane, a, &bits)
}
