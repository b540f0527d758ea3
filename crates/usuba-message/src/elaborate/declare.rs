//! Types and variables.

use super::{Elaborator, PARAMETER, Result, Scope, messages};
use crate::form::{Sameness, Variable, VariableId, Words};
use crate::number::Number;
use num_bigint::BigUint;
use usuba_lang::ast::{self, BaseType, Integer, Name, Size, Static, StaticKind, StaticOp};
use usuba_lang::source::Span;

/// A number as a literal, or as one less than zero.
pub(super) fn literal(value: i64, span: Span) -> Static {
    let integer = |value: u64| {
        let integer = Integer { value: BigUint::from(value), hexadecimal: false, span };
        Static { kind: StaticKind::Integer(integer), span }
    };
    if value >= 0 {
        return integer(value.unsigned_abs());
    }
    let (zero, value) = (Box::new(integer(0)), Box::new(integer(value.unsigned_abs())));
    Static { kind: StaticKind::Binary(StaticOp::Subtract, zero, value), span }
}

/// `u8[count]`.
pub(super) fn bytes_type(count: u32, span: Span) -> ast::Type {
    words_type(Words::of_bytes(count), span)
}

/// An array of words.
pub(super) fn words_type(words: Words, span: Span) -> ast::Type {
    let base = match words.width {
        1 => BaseType::Bits { direction: None, count: words.count },
        width => BaseType::Word { direction: None, size: Size::Bits(width), count: None },
    };
    let dimensions = if words.width == 1 { Vec::new() } else { vec![literal(words.count.into(), span)] };
    ast::Type { base, dimensions, span }
}

/// The sizes of the dimensions of a type without public lengths, the words of its base last.
pub(super) fn dimensions(ty: &ast::Type) -> Vec<u32> {
    let mut sizes: Vec<u32> = ty
        .dimensions
        .iter()
        .map(|dimension| match &dimension.kind {
            StaticKind::Integer(integer) => u32::try_from(&integer.value).unwrap_or(0),
            _ => 0,
        })
        .collect();
    match ty.base {
        BaseType::Word { count: Some(count), .. } => sizes.push(count),
        BaseType::Bits { count, .. } if count > 1 => sizes.push(count),
        _ => {}
    }
    sizes
}

impl<'p> Elaborator<'p> {
    /// A type as this scope reads it: without its public dimension, which is the outermost and comes second.
    pub(super) fn read_type(
        &self,
        scope: &Scope,
        ty: &ast::Type,
    ) -> Result<(ast::Type, Words, Option<Number>)> {
        let mut sizes = ty
            .dimensions
            .iter()
            .map(|dimension| self.number(scope, dimension))
            .collect::<Result<Vec<_>>>()?;
        let constant = |size: &Number| self.known(size).filter(|&size| size > 0);
        let public = match sizes.first() {
            Some(first) if constant(first).is_none() => Some(sizes.remove(0)),
            _ => None,
        };
        let mut dimensions = Vec::new();
        for size in &sizes {
            let size = constant(size).ok_or_else(|| messages::not_constant(&self.show(size), ty.span))?;
            dimensions.push(literal(size, ty.span));
        }
        let base = match &ty.base {
            BaseType::Keys(_) => BaseType::Keys(PARAMETER.to_owned()),
            base => base.clone(),
        };
        let inner = ast::Type { base, dimensions, span: ty.span };
        let words = self.words(&inner)?;
        Ok((inner, words, public))
    }

    /// What a type without public lengths is.
    pub(super) fn words(&self, ty: &ast::Type) -> Result<Words> {
        let count = dimensions(ty).into_iter().try_fold(1u32, u32::checked_mul);
        let count = count.ok_or_else(|| messages::unsupported("an array of that size", ty.span))?;
        match &ty.base {
            BaseType::Word { size: Size::Bits(width), .. } => Ok(Words { width: *width, count }),
            BaseType::Bits { .. } => Ok(Words { width: 1, count }),
            BaseType::Keys(_) => match &self.cipher {
                Some(cipher) => Ok(Words { count: cipher.keys.count * count, ..cipher.keys }),
                None => Err(messages::unsupported("a key without a cipher", ty.span)),
            },
            _ => Err(messages::unsupported("a type of this kind", ty.span)),
        }
    }

    /// A variable of a scope.
    pub(super) fn declare(
        &mut self,
        scope: &mut Scope,
        name: &Name,
        ty: &ast::Type,
        sameness: Sameness,
    ) -> Result<VariableId> {
        let (ty, words, count) = self.read_type(scope, ty)?;
        let id = self.variable(&name.text, ty, words, count, sameness, name.span);
        scope.variables.insert(name.text.clone(), id);
        Ok(id)
    }

    /// A new variable.
    pub(super) fn variable(
        &mut self,
        name: &str,
        ty: ast::Type,
        words: Words,
        count: Option<Number>,
        sameness: Sameness,
        span: Span,
    ) -> VariableId {
        let name = self.unused(name);
        self.variables.push(Variable { name, ty, words, count, sameness, span });
        VariableId(self.variables.len() as u32 - 1)
    }

    /// A name that nothing has: the one wanted, or with a number behind it.
    pub(super) fn unused(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while self.names.contains(&name) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        self.names.insert(name.clone());
        name
    }

    pub(super) fn of(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }
}
