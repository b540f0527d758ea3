//! Expressions, static expressions, variables and types.
//!
//! Binding strength, loosest first: shifts (whose amount is a static expression, read greedily), `+ -`, `* / %`,
//! `& ^ |` all equal, `~ !`. All binary operators group from the left.

use super::cursor::{BRACES, BRACKETS, PARENTHESES, Parsed, Parser, Reported};
use super::lexer::{Keyword, TokenKind};
use super::{DEEPEST, messages, types};
use crate::ast::{
    BaseType, BinaryOp, Expression, ExpressionKind, Integer, Name, Reference, Selection, ShiftOp, Static,
    StaticKind, StaticOp, Type,
};
use crate::source::Span;

/// A tree with its height. The height is bounded, since trees are walked and dropped by recursion and a chain of
/// operators makes one level each.
pub(super) struct Grown<T> {
    pub(super) tree: T,
    pub(super) height: u32,
}

/// So many operands of a run lean to the left before it is cut into pieces: more than people write, and less than is too deep.
const PIECE: usize = 64;

const CONCATENATION_LEVEL: u8 = 0;
pub(super) const SHIFT_LEVEL: u8 = 1;
pub(super) const ADDITIVE_LEVEL: u8 = 2;
const MULTIPLICATIVE_LEVEL: u8 = 3;
const BITWISE_LEVEL: u8 = 4;

/// The operator between words that a token spells.
pub(super) fn binary_operator(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Ampersand => BinaryOp::And,
        TokenKind::Pipe => BinaryOp::Or,
        TokenKind::Caret => BinaryOp::Xor,
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Subtract,
        TokenKind::Star => BinaryOp::Multiply,
        TokenKind::Slash => BinaryOp::Divide,
        TokenKind::Percent => BinaryOp::Modulo,
        _ => return None,
    })
}

fn shift_operator(kind: TokenKind) -> Option<ShiftOp> {
    Some(match kind {
        TokenKind::ShiftLeft => ShiftOp::Left,
        TokenKind::ShiftRight => ShiftOp::Right,
        TokenKind::ShiftRightArithmetic => ShiftOp::RightArithmetic,
        TokenKind::RotateLeft => ShiftOp::RotateLeft,
        TokenKind::RotateRight => ShiftOp::RotateRight,
        _ => return None,
    })
}

pub(super) fn level(operator: BinaryOp) -> u8 {
    match operator {
        BinaryOp::Add | BinaryOp::Subtract => ADDITIVE_LEVEL,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => MULTIPLICATIVE_LEVEL,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => BITWISE_LEVEL,
    }
}

