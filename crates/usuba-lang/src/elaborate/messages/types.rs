//! E04xx: declarations, lengths, sizes, directions, operators, constants, calls.

use super::{literal, operator, plural, static_error};
use crate::ast::{Assignment, BinaryOp, Integer, Name, Reference};
use crate::diagnostic::Diagnostic;
use crate::elaborate::statics::{StaticError, StaticErrorKind};
use crate::elaborate::types::Disagreement;
use crate::source::Span;

const FLAT: &str =
    "lists of words are matched by position after flattening: equal in number, and word by word in size";
const DIRECTIONS: &str = "words that meet have one direction; only bits have every direction";
const BITWISE: &str = "bit by bit the two sides agree: with `--slicing b` this is accepted";

/// Says what two lists of words disagree in, and what helps.
fn differing(finding: Diagnostic, disagreement: Disagreement) -> Diagnostic {
    match disagreement {
        Disagreement::Length => {
            finding.rule(FLAT).help("select as many words as the other side has, or change a declaration")
        }
        Disagreement::Bits => finding
            .rule("under `--slicing b` lists of words are matched bit by bit: equal in number of bits")
            .help("select as many bits as the other side has, or change a declaration"),
        Disagreement::LengthButNotBits => finding.rule(FLAT).help(BITWISE),
        Disagreement::Width(position) => {
            finding.rule(FLAT).help(format!("make the words at position {position} (from 0) equally wide"))
        }
        Disagreement::Direction(position) => finding
            .rule(DIRECTIONS)
            .help(format!("give the words at position {position} (from 0) one direction")),
    }
}

pub(in crate::elaborate) fn nat_misplaced(name: &Name, why: &str) -> Diagnostic {
    Diagnostic::error("E0401", name.span, format!("`{}` cannot be a `nat`", name.text))
        .label(why)
        .rule("`nat` is the type of the compile-time parameters of a node")
        .help("give it a type of words, such as `u32`")
}

pub(in crate::elaborate) fn nat_annotation(span: Span) -> Diagnostic {
    Diagnostic::error("E0401", span, "a constant with a type is a word, not a `nat`")
        .label("`nat`")
        .rule("`n:type` is a word of that type; a number for the compiler is written without a type")
        .help("remove the type")
}

pub(in crate::elaborate) fn zero_size(span: Span) -> Diagnostic {
    Diagnostic::error("E0402", span, "this type has no words or no bits")
        .label("a size is not positive")
        .rule("word sizes, lengths and dimensions are at least 1")
        .help("write a positive size")
}

/// A size in a type that has no value.
pub(in crate::elaborate) fn size_error(error: &StaticError) -> Diagnostic {
    match &error.kind {
        StaticErrorKind::Unknown(name) => open_size(error.span, name),
        _ => static_error(error),
    }
}

fn open_size(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E0403", span, format!("the size depends on `{name}`"))
        .label("not a number")
        .rule("sizes are made of literals, constants, `nat` parameters, and lengths: names that stand alone in a dimension of an input, or are defined after `where`")
        .help(format!("take `{name}` from the size of an input, or define it: `where {name} = …`"))
}

pub(in crate::elaborate) fn type_too_large(span: Span, limit: u64) -> Diagnostic {
    Diagnostic::error("E0404", span, "this type has too many words")
        .label("too large")
        .rule(format!("a variable has at most {limit} words"))
        .help("a node describes one instance; if lengths are public, take a shorter message")
}

pub(in crate::elaborate) fn word_too_wide(span: Span, bits: u32, limit: u32) -> Diagnostic {
    Diagnostic::error("E0405", span, format!("a word of {bits} bits is too wide"))
        .label("too wide")
        .rule(format!("words have at most {limit} bits"))
        .help("use a vector of words")
}

pub(in crate::elaborate) fn unknown_size(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E0406", span, format!("there is no size `'{name}` here"))
        .label("not a size of this definition")
        .rule("a type within an expression uses the size variables of the declarations")
        .help("write the number of bits")
}

