//! Expressions, references, types, and integers in rows.

use super::Walk;
use crate::format::layout::Doc;
use crate::syntax::lexer::TokenKind;

/// Integers in a row unless the author chose otherwise.
const ROW: usize = 16;
/// The widest row of integers, without its indent.
const ROW_WIDTH: usize = 100;

impl Walk<'_> {
    // ---- Integers in rows ------------------------------------------------------------------------------------

    /// Integers between brackets, from the opening one to the closing one. All are `width` wide, if that is given;
    /// else they are aligned if there are several rows.
    pub(super) fn list(&mut self, close: TokenKind, width: Option<usize>) -> Doc {
        let inline_space = close == TokenKind::CloseBrace;
        let open = self.token();
        let broken = self.begins_line();

        // Where entries begin, and where the author began rows.
        let end = (self.at..self.tokens.len()).find(|&n| self.tokens.get(n).is_some_and(|t| t.kind == close));
        let end = end.unwrap_or(self.at);
        let is_comma = |n: usize| self.tokens.get(n).is_some_and(|t| t.kind == TokenKind::Comma);
        let starts: Vec<usize> = (self.at..end).filter(|&n| n == self.at || is_comma(n - 1)).collect();
        let lengths: Vec<usize> = starts
            .iter()
            .map(|&start| (start..end).take_while(|&n| !is_comma(n)).map(|n| self.spelling(n).len()).sum())
            .collect();
        let begins = |start: usize| {
            let comma = start.checked_sub(1).filter(|&comma| comma >= self.at);
            [Some(start), comma].into_iter().flatten().any(|n| self.around(n).is_some_and(|t| t.begins_line))
        };
        let mut rows: Vec<bool> =
            starts.iter().enumerate().map(|(i, &start)| i > 0 && begins(start)).collect();
        if !rows.contains(&true) {
            rows = (0..starts.len()).map(|i| i > 0 && i % ROW == 0).collect();
        }

        let plain: usize = lengths.iter().map(|length| length.max(&width.unwrap_or(0)) + 2).sum();
        let several = rows.contains(&true) || plain > ROW_WIDTH + 2;
        let widest = lengths.iter().copied().max().unwrap_or(0);
        let width = width.unwrap_or(if several { widest } else { 0 });
        let mut column = 0;
        for (row, length) in rows.iter_mut().zip(&lengths) {
            let next = length.max(&width) + 2;
            if *row || (column > 0 && column + next > ROW_WIDTH + 2) {
                (*row, column) = (true, 0);
            }
            column += next;
        }

        let mut body = Vec::new();
        for (row, length) in rows.iter().zip(&lengths) {
            if *row {
                body.push(Doc::Hard);
            } else if !body.is_empty() {
                body.push(Doc::Space);
            }
            let mut pad = self.spelling(self.at).len() + width.saturating_sub(*length);
            while !matches!(self.kind(), TokenKind::Comma | TokenKind::EndOfFile) && !self.is(close) {
                body.push(self.padded(pad));
                pad = 0;
            }
            if self.is(TokenKind::Comma) {
                body.extend(self.separator());
            }
        }
        if broken || several {
            body.insert(0, Doc::Hard);
            body.push(Doc::Hard);
            body.extend(self.leading_of_closer(false));
            return Doc::Concat(vec![open, Doc::Nest(body), Doc::Hard, self.token()]);
        }
        if !inline_space {
            body.extend(self.leading_of_closer(false));
            return Doc::Concat(vec![open, Doc::Nest(body), self.token()]);
        }
        body.insert(0, Doc::Line);
        body.extend(self.leading_of_closer(false));
        Doc::Group(vec![open, Doc::Nest(body), Doc::Line, self.token()])
    }

    /// Whether the parenthesis at the cursor holds two or more constants and nothing else.
    pub(super) fn at_tuple_of_constants(&self) -> bool {
        let mut at = 1;
        loop {
            if self.ahead(at) != TokenKind::Integer {
                return false;
            }
            at += 1;
            if self.ahead(at) == TokenKind::Colon {
                // A size in brackets would make it no plain row entry.
                at += 2;
            }
            match self.ahead(at) {
                TokenKind::Comma => at += 1,
                kind => return kind == TokenKind::CloseParenthesis && at > 2,
            }
        }
    }

    // ---- Expressions -----------------------------------------------------------------------------------------

    pub(super) fn expression(&mut self) -> Doc {
        let mut pieces = Vec::new();
        loop {
            let mut docs = vec![self.operand()];
            while matches!(
                self.kind(),
                TokenKind::ShiftLeft
                    | TokenKind::ShiftRight
                    | TokenKind::ShiftRightArithmetic
                    | TokenKind::RotateLeft
                    | TokenKind::RotateRight
            ) {
                docs.extend([Doc::Space, self.token(), Doc::Space, self.static_expression()]);
            }
            if !self.at_operator() {
                return Doc::Fill(pieces, Box::new(Doc::Concat(docs)));
            }
            docs.extend([Doc::Space, self.token()]);
            pieces.push((Doc::Concat(docs), Doc::Line));
        }
    }

    fn at_operator(&self) -> bool {
        use TokenKind::{Ampersand, Caret, Pipe, PlusPlus};
        matches!(self.kind(), Ampersand | Pipe | Caret | PlusPlus) || self.at_static_operator()
    }

    fn at_static_operator(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Plus | TokenKind::Minus | TokenKind::Star | TokenKind::Slash | TokenKind::Percent
        )
    }

    fn operand(&mut self) -> Doc {
        let mut docs = Vec::new();
        while matches!(self.kind(), TokenKind::Tilde | TokenKind::Exclamation) {
            docs.push(self.token());
        }
        match self.kind() {
            TokenKind::OpenParenthesis if self.at_tuple_of_constants() => {
                docs.push(self.list(TokenKind::CloseParenthesis, None));
            }
            TokenKind::OpenParenthesis => docs.push(self.arguments()),
            TokenKind::Integer => {
                docs.push(self.token());
                docs.extend(self.annotation());
            }
            TokenKind::Keyword(_) => {
                docs.push(self.token());
                docs.push(self.arguments());
                docs.extend(self.annotation());
            }
            TokenKind::Identifier if self.ahead(1) == TokenKind::Less => {
                docs.extend([self.token(), self.token(), self.static_expression(), self.token()]);
                docs.push(self.arguments());
            }
            TokenKind::Identifier if self.ahead(1) == TokenKind::OpenParenthesis => {
                docs.push(self.token());
                docs.push(self.arguments());
                if self.is(TokenKind::Colon) {
                    docs.extend([self.token(), self.token()]);
                }
                docs.extend(self.selections());
            }
            TokenKind::Identifier => {
                docs.push(self.reference());
                if self.is(TokenKind::OpenBrace) {
                    docs.push(self.pattern(TokenKind::CloseBrace));
                }
            }
            _ => docs.push(self.token()),
        }
        Doc::Concat(docs)
    }

    /// `: type`, if that stands at the cursor.
    pub(super) fn annotation(&mut self) -> Vec<Doc> {
        if self.is(TokenKind::Colon) { vec![self.token(), self.written_type()] } else { Vec::new() }
    }

    /// Expressions in parentheses; among them may be the pattern of a `Shuffle`.
    fn arguments(&mut self) -> Doc {
        let open = self.token();
        let inner = self.filled(TokenKind::CloseParenthesis, false, |walk| match walk.kind() {
            TokenKind::OpenBracket => walk.pattern(TokenKind::CloseBracket),
            _ => walk.expression(),
        });
        Doc::Concat(vec![open, Doc::Nest(vec![inner]), self.token()])
    }

    /// Integers in brackets or braces, filled into lines.
    fn pattern(&mut self, close: TokenKind) -> Doc {
        let open = self.token();
        let inner = self.filled(close, true, Self::token);
        Doc::Concat(vec![open, Doc::Nest(vec![inner]), self.token()])
    }

    pub(super) fn reference(&mut self) -> Doc {
        let mut docs = vec![self.token()];
        docs.extend(self.selections());
        Doc::Concat(docs)
    }

    fn selections(&mut self) -> Vec<Doc> {
        let mut docs = Vec::new();
        while self.is(TokenKind::OpenBracket) {
            let open = self.token();
            let half_open = self.ends_half_open();
            let close = if half_open { TokenKind::CloseParenthesis } else { TokenKind::CloseBracket };
            let inner = self.filled(close, !half_open, |walk| {
                let mut docs = vec![walk.static_expression()];
                if walk.is(TokenKind::DotDot) {
                    docs.extend([walk.token(), walk.static_expression()]);
                }
                Doc::Concat(docs)
            });
            docs.extend([open, Doc::Nest(vec![inner]), self.token()]);
        }
        docs
    }

    pub(super) fn static_expression(&mut self) -> Doc {
        let mut docs = Vec::new();
        loop {
            if self.is(TokenKind::OpenParenthesis) {
                docs.extend([self.token(), self.static_expression()]);
            }
            let function = self.is(TokenKind::Identifier) && self.ahead(1) == TokenKind::OpenParenthesis;
            docs.push(self.token());
            if function {
                docs.push(self.token());
                let inner = self.filled(TokenKind::CloseParenthesis, false, Self::static_expression);
                docs.extend([inner, self.token()]);
            }
            if !self.at_static_operator() {
                return Doc::Concat(docs);
            }
            docs.push(self.token());
        }
    }

    pub(super) fn written_type(&mut self) -> Doc {
        let mut docs = vec![self.token()];
        while self.is(TokenKind::OpenBracket) {
            docs.extend([self.token(), self.static_expression(), self.token()]);
        }
        Doc::Concat(docs)
    }
}
