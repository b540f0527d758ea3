//! From an operation of Usuba0 on atoms to instructions, for each slicing.
//!
//! A vertical atom of fewer bits than its lane has zeros above; every operation here keeps it so.

use crate::bit_interleave;
use crate::messages::Reason;
use crate::select::Selector;
use crate::shuffle::{shift_pattern, shuffle_elements};
use crate::vertical::vertical;
use usuba_ir::aes::Round;
use usuba_ir::block::BlockOp;
use usuba_ir::evaluate::ones;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{BinaryOp, Op, ValueId};
use usuba_logic::formula::{Formula, formula, merged};
use usuba_logic::truth::permuted;
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
        (Op::Block(op, ..), &[a, b]) => return block(s, *op, a, b),
        (Op::InverseMixColumns(_), &[a]) => {
            return s.compute(Meaning::AesInverseMixColumns, lane, &[a], None);
        }
        (Op::Ternary(table, _), &[a, b, c]) => return ternary(s, *table, layout, [a, b, c]),
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

/// A function of three bits: an instruction, or the smallest formula of operations on two.
fn ternary(
    s: &mut Selector<'_>,
    table: u8,
    layout: Layout,
    of: [RegisterId; 3],
) -> Result<RegisterId, Reason> {
    // Above an atom that is smaller than its lane zeros have to stay.
    let whole = s.shape.slicing != Slicing::V || layout.word == s.shape.lane || table & 1 == 0;
    if whole && s.target.instruction(Meaning::Ternary, 0).is_some() {
        return s.compute(Meaning::Ternary, 0, &of, Some(u32::from(table)));
    }
    let select = |order: &[usize; 3]| permuted(table, *order) == 0xca;
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    if let (Some(_), Some(order)) =
        (s.target.instruction(Meaning::Select, 0), ORDERS.iter().find(|order| select(order)))
    {
        return s.compute(Meaning::Select, 0, &order.map(|place| of[place]), None);
    }
    formula_of(s, merged(table, &of), layout, of)
}

fn formula_of(
    s: &mut Selector<'_>,
    table: u8,
    layout: Layout,
    of: [RegisterId; 3],
) -> Result<RegisterId, Reason> {
    let zero = ValueId(0);
    let two = |s: &mut Selector<'_>, op, a, b| {
        let operands = [formula_of(s, a, layout, of)?, formula_of(s, b, layout, of)?];
        operate(s, &Op::Binary(op, zero, zero), layout, &operands)
    };
    match formula(table) {
        None => operate(s, &Op::Constant(if table == 0 { 0 } else { ones(layout.width()) }), layout, &[]),
        Some(Formula::Input(place)) => Ok(of[place]),
        Some(Formula::Not(a)) => {
            let a = formula_of(s, a, layout, of)?;
            operate(s, &Op::Not(zero), layout, &[a])
        }
        Some(Formula::And(a, b)) => two(s, BinaryOp::And, a, b),
        Some(Formula::Or(a, b)) => two(s, BinaryOp::Or, a, b),
        Some(Formula::Xor(a, b)) => two(s, BinaryOp::Xor, a, b),
        Some(Formula::AndNot(a, b)) => two(s, BinaryOp::AndNot, a, b),
    }
}

/// An operation on two blocks, each a group of a register.
fn block(s: &mut Selector<'_>, op: BlockOp, a: RegisterId, b: RegisterId) -> Result<RegisterId, Reason> {
    let (meaning, lane, immediate) = match op {
        BlockOp::Aes(Round::Encrypt) => (Meaning::AesEncrypt, s.shape.lane, None),
        BlockOp::Aes(Round::EncryptLast) => (Meaning::AesEncryptLast, s.shape.lane, None),
        BlockOp::Aes(Round::Decrypt) => (Meaning::AesDecrypt, s.shape.lane, None),
        BlockOp::Aes(Round::DecryptLast) => (Meaning::AesDecryptLast, s.shape.lane, None),
        BlockOp::Product(halves) => {
            (Meaning::CarrylessProduct, s.shape.lane, Some(u32::from(halves.number())))
        }
        BlockOp::JoinHalves(false) => (Meaning::InterleaveLow, 64, None),
        BlockOp::JoinHalves(true) => (Meaning::InterleaveHigh, 64, None),
        // Where words lie the other way round, the sums of a machine are other sums.
        BlockOp::AddWords(_) if !s.target.is_little_endian() => return Err(Reason::WordsOfBlock),
        BlockOp::AddWords(bits) => (Meaning::Add, bits, None),
    };
    s.compute(meaning, lane, &[a, b], immediate)
}

fn horizontal_constant(s: &mut Selector<'_>, number: u128) -> Result<RegisterId, Reason> {
    let shape = s.shape;
    let element_bytes = (shape.chunk_instances / 8).max(1);
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
