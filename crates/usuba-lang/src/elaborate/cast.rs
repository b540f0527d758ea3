//! Casts between bytes, bits and words, padding, and public numbers as words.

use super::constants::has_untyped;
use super::node::{Body, Value};
use super::types::{Direction, MAX_WORDS, Width, Word};
use super::{messages, statics};
use crate::ast::{self, Cast};
use crate::source::Span;
use crate::typed::{Constant, Expression, ExpressionKind};

/// Which byte of a word, or which bit of a byte, comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Endianness {
    /// The most significant.
    Big,
    /// The least significant.
    Little,
}

impl<'p> Body<'p, '_> {
    /// A cast, or the call of a definition of that name.
    pub(super) fn cast(&mut self, cast: &ast::Cast, expected: Option<&[Word]>, span: Span) -> Option<Value> {
        if self.session.definitions.contains_key(cast.name.text.as_str()) {
            return self.call(&cast.name, None, &cast.arguments, expected, span);
        }
        let value = match cast.name.text.as_str() {
            "Word" => self.number_as_word(cast, span),
            "Pad" => self.pad(cast, span),
            "Zero" => self.zero_pad(cast, span),
            _ => self.regrouped(cast, span),
        }?;
        self.selected(value, cast, span)
    }

    /// What stands before the type and the order: the arguments that are expressions.
    fn operand(&mut self, cast: &Cast) -> Option<Value> {
        let first = cast.arguments.first()?;
        if has_untyped(first) {
            self.report_here(messages::untyped_constant(first.span));
            return None;
        }
        self.expression(first, None)
    }

    /// `Bits`, `Bytes`, `Words`.
    fn regrouped(&mut self, cast: &Cast, span: Span) -> Option<Value> {
        let written = match cast.arguments.as_slice() {
            [_] => None,
            [_, order] => match order_of(order) {
                Some(order) => Some(order),
                None => {
                    self.report_here(messages::byte_order(order.span));
                    return None;
                }
            },
            _ => {
                self.report_here(messages::cast_arguments(&cast.name, span));
                return None;
            }
        };
        let value = self.operand(cast)?;
        let target = self.cast_width(cast, span)?;
        let mut widths = Vec::with_capacity(value.words.len());
        for word in &value.words {
            match self.unifier.width(word.width).bits() {
                Some(bits) => widths.push(bits),
                None => {
                    self.report_here(messages::cast_of_open_size(span));
                    return None;
                }
            }
        }
        let total: u64 = widths.iter().map(|&bits| u64::from(bits)).sum();
        let source = widths.first().copied().unwrap_or(target);
        if widths.iter().any(|&bits| bits != source) {
            let words = self.describe(&value.words);
            self.report_here(messages::cast_of_unequal_words(span, &words));
            return None;
        }
        if !total.is_multiple_of(u64::from(target)) {
            let words = self.describe(&value.words);
            self.report_here(messages::cast_does_not_fit(&cast.name, span, &words, target));
            return None;
        }
        // The widest of the two says what order there is to choose.
        let unit = source.max(target);
        let order = match (written, source == target) {
            (_, true) => Endianness::Big,
            (Some(order), false) => order,
            (None, false) if unit <= 8 => Endianness::Big,
            (None, false) => {
                self.report_here(messages::missing_order(&cast.name, span));
                return None;
            }
        };
        let direction = match value.words.first() {
            Some(word) if target > 1 && source > 1 => word.direction,
            _ => self.unifier.fresh_direction(),
        };
        self.regroup(value, (source, target), order, direction, span)
    }

    /// Words of one size as words of another. Little-endian, the pieces of each of the wider words are reversed.
    fn regroup(
        &mut self,
        value: Value,
        (source, target): (u32, u32),
        order: Endianness,
        direction: Direction,
        span: Span,
    ) -> Option<Value> {
        let count = value.words.len() as u64 * u64::from(source) / u64::from(target);
        let word = Word { width: Width::Bits(target), direction };
        let words = vec![word; count as usize];
        self.charge(value.words.len() + words.len())?;
        if source == target {
            return Some(Value { expression: value.expression, words });
        }
        // A piece is a bit if one side is bits, else a byte.
        let piece = if source.min(target) == 1 { 1 } else { 8 };
        let wide = source.max(target);
        if wide % piece != 0 || (order == Endianness::Little && piece == 1 && wide > 8) {
            self.report_here(messages::little_bits(span, wide));
            return None;
        }
        let pieces = value.words.len() as u64 * u64::from(source) / u64::from(piece);
        let mut expression = self.regrouped_atoms(value.expression, source, piece, span);
        if order == Endianness::Little {
            let group = wide / piece;
            let sources: Vec<Option<u32>> =
                (0..pieces as u32).map(|i| Some(i / group * group + (group - 1 - i % group))).collect();
            let sources = if self.bits() { spread(&sources, piece) } else { sources };
            expression =
                Expression { kind: ExpressionKind::Gather { sources, value: Box::new(expression) }, span };
        }
        let expression = self.regrouped_atoms(expression, piece, target, span);
        Some(Value { expression, words })
    }

    /// Where atoms are bits words are their bits already.
    fn regrouped_atoms(&self, value: Expression, from: u32, to: u32, span: Span) -> Expression {
        if self.bits() || from == to {
            return value;
        }
        Expression { kind: ExpressionKind::Regroup { width: to, value: Box::new(value) }, span }
    }

    /// The size of the words that a cast makes.
    fn cast_width(&mut self, cast: &Cast, span: Span) -> Option<u32> {
        let fixed = match cast.name.text.as_str() {
            "Bits" => Some(1),
            "Bytes" => Some(8),
            _ => None,
        };
        let annotated = match &cast.ty {
            None => None,
            Some(ty) => match self.annotation(ty)?.as_slice() {
                [word] => self.unifier.width(word.width).bits(),
                _ => None,
            },
        };
        match (fixed, annotated, &cast.ty) {
            (Some(width), _, None) => Some(width),
            (None, Some(width), Some(_)) => Some(width),
            _ => {
                self.report_here(messages::cast_type(&cast.name, span));
                None
            }
        }
    }

    /// `Word(n):u64`.
    fn number_as_word(&mut self, cast: &Cast, span: Span) -> Option<Value> {
        let [argument] = cast.arguments.as_slice() else {
            self.report_here(messages::cast_arguments(&cast.name, span));
            return None;
        };
        let width = self.cast_width(cast, span)?;
        let number = self.public_number(argument)?;
        let fits = u128::try_from(number).ok().filter(|&n| width >= 128 || n >> width == 0);
        let Some(value) = fits else {
            self.report_here(messages::number_does_not_fit(argument.span, number, width));
            return None;
        };
        let direction = self.unifier.fresh_direction();
        let kind = self.constant_atoms(value, width);
        let words = vec![Word { width: Width::Bits(width), direction }];
        Some(Value { expression: Expression { kind, span }, words })
    }

    /// The value of an argument that must be a public number.
    fn public_number(&mut self, argument: &ast::Expression) -> Option<i64> {
        match statics::of_expression(argument) {
            Some(number) => self.static_value(&number),
            None => {
                self.report_here(messages::not_public(argument.span));
                None
            }
        }
    }

    /// `Pad(x, r, first)`, `Pad(x, r, first, last)`: at least one byte more, to whole blocks of r bytes.
    fn pad(&mut self, cast: &Cast, span: Span) -> Option<Value> {
        let [_, block, first, last @ ..] = cast.arguments.as_slice() else {
            self.report_here(messages::cast_arguments(&cast.name, span));
            return None;
        };
        let value = self.bytes(cast)?;
        let block = self.block_size(block)?;
        let mut number = |argument: &ast::Expression| {
            let number = self.public_number(argument)?;
            let byte = u8::try_from(number).ok();
            if byte.is_none() {
                self.report_here(messages::number_does_not_fit(argument.span, number, 8));
            }
            byte
        };
        let first = number(first)?;
        let last = match last {
            [] => 0,
            [last] => number(last)?,
            _ => {
                self.report_here(messages::cast_arguments(&cast.name, span));
                return None;
            }
        };
        let added = block - value.words.len() as u64 % block;
        let mut bytes = vec![0u8; added as usize];
        if let Some(byte) = bytes.first_mut() {
            *byte |= first;
        }
        if let Some(byte) = bytes.last_mut() {
            *byte |= last;
        }
        self.appended(value, &bytes, span)
    }

    /// `Zero(x, r)`: as few zeros as make whole blocks of r bytes.
    fn zero_pad(&mut self, cast: &Cast, span: Span) -> Option<Value> {
        let [_, block] = cast.arguments.as_slice() else {
            self.report_here(messages::cast_arguments(&cast.name, span));
            return None;
        };
        let value = self.bytes(cast)?;
        let block = self.block_size(block)?;
        let added = (block - value.words.len() as u64 % block) % block;
        self.appended(value, &vec![0; added as usize], span)
    }

    fn block_size(&mut self, written: &ast::Expression) -> Option<u64> {
        let number = self.public_number(written)?;
        let size = u64::try_from(number).ok().filter(|&size| 0 < size && size <= MAX_WORDS);
        if size.is_none() {
            self.report_here(messages::block_size(written.span, number));
        }
        size
    }

    /// The first argument, which must be bytes.
    fn bytes(&mut self, cast: &Cast) -> Option<Value> {
        let value = self.operand(cast)?;
        if value.words.iter().any(|word| self.unifier.width(word.width).bits() != Some(8)) {
            let words = self.describe(&value.words);
            let place = cast.arguments.first().map_or(cast.name.span, |argument| argument.span);
            self.report_here(messages::padding_of_words(&cast.name, place, &words));
            return None;
        }
        Some(value)
    }

    fn appended(&mut self, value: Value, bytes: &[u8], span: Span) -> Option<Value> {
        self.charge(bytes.len())?;
        let direction = match value.words.first() {
            Some(word) => word.direction,
            None => self.unifier.fresh_direction(),
        };
        let word = Word { width: Width::Bits(8), direction };
        let constants = if self.bits() {
            bytes.iter().flat_map(|&byte| super::constants::bits_of(byte.into(), 8)).collect()
        } else {
            bytes.iter().map(|&byte| Constant { value: byte.into(), width: 8 }).collect()
        };
        let padding = Expression { kind: ExpressionKind::Constants(constants), span };
        let mut words = value.words;
        words.extend(std::iter::repeat_n(word, bytes.len()));
        let kind = ExpressionKind::Tuple(vec![value.expression, padding]);
        Some(Value { expression: Expression { kind, span }, words })
    }

    /// As many zeros as words.
    pub(super) fn zeros(&mut self, words: &[Word], span: Span) -> Option<Value> {
        self.charge(words.len())?;
        let mut constants = Vec::with_capacity(words.len());
        for word in words {
            let width = match self.unifier.width(word.width).bits() {
                Some(width) => width,
                None if self.session.generic || self.inferring => 1,
                None => {
                    self.report_here(messages::untyped_constant(span));
                    return None;
                }
            };
            if self.bits() {
                constants.extend(super::constants::bits_of(0, width));
            } else {
                constants.push(Constant { value: 0, width });
            }
        }
        let expression = Expression { kind: ExpressionKind::Constants(constants), span };
        Some(Value { expression, words: words.to_vec() })
    }

    /// What the brackets behind a cast select of its words, which are one array.
    fn selected(&mut self, value: Value, cast: &Cast, span: Span) -> Option<Value> {
        if cast.selections.is_empty() {
            return Some(value);
        }
        let dimension = u32::try_from(value.words.len()).ok()?;
        let (positions, _) = self.positions(&cast.selections, &[dimension], &cast.name)?;
        let words: Vec<Word> =
            positions.iter().filter_map(|&position| value.words.get(position as usize)).copied().collect();
        let sources: Vec<Option<u32>> = positions.into_iter().map(Some).collect();
        let width = value.words.first().and_then(|word| self.unifier.width(word.width).bits()).unwrap_or(1);
        let sources = if self.bits() { spread(&sources, width) } else { sources };
        let kind = ExpressionKind::Gather { sources, value: Box::new(value.expression) };
        Some(Value { expression: Expression { kind, span }, words })
    }
}

/// Sources among words of `width` bits as sources among bits.
fn spread(sources: &[Option<u32>], width: u32) -> Vec<Option<u32>> {
    let bits = |source: &Option<u32>| {
        let first = source.map(|source| source * width);
        (0..width).map(move |bit| first.map(|first| first + bit))
    };
    sources.iter().flat_map(bits).collect()
}

/// `big` or `little`.
fn order_of(e: &ast::Expression) -> Option<Endianness> {
    match &e.kind {
        ast::ExpressionKind::Reference(reference) if reference.selections.is_empty() => {
            match reference.name.text.as_str() {
                "big" => Some(Endianness::Big),
                "little" => Some(Endianness::Little),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an argument of a cast is an order, not an expression.
pub(super) fn is_order(cast: &Cast, position: usize) -> bool {
    position == 1
        && matches!(cast.name.text.as_str(), "Bits" | "Bytes" | "Words")
        && cast.arguments.get(position).and_then(order_of).is_some()
}
