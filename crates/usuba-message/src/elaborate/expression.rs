//! Expressions.

use super::declare::{dimensions, literal, words_type};
use super::value::{Block, Strings, Value, cast};
use super::{Elaborator, Result, Scope, messages};
use crate::form::{ByteOperation, Order, Piece, Source, Text, VariableId, Window, Words, length};
use crate::number::Number;
use usuba_lang::ast::{
    self, BinaryOp, Cast, Expression, ExpressionKind, Reference, Selection, Static, StaticKind,
};
use usuba_lang::source::Span;

impl<'p> Elaborator<'p> {
    /// The value of an expression.
    pub(super) fn expression(&mut self, scope: &Scope, e: &'p Expression) -> Result<Value> {
        let span = e.span;
        let made =
            |kind, words| Value::block(Expression { kind, span, parenthesised: e.parenthesised }, words);
        Ok(match &e.kind {
            ExpressionKind::Constant(integer, ty) => {
                let (ty, words) = match ty {
                    None => (None, None),
                    Some(ty) => {
                        let (ty, words, _) = self.read_type(scope, ty)?;
                        (Some(ty), Some(words))
                    }
                };
                made(ExpressionKind::Constant(integer.clone(), ty), words)
            }
            ExpressionKind::Reference(reference) => self.reference(scope, reference)?,
            ExpressionKind::Tuple(parts) | ExpressionKind::Concatenate(parts) => {
                return self.concatenation(scope, parts, e);
            }
            ExpressionKind::Not(operand) => match self.expression(scope, operand)? {
                Value::Block(block) => made(ExpressionKind::Not(Box::new(block.expression)), block.words),
                Value::String(strings) => map(ByteOperation::Not, vec![strings.text]),
            },
            ExpressionKind::Binary(op, left, right) => return self.binary(scope, *op, left, right, e),
            ExpressionKind::Shift(op, operand, amount) => {
                let amount = literal(self.constant(scope, amount)?, amount.span);
                let value = self.expression(scope, operand)?;
                let block = self.block(value, operand.span)?;
                made(ExpressionKind::Shift(*op, Box::new(block.expression), amount), block.words)
            }
            ExpressionKind::Shuffle(reference, pattern) => {
                let value = self.reference(scope, reference)?;
                let block = self.block(value, reference.span)?;
                let ExpressionKind::Reference(inner) = block.expression.kind else {
                    return Err(messages::unsupported("a shuffle of this", span));
                };
                made(ExpressionKind::Shuffle(inner, pattern.clone()), block.words)
            }
            ExpressionKind::Bitmask(operand, bit) => {
                let bit = literal(self.constant(scope, bit)?, bit.span);
                let value = self.expression(scope, operand)?;
                let block = self.block(value, operand.span)?;
                made(ExpressionKind::Bitmask(Box::new(block.expression), bit), block.words)
            }
            ExpressionKind::Pack(high, low, ty) => {
                let (high, low) = (self.expression(scope, high)?, self.expression(scope, low)?);
                let (high, low) = (self.block(high, span)?, self.block(low, span)?);
                let words = match ty {
                    Some(ty) => Some(self.words(ty)?),
                    None => low.words.map(|words| Words { width: 2 * words.width, ..words }),
                };
                let (high, low) = (Box::new(high.expression), Box::new(low.expression));
                made(ExpressionKind::Pack(high, low, ty.clone()), words)
            }
            ExpressionKind::Call { callee, element, arguments } => {
                return self.call(scope, callee, element.as_ref(), arguments, span);
            }
            ExpressionKind::Cast(cast) => {
                let is_node = self.program.definitions.iter().any(|node| node.name.text == cast.name.text);
                if is_node {
                    return self.call(scope, &cast.name, None, &cast.arguments, span);
                }
                return self.cast(scope, cast, span);
            }
            ExpressionKind::Error => return Err(messages::unsupported("what could not be read", span)),
        })
    }

