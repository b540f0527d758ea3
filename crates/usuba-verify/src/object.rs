//! Object code of x86-64 and of AArch64, run on bits of a graph.
//!
//! [`file`] reads an ELF object, [`machine::Machine::run`] runs a function of it: it decodes the bytes, follows jumps and calls inside of the
//! object, and keeps what registers and memory hold as bits of a graph. Memory is regions of known sizes ([`memory`]); an address
//! is a place in a region. What has no meaning here is refused, with the instruction and the place: an instruction that is not known, an
//! address or a jump that depends on what is not known, an access outside of its region, a write where nothing may be written.
//! So what runs to its end has no secret in a branch or an address, on any input.
//!
//! Instances of sliced code are not told apart by value. Every byte says to which instance it belongs ([`value::Lane`]), and
//! nothing is computed from bytes of two of them: so one graph of one instance is what every instance computes.
//!
//! [`kernel`] proves a function equal to a program, and [`blocks`] that what is around it brings each block through it.

mod aarch64;
pub mod any_length;
pub mod batches;
pub mod blocks;
mod byte_tables;
mod callee;
mod cipher;
mod constants;
pub mod convention;
pub mod file;
mod flags;
pub mod growing;
mod induction;
mod inlined;
pub mod kernel;
mod lanes;
mod layout;
mod lift;
pub mod lines;
pub mod machine;
mod mask;
pub mod memory;
pub mod message;
mod moves;
mod named;
pub mod number;
mod operand;
mod packed;
mod renaming;
mod restart;
mod run;
mod scalar;
mod sequence;
mod state;
pub mod turn_lengths;
mod turns;
pub mod value;
mod vector;
mod windows;

use thiserror::Error;

/// Why a function is not run to its end.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Why {
    /// The bytes are no instruction.
    #[error("the bytes are no instruction")]
    Undecodable,
    /// There is no meaning for it.
    #[error("this instruction is not known")]
    Unknown,
    /// There is a meaning, but not for this operand.
    #[error("this operand is not known: {0}")]
    Operand(&'static str),
    /// Its time may depend on its operands.
    #[error("the time of this instruction depends on its operands")]
    VariableTime,
    /// An address that is no constant distance from a region.
    #[error("the address depends on data")]
    SecretAddress,
    /// A jump whose condition is no constant.
    #[error("whether this jumps depends on data")]
    SecretBranch,
    /// An access that is not inside of its region.
    #[error("{bytes} bytes at {offset} are not inside of `{region}`, which has {size}")]
    Outside {
        /// The region.
        region: String,
        /// Where the access begins.
        offset: i64,
        /// How many bytes it has.
        bytes: usize,
        /// Bytes of the region.
        size: usize,
    },
    /// A write where nothing may be written.
    #[error("`{0}` may not be written")]
    ReadOnly(String),
    /// Something is computed of an address that is no address.
    #[error("an address is computed with")]
    Address,
    /// An access, or a comparison, that depends on how many turns a loop makes.
    #[error("this depends on how many turns a loop makes")]
    Turns,
    /// Something is computed of bits of two instances.
    #[error("bits of two instances meet")]
    Lanes,
    /// A call or a jump to where there is no code of this object.
    #[error("the code that is called is not in the object: {0}")]
    External(String),
    /// More instructions than are run.
    #[error("more than {0} instructions are run")]
    TooLong(u64),
    /// More bits are computed than are kept.
    #[error("more than {0} different bits are computed")]
    TooLarge(usize),
    /// At the return something is not as it has to be.
    #[error("{0} at the return is not what it was at the call")]
    Convention(&'static str),
}

/// What is refused, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{function}+{offset:#x}: `{instruction}`: {why}")]
pub struct Refusal {
    /// The function that the instruction is in.
    pub function: String,
    /// Where in it.
    pub offset: u64,
    /// The instruction.
    pub instruction: String,
    /// The reason.
    pub why: Why,
}
