//! Machines as tables: registers, instructions, costs, CPU predicates.
//!
//! Reading order: [`feature`] (what a CPU can have), [`instruction`] (a row of a table and what it means), [`target`] (a
//! machine), then the tables themselves: [`machines`]; [`core`] has other numbers for some processors.
//!
//! The crate is data and look-ups. The selector, the C printer, an assembly printer, the lifter of the verifier and the
//! cost model read the same rows.

pub mod core;
pub mod feature;
pub mod instruction;
pub mod machines;
pub mod platform;
pub mod target;

pub use core::Core;
pub use feature::Feature;
pub use instruction::{Instruction, Meaning};
pub use machines::{all, by_name, permutations};
pub use platform::{Cpuid, PLATFORMS, Platform};
pub use target::{ByteOrder, Target, Toolchain};
