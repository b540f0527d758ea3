//! E07xx: tables and permutations.

use super::{literal, plural};
use crate::ast::{Definition, Integer, List, Name};
use crate::diagnostic::Diagnostic;
use crate::elaborate::TABLE_OF_WORDS;

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

/// What the entries of a permutation are positions of.
#[derive(Clone, Copy)]
pub(in crate::elaborate) enum Positions {
    Words,
    /// Words, but bits where it is sliced, of which there are enough.
    WordsOrBits,
    Bits,
}

pub(in crate::elaborate) fn permutation_entry(
    entry: &Integer,
    inputs: u32,
    positions: Positions,
    from_zero: bool,
) -> Diagnostic {
    let text = literal(entry);
    let things = if matches!(positions, Positions::Bits) { "bits" } else { "words" };
    Diagnostic::error("E0702", entry.span, format!("there is no input {text}"))
        .label("out of range")
        .rule(format!(
            "the entries of a permutation are positions among its input {things}, counted from 1: 1 to {inputs}"
        ))
        .help(match positions {
            Positions::WordsOrBits => BITWISE,
            _ if from_zero => "this list counts from 0: add 1 to every entry",
            _ => "write a position in that range",
        })
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

/// What indexes a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::elaborate) enum Index {
    /// A bit of each of its words.
    Words,
    /// The same; for as many values as it has, the bits of all its words.
    WordsOrBits,
    /// The value of its one word.
    Word,
}

pub(in crate::elaborate) fn table_length(
    name: &Name,
    list: &List,
    inputs: u32,
    words: &str,
    limit: u32,
    index: Index,
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
    let all = 1u64 << inputs;
    let finding = finding.rule(match index {
        Index::Word => {
            format!("a table from a word has a value for each of its values: 2^{inputs} = {all} here")
        }
        _ => format!("a table has a value for every index: 2^{inputs} = {all} here"),
    });
    match index {
        Index::WordsOrBits => {
            finding.help("counted in bits it is complete: with `--slicing b` this is accepted")
        }
        _ => finding.help("write all values; where one does not matter, write any"),
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
        .help("compile with `--slicing b`; or declare the bits (`b8`, or `v8` for all positions of words at once)")
}

pub(in crate::elaborate) fn table_is_looked_up(name: &Name) -> Diagnostic {
    Diagnostic::warning(
        TABLE_OF_WORDS,
        name.span,
        format!("the table `{}` has a meaning, but code only with `--slicing b`", name.text),
    )
    .label("indexed by the value of a word")
    .rule("by words, a table would be an access to memory at an address that depends on the data; that has code only for tables of bytes that are affine, or inversion in GF(2^8) between affine maps")
    .help("compile with `--slicing b`; or declare the bits (`b8`, or `v8` for all positions of words at once)")
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