    fn binary(
        &mut self,
        scope: &Scope,
        op: BinaryOp,
        left: &'p Expression,
        right: &'p Expression,
        e: &Expression,
    ) -> Result<Value> {
        let (one, two) = (self.expression(scope, left)?, self.expression(scope, right)?);
        let operation = match op {
            BinaryOp::And => Some(ByteOperation::And),
            BinaryOp::Or => Some(ByteOperation::Or),
            BinaryOp::Xor => Some(ByteOperation::Xor),
            _ => None,
        };
        let is_open = |value: &Value| match value {
            Value::Block(_) => false,
            Value::String(strings) => self.known(&length(&strings.text)).is_none(),
        };
        if let Some(operation) = operation
            && (is_open(&one) || is_open(&two))
        {
            let order = |value: &Value| match value {
                Value::String(strings) => strings.words.and_then(|(_, order)| order),
                Value::Block(_) => None,
            };
            let words = match (&one, &two) {
                (Value::String(strings), _) | (_, Value::String(strings)) => strings.words,
                _ => None,
            };
            let order = order(&one).or(order(&two));
            let (one, two) = (self.text(one, order, left.span)?, self.text(two, order, right.span)?);
            self.equal(&length(&one), &length(&two), e.span)?;
            let Value::String(strings) = map(operation, vec![one, two]) else {
                return Err(messages::unsupported("this", e.span));
            };
            return Ok(Value::String(Strings { words, ..strings }));
        }
        let (one, two) = (self.block(one, left.span)?, self.block(two, right.span)?);
        let words = one.words.or(two.words);
        let kind = ExpressionKind::Binary(op, Box::new(one.expression), Box::new(two.expression));
        Ok(Value::block(Expression { kind, span: e.span, parenthesised: e.parenthesised }, words))
    }

    /// `a ++ b`, `(a, b)`: a string if one of them is.
    fn concatenation(&mut self, scope: &Scope, parts: &'p [Expression], e: &Expression) -> Result<Value> {
        let values = parts.iter().map(|part| self.expression(scope, part)).collect::<Result<Vec<Value>>>()?;
        let is_string = values.iter().any(|value| matches!(value, Value::String(_)));
        if is_string {
            let words = values.iter().find_map(|value| match value {
                Value::String(strings) => Some(strings.words),
                Value::Block(_) => None,
            });
            let words = words.flatten();
            let order = words.and_then(|(_, order)| order);
            let mut text = Text::new();
            for (value, part) in values.into_iter().zip(parts) {
                text.extend(self.text(value, order, part.span)?);
            }
            text.retain(|piece| self.known(&piece.length()) != Some(0));
            return Ok(Value::String(Strings { text, words }));
        }
        let mut words: Option<Words> = None;
        let mut is_open = false;
        let mut blocks = Vec::new();
        for (value, part) in values.into_iter().zip(parts) {
            let block = self.block(value, part.span)?;
            match (block.words, words) {
                (Some(one), None) => words = Some(one),
                (Some(one), Some(sum)) if one.width == sum.width => {
                    words = Some(Words { count: sum.count + one.count, ..sum });
                }
                _ => is_open = true,
            }
            blocks.push(block.expression);
        }
        let kind = match e.kind {
            ExpressionKind::Tuple(_) => ExpressionKind::Tuple(blocks),
            _ => ExpressionKind::Concatenate(blocks),
        };
        let expression = Expression { kind, span: e.span, parenthesised: e.parenthesised };
        Ok(Value::block(expression, words.filter(|_| !is_open)))
    }

