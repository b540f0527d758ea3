//! Expressions: from the tree to lists of atoms with types.

use super::constants::{bits_of, has_untyped};
use super::messages;
use super::node::{Body, Value};
use super::public::WordConstant;
use super::statics::mentions_name;
use super::types::{Direction, Disagreement, MAX_WORD, Width, Word};
use crate::ast::{self, BinaryOp, Integer, ShiftOp, Static};
use crate::source::Span;
use crate::typed::{ArithmeticOp, Constant, Expression, ExpressionKind, LogicOp, Slot};
use std::ops::RangeInclusive;

/// The word sizes that have arithmetic: those that fit a lane of a register, which may be wider.
const ARITHMETIC: RangeInclusive<u32> = 2..=64;

impl<'p> Body<'p, '_> {
    /// Elaborates an expression. `expected`, where known, types untyped constants and whatever else is open; that the
    /// result has that type is for the caller to check. `None` if something is wrong, which has then been reported.
    pub(super) fn expression(&mut self, e: &ast::Expression, expected: Option<&[Word]>) -> Option<Value> {
        if self.session.exhausted {
            return None;
        }
        match &e.kind {
            ast::ExpressionKind::Error => {
                // Reported by the parser; the number of failures must still grow.
                self.session.report.note_failure();
                None
            }
            ast::ExpressionKind::Constant(integer, None) => self.untyped_constant(integer, expected, e.span),
            ast::ExpressionKind::Constant(integer, Some(ty)) => self.typed_constant(integer, ty, e.span),
            ast::ExpressionKind::Reference(reference) => self.reference(reference, e.span),
            ast::ExpressionKind::Tuple(parts) => {
                let parts: Vec<&ast::Expression> = parts.iter().collect();
                self.tuple(&parts, expected, e.span)
            }
            ast::ExpressionKind::Not(operand) => {
                let value = self.expression(operand, expected)?;
                let kind = ExpressionKind::Not(Box::new(value.expression));
                Some(Value { expression: Expression { kind, span: e.span }, words: value.words })
            }
            ast::ExpressionKind::Binary(..) => self.binary(e, expected),
            ast::ExpressionKind::Shift(op, operand, amount) => {
                let value = self.expression(operand, expected);
                let amount = self.static_value(amount).map(|value| (value, amount));
                let (value, (amount, written)) = (value?, amount?);
                self.shift(*op, value, amount, written, e.span)
            }
            ast::ExpressionKind::Shuffle(reference, pattern) => self.shuffle(reference, pattern, e.span),
            ast::ExpressionKind::Bitmask(operand, bit) => self.bitmask(operand, bit, expected, e.span),
            ast::ExpressionKind::Pack(high, low, ty) => self.pack(high, low, ty.as_ref(), expected, e.span),
            ast::ExpressionKind::Call { callee, element, arguments } => {
                self.call(callee, element.as_ref(), arguments, expected, e.span)
            }
            ast::ExpressionKind::Concatenate(parts) => {
                let parts: Vec<&ast::Expression> = parts.iter().collect();
                self.tuple(&parts, expected, e.span)
            }
            ast::ExpressionKind::Cast(cast) => self.cast(cast, expected, e.span),
        }
    }

    fn reference(&mut self, reference: &ast::Reference, span: Span) -> Option<Value> {
        let name = reference.name.text.as_str();
        if self.binding(name).is_none()
            && self.nat(name).is_none()
            && let Some(constant) = self.session.constants.words.get(name).cloned()
        {
            return self.word_constant(reference, &constant, span);
        }
        let selected = self.select(reference)?;
        let uses = selected
            .atoms
            .iter()
            .map(|&atom| self.ledger.read(Slot { variable: selected.variable, atom }, span))
            .collect();
        let expression = Expression { kind: ExpressionKind::Atoms(uses), span };
        Some(Value { expression, words: selected.words })
    }

    /// Words of a constant of the program.
    fn word_constant(
        &mut self,
        reference: &ast::Reference,
        constant: &WordConstant,
        span: Span,
    ) -> Option<Value> {
        let (positions, rest) =
            self.positions(&reference.selections, &constant.dimensions, &reference.name)?;
        let each: u32 = rest.iter().product();
        let direction = self.unifier.fresh_direction();
        let word = Word { width: Width::Bits(constant.width), direction };
        let chosen: Vec<u128> = positions
            .iter()
            .flat_map(|&position| position * each..(position + 1) * each)
            .filter_map(|place| constant.values.get(place as usize).copied())
            .collect();
        self.charge(chosen.len())?;
        let words = vec![word; chosen.len()];
        let atoms = if self.bits() {
            chosen.into_iter().flat_map(|value| bits_of(value, constant.width)).collect()
        } else {
            chosen.into_iter().map(|value| Constant { value, width: constant.width }).collect()
        };
        Some(Value { expression: Expression { kind: ExpressionKind::Constants(atoms), span }, words })
    }

    /// A chain of binary operators. Chains lean to the left and may be long, so the left spine is walked, not recursed.
    /// Untyped constants take their type from the first operand that has one by itself.
    fn binary(&mut self, e: &ast::Expression, expected: Option<&[Word]>) -> Option<Value> {
        let mut links = Vec::new();
        let mut first = e;
        while let ast::ExpressionKind::Binary(op, left, right) = &first.kind {
            links.push((*op, right.as_ref(), first.span));
            first = left;
        }
        links.reverse();
        let operands: Vec<&ast::Expression> =
            std::iter::once(first).chain(links.iter().map(|(_, right, _)| *right)).collect();
        let mut values: Vec<Option<Value>> = Vec::new();
        values.resize_with(operands.len(), || None);
        let mut failed = false;
        let mut model: Option<Vec<Word>> = None;
        // Those that need no help first, in order; then the rest.
        for untyped in [false, true] {
            for (operand, slot) in operands.iter().zip(&mut values) {
                if has_untyped(operand) != untyped {
                    continue;
                }
                let hint = if untyped { model.as_deref().or(expected) } else { expected };
                let value = self.expression(operand, hint);
                match &value {
                    Some(value) => {
                        model.get_or_insert_with(|| value.words.clone());
                    }
                    None => failed = true,
                }
                *slot = value;
            }
        }
        if failed {
            return None;
        }
        let mut values = values.into_iter().flatten();
        let mut result = values.next()?;
        for ((op, _, span), right) in links.into_iter().zip(values) {
            result = self.combine(op, result, right, span)?;
        }
        Some(result)
    }

    /// `left op right`.
    pub(super) fn combine(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        if let Err(disagreement) = self.agree(&left.words, &right.words) {
            let (l, r) = self.describe_both(&left.words, &right.words, disagreement);
            let places = (left.expression.span, right.expression.span);
            self.report_here(messages::operands_differ(op, span, places, &l, &r, disagreement));
            return None;
        }
        let logic = match op {
            BinaryOp::And => LogicOp::And,
            BinaryOp::Or => LogicOp::Or,
            BinaryOp::Xor => LogicOp::Xor,
            BinaryOp::Add => return self.arithmetic(ArithmeticOp::Add, op, left, right, span),
            BinaryOp::Subtract => return self.arithmetic(ArithmeticOp::Subtract, op, left, right, span),
            BinaryOp::Multiply => return self.arithmetic(ArithmeticOp::Multiply, op, left, right, span),
            BinaryOp::Divide | BinaryOp::Modulo => {
                self.report_here(messages::division_of_words(op, span));
                return None;
            }
        };
        let kind = ExpressionKind::Logic(logic, Box::new(left.expression), Box::new(right.expression));
        Some(Value { expression: Expression { kind, span }, words: left.words })
    }

    fn arithmetic(
        &mut self,
        arithmetic: ArithmeticOp,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
    ) -> Option<Value> {
        let mut width = None;
        for (l, r) in left.words.iter().zip(&right.words) {
            let word = self.unifier.word(*l);
            let Some(bits) = word.width.bits() else { continue };
            let other = self.unifier.width(r.width).bits();
            if !ARITHMETIC.contains(&bits) || other != Some(bits) || width.is_some_and(|w| w != bits) {
                let words = self.describe(&left.words);
                self.report_here(messages::arithmetic_width(op, span, &words));
                return None;
            }
            if word.direction == Direction::H && !self.bits() {
                self.report_here(messages::arithmetic_horizontal(op, span));
                return None;
            }
            width = Some(bits);
        }
        if left.words.len() != right.words.len() {
            let (l, r) = (self.describe(&left.words), self.describe(&right.words));
            let places = (left.expression.span, right.expression.span);
            let differ = messages::operands_differ(op, span, places, &l, &r, Disagreement::Length);
            self.report_here(differ);
            return None;
        }
        if self.bits() && !self.session.bitslice_arithmetic {
            self.report_here(messages::arithmetic_bitsliced(op, span));
            return None;
        }
        let kind = ExpressionKind::Arithmetic {
            op: arithmetic,
            width: width.unwrap_or(0),
            left: Box::new(left.expression),
            right: Box::new(right.expression),
        };
        Some(Value { expression: Expression { kind, span }, words: left.words })
    }

    /// Shifts bits if the value is one word of the source, and words if it is several.
    fn shift(
        &mut self,
        op: ShiftOp,
        value: Value,
        amount: i64,
        written: &Static,
        span: Span,
    ) -> Option<Value> {
        let note = self.iteration_of(written);
        if amount < 0 {
            self.report(messages::negative_shift(written.span, amount), note);
            return None;
        }
        let rotation = matches!(op, ShiftOp::RotateLeft | ShiftOp::RotateRight);
        let one_word = value.words.len() == 1;
        let size = match value.words.as_slice() {
            [] => return Some(value),
            [word] => self.unifier.width(word.width).bits().map(u64::from),
            words => Some(words.len() as u64),
        };
        // A size that is still open in generic checking: nothing more can be said.
        let Some(size) = size else { return Some(value) };
        let big = amount.unsigned_abs() >= size;
        if big && rotation {
            let varies = mentions_name(written);
            self.report(messages::big_rotation(written.span, amount, size, one_word, varies), note);
        } else if big {
            self.report(
                messages::big_shift(written.span, amount, size, one_word, op == ShiftOp::RightArithmetic),
                note,
            );
        }
        let amount = if rotation { amount.unsigned_abs() % size } else { amount.unsigned_abs().min(size) };
        if one_word {
            self.shift_bits(op, value, amount as u32, size as u32, span)
        } else {
            self.shift_words(op, value, amount as u32, written, span)
        }
    }

    fn shift_bits(
        &mut self,
        op: ShiftOp,
        value: Value,
        amount: u32,
        width: u32,
        span: Span,
    ) -> Option<Value> {
        let words = value.words;
        let value = Box::new(value.expression);
        let gone = amount >= width;
        let kind = match op {
            ShiftOp::Left | ShiftOp::Right if gone => self.constant_atoms(0, width),
            _ if self.bits() => ExpressionKind::Gather { sources: shifted(op, amount, width), value },
            ShiftOp::RightArithmetic => ExpressionKind::Shift { op, amount: amount.min(width - 1), value },
            _ => ExpressionKind::Shift { op, amount, value },
        };
        Some(Value { expression: Expression { kind, span }, words })
    }

    fn shift_words(
        &mut self,
        op: ShiftOp,
        value: Value,
        amount: u32,
        written: &Static,
        span: Span,
    ) -> Option<Value> {
        if op == ShiftOp::RightArithmetic {
            self.report_here(messages::arithmetic_shift_of_words(span, value.words.len()));
            return None;
        }
        let count = value.words.len() as u32;
        let sources = shifted(op, amount, count);
        let model = *value.words.first()?;
        if sources.contains(&None) {
            // A zero needs a size, which must be that of all words.
            let alike: Result<(), _> =
                value.words.iter().try_for_each(|&w| self.unifier.unify_word(model, w));
            if alike.is_err() {
                let words = self.describe(&value.words);
                self.report_here(messages::shift_of_unequal_words(written.span, &words));
                return None;
            }
        }
        let words: Vec<Word> = sources
            .iter()
            .map(|source| source.and_then(|s| value.words.get(s as usize)).copied().unwrap_or(model))
            .collect();
        let sources = if self.bits() { self.spread(&sources, &value.words)? } else { sources };
        let kind = ExpressionKind::Gather { sources, value: Box::new(value.expression) };
        Some(Value { expression: Expression { kind, span }, words })
    }

    /// Sources among words as sources among the bits of these words. A missing word has the size of the first.
    fn spread(&self, sources: &[Option<u32>], words: &[Word]) -> Option<Vec<Option<u32>>> {
        let mut starts = Vec::with_capacity(words.len());
        let mut next = 0u32;
        for word in words {
            let bits = word.width.bits()?;
            starts.push((next, bits));
            next = next.checked_add(bits)?;
        }
        let (_, model) = *starts.first()?;
        let mut spread = Vec::with_capacity(next as usize);
        for source in sources {
            match source.and_then(|s| starts.get(s as usize)) {
                Some(&(start, bits)) => spread.extend((start..start + bits).map(Some)),
                None => spread.extend((0..model).map(|_| None)),
            }
        }
        Some(spread)
    }

    fn shuffle(&mut self, reference: &ast::Reference, pattern: &[Integer], span: Span) -> Option<Value> {
        let selected = self.select(reference)?;
        let length = pattern.len() as u32;
        let mut entries = Vec::with_capacity(pattern.len());
        for entry in pattern {
            match u32::try_from(&entry.value) {
                Ok(value) if value < length => entries.push(value),
                _ => self.report_here(messages::shuffle_entry(entry, length)),
            }
        }
        if entries.len() < pattern.len() || length == 0 {
            return None;
        }
        // Words of one size at a time: a pattern has as many entries as its atoms have bits.
        let mut parts: Vec<Expression> = Vec::new();
        let mut offset = 0usize;
        let words = selected.words.clone();
        for run in words.chunk_by(|a, b| a.width == b.width) {
            let width = run.first().map(|word| self.unifier.width(word.width));
            let Some(bits) = width.and_then(Width::bits) else {
                return self.reference(reference, span);
            };
            if bits % length != 0 {
                let declared = self.describe(run);
                self.report_here(messages::shuffle_length(span, length, &declared));
                return None;
            }
            let group = bits / length;
            let full: Vec<u32> =
                entries.iter().flat_map(|&entry| entry * group..(entry + 1) * group).collect();
            let atoms = if self.bits() { run.len() * bits as usize } else { run.len() };
            let uses = selected.atoms.iter().skip(offset).take(atoms);
            let uses = uses
                .map(|&atom| self.ledger.read(Slot { variable: selected.variable, atom }, span))
                .collect();
            offset += atoms;
            let value = Box::new(Expression { kind: ExpressionKind::Atoms(uses), span });
            let kind = if self.bits() {
                let sources = (0..run.len() as u32)
                    .flat_map(|word| full.iter().map(move |&bit| Some(word * bits + bit)))
                    .collect();
                ExpressionKind::Gather { sources, value }
            } else {
                ExpressionKind::Shuffle { pattern: full, value }
            };
            parts.push(Expression { kind, span });
        }
        let expression = if parts.len() == 1 {
            parts.pop()?
        } else {
            Expression { kind: ExpressionKind::Tuple(parts), span }
        };
        Some(Value { expression, words })
    }

    fn bitmask(
        &mut self,
        operand: &ast::Expression,
        bit: &Static,
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Value> {
        let value = self.expression(operand, expected);
        let position = self.static_value(bit);
        let (value, position) = (value?, position?);
        let [word] = value.words.as_slice() else {
            let words = self.describe(&value.words);
            self.report_here(messages::one_word_wanted("Bitmask", operand.span, &words));
            return None;
        };
        let Some(width) = self.unifier.width(word.width).bits() else { return Some(value) };
        let Some(position) = u32::try_from(position).ok().filter(|&p| p < width) else {
            let note = self.iteration_of(bit);
            self.report(messages::bitmask_range(bit.span, position, width), note);
            return None;
        };
        let operand = Box::new(value.expression);
        let kind = if self.bits() {
            ExpressionKind::Gather {
                sources: vec![Some(width - 1 - position); width as usize],
                value: operand,
            }
        } else {
            ExpressionKind::Bitmask { bit: position, value: operand }
        };
        Some(Value { expression: Expression { kind, span }, words: value.words })
    }

    fn pack(
        &mut self,
        high: &ast::Expression,
        low: &ast::Expression,
        ty: Option<&ast::Type>,
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Value> {
        let annotated = match ty {
            Some(ty) => {
                let words = self.annotation(ty)?;
                let [word] = words.as_slice() else {
                    let words = self.describe(&words);
                    self.report_here(messages::one_word_wanted("Pack", ty.span, &words));
                    return None;
                };
                Some(*word)
            }
            None => None,
        };
        let hoped = annotated.or(match expected {
            Some([word]) => Some(*word),
            _ => None,
        });
        let half = hoped.and_then(|word| {
            let bits = self.unifier.width(word.width).bits()?;
            (bits % 2 == 0).then_some(Word { width: Width::Bits(bits / 2), direction: word.direction })
        });
        let (h, l) = if has_untyped(high) && !has_untyped(low) {
            let l = self.expression(low, None);
            let h = match &l {
                Some(l) => self.expression(high, Some(&l.words)),
                None => None,
            };
            (h?, l?)
        } else {
            let h = self.expression(high, half.as_ref().map(std::slice::from_ref))?;
            let l = self.expression(low, Some(&h.words))?;
            (h, l)
        };
        for (value, operand) in [(&h, high), (&l, low)] {
            if value.words.len() != 1 {
                let words = self.describe(&value.words);
                self.report_here(messages::one_word_wanted("Pack", operand.span, &words));
                return None;
            }
        }
        let (Some(&hw), Some(&lw)) = (h.words.first(), l.words.first()) else { return None };
        if self.unifier.unify_word(hw, lw).is_err() && !self.bits()
            || self.bits() && hw.width.bits() != lw.width.bits()
        {
            let (left, right) = (self.describe(&h.words), self.describe(&l.words));
            self.report_here(messages::pack_halves(span, &left, &right));
            return None;
        }
        let direction = annotated.map_or(hw.direction, |word| word.direction);
        let width = match self.unifier.width(hw.width).bits() {
            Some(bits) if bits * 2 > MAX_WORD => {
                self.report_here(messages::word_too_wide(span, bits * 2, MAX_WORD));
                return None;
            }
            Some(bits) => Width::Bits(bits * 2),
            None => annotated.map_or_else(|| self.unifier.fresh_width(), |word| word.width),
        };
        let word = Word { width, direction };
        if let Some(annotated) = annotated {
            let fits = self.unifier.unify_width(annotated.width, width)
                && (self.bits() || self.unifier.unify_word(annotated, hw_direction(hw, annotated)).is_ok());
            if !fits {
                let (left, right) = (self.describe(&[annotated]), self.describe(&[word]));
                self.report_here(messages::pack_annotation(span, &left, &right));
                return None;
            }
        }
        let kind = if self.bits() {
            ExpressionKind::Tuple(vec![h.expression, l.expression])
        } else {
            ExpressionKind::Pack { high: Box::new(h.expression), low: Box::new(l.expression) }
        };
        Some(Value { expression: Expression { kind, span }, words: vec![word] })
    }

    /// A constant of `width` bits as atoms.
    pub(super) fn constant_atoms(&self, value: u128, width: u32) -> ExpressionKind {
        if self.bits() {
            ExpressionKind::Constants(bits_of(value, width))
        } else {
            ExpressionKind::Constants(vec![Constant { value, width }])
        }
    }
}

/// `annotated` with the direction of the operand, to compare directions only.
fn hw_direction(operand: Word, annotated: Word) -> Word {
    Word { width: annotated.width, direction: operand.direction }
}

/// Where each of `count` items comes from after a shift: index 0 is the most significant.
fn shifted(op: ShiftOp, amount: u32, count: u32) -> Vec<Option<u32>> {
    (0..count)
        .map(|i| match op {
            ShiftOp::Left => i.checked_add(amount).filter(|&source| source < count),
            ShiftOp::Right => i.checked_sub(amount),
            ShiftOp::RightArithmetic => Some(i.saturating_sub(amount)),
            ShiftOp::RotateLeft => Some((i + amount) % count),
            ShiftOp::RotateRight => Some((i + count - amount) % count),
        })
        .collect()
}
