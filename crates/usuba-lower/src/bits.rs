//! Arithmetic on words that are their bits, most significant first (`--bitslice-arith`).

use crate::sliced::ArithmeticOp;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, ValueId};

/// `a op b` modulo 2^n for two words of n bits.
pub(crate) fn arithmetic(
    builder: &mut NodeBuilder,
    op: ArithmeticOp,
    a: &[ValueId],
    b: &[ValueId],
) -> Vec<ValueId> {
    let zero = builder.constant(Layout::BIT, 0);
    match op {
        ArithmeticOp::Add => add(builder, a, b, zero),
        ArithmeticOp::Subtract => {
            // a - b = a + ~b + 1
            let complement: Vec<ValueId> = b.iter().map(|&bit| builder.not(bit)).collect();
            let one = builder.constant(Layout::BIT, 1);
            add(builder, a, &complement, one)
        }
        ArithmeticOp::Multiply => {
            let width = a.len();
            let mut sum = vec![zero; width];
            // Row `shift` is a << shift where bit `shift` of b, counted from the least significant, is set.
            for shift in 0..width {
                let bit = b[width - 1 - shift];
                let row: Vec<ValueId> = (0..width)
                    .map(|i| match a.get(i + shift) {
                        Some(&digit) => builder.binary(BinaryOp::And, digit, bit),
                        None => zero,
                    })
                    .collect();
                sum = add(builder, &sum, &row, zero);
            }
            sum
        }
    }
}

/// A ripple-carry adder: five operations per bit, the carry as `majority(a, b, c) = ((a ^ b) & (a ^ c)) ^ a`.
fn add(builder: &mut NodeBuilder, a: &[ValueId], b: &[ValueId], carry_in: ValueId) -> Vec<ValueId> {
    let mut carry = carry_in;
    let mut sum = vec![carry; a.len()];
    for i in (0..a.len()).rev() {
        let differ = builder.binary(BinaryOp::Xor, a[i], b[i]);
        sum[i] = builder.binary(BinaryOp::Xor, differ, carry);
        if i > 0 {
            let flips = builder.binary(BinaryOp::Xor, a[i], carry);
            let both = builder.binary(BinaryOp::And, differ, flips);
            carry = builder.binary(BinaryOp::Xor, both, a[i]);
        }
    }
    sum
}
