//! Constants and the tuples they stand in: typed by position (section "Constants" of the language reference).
//!
//! Against words, an untyped constant is one word. Against bits, a constant that stands alone is all the bits that are
//! left, and in a tuple the bits that the typed parts leave are divided equally between the untyped constants; most
//! significant bit first.

use super::node::{Body, Value, bit_count};
use super::types::{DirectionTerm, MAX_WORD, MAX_WORDS, SizeTerm, Width, Word};
use super::{messages, statics};
use crate::ast::{self, BaseType, Integer};
use crate::source::Span;
use crate::typed::{Constant, Expression, ExpressionKind};

/// Whether an expression contains a constant that its surroundings must type.
pub(super) fn has_untyped(e: &ast::Expression) -> bool {
    let mut e = e;
    loop {
        match &e.kind {
            ast::ExpressionKind::Constant(_, ty) => return ty.is_none(),
            ast::ExpressionKind::Tuple(parts) | ast::ExpressionKind::Concatenate(parts) => {
                return parts.iter().any(has_untyped);
            }
            ast::ExpressionKind::Not(one)
            | ast::ExpressionKind::Shift(_, one, _)
            | ast::ExpressionKind::Bitmask(one, _) => e = one,
            ast::ExpressionKind::Binary(_, left, right) => {
                if !has_untyped(right) {
                    return false;
                }
                e = left;
            }
            ast::ExpressionKind::Pack(left, right, ty) => {
                return ty.is_none() && has_untyped(left) && has_untyped(right);
            }
            ast::ExpressionKind::Call { callee, arguments, .. } => match arguments.as_slice() {
                [one] if callee.text == "refresh" => e = one,
                _ => return false,
            },
            ast::ExpressionKind::Reference(_)
            | ast::ExpressionKind::Shuffle(..)
            | ast::ExpressionKind::Cast(_)
            | ast::ExpressionKind::Error => return false,
        }
    }
}

/// The number of untyped constants that lie side by side in a part that has such; `None` if the part also has typed
/// atoms, so that its size is known to nobody.
fn leaves(e: &ast::Expression) -> Option<u64> {
    match &e.kind {
        ast::ExpressionKind::Constant(_, None) | ast::ExpressionKind::Pack(..) => Some(1),
        ast::ExpressionKind::Not(one)
        | ast::ExpressionKind::Shift(_, one, _)
        | ast::ExpressionKind::Bitmask(one, _) => leaves(one),
        ast::ExpressionKind::Binary(_, left, _) => leaves(left),
        ast::ExpressionKind::Tuple(parts) | ast::ExpressionKind::Concatenate(parts) => {
            parts.iter().map(leaves).sum()
        }
        ast::ExpressionKind::Call { arguments, .. } => arguments.first().and_then(leaves),
        _ => None,
    }
}

/// The bits of a value, most significant first.
pub(super) fn bits_of(value: u128, width: u32) -> Vec<Constant> {
    (0..width)
        .rev()
        .map(|bit| Constant { value: if bit < 128 { value >> bit & 1 } else { 0 }, width: 1 })
        .collect()
}

/// Whether `value` is below 2^`width`.
fn fits(value: &Integer, width: u32) -> bool {
    value.value.bits() <= u64::from(width)
}

/// A part of a tuple: elaborated already, or waiting for a type.
enum Part<'e> {
    Typed(Value),
    Untyped(&'e ast::Expression, u64),
}

