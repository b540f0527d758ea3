//! The algebraic laws that simplify an operation by looking at its operands' definitions.
//!
//! A law is a row of [`LAWS`]: two expressions over the variables X and Y that are equal at every width. The left one is
//! matched against an operation (in either order of the operands, if the operator commutes); the right one replaces it. A
//! test proves every row by trying all values at widths 1 to 3.
//!
//! Every law makes the expression smaller, counting a complement that is absorbed, so rewriting ends.

use crate::block::BlockOp;
use crate::evaluate;
use crate::layout::Layout;
use crate::program::{BinaryOp, Op, ValueId};
use BinaryOp::{Add, And, AndNot, Multiply, Or, Subtract, Xor};
use usuba_logic::formula::merged;
use usuba_logic::truth::{VARIABLES, depends_on, renamed};

/// An expression over the variables of a law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// A variable.
    X,
    /// Another variable.
    Y,
    /// The number 0.
    Zero,
    /// The number 1.
    One,
    /// All bits set.
    Ones,
    /// The complement.
    Not(&'static Term),
    /// A binary operator.
    Of(BinaryOp, &'static Term, &'static Term),
}

/// An equation between two terms.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What it is matched against.
    pub left: Term,
    /// What it gives: a variable, a constant, or one operator on variables.
    pub right: Term,
}

use Term::{Not, Of, One, Ones, X, Y, Zero};

const NOT_X: Term = Not(&X);
const NOT_Y: Term = Not(&Y);

const fn law(name: &'static str, left: Term, right: Term) -> Law {
    Law { name, left, right }
}

/// The laws, the first that matches is used.
#[rustfmt::skip]
pub const LAWS: &[Law] = &[
    law("not-not",          Not(&NOT_X),               X),
    law("and-zero",         Of(And, &X, &Zero),        Zero),
    law("and-ones",         Of(And, &X, &Ones),        X),
    law("and-self",         Of(And, &X, &X),           X),
    law("and-complement",   Of(And, &X, &NOT_X),       Zero),
    law("and-not",          Of(And, &X, &NOT_Y),       Of(AndNot, &X, &Y)),
    law("or-zero",          Of(Or, &X, &Zero),         X),
    law("or-ones",          Of(Or, &X, &Ones),         Ones),
    law("or-self",          Of(Or, &X, &X),            X),
    law("or-complement",    Of(Or, &X, &NOT_X),        Ones),
    law("xor-zero",         Of(Xor, &X, &Zero),        X),
    law("xor-ones",         Of(Xor, &X, &Ones),        Not(&X)),
    law("xor-self",         Of(Xor, &X, &X),           Zero),
    law("xor-complement",   Of(Xor, &X, &NOT_X),       Ones),
    law("xor-not-not",      Of(Xor, &NOT_X, &NOT_Y),   Of(Xor, &X, &Y)),
    law("zero-andnot",      Of(AndNot, &Zero, &X),     Zero),
    law("ones-andnot",      Of(AndNot, &Ones, &X),     Not(&X)),
    law("andnot-zero",      Of(AndNot, &X, &Zero),     X),
    law("andnot-ones",      Of(AndNot, &X, &Ones),     Zero),
    law("andnot-self",      Of(AndNot, &X, &X),        Zero),
    law("andnot-own",       Of(AndNot, &NOT_X, &X),    Not(&X)),
    law("andnot-not-self",  Of(AndNot, &X, &NOT_X),    X),
    law("andnot-not",       Of(AndNot, &X, &NOT_Y),    Of(And, &X, &Y)),
    law("add-zero",         Of(Add, &X, &Zero),        X),
    law("subtract-zero",    Of(Subtract, &X, &Zero),   X),
    law("subtract-self",    Of(Subtract, &X, &X),      Zero),
    law("multiply-zero",    Of(Multiply, &X, &Zero),   Zero),
    law("multiply-one",     Of(Multiply, &X, &One),    X),
];

/// What is known of the definitions of values.
pub trait Facts {
    /// The number, if the value is a constant.
    fn constant(&self, value: ValueId) -> Option<u128>;
    /// The operand, if the value is a complement.
    fn complement(&self, value: ValueId) -> Option<ValueId>;
}

/// What an operation simplifies to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Simpler {
    /// A value that is already there.
    Value(ValueId),
    /// A constant.
    Constant(u128),
    /// Another operation, which may simplify further.
    Op(Op),
}

