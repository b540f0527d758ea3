//! What the lowering has to say.

use usuba_ir::layout::Slicing;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::source::Span;
use usuba_lang::typed::{ArithmeticOp, Direction};

pub(crate) fn arithmetic_in_h(span: Span, op: ArithmeticOp, width: u32) -> Diagnostic {
    let op = match op {
        ArithmeticOp::Add => "+",
        ArithmeticOp::Subtract => "-",
        ArithmeticOp::Multiply => "*",
    };
    Diagnostic::error("E0901", span, format!("`{op}` on `u{width}` has no horizontal form"))
        .label("arithmetic on words spread over a register")
        .rule("under `--slicing h` the bits of a word lie in different elements of a register, so carries cannot move")
        .help("use `--slicing v`")
}

pub(crate) fn word_lookup(span: Span, name: &str, inputs: u32, outputs: u32, slicing: Slicing) -> Diagnostic {
    Diagnostic::error("E0902", span, format!("the table `{name}` is indexed by the value of a `u{inputs}`"))
        .label(format!("`u{inputs}` to `u{outputs}`"))
        .rule(format!(
            "under `--slicing {slicing}` a table works on the bit positions of its atoms; an index made of one word \
             would be a memory access that depends on data, unless, in V, it is a byte and the table affine, or inversion in \
             GF(2^8) between affine maps"
        ))
        .help(format!(
            "use `--slicing b`, where the word is its bits, or declare the table on `v{inputs}` and `v{outputs}`"
        ))
}

/// `what`: "this", or what there is to say of the place.
pub(crate) fn interpreted_only(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("E0921", span, format!("{what} is only interpreted so far"))
        .label("no code is made for it")
        .rule("casts between words of several sizes, `accept`, and arrays without elements have a meaning, but no code yet")
        .help("run it with `usubac run`; casts between words and their bits are code under `--slicing b`")
}

pub(crate) fn directions(span: Span, name: &str, direction: Direction, slicing: Slicing) -> Diagnostic {
    let wanted = match slicing {
        Slicing::Packed(words) => words.to_string(),
        _ => slicing.to_string().to_uppercase(),
    };
    let declared = match direction {
        Direction::Packed(words) => words.to_string(),
        _ => format!("{direction:?}"),
    };
    Diagnostic::error(
        "E0903",
        span,
        format!("`{name}` is declared `<{declared}>` but the program is sliced `<{wanted}>`"),
    )
    .label(format!("declared `<{declared}>`"))
    .rule("all words of a program lie in registers in the same way")
    .help("remove the direction from the type, or choose the slicing that it names, or `--slicing b`")
}

pub(crate) fn horizontal_width(span: Span, name: &str, width: u32) -> Diagnostic {
    Diagnostic::error("E0904", span, format!("`{name}` has words of {width} bits, which cannot be spread over a register"))
        .label(format!("`u{width}`"))
        .rule("under `--slicing h` a word is cut into equal elements, one bit in each: 2, 4, 8, 16, 32 or 64 of them")
        .help("use `--slicing v` or `--slicing b`")
}

pub(crate) fn horizontal_mix(span: Span, name: &str, width: u32, other: u32, other_span: Span) -> Diagnostic {
    Diagnostic::error("E0905", span, format!("`{name}` has words of {width} bits, others have {other}"))
        .label(format!("`u{width}`"))
        .also(other_span, format!("`u{other}`"))
        .rule("under `--slicing h` all words have one size: it fixes how many instances a register holds")
        .help("use `--slicing v` or `--slicing b`")
}

pub(crate) fn horizontal_pack(span: Span) -> Diagnostic {
    Diagnostic::error("E0907", span, "`Pack` makes words of another size")
        .label("twice as wide as its operands")
        .rule("under `--slicing h` all words have one size: it fixes how many instances a register holds")
        .help("use `--slicing v` or `--slicing b`; a constant can be written as one word")
}

pub(crate) fn vertical_width(span: Span, name: &str, width: u32) -> Diagnostic {
    Diagnostic::error("E0906", span, format!("`{name}` has words of {width} bits, wider than any lane"))
        .label(format!("`u{width}`"))
        .rule("under `--slicing v` a word lies in a lane of at most 64 bits")
        .help("use `--slicing b`, or words of at most 64 bits")
}

/// Of words packed into groups: the rule.
fn groups(words: u32) -> String {
    format!(
        "under `--slicing v{words}` {words} words of one instance, consecutive in memory, lie side by side in 128 bits; an \
         operation acts on all {words}, and words change places only inside of their group"
    )
}

const LOOSE: &str = "use `--slicing v`, where every word has a register of its own";

