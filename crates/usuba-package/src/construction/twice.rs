//! Code on general-purpose registers that is compiled twice: for all machines of a kind, and for those of x86-64 that have BMI1 and
//! BMI2, where `a & ~b` is one instruction and a rotation needs no copy of its operand.
//!
//! A library asks for the level of the machine: from AVX2 on there is BMI ([`usuba_target::beside`]). On Zen 4, by gcc 12 with
//! `-O2`, SHA3-256 of 64 bytes to 16 KiB takes a sixth less time with it, Ascon-Hash256 an eighth and Xoodyak's hash a tenth;
//! Subterranean-SAE, whose state is bits, as much.

use crate::message::call::parameters;
use crate::template::Values;
use usuba_blockwise::message::Code;

/// What both copies are called by, behind the symbol.
const ALL: &str = "_all";
const BMI: &str = "_bmi";

/// The condition under which there are two copies, once for a file.
pub(super) const CONDITION: &str = include_str!("templates/bmi.c");

/// The source of code with this symbol, twice, and functions with the names of its own that ask the machine which of both to run.
pub(super) fn twice(code: &Code, symbol: &str) -> String {
    let declarations = || std::iter::once(&code.prepare).chain(code.functions());
    let copy = |behind: &str| {
        let renamed = |text: &str| text.replace(symbol, &format!("{symbol}{behind}"));
        let declared = |declaration: &String| format!("static {};\n", renamed(declaration));
        declarations().map(declared).collect::<String>() + &renamed(&code.source)
    };
    let choice = |declaration: &String| {
        let head = declaration.split_once('(').map_or("", |(head, _)| head);
        let (kind, name) = head.rsplit_once(' ').unwrap_or(("", head));
        let names: Vec<&str> = parameters(declaration).collect();
        let names = names.join(", ");
        let call = |behind: &str| {
            let call = format!("{}({names});", name.replace(symbol, &format!("{symbol}{behind}")));
            if kind == "void" { call } else { format!("return {call}") }
        };
        Values::default()
            .text("declaration", declaration)
            .when("nothing", kind == "void")
            .text("all", call(ALL))
            .text("bmi", call(BMI))
            .fill(include_str!("templates/choice.c"))
    };
    Values::default()
        .text("all", copy(ALL))
        .text("bmi", copy(BMI))
        .text("choices", declarations().map(choice).collect::<String>())
        .fill(include_str!("templates/twice.c"))
}
