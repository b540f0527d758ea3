//! The values that an operation uses.

use crate::program::{Affine, Block, Op, ValueId};

impl Op {
    /// Calls `see` for each operand, in order. For a loop these are the initial carried values; what its body uses is
    /// the body's business.
    pub fn operands(&self, mut see: impl FnMut(ValueId)) {
        match self {
            Op::Constant(_) => {}
            Op::Not(a) | Op::Shift(_, a, _) | Op::Shuffle(a, _) | Op::Bitmask(a, _) | Op::MapBytes(a, _) => {
                see(*a)
            }
            Op::InverseMixColumns(a) | Op::Refresh(a) | Op::Get(a, _) | Op::Slice(a, _) => see(*a),
            Op::Binary(_, a, b)
            | Op::Block(_, a, b)
            | Op::Pack(a, b)
            | Op::Set(a, _, b)
            | Op::Splice(a, _, b) => {
                see(*a);
                see(*b);
            }
            Op::Ternary(_, of) => of.iter().for_each(|&operand| see(operand)),
            Op::Array(atoms) => atoms.iter().for_each(|&atom| see(atom)),
            Op::Call(_, arguments) => arguments.iter().for_each(|&argument| see(argument)),
            Op::Loop(inner) => inner.initial.iter().for_each(|&value| see(value)),
        }
    }

    /// Calls `change` for each operand, in the order of [`Op::operands`].
    pub fn operands_mut(&mut self, mut change: impl FnMut(&mut ValueId)) {
        match self {
            Op::Constant(_) => {}
            Op::Not(a) | Op::Shift(_, a, _) | Op::Shuffle(a, _) | Op::Bitmask(a, _) | Op::MapBytes(a, _) => {
                change(a)
            }
            Op::InverseMixColumns(a) | Op::Refresh(a) | Op::Get(a, _) | Op::Slice(a, _) => change(a),
            Op::Binary(_, a, b)
            | Op::Block(_, a, b)
            | Op::Pack(a, b)
            | Op::Set(a, _, b)
            | Op::Splice(a, _, b) => {
                change(a);
                change(b);
            }
            Op::Ternary(_, of) => of.iter_mut().for_each(change),
            Op::Array(atoms) => atoms.iter_mut().for_each(change),
            Op::Call(_, arguments) => arguments.iter_mut().for_each(change),
            Op::Loop(inner) => inner.initial.iter_mut().for_each(change),
        }
    }

    /// The index that an array operation reads or writes at.
    pub fn index(&self) -> Option<&Affine> {
        match self {
            Op::Get(_, index) | Op::Set(_, index, _) | Op::Slice(_, index) | Op::Splice(_, index, _) => {
                Some(index)
            }
            _ => None,
        }
    }

    /// The index, to be changed.
    pub fn index_mut(&mut self) -> Option<&mut Affine> {
        match self {
            Op::Get(_, index) | Op::Set(_, index, _) | Op::Slice(_, index) | Op::Splice(_, index, _) => {
                Some(index)
            }
            _ => None,
        }
    }
}

impl Block {
    /// Number of operations, those of loop bodies counted once.
    pub fn size(&self) -> usize {
        self.operations
            .iter()
            .map(|operation| match &operation.op {
                Op::Loop(inner) => 1 + inner.body.size(),
                _ => 1,
            })
            .sum()
    }
}
