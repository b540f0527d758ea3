//! What is said about types as written: `E0251` to `E0260`.

use super::quoted;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

const GRAMMAR: &str = "a type is `nat`, `u16`, `u16x4`, `u'm`, `b8` or `v4`, where a direction `<V>`, `<H>`, `<B>` or \
                       `<'D>` may follow the letter, and sizes in brackets the whole";

pub(in super::super) fn malformed(span: Span, word: &str, suggestion: Option<String>) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0251", span, format!("malformed type {}", quoted(word)))
        .label("not a type")
        .rule(GRAMMAR);
    match suggestion {
        Some(fixed) => diagnostic.help(format!("did you mean `{fixed}`?")).edit(span, fixed),
        None => diagnostic.help("write one of these types"),
    }
}

pub(in super::super) fn hexadecimal_size(
    span: Span,
    word: &str,
    letter: char,
    value: Option<u32>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0252", span, format!("the size in {} is hexadecimal", quoted(word)))
        .label("hexadecimal size")
        .rule("sizes in types are decimal; the `x` separates the size of a word from a count, as in `u16x4`");
    match value {
        Some(value) if value > 0 => {
            diagnostic.help(format!("write `{letter}{value}`")).edit(span, format!("{letter}{value}"))
        }
        _ => diagnostic.help("write the size in decimal"),
    }
}

pub(in super::super) fn zero_size(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0253", span, format!("a size in {} is zero", quoted(word)))
        .label("no bits")
        .rule("words have at least one bit, and vectors at least one element")
        .help("write a positive size")
}

pub(in super::super) fn integer_direction(span: Span, word: &str, direction: &str) -> Diagnostic {
    Diagnostic::error("E0254", span, format!("words do not fill 128 bits in the direction `<{direction}>`"))
        .label("number as a direction")
        .rule(
            "a direction is `V`, `H`, `B`, a variable such as `'D`, or the number of words of one instance that lie side by \
             side in 128 bits: `u<2>64`, `u<4>32`, `u<8>16`, `u<16>8`",
        )
        .help(format!(
            "leave the direction out: {}",
            quoted(&word.replacen(&format!("<{direction}>"), "", 1))
        ))
        .edit(span, word.replacen(&format!("<{direction}>"), "", 1))
}

pub(in super::super) fn unknown_direction(span: Span, word: &str, direction: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "E0255",
        span,
        format!("unknown direction {} in {}", quoted(direction), quoted(word)),
    )
    .label("not a direction")
    .rule("a direction is `V` (vertical), `H` (horizontal), `B` (bitsliced) or a variable such as `'D`");
    let upper = direction.to_ascii_uppercase();
    let fixed = match upper.as_str() {
        "V" | "H" | "B" => upper,
        "" => "'D".to_owned(),
        _ => format!("'{direction}"),
    };
    let fixed = word.replacen(&format!("<{direction}>"), &format!("<{fixed}>"), 1);
    diagnostic.help(format!("did you mean {}?", quoted(&fixed))).edit(span, fixed)
}

pub(in super::super) fn matrix_of_variable(
    span: Span,
    word: &str,
    variable: &str,
    prefix: &str,
    name: &str,
    count: &str,
) -> Diagnostic {
    Diagnostic::error(
        "E0256",
        span,
        format!("{} reads as a word of the size variable `'{variable}`", quoted(word)),
    )
    .label(format!("not {count} words of size `'{name}`"))
    .rule("a count cannot follow a size variable, whose name takes all letters and digits")
    .help(format!("write `{prefix}{name}[{count}]`"))
    .edit(span, format!("{prefix}{name}[{count}]"))
}

pub(in super::super) fn matrix_of_vectors(span: Span, word: &str, element: &str, count: &str) -> Diagnostic {
    Diagnostic::error("E0257", span, format!("{} has a count after a vector", quoted(word)))
        .label("`x` follows only the size of a `u`")
        .rule("`b8` and `v4` are vectors of atoms already; a vector of vectors has its size in brackets")
        .help(format!("write `{element}[{count}]`"))
        .edit(span, format!("{element}[{count}]"))
}

pub(in super::super) fn leading_zero_size(span: Span, word: &str, fixed: &str) -> Diagnostic {
    Diagnostic::error("E0258", span, format!("a size in {} begins with a zero", quoted(word)))
        .label("superfluous zero")
        .rule("sizes in types are decimal and begin with a digit from 1 to 9")
        .help(format!("write {}", quoted(fixed)))
        .edit(span, fixed)
}

pub(in super::super) fn missing_size(span: Span, word: &str, letter: char) -> Diagnostic {
    let what = match letter {
        'u' => "how many bits its words have",
        'b' => "how many bits it has",
        _ => "how many atoms it has",
    };
    Diagnostic::error("E0259", span, format!("the type {} has no size", quoted(word)))
        .label(format!("does not say {what}"))
        .rule(GRAMMAR)
        .help(format!("write a size, as in `{letter}8`"))
}

pub(in super::super) fn size_too_large(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0260", span, format!("a size in {} is too large", quoted(word)))
        .label("more than 4294967295")
        .rule("a size fits in 32 bits")
        .help("write a smaller size")
}
