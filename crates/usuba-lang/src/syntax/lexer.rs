//! Text to tokens. Blanks and comments are no tokens; comments are kept apart for the formatter.

use super::messages;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// The words that cannot be names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keyword {
    Node,
    Returns,
    Vars,
    Let,
    Tel,
    Perm,
    Table,
    Forall,
    In,
    Shuffle,
    Bitmask,
    Pack,
    Include,
    Const,
    LazyLift,
    Inline,
    NoInline,
    Unroll,
    NoUnroll,
    Interleave,
    NoOpt,
    Pipelined,
}

const KEYWORDS: [(&str, Keyword); 22] = [
    ("node", Keyword::Node),
    ("returns", Keyword::Returns),
    ("vars", Keyword::Vars),
    ("let", Keyword::Let),
    ("tel", Keyword::Tel),
    ("perm", Keyword::Perm),
    ("table", Keyword::Table),
    ("forall", Keyword::Forall),
    ("in", Keyword::In),
    ("Shuffle", Keyword::Shuffle),
    ("Bitmask", Keyword::Bitmask),
    ("Pack", Keyword::Pack),
    ("include", Keyword::Include),
    ("const", Keyword::Const),
    ("lazyLift", Keyword::LazyLift),
    ("_inline", Keyword::Inline),
    ("_no_inline", Keyword::NoInline),
    ("_unroll", Keyword::Unroll),
    ("_no_unroll", Keyword::NoUnroll),
    ("_interleave", Keyword::Interleave),
    ("_no_opt", Keyword::NoOpt),
    ("_pipelined", Keyword::Pipelined),
];

/// What a token is; its spelling is the text at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Identifier,
    /// A type with a direction, such as `u<V>16x4`: one token because of the `<`.
    DirectedType,
    Integer,
    /// `"…"`, quotes included.
    Text,
    Keyword(Keyword),
    /// `[]` without a blank.
    EmptyBrackets,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Equals,
    RotateLeft,
    ShiftLeft,
    RotateRight,
    ShiftRightArithmetic,
    ShiftRight,
    Less,
    Greater,
    Comma,
    Colon,
    Semicolon,
    Pipe,
    DotDot,
    Ampersand,
    Tilde,
    Exclamation,
    Caret,
    Plus,
    PlusPlus,
    Star,
    Minus,
    Slash,
    Percent,
    /// Something the lexer has already complained about.
    Unknown,
    EndOfFile,
}

/// The symbols, longer ones before their prefixes.
const SYMBOLS: [(&str, TokenKind); 30] = [
    ("<<<", TokenKind::RotateLeft),
    (">>>", TokenKind::RotateRight),
    (">>!", TokenKind::ShiftRightArithmetic),
    ("[]", TokenKind::EmptyBrackets),
    ("<<", TokenKind::ShiftLeft),
    (">>", TokenKind::ShiftRight),
    ("..", TokenKind::DotDot),
    ("++", TokenKind::PlusPlus),
    ("(", TokenKind::OpenParenthesis),
    (")", TokenKind::CloseParenthesis),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    ("{", TokenKind::OpenBrace),
    ("}", TokenKind::CloseBrace),
    ("=", TokenKind::Equals),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    (",", TokenKind::Comma),
    (":", TokenKind::Colon),
    (";", TokenKind::Semicolon),
    ("|", TokenKind::Pipe),
    ("&", TokenKind::Ampersand),
    ("~", TokenKind::Tilde),
    ("!", TokenKind::Exclamation),
    ("^", TokenKind::Caret),
    ("+", TokenKind::Plus),
    ("*", TokenKind::Star),
    ("-", TokenKind::Minus),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
];

/// A token and the bytes it covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A comment from its sign to the last character of its line that is not a blank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The tokens of a text, the last of which is [`TokenKind::EndOfFile`].
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
    /// Where the program ends: at `__END__` or at the end of the text.
    pub(crate) end: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Longer integers are refused: converting them would take time that grows with the square of their length.
const LONGEST_INTEGER: usize = 4096;

/// Reads all tokens of `text`.
pub(crate) fn lex(source: SourceId, text: &str) -> Lexed {
    let mut lexer =
        Lexer { source, text, at: 0, tokens: Vec::new(), comments: Vec::new(), diagnostics: Vec::new() };
    let end = lexer.run();
    lexer.tokens.push(Token { kind: TokenKind::EndOfFile, start: end, end });
    Lexed { tokens: lexer.tokens, comments: lexer.comments, end, diagnostics: lexer.diagnostics }
}

struct Lexer<'t> {
    source: SourceId,
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    diagnostics: Vec<Diagnostic>,
}

