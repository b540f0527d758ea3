//! What stands between tokens: comments, and how the author broke lines.

use crate::syntax::lexer::Lexed;

/// What stands around one token.
#[derive(Clone, Default)]
pub(super) struct Trivia {
    /// Comments on lines of their own before the token, each with whether an empty line stands before it.
    pub(super) leading: Vec<(String, bool)>,
    /// Whether an empty line stands right before the token, after its comments.
    pub(super) blank: bool,
    /// Whether the token is the first of its line.
    pub(super) begins_line: bool,
    /// Whether two blanks or more stand before the token, on the same line.
    pub(super) wide: bool,
    /// Comments behind the token on its line.
    pub(super) trailing: Vec<String>,
}

/// The trivia of every token, in their order.
pub(super) fn gather(text: &str, lexed: &Lexed) -> Vec<Trivia> {
    let mut trivia: Vec<Trivia> = vec![Trivia::default(); lexed.tokens.len()];
    let mut comments = lexed.comments.iter().peekable();
    let mut previous = 0;
    for (number, token) in lexed.tokens.iter().enumerate() {
        let mut at = previous;
        let mut own = Vec::new();
        while let Some(comment) = comments.next_if(|comment| comment.start < token.start) {
            let before = text.get(at..comment.start).unwrap_or("");
            let words = text.get(comment.start..comment.end).unwrap_or("").to_string();
            match number.checked_sub(1).and_then(|n| trivia.get_mut(n)) {
                Some(behind) if at == previous && !before.contains('\n') => behind.trailing.push(words),
                _ => own.push((words, has_empty_line(before))),
            }
            at = comment.end;
        }
        let before = text.get(at..token.start).unwrap_or("");
        let gap = text.get(previous..token.start).unwrap_or("");
        if let Some(around) = trivia.get_mut(number) {
            around.leading = own;
            around.blank = has_empty_line(before);
            around.begins_line = gap.contains('\n');
            around.wide = !around.begins_line && gap.len() >= 2;
        }
        previous = token.end;
    }
    trivia
}

fn has_empty_line(gap: &str) -> bool {
    gap.bytes().filter(|&byte| byte == b'\n').count() >= 2
}
