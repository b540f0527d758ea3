//! Public numbers and conditions as they are written.

use super::{Elaborator, Result, Scope, messages};
use crate::form::Condition;
use crate::number::{Number, NumberError};
use std::collections::BTreeMap;
use usuba_lang::ast::{
    self, Comparison, ConditionKind, Definition, Fact, Static, StaticFunction, StaticKind, StaticOp,
};
use usuba_lang::source::Span;

/// The value of a public expression.
pub(super) fn number(known: &BTreeMap<String, Number>, written: &Static) -> Result<Number> {
    let fail = |error: NumberError| messages::number(error, written.span);
    match &written.kind {
        StaticKind::Integer(integer) => match i64::try_from(&integer.value) {
            Ok(value) => Ok(value.into()),
            Err(_) => Err(messages::number(NumberError::Overflow, integer.span)),
        },
        StaticKind::Name(name) => {
            known.get(name).cloned().ok_or_else(|| messages::unknown_number(name, written.span))
        }
        StaticKind::Binary(op, left, right) => {
            let (left, right) = (number(known, left)?, number(known, right)?);
            match op {
                StaticOp::Add => left.plus(&right, 1),
                StaticOp::Subtract => left.plus(&right, -1),
                StaticOp::Multiply => left.times(&right),
                StaticOp::Divide => left.quotient(&right),
                StaticOp::Modulo => left.remainder(&right),
            }
            .map_err(fail)
        }
        StaticKind::Apply(function, arguments) => {
            let values: Vec<Number> =
                arguments.iter().map(|argument| number(known, argument)).collect::<Result<_>>()?;
            match (function, values.as_slice()) {
                (StaticFunction::Min, [a, b]) => a.minimum(b),
                (StaticFunction::Max, [a, b]) => a.maximum(b),
                (StaticFunction::TrailingZeros, [a]) => a.trailing_zeros(),
                _ => Err(NumberError::TrailingZeros),
            }
            .map_err(fail)
        }
    }
}

/// A condition as written.
pub(super) fn condition(known: &BTreeMap<String, Number>, written: &ast::Condition) -> Result<Condition> {
    let fail = |error: NumberError| messages::number(error, written.span);
    Ok(match &written.kind {
        ConditionKind::Compare(comparison, left, right) => {
            let (left, right) = (number(known, left)?, number(known, right)?);
            let less = |a: &Number, b: &Number, gap: i64| -> Result<Condition> {
                let number = b.plus(a, -1).and_then(|number| number.plus(&gap.into(), -1)).map_err(fail)?;
                Ok(Condition::NotNegative(number))
            };
            match comparison {
                Comparison::Equal => Condition::Zero(left.plus(&right, -1).map_err(fail)?),
                Comparison::Unequal => Condition::Zero(left.plus(&right, -1).map_err(fail)?).negated(),
                Comparison::Less => less(&left, &right, 1)?,
                Comparison::AtMost => less(&left, &right, 0)?,
                Comparison::Greater => less(&right, &left, 1)?,
                Comparison::AtLeast => less(&right, &left, 0)?,
            }
        }
        ConditionKind::Among(value, entries) => {
            let value = number(known, value)?;
            let mut any: Option<Condition> = None;
            for entry in entries.iter().rev() {
                let entry = i64::try_from(&entry.value).map_err(|_| fail(NumberError::Overflow))?;
                let one = Condition::Zero(value.plus(&entry.into(), -1).map_err(fail)?);
                any = Some(match any {
                    None => one,
                    Some(other) => Condition::Or(Box::new(one), Box::new(other)),
                });
            }
            any.unwrap_or(Condition::NotNegative((-1).into()))
        }
        ConditionKind::And(left, right) => {
            Condition::And(Box::new(condition(known, left)?), Box::new(condition(known, right)?))
        }
        ConditionKind::Or(left, right) => {
            Condition::Or(Box::new(condition(known, left)?), Box::new(condition(known, right)?))
        }
    })
}

impl<'p> Elaborator<'p> {
    /// The value of a public expression. A quotient that can only be 0 is 0.
    pub(super) fn number(&self, scope: &Scope, written: &Static) -> Result<Number> {
        let value = number(&scope.numbers, written)?;
        self.facts.simplified(&value).map_err(|error| messages::number(error, written.span))
    }

    /// The value of a public expression that must be known.
    pub(super) fn constant(&self, scope: &Scope, written: &Static) -> Result<i64> {
        let value = self.number(scope, written)?;
        value.as_constant().ok_or_else(|| messages::not_constant(&self.show(&value), written.span))
    }

    /// The number that an argument is.
    pub(super) fn argument(&self, scope: &Scope, written: &ast::Expression) -> Result<Number> {
        match usuba_lang::elaborate::static_expression(written) {
            Some(number) => self.number(scope, &number),
            None => Err(messages::not_public(written.span)),
        }
    }

    pub(super) fn condition(&self, scope: &Scope, written: &ast::Condition) -> Result<Condition> {
        condition(&scope.numbers, written)
    }

    /// What stands behind `where`: the lengths that follow, and conditions, which an entry asks of its callers and any other
    /// node may rely on.
    pub(super) fn facts_of(
        &mut self,
        scope: &mut Scope,
        definition: &Definition,
        is_entry: bool,
    ) -> Result<()> {
        for fact in &definition.facts {
            match fact {
                Fact::Length(name, value) => {
                    let value = self.number(scope, value)?;
                    scope.numbers.insert(name.text.clone(), value);
                }
                Fact::Condition(written) => {
                    let condition = self.condition(scope, written)?;
                    if is_entry && !is_trivial(&condition) {
                        self.facts.assume(&condition);
                        self.conditions.push(condition);
                    } else if !self.facts.holds(&condition) {
                        return Err(messages::condition(&definition.name, written.span));
                    }
                }
            }
        }
        Ok(())
    }

    /// A number with the names of the message.
    pub(super) fn show(&self, number: &Number) -> String {
        use crate::number::{Named, Term};
        let name = |term: &Term| match term {
            Term::Length(length) => self.lengths.get(*length as usize).cloned().unwrap_or_default(),
            Term::Index(index) => self.indices.get(*index as usize).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        Named(number, &name).to_string()
    }

    /// Whether two numbers are the same, by the laws of sums or by what is known.
    pub(super) fn same(&self, left: &Number, right: &Number) -> bool {
        left == right
            || left.plus(right, -1).is_ok_and(|difference| self.facts.holds(&Condition::Zero(difference)))
    }

    /// The value of a number, if what is known leaves one only.
    pub(super) fn known(&self, number: &Number) -> Option<i64> {
        if let Some(constant) = number.as_constant() {
            return Some(constant);
        }
        let simple = self.facts.simplified(number).ok()?;
        let block = self.cipher.as_ref().map_or(16, |cipher| i64::from(cipher.block));
        self.facts.value(&simple, &[block, 0])
    }

    /// Asks that lengths be equal.
    pub(super) fn equal(&self, left: &Number, right: &Number, place: Span) -> Result<()> {
        if self.same(left, right) {
            return Ok(());
        }
        Err(messages::lengths_differ(&self.show(left), &self.show(right), place))
    }
}

/// Whether a condition mentions no length.
fn is_trivial(condition: &Condition) -> bool {
    match condition {
        Condition::NotNegative(number) | Condition::Zero(number) => number.as_constant().is_some(),
        Condition::And(left, right) | Condition::Or(left, right) => is_trivial(left) && is_trivial(right),
    }
}
