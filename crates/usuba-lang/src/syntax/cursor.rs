//! The parser's place in the tokens, what is open there, and how it recovers.

use super::lexer::{Keyword, Token, TokenKind};
use super::{DEEPEST, messages};
use crate::ast::{Integer, Name};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};
use num_bigint::BigUint;

/// The proof that a diagnostic has been made for what could not be read.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

/// Something begun and not yet ended.
#[derive(Clone, Copy)]
pub(super) struct Open {
    span: Span,
    thing: &'static str,
    closer: &'static str,
}

/// A kind of bracket, with the words that messages use for it.
#[derive(Clone, Copy)]
pub(super) struct Bracket {
    pub(super) open: TokenKind,
    pub(super) close: TokenKind,
    opener: &'static str,
    closer: &'static str,
    thing: &'static str,
}

pub(super) const PARENTHESES: Bracket = Bracket {
    open: TokenKind::OpenParenthesis,
    close: TokenKind::CloseParenthesis,
    opener: "(",
    closer: "`)`",
    thing: "a parenthesis",
};
pub(super) const BRACKETS: Bracket = Bracket {
    open: TokenKind::OpenBracket,
    close: TokenKind::CloseBracket,
    opener: "[",
    closer: "`]`",
    thing: "a bracket",
};
pub(super) const BRACES: Bracket = Bracket {
    open: TokenKind::OpenBrace,
    close: TokenKind::CloseBrace,
    opener: "{",
    closer: "`}`",
    thing: "a list in braces",
};
pub(super) const LOOP_BRACES: Bracket = Bracket { thing: "the body of a loop", ..BRACES };
pub(super) const BODY_BRACKETS: Bracket = Bracket { thing: "the array of bodies", ..BRACKETS };