/// Whether `byte` may begin an identifier.
pub(crate) fn begins_identifier(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether `byte` may continue an identifier; the quote is a letter there.
pub(crate) fn continues_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn byte(&self, offset: usize) -> u8 {
        self.text.as_bytes().get(self.at + offset).copied().unwrap_or(0)
    }

    /// How many bytes from `offset` on satisfy `belongs`.
    fn run_length(&self, offset: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes().get(self.at + offset..).unwrap_or(&[]);
        bytes.iter().take_while(|&&b| belongs(b)).count()
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        self.tokens.push(Token { kind, start: self.at, end: self.at + length });
        self.at += length;
    }

    fn span(&self, length: usize) -> Span {
        Span::new(self.source, self.at, self.at + length)
    }

    fn run(&mut self) -> usize {
        while self.at < self.text.len() {
            let byte = self.byte(0);
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                self.at += 1;
            } else if byte == b'#' || self.rest().starts_with("//") {
                self.comment();
            } else if self.rest().starts_with("/*") {
                self.comment_of_c();
            } else if begins_identifier(byte) {
                let length = self.run_length(0, continues_identifier);
                if &self.rest()[..length] == "__END__" {
                    return self.at;
                }
                self.word(length);
            } else if byte.is_ascii_digit() {
                self.integer();
            } else if byte == b'"' {
                self.string();
            } else if let Some((symbol, kind)) = SYMBOLS.iter().find(|(s, _)| self.rest().starts_with(s)) {
                self.push(*kind, symbol.len());
            } else {
                self.unknown();
            }
        }
        self.text.len()
    }

    fn comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or("");
        let words = line.trim_end();
        if let Some(directive) = messages::directive(words) {
            self.diagnostics.push(messages::directive_is_comment(self.span(words.len()), directive));
        }
        self.comments.push(Comment { start: self.at, end: self.at + words.len() });
        self.at += line.len();
    }

    /// `/* … */`, which is passed over so that what follows is read.
    fn comment_of_c(&mut self) {
        let length = self.rest().find("*/").map_or(self.rest().len(), |end| end + 2);
        self.diagnostics.push(messages::comment_of_c(self.span(2)));
        self.at += length;
    }

    fn word(&mut self, length: usize) {
        let word = &self.rest()[..length];
        if matches!(word, "u" | "b" | "v") && self.byte(1) == b'<' {
            let direction = self.run_length(2, continues_identifier);
            let size = 3 + direction;
            let sized = self.byte(size).is_ascii_digit() || self.byte(size) == b'\'';
            if direction > 0 && self.byte(size - 1) == b'>' && sized {
                let length = size + self.run_length(size, continues_identifier);
                return self.push(TokenKind::DirectedType, length);
            }
        }
        let kind = match KEYWORDS.iter().find(|(spelling, _)| *spelling == word) {
            Some((_, keyword)) => TokenKind::Keyword(*keyword),
            None => TokenKind::Identifier,
        };
        // `C.encrypt`: what a cipher parameter has.
        if kind == TokenKind::Identifier
            && self.byte(length) == b'.'
            && begins_identifier(self.byte(length + 1))
        {
            let member = self.run_length(length + 1, continues_identifier);
            return self.push(kind, length + 1 + member);
        }
        self.push(kind, length);
    }

    fn integer(&mut self) {
        let word = self.run_length(0, |b| b.is_ascii_alphanumeric() || b == b'_');
        let text = &self.rest()[..word];
        if self.byte(0) == b'0' {
            let digits = match self.byte(1) {
                b'x' | b'X' => self.run_length(2, |b| b.is_ascii_hexdigit()),
                _ => 0,
            };
            if self.byte(1) == b'x' && digits > 0 {
                return self.finish_integer(2 + digits);
            }
            if matches!(self.byte(1), b'x' | b'X') {
                self.diagnostics.push(messages::hexadecimal_prefix(self.span(word), text));
                return self.push(TokenKind::Unknown, word);
            }
            let zeros = self.run_length(0, |b| b.is_ascii_digit());
            if zeros > 1 {
                self.diagnostics.push(messages::leading_zero(self.span(zeros), &self.rest()[..zeros]));
                return self.push(TokenKind::Unknown, zeros);
            }
            if matches!(self.byte(1), b'b' | b'B' | b'o' | b'O') && self.byte(2).is_ascii_digit() {
                self.diagnostics.push(messages::other_radix(self.span(word), text));
                return self.push(TokenKind::Unknown, word);
            }
        }
        self.finish_integer(self.run_length(0, |b| b.is_ascii_digit()));
    }

    fn finish_integer(&mut self, length: usize) {
        if self.byte(length) == b'_' && self.byte(length + 1).is_ascii_hexdigit() {
            let word = self.run_length(0, |b| b.is_ascii_alphanumeric() || b == b'_');
            self.diagnostics.push(messages::grouped_digits(self.span(word), &self.rest()[..word]));
            return self.push(TokenKind::Unknown, word);
        }
        if length > LONGEST_INTEGER {
            self.diagnostics.push(messages::integer_too_long(self.span(length), LONGEST_INTEGER));
            return self.push(TokenKind::Unknown, length);
        }
        self.push(TokenKind::Integer, length);
    }

    /// A string may run over several lines, so an unclosed one is cut at the end of its first line.
    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            let line = self.rest().split('\n').next().unwrap_or("").trim_end().len();
            self.diagnostics.push(messages::unclosed_string(self.span(1)));
            return self.push(TokenKind::Unknown, line);
        }
        let length = end + 1 - self.at;
        if length == 2 {
            self.diagnostics.push(messages::empty_string(self.span(length)));
            return self.push(TokenKind::Unknown, length);
        }
        self.push(TokenKind::Text, length);
    }

    /// One message for a whole run of characters that no token contains.
    fn unknown(&mut self) {
        let foreign = |c: char| match c {
            ' ' | '\t' | '\r' | '\n' | '#' | '"' => false,
            c if c.is_ascii_alphanumeric() || c == '_' => false,
            c => !c.is_ascii() || !SYMBOLS.iter().any(|(symbol, _)| symbol.starts_with(c)),
        };
        let mut length = 0;
        for (position, character) in self.rest().char_indices() {
            // A lone dot begins no symbol, yet `..` does: the first character is foreign whatever it is.
            if position > 0 && !foreign(character) {
                break;
            }
            length = position + character.len_utf8();
        }
        self.diagnostics.push(messages::unknown_characters(self.span(length), &self.rest()[..length]));
        self.push(TokenKind::Unknown, length);
    }
}
