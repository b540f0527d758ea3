//! Code on general-purpose registers that is compiled twice: for all machines of a kind, and for those of x86-64 that have BMI1 and
//! BMI2, where `a & ~b` is one instruction and a rotation needs no copy of its operand.
//!
//! A library asks for the level of the machine: from AVX2 on there is BMI ([`usuba_target::beside`]). On Zen 4 SHA3-256 takes a
//! sixth fewer cycles with it, Ascon-Hash256 and Xoodyak a ninth, by gcc 12 with `-O2`, at all lengths; Subterranean-SAE, whose
//! state is bits, as many.

use crate::template::Values;
use usuba_blockwise::message::Code;

/// What both copies are called by, behind the symbol.
const ALL: &str = "_all";
const BMI: &str = "_bmi";

/// The condition under which there are two copies, once for a file.
pub(super) const CONDITION: &str = include_str!("templates/bmi.c");

/// The declarations of the functions that code has, without storage class: what prepares, the whole, the parts and their counts.
pub(super) fn declarations(code: &Code) -> impl Iterator<Item = &String> {
    let pieces = code.pieces.iter().flat_map(|pieces| pieces.parts.iter().chain(&pieces.counts));
    [&code.prepare, &code.prototype].into_iter().chain(pieces)
}

/// The source of code with this symbol, twice, and functions with the names of its own that ask the machine which of both to run.
pub(super) fn twice(code: &Code, symbol: &str) -> String {
    let copy = |behind: &str| {
        let renamed = |text: &str| text.replace(symbol, &format!("{symbol}{behind}"));
        let declared = |declaration: &String| format!("static {};\n", renamed(declaration));
        declarations(code).map(declared).collect::<String>() + &renamed(&code.source)
    };
    let choice = |declaration: &String| {
        let (head, arguments) = declaration.split_once('(').unwrap_or((declaration, ")"));
        let names: Vec<&str> = arguments.trim_end_matches(')').split(',').map(name).collect();
        let names = names.join(", ");
        let call =
            |behind: &str| format!("{}({names});", name(head).replace(symbol, &format!("{symbol}{behind}")));
        Values::default()
            .text("declaration", declaration)
            .when("result", !head.starts_with("void "))
            .when("nothing", head.starts_with("void "))
            .text("all", call(ALL))
            .text("bmi", call(BMI))
            .fill(include_str!("templates/choice.c"))
    };
    Values::default()
        .text("all", copy(ALL))
        .text("bmi", copy(BMI))
        .text("choices", declarations(code).map(choice).collect::<String>())
        .fill(include_str!("templates/twice.c"))
}

/// The name of a parameter, or of a function before its parameters: the last word of its declaration.
fn name(parameter: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begin = parameter.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    &parameter[begin..]
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn parameters_have_names() {
        assert_eq!(name("const uint8_t *const *in"), "in");
        assert_eq!(name(" size_t l0_len"), "l0_len");
        assert_eq!(name("nothing"), "nothing");
    }
}
