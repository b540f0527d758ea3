//! The texts that the checker, the parser and the interpreter of machine programs write.

use crate::program::{RegionId, RegisterId};
use thiserror::Error;
use usuba_ir::program::InductionId;
use usuba_target::Undefined;

/// A broken invariant: where, and which.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{rule}", place(.function, .register))]
pub struct Flaw {
    /// The name of the function, if it is in one.
    pub function: Option<String>,
    /// The register that the step at fault defines, if there is one.
    pub register: Option<RegisterId>,
    /// What is broken.
    pub rule: Rule,
}

fn place(function: &Option<String>, register: &Option<RegisterId>) -> String {
    match (function, register) {
        (Some(function), Some(register)) => format!("function `{function}`, {register}: "),
        (Some(function), None) => format!("function `{function}`: "),
        _ => String::new(),
    }
}

/// An invariant of machine programs, with what broke it. Types are given in the notation of the text form.
#[expect(missing_docs, reason = "the text of each rule is its documentation")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Rule {
    #[error("there is no target `{0}`")]
    NoTarget(String),
    #[error("the program has no function; the last function is its entry")]
    NoFunction,
    #[error("`{0}` is the name of two functions; names are unique")]
    FunctionTwice(String),
    #[error("`{0}` is no name; a name has letters, digits, `_` and `'`, at least one")]
    Name(String),
    #[error("the name `{0}` has a blank or a quote")]
    SourceName(String),
    #[error("{0} is not a register of the function")]
    NoRegister(RegisterId),
    #[error("{0} is not a region of the function")]
    NoRegion(RegionId),
    #[error("{0} is defined twice; a register has one definition")]
    DefinedTwice(RegisterId),
    #[error("{0} is used where it is not defined")]
    NotDefined(RegisterId),
    #[error("{0} is declared twice")]
    DeclaredTwice(RegionId),
    #[error("{0} is used where it does not live")]
    NotDeclared(RegionId),
    #[error("{0} is no region of the function's own, as those that a block declares are")]
    NotLocal(RegionId),
    #[error("{0} is a region of the function's own, which no caller gives")]
    LocalParameter(RegionId),
    #[error("the length of {0} is not constant or is 0; memory of the function's own has a constant size")]
    LocalLength(RegionId),
    #[error(
        "{0} is no public count: a register of the type `count`, for the length of a parameter one of the parameters"
    )]
    NotCount(RegisterId),
    #[error("`{0}` is no instruction of {1}")]
    NoRow(String, &'static str),
    #[error("`{0}` does not {1}")]
    Meaning(String, &'static str),
    #[error("`{row}`: {why}")]
    Operands { row: String, why: Undefined },
    #[error("`{row}` moves a lane for each of {expected} places, not of {found}")]
    Places { row: String, found: usize, expected: usize },
    #[error("{what} has the type {found}, but {expected} is needed")]
    Type { what: String, found: String, expected: String },
    #[error("a constant stands among the steps; constants come first")]
    ConstantAmongSteps,
    #[error("a step that makes no constant stands among the constants")]
    StepAmongConstants,
    #[error("{0} is an input; it is not written")]
    WritesInput(RegionId),
    #[error(
        "{address} may lie outside of the {length} elements of its region (elements used from there on: {part})"
    )]
    Index { address: String, part: String, length: String },
    #[error("an index or a length is too large to reason about")]
    LargeIndex,
    #[error("{0} may be negative; a public count is not")]
    Negative(RegisterId),
    #[error("a public count is divided by 0")]
    DividesByZero,
    #[error("{0} may be as many elements as {1} has; a part is fewer")]
    Part(RegisterId, String),
    #[error("{0} may reach beyond the end of {1}, of which it is a view")]
    View(RegionId, RegionId),
    #[error("{0} has another role or other elements than {1}, of which it is a view")]
    OtherView(RegionId, RegionId),
    #[error("the index has a coefficient 0 or its inductions are not in increasing order")]
    AffineForm,
    #[error("i{} is used outside of its loop", .0.0)]
    InductionScope(InductionId),
    #[error("i{} is the induction variable of two loops", .0.0)]
    InductionTwice(InductionId),
    #[error("two places of {0} that the step reads and writes overlap")]
    Overlap(RegionId),
    #[error("a loop is run at least once, and a part has at least one element")]
    NoTrip,
    #[error("it calls function {0}, which is not before it; callees come before their callers")]
    Callee(usize),
    #[error("the call has {found} arguments for {expected} parameters")]
    Arguments { found: usize, expected: usize },
    #[error("argument {0} does not fit its parameter: {1}")]
    Argument(usize, &'static str),
}

/// A text that is not a machine program: where (line and column from 1, in characters) and why.
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
    Large(u64),
    #[error("there is no target `{0}`")]
    Target(String),
    #[error("`{row}` is no instruction of {target} that {what}")]
    Row { row: String, target: &'static str, what: &'static str },
    #[error("`{0}` is no type; types are such as v256x32, v256, g64 and count")]
    Type(String),
    #[error("`{0}` is no function before this one")]
    NoFunction(String),
    #[error("{0} is defined twice")]
    DefinedTwice(String),
    #[error("the numbers of registers or regions leave gaps: {0} is not defined")]
    Gap(String),
    #[error("loops are nested more than {0} deep")]
    Deep(u32),
    #[error("a public number of elements is copied without instructions: `copy &1[0], &0[0] part %2`")]
    CopyPart,
    #[error("the text in quotes has no end on its line")]
    OpenQuote,
}

/// Why the interpreter stops.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// Too few or too many inputs.
    #[error("the entry has {expected} inputs, {found} were given")]
    Inputs {
        /// What it has.
        expected: usize,
        /// What it was given.
        found: usize,
    },
    /// An input of another size.
    #[error("input {number} has {expected} bytes, {found} were given")]
    Size {
        /// Which input, from 0.
        number: usize,
        /// Its bytes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A row without a meaning for its operands.
    #[error("`{row}`: {why}")]
    Row {
        /// The row.
        row: String,
        /// Why.
        why: Undefined,
    },
}
