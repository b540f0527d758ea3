//! Values of expressions: words of a constant number, or strings; and the ways from one to the other.

use super::declare::{bytes_type, words_type};
use super::{Elaborator, Result, messages};
use crate::form::{Order, Piece, Sameness, Source, Text, Window, Words, length};
use crate::number::Number;
use usuba_lang::ast::{Cast, Expression, ExpressionKind, Name, Reference};
use usuba_lang::source::Span;

/// The value of an expression.
pub(super) enum Value {
    /// Words of a constant number, as an expression of a step.
    Block(Block),
    /// A string.
    String(Strings),
}

/// Words of a constant number.
pub(super) struct Block {
    /// In names of variables and leaves, all numbers literals.
    pub(super) expression: Expression,
    /// What they are, unless a constant leaves that open.
    pub(super) words: Option<Words>,
}

/// A string, as bytes or as words.
pub(super) struct Strings {
    pub(super) text: Text,
    /// Bits of the words that it is read as, and how their bytes lie; an order that is `None` is whatever becomes of it.
    pub(super) words: Option<(u32, Option<Order>)>,
}

impl Value {
    pub(super) fn block(expression: Expression, words: Option<Words>) -> Value {
        Value::Block(Block { expression, words })
    }

    pub(super) fn bytes(text: Text) -> Value {
        Value::String(Strings { text, words: None })
    }
}

impl<'p> Elaborator<'p> {
    /// The words of a value, whose number must be constant.
    pub(super) fn block(&mut self, value: Value, span: Span) -> Result<Block> {
        let strings = match value {
            Value::Block(block) => return Ok(block),
            Value::String(strings) => strings,
        };
        let bytes = length(&strings.text);
        let known = self.known(&bytes).and_then(|bytes| u32::try_from(bytes).ok()).filter(|&bytes| bytes > 0);
        let Some(count) = known else { return Err(messages::not_constant(&self.show(&bytes), span)) };
        let wanted = match strings.text.as_slice() {
            [Piece::Window(window)] => self.of(window.variable).name.clone(),
            _ => "text".to_owned(),
        };
        let name = self.leaf(&wanted, Source::Text(strings.text), bytes_type(count, span), span)?;
        let bytes = Self::named(&name, span);
        let Some((width, order)) = strings.words else {
            return Ok(Block { expression: bytes, words: Some(Words::of_bytes(count)) });
        };
        let order = order.ok_or_else(|| messages::unsupported("a window of words", span))?;
        let words = Words { width, count: count * 8 / width };
        let expression = cast("Words", bytes, Some((order, words)), span);
        Ok(Block { expression, words: Some(words) })
    }

    /// The bytes of a value; `order`: of words that do not say.
    pub(super) fn text(&mut self, value: Value, order: Option<Order>, span: Span) -> Result<Text> {
        let block = match value {
            Value::String(strings) => {
                let given = strings.words.and_then(|(_, order)| order).or(order);
                let mut text = strings.text;
                if let Some(order) = given {
                    text.iter_mut().for_each(|piece| {
                        if let Piece::Window(window) = piece {
                            window.order = order;
                        }
                    });
                }
                return Ok(text);
            }
            Value::Block(block) => block,
        };
        let words = block.words.ok_or_else(|| messages::open_size(span))?;
        let Some(bytes) = words.bytes().filter(|_| words.width % 8 == 0) else {
            return Err(messages::unsupported("a string of bits", span));
        };
        let order = order.unwrap_or(Order::Big);
        if let ExpressionKind::Reference(Reference { name, selections, .. }) = &block.expression.kind
            && selections.is_empty()
        {
            if let Some(Source::Text(text)) = self.leaf_named(&name.text) {
                return Ok(text.clone());
            }
            if let Some(place) = self.variables.iter().position(|variable| variable.name == name.text) {
                let variable = crate::form::VariableId(place as u32);
                let length = i64::from(bytes).into();
                return Ok(vec![Piece::Window(Window { variable, order, start: Number::default(), length })]);
            }
        }
        let variable = self.variable("value", words_type(words, span), words, None, Sameness::Open, span);
        let name = self.of(variable).name.clone();
        let target = Reference { name: Name { text: name, span }, selections: Vec::new(), span };
        self.equation(vec![target], block.expression, span);
        let length = i64::from(bytes).into();
        Ok(vec![Piece::Window(Window { variable, order, start: Number::default(), length })])
    }

    /// Bytes `[start, start + length)` of a text.
    pub(super) fn part(&mut self, text: Text, start: &Number, wanted: Number, span: Span) -> Result<Text> {
        let fail = |error| messages::number(error, span);
        if start.as_constant() == Some(0) && self.same(&length(&text), &wanted) {
            return Ok(text);
        }
        // Pieces that lie before the part or behind it are left out.
        let mut begin = Number::default();
        for piece in &text {
            let end = begin.plus(&piece.length(), 1).map_err(fail)?;
            let inside = start.plus(&begin, -1).map_err(fail)?;
            let over = end.plus(start, -1).and_then(|n| n.plus(&wanted, -1)).map_err(fail)?;
            if self.facts.not_negative(&inside) && self.facts.not_negative(&over) {
                match piece {
                    Piece::Window(window) => {
                        let start = window.start.plus(&inside, 1).map_err(fail)?;
                        let window = Window { start, length: wanted, ..window.clone() };
                        return Ok(vec![Piece::Window(window)]);
                    }
                    Piece::Padding { first: 0, last: 0, .. } => {
                        return Ok(vec![Piece::Padding { length: wanted, first: 0, last: 0 }]);
                    }
                    _ => break,
                }
            }
            begin = end;
        }
        // A string of its own, of which the part is a window.
        let count = length(&text);
        let words = Words::of_bytes(1);
        let mut ty = bytes_type(1, span);
        ty.dimensions.clear();
        let variable = self.variable("text", ty, words, Some(count.clone()), Sameness::Open, span);
        let target = Window { variable, order: Order::Big, start: Number::default(), length: count };
        self.statement(crate::form::Statement::Define(crate::form::Define { target, value: text, span }))?;
        let window = Window { variable, order: Order::Big, start: start.clone(), length: wanted };
        Ok(vec![Piece::Window(window)])
    }
}

/// `Words(operand, order):uW`, `Bytes(operand, order)`.
pub(super) fn cast(name: &str, operand: Expression, words: Option<(Order, Words)>, span: Span) -> Expression {
    let mut arguments = vec![operand];
    let mut ty = None;
    if let Some((order, words)) = words {
        let order = if order == Order::Big { "big" } else { "little" };
        arguments.push(Elaborator::named(order, span));
        let mut word = words_type(Words { count: 1, ..words }, span);
        word.dimensions.clear();
        ty = (name == "Words").then_some(word);
    }
    let name = Name { text: name.to_owned(), span };
    let cast = Cast { name, arguments, ty, selections: Vec::new() };
    Expression { kind: ExpressionKind::Cast(cast), span, parenthesised: false }
}
