//! E05xx: indices, static expressions, shift amounts, and how much there is to elaborate.

use super::plural;
use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::elaborate::statics::{StaticError, StaticErrorKind};
use crate::source::Span;

pub(in crate::elaborate) fn index_out_of_range(
    span: Span,
    name: &Name,
    value: i64,
    dimension: u32,
) -> Diagnostic {
    Diagnostic::error("E0501", span, format!("index {value} of `{}` is out of range", name.text))
        .label(format!("is {value}"))
        .rule(format!(
            "an index into {} is between 0 and {}",
            plural(u64::from(dimension), "element"),
            dimension.saturating_sub(1)
        ))
        .help("change the index, or declare more elements")
}

/// `[from, to)` leaves its array, or runs backwards.
pub(in crate::elaborate) fn range_out_of_range(
    span: Span,
    name: &Name,
    from: i64,
    to: i64,
    dimension: u32,
) -> Diagnostic {
    let message = format!("the range [{from}, {to}) of `{}` is out of range", name.text);
    Diagnostic::error("E0512", span, message)
        .label(format!("is [{from}, {to})"))
        .rule(format!(
            "a range [a, b) within {} has 0 <= a <= b <= {dimension}",
            plural(u64::from(dimension), "element")
        ))
        .help("change the bounds, declare more elements, or exclude such lengths by `where`")
}

pub(in crate::elaborate) fn not_static(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0502", span, format!("`{name}` is a word, and its value may be secret"))
        .label("not known to the compiler")
        .rule("indices, bounds, amounts and elements are made of literals, loop variables and `nat` parameters: nothing secret chooses an address")
        .help("select with masks (`Bitmask`), or put the values in a table")
}

pub(in crate::elaborate) fn static_error(error: &StaticError) -> Diagnostic {
    match &error.kind {
        StaticErrorKind::DivisionByZero => Diagnostic::error("E0503", error.span, "division by zero")
            .label("the divisor is 0")
            .rule("`/` and `%` are Euclidean, and the divisor is not 0")
            .help("change the divisor"),
        StaticErrorKind::Overflow => Diagnostic::error("E0504", error.span, "this number is too large")
            .label("beyond 64 bits")
            .rule("static expressions are computed with signed numbers of 64 bits")
            .help("use smaller numbers"),
        StaticErrorKind::NoTrailingZeros => {
            Diagnostic::error("E0511", error.span, "`Ntz` of a number that is not positive")
                .label("is 0 or less")
                .rule("`Ntz(n)` is how many zeros n ends with in binary, and n is 1 or more")
                .help("count from 1")
        }
        StaticErrorKind::Unknown(name) => {
            Diagnostic::error("E0505", error.span, format!("`{name}` has no value here"))
                .label("not known to the compiler")
                .rule("static expressions are made of literals, loop variables and `nat` parameters")
                .help("use one of these")
        }
    }
}

pub(in crate::elaborate) fn element_out_of_range(
    span: Span,
    definition: &Name,
    value: i64,
    count: usize,
) -> Diagnostic {
    let elements = plural(count as u64, "element");
    Diagnostic::error("E0506", span, format!("`{}` has no element {value}", definition.text))
        .label(format!("is {value}"))
        .also(definition.span, format!("{elements}, counted from 0"))
        .rule("an element is chosen by a number that the compiler knows and that is in range")
        .help("change the number, or add elements")
}

pub(in crate::elaborate) fn negative_nat(span: Span, name: &str, value: i64) -> Diagnostic {
    Diagnostic::error("E0507", span, format!("`{name}` would be {value}"))
        .label("negative")
        .rule("a `nat` is a natural number: 0 or more")
        .help("pass a number that is not negative")
}

pub(in crate::elaborate) fn negative_shift(span: Span, amount: i64) -> Diagnostic {
    Diagnostic::error("E0508", span, format!("the amount is {amount}"))
        .label("negative")
        .rule("shifts and rotations are by 0 or more")
        .help("shift the other way")
}

pub(in crate::elaborate) fn bitmask_range(span: Span, bit: i64, width: u32) -> Diagnostic {
    Diagnostic::error("E0509", span, format!("there is no bit {bit} in a word of {width} bits"))
        .label(format!("is {bit}"))
        .rule(format!(
            "`Bitmask(e, k)` counts bits from the least significant: 0 <= k <= {}",
            width.saturating_sub(1)
        ))
        .help("change the number")
}

/// What a shift of one word, or of several, moves.
fn moved(size: u64, one_word: bool) -> String {
    plural(size, if one_word { "bit" } else { "word" })
}

pub(in crate::elaborate) fn big_rotation(
    span: Span,
    amount: i64,
    size: u64,
    one_word: bool,
    varies: bool,
) -> Diagnostic {
    let moved = moved(size, one_word);
    let rest = amount.unsigned_abs() % size.max(1);
    Diagnostic::warning("W-rotation", span, format!("a rotation of {moved} by {amount} is one by {rest}"))
        .label("goes around more than once")
        .help(if varies { format!("take the amount `% {size}`") } else { format!("write {rest}") })
}

pub(in crate::elaborate) fn big_shift(
    span: Span,
    amount: i64,
    size: u64,
    one_word: bool,
    sign: bool,
) -> Diagnostic {
    let moved = moved(size, one_word);
    let left = if sign { "nothing but copies of the sign" } else { "nothing but zeros" };
    Diagnostic::warning("W-shift", span, format!("a shift of {moved} by {amount} leaves {left}"))
        .label("shifts everything out")
        .help("change the amount, or write the constant")
}

pub(in crate::elaborate) fn budget(span: Span, is_loop: bool) -> Diagnostic {
    let what = if is_loop { "loop" } else { "definition" };
    Diagnostic::error("E0510", span, format!("with this {what} the program becomes too large"))
        .label("elaboration stopped here")
        .rule("with all loops unrolled, a program mentions at most some millions of words")
        .help("check the bounds of the loops; if lengths are public, take a shorter message")
}
