//! The formatter: programs in one canonical layout.

mod layout;
mod trivia;
mod walk;

use crate::diagnostic::Diagnostic;
use crate::source::SourceId;
use crate::syntax;

/// The program `text` in its canonical layout; the diagnostics of the parser if it has errors, whose places are in
/// `SourceId(0)`.
///
/// Indents are four blanks, each equation has its own line, and lines are wrapped at 110 columns where the grammar
/// lets them. Every comment stays with the words beside it, and the author's single blank lines between equations and
/// definitions, parentheses and spellings of integers stay. Rows of integers stay as the author broke them, their
/// columns aligned, or are of 16. What follows `__END__` stays as it is.
///
/// The result reads as the same tree, and formatting it again changes nothing.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let source = SourceId(0);
    let (_, diagnostics) = syntax::parse(source, text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics.into_iter().filter(Diagnostic::is_error).collect());
    }
    let lexed = syntax::lexer::lex(source, text);
    let end = text.get(lexed.end..).unwrap_or("");
    let mut formatted = layout::print(&walk::file(text, lexed));
    if !end.is_empty() {
        if !formatted.is_empty() {
            formatted.push('\n');
        }
        formatted.push_str(end);
    }
    Ok(formatted)
}