impl<'p> Body<'p, '_> {
    /// A constant without a type: one word, or all the bits that are expected.
    pub(super) fn untyped_constant(
        &mut self,
        integer: &Integer,
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Value> {
        let Some(&first) = expected.and_then(<[Word]>::first) else {
            self.report_here(messages::untyped_constant(span));
            return None;
        };
        if self.unifier.is_polymorphic(first.width) {
            if integer.value.bits() > 0 {
                let word = self.describe(&[first]);
                self.report_here(messages::polymorphic_constant(span, &word));
                return None;
            }
            let width = match self.unifier.width(first.width).bits() {
                Some(width) => width,
                None if self.session.generic || self.inferring => 1,
                None => {
                    self.report_here(messages::untyped_constant(span));
                    return None;
                }
            };
            let expression = Expression { kind: self.constant_atoms(0, width), span };
            return Some(Value { expression, words: vec![first] });
        }
        let expected = expected.unwrap_or_default();
        let width = self.unifier.width(first.width).bits()?;
        if width > 1 {
            let value = self.fitting(integer, width, span)?;
            let expression = Expression { kind: self.constant_atoms(value, width), span };
            return Some(Value { expression, words: vec![first] });
        }
        let one_bit = |word: &&Word| self.unifier.width(word.width).bits() == Some(1);
        let words: Vec<Word> = expected.iter().take_while(one_bit).copied().collect();
        self.constant_bits(integer, words, span)
    }

    /// A constant as one-bit words.
    fn constant_bits(&mut self, integer: &Integer, words: Vec<Word>, span: Span) -> Option<Value> {
        let count = words.len() as u32;
        if !fits(integer, count) {
            self.report_here(messages::constant_too_big(integer, count, span));
            return None;
        }
        self.charge(words.len())?;
        let bit = |i: u32| u128::from(integer.value.bit(u64::from(i)));
        let atoms = (0..count).rev().map(|i| Constant { value: bit(i), width: 1 }).collect();
        let expression = Expression { kind: ExpressionKind::Constants(atoms), span };
        Some(Value { expression, words })
    }

    fn fitting(&mut self, integer: &Integer, width: u32, span: Span) -> Option<u128> {
        if !fits(integer, width) {
            self.report_here(messages::constant_too_big(integer, width, span));
            return None;
        }
        u128::try_from(&integer.value).ok()
    }

    /// `n:um` is one word, `n:bk` is k bits (D26).
    pub(super) fn typed_constant(&mut self, integer: &Integer, ty: &ast::Type, span: Span) -> Option<Value> {
        let words = self.annotation(ty)?;
        let word = *words.first()?;
        if matches!(ty.base, BaseType::Bits { .. }) && ty.dimensions.is_empty() {
            return self.constant_bits(integer, words, span);
        }
        if words.len() > 1 {
            let words = self.describe(&words);
            self.report_here(messages::typed_vector_constant(span, &words));
            return None;
        }
        if self.unifier.is_polymorphic(word.width) {
            return self.untyped_constant(integer, Some(&words), span);
        }
        let width = self.unifier.width(word.width).bits()?;
        let value = self.fitting(integer, width, span)?;
        let expression = Expression { kind: self.constant_atoms(value, width), span };
        Some(Value { expression, words })
    }

    /// The words of a type written within an expression.
    pub(super) fn annotation(&mut self, ty: &ast::Type) -> Option<Vec<Word>> {
        let variables = &self.interface.variables;
        let (size, count, direction) = match &ty.base {
            BaseType::Nat => {
                self.report_here(messages::nat_annotation(ty.span));
                return None;
            }
            BaseType::Keys(_) => {
                self.report_here(messages::nat_annotation(ty.span));
                return None;
            }
            BaseType::Word { direction, size: ast::Size::Bits(bits), count } => {
                if *bits > MAX_WORD {
                    self.report_here(messages::word_too_wide(ty.span, *bits, MAX_WORD));
                    return None;
                }
                (SizeTerm::Bits(*bits), count.unwrap_or(1), direction)
            }
            BaseType::Word { direction, size: ast::Size::Variable(name), count } => {
                match variables.sizes.get_index_of(name) {
                    Some(index) => (SizeTerm::Variable(index), count.unwrap_or(1), direction),
                    None => {
                        self.report_here(messages::unknown_size(ty.span, name));
                        return None;
                    }
                }
            }
            BaseType::Bits { direction, count } => (SizeTerm::Bits(1), *count, direction),
            BaseType::Atoms { direction, count } => match variables.sizes.get_index_of("m") {
                Some(index) => (SizeTerm::Variable(index), *count, direction),
                None => {
                    self.report_here(messages::unknown_size(ty.span, "m"));
                    return None;
                }
            },
        };
        let named = |name: &str| variables.directions.get_index_of(name).map(DirectionTerm::Variable);
        let direction = match direction {
            Some(ast::Direction::V) => Some(DirectionTerm::V),
            Some(ast::Direction::H) => Some(DirectionTerm::H),
            Some(ast::Direction::B) => Some(DirectionTerm::B),
            Some(ast::Direction::Packed(words)) => Some(DirectionTerm::Packed(*words)),
            Some(ast::Direction::Variable(name)) => named(name),
            None => None,
        };
        // A type without a direction has whatever direction its surroundings have.
        let word = match direction {
            Some(direction) => self.word_of(size, direction),
            None => {
                let direction = self.unifier.fresh_direction();
                Word { direction, ..self.word_of(size, DirectionTerm::B) }
            }
        };
        let mut words = u64::from(count);
        for dimension in &ty.dimensions {
            let dimension =
                match statics::evaluate(dimension, &|name| self.interface.numbers.get(name).copied()) {
                    Ok(dimension) => dimension,
                    Err(error) => {
                        self.report_here(messages::size_error(&error));
                        return None;
                    }
                };
            words = words.saturating_mul(u64::try_from(dimension).unwrap_or(0));
        }
        if words == 0 || word.width.bits() == Some(0) {
            self.report_here(messages::zero_size(ty.span));
            return None;
        }
        if words > MAX_WORDS {
            self.report_here(messages::type_too_large(ty.span, MAX_WORDS));
            return None;
        }
        self.charge(words as usize)?;
        Some(vec![word; words as usize])
    }

    /// A flat tuple, or the arguments of a call.
    pub(super) fn tuple(
        &mut self,
        parts: &[&ast::Expression],
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Value> {
        let flat = flatten(parts);
        let untyped = flat.iter().any(|part| has_untyped(part));
        let mut done: Vec<Part<'_>> = Vec::with_capacity(flat.len());
        let mut failed = false;
        let mut offset = 0usize;
        for part in flat {
            if has_untyped(part) {
                match leaves(part) {
                    Some(count) => done.push(Part::Untyped(part, count)),
                    None => {
                        self.report_here(messages::unsplittable(part.span));
                        failed = true;
                    }
                }
                continue;
            }
            // Where a part stands is known only as long as no untyped constant comes before it.
            let hint = expected.filter(|_| !untyped).and_then(|words| words.get(offset..));
            match self.expression(part, hint) {
                Some(value) => {
                    offset += value.words.len();
                    done.push(Part::Typed(value));
                }
                None => failed = true,
            }
        }
        if failed {
            return None;
        }
        let values = if untyped { self.distribute(done, expected, span)? } else { done };
        let mut words = Vec::new();
        let mut expressions = Vec::new();
        for part in values {
            if let Part::Typed(value) = part {
                words.extend(value.words);
                expressions.push(value.expression);
            }
        }
        let expression = match expressions.len() {
            1 => expressions.pop()?,
            _ => Expression { kind: ExpressionKind::Tuple(expressions), span },
        };
        Some(Value { expression, words })
    }

    /// Gives every untyped constant of a tuple its share of the expected words.
    fn distribute<'e>(
        &mut self,
        parts: Vec<Part<'e>>,
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Vec<Part<'e>>> {
        let Some(expected) = expected else {
            self.report_here(messages::untyped_constant(span));
            return None;
        };
        let expected: Vec<Word> = expected.iter().map(|&word| self.unifier_view(word)).collect();
        let mut shares = self.shares(&parts, &expected);
        let mut view = expected;
        if shares.is_none() && self.bits() {
            // Typed parts that lie across word boundaries: bit by bit, then.
            view = view
                .iter()
                .flat_map(|word| {
                    let bits = word.width.bits().unwrap_or(1);
                    std::iter::repeat_n(Word::bit(word.direction), bits as usize)
                })
                .collect();
            shares = self.shares(&parts, &view);
        }
        let Some(shares) = shares else {
            let words = self.describe(&view);
            self.report_here(messages::cannot_divide(span, &words));
            return None;
        };
        // The parameters of a polymorphic callee may be open still: the typed parts tell.
        for (part, &(start, _)) in parts.iter().zip(&shares) {
            if let Part::Typed(value) = part {
                for (expected, found) in view.iter().skip(start).zip(&value.words) {
                    if self.unifier.width(expected.width).bits().is_none() {
                        self.unifier.unify_width(expected.width, found.width);
                    }
                }
            }
        }
        let mut typed = Vec::with_capacity(parts.len());
        let mut failed = false;
        for (part, (start, count)) in parts.into_iter().zip(shares) {
            match part {
                Part::Typed(value) => typed.push(Part::Typed(value)),
                Part::Untyped(e, _) => {
                    let share = view.get(start..start + count).unwrap_or_default();
                    match self.expression(e, Some(share)) {
                        Some(value) => typed.push(Part::Typed(value)),
                        None => failed = true,
                    }
                }
            }
        }
        (!failed).then_some(typed)
    }

    /// A word with its size filled in, unless that would hide that the author does not know it.
    fn unifier_view(&self, word: Word) -> Word {
        if self.unifier.is_polymorphic(word.width) { word } else { self.unifier.word(word) }
    }

    /// For each part, where in `expected` it starts and how many words it takes; `None` if that does not come out even.
    fn shares(&self, parts: &[Part<'_>], expected: &[Word]) -> Option<Vec<(usize, usize)>> {
        let is_bit = |word: &Word| !self.unifier.is_polymorphic(word.width) && word.width == Width::Bits(1);
        let typed: u64 = parts
            .iter()
            .map(|part| match part {
                Part::Typed(value) if self.bits() && expected.iter().all(is_bit) => {
                    bit_count(&value.words).unwrap_or(0)
                }
                Part::Typed(value) => value.words.len() as u64,
                Part::Untyped(..) => 0,
            })
            .sum();
        let untyped: u64 = parts.iter().map(|part| if let Part::Untyped(_, n) = part { *n } else { 0 }).sum();
        let left = (expected.len() as u64).checked_sub(typed)?;
        if expected.iter().all(is_bit) {
            return self.walk(parts, expected, left.checked_div(untyped)?, &is_bit);
        }
        // Words, or words and bits: every constant at a word takes one, those at bits share equally.
        (1..=left.max(1)).find_map(|share| self.walk(parts, expected, share, &is_bit))
    }

    /// The shares if every untyped constant that stands at a bit takes `share` bits.
    fn walk(
        &self,
        parts: &[Part<'_>],
        expected: &[Word],
        share: u64,
        is_bit: &dyn Fn(&Word) -> bool,
    ) -> Option<Vec<(usize, usize)>> {
        let mut shares = Vec::with_capacity(parts.len());
        let mut at = 0usize;
        for part in parts {
            let start = at;
            match part {
                Part::Typed(value) => {
                    let taken = expected.get(at..at + value.words.len());
                    let aligned = taken.is_some_and(|taken| {
                        taken.iter().zip(&value.words).all(|(e, v)| e.width.bits() == v.width.bits())
                    });
                    at += if aligned || !self.bits() {
                        value.words.len()
                    } else if expected.iter().all(is_bit) {
                        bit_count(&value.words)? as usize
                    } else {
                        return None;
                    };
                }
                Part::Untyped(_, leaves) => {
                    for _ in 0..*leaves {
                        at += if is_bit(expected.get(at)?) { usize::try_from(share).ok()? } else { 1 };
                    }
                }
            }
            if at > expected.len() {
                return None;
            }
            shares.push((start, at - start));
        }
        (at == expected.len()).then_some(shares)
    }
}

/// The parts of nested tuples in order.
pub(super) fn flatten<'e>(parts: &[&'e ast::Expression]) -> Vec<&'e ast::Expression> {
    let mut flat = Vec::with_capacity(parts.len());
    let mut stack: Vec<&ast::Expression> = parts.iter().rev().copied().collect();
    while let Some(part) = stack.pop() {
        match &part.kind {
            ast::ExpressionKind::Tuple(inner) | ast::ExpressionKind::Concatenate(inner) => {
                stack.extend(inner.iter().rev());
            }
            _ => flat.push(part),
        }
    }
    flat
}