pub(in crate::elaborate) fn sides_differ(
    assignment: &Assignment,
    left: &str,
    right: &str,
    disagreement: Disagreement,
) -> Diagnostic {
    let message = match disagreement {
        Disagreement::Direction(_) => "the two sides of this equation have different directions".to_string(),
        _ => format!("the left side is {left}, but the right side is {right}"),
    };
    let left_span = assignment
        .targets
        .iter()
        .fold(None, |span: Option<Span>, target| Some(span.map_or(target.span, |span| span.to(target.span))));
    let finding =
        Diagnostic::error("E0410", assignment.value.span, message).label(format!("this is {right}"));
    let finding = match left_span {
        Some(span) => finding.also(span, format!("this is {left}")),
        None => finding,
    };
    differing(finding, disagreement)
}

pub(in crate::elaborate) fn operands_differ(
    op: BinaryOp,
    span: Span,
    places: (Span, Span),
    left: &str,
    right: &str,
    disagreement: Disagreement,
) -> Diagnostic {
    let op = operator(op);
    let message = match disagreement {
        Disagreement::Direction(_) => format!("the operands of `{op}` have different directions"),
        _ => format!("the operands of `{op}` differ: {left} and {right}"),
    };
    let finding = Diagnostic::error("E0411", span, message)
        .also(places.0, format!("this is {left}"))
        .also(places.1, format!("this is {right}"));
    differing(finding, disagreement)
}

pub(in crate::elaborate) fn arguments_differ(
    callee: &Name,
    definition: &Name,
    span: Span,
    wanted: &str,
    given: &str,
    disagreement: Disagreement,
) -> Diagnostic {
    let name = &callee.text;
    let message = match disagreement {
        Disagreement::Direction(_) => {
            format!("the arguments of `{name}` have other directions than its inputs")
        }
        _ => format!("`{name}` takes {wanted}, but is given {given}"),
    };
    let finding = Diagnostic::error("E0412", span, message)
        .label(format!("given {given}"))
        .also(definition.span, format!("takes {wanted}"));
    differing(finding, disagreement)
}

pub(in crate::elaborate) fn arithmetic_width(op: BinaryOp, span: Span, words: &str) -> Diagnostic {
    let op = operator(op);
    Diagnostic::error("E0413", span, format!("there is no `{op}` on {words}"))
        .label("arithmetic on these words")
        .rule("`+`, `-` and `*` work on words of 2 to 64 bits, all of one size")
        .help("use words of such a size, or write the operation with `&`, `|`, `^`")
}

pub(in crate::elaborate) fn division_of_words(op: BinaryOp, span: Span) -> Diagnostic {
    let op = operator(op);
    Diagnostic::error("E0414", span, format!("there is no `{op}` on words"))
        .label("division of words")
        .rule("`/` and `%` exist only for numbers that the compiler knows: indices, bounds, amounts, `nat` arguments")
        .help("no target divides in constant time; use shifts and masks")
}

pub(in crate::elaborate) fn arithmetic_horizontal(op: BinaryOp, span: Span) -> Diagnostic {
    let op = operator(op);
    Diagnostic::error("E0415", span, format!("there is no `{op}` on horizontal words"))
        .label("these words lie across the elements of a register")
        .rule("arithmetic needs the bits of a word side by side: direction V")
        .help("compile with `--slicing v`, or write the operation with `&`, `|`, `^`")
}

pub(in crate::elaborate) fn arithmetic_bitsliced(op: BinaryOp, span: Span) -> Diagnostic {
    let op = operator(op);
    Diagnostic::error("E0416", span, format!("`{op}` cannot be bitsliced"))
        .label("arithmetic on words that are spread over registers")
        .rule("under `--slicing b` a word is its bits, and there is no instruction that adds them")
        .help("compile with `--slicing v`, or with `--bitslice-arith` to build adders and multipliers from gates")
}

pub(in crate::elaborate) fn shift_of_unequal_words(span: Span, words: &str) -> Diagnostic {
    Diagnostic::error("E0417", span, format!("a shift of {words} leaves open how wide the zeros are"))
        .label("moves words, and fills with zeros")
        .rule("a shift of several words moves whole words; if words of several sizes meet, only a rotation is clear")
        .help("rotate instead, or write the words out as a tuple")
}

