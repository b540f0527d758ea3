//! Expressions to atoms.

use crate::bits;
use crate::node::NodeLowering;
use crate::sliced::{
    ArithmeticOp, Assignment, AssignmentId, Atoms, Body, Expression, ExpressionKind, InstanceId, LogicOp,
    Slot,
};
use crate::state::Atom;
use usuba_ir::block::BlockOp;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{BinaryOp, Origin, ShiftOp, ValueId};
use usuba_lang::ast;

/// The uses of an assignment are numbered in the order in which its expression is walked.
struct Cursor {
    assignment: AssignmentId,
    next: u32,
}

impl<'p> NodeLowering<'_, 'p> {
    /// The atoms of the right side of an assignment.
    pub(crate) fn value(&mut self, assignment: &'p Assignment) -> Vec<Atom> {
        let mut cursor = Cursor { assignment: assignment.id, next: 0 };
        self.expression(&assignment.value, &mut cursor, Some(&assignment.targets))
    }

    /// The atoms of an expression. `targets`: the atoms that it defines, if it is a whole right side.
    fn expression(
        &mut self,
        expression: &'p Expression,
        cursor: &mut Cursor,
        targets: Option<&[Slot]>,
    ) -> Vec<Atom> {
        match &expression.kind {
            ExpressionKind::Atoms(uses) => uses
                .iter()
                .map(|_| {
                    cursor.next += 1;
                    self.resolve(cursor.assignment, cursor.next - 1)
                })
                .collect(),
            ExpressionKind::Constants(constants) => {
                self.place(expression);
                constants
                    .iter()
                    .map(|constant| {
                        let layout = Layout::of(self.lowering.options.slicing, constant.width);
                        Atom::Value(self.builder.constant(layout, constant.value))
                    })
                    .collect()
            }
            ExpressionKind::Tuple(parts) => {
                let mut atoms = Vec::new();
                for part in parts {
                    let count = self.lowering.weights.count(part) as usize;
                    let part_targets = targets.and_then(|all| all.get(atoms.len()..atoms.len() + count));
                    atoms.extend(self.expression(part, cursor, part_targets));
                }
                atoms
            }
            ExpressionKind::Not(value) => {
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.builder.not(value))
            }
            ExpressionKind::Refresh(value) => {
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.builder.refresh(value))
            }
            ExpressionKind::Logic(op, left, right) => {
                let op = match op {
                    LogicOp::And => BinaryOp::And,
                    LogicOp::Or => BinaryOp::Or,
                    LogicOp::Xor => BinaryOp::Xor,
                };
                self.pairs(expression, (left, right), cursor, targets, op)
            }
            ExpressionKind::Arithmetic { op, width, left, right } => {
                if self.lowering.program.atoms == Atoms::Bits && *width > 1 {
                    let left = self.expression(left, cursor, None);
                    let right = self.expression(right, cursor, None);
                    return self.arithmetic_on_bits(expression, *op, *width as usize, &left, &right);
                }
                let op = match op {
                    ArithmeticOp::Add => BinaryOp::Add,
                    ArithmeticOp::Subtract => BinaryOp::Subtract,
                    ArithmeticOp::Multiply => BinaryOp::Multiply,
                };
                self.pairs(expression, (left, right), cursor, targets, op)
            }
            ExpressionKind::Shift { op, amount, value } => {
                let op = match op {
                    ast::ShiftOp::Left => ShiftOp::Left,
                    ast::ShiftOp::Right => ShiftOp::Right,
                    ast::ShiftOp::RightArithmetic => ShiftOp::RightArithmetic,
                    ast::ShiftOp::RotateLeft => ShiftOp::RotateLeft,
                    ast::ShiftOp::RotateRight => ShiftOp::RotateRight,
                };
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.builder.shift(op, value, *amount))
            }
            ExpressionKind::Gather { sources, value } => {
                let atoms = self.expression(value, cursor, None);
                self.place(expression);
                sources
                    .iter()
                    .map(|source| match source {
                        Some(source) => atoms[*source as usize].clone(),
                        None => {
                            let layout = self.layout(&atoms[0]);
                            Atom::Value(self.builder.constant(layout, 0))
                        }
                    })
                    .collect()
            }
            ExpressionKind::Shuffle { pattern, value } => {
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.shuffle(value, pattern))
            }
            ExpressionKind::MoveWords { sources, value } => {
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.move_words(value, sources))
            }
            ExpressionKind::Round { round, state, key } => {
                let state = self.expression(state, cursor, None);
                let key = self.expression(key, cursor, None);
                let (state, key) = (self.force(&state[0]), self.force(&key[0]));
                self.place(expression);
                vec![Atom::Value(self.builder.block_of(BlockOp::Aes(*round), state, key))]
            }
            ExpressionKind::InverseMixColumns(value) => {
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.builder.inverse_mix_columns(value))
            }
            ExpressionKind::Bitmask { bit, value } => {
                let atoms = self.expression(value, cursor, None);
                self.each(expression, targets, atoms, |node, value| node.bitmask(value, *bit))
            }
            ExpressionKind::Pack { high, low } => {
                let high = self.expression(high, cursor, None);
                let low = self.expression(low, cursor, None);
                let (high, low) = (self.force(&high[0]), self.force(&low[0]));
                self.place(expression);
                vec![Atom::Value(self.builder.pack(high, low))]
            }
            ExpressionKind::Call { callee, arguments } => {
                let atoms = self.expression(arguments, cursor, None);
                self.place(expression);
                self.call(*callee, atoms)
            }
        }
    }

    /// Gives the following operations the place of an expression.
    fn place(&mut self, expression: &Expression) {
        self.builder.at(Origin { place: self.lowering.places.of(expression.span), name: None });
    }

    /// The same operation on each atom.
    fn each(
        &mut self,
        expression: &Expression,
        targets: Option<&[Slot]>,
        atoms: Vec<Atom>,
        mut operation: impl FnMut(&mut Self, ValueId) -> ValueId,
    ) -> Vec<Atom> {
        atoms
            .iter()
            .enumerate()
            .map(|(i, atom)| {
                self.place(expression);
                let value = self.force(atom);
                self.name_result(expression, targets, i);
                Atom::Value(operation(self, value))
            })
            .collect()
    }

    /// Gives the next operation the name of the atom that it defines, if it defines one.
    fn name_result(&mut self, expression: &Expression, targets: Option<&[Slot]>, i: usize) {
        if let Some(target) = targets.and_then(|all| all.get(i)) {
            self.name(expression.span, *target);
        }
    }

    /// A two-operand operation, atom by atom.
    fn pairs(
        &mut self,
        expression: &Expression,
        (left, right): (&'p Expression, &'p Expression),
        cursor: &mut Cursor,
        targets: Option<&[Slot]>,
        op: BinaryOp,
    ) -> Vec<Atom> {
        let left = self.expression(left, cursor, None);
        let right = self.expression(right, cursor, None);
        left.iter()
            .zip(&right)
            .enumerate()
            .map(|(i, (a, b))| {
                self.place(expression);
                let (a, b) = (self.force(a), self.force(b));
                self.name_result(expression, targets, i);
                Atom::Value(self.builder.binary(op, a, b))
            })
            .collect()
    }

    fn arithmetic_on_bits(
        &mut self,
        expression: &Expression,
        op: ArithmeticOp,
        width: usize,
        left: &[Atom],
        right: &[Atom],
    ) -> Vec<Atom> {
        self.place(expression);
        let left: Vec<ValueId> = left.iter().map(|atom| self.force(atom)).collect();
        let right: Vec<ValueId> = right.iter().map(|atom| self.force(atom)).collect();
        left.chunks(width)
            .zip(right.chunks(width))
            .flat_map(|(a, b)| bits::arithmetic(&mut self.builder, op, a, b))
            .map(Atom::Value)
            .collect()
    }

    /// A permutation of the bits of a word. In a vertical layout: for each distance that some bits move, the word shifted
    /// or rotated by it under a mask; the bits of all masks together are those of the word.
    fn shuffle(&mut self, value: ValueId, pattern: &[u32]) -> ValueId {
        let layout = self.builder.ty(value).layout;
        if self.lowering.options.slicing == Slicing::H || layout.word == 1 {
            return self.builder.shuffle(value, pattern.iter().map(|&source| Some(source)).collect());
        }
        let width = layout.word;
        let all = u128::MAX >> (128 - width);
        let mut masks = vec![0u128; width as usize];
        for (to, &from) in pattern.iter().enumerate() {
            let distance = (from + width - to as u32) % width;
            masks[distance as usize] |= 1 << (width - 1 - to as u32);
        }
        let mut sum = None;
        for (distance, &mask) in masks.iter().enumerate().filter(|&(_, &mask)| mask != 0) {
            let distance = distance as u32;
            // A shift does it where no bit goes round the end, and is cheaper than a rotation on some machines.
            let (leftwards, rightwards) =
                (all << distance & all, all.checked_shr(width - distance).unwrap_or(0));
            let (operation, amount, reached) = if distance > 0 && mask & !leftwards == 0 {
                (ShiftOp::Left, distance, leftwards)
            } else if mask & !rightwards == 0 {
                (ShiftOp::Right, width - distance, rightwards)
            } else {
                (ShiftOp::RotateLeft, distance, all)
            };
            let moved = self.builder.shift(operation, value, amount);
            let part = if mask == reached {
                moved
            } else {
                let mask = usuba_ir::evaluate::each_word(layout, 0, 0, |_, _, _| mask);
                let mask = self.builder.constant(layout, mask);
                self.builder.binary(BinaryOp::And, moved, mask)
            };
            sum = Some(match sum {
                None => part,
                Some(sum) => self.builder.binary(BinaryOp::Or, sum, part),
            });
        }
        sum.unwrap_or(value)
    }

    /// A group whose words change places: word i becomes word `sources[i]`, the first the most significant.
    fn move_words(&mut self, value: ValueId, sources: &[u32]) -> ValueId {
        let width = self.builder.ty(value).layout.word;
        let bits = |&source: &u32| (0..width).map(move |bit| Some(source * width + bit));
        self.builder.shuffle(value, sources.iter().flat_map(bits).collect())
    }

    /// The word that repeats one bit, counted from the least significant.
    fn bitmask(&mut self, value: ValueId, bit: u32) -> ValueId {
        let layout = self.builder.ty(value).layout;
        let width = if layout.has_lanes() { layout.word } else { layout.width() };
        if self.lowering.options.slicing == Slicing::H {
            return self.builder.shuffle(value, vec![Some(width - 1 - bit); width as usize]);
        }
        let top = self.builder.shift(ShiftOp::Left, value, width - 1 - bit);
        self.builder.shift(ShiftOp::RightArithmetic, top, width - 1)
    }

    /// A call: the concatenated arguments are dealt out to the inputs, the outputs concatenated.
    fn call(&mut self, callee: InstanceId, arguments: Vec<Atom>) -> Vec<Atom> {
        let instance = self.lowering.program.instance(callee);
        if let Body::Permutation { sources } = &instance.body {
            return sources.iter().map(|&source| arguments[source as usize].clone()).collect();
        }
        let mut rest = arguments.as_slice();
        let mut values = Vec::new();
        for &input in &instance.inputs {
            let ty = self.lowering.parameter(instance, input).ty;
            let (part, others) = rest.split_at(ty.atoms() as usize);
            values.push(self.aggregate(part, ty));
            rest = others;
        }
        let types: Vec<_> =
            instance.outputs.iter().map(|&output| self.lowering.parameter(instance, output).ty).collect();
        let node =
            self.lowering.of_instance[callee.0 as usize].expect("callees are lowered before their callers");
        let results = self.builder.call(node, values, &types);
        let mut atoms = Vec::new();
        for (result, ty) in results.into_iter().zip(types) {
            match ty.len {
                None => atoms.push(Atom::Value(result)),
                Some(len) => atoms.extend(
                    (0..len)
                        .map(|i| Atom::Element(result, usuba_ir::program::Affine::constant(i64::from(i)))),
                ),
            }
        }
        atoms
    }
}