pub(super) struct Parser<'t> {
    source: SourceId,
    text: &'t str,
    /// Ends with [`TokenKind::EndOfFile`], beyond which the cursor never moves.
    tokens: Vec<Token>,
    at: usize,
    open: Vec<Open>,
    depth: u32,
    /// How many bodies of loops are open.
    pub(super) loops: u32,
    /// The end of the file has been complained about; anything else would repeat that.
    ended: bool,
    /// The token of the last complaint: a second one at the same token would be an echo.
    last_report: Option<usize>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(source: SourceId, text: &'t str, tokens: Vec<Token>) -> Parser<'t> {
        Parser {
            source,
            text,
            tokens,
            at: 0,
            open: Vec::new(),
            depth: 0,
            loops: 0,
            ended: false,
            last_report: None,
            diagnostics: Vec::new(),
        }
    }

    // ---- Looking ---------------------------------------------------------------------------------------------

    pub(super) fn token(&self) -> Token {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> Token {
        let end = Token { kind: TokenKind::EndOfFile, start: self.text.len(), end: self.text.len() };
        self.tokens.get(self.at + count).or(self.tokens.last()).copied().unwrap_or(end)
    }

    /// The token so many places before the cursor.
    pub(super) fn before(&self, count: usize) -> Option<Token> {
        self.at.checked_sub(count).and_then(|place| self.tokens.get(place)).copied()
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    pub(super) fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    pub(super) fn place(&self, token: Token) -> Span {
        Span::new(self.source, token.start, token.end)
    }

    pub(super) fn span(&self) -> Span {
        self.place(self.token())
    }

    /// The place of the token before the cursor.
    pub(super) fn previous_span(&self) -> Span {
        match self.at.checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some(token) => self.place(*token),
            None => Span::new(self.source, 0, 0),
        }
    }

    /// From the first byte of `start` to the last token read.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    /// Whether the token at the cursor is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        let between = Span { start: self.previous_span().end, end: self.span().start, ..self.span() };
        self.spelling(between).contains('\n')
    }

    pub(super) fn spelling(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub(super) fn found(&self) -> &'t str {
        self.spelling(self.span())
    }

    // ---- Moving ----------------------------------------------------------------------------------------------

    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        if !self.is(TokenKind::EndOfFile) {
            self.at += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        self.is(kind).then(|| self.advance())
    }

    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> Option<Span> {
        self.eat(TokenKind::Keyword(keyword))
    }

    /// Whether a word that is reserved only here stands at the cursor.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is(TokenKind::Identifier) && self.found() == word
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Option<Span> {
        self.is_word(word).then(|| self.advance())
    }

    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Span> {
        match self.eat(kind) {
            Some(span) => Ok(span),
            None => Err(self.fail(what)),
        }
    }

    pub(super) fn expect_keyword(&mut self, keyword: Keyword, what: &str) -> Parsed<Span> {
        self.expect(TokenKind::Keyword(keyword), what)
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        use TokenKind::{Colon, Comma, OpenParenthesis};
        if let (TokenKind::Keyword(_), Colon | Comma | OpenParenthesis) = (self.kind(), self.ahead(1).kind) {
            let span = self.span();
            self.report_here(messages::reserved_name(span, self.spelling(span)));
            self.advance();
            return Ok(Name { text: self.spelling(span).to_string(), span });
        }
        let span = self.expect(TokenKind::Identifier, what)?;
        Ok(Name { text: self.spelling(span).to_string(), span })
    }

    /// A name that is declared, and therefore has no dot.
    pub(super) fn declared_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        if name.text.contains('.') {
            self.report(messages::dotted_name(name.span, &name.text));
        }
        Ok(name)
    }

    pub(super) fn integer(&mut self, what: &str) -> Parsed<Integer> {
        if !self.is(TokenKind::Integer) {
            return Err(self.fail(what));
        }
        let span = self.advance();
        let spelling = self.spelling(span);
        let (digits, radix) = match spelling.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (spelling, 10),
        };
        let value = BigUint::parse_bytes(digits.as_bytes(), radix).unwrap_or_default();
        Ok(Integer { value, hexadecimal: radix == 16, span })
    }

    /// `item { separator item }` up to the closing bracket, which is not read. A trailing separator is complained
    /// about and passed over.
    pub(super) fn separated<T>(
        &mut self,
        separator: TokenKind,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while let Some(span) = self.eat(separator) {
            if self.is(close) {
                self.report(messages::trailing_separator(span, self.spelling(span), self.found()));
                break;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Whether so much is open that `more` levels may not be opened.
    pub(super) fn too_deep(&self, more: u32) -> bool {
        self.depth + more > DEEPEST
    }

    // ---- What is open ----------------------------------------------------------------------------------------

    /// Reads with `inside` what stands between `opened` and a closing word that `inside` reads itself.
    pub(super) fn within<T>(
        &mut self,
        opened: Span,
        thing: &'static str,
        closer: &'static str,
        inside: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.too_deep(1) {
            return Err(self.report(messages::too_deep(opened, DEEPEST)));
        }
        self.depth += 1;
        self.open.push(Open { span: opened, thing, closer });
        let result = inside(self);
        self.open.pop();
        self.depth -= 1;
        result
    }

    /// Reads a bracket, what `inside` reads, and its closing bracket.
    pub(super) fn bracketed<T>(
        &mut self,
        bracket: Bracket,
        what: &'static str,
        inside: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let opened = self.expect(bracket.open, what)?;
        let result = self.within(opened, bracket.thing, bracket.closer, |parser| {
            let value = inside(parser)?;
            parser.close(bracket, opened)?;
            Ok(value)
        });
        // A brace left open would be taken for that of a loop.
        if result.is_err() && bracket.open == TokenKind::OpenBrace {
            self.skip_until(|kind| {
                use Keyword::{Let, Tel};
                matches!(kind, TokenKind::CloseBrace | TokenKind::Semicolon | TokenKind::Keyword(Let | Tel))
            });
            self.eat(TokenKind::CloseBrace);
        }
        result
    }

    /// `]`, or the complaint that it is missing.
    pub(super) fn close_bracket(&mut self, opened: Span) -> Parsed<Span> {
        self.close(BRACKETS, opened)
    }

    fn close(&mut self, bracket: Bracket, opened: Span) -> Parsed<Span> {
        if let Some(span) = self.eat(bracket.close) {
            return Ok(span);
        }
        if self.is(TokenKind::EndOfFile) {
            return Err(self.fail(bracket.closer));
        }
        let message = messages::unclosed(self.span(), bracket.closer, self.found(), opened, bracket.opener);
        Err(self.report_here(message))
    }

    // ---- Complaining -----------------------------------------------------------------------------------------

    /// Adds a diagnostic unless the end of the file has already been reported.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if !self.ended {
            self.last_report = Some(self.at);
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Adds a diagnostic about the token at the cursor, unless there is one.
    pub(super) fn report_here(&mut self, diagnostic: Diagnostic) -> Reported {
        // The lexer has said what there is to say about an unknown token.
        if self.last_report == Some(self.at) || self.is(TokenKind::Unknown) {
            return Reported;
        }
        self.report(diagnostic)
    }

    /// Says that `what` was expected at the cursor.
    pub(super) fn fail(&mut self, what: &str) -> Reported {
        if !self.is(TokenKind::EndOfFile) {
            return self.report_here(messages::expected(self.span(), what, self.found()));
        }
        if let Some(open) = self.open.last() {
            self.report(messages::end_of_file(open.span, open.thing, open.closer));
        }
        self.ended = true;
        Reported
    }

    // ---- Recovering ------------------------------------------------------------------------------------------

    /// Whether the token at the cursor begins an item of a file.
    pub(super) fn at_item(&self) -> bool {
        use Keyword::{Const, Include, Inline, Interleave, NoInline, NoOpt, Node, Perm, Table};
        let TokenKind::Keyword(keyword) = self.kind() else {
            return self.is(TokenKind::EndOfFile) || self.at_cipher();
        };
        // Among declarations `const` follows a colon; an item begins a line.
        if keyword == Const {
            return self.at_constant();
        }
        matches!(keyword, Node | Perm | Table | Include | Inline | NoInline | NoOpt | Interleave)
    }

    /// Moves to the next item or to the end of the file.
    pub(super) fn skip_to_item(&mut self) {
        while !self.at_item() {
            self.advance();
        }
    }

    /// Moves to the next token that `stop` accepts, or to the next item, passing over brackets that open on the way.
    pub(super) fn skip_until(&mut self, stop: impl Fn(TokenKind) -> bool) {
        let mut depth = 0u32;
        while !self.at_item() {
            if depth == 0 && stop(self.kind()) {
                return;
            }
            match self.kind() {
                TokenKind::OpenParenthesis | TokenKind::OpenBracket | TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseParenthesis | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            self.advance();
        }
    }
}