pub(in crate::elaborate) fn arithmetic_shift_of_words(span: Span, count: usize) -> Diagnostic {
    let count = plural(count as u64, "word");
    Diagnostic::error("E0418", span, format!("`>>!` of {count}"))
        .label("an arithmetic shift is for one word")
        .rule("`>>!` copies the sign bit of one word; a list of words has none")
        .help("shift each word by itself")
}

pub(in crate::elaborate) fn shuffle_entry(entry: &Integer, length: u32) -> Diagnostic {
    let text = literal(entry);
    Diagnostic::error("E0419", entry.span, format!("{text} is no position in a pattern of {length} entries"))
        .label("out of range")
        .rule(format!(
            "the entries are source positions counted from the most significant bit: 0 to {}",
            length.saturating_sub(1)
        ))
        .help("write a smaller entry, or a longer pattern")
}

pub(in crate::elaborate) fn shuffle_length(span: Span, length: u32, words: &str) -> Diagnostic {
    Diagnostic::error("E0420", span, format!("a pattern of {length} entries does not fit {words}"))
        .label("shuffles the bits of each word")
        .rule("a pattern has an entry per bit of the word, or per group of bits if the groups are equally large")
        .help("write a pattern whose length divides the size of the word")
}

pub(in crate::elaborate) fn one_word_wanted(what: &str, span: Span, words: &str) -> Diagnostic {
    Diagnostic::error("E0421", span, format!("`{what}` works on single words, not on {words}"))
        .label(format!("this is {words}"))
        .rule(format!("the operands and the result of `{what}` are one word each"))
        .help("select one word, for example with `[0]`")
}

pub(in crate::elaborate) fn pack_halves(span: Span, high: &str, low: &str) -> Diagnostic {
    Diagnostic::error("E0422", span, format!("`Pack` of {high} and {low}"))
        .label("halves of different types")
        .rule("`Pack` puts two words of one type side by side")
        .help("pack words of one size and direction")
}

pub(in crate::elaborate) fn pack_annotation(span: Span, annotated: &str, packed: &str) -> Diagnostic {
    Diagnostic::error("E0423", span, format!("`Pack` gives {packed} here, not {annotated}"))
        .label(format!("this is {packed}"))
        .rule("`Pack` of two words of m bits is a word of 2m bits, of the same direction")
        .help("change the type, or leave it out")
}

pub(in crate::elaborate) fn atom_indexed(
    reference: &Reference,
    declared: &str,
    bits: bool,
    dimensions: usize,
) -> Diagnostic {
    let name = &reference.name.text;
    let message = match (bits, dimensions) {
        (true, _) => format!("this selects within a bit of `{name}`"),
        (false, 0) => format!("this selects within a word: `{name}` is a single one"),
        (false, n) => format!("this selects within a word: `{name}` has {}", plural(n as u64, "dimension")),
    };
    let finding = Diagnostic::error("E0424", reference.span, message).label("one selection too many");
    if bits {
        return finding
            .rule("under `--slicing b` the bits of a word are one more dimension, and there is none beyond")
            .help("remove a selection");
    }
    let finding =
        finding.rule("a word is an atom: its bits cannot be selected unless the program is bitsliced");
    match declared.strip_prefix('u').filter(|bits| bits.chars().all(|c| c.is_ascii_digit())) {
        Some(bits) => finding.help(format!(
            "did you mean to declare `b{bits}` instead of `u{bits}`? With `--slicing b` this is accepted"
        )),
        None => finding.help("remove a selection, or declare a vector"),
    }
}

pub(in crate::elaborate) fn untyped_constant(span: Span) -> Diagnostic {
    Diagnostic::error("E0430", span, "nothing tells how wide this constant is")
        .label("no type")
        .rule("a constant without a type takes it from its place: the left side, the parameter, or the other operand")
        .help("write its type, as in `5:u16`")
}

