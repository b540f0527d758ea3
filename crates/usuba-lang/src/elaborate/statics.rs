//! Static expressions: integers that the compiler knows.

use crate::ast::{
    self, BinaryOp, Comparison, Condition, ConditionKind, StaticFunction, StaticKind, StaticOp,
};
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
    /// `Ntz` of a number that is not positive.
    NoTrailingZeros,
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
        StaticKind::Apply(function, arguments) => {
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                values.push(evaluate(argument, value_of)?);
            }
            match (function, values.as_slice()) {
                (StaticFunction::Min, &[a, b]) => Ok(a.min(b)),
                (StaticFunction::Max, &[a, b]) => Ok(a.max(b)),
                (StaticFunction::TrailingZeros, &[a]) if a > 0 => Ok(i64::from(a.trailing_zeros())),
                _ => Err(fail(StaticErrorKind::NoTrailingZeros)),
            }
        }
    }
}

/// Whether a condition holds.
pub(super) fn holds(
    condition: &Condition,
    value_of: &dyn Fn(&str) -> Option<i64>,
) -> Result<bool, StaticError> {
    Ok(match &condition.kind {
        ConditionKind::Compare(comparison, left, right) => {
            let (left, right) = (evaluate(left, value_of)?, evaluate(right, value_of)?);
            match comparison {
                Comparison::Equal => left == right,
                Comparison::Unequal => left != right,
                Comparison::Less => left < right,
                Comparison::AtMost => left <= right,
                Comparison::Greater => left > right,
                Comparison::AtLeast => left >= right,
            }
        }
        ConditionKind::Among(number, entries) => {
            let number = evaluate(number, value_of)?;
            entries.iter().any(|entry| literal(&entry.value) == Some(number))
        }
        ConditionKind::And(left, right) => holds(left, value_of)? && holds(right, value_of)?,
        ConditionKind::Or(left, right) => holds(left, value_of)? || holds(right, value_of)?,
    })
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
        StaticKind::Apply(_, arguments) => arguments.iter().any(mentions_name),
    }
}

/// Calls `see` for every name in a static expression.
pub(super) fn names<'e>(expression: &'e ast::Static, see: &mut dyn FnMut(&'e str, Span)) {
    match &expression.kind {
        StaticKind::Integer(_) => {}
        StaticKind::Name(name) => see(name, expression.span),
        StaticKind::Binary(_, left, right) => {
            names(left, see);
            names(right, see);
        }
        StaticKind::Apply(_, arguments) => arguments.iter().for_each(|argument| names(argument, see)),
    }
}

/// Reads an argument as a static expression, for a `nat` parameter; `None` if it is not of that form.
pub fn of_expression(expression: &ast::Expression) -> Option<ast::Static> {
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
        ast::ExpressionKind::Call { callee, element: None, arguments } => {
            let function = StaticFunction::named(&callee.text).filter(|f| f.arity() == arguments.len())?;
            StaticKind::Apply(function, arguments.iter().map(of_expression).collect::<Option<Vec<_>>>()?)
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
