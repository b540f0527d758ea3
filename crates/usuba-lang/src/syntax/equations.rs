//! Equations and loops.

use super::cursor::{LOOP_BRACES, PARENTHESES, Parsed, Parser, Reported};
use super::expressions::binary_operator;
use super::lexer::{Keyword, TokenKind};
use super::{DEEPEST, messages, types};
use crate::ast::{
    Assignment, Equation, Expression, ExpressionKind, Forall, LoopAttribute, LoopAttributeKind, Name,
    Reference, Static,
};
use crate::source::Span;

/// The variable of a loop and its bounds.
type Header = (Name, Static, Static);

impl Parser<'_> {
    /// Equations up to `tel`, or up to the `}` that closes a loop, which are not read. Equations that cannot be
    /// read are left out.
    pub(super) fn equations(&mut self) -> Vec<Equation> {
        let mut equations = Vec::new();
        let mut wrong = false;
        let first = self.span();
        if self.eat_semicolons() {
            self.report(messages::expected(first, "an equation", ";"));
            wrong = true;
        }
        while !self.at_end_of_equations() {
            if self.at_statement() {
                self.statement();
                self.eat_semicolons();
                wrong = true;
                continue;
            }
            let equation = self.equation();
            // After a loop, and after what could not be read, the next equation may begin at once.
            let complete = matches!(equation, Ok(Equation::Assign(_) | Equation::Accept(_)));
            match equation {
                Ok(equation) => equations.push(equation),
                Err(_) => {
                    wrong = true;
                    self.skip_equation();
                }
            }
            if self.eat_semicolons() || !complete || self.at_end_of_equations() {
                continue;
            }
            if self.begins_equation() {
                self.missing_semicolon();
            } else {
                self.no_separator();
                self.skip_equation();
                self.eat_semicolons();
            }
        }
        if equations.is_empty() && !wrong {
            let span = self.span();
            if self.is_keyword(Keyword::Tel) || self.is(TokenKind::CloseBrace) {
                self.report_here(messages::no_equations(span));
            }
        }
        equations
    }

    fn eat_semicolons(&mut self) -> bool {
        let mut any = false;
        while self.eat(TokenKind::Semicolon).is_some() {
            any = true;
        }
        any
    }

    fn missing_semicolon(&mut self) {
        let before = self.previous_span();
        let after = Span { start: before.end, ..before };
        self.report_here(messages::missing_semicolon(after, self.span()));
    }

    fn no_separator(&mut self) {
        let (token, next) = (self.token(), self.ahead(1));
        let (span, previous) = (self.span(), self.previous_span());
        if self.is(TokenKind::Equals) && next.kind == TokenKind::Equals && token.end == next.start {
            self.report_here(messages::comparison_of_words(span.to(self.place(next))));
        } else if self.is(TokenKind::Identifier) && previous.end == span.start {
            // Only an integer ends where a letter may follow.
            self.report_here(messages::suffix(span, self.found()));
        } else if let Some(cast) = self.cast_of_c() {
            self.report_here(messages::cast_of_c(cast, self.spelling(cast)));
        } else if self.is(TokenKind::Equals) {
            self.report_here(messages::second_equals(self.span()));
        } else {
            self.fail("an operator, or `;` and another equation");
        }
    }

    /// The type in parentheses before the cursor, as a cast of C has it.
    fn cast_of_c(&self) -> Option<Span> {
        let [open, word, close] = [3, 2, 1].map(|count| self.before(count));
        let (open, word, close) = (open?, word?, close?);
        let is_cast =
            matches!(self.kind(), TokenKind::Identifier | TokenKind::Integer | TokenKind::OpenParenthesis)
                && (open.kind, close.kind) == (TokenKind::OpenParenthesis, TokenKind::CloseParenthesis)
                && word.kind == TokenKind::Identifier
                && types::of_declaration(self.spelling(self.place(word))).is_some();
        is_cast.then(|| self.place(open).to(self.place(close)))
    }

    fn at_end_of_equations(&self) -> bool {
        self.at_item() || self.is_keyword(Keyword::Tel) || (self.loops > 0 && self.is(TokenKind::CloseBrace))
    }

    /// Whether another equation seems to begin at the cursor, right after one.
    fn begins_equation(&self) -> bool {
        use Keyword::{Forall, NoUnroll, Pipelined, Unroll};
        match self.kind() {
            TokenKind::Keyword(Forall | Unroll | NoUnroll | Pipelined) => true,
            TokenKind::Identifier => {
                self.begins_line() || matches!(self.ahead(1).kind, TokenKind::Equals | TokenKind::Colon)
            }
            TokenKind::OpenParenthesis => self.begins_line(),
            _ => false,
        }
    }

    /// Moves past what is left of an equation that could not be read.
    pub(super) fn skip_equation(&mut self) {
        use Keyword::{Forall, NoUnroll, Pipelined, Tel, Unroll};
        let mut depth = 0u32;
        while !self.at_item() {
            match self.kind() {
                TokenKind::Semicolon | TokenKind::Keyword(Tel | Forall | Unroll | NoUnroll | Pipelined) => {
                    return;
                }
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace if depth == 0 && self.loops > 0 => return,
                TokenKind::CloseBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    fn equation(&mut self) -> Parsed<Equation> {
        match self.kind() {
            TokenKind::Keyword(
                Keyword::Forall | Keyword::Unroll | Keyword::NoUnroll | Keyword::Pipelined,
            ) => self.forall().map(Equation::Forall),
            _ if self.at_if() => self.choice().map(Equation::If),
            _ if self.at_accept() => self.accept().map(Equation::Accept),
            _ => self.assignment().map(Equation::Assign),
        }
    }

    /// Whether a statement of C stands at the cursor, rather than a variable of that name.
    fn at_statement(&self) -> bool {
        use TokenKind::{Identifier, Integer, OpenBrace, OpenParenthesis};
        self.is(Identifier)
            && messages::statement(self.found()).is_some()
            && matches!(self.ahead(1).kind, Identifier | Integer | OpenBrace | OpenParenthesis)
    }

    /// Complains about a statement of C, and moves behind its parentheses and its body.
    fn statement(&mut self) {
        let (span, word) = (self.span(), self.found());
        let advice = messages::statement(word).unwrap_or_default();
        self.report_here(messages::statement_of_c(span, word, advice));
        self.advance();
        let loops = matches!(word, "for" | "while" | "do" | "switch");
        self.skip_until(|kind| match kind {
            TokenKind::OpenBrace => loops,
            TokenKind::Semicolon | TokenKind::Keyword(Keyword::Tel) => true,
            _ => false,
        });
        if loops && self.is(TokenKind::OpenBrace) {
            self.skip_loop();
        }
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let start = self.span();
        let targets = match self.kind() {
            TokenKind::Identifier => vec![self.reference()?],
            TokenKind::OpenParenthesis => self.bracketed(PARENTHESES, "a variable", |parser| {
                parser.separated(TokenKind::Comma, TokenKind::CloseParenthesis, Self::reference)
            })?,
            _ => return Err(self.fail("an equation")),
        };
        let pattern = self.since(start);
        let operator = binary_operator(self.kind());
        if operator.is_some() {
            self.advance();
        }
        let imperative = self.eat(TokenKind::Colon).is_some();
        if self.eat(TokenKind::Equals).is_none() {
            return Err(self.not_an_assignment(pattern, operator.is_some() || imperative));
        }
        let at = self.span();
        let value = self.expression().unwrap_or_else(|_| {
            let span = self.since(at);
            Expression { kind: ExpressionKind::Error, span, parenthesised: false }
        });
        if matches!(value.kind, ExpressionKind::Error) {
            self.skip_equation();
        }
        Ok(Assignment { targets, operator, imperative, value, span: self.since(start) })
    }

    fn not_an_assignment(&mut self, pattern: Span, begun: bool) -> Reported {
        let span = self.span();
        let target = self.spelling(pattern);
        match self.kind() {
            TokenKind::ShiftLeft
            | TokenKind::ShiftRight
            | TokenKind::ShiftRightArithmetic
            | TokenKind::RotateLeft
            | TokenKind::RotateRight
                if !begun && matches!(self.ahead(1).kind, TokenKind::Equals | TokenKind::Colon) =>
            {
                self.report_here(messages::shift_assignment(span, target, self.found()))
            }
            TokenKind::OpenParenthesis | TokenKind::Less if !begun => {
                self.report_here(messages::result_ignored(span, target))
            }
            TokenKind::Identifier if !begun && types::of_declaration(target).is_some() => {
                let ty = types::of_declaration(target);
                self.report_here(messages::declaration_of_c(pattern, target, self.found(), ty.as_deref()))
            }
            _ if begun => self.fail("`=`"),
            _ => self.fail("`=` or `:=`"),
        }
    }

    fn forall(&mut self) -> Parsed<Forall> {
        let start = self.span();
        let attributes = self.loop_attributes();
        let keyword = self.expect_keyword(Keyword::Forall, "`forall`")?;
        // Inside the body its equations need a few levels more than the loop itself.
        if self.too_deep(4) {
            let reported = self.report(messages::too_deep(keyword, DEEPEST));
            self.skip_loop();
            return Err(reported);
        }
        let header = self.within(keyword, "a loop", "its body, `{ … }`", Self::loop_header);
        if header.is_err() {
            // The body is read all the same, for its own errors, if it is plain where it begins.
            self.skip_until(|kind| {
                matches!(kind, TokenKind::OpenBrace | TokenKind::Semicolon | TokenKind::Keyword(Keyword::Tel))
            });
            if !self.is(TokenKind::OpenBrace) {
                return Err(Reported);
            }
        }
        let body = self.bracketed(LOOP_BRACES, "`{` and the body of the loop", |parser| {
            parser.loops += 1;
            let body = parser.equations();
            parser.loops -= 1;
            Ok(body)
        })?;
        let ((variable, first, last), half_open) = header?;
        Ok(Forall {
            attributes,
            variable,
            start: first,
            stop: last,
            half_open,
            body,
            span: self.since(start),
        })
    }

    /// Moves past the body of a loop that is not read.
    fn skip_loop(&mut self) {
        while !self.at_item()
            && !matches!(self.kind(), TokenKind::OpenBrace | TokenKind::Keyword(Keyword::Tel))
        {
            self.advance();
        }
        if self.eat(TokenKind::OpenBrace).is_some() {
            self.skip_until(|kind| matches!(kind, TokenKind::CloseBrace | TokenKind::Keyword(Keyword::Tel)));
            self.eat(TokenKind::CloseBrace);
        }
    }

    fn loop_header(&mut self) -> Parsed<(Header, bool)> {
        let variable = self.declared_name("the variable of the loop")?;
        self.expect_keyword(Keyword::In, "`in` and the bounds")?;
        self.range_bracketed("the bounds of the loop, `[first, last]`", |parser| {
            let first = parser.static_expression()?;
            if parser.is(TokenKind::DotDot) {
                let span = parser.span();
                parser.report(messages::range_bounds(span));
                parser.advance();
            } else {
                parser.expect(TokenKind::Comma, "`,` and the last value of the loop")?;
            }
            Ok((variable, first, parser.static_expression()?))
        })
    }

    fn loop_attributes(&mut self) -> Vec<LoopAttribute> {
        let mut attributes = Vec::new();
        loop {
            let kind = match self.kind() {
                TokenKind::Keyword(Keyword::Unroll) => LoopAttributeKind::Unroll,
                TokenKind::Keyword(Keyword::NoUnroll) => LoopAttributeKind::NoUnroll,
                TokenKind::Keyword(Keyword::Pipelined) => LoopAttributeKind::Pipelined,
                TokenKind::Keyword(Keyword::Inline | Keyword::NoInline | Keyword::NoOpt)
                    if !attributes.is_empty() =>
                {
                    self.report(messages::definition_attribute_on_loop(self.span(), self.found()));
                    self.advance();
                    continue;
                }
                _ => return attributes,
            };
            attributes.push(LoopAttribute { kind, span: self.advance() });
        }
    }

    pub(super) fn reference(&mut self) -> Parsed<Reference> {
        let name = self.name("a variable")?;
        self.selections(name)
    }
}