pub(in crate::elaborate) fn polymorphic_constant(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0431", span, "this constant may not fit")
        .label(format!("stands for a word of type {word}, whose size the caller chooses"))
        .rule("against a word of open size only 0 is a constant (and so `~0`, all ones)")
        .help("declare the word with a size, as in `u16`")
}

pub(in crate::elaborate) fn constant_too_big(integer: &Integer, width: u32, span: Span) -> Diagnostic {
    let text = literal(integer);
    let needed = integer.value.bits();
    Diagnostic::error("E0432", span, format!("{text} does not fit in {}", plural(u64::from(width), "bit")))
        .label(format!("needs {needed} bits"))
        .rule("a constant is never cut")
        .help(format!("write a value below 2^{width}"))
}

pub(in crate::elaborate) fn typed_vector_constant(span: Span, words: &str) -> Diagnostic {
    Diagnostic::error("E0433", span, format!("a constant cannot be {words}"))
        .label("one number, several words")
        .rule("`n:um` is one word, `n:bk` is k bits; other types would have to be cut up")
        .help("write a tuple of constants, one for each word")
}

pub(in crate::elaborate) fn cannot_divide(span: Span, words: &str) -> Diagnostic {
    Diagnostic::error("E0434", span, format!("the constants here cannot share out {words}"))
        .label("does not come out even")
        .rule("a constant without a type is one word; where bits are expected, the bits that the typed parts leave are divided equally between the constants")
        .help("give the constants types, as in `5:b3`")
}

pub(in crate::elaborate) fn unsplittable(span: Span) -> Diagnostic {
    Diagnostic::error("E0435", span, "nothing tells how wide the constants in here are")
        .label("typed and untyped parts under one operator")
        .rule("within a tuple, a part is all typed or all constants")
        .help("give the constants types, as in `5:u16`")
}

pub(in crate::elaborate) fn nat_as_word(name: &Name) -> Diagnostic {
    Diagnostic::error("E0440", name.span, format!("`{}` is a number for the compiler, not a word", name.text))
        .label("a `nat`")
        .rule(
            "loop variables, lengths and `nat` parameters stand in indices, bounds, amounts and `nat` arguments only",
        )
        .help(format!("make a word of it, as in `Word({}):u32`, or index an array of constants by it", name.text))
}

pub(in crate::elaborate) fn nat_assigned(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "E0440",
        name.span,
        format!("`{}` is a number for the compiler and cannot be assigned", name.text),
    )
    .label("a `nat`")
    .rule("loop variables and `nat` parameters have one value each")
    .help("assign to a variable declared after `vars`")
}

pub(in crate::elaborate) fn nat_indexed(name: &Name) -> Diagnostic {
    Diagnostic::error("E0440", name.span, format!("`{}` is a number and has no elements", name.text))
        .label("a `nat`")
        .rule("loop variables and `nat` parameters are single numbers")
        .help("remove the selection")
}

pub(in crate::elaborate) fn nat_arguments(callee: &Name, span: Span, count: usize) -> Diagnostic {
    let count = plural(count as u64, "`nat` parameter");
    Diagnostic::error(
        "E0441",
        span,
        format!("it is not clear which arguments are for the {count} of `{}`", callee.text),
    )
    .label("as many arguments as parameters would be clear")
    .rule("a `nat` parameter takes one argument of its own")
    .help("write one argument for each parameter, with tuples for those of several words")
}

pub(in crate::elaborate) fn nat_argument_not_static(span: Span, parameter: &Name) -> Diagnostic {
    Diagnostic::error("E0442", span, format!("the argument for `{}` is not a number", parameter.text))
        .label("not known to the compiler")
        .also(parameter.span, "this parameter is a `nat`")
        .rule("a `nat` argument is made of literals, loop variables and `nat` parameters with `+ - * / %`")
        .help("pass such an expression")
}

pub(in crate::elaborate) fn open_callee_size(callee: &Name, span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E0443", span, format!("nothing tells the size `'{name}` of `{}`", callee.text))
        .label("no argument and no result fixes it")
        .rule("the sizes of a callee are those of its arguments, or else of what its result is assigned to")
        .help("assign the result to a variable of the right type first")
}
