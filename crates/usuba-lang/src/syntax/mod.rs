//! Text to the surface syntax tree: [`parse`].
//!
//! A hand-written lexer and a recursive-descent parser. The parser goes on after an error: it takes up again at the
//! next `;`, `tel`, `}` or definition, so that one run reports every independent error once.

mod cursor;
mod definitions;
mod equations;
mod expressions;
pub(crate) mod lexer;
mod messages;
mod precedence;
mod public;
mod types;

use crate::ast;
use crate::diagnostic::{Diagnostic, Severity, first_of};
use crate::source::SourceId;

/// The deepest tree that is built, in levels of parentheses, loops and operators. Every later stage may therefore
/// recurse over a tree, and a tree may be dropped, without regard for the stack.
pub const DEEPEST: u32 = 200;

/// The code of the warning about mixes of operators that group otherwise than in C.
pub const PRECEDENCE: &str = "W-precedence";

/// Reads `text`, the text numbered `source`, as one file.
///
/// Always returns a tree: what could not be read is left out of it or is [`ast::ExpressionKind::Error`], and an error
/// among the diagnostics says so. The diagnostics are in order of their places; warnings are `W-precedence` and `W-directive` only.
/// Time is linear in the length of the text, save for integers, whose length is limited.
pub fn parse(source: SourceId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    let lexed = lexer::lex(source, text);
    let mut parser = cursor::Parser::new(source, text, lexed.tokens);
    let file = parser.file();
    let mut diagnostics = lexed.diagnostics;
    diagnostics.append(&mut parser.diagnostics);
    if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
        diagnostics.extend(precedence::warnings(&file, text));
    }
    diagnostics.sort_by_key(|d| d.span.map_or((0, 0), |s| (s.start, s.end)));
    (file, first_of(diagnostics))
}
