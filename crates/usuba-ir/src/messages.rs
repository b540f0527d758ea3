//! The texts that the checker and the parser of Usuba0 write.

use crate::program::{InductionId, ValueId};
use thiserror::Error;

/// A broken invariant: where, and which.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{rule}", place(.node, .value))]
pub struct Flaw {
    /// The name of the node, if it is in one.
    pub node: Option<String>,
    /// The first value that the operation at fault defines (or the value at fault), if it is about one.
    pub value: Option<ValueId>,
    /// What is broken.
    pub rule: Rule,
}

fn place(node: &Option<String>, value: &Option<ValueId>) -> String {
    match (node, value) {
        (Some(node), Some(value)) => format!("node `{node}`, %{}: ", value.0),
        (Some(node), None) => format!("node `{node}`: "),
        _ => String::new(),
    }
}

/// An invariant of Usuba0, with what broke it. Types are given in the notation of the text form.
#[expect(missing_docs, reason = "the text of each rule is its documentation")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Rule {
    #[error("the program has no node; the last node is its entry")]
    NoNode,
    #[error("the program is interleaved 0 times; it computes at least one batch of instances")]
    NoBatch,
    #[error(
        "the program is interleaved {batches} times, but the shape of `{name}` is {shape:?}; its outermost dimension is the \
         number of batches"
    )]
    Batches { name: String, shape: Vec<u32>, batches: u32 },
    #[error("`{0}` is the name of two nodes; names are unique")]
    NodeTwice(String),
    #[error("`{0}` is no name; a name has letters, digits, `_` and `'`, at least one")]
    Name(String),
    #[error(
        "the layout {0} is none; word, pack and instances are at least 1 and an atom has at most 128 bits"
    )]
    Layout(String),
    #[error("an array has at least one element")]
    EmptyArray,
    #[error("`{name}` has the shape {shape:?}, but its type {ty} has {atoms} atoms")]
    Shape { name: String, shape: Vec<u32>, ty: String, atoms: u32 },
    #[error("the output `{0}` is uniform; only inputs can be")]
    UniformOutput(String),
    #[error("{parameters} {what}, but {values} values for them")]
    Count { what: &'static str, parameters: usize, values: usize },
    #[error("{what} has type {found}, but {expected} is needed")]
    Type { what: String, found: String, expected: String },
    #[error("it is not a value of the node, which has {0}")]
    NoValue(usize),
    #[error("it is used before it is defined")]
    UsedBefore,
    #[error("it is used outside of the loop whose body defines it; hand it out as a carried value")]
    OutOfScope,
    #[error("it is defined twice; a value has one definition")]
    DefinedTwice,
    #[error("it is never defined; every value has a definition")]
    NeverDefined,
    #[error("the operation defines {found} values instead of {expected}")]
    Results { found: usize, expected: usize },
    #[error("the constant {number:#x} does not fit in {width} bits")]
    Constant { number: u128, width: u32 },
    #[error("the amount {amount} is not between 0 and the width {width}, both excluded")]
    Amount { amount: u32, width: u32 },
    #[error("the pattern has {found} entries for the {width} bits of the atom")]
    PatternLength { found: usize, width: u32 },
    #[error("the pattern names bit {bit} of an atom of {width} bits")]
    PatternBit { bit: u32, width: u32 },
    #[error("there is no bit {bit} in an atom of {width} bits")]
    Bit { bit: u32, width: u32 },
    #[error("a block has no words of {0} bits to be added; there are 16, 32 and 64")]
    WordsOfBlock(u32),
    #[error("{what} needs atoms of one word, {found} has {pack}")]
    Packed { what: &'static str, found: String, pack: u32 },
    #[error(
        "the index goes from {low} to {high}, outside of the {len} elements of the array (reading or writing {part})"
    )]
    Index { low: i128, high: i128, len: u32, part: u32 },
    #[error("the index has a coefficient 0 or its inductions are not in increasing order")]
    AffineForm,
    #[error("i{} is used outside of its loop", .0.0)]
    InductionScope(InductionId),
    #[error("i{} is the induction variable of two loops or beyond the {} of the node", .0.0, .1)]
    Induction(InductionId, u32),
    #[error("the node counts {counted} induction variables, but has {loops} loops")]
    InductionCount { counted: u32, loops: u32 },
    #[error("a loop is run at least once")]
    NoTrip,
    #[error("it calls node {callee}, which is not before it; callees come before their callers")]
    Callee { callee: u32 },
    #[error("its origin is in file {file}, the program has {files}")]
    File { file: u32, files: usize },
    #[error("its source name `{0}` has a blank or a quote")]
    SourceName(String),
    #[error("the file name {0:?} has a quote or a line break")]
    FileName(String),
}

/// A text that is not a program: where (line and column from 1, in characters) and why.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{line}:{column}: {message}")]
pub struct TextError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: TextMessage,
}

/// What is wrong with a text.
#[expect(missing_docs, reason = "the text of each message is its documentation")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TextMessage {
    #[error("expected {expected}, found {found}")]
    Expected { expected: &'static str, found: String },
    #[error("the number is too large here; the largest is {0}")]
    Large(u128),
    #[error(
        "`{0}` is no type; types are such as b1, v16, h16, <32,4,1>, and arrays b1[64] with at most {1} elements"
    )]
    Type(String, u32),
    #[error("an atom has from 1 to 128 bits")]
    Width,
    #[error("{0:#04x} names no halves; there are 0x00, 0x01, 0x10 and 0x11")]
    Halves(u8),
    #[error("`{0}` is no operation")]
    Operation(String),
    #[error("`{0}` is no node of the program")]
    NoNode(String),
    #[error("%{0} is defined twice; a value has one definition")]
    DefinedTwice(u32),
    #[error("%{0} is used, but never defined")]
    NeverDefined(u32),
    #[error("the numbers of values leave gaps: %{0} is used, but the values below it are not all defined")]
    Gap(u32),
    #[error("loops are nested more than {0} deep")]
    Deep(u32),
    #[error("the text in quotes has no end on its line")]
    OpenQuote,
}