    /// A variable with its selections.
    pub(super) fn reference(&mut self, scope: &Scope, reference: &'p Reference) -> Result<Value> {
        let name = &reference.name;
        let Some(&id) = scope.variables.get(&name.text) else {
            return Err(messages::unknown_name(&name.text, name.span));
        };
        let span = reference.span;
        let variable = self.of(id).clone();
        let sizes = dimensions(&variable.ty);
        let Some(count) = variable.count.clone() else {
            if let Ok((selections, count)) = self.selections(scope, &reference.selections, &sizes) {
                let words = Words { count, ..variable.words };
                return self.selected(&variable.name, selections, words, span);
            }
            return self.public_part(scope, id, Number::default(), &reference.selections, &sizes, span);
        };
        let bytes = |span| {
            let bytes = variable.words.bytes().filter(|_| variable.words.width.is_multiple_of(8));
            bytes.map(i64::from).ok_or_else(|| messages::unsupported("a string of bits", span))
        };
        let words = (variable.words.width != 8).then_some((variable.words.width, None));
        let window = |start: Number, length: Number| {
            let window = Window { variable: id, order: Order::Big, start, length };
            Value::String(Strings { text: vec![Piece::Window(window)], words })
        };
        let fail = |error| messages::number(error, span);
        match reference.selections.split_first() {
            None => {
                let size = count.times(&bytes(span)?.into()).map_err(fail)?;
                Ok(window(Number::default(), size))
            }
            Some((Selection::HalfOpen(from, to), [])) => {
                let (from, to) = (self.number(scope, from)?, self.number(scope, to)?);
                let size = Number::from(bytes(span)?);
                let length = to.plus(&from, -1).and_then(|n| n.times(&size)).map_err(fail)?;
                Ok(window(from.times(&size).map_err(fail)?, length))
            }
            Some((Selection::Index(index), rest)) => {
                let index = self.number(scope, index)?;
                let Ok((selections, left)) = self.selections(scope, rest, &sizes) else {
                    let start = index.times(&bytes(span)?.into()).map_err(fail)?;
                    return self.public_part(scope, id, start, rest, &sizes, span);
                };
                let words = Words { count: left, ..variable.words };
                let source = if variable.words.width == 8 {
                    let length = Number::from(bytes(span)?);
                    let start = index.times(&length).map_err(fail)?;
                    let window = Window { variable: id, order: Order::Big, start, length };
                    Source::Text(vec![Piece::Window(window)])
                } else {
                    Source::Element(id, index)
                };
                let name = self.leaf(&format!("{}_element", variable.name), source, variable.ty, span)?;
                self.selected(&name, selections, words, span)
            }
            _ => Err(messages::unsupported("this selection of an array of public length", span)),
        }
    }

    /// A name with literal selections.
    fn selected(
        &mut self,
        name: &str,
        selections: Vec<Selection>,
        words: Words,
        span: Span,
    ) -> Result<Value> {
        if words.count == 0 {
            return Ok(Value::bytes(Text::new()));
        }
        let name = ast::Name { text: name.to_owned(), span };
        let reference = Reference { name, selections, span };
        let kind = ExpressionKind::Reference(reference);
        Ok(Value::block(Expression { kind, span, parenthesised: false }, Some(words)))
    }

    /// Selections with all numbers known, and how many words are left of dimensions of these sizes.
    pub(super) fn selections(
        &mut self,
        scope: &Scope,
        written: &[Selection],
        sizes: &[u32],
    ) -> Result<(Vec<Selection>, u32)> {
        let mut known = Vec::new();
        let mut count = 1u32;
        for selection in written {
            let value = |number: &Static| self.constant(scope, number).map(|n| (n, number.span));
            let (selection, size) = match selection {
                Selection::Index(index) => {
                    let (index, span) = value(index)?;
                    (Selection::Index(literal(index, span)), 1)
                }
                Selection::Range(from, to) => {
                    let ((from, one), (to, two)) = (value(from)?, value(to)?);
                    let size = from.abs_diff(to) as u32 + 1;
                    (Selection::Range(literal(from, one), literal(to, two)), size)
                }
                Selection::HalfOpen(from, to) => {
                    let ((from, one), (to, two)) = (value(from)?, value(to)?);
                    let size = (to - from).max(0) as u32;
                    (Selection::HalfOpen(literal(from, one), literal(to, two)), size)
                }
                Selection::Slice(indices) => {
                    let indices = indices
                        .iter()
                        .map(|index| value(index).map(|(index, span)| literal(index, span)))
                        .collect::<Result<Vec<_>>>()?;
                    let size = indices.len() as u32;
                    (Selection::Slice(indices), size)
                }
            };
            known.push(selection);
            count = count.saturating_mul(size);
        }
        let rest = sizes.iter().skip(written.len()).fold(1u32, |product, &size| product.saturating_mul(size));
        Ok((known, count.saturating_mul(rest)))
    }