pub(crate) fn packed_width(span: Span, name: &str, width: u32, words: u32) -> Box<Diagnostic> {
    let wanted = 128 / words;
    Box::new(
        Diagnostic::error(
            "E0911",
            span,
            format!("`{name}` has words of {width} bits; {words} of {wanted} bits fill a group"),
        )
        .label(format!("`u{width}`"))
        .rule(groups(words))
        .help(format!("use words of {wanted} bits, or `--slicing v`")),
    )
}

pub(crate) fn packed_parameters(
    span: Span,
    node: &str,
    what: &str,
    count: u32,
    words: u32,
) -> Box<Diagnostic> {
    let words_of = if count == 1 { "word is".to_owned() } else { format!("{count} words are") };
    Box::new(
        Diagnostic::error(
            "E0912",
            span,
            format!("the last {words_of} left over when the {what} of `{node}` are grouped"),
        )
        .label("from here on they fill no group")
        .rule(format!("{}; {what} that are no whole groups share one with their neighbours", groups(words)))
        .help(LOOSE),
    )
}

pub(crate) fn packed_targets(span: Span, words: u32) -> Box<Diagnostic> {
    Box::new(
    Diagnostic::error("E0913", span, "this defines single words of a group")
        .label(format!("not {words} words that lie side by side"))
        .rule(groups(words))
        .help(format!(
            "define the {words} words together, by one assignment or by {words} that differ only in the word they name; or {LOOSE}"
        )),
    )
}

pub(crate) fn packed_scattered(span: Span, words: usize) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0914", span, "these words come from different groups")
            .label(format!("they do not lie side by side, {words} by {words}"))
            .rule(groups(words as u32))
            .help(LOOSE),
    )
}

pub(crate) fn packed_part(span: Span, found: usize, words: u32) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0915", span, "this acts on a part of a group")
            .label(match found {
                1 => "a single word".to_owned(),
                _ => format!("{found} words"),
            })
            .rule(groups(words))
            .help(format!("write the same for all {words} words, or {LOOSE}")),
    )
}

pub(crate) fn packed_unlike(span: Span, others: impl Iterator<Item = Span>, words: usize) -> Box<Diagnostic> {
    let mut finding = Diagnostic::error("E0916", span, "the words of a group are not computed alike")
        .label("another operation, amount or kind of operand than for the other words");
    let mut seen = vec![span];
    for other in others {
        if !seen.contains(&other) {
            finding = finding.also(other, "of another word");
            seen.push(other);
        }
    }
    Box::new(finding.rule(groups(words as u32)).help(LOOSE))
}

pub(crate) fn packed_mixed(span: Span, words: usize) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0917", span, "a group of constants and of other words")
            .label("some words are constants other than zero")
            .rule(groups(words as u32))
            .help(format!("combine two groups: `x ^ (c, 0, …)`; or {LOOSE}")),
    )
}

pub(crate) fn packed_table(span: Span, name: &str, words: u32) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0918", span, format!("the table `{name}` combines words of one group"))
            .label("its inputs are the words of a group")
            .rule(groups(words))
            .help(format!("apply it {words} times, to words of {words} columns each; or {LOOSE}")),
    )
}

pub(crate) fn packed_permutation(span: Span, name: &str, words: u32) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0919", span, format!("the permutation `{name}` is compiled by itself"))
            .label("it moves words between groups")
            .rule(groups(words))
            .help(format!("call it in a node that is compiled, or {LOOSE}")),
    )
}

pub(crate) fn packed_pack(span: Span, words: u32) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0920", span, "`Pack` makes words of another size")
            .label("twice as wide as the others")
            .rule(groups(words))
            .help(LOOSE),
    )
}

pub(crate) fn odd_bytes(span: Span, name: &str, bytes: u32) -> Box<Diagnostic> {
    let count = if bytes == 1 { "one byte".to_owned() } else { format!("{bytes} bytes") };
    Box::new(
        Diagnostic::error("E0922", span, format!("`{name}` has {count}, and planes are made of two or more"))
            .label("an even number of bytes is needed"),
    )
}

/// A finding about groups of bytes, whose author knows of planes only.
pub(crate) fn in_planes(finding: Diagnostic) -> Box<Diagnostic> {
    Box::new(
        finding
            .rule(
                "under `--slicing h` a program that looks up bytes is put in planes of bits: 16, 8, 4 or 2 bytes, consecutive in \
                 memory, make 8 of them; an operation acts on all bytes of a group, and bytes change places only inside of their \
                 group",
            )
            .help("use `--slicing b`, where every bit is by itself, or write the same for all bytes of a group"),
    )
}
