//! What a program says about public numbers: constants, lengths, conditions, ranges, casts, and what goes with messages.
//!
//! The words of this room came later than the reserved words, and stay names everywhere else.

use super::DEEPEST;
use super::cursor::{BRACES, LOOP_BRACES, PARENTHESES, Parsed, Parser};
use super::expressions::{ADDITIVE_LEVEL, Grown};
use super::lexer::{Keyword, TokenKind};
use super::messages;
use crate::ast::{
    Accept, CASTS, Cast, CipherDefinition, Comparison, Condition, ConditionKind, ConstantDefinition,
    ConstantValue, Equation, Expression, ExpressionKind, Fact, If, List, Name, Selection, Static,
    StaticFunction, StaticKind,
};
use crate::source::Span;

impl Parser<'_> {
    // ---- Items -----------------------------------------------------------------------------------------------

    /// Whether a constant of the program begins at the cursor. Elsewhere `const` follows a colon.
    pub(super) fn at_constant(&self) -> bool {
        self.is_keyword(Keyword::Const)
            && self.begins_line()
            && self.ahead(1).kind == TokenKind::Identifier
            && (self.ahead(2).kind == TokenKind::Equals
                || (self.ahead(2).kind == TokenKind::Colon && self.ahead(3).kind == TokenKind::Identifier))
    }

    /// `const N = 4`, `const K:u32 = 5`, `const RC:u32[4] = (…)`.
    pub(super) fn constant(&mut self) -> Parsed<ConstantDefinition> {
        let start = self.advance();
        self.within(start, "a constant", "`=` and its value", |parser| {
            let name = parser.declared_name("the name of the constant")?;
            if parser.is(TokenKind::Identifier) {
                return Err(parser.report_here(messages::constant_of_c(parser.span(), parser.found())));
            }
            if parser.eat(TokenKind::Colon).is_none() {
                parser.expect(TokenKind::Equals, "`=` and a number, or `:` and a type")?;
                let value = ConstantValue::Number(parser.static_expression()?);
                return Ok(ConstantDefinition { name, value, span: parser.since(start) });
            }
            let ty = parser.written_type()?;
            parser.expect(TokenKind::Equals, "`=` and the words")?;
            let list = parser.span();
            let entries = if parser.is(TokenKind::OpenParenthesis) {
                parser.bracketed(PARENTHESES, "`(`", |p| {
                    p.separated(TokenKind::Comma, TokenKind::CloseParenthesis, |p| p.entry())
                })?
            } else {
                vec![parser.entry()?]
            };
            let list = List { entries, span: parser.since(list) };
            Ok(ConstantDefinition { name, value: ConstantValue::Words(ty, list), span: parser.since(start) })
        })
    }

    /// Whether `cipher Name (` stands at the cursor, as an item.
    pub(super) fn at_cipher(&self) -> bool {
        self.is_word("cipher")
            && self.ahead(1).kind == TokenKind::Identifier
            && self.ahead(2).kind == TokenKind::OpenParenthesis
    }

    /// `cipher Toy (encrypt = F, decrypt = G, schedule = K)`.
    pub(super) fn cipher(&mut self) -> Parsed<CipherDefinition> {
        let start = self.advance();
        let name = self.declared_name("the name of the cipher")?;
        let roles = self.bracketed(PARENTHESES, "`(` and the nodes of the cipher", |parser| {
            parser.separated(TokenKind::Comma, TokenKind::CloseParenthesis, |p| {
                let role = p.name("`encrypt`, `decrypt` or `schedule`")?;
                p.expect(TokenKind::Equals, "`=` and the name of a node")?;
                Ok((role, p.name("the name of a node")?))
            })
        })?;
        Ok(CipherDefinition { name, roles, span: self.since(start) })
    }

    /// `<C: cipher>`, if that stands at the cursor.
    pub(super) fn cipher_parameter(&mut self) -> Parsed<Option<Name>> {
        let Some(opened) = self.eat(TokenKind::Less) else { return Ok(None) };
        self.within(opened, "the static parameter of a node", "`>`", |parser| {
            let name = parser.declared_name("the name of a cipher parameter")?;
            parser.expect(TokenKind::Colon, "`: cipher`")?;
            if parser.eat_word("cipher").is_none() {
                return Err(parser.fail("`cipher`"));
            }
            parser.expect(TokenKind::Greater, "`>`")?;
            Ok(Some(name))
        })
    }

    /// `where n = (len + 15) / 16, len <= 64`, if that stands at the cursor.
    pub(super) fn facts(&mut self) -> Parsed<Vec<Fact>> {
        let mut facts = Vec::new();
        let Some(start) = self.eat_word("where") else { return Ok(facts) };
        let read = self.within(start, "the facts about lengths", "`vars` or `let`", |parser| {
            loop {
                facts.push(parser.fact()?);
                if parser.eat(TokenKind::Comma).is_none() {
                    return Ok(());
                }
            }
        });
        if read.is_err() {
            self.skip_until(|kind| {
                use Keyword::{Let, Tel, Vars};
                matches!(kind, TokenKind::Keyword(Let | Vars | Tel))
            });
        }
        Ok(facts)
    }

    fn fact(&mut self) -> Parsed<Fact> {
        let defines = self.is(TokenKind::Identifier)
            && self.ahead(1).kind == TokenKind::Equals
            && self.ahead(2).kind != TokenKind::Equals;
        if !defines {
            return self.condition().map(Fact::Condition);
        }
        let name = self.declared_name("the name of a length")?;
        self.advance();
        Ok(Fact::Length(name, self.static_expression()?))
    }

    // ---- Conditions ------------------------------------------------------------------------------------------

    /// `P and Q or R`; `and` binds tighter.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let mut height = 0;
        let mut left = self.conjunction(&mut height)?;
        while self.eat_word("or").is_some() {
            let right = self.conjunction(&mut height)?;
            self.too_high(&mut height)?;
            let span = left.span.to(right.span);
            left = Condition { kind: ConditionKind::Or(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn conjunction(&mut self, height: &mut u32) -> Parsed<Condition> {
        let mut left = self.comparison()?;
        while self.eat_word("and").is_some() {
            let right = self.comparison()?;
            self.too_high(height)?;
            let span = left.span.to(right.span);
            left = Condition { kind: ConditionKind::And(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn too_high(&mut self, height: &mut u32) -> Parsed<()> {
        *height += 1;
        match *height < DEEPEST {
            true => Ok(()),
            false => Err(self.report(messages::too_deep(self.previous_span(), DEEPEST))),
        }
    }

    fn comparison(&mut self) -> Parsed<Condition> {
        let left = self.static_expression()?;
        if self.eat_keyword(Keyword::In).is_some() {
            let entries = self.bracketed(BRACES, "`{` and numbers", |parser| {
                parser.separated(TokenKind::Comma, TokenKind::CloseBrace, |p| p.entry())
            })?;
            let span = self.since(left.span);
            return Ok(Condition { kind: ConditionKind::Among(left, entries), span });
        }
        // `==` and its like are two tokens: their halves mean something of their own elsewhere.
        let equals =
            self.ahead(1).kind == TokenKind::Equals && self.span().end == self.place(self.ahead(1)).start;
        let (comparison, tokens) = match (self.kind(), equals) {
            (TokenKind::Equals, true) => (Comparison::Equal, 2),
            (TokenKind::Exclamation, true) => (Comparison::Unequal, 2),
            (TokenKind::Less, true) => (Comparison::AtMost, 2),
            (TokenKind::Greater, true) => (Comparison::AtLeast, 2),
            (TokenKind::Less, false) => (Comparison::Less, 1),
            (TokenKind::Greater, false) => (Comparison::Greater, 1),
            _ => return Err(self.fail("a comparison: `==`, `!=`, `<`, `<=`, `>`, `>=` or `in {…}`")),
        };
        for _ in 0..tokens {
            self.advance();
        }
        let right = self.static_expression()?;
        let span = left.span.to(right.span);
        Ok(Condition { kind: ConditionKind::Compare(comparison, left, right), span })
    }

    // ---- Equations -------------------------------------------------------------------------------------------

    /// Whether `if P` stands at the cursor, rather than a variable of that name.
    pub(super) fn at_if(&self) -> bool {
        use TokenKind::{Identifier, Integer, OpenParenthesis};
        self.is_word("if") && matches!(self.ahead(1).kind, Identifier | Integer | OpenParenthesis)
    }

    /// `if P { … } else { … }`, `if P { … } else if Q { … } else { … }`.
    pub(super) fn choice(&mut self) -> Parsed<If> {
        let start = self.advance();
        if self.too_deep(4) {
            return Err(self.report(messages::too_deep(start, DEEPEST)));
        }
        if let Some(sign) = self.comparison_in_parentheses() {
            let opened = self.span();
            return Err(self.report_here(messages::comparison_in_parentheses(
                sign,
                opened,
                self.spelling(sign),
            )));
        }
        let condition = self.within(start, "a choice", "its branches, `{ … }`", Self::condition)?;
        let then = self.branch()?;
        if self.eat_word("else").is_none() {
            return Err(self.report_here(messages::missing_else(self.since(start), self.span())));
        }
        let otherwise = if self.at_if() {
            let opened = self.span();
            let inner = self.within(opened, "a choice", "its branches, `{ … }`", Self::choice)?;
            vec![Equation::If(inner)]
        } else {
            self.branch()?
        };
        Ok(If { condition, then, otherwise, span: self.since(start) })
    }

    /// The sign of a comparison inside of parentheses that begin at the cursor.
    fn comparison_in_parentheses(&self) -> Option<Span> {
        use TokenKind::{
            CloseParenthesis, EndOfFile, Equals, Exclamation, Greater, Less, OpenBrace, OpenParenthesis,
        };
        if !self.is(OpenParenthesis) {
            return None;
        }
        let mut depth = 0u32;
        for count in 0.. {
            let token = self.ahead(count);
            match token.kind {
                OpenParenthesis => depth += 1,
                CloseParenthesis if depth == 1 => return None,
                CloseParenthesis => depth -= 1,
                Equals | Less | Greater | Exclamation => return Some(self.place(token)),
                OpenBrace | EndOfFile => return None,
                _ => {}
            }
        }
        None
    }

    fn branch(&mut self) -> Parsed<Vec<Equation>> {
        self.bracketed(LOOP_BRACES, "`{` and the equations of a branch", |parser| {
            parser.loops += 1;
            let body = parser.equations();
            parser.loops -= 1;
            Ok(body)
        })
    }

    /// Whether `accept a == b` stands at the cursor, rather than a variable of that name.
    pub(super) fn at_accept(&self) -> bool {
        use TokenKind::{Identifier, Integer, OpenParenthesis, Tilde};
        self.is_word("accept") && matches!(self.ahead(1).kind, Identifier | Integer | OpenParenthesis | Tilde)
    }

    pub(super) fn accept(&mut self) -> Parsed<Accept> {
        let start = self.advance();
        let left = self.expression()?;
        if !(self.is(TokenKind::Equals) && self.ahead(1).kind == TokenKind::Equals) {
            return Err(self.fail("`==` and what the tag must be"));
        }
        self.advance();
        self.advance();
        let right = self.expression()?;
        Ok(Accept { left, right, span: self.since(start) })
    }

    // ---- Ranges ----------------------------------------------------------------------------------------------

    /// Reads `[`, what `inside` reads, and `]` or `)`; whether it was `)`.
    pub(super) fn range_bracketed<T>(
        &mut self,
        what: &'static str,
        inside: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<(T, bool)> {
        let mut half_open = false;
        let opened = self.expect(TokenKind::OpenBracket, what)?;
        let value = self.within(opened, "a bracket", "`]`", |parser| {
            let value = inside(parser)?;
            half_open = parser.eat(TokenKind::CloseParenthesis).is_some();
            if !half_open {
                parser.close_bracket(opened)?;
            }
            Ok(value)
        })?;
        Ok((value, half_open))
    }

    /// One pair of brackets behind a variable.
    pub(super) fn one_selection(&mut self) -> Parsed<Selection> {
        let start = self.span();
        let (selection, half_open) = self.range_bracketed("`[`", Self::selection)?;
        if !half_open {
            return Ok(selection);
        }
        match selection {
            Selection::Slice(bounds) if bounds.len() == 2 => {
                let mut bounds = bounds.into_iter();
                match (bounds.next(), bounds.next()) {
                    (Some(from), Some(to)) => Ok(Selection::HalfOpen(from, to)),
                    _ => Err(self.report(messages::half_open_bounds(self.since(start)))),
                }
            }
            other => {
                self.report(messages::half_open_bounds(self.since(start)));
                Ok(other)
            }
        }
    }

    // ---- Expressions -----------------------------------------------------------------------------------------

    /// Whether a cast stands at the cursor.
    pub(super) fn at_cast(&self) -> bool {
        CASTS.contains(&self.found()) && self.ahead(1).kind == TokenKind::OpenParenthesis
    }

    pub(super) fn cast(&mut self, start: Span) -> Parsed<Grown<Expression>> {
        let name = self.name("a cast")?;
        let (arguments, below) =
            self.bracketed(PARENTHESES, "`(` and what is cast", |parser| parser.arguments())?;
        // The brackets behind the type select from the cast.
        let ty = match self.eat(TokenKind::Colon) {
            Some(_) => Some(self.word_type()?),
            None => None,
        };
        let mut selections = Vec::new();
        while self.is(TokenKind::OpenBracket) {
            selections.push(self.one_selection()?);
        }
        let kind = ExpressionKind::Cast(Cast { name, arguments, ty, selections });
        self.grow(kind, self.since(start), below)
    }

    /// Whether `min(`, `max(` or `Ntz(` stands at the cursor.
    pub(super) fn at_static_function(&self) -> bool {
        StaticFunction::named(self.found()).is_some() && self.ahead(1).kind == TokenKind::OpenParenthesis
    }

    pub(super) fn static_function(&mut self, start: Span) -> Parsed<Grown<Static>> {
        let function = StaticFunction::named(self.found());
        self.advance();
        let mut height = 0;
        let arguments = self.bracketed(PARENTHESES, "`(`", |parser| {
            parser.separated(TokenKind::Comma, TokenKind::CloseParenthesis, |p| {
                let grown = p.static_operators(ADDITIVE_LEVEL)?;
                height = height.max(grown.height);
                Ok(grown.tree)
            })
        })?;
        let span = self.since(start);
        let function = function.filter(|function| function.arity() == arguments.len());
        let Some(function) = function else {
            return Err(self.report(messages::static_function(span)));
        };
        if height + 1 > DEEPEST {
            return Err(self.report(messages::too_deep(self.previous_span(), DEEPEST)));
        }
        let tree = Static { kind: StaticKind::Apply(function, arguments), span };
        Ok(Grown { tree, height: height + 1 })
    }
}
