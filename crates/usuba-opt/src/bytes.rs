//! Make one map of what is computed of one byte.
//!
//! In: any program; nothing happens if no node maps bytes, since other programs are for other machines too. Out:
//! shifts, rotations, masks and exclusive-ors of one byte that no other value needs are one [`Op::MapBytes`], and an affine
//! map of an inverted byte is part of the inversion. Cost: one walk, a composition of two maps per operation on bytes.
//!
//! Laws used: affine maps compose, and so do their sums; bits that are nowhere set in both operands of an or can be added.

use crate::forward::Forward;
use crate::pass::{Settings, open_nodes};
use usuba_ir::bytes::{ByteAffine, ByteMap};
use usuba_ir::evaluate;
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, Block, Node, Op, Operation, Program, ValueId};

/// The pass.
pub fn run(program: &mut Program, _: &Settings) {
    if !program.nodes.iter().any(|node| maps_bytes(&node.body)) {
        return;
    }
    for node in open_nodes(program) {
        let mut body = std::mem::take(&mut node.body);
        let mut uses = vec![0; node.values.len()];
        count_uses(&body, &mut uses);
        let known = vec![Known::default(); node.values.len()];
        Bytes { node, forward: Forward::new(node), uses, known }.block(&mut body);
        node.body = body;
        node.renumber();
    }
}

fn maps_bytes(block: &Block) -> bool {
    block.operations.iter().any(|operation| match &operation.op {
        Op::MapBytes(..) => true,
        Op::Loop(inner) => maps_bytes(&inner.body),
        _ => false,
    })
}

fn count_uses(block: &Block, uses: &mut [u32]) {
    for operation in &block.operations {
        operation.op.operands(|operand| uses[operand.index()] += 1);
        if let Op::Loop(inner) = &operation.op {
            count_uses(&inner.body, uses);
        }
    }
    block.results.iter().for_each(|result| uses[result.index()] += 1);
}

/// A value as an affine map of another.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Image {
    root: ValueId,
    map: ByteAffine,
}

/// What is known of a value.
#[derive(Clone, Copy, Default, Debug)]
struct Known {
    /// The byte that all words of the constant are.
    constant: Option<u8>,
    /// The map that it is, of another value.
    image: Option<Image>,
    /// The byte whose inverse it is a map of.
    inverted: Option<Image>,
}

struct Bytes<'a> {
    node: &'a Node,
    forward: Forward,
    uses: Vec<u32>,
    known: Vec<Known>,
}