    /// Bytes of words of a constant number, at public indices: `L[Ntz(i)]`, `mark[0, 15-nlen)`.
    fn public_part(
        &mut self,
        scope: &Scope,
        variable: VariableId,
        start: Number,
        selections: &[Selection],
        sizes: &[u32],
        span: Span,
    ) -> Result<Value> {
        let words = self.of(variable).words;
        let fail = |error| messages::number(error, span);
        if words.width != 8 {
            return Err(messages::unsupported("a public index into words of more than a byte", span));
        }
        let mut start = start;
        let mut size = sizes.iter().fold(1i64, |product, &size| product * i64::from(size));
        let mut length = Number::from(size);
        for (place, selection) in selections.iter().enumerate() {
            size /= i64::from(sizes.get(place).copied().unwrap_or(1).max(1));
            match selection {
                Selection::Index(index) => {
                    let index = self.number(scope, index)?;
                    start = start.plus(&index, size).map_err(fail)?;
                    length = size.into();
                }
                Selection::HalfOpen(from, to) if place + 1 == selections.len() => {
                    let (from, to) = (self.number(scope, from)?, self.number(scope, to)?);
                    start = start.plus(&from, size).map_err(fail)?;
                    length = to.plus(&from, -1).and_then(|n| n.times(&size.into())).map_err(fail)?;
                }
                _ => return Err(messages::unsupported("this selection with public numbers", span)),
            }
        }
        Ok(Value::bytes(vec![Piece::Window(Window { variable, order: Order::Big, start, length })]))
    }

    fn cast(&mut self, scope: &Scope, written: &'p Cast, span: Span) -> Result<Value> {
        let [first, rest @ ..] = written.arguments.as_slice() else {
            return Err(messages::unsupported("a cast of nothing", span));
        };
        let order = rest.first().and_then(order_of);
        let value = match written.name.text.as_str() {
            "Word" => self.number_as_word(scope, first, written, span)?,
            "Pad" | "Zero" => self.padded(scope, first, rest, &written.name.text, span)?,
            name => {
                let value = self.expression(scope, first)?;
                self.regrouped(name, value, order, written.ty.as_ref(), span)?
            }
        };
        self.of_cast(scope, value, &written.selections, span)
    }

    /// `Bits`, `Bytes` and `Words`.
    fn regrouped(
        &mut self,
        name: &str,
        value: Value,
        order: Option<Order>,
        ty: Option<&ast::Type>,
        span: Span,
    ) -> Result<Value> {
        let width = match (name, ty) {
            ("Bytes", _) => 8,
            ("Bits", _) => 1,
            (_, Some(ty)) => self.words(ty)?.width,
            (_, None) => return Err(messages::open_size(span)),
        };
        let block = match value {
            Value::String(Strings { mut text, words }) if width >= 8 && words.is_none_or(|_| width == 8) => {
                if let (Some((_, given)), 8) = (words, width) {
                    // Words become bytes again.
                    let order = given.or(order).unwrap_or(Order::Big);
                    for piece in &mut text {
                        if let Piece::Window(window) = piece {
                            window.order = order;
                        }
                    }
                }
                let words = (width > 8).then_some((width, order));
                return Ok(Value::String(Strings { text, words }));
            }
            value => self.block(value, span)?,
        };
        let given = block.words.ok_or_else(|| messages::open_size(span))?;
        let words = Words { width, count: given.width * given.count / width };
        let order_and_type = order.map(|order| (order, words));
        let mut expression = cast(name, block.expression, order_and_type, span);
        if let ExpressionKind::Cast(made) = &mut expression.kind
            && name == "Words"
        {
            let mut word = words_type(Words { count: 1, ..words }, span);
            word.dimensions.clear();
            made.ty = Some(word);
        }
        Ok(Value::block(expression, Some(words)))
    }

    /// `Word(n):u64`.
    fn number_as_word(
        &mut self,
        scope: &Scope,
        argument: &'p Expression,
        written: &Cast,
        span: Span,
    ) -> Result<Value> {
        let ty = written.ty.as_ref().ok_or_else(|| messages::open_size(span))?;
        let words = self.words(ty)?;
        let number = self.argument(scope, argument)?;
        if let Some(constant) = self.known(&number) {
            let integer = literal(constant, span);
            let StaticKind::Integer(integer) = integer.kind else {
                return Err(messages::not_constant(&self.show(&number), span));
            };
            let kind = ExpressionKind::Constant(integer, Some(ty.clone()));
            return Ok(Value::block(Expression { kind, span, parenthesised: false }, Some(words)));
        }
        let source = Source::Word { number: number.modulo_word(words.width), width: words.width };
        let name = self.leaf("number", source, ty.clone(), span)?;
        Ok(Value::block(Self::named(&name, span), Some(words)))
    }