/// Folds constants and applies the first matching law; `layout` is that of the operands. `None` if nothing applies.
///
/// Looks at operators on atoms only: loops, calls and arrays are no business of the laws.
pub fn simplify(op: &Op, layout: Layout, facts: &impl Facts) -> Option<Simpler> {
    let width = layout.width();
    if let Some(number) = fold(op, layout, facts) {
        return Some(Simpler::Constant(number));
    }
    match op {
        Op::Not(_) | Op::Binary(..) => {
            LAWS.iter().find_map(|law| Match { facts, layout, x: None, y: None }.law(law, op))
        }
        &Op::Ternary(table, of) => ternary(table, of, width, facts),
        &Op::Block(op, a, b) => block(op, a, b, facts),
        &Op::Bitmask(a, _) if width == 1 => Some(Simpler::Value(a)),
        Op::Shuffle(a, pattern) => {
            if pattern.iter().all(Option::is_none) {
                Some(Simpler::Constant(0))
            } else if pattern.iter().zip(0..).all(|(&from, to)| from == Some(to)) {
                Some(Simpler::Value(*a))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Takes constants, complements and operands that are equal into the truth table; what then depends on fewer than three is another
/// operation.
fn ternary(table: u8, of: [ValueId; 3], width: u32, facts: &impl Facts) -> Option<Simpler> {
    let (mut now, mut operands) = (table, of);
    for place in 0..3 {
        let variable = VARIABLES[place];
        let distance = 4 >> place;
        if let Some(operand) = facts.complement(operands[place]) {
            operands[place] = operand;
            now = (now & variable) >> distance | (now & !variable) << distance;
        }
        match facts.constant(operands[place]) {
            Some(0) => now = now & !variable | (now & !variable) << distance,
            Some(number) if number == evaluate::ones(width) => {
                now = now & variable | (now & variable) >> distance;
            }
            _ => {}
        }
    }
    now = merged(now, &operands);
    let places: Vec<usize> = (0..3).filter(|&place| depends_on(now, place)).collect();
    let negation = |place: usize| now == !VARIABLES[place];
    Some(match *places.as_slice() {
        [] => Simpler::Constant(if now == 0 { 0 } else { evaluate::ones(width) }),
        [a] if negation(a) => Simpler::Op(Op::Not(operands[a])),
        [a] => Simpler::Value(operands[a]),
        [a, b] => {
            let (one, other) = (VARIABLES[a], VARIABLES[b]);
            let (x, y) = (operands[a], operands[b]);
            let found = [
                (one & other, And, x, y),
                (one | other, Or, x, y),
                (one ^ other, Xor, x, y),
                (one & !other, AndNot, x, y),
                (other & !one, AndNot, y, x),
            ];
            match found.into_iter().find(|(table, ..)| *table == now) {
                Some((_, op, x, y)) => Simpler::Op(Op::Binary(op, x, y)),
                None => changed(now, [x, y, y], (table, of), [a, b, b])?,
            }
        }
        _ => changed(now, operands, (table, of), [0, 1, 2])?,
    })
}

/// The operation on these operands, which stood in other places, if it is not the one that there was.
fn changed(now: u8, of: [ValueId; 3], before: (u8, [ValueId; 3]), from: [usize; 3]) -> Option<Simpler> {
    let mut places = [0; 3];
    for (to, &place) in from.iter().enumerate().rev() {
        places[place] = to;
    }
    let table = merged(renamed(now, places), &of);
    ((table, of) != before).then_some(Simpler::Op(Op::Ternary(table, of)))
}

/// Of a product by zero, and of a sum with zero.
fn block(op: BlockOp, a: ValueId, b: ValueId, facts: &impl Facts) -> Option<Simpler> {
    match op {
        BlockOp::Aes(_) | BlockOp::JoinHalves(_) => None,
        BlockOp::Product(halves) => {
            let vanishes = |value, later: bool| {
                let number = facts.constant(value)?;
                // Byte 0 is the most significant of the number.
                let half = if later { number << 64 } else { number >> 64 };
                (half == 0).then_some(Simpler::Constant(0))
            };
            vanishes(a, halves.first).or_else(|| vanishes(b, halves.second))
        }
        BlockOp::AddWords(_) => {
            let with_zero = |value, other| (facts.constant(value)? == 0).then_some(Simpler::Value(other));
            with_zero(a, b).or_else(|| with_zero(b, a))
        }
    }
}

/// The number that an operation on constants gives.
fn fold(op: &Op, layout: Layout, facts: &impl Facts) -> Option<u128> {
    let width = layout.width();
    let constant = |v: &ValueId| facts.constant(*v);
    match op {
        Op::Not(a) => Some(evaluate::not(width, constant(a)?)),
        Op::Binary(op, a, b) => {
            let each = |width, a, b| evaluate::binary(*op, width, a, b);
            Some(evaluate::each_word(layout, constant(a)?, constant(b)?, each))
        }
        Op::Ternary(table, of) => {
            let of = [constant(&of[0])?, constant(&of[1])?, constant(&of[2])?];
            Some(evaluate::ternary(width, *table, of))
        }
        Op::Shift(op, a, amount) => {
            let each = |width, a, _| evaluate::shift(*op, width, a, *amount);
            Some(evaluate::each_word(layout, constant(a)?, 0, each))
        }
        Op::Shuffle(a, pattern) => Some(evaluate::shuffle(width, constant(a)?, pattern)),
        Op::Bitmask(a, bit) => Some(evaluate::bitmask(width, constant(a)?, *bit)),
        Op::MapBytes(a, map) => Some(evaluate::map_bytes(layout, constant(a)?, map)),
        Op::Block(op, a, b) => Some(evaluate::block(*op, constant(a)?, constant(b)?)),
        Op::InverseMixColumns(a) => Some(evaluate::inverse_mix_columns(constant(a)?)),
        Op::Pack(high, low) => Some(evaluate::pack(width, constant(high)?, constant(low)?)),
        _ => None,
    }
}

/// Whether the operands of an operator can change places.
pub fn commutes(op: BinaryOp) -> bool {
    !matches!(op, AndNot | Subtract)
}

/// A match in progress: the values of the variables.
struct Match<'a, F> {
    facts: &'a F,
    layout: Layout,
    x: Option<ValueId>,
    y: Option<ValueId>,
}

impl<F: Facts> Match<'_, F> {
    fn law(mut self, law: &Law, op: &Op) -> Option<Simpler> {
        let matched = match (law.left, op) {
            (Not(term), &Op::Not(a)) => self.value(term, a),
            (Of(wanted, left, right), &Op::Binary(op, a, b)) if wanted == op => {
                self.pair(left, a, right, b) || commutes(op) && self.pair(left, b, right, a)
            }
            _ => false,
        };
        if !matched {
            return None;
        }
        Some(match law.right {
            Not(term) => Simpler::Op(Op::Not(self.variable(term)?)),
            Of(op, left, right) => Simpler::Op(Op::Binary(op, self.variable(left)?, self.variable(right)?)),
            Zero => Simpler::Constant(0),
            One => Simpler::Constant(self.one()),
            Ones => Simpler::Constant(evaluate::ones(self.layout.width())),
            X | Y => Simpler::Value(self.variable(&law.right)?),
        })
    }

    fn pair(&mut self, left: &Term, a: ValueId, right: &Term, b: ValueId) -> bool {
        (self.x, self.y) = (None, None);
        self.value(left, a) && self.value(right, b)
    }

    /// Whether `value` is an instance of `term`.
    fn value(&mut self, term: &Term, value: ValueId) -> bool {
        match term {
            X => *self.x.get_or_insert(value) == value,
            Y => *self.y.get_or_insert(value) == value,
            Zero => self.facts.constant(value) == Some(0),
            One => self.facts.constant(value) == Some(self.one()),
            Ones => self.facts.constant(value) == Some(evaluate::ones(self.layout.width())),
            Not(term) => self.facts.complement(value).is_some_and(|operand| self.value(term, operand)),
            Of(..) => false,
        }
    }

    /// The number 1, in every word.
    fn one(&self) -> u128 {
        evaluate::each_word(self.layout, 0, 0, |_, _, _| 1)
    }

    fn variable(&self, term: &Term) -> Option<ValueId> {
        match term {
            X => self.x,
            Y => self.y,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(term: &Term, width: u32, x: u128, y: u128) -> u128 {
        match term {
            X => x,
            Y => y,
            Zero => 0,
            One => 1,
            Ones => evaluate::ones(width),
            Not(term) => evaluate::not(width, value(term, width, x, y)),
            Of(op, a, b) => evaluate::binary(*op, width, value(a, width, x, y), value(b, width, x, y)),
        }
    }

    #[test]
    fn laws_hold_at_small_widths() {
        for law in LAWS {
            for width in 1..=3 {
                for x in 0..1 << width {
                    for y in 0..1 << width {
                        let (left, right) = (value(&law.left, width, x, y), value(&law.right, width, x, y));
                        assert_eq!(left, right, "{} at width {width}, x = {x}, y = {y}", law.name);
                    }
                }
            }
        }
    }

    #[test]
    fn operators_that_commute_are_known() {
        for op in [And, Or, Xor, AndNot, Add, Subtract, Multiply] {
            let pairs = || (0..8).flat_map(|a| (0..8).map(move |b| (a, b)));
            let symmetric =
                pairs().all(|(a, b)| evaluate::binary(op, 3, a, b) == evaluate::binary(op, 3, b, a));
            assert_eq!(commutes(op), symmetric, "{op:?}");
        }
    }
}
