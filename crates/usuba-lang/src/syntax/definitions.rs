//! Items: includes, and definitions down to their bodies.

use super::cursor::{BODY_BRACKETS, BRACES, PARENTHESES, Parsed, Parser};
use super::lexer::{Keyword, TokenKind};
use super::messages;
use crate::ast::{Attribute, AttributeKind, Bodies, Declaration, Definition, File, Item, List, NodeBody};
use crate::source::Span;

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.is(TokenKind::EndOfFile) {
            let start = self.token().start;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    // An item that fails at its own first token must not be tried again.
                    if self.token().start == start {
                        self.advance();
                    }
                    self.skip_to_item();
                }
            }
        }
        File { items }
    }

    fn item(&mut self) -> Parsed<Item> {
        if let Some(start) = self.eat_keyword(Keyword::Include) {
            return self.within(start, "an `include`", "a path in quotes", |parser| {
                let path = parser.expect(TokenKind::Text, "the path of a file in quotes")?;
                let text = parser.spelling(path);
                let path = text.get(1..text.len().saturating_sub(1)).unwrap_or("").to_string();
                Ok(Item::Include { path, span: parser.since(start) })
            });
        }
        if self.is_keyword(Keyword::Const) {
            return self.constant().map(Item::Constant);
        }
        if self.at_cipher() {
            return self.cipher().map(Item::Cipher);
        }
        let start = self.span();
        let attributes = self.attributes()?;
        let TokenKind::Keyword(keyword @ (Keyword::Node | Keyword::Perm | Keyword::Table)) = self.kind()
        else {
            if self.is(TokenKind::EndOfFile) && !attributes.is_empty() {
                let attribute = self.previous_span();
                return self.within(
                    attribute,
                    "a definition",
                    "`node`, `perm` or `table` and what follows",
                    |p| Err(p.fail("a definition")),
                );
            }
            if self.is(TokenKind::Identifier)
                && matches!(self.ahead(1).kind, TokenKind::Identifier | TokenKind::Star)
            {
                return Err(self.report_here(messages::function_of_c(start, self.found())));
            }
            return Err(self.fail("`node`, `perm`, `table` or `include`"));
        };
        let opened = self.advance();
        let (thing, closer) = match keyword {
            Keyword::Node => ("a node", "its body, `let … tel`"),
            Keyword::Perm => ("a permutation", "its list, `{ … }`"),
            _ => ("a table", "its list, `{ … }`"),
        };
        self.within(opened, thing, closer, |parser| parser.definition(start, attributes, keyword, opened))
            .map(Item::Definition)
    }

    fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut attributes = Vec::new();
        loop {
            let start = self.span();
            let kind = match self.kind() {
                TokenKind::Keyword(Keyword::Inline) => AttributeKind::Inline,
                TokenKind::Keyword(Keyword::NoInline) => AttributeKind::NoInline,
                TokenKind::Keyword(Keyword::NoOpt) => AttributeKind::NoOpt,
                TokenKind::Keyword(Keyword::Interleave) => {
                    self.advance();
                    let factor = self.bracketed(PARENTHESES, "`(` and the number of copies", |p| {
                        p.integer("an integer")
                    })?;
                    attributes
                        .push(Attribute { kind: AttributeKind::Interleave(factor), span: self.since(start) });
                    continue;
                }
                TokenKind::Keyword(Keyword::Unroll | Keyword::NoUnroll | Keyword::Pipelined) => {
                    self.report(messages::loop_attribute_on_definition(start, self.found()));
                    self.advance();
                    continue;
                }
                // These two came later than the reserved words, and stay names everywhere else.
                TokenKind::Identifier => match self.found() {
                    "_lsb" => AttributeKind::Lsb,
                    "_msb" => AttributeKind::Msb,
                    word if word.starts_with('_') => {
                        self.report(messages::unknown_attribute(start, word));
                        self.advance();
                        continue;
                    }
                    _ => return Ok(attributes),
                },
                _ => return Ok(attributes),
            };
            self.advance();
            attributes.push(Attribute { kind, span: start });
        }
    }

    fn definition(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        keyword: Keyword,
        opened: Span,
    ) -> Parsed<Definition> {
        let array = self.array_mark();
        let name = self.declared_name("the name of the definition")?;
        let cipher = self.cipher_parameter()?;
        let inputs = self.parameters("`(` and the parameters")?;
        let opens = if keyword == Keyword::Node { self.eat_word("opens") } else { None };
        if opens.is_none() {
            self.expect_keyword(Keyword::Returns, "`returns` and the results in parentheses")?;
        }
        let results = self.span();
        let outputs = self.parameters("`(` and the results")?;
        let results = self.since(results);
        if outputs.is_empty() && self.spelling(results).bytes().all(|b| !b.is_ascii_alphanumeric()) {
            self.report(messages::no_results(results, &name.text));
        }
        let facts = if keyword == Keyword::Node { self.facts()? } else { Vec::new() };
        let bodies = match keyword {
            Keyword::Node => Bodies::Node(self.bodies(array, opened, Self::node_body)?),
            Keyword::Perm => Bodies::Perm(self.bodies(array, opened, Self::list)?),
            _ => Bodies::Table(self.bodies(array, opened, Self::list)?),
        };
        let span = self.since(start);
        Ok(Definition {
            attributes,
            name,
            cipher,
            inputs,
            opens,
            outputs,
            facts,
            array: array.is_some(),
            bodies,
            span,
        })
    }

    fn array_mark(&mut self) -> Option<Span> {
        if self.is(TokenKind::OpenBracket) && self.ahead(1).kind == TokenKind::CloseBracket {
            let start = self.advance();
            self.advance();
            let span = self.since(start);
            self.report(messages::split_brackets(span));
            return Some(span);
        }
        self.eat(TokenKind::EmptyBrackets)
    }

    fn bodies<T>(
        &mut self,
        array: Option<Span>,
        keyword: Span,
        body: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let start = self.span();
        if self.is(TokenKind::OpenBracket) {
            if array.is_none() {
                self.report(messages::brackets_without_array(start, keyword, self.spelling(keyword)));
            }
            return self.bracketed(BODY_BRACKETS, "`[`", |parser| {
                parser.separated(TokenKind::Semicolon, TokenKind::CloseBracket, |p| body(p))
            });
        }
        let single = body(self)?;
        if let Some(brackets) = array {
            self.report(messages::array_without_brackets(start, brackets));
        }
        Ok(vec![single])
    }

    /// `( decl, … )`. After an error inside, the rest up to the closing parenthesis is passed over.
    fn parameters(&mut self, what: &'static str) -> Parsed<Vec<Declaration>> {
        let mut declarations = Vec::new();
        let opened = self.expect(TokenKind::OpenParenthesis, what)?;
        let closed = self.within(opened, "a parameter list", "`)`", |parser| {
            if parser.eat(TokenKind::CloseParenthesis).is_some() {
                return Ok(());
            }
            parser.declarations(TokenKind::CloseParenthesis, &mut declarations)?;
            match parser.eat(TokenKind::CloseParenthesis) {
                Some(_) => Ok(()),
                None => Err(parser.fail("`,` and another declaration, or `)`")),
            }
        });
        if closed.is_err() {
            self.skip_until(|kind| {
                use Keyword::{Let, Returns, Tel, Vars};
                matches!(
                    kind,
                    TokenKind::CloseParenthesis
                        | TokenKind::OpenBrace
                        | TokenKind::Keyword(Returns | Vars | Let | Tel)
                )
            });
            self.eat(TokenKind::CloseParenthesis);
        }
        Ok(declarations)
    }

    /// `decl { "," decl }`; a declaration that cannot be read is left out.
    fn declarations(&mut self, close: TokenKind, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        loop {
            declarations.push(self.declaration()?);
            let Some(comma) = self.eat(TokenKind::Comma) else {
                return Ok(());
            };
            if self.is(close) {
                self.report(messages::trailing_separator(comma, ",", self.found()));
                return Ok(());
            }
        }
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        while let TokenKind::Keyword(Keyword::Const | Keyword::LazyLift) = self.kind() {
            self.report(messages::qualifier_before_name(self.span(), self.found()));
            self.advance();
        }
        let mut names = vec![self.declared_name("a name to declare")?];
        while self.eat(TokenKind::Comma).is_some() {
            names.push(self.declared_name("another name to declare")?);
        }
        self.expect(TokenKind::Colon, "`:` and a type")?;
        let (mut constant, mut uniform, mut lazy_lift) = (None, None, None);
        loop {
            if let Some(span) = self.eat_keyword(Keyword::Const) {
                constant = constant.or(Some(span));
            } else if let Some(span) = self.eat_keyword(Keyword::LazyLift) {
                lazy_lift = lazy_lift.or(Some(span));
            } else if let Some(span) = self.eat_word("uniform") {
                uniform = uniform.or(Some(span));
            } else {
                break;
            }
        }
        Ok(Declaration { names, constant, uniform, lazy_lift, ty: self.written_type()? })
    }

    fn node_body(&mut self) -> Parsed<NodeBody> {
        let start = self.span();
        let mut locals = Vec::new();
        if let Some(vars) = self.eat_keyword(Keyword::Vars) {
            let read =
                self.within(vars, "the list of local variables", "`let` and the equations", |parser| {
                    if !parser.is_keyword(Keyword::Let) {
                        parser.declarations(TokenKind::Keyword(Keyword::Let), &mut locals)?;
                    }
                    match parser.is_keyword(Keyword::Let) {
                        true => Ok(()),
                        false => Err(parser.fail("`,` and another declaration, or `let`")),
                    }
                });
            if read.is_err() {
                self.skip_until(|kind| matches!(kind, TokenKind::Keyword(Keyword::Let | Keyword::Tel)));
            }
        }
        let opened = self.expect_keyword(Keyword::Let, "`vars` or `let`")?;
        let equations = self.within(opened, "the body of a node", "`tel`", |parser| {
            let equations = parser.equations();
            if parser.eat_keyword(Keyword::Tel).is_some() {
                return Ok(equations);
            }
            if parser.is(TokenKind::EndOfFile) {
                return Err(parser.fail("`tel`"));
            }
            parser.report_here(messages::missing_tel(parser.span(), parser.found(), opened));
            Ok(equations)
        })?;
        Ok(NodeBody { locals, equations, span: self.since(start) })
    }

    pub(super) fn list(&mut self) -> Parsed<List> {
        let start = self.span();
        let entries = self.bracketed(BRACES, "`{` and a list of integers", |parser| {
            parser.separated(TokenKind::Comma, TokenKind::CloseBrace, |p| p.entry())
        })?;
        Ok(List { entries, span: self.since(start) })
    }
}
