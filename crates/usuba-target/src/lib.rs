//! Machines as tables: registers, instructions, costs, CPU predicates.
//!
//! Reading order: [`feature`] (what a CPU can have), [`instruction`] (a row of a table, what it means and how it takes its
//! operands), [`semantics`] (the same, to be run), [`encoding`] (how x86 writes it), `x86` (the one table of x86), [`target`]
//! (a machine), then all of them: [`machines`]; [`core`] has other numbers for some processors.
//!
//! The crate is data, look-ups and the evaluation of rows. The selector, the C printer, an assembly printer, the lifter of
//! the verifier and the cost model read the same rows.

pub mod core;
pub mod encoding;
mod expression;
pub mod feature;
pub mod instruction;
pub mod machines;
pub mod platform;
pub mod semantics;
pub mod target;
mod x86;

pub use core::Core;
pub use encoding::Encoding;
pub use feature::Feature;
pub use instruction::{Instruction, Meaning};
pub use machines::{all, by_name};
pub use platform::{Cpuid, PLATFORMS, Platform, beside, level_for};
pub use semantics::{Constant, Undefined, evaluate};
pub use target::{ByteOrder, Rows, Target, Toolchain};