fn static_operator(kind: TokenKind) -> Option<(StaticOp, u8)> {
    Some(match kind {
        TokenKind::Plus => (StaticOp::Add, ADDITIVE_LEVEL),
        TokenKind::Minus => (StaticOp::Subtract, ADDITIVE_LEVEL),
        TokenKind::Star => (StaticOp::Multiply, MULTIPLICATIVE_LEVEL),
        TokenKind::Slash => (StaticOp::Divide, MULTIPLICATIVE_LEVEL),
        TokenKind::Percent => (StaticOp::Modulo, MULTIPLICATIVE_LEVEL),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.operators(CONCATENATION_LEVEL).map(|grown| grown.tree)
    }

    /// A tree over `parts` of the given heights, unless it is too high.
    pub(super) fn grow(&mut self, kind: ExpressionKind, span: Span, below: u32) -> Parsed<Grown<Expression>> {
        if below >= DEEPEST {
            return Err(self.report(messages::too_deep(self.previous_span(), DEEPEST)));
        }
        Ok(Grown { tree: Expression { kind, span, parenthesised: false }, height: below + 1 })
    }

    pub(super) fn operators(&mut self, least: u8) -> Parsed<Grown<Expression>> {
        let mut left = self.complement()?;
        loop {
            let start = left.tree.span;
            if let Some(operator) = binary_operator(self.kind()).filter(|&operator| level(operator) >= least)
            {
                left = self.run(operator, left)?;
            } else if let Some(operator) = shift_operator(self.kind()) {
                if SHIFT_LEVEL < least {
                    return Ok(left);
                }
                self.advance();
                let amount = self.static_expression()?;
                let span = self.since(start);
                let kind = ExpressionKind::Shift(operator, Box::new(left.tree), amount);
                left = self.grow(kind, span, left.height)?;
            } else if self.is(TokenKind::PlusPlus) {
                if CONCATENATION_LEVEL < least {
                    return Ok(left);
                }
                left = self.concatenation(left)?;
            } else {
                return Ok(left);
            }
        }
    }

    /// `op b op c …` behind `a`, with the same operator throughout.
    fn run(&mut self, operator: BinaryOp, first: Grown<Expression>) -> Parsed<Grown<Expression>> {
        let mut operands = vec![first];
        while binary_operator(self.kind()) == Some(operator) {
            let first = self.advance();
            let doubled = matches!(operator, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
                && binary_operator(self.kind()) == Some(operator);
            if doubled {
                let span = first.to(self.span());
                let spelling = self.spelling(first);
                self.report(messages::doubled_operator(span, spelling));
                self.advance();
            }
            operands.push(self.operators(level(operator) + 1)?);
        }
        self.chain(operator, operands)
    }

    /// The tree of a run of operands: to the left, as chains group. Of an associative operator, pieces of a long run are
    /// joined in pairs, which means the same and is no higher for a longer run.
    fn chain(&mut self, operator: BinaryOp, operands: Vec<Grown<Expression>>) -> Parsed<Grown<Expression>> {
        use BinaryOp::{Add, And, Multiply, Or, Xor};
        let associative = matches!(operator, Add | And | Multiply | Or | Xor);
        let piece = if associative { PIECE } else { operands.len() };
        let mut pieces = Vec::with_capacity(operands.len() / piece + 1);
        let mut rest = operands.into_iter().peekable();
        while rest.peek().is_some() {
            pieces.push(self.leaning(operator, rest.by_ref().take(piece))?);
        }
        while pieces.len() > 1 {
            let mut pairs = Vec::with_capacity(pieces.len().div_ceil(2));
            let mut rest = pieces.into_iter().peekable();
            while rest.peek().is_some() {
                pairs.push(self.leaning(operator, rest.by_ref().take(2))?);
            }
            pieces = pairs;
        }
        pieces.pop().ok_or(Reported)
    }

    /// `(a op b) op c …`
    fn leaning(
        &mut self,
        operator: BinaryOp,
        mut operands: impl Iterator<Item = Grown<Expression>>,
    ) -> Parsed<Grown<Expression>> {
        let mut left = operands.next().ok_or(Reported)?;
        for right in operands {
            let (span, below) = (left.tree.span.to(right.tree.span), left.height.max(right.height));
            let kind = ExpressionKind::Binary(operator, Box::new(left.tree), Box::new(right.tree));
            left = self.grow(kind, span, below)?;
        }
        Ok(left)
    }

    /// `a ++ b ++ …` behind `a`.
    fn concatenation(&mut self, first: Grown<Expression>) -> Parsed<Grown<Expression>> {
        let start = first.tree.span;
        let (mut below, mut parts) = (first.height, vec![first.tree]);
        while self.eat(TokenKind::PlusPlus).is_some() {
            let part = self.operators(SHIFT_LEVEL)?;
            below = below.max(part.height);
            parts.push(part.tree);
        }
        self.grow(ExpressionKind::Concatenate(parts), self.since(start), below)
    }

    fn complement(&mut self) -> Parsed<Grown<Expression>> {
        let mut signs = Vec::new();
        while matches!(self.kind(), TokenKind::Tilde | TokenKind::Exclamation) {
            signs.push(self.advance());
        }
        let mut operand = self.operand()?;
        for sign in signs.into_iter().rev() {
            let span = sign.to(operand.tree.span);
            operand = self.grow(ExpressionKind::Not(Box::new(operand.tree)), span, operand.height)?;
        }
        Ok(operand)
    }

    fn operand(&mut self) -> Parsed<Grown<Expression>> {
        let start = self.span();
        let grown = match self.kind() {
            TokenKind::Integer => {
                let value = self.integer("an integer")?;
                let ty = self.annotation()?;
                self.grow(ExpressionKind::Constant(value, ty), self.since(start), 0)?
            }
            TokenKind::OpenParenthesis => self.parenthesised(start)?,
            TokenKind::Keyword(Keyword::Shuffle) => self.shuffle(start)?,
            TokenKind::Keyword(Keyword::Bitmask) => self.bitmask(start)?,
            TokenKind::Keyword(Keyword::Pack) => self.pack(start)?,
            TokenKind::Identifier if self.at_cast() => self.cast(start)?,
            TokenKind::Identifier => self.named(start)?,
            TokenKind::Minus => return Err(self.report_here(messages::unary_minus(start))),
            _ => return Err(self.fail("an expression")),
        };
        let selects = matches!(self.kind(), TokenKind::OpenBracket | TokenKind::EmptyBrackets);
        if selects && !matches!(grown.tree.kind, ExpressionKind::Reference(_)) {
            return Err(self.report_here(messages::selection_of_expression(self.span(), grown.tree.span)));
        }
        Ok(grown)
    }

    fn annotation(&mut self) -> Parsed<Option<Type>> {
        match self.eat(TokenKind::Colon) {
            Some(_) => self.written_type().map(Some),
            None => Ok(None),
        }
    }

    fn parenthesised(&mut self, start: Span) -> Parsed<Grown<Expression>> {
        if self.ahead(1).kind == TokenKind::CloseParenthesis {
            let span = start.to(self.place(self.ahead(1)));
            return Err(self.report_here(messages::empty_tuple(span)));
        }
        let mut parts = self.bracketed(PARENTHESES, "`(`", Self::arguments)?;
        let span = self.since(start);
        if parts.0.len() == 1
            && let Some(tree) = parts.0.pop()
        {
            return Ok(Grown { tree: Expression { span, parenthesised: true, ..tree }, height: parts.1 });
        }
        self.grow(ExpressionKind::Tuple(parts.0), span, parts.1)
    }

    /// `expr { "," expr }` before `)`, and the height of the highest.
    pub(super) fn arguments(&mut self) -> Parsed<(Vec<Expression>, u32)> {
        let mut height = 0;
        let trees = self.separated(TokenKind::Comma, TokenKind::CloseParenthesis, |parser| {
            let grown = parser.operators(CONCATENATION_LEVEL)?;
            height = height.max(grown.height);
            Ok(grown.tree)
        })?;
        Ok((trees, height))
    }

    fn shuffle(&mut self, start: Span) -> Parsed<Grown<Expression>> {
        self.advance();
        let (variable, pattern) = self.bracketed(PARENTHESES, "`(` after `Shuffle`", |parser| {
            if matches!(parser.kind(), TokenKind::OpenParenthesis | TokenKind::Keyword(Keyword::Shuffle)) {
                return Err(parser.shuffled("a variable"));
            }
            let variable = parser.reference()?;
            if parser.eat(TokenKind::Comma).is_none() {
                return Err(parser.shuffled("`,` and the pattern in brackets"));
            }
            if parser.is(TokenKind::EmptyBrackets) {
                return Err(parser.report_here(messages::missing_index(parser.span())));
            }
            let pattern = parser.bracketed(BRACKETS, "`[` and the pattern", |p| {
                p.separated(TokenKind::Comma, TokenKind::CloseBracket, |p| p.entry())
            })?;
            Ok((variable, pattern))
        })?;
        self.grow(ExpressionKind::Shuffle(variable, pattern), self.since(start), 0)
    }

    /// What is to be moved is more than a variable, or the text ends.
    fn shuffled(&mut self, what: &str) -> Reported {
        if self.is(TokenKind::EndOfFile) {
            return self.fail(what);
        }
        let message = messages::shuffled(self.span(), what, self.found());
        self.report_here(message)
    }

    fn bitmask(&mut self, start: Span) -> Parsed<Grown<Expression>> {
        self.advance();
        let (operand, bit) = self.bracketed(PARENTHESES, "`(` after `Bitmask`", |parser| {
            let operand = parser.operators(SHIFT_LEVEL)?;
            parser.expect(TokenKind::Comma, "`,` and the number of the bit")?;
            Ok((operand, parser.static_expression()?))
        })?;
        let kind = ExpressionKind::Bitmask(Box::new(operand.tree), bit);
        self.grow(kind, self.since(start), operand.height)
    }

    fn pack(&mut self, start: Span) -> Parsed<Grown<Expression>> {
        self.advance();
        let (high, low) = self.bracketed(PARENTHESES, "`(` after `Pack`", |parser| {
            let high = parser.operators(SHIFT_LEVEL)?;
            parser.expect(TokenKind::Comma, "`,` and the second operand of `Pack`")?;
            Ok((high, parser.operators(SHIFT_LEVEL)?))
        })?;
        let ty = self.annotation()?;
        let below = high.height.max(low.height);
        let kind = ExpressionKind::Pack(Box::new(high.tree), Box::new(low.tree), ty);
        self.grow(kind, self.since(start), below)
    }

    /// A variable, a shuffle `x{..}` or a call.
    fn named(&mut self, start: Span) -> Parsed<Grown<Expression>> {
        let name = self.name("a name")?;
        let element = match self.eat(TokenKind::Less) {
            Some(opened) => Some(self.within(opened, "the index of a call", "`>`", |parser| {
                let element = parser.static_expression()?;
                parser.expect(TokenKind::Greater, "`>` after the index of the call")?;
                Ok(element)
            })?),
            None => None,
        };
        if element.is_some() || self.is(TokenKind::OpenParenthesis) {
            let empty = self.ahead(1).kind == TokenKind::CloseParenthesis;
            let (arguments, below) =
                self.bracketed(PARENTHESES, "`(` and the arguments of the call", |parser| {
                    if empty { Ok((Vec::new(), 0)) } else { parser.arguments() }
                })?;
            let kind = ExpressionKind::Call { callee: name, element, arguments };
            return self.grow(kind, self.since(start), below);
        }
        let reference = self.selections(name)?;
        if self.is(TokenKind::OpenBrace) {
            let pattern = self.bracketed(BRACES, "`{`", |parser| {
                parser.separated(TokenKind::Comma, TokenKind::CloseBrace, |p| p.entry())
            })?;
            return self.grow(ExpressionKind::Shuffle(reference, pattern), self.since(start), 0);
        }
        self.grow(ExpressionKind::Reference(reference), self.since(start), 0)
    }

    /// An integer of a table, a permutation or a shuffle.
    pub(super) fn entry(&mut self) -> Parsed<Integer> {
        if self.is(TokenKind::Integer) {
            return self.integer("an integer");
        }
        if self.is(TokenKind::EndOfFile) {
            return Err(self.fail("an integer"));
        }
        let message = messages::entry(self.span(), self.found());
        Err(self.report_here(message))
    }

    /// The brackets after a variable.
    pub(super) fn selections(&mut self, name: Name) -> Parsed<Reference> {
        let mut selections = Vec::new();
        loop {
            if self.is(TokenKind::EmptyBrackets) {
                return Err(self.report_here(messages::missing_index(self.span())));
            }
            if !self.is(TokenKind::OpenBracket) {
                let span = self.since(name.span);
                return Ok(Reference { name, selections, span });
            }
            selections.push(self.one_selection()?);
        }
    }

    pub(super) fn selection(&mut self) -> Parsed<Selection> {
        if self.is(TokenKind::CloseBracket) {
            return Err(self.report_here(messages::missing_index(self.previous_span().to(self.span()))));
        }
        let first = self.static_expression()?;
        if self.eat(TokenKind::DotDot).is_some() {
            return Ok(Selection::Range(first, self.static_expression()?));
        }
        let Some(comma) = self.eat(TokenKind::Comma) else {
            return Ok(Selection::Index(first));
        };
        if self.is(TokenKind::CloseBracket) {
            self.report(messages::trailing_separator(comma, ",", self.found()));
            return Ok(Selection::Index(first));
        }
        let mut entries = vec![first];
        entries.extend(self.separated(TokenKind::Comma, TokenKind::CloseBracket, Self::static_expression)?);
        Ok(Selection::Slice(entries))
    }

    // ---- Static expressions ----------------------------------------------------------------------------------

    pub(super) fn static_expression(&mut self) -> Parsed<Static> {
        self.static_operators(ADDITIVE_LEVEL).map(|grown| grown.tree)
    }

    pub(super) fn static_operators(&mut self, least: u8) -> Parsed<Grown<Static>> {
        let mut left = self.static_operand()?;
        while let Some((operator, level)) = static_operator(self.kind()).filter(|(_, level)| *level >= least)
        {
            self.advance();
            let right = self.static_operators(level + 1)?;
            let height = left.height.max(right.height) + 1;
            if height > DEEPEST {
                return Err(self.report(messages::too_deep(self.previous_span(), DEEPEST)));
            }
            let span = self.since(left.tree.span);
            let kind = StaticKind::Binary(operator, Box::new(left.tree), Box::new(right.tree));
            left = Grown { tree: Static { kind, span }, height };
        }
        Ok(left)
    }

    fn static_operand(&mut self) -> Parsed<Grown<Static>> {
        let start = self.span();
        match self.kind() {
            TokenKind::Integer => {
                let kind = StaticKind::Integer(self.integer("an integer")?);
                Ok(Grown { tree: Static { kind, span: start }, height: 1 })
            }
            TokenKind::Identifier if self.at_static_function() => self.static_function(start),
            TokenKind::Identifier => {
                let kind = StaticKind::Name(self.name("a name")?.text);
                Ok(Grown { tree: Static { kind, span: start }, height: 1 })
            }
            TokenKind::OpenParenthesis => {
                let inner =
                    self.bracketed(PARENTHESES, "`(`", |parser| parser.static_operators(ADDITIVE_LEVEL))?;
                Ok(Grown { tree: Static { span: self.since(start), ..inner.tree }, ..inner })
            }
            TokenKind::Minus => Err(self.report_here(messages::unary_minus(start))),
            _ => Err(self.fail("a static expression (an integer, a loop variable, or `+ - * / %` of them)")),
        }
    }

    // ---- Types -----------------------------------------------------------------------------------------------

    /// A type without sizes in brackets.
    pub(super) fn word_type(&mut self) -> Parsed<Type> {
        if !matches!(self.kind(), TokenKind::Identifier | TokenKind::DirectedType) {
            return Err(self.fail("a type"));
        }
        let word = self.advance();
        let base = self.base_type(word);
        Ok(Type { base, dimensions: Vec::new(), span: self.since(word) })
    }

    /// A type with its sizes in brackets.
    pub(super) fn written_type(&mut self) -> Parsed<Type> {
        let start = self.span();
        let base = self.word_type()?.base;
        let mut dimensions = Vec::new();
        while matches!(self.kind(), TokenKind::OpenBracket | TokenKind::EmptyBrackets) {
            let brackets = self.span();
            let empty = self.is(TokenKind::EmptyBrackets) || self.ahead(1).kind == TokenKind::CloseBracket;
            if empty {
                let span = brackets.to(if self.is(TokenKind::EmptyBrackets) {
                    brackets
                } else {
                    self.place(self.ahead(1))
                });
                return Err(self.report_here(messages::missing_index(span)));
            }
            dimensions.push(self.bracketed(BRACKETS, "`[`", Self::static_expression)?);
        }
        Ok(Type { base, dimensions, span: self.since(start) })
    }

    fn base_type(&mut self, word: Span) -> BaseType {
        let mut whole = word;
        // `u<V>` without a size is no token of its own; its pieces are gathered for one message.
        if let Some(cipher) = self.spelling(word).strip_suffix(".keys") {
            return BaseType::Keys(cipher.to_string());
        }
        if self.is(TokenKind::Less) && self.span().start == word.end {
            self.skip_until(|kind| {
                !matches!(kind, TokenKind::Less | TokenKind::Identifier | TokenKind::Integer)
            });
            self.eat(TokenKind::Greater);
            whole = self.since(word);
        }
        let (base, wrong) = types::read(self.spelling(whole), whole);
        if let Some(diagnostic) = wrong {
            self.report(diagnostic);
        }
        base
    }
}