    /// `Pad(x, r, first, last)`, `Zero(x, r)`.
    fn padded(
        &mut self,
        scope: &Scope,
        first: &'p Expression,
        rest: &'p [Expression],
        name: &str,
        span: Span,
    ) -> Result<Value> {
        let value = self.expression(scope, first)?;
        let fail = |error| messages::number(error, span);
        let mut numbers = Vec::new();
        for argument in rest {
            let number = self.argument(scope, argument)?;
            let known = self.known(&number);
            numbers.push(known.ok_or_else(|| messages::not_constant(&self.show(&number), argument.span))?);
        }
        let mut text = self.text(value, None, first.span)?;
        let size = Number::from(numbers.first().copied().unwrap_or(1));
        let bytes = length(&text);
        let bits = |place: usize| numbers.get(place).and_then(|&byte| u8::try_from(byte).ok()).unwrap_or(0);
        let rest = bytes.remainder(&size).and_then(|n| self.facts.simplified(&n)).map_err(fail)?;
        let added = if name == "Pad" {
            // At least one.
            size.plus(&rest, -1).map_err(fail)?
        } else {
            let blocks = bytes.plus(&size, 1).and_then(|n| n.plus(&(-1).into(), 1));
            let blocks = blocks.and_then(|n| n.quotient(&size)).and_then(|n| self.facts.simplified(&n));
            let whole = blocks.and_then(|n| n.times(&size)).map_err(fail)?;
            whole.plus(&bytes, -1).map_err(fail)?
        };
        let (first, last) = if name == "Pad" { (bits(1), bits(2)) } else { (0, 0) };
        if self.known(&added) != Some(0) {
            text.push(Piece::Padding { length: added, first, last });
        }
        Ok(Value::bytes(text))
    }

    /// What the brackets behind a cast select of its words, which are one array.
    fn of_cast(
        &mut self,
        scope: &Scope,
        value: Value,
        selections: &'p [Selection],
        span: Span,
    ) -> Result<Value> {
        if selections.is_empty() {
            return Ok(value);
        }
        let strings = match value {
            Value::Block(Block { mut expression, words }) => {
                let sizes: Vec<u32> = words.map(|words| words.count).into_iter().collect();
                if let Ok((selections, count)) = self.selections(scope, selections, &sizes)
                    && let ExpressionKind::Cast(cast) = &mut expression.kind
                {
                    cast.selections = selections;
                    let words = words.map(|words| Words { count, ..words });
                    return Ok(Value::block(expression, words));
                }
                let text = self.text(Value::Block(Block { expression, words }), None, span)?;
                Strings { text, words: None }
            }
            Value::String(strings) => strings,
        };
        let size = i64::from(strings.words.map_or(8, |(width, _)| width) / 8);
        let fail = |error| messages::number(error, span);
        let (from, to) = match selections {
            [Selection::HalfOpen(from, to)] => (self.number(scope, from)?, self.number(scope, to)?),
            [Selection::Range(from, to)] => {
                let to = self.number(scope, to)?.plus(&1.into(), 1).map_err(fail)?;
                (self.number(scope, from)?, to)
            }
            [Selection::Index(index)] => {
                let index = self.number(scope, index)?;
                (index.clone(), index.plus(&1.into(), 1).map_err(fail)?)
            }
            _ => return Err(messages::unsupported("this selection of a string", span)),
        };
        let length = to.plus(&from, -1).and_then(|n| n.times(&size.into())).map_err(fail)?;
        let start = from.times(&size.into()).map_err(fail)?;
        let text = self.part(strings.text, &start, length, span)?;
        Ok(Value::String(Strings { text, words: strings.words }))
    }
}

fn map(operation: ByteOperation, operands: Vec<Text>) -> Value {
    Value::bytes(vec![Piece::Map { operation, operands }])
}

/// `big` or `little`.
fn order_of(e: &Expression) -> Option<Order> {
    match &e.kind {
        ExpressionKind::Reference(reference) if reference.selections.is_empty() => {
            match reference.name.text.as_str() {
                "big" => Some(Order::Big),
                "little" => Some(Order::Little),
                _ => None,
            }
        }
        _ => None,
    }
}
