//! E07xx: tables and permutations.

use super::{literal, plural};
use crate::ast::{Definition, Integer, List, Name};
use crate::diagnostic::Diagnostic;

const BITWISE: &str = "counted in bits it fits: with `--slicing b` this is accepted";

pub(in crate::elaborate) fn permutation_length(
    name: &Name,
    list: &List,
    outputs: usize,
    words: &str,
    sliced: bool,
) -> Diagnostic {
    let count = plural(list.entries.len() as u64, "entry");
    let wanted = plural(outputs as u64, "word");
    Diagnostic::error("E0701", list.span, format!("the permutation `{}` has {count} for {wanted}", name.text))
        .label(count.clone())
        .also(name.span, format!("returns {words}"))
        .rule("a permutation has one entry for each word that it returns")
        .help(if sliced { BITWISE } else { "write as many entries, or change the outputs" })
}

pub(in crate::elaborate) fn permutation_entry(entry: &Integer, inputs: u32, sliced: bool) -> Diagnostic {
    let text = literal(entry);
    Diagnostic::error("E0702", entry.span, format!("there is no input {text}"))
        .label("out of range")
        .rule(format!(
            "the entries of a permutation are positions among its input words, counted from 1: 1 to {inputs}"
        ))
        .help(if sliced { BITWISE } else { "write a position in that range" })
}

pub(in crate::elaborate) fn permutation_types(
    entry: &Integer,
    from: &str,
    to: &str,
    directions: bool,
) -> Diagnostic {
    let text = literal(entry);
    let message = if directions {
        format!("input {text} and its output have different directions")
    } else {
        format!("input {text} is {from}, but its output is {to}")
    };
    Diagnostic::error("E0703", entry.span, message)
        .label("moves a word to a place of another type")
        .rule("a permutation moves words as they are")
        .help("give all its words one type")
}

pub(in crate::elaborate) fn table_length(
    name: &Name,
    list: &List,
    inputs: u32,
    words: &str,
    limit: u32,
    by_bits: bool,
) -> Diagnostic {
    let count = plural(list.entries.len() as u64, "value");
    let message = format!("the table `{}` has {count}", name.text);
    let finding =
        Diagnostic::error("E0704", list.span, message).label(count).also(name.span, format!("takes {words}"));
    if inputs > limit {
        return finding
            .rule(format!("a table has 2^n values for n inputs, and at most {limit} inputs"))
            .help("write it as a node");
    }
    let finding =
        finding.rule(format!("a table has a value for every index: 2^{inputs} = {} here", 1u64 << inputs));
    if by_bits {
        finding.help("counted in bits it is complete: with `--slicing b` this is accepted")
    } else {
        finding.help("write all values; where one does not matter, write any")
    }
}

pub(in crate::elaborate) fn table_types(name: &Name, inputs: &str, outputs: &str) -> Diagnostic {
    Diagnostic::error(
        "E0705",
        name.span,
        format!("the table `{}` mixes types: {inputs} and {outputs}", name.text),
    )
    .label("words of several types")
    .rule("a table takes and returns words of one type, and is applied to each bit position of them")
    .help("give them one type")
}

pub(in crate::elaborate) fn table_entry(entry: &Integer, outputs: u32) -> Diagnostic {
    let text = literal(entry);
    Diagnostic::error(
        "E0706",
        entry.span,
        format!("{text} does not fit in {}", plural(u64::from(outputs), "output")),
    )
    .label("too large")
    .rule(format!("a value has a bit for each output: it is below 2^{outputs}"))
    .help("write a smaller value, or declare more outputs")
}

pub(in crate::elaborate) fn table_too_wide(name: &Name, outputs: u32) -> Diagnostic {
    Diagnostic::error("E0707", name.span, format!("the table `{}` has {outputs} outputs", name.text))
        .label("too many")
        .rule("a table has at most 64 outputs")
        .help("split it into two tables")
}

pub(in crate::elaborate) fn word_table(name: &Name, input: &str, output: &str) -> Diagnostic {
    Diagnostic::error("E0708", name.span, format!("the table `{}` looks up a whole word, {input} to {output}", name.text))
        .label("indexed by the value of a word")
        .rule("the bits of a word index a table only if they are spread over registers, with `--slicing b`, or if the table is one of bytes that is affine, or inversion in GF(2^8) between affine maps")
        .help("compile with `--slicing b`; or declare the bits (`b8`, or `v8` for all positions of words at once); or accept a memory access that depends on the data with `--keep-tables`")
}

pub(in crate::elaborate) fn table_is_looked_up(name: &Name) -> Diagnostic {
    Diagnostic::warning(
        "W-table-lookup",
        name.span,
        format!("the table `{}` is looked up in memory", name.text),
    )
    .label("the address depends on the data: not constant time")
    .rule("`--keep-tables` keeps such tables")
    .help("leave `--keep-tables` out to have this refused")
}

pub(in crate::elaborate) fn table_order(definition: &Definition, list: &List) -> Diagnostic {
    let name = &definition.name.text;
    let finding = Diagnostic::warning("W-table-order", list.span, format!("these values of `{name}` are read least significant atom first"))
        .label("a list of Serpent, RECTANGLE or Clyde, without `_lsb` or `_msb`")
        .rule("the first atom of a table is its most significant bit, unless `_lsb` says otherwise; old sources of these three ciphers rely on the opposite")
        .help("write `_lsb` before the definition to keep this meaning, `_msb` to have the ordinary one");
    let mut insert = definition.span;
    insert.end = insert.start;
    finding.edit(insert, "_lsb ")
}
