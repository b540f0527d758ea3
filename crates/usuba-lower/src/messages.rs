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
             would be a memory access that depends on data"
        ))
        .help(format!(
            "use `--slicing b`, where the word is its bits, or declare the table on `v{inputs}` and `v{outputs}`"
        ))
}

pub(crate) fn directions(span: Span, name: &str, direction: Direction, slicing: Slicing) -> Diagnostic {
    let wanted = slicing.to_string().to_uppercase();
    Diagnostic::error(
        "E0903",
        span,
        format!("`{name}` is declared `<{direction:?}>` but the program is sliced `<{wanted}>`"),
    )
    .label(format!("declared `<{direction:?}>`"))
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

pub(crate) fn vertical_width(span: Span, name: &str, width: u32) -> Diagnostic {
    Diagnostic::error("E0906", span, format!("`{name}` has words of {width} bits, wider than any lane"))
        .label(format!("`u{width}`"))
        .rule("under `--slicing v` a word lies in a lane of at most 64 bits")
        .help("use `--slicing b`, or words of at most 64 bits")
}
