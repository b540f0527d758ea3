//! From the tokens of a program to its document, along the grammar.
//!
//! The walk works on tokens, not on the tree, so that nothing the author wrote can get lost. It may assume that the
//! tokens parse; on any others it would still end, and print each of them.

mod expression;

use super::layout::Doc;
use super::trivia::{Trivia, gather};
use crate::syntax::lexer::{Keyword, Lexed, Token, TokenKind};

/// The document of a whole file, `__END__` and what follows left out.
pub(super) fn file(text: &str, lexed: Lexed) -> Doc {
    let trivia = gather(text, &lexed);
    let mut walk = Walk { text, tokens: lexed.tokens, trivia, at: 0 };
    let mut docs = Vec::new();
    let mut previous_is_node = false;
    while !walk.is(TokenKind::EndOfFile) {
        let is_node = walk.item_keyword() == Some(Keyword::Node);
        let first = docs.is_empty();
        if !first {
            docs.push(Doc::Hard);
            if is_node || previous_is_node {
                docs.push(Doc::Blank);
            }
        }
        docs.extend(walk.leading(first));
        docs.push(walk.item());
        previous_is_node = is_node;
    }
    docs.push(Doc::Hard);
    let first = docs.len() == 1;
    docs.extend(walk.leading(first));
    Doc::Concat(docs)
}

struct Walk<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    trivia: Vec<Trivia>,
    at: usize,
}