impl Bytes<'_> {
    fn block(&mut self, block: &mut Block) {
        block.operations.retain_mut(|operation| self.keep(operation));
        self.forward.all(&mut block.results);
    }

    /// Rewrites an operation; whether it stays.
    fn keep(&mut self, operation: &mut Operation) -> bool {
        let Operation { results, op } = operation;
        self.forward.operands(op);
        if let Op::Loop(inner) = op {
            self.block(&mut inner.body);
        }
        let &[result] = results.as_slice() else { return true };
        let ty = self.node.ty(result);
        if ty.len.is_some() || ty.layout.word != 8 || ty.layout.instances != 1 {
            return true;
        }
        if let Op::Constant(number) = op {
            let byte = (*number & 0xff) as u8;
            let same = splat(ty.layout, byte) == *number;
            self.known[result.index()].constant = same.then_some(byte);
            return true;
        }
        let Some(image) = self.image(op, ty.layout) else {
            if let Op::MapBytes(operand, ByteMap { inverts: true, affine }) = op {
                self.known[result.index()].inverted = Some(Image { root: *operand, map: *affine });
            }
            return true;
        };
        if image.map == ByteAffine::IDENTITY {
            self.forward.replace(result, image.root);
            return false;
        }
        self.known[result.index()].image = Some(image);
        if self.is_better_mapped(op) {
            *op = match self.known[image.root.index()].inverted {
                Some(Image { root, map }) => {
                    Op::MapBytes(root, ByteMap { inverts: true, affine: image.map.after(&map) })
                }
                None => Op::MapBytes(image.root, ByteMap { inverts: false, affine: image.map }),
            };
        }
        true
    }

    /// Whether one map of the root is no more than the operation: shifts of bytes are at least two instructions; operators
    /// are one, so that something else has to become superfluous.
    fn is_better_mapped(&self, op: &Op) -> bool {
        let mut superfluous = false;
        let mut kept = false;
        op.operands(|operand| {
            if self.known[operand.index()].image.is_some() {
                let only = self.uses[operand.index()] == 1;
                superfluous |= only;
                kept |= !only;
            }
        });
        !matches!(op, Op::Not(_) | Op::Binary(..) | Op::Ternary(..)) || superfluous && !kept
    }

    /// The result as an affine map of one byte, if the operation makes one of its operands.
    fn image(&self, op: &Op, layout: Layout) -> Option<Image> {
        match *op {
            Op::Not(a) => Some(self.mapped(a, |x| !x)),
            Op::Shift(op, a, amount) => {
                Some(self.mapped(a, |x| evaluate::shift(op, 8, u128::from(x), amount) as u8))
            }
            Op::Shuffle(a, ref pattern) if layout.pack == 1 => {
                Some(self.mapped(a, |x| evaluate::shuffle(8, u128::from(x), pattern) as u8))
            }
            Op::Bitmask(a, bit) if layout.pack == 1 => {
                Some(self.mapped(a, |x| evaluate::bitmask(8, u128::from(x), bit) as u8))
            }
            Op::MapBytes(a, map) if !map.inverts => Some(self.mapped(a, |x| map.of(x))),
            Op::Binary(op, a, b) => self.operator(op, a, b),
            _ => None,
        }
    }

    fn operator(&self, op: BinaryOp, a: ValueId, b: ValueId) -> Option<Image> {
        let bits = |x: u8, y: u8| evaluate::binary(op, 8, u128::from(x), u128::from(y)) as u8;
        if matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply) {
            return None;
        }
        // With a constant every bitwise operator is affine.
        if let Some(byte) = self.known[b.index()].constant {
            return Some(self.mapped(a, |x| bits(x, byte)));
        }
        if let Some(byte) = self.known[a.index()].constant {
            return Some(self.mapped(b, |x| bits(byte, x)));
        }
        let (left, right) = (self.mapped(a, |x| x), self.mapped(b, |x| x));
        let adds = match op {
            BinaryOp::Xor => true,
            BinaryOp::Or => set(&left.map) & set(&right.map) == 0,
            _ => false,
        };
        let sum = |x: u8| left.map.of(x) ^ right.map.of(x);
        (left.root == right.root && adds)
            .then(|| Image { root: left.root, map: ByteAffine::of_function(sum) })
    }

    /// An affine function of a value, as one of its root.
    fn mapped(&self, value: ValueId, function: impl Fn(u8) -> u8) -> Image {
        let itself = Image { root: value, map: ByteAffine::IDENTITY };
        let Image { root, map } = self.known[value.index()].image.unwrap_or(itself);
        Image { root, map: ByteAffine::of_function(|x| function(map.of(x))) }
    }
}

/// The bits that are set in some image.
fn set(map: &ByteAffine) -> u8 {
    map.columns.iter().fold(map.constant, |set, column| set | column)
}

/// The atom whose words are this byte.
fn splat(layout: Layout, byte: u8) -> u128 {
    (0..layout.pack).fold(0, |atom, word| atom | u128::from(byte) << (8 * word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::program::ShiftOp;

    #[test]
    fn shifts_by_constants_are_affine() {
        for op in [ShiftOp::Left, ShiftOp::Right, ShiftOp::RightArithmetic, ShiftOp::RotateLeft] {
            let shift = |x: u8| evaluate::shift(op, 8, u128::from(x), 3) as u8;
            let map = ByteAffine::of_function(shift);
            assert!((0..=255).all(|x| map.of(x) == shift(x)), "{op:?}");
        }
    }
}
