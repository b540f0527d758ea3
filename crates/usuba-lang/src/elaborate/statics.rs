//! Static expressions: integers that the compiler knows.

use crate::ast::{self, BinaryOp, StaticKind, StaticOp};
use crate::source::Span;
use num_bigint::BigUint;

/// Why a static expression has no value.
#[derive(Clone, Debug)]
pub(super) struct StaticError {
    pub(super) span: Span,
    pub(super) kind: StaticErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StaticErrorKind {
    /// A name that is no loop variable and no `nat` parameter.
    Unknown(String),
    /// The result does not fit in 64 bits.
    Overflow,
    DivisionByZero,
}

/// A 64-bit signed integer, if the literal is one.
pub(super) fn literal(value: &BigUint) -> Option<i64> {
    i64::try_from(value).ok()
}

/// Evaluates with 64-bit signed arithmetic; `/` and `%` are Euclidean (D21).
pub(super) fn evaluate(
    expression: &ast::Static,
    value_of: &dyn Fn(&str) -> Option<i64>,
) -> Result<i64, StaticError> {
    let fail = |kind| StaticError { span: expression.span, kind };
    match &expression.kind {
        StaticKind::Integer(integer) => {
            literal(&integer.value).ok_or_else(|| fail(StaticErrorKind::Overflow))
        }
        StaticKind::Name(name) => value_of(name).ok_or_else(|| fail(StaticErrorKind::Unknown(name.clone()))),
        StaticKind::Binary(op, left, right) => {
            let left = evaluate(left, value_of)?;
            let right = evaluate(right, value_of)?;
            apply(*op, left, right).map_err(fail)
        }
    }
}

fn apply(op: StaticOp, left: i64, right: i64) -> Result<i64, StaticErrorKind> {
    if matches!(op, StaticOp::Divide | StaticOp::Modulo) && right == 0 {
        return Err(StaticErrorKind::DivisionByZero);
    }
    match op {
        StaticOp::Add => left.checked_add(right),
        StaticOp::Subtract => left.checked_sub(right),
        StaticOp::Multiply => left.checked_mul(right),
        StaticOp::Divide => left.checked_div_euclid(right),
        StaticOp::Modulo => left.checked_rem_euclid(right),
    }
    .ok_or(StaticErrorKind::Overflow)
}

/// Whether a static expression mentions a name, so that its value may change from one iteration to the next.
pub(super) fn mentions_name(expression: &ast::Static) -> bool {
    match &expression.kind {
        StaticKind::Integer(_) => false,
        StaticKind::Name(_) => true,
        StaticKind::Binary(_, left, right) => mentions_name(left) || mentions_name(right),
    }
}

/// Reads an argument as a static expression, for a `nat` parameter; `None` if it is not of that form.
pub(super) fn of_expression(expression: &ast::Expression) -> Option<ast::Static> {
    let kind = match &expression.kind {
        ast::ExpressionKind::Constant(integer, None) => StaticKind::Integer(integer.clone()),
        ast::ExpressionKind::Reference(reference) if reference.selections.is_empty() => {
            StaticKind::Name(reference.name.text.clone())
        }
        ast::ExpressionKind::Binary(op, left, right) => {
            let op = match op {
                BinaryOp::Add => StaticOp::Add,
                BinaryOp::Subtract => StaticOp::Subtract,
                BinaryOp::Multiply => StaticOp::Multiply,
                BinaryOp::Divide => StaticOp::Divide,
                BinaryOp::Modulo => StaticOp::Modulo,
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
            };
            StaticKind::Binary(op, Box::new(of_expression(left)?), Box::new(of_expression(right)?))
        }
        _ => return None,
    };
    Some(ast::Static { kind, span: expression.span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean() {
        for (op, left, right, expected) in [
            (StaticOp::Modulo, -4, 4, Ok(0)),
            (StaticOp::Modulo, -1, 4, Ok(3)),
            (StaticOp::Divide, -1, 4, Ok(-1)),
            (StaticOp::Divide, 7, 2, Ok(3)),
            (StaticOp::Modulo, 1, 0, Err(StaticErrorKind::DivisionByZero)),
            (StaticOp::Divide, i64::MIN, -1, Err(StaticErrorKind::Overflow)),
            (StaticOp::Multiply, i64::MAX, 2, Err(StaticErrorKind::Overflow)),
        ] {
            assert_eq!(apply(op, left, right), expected, "{left} {op:?} {right}");
        }
    }
}