impl Walk<'_> {
    // ---- Tokens ----------------------------------------------------------------------------------------------

    fn ahead(&self, count: usize) -> TokenKind {
        self.tokens.get(self.at + count).map_or(TokenKind::EndOfFile, |token| token.kind)
    }

    fn kind(&self) -> TokenKind {
        self.ahead(0)
    }

    fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn around(&self, number: usize) -> Option<&Trivia> {
        self.trivia.get(number)
    }

    fn begins_line(&self) -> bool {
        self.around(self.at).is_some_and(|trivia| trivia.begins_line)
    }

    fn spelling(&self, number: usize) -> &str {
        self.tokens.get(number).and_then(|token| self.text.get(token.start..token.end)).unwrap_or("")
    }

    /// The comments before the token at the cursor, as lines of a block, with the author's empty lines; none at the
    /// beginning of a block.
    fn leading(&mut self, first: bool) -> Vec<Doc> {
        let mut docs = Vec::new();
        let Some(trivia) = self.trivia.get_mut(self.at) else {
            return docs;
        };
        for (comment, blank) in trivia.leading.drain(..) {
            if blank && !(first && docs.is_empty()) {
                docs.push(Doc::Blank);
            }
            docs.push(Doc::Own(comment));
        }
        if trivia.blank && !(first && docs.is_empty()) && self.tokens.len() > self.at + 1 {
            docs.push(Doc::Blank);
        }
        docs
    }

    /// The same before a token that ends a block, where an empty line is never kept.
    fn leading_of_closer(&mut self, first: bool) -> Vec<Doc> {
        let mut docs = self.leading(first);
        while matches!(docs.last(), Some(Doc::Blank)) {
            docs.pop();
        }
        docs
    }

    /// The token at the cursor with its comments; the cursor moves on, but not beyond the end of the file.
    fn token(&mut self) -> Doc {
        self.padded(0)
    }

    /// The same, with blanks before it up to a width.
    fn padded(&mut self, width: usize) -> Doc {
        let spelling = self.spelling(self.at);
        let blanks = width.saturating_sub(spelling.len());
        let text = format!("{:blanks$}{spelling}", "");
        let Some(trivia) = self.trivia.get_mut(self.at) else {
            return Doc::text("");
        };
        let trivia = std::mem::take(trivia);
        if !self.is(TokenKind::EndOfFile) {
            self.at += 1;
        }
        if trivia.leading.is_empty() && trivia.trailing.is_empty() {
            return Doc::Text(text);
        }
        let mut docs: Vec<Doc> = trivia.leading.into_iter().map(|(comment, _)| Doc::Own(comment)).collect();
        docs.push(Doc::Text(text));
        docs.extend(trivia.trailing.into_iter().map(Doc::Trailing));
        Doc::Concat(docs)
    }

    /// A separator at the cursor, glued to what it follows. Comments before it go before the next token instead.
    fn separator(&mut self) -> Vec<Doc> {
        let mut docs = vec![Doc::Glued(self.spelling(self.at).to_string())];
        docs.extend(self.drop_token());
        docs
    }

    /// Leaves out the token at the cursor, not its comments.
    fn drop_token(&mut self) -> Vec<Doc> {
        let Some(trivia) = self.trivia.get_mut(self.at) else {
            return Vec::new();
        };
        let dropped = std::mem::take(trivia);
        if !self.is(TokenKind::EndOfFile) {
            self.at += 1;
        }
        if let Some(next) = self.trivia.get_mut(self.at) {
            next.leading.splice(0..0, dropped.leading);
        }
        dropped.trailing.into_iter().map(Doc::Trailing).collect()
    }

    /// The pieces that `piece` makes up to `close`, filled into lines; `close` itself is not taken.
    fn filled(&mut self, close: TokenKind, gaps: bool, mut piece: impl FnMut(&mut Self) -> Doc) -> Doc {
        let mut pieces = Vec::new();
        loop {
            let at = self.at;
            let mut docs = if self.is(close) { Vec::new() } else { vec![piece(self)] };
            let more = self.is(TokenKind::Comma) && self.at > at;
            if more {
                docs.extend(self.separator());
                let gap = match gaps {
                    true => Doc::Gap(self.around(self.at).is_some_and(|trivia| trivia.wide)),
                    false => Doc::Line,
                };
                pieces.push((Doc::Concat(docs), gap));
            } else {
                return Doc::Fill(pieces, Box::new(Doc::Concat(docs)));
            }
        }
    }

    // ---- Items -----------------------------------------------------------------------------------------------

    /// The keyword of the item at the cursor, behind its attributes.
    fn item_keyword(&self) -> Option<Keyword> {
        if self.at_short_item() {
            return None;
        }
        let kinds = self.tokens.get(self.at..).unwrap_or(&[]).iter().map(|token| token.kind);
        kinds
            .filter_map(|kind| match kind {
                TokenKind::Keyword(keyword) => Some(keyword),
                _ => None,
            })
            .find(|keyword| {
                matches!(keyword, Keyword::Node | Keyword::Perm | Keyword::Table | Keyword::Include)
            })
    }

    /// Whether a constant or a cipher of the program stands at the cursor.
    fn at_short_item(&self) -> bool {
        self.is(TokenKind::Keyword(Keyword::Const))
            || (self.is_word("cipher") && self.ahead(1) == TokenKind::Identifier)
    }

    fn is_word(&self, word: &str) -> bool {
        self.is(TokenKind::Identifier) && self.spelling(self.at) == word
    }

    /// `const N = 4`, `const RC:u32[2] = (1, 2)`, `cipher Toy (encrypt = F)`.
    fn short_item(&mut self) -> Doc {
        let mut docs = vec![self.token(), Doc::Space, self.token()];
        if self.is(TokenKind::OpenParenthesis) {
            docs.extend([Doc::Space, self.token()]);
            let inner = self.filled(TokenKind::CloseParenthesis, false, |walk| {
                let role = walk.token();
                Doc::Concat(vec![role, Doc::Space, walk.token(), Doc::Space, walk.token()])
            });
            docs.extend([Doc::Nest(vec![inner]), self.token()]);
            return Doc::Concat(docs);
        }
        docs.extend(self.annotation());
        docs.extend([Doc::Space, self.token(), Doc::Space]);
        if !self.is(TokenKind::OpenParenthesis) {
            docs.push(self.static_expression());
        } else if self.at_tuple_of_constants() {
            docs.push(self.list(TokenKind::CloseParenthesis, None));
        } else {
            docs.push(self.static_expression());
        }
        Doc::Concat(docs)
    }

    fn item(&mut self) -> Doc {
        if self.at_short_item() {
            return self.short_item();
        }
        let mut docs = Vec::new();
        loop {
            let kind = self.kind();
            if kind == TokenKind::EndOfFile {
                return Doc::Concat(docs);
            }
            docs.push(self.token());
            match kind {
                TokenKind::Keyword(Keyword::Include) => {
                    docs.push(Doc::Space);
                    docs.push(self.token());
                    return Doc::Concat(docs);
                }
                TokenKind::Keyword(Keyword::Node | Keyword::Perm | Keyword::Table) => {
                    let mut header = Vec::new();
                    self.header(&mut header);
                    docs.push(Doc::Nest(header));
                    self.facts(&mut docs);
                    self.bodies(&mut docs);
                    return Doc::Concat(docs);
                }
                _ if self.is(TokenKind::OpenParenthesis) => {
                    docs.extend([self.token(), self.token(), self.token()]);
                    docs.push(Doc::Space);
                }
                _ => docs.push(Doc::Space),
            }
        }
    }

    /// From behind the keyword to the results.
    fn header(&mut self, docs: &mut Vec<Doc>) {
        if self.is(TokenKind::EmptyBrackets) {
            docs.push(self.token());
        }
        docs.extend([Doc::Space, self.token(), Doc::Space]);
        if self.is(TokenKind::Less) {
            docs.extend([self.token(), self.token(), self.token(), Doc::Space, self.token(), self.token()]);
            docs.push(Doc::Space);
        }
        docs.push(self.parameters());
        docs.extend([Doc::Line, self.token(), Doc::Space]);
        docs.push(self.parameters());
        // Only a header that is too long is broken, before `returns`.
        let header = std::mem::take(docs);
        docs.push(Doc::Group(header));
    }

    /// `where …`, on lines of its own.
    fn facts(&mut self, docs: &mut Vec<Doc>) {
        if !self.is_word("where") {
            return;
        }
        docs.extend([Doc::Hard, self.token()]);
        let close = if self.facts_end_with_vars() { Keyword::Vars } else { Keyword::Let };
        let facts = self.filled(TokenKind::Keyword(close), false, Self::condition);
        docs.push(Doc::Nest(vec![Doc::Space, facts]));
    }

    fn facts_end_with_vars(&self) -> bool {
        let kinds = self.tokens.get(self.at..).unwrap_or(&[]).iter().map(|token| token.kind);
        let ends = |kind: &TokenKind| matches!(kind, TokenKind::Keyword(Keyword::Vars | Keyword::Let));
        kinds.into_iter().find(ends) == Some(TokenKind::Keyword(Keyword::Vars))
    }

    /// Comparisons with `and` and `or` between them, or `n = (len + 15) / 16`.
    fn condition(&mut self) -> Doc {
        let mut docs = Vec::new();
        loop {
            docs.push(self.static_expression());
            if self.is(TokenKind::Keyword(Keyword::In)) {
                docs.extend([Doc::Space, self.token(), Doc::Space, self.token()]);
                let inner = self.filled(TokenKind::CloseBrace, false, Self::token);
                docs.extend([Doc::Nest(vec![inner]), self.token()]);
            } else if self.at_comparison() {
                docs.push(Doc::Space);
                while self.at_comparison() {
                    docs.push(self.token());
                }
                docs.extend([Doc::Space, self.static_expression()]);
            }
            if !(self.is_word("and") || self.is_word("or")) {
                return Doc::Concat(docs);
            }
            docs.extend([Doc::Space, self.token(), Doc::Space]);
        }
    }

    fn at_comparison(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Equals | TokenKind::Exclamation | TokenKind::Less | TokenKind::Greater
        )
    }

    fn parameters(&mut self) -> Doc {
        let open = self.token();
        let inner = self.filled(TokenKind::CloseParenthesis, false, Self::declaration);
        Doc::Concat(vec![open, Doc::Nest(vec![inner]), self.token()])
    }

    /// A name, with the type if it is the last of its declaration.
    fn declaration(&mut self) -> Doc {
        let mut docs = vec![self.token()];
        if self.is(TokenKind::Colon) {
            docs.push(self.token());
            while matches!(self.kind(), TokenKind::Keyword(Keyword::Const | Keyword::LazyLift))
                || self.is_word("uniform")
            {
                docs.extend([self.token(), Doc::Space]);
            }
            docs.push(self.written_type());
        }
        Doc::Concat(docs)
    }

    fn bodies(&mut self, docs: &mut Vec<Doc>) {
        if !self.is(TokenKind::OpenBracket) {
            let is_list = self.is(TokenKind::OpenBrace);
            docs.push(if is_list { Doc::Space } else { Doc::Hard });
            docs.push(if is_list { self.list(TokenKind::CloseBrace, None) } else { self.node_body() });
            return;
        }
        docs.extend([Doc::Space, self.token()]);
        // The lists of an array are aligned with each other.
        let end = self.matching(TokenKind::OpenBracket, TokenKind::CloseBracket);
        let numbers =
            (self.at..end).filter(|&n| self.tokens.get(n).is_some_and(|t| t.kind == TokenKind::Integer));
        let width = numbers.map(|number| self.spelling(number).len()).max().unwrap_or(0);
        let mut bodies = Vec::new();
        while !matches!(self.kind(), TokenKind::CloseBracket | TokenKind::EndOfFile) {
            bodies.push(Doc::Hard);
            bodies.extend(self.leading(bodies.len() == 1));
            let at = self.at;
            let is_list = self.is(TokenKind::OpenBrace);
            bodies.push(if is_list {
                self.list(TokenKind::CloseBrace, Some(width))
            } else {
                self.node_body()
            });
            if self.is(TokenKind::Semicolon) {
                bodies.extend(self.separator());
            }
            if self.at == at {
                bodies.push(self.token());
            }
        }
        bodies.push(Doc::Hard);
        bodies.extend(self.leading_of_closer(false));
        docs.push(Doc::Nest(bodies));
        docs.push(Doc::Hard);
        docs.push(self.token());
    }

    /// The number of the token that closes what was opened before the cursor.
    fn matching(&self, open: TokenKind, close: TokenKind) -> usize {
        let mut depth = 1usize;
        for number in self.at..self.tokens.len() {
            let kind = self.tokens.get(number).map(|token| token.kind);
            depth += usize::from(kind == Some(open));
            depth -= usize::from(kind == Some(close));
            if depth == 0 {
                return number;
            }
        }
        self.tokens.len()
    }

    fn node_body(&mut self) -> Doc {
        let mut docs = Vec::new();
        if self.is(TokenKind::Keyword(Keyword::Vars)) {
            docs.push(self.token());
            if !self.is(TokenKind::Keyword(Keyword::Let)) {
                let locals = self.filled(TokenKind::Keyword(Keyword::Let), false, Self::declaration);
                docs.push(Doc::Nest(vec![Doc::Space, locals]));
            }
            docs.push(Doc::Hard);
        }
        docs.push(self.token());
        let mut equations = vec![Doc::Hard];
        self.equations(&mut equations);
        equations.push(Doc::Hard);
        equations.extend(self.leading_of_closer(false));
        docs.extend([Doc::Nest(equations), Doc::Hard, self.token()]);
        Doc::Concat(docs)
    }

    // ---- Equations -------------------------------------------------------------------------------------------

    fn at_end_of_equations(&self) -> bool {
        matches!(self.kind(), TokenKind::Keyword(Keyword::Tel) | TokenKind::CloseBrace | TokenKind::EndOfFile)
    }

    /// Equations up to `tel` or `}`, and how many.
    fn equations(&mut self, docs: &mut Vec<Doc>) -> usize {
        let mut count = 0;
        while !self.at_end_of_equations() {
            if count > 0 {
                docs.push(Doc::Hard);
            }
            docs.extend(self.leading(count == 0));
            count += 1;
            let at = self.at;
            let choice = self.at_choice();
            let is_loop =
                choice || !matches!(self.kind(), TokenKind::Identifier | TokenKind::OpenParenthesis);
            docs.push(match is_loop {
                _ if choice => self.choice(),
                true => self.forall(),
                false if self.at_accept() => self.accept(),
                false => self.assignment(),
            });
            // Of the semicolons, one is kept between an assignment and what follows it.
            let semicolons = (0..).take_while(|&n| self.ahead(n) == TokenKind::Semicolon).count();
            let after = self.ahead(semicolons);
            let last = matches!(after, TokenKind::Keyword(Keyword::Tel) | TokenKind::CloseBrace);
            for number in 0..semicolons {
                let keep = number == 0 && !is_loop && !last;
                docs.extend(if keep { self.separator() } else { self.drop_token() });
            }
            if self.at == at {
                docs.push(self.token());
            }
        }
        count
    }

    fn at_choice(&self) -> bool {
        use TokenKind::{Identifier, Integer, OpenParenthesis};
        self.is_word("if") && matches!(self.ahead(1), Identifier | Integer | OpenParenthesis)
    }

    fn at_accept(&self) -> bool {
        use TokenKind::{Identifier, Integer, OpenParenthesis, Tilde};
        self.is_word("accept") && matches!(self.ahead(1), Identifier | Integer | OpenParenthesis | Tilde)
    }

    /// `if P { … } else { … }`, every branch on lines of its own.
    fn choice(&mut self) -> Doc {
        let mut docs = vec![self.token(), Doc::Space, self.condition(), Doc::Space];
        self.branch(&mut docs);
        while self.is_word("else") {
            docs.extend([Doc::Space, self.token(), Doc::Space]);
            if self.is_word("if") {
                docs.extend([self.token(), Doc::Space, self.condition(), Doc::Space]);
            }
            self.branch(&mut docs);
        }
        Doc::Concat(docs)
    }

    fn branch(&mut self, docs: &mut Vec<Doc>) {
        docs.push(self.token());
        let mut body = vec![Doc::Hard];
        self.equations(&mut body);
        body.push(Doc::Hard);
        body.extend(self.leading_of_closer(false));
        docs.extend([Doc::Nest(body), Doc::Hard, self.token()]);
    }

    fn accept(&mut self) -> Doc {
        let accept = self.token();
        let mut docs = vec![Doc::Space, self.expression(), Doc::Space];
        while self.is(TokenKind::Equals) {
            docs.push(self.token());
        }
        docs.extend([Doc::Space, self.expression()]);
        Doc::Concat(vec![accept, Doc::Nest(docs)])
    }

    fn assignment(&mut self) -> Doc {
        let mut docs = Vec::new();
        if self.is(TokenKind::OpenParenthesis) {
            docs.push(self.token());
            let targets = self.filled(TokenKind::CloseParenthesis, false, Self::reference);
            docs.push(Doc::Nest(vec![targets]));
            docs.push(self.token());
        } else {
            docs.push(self.reference());
        }
        docs.push(Doc::Space);
        while !matches!(self.kind(), TokenKind::Equals | TokenKind::EndOfFile) {
            docs.push(self.token());
        }
        docs.extend([self.token(), Doc::Space]);
        // What a single operand holds is indented by its own parentheses.
        docs.push(match self.expression() {
            Doc::Fill(pieces, last) if pieces.is_empty() => *last,
            chain => Doc::Nest(vec![chain]),
        });
        Doc::Concat(docs)
    }

    fn forall(&mut self) -> Doc {
        let mut docs = Vec::new();
        while !matches!(self.kind(), TokenKind::OpenBracket | TokenKind::EndOfFile) {
            docs.extend([self.token(), Doc::Space]);
        }
        docs.push(self.token());
        docs.push(self.static_expression());
        docs.push(self.token());
        if self.ends_half_open() {
            docs.push(Doc::Space);
        }
        docs.extend([self.static_expression(), self.token()]);
        docs.extend([Doc::Space, self.token()]);
        let broken = self.begins_line();
        let mut body = Vec::new();
        let count = self.equations(&mut body);
        let line = || if broken || count > 1 { Doc::Hard } else { Doc::Line };
        body.insert(0, line());
        body.push(line());
        body.extend(self.leading_of_closer(false));
        docs.push(Doc::Nest(body));
        docs.push(self.token());
        Doc::Group(docs)
    }

    /// Whether the bracket that is open at the cursor closes with `)`.
    fn ends_half_open(&self) -> bool {
        let mut depth = 0usize;
        for token in self.tokens.get(self.at..).unwrap_or(&[]) {
            match token.kind {
                TokenKind::OpenParenthesis | TokenKind::OpenBracket => depth += 1,
                TokenKind::CloseParenthesis if depth == 0 => return true,
                TokenKind::CloseParenthesis => depth -= 1,
                TokenKind::CloseBracket if depth == 0 => return false,
                TokenKind::CloseBracket => depth -= 1,
                _ => {}
            }
        }
        false
    }
}
