//! Machine programs: instructions of one machine on typed registers, memory regions, loops and calls.
//!
//! Reading order: [`program`] (what there is), [`text`] (how it is written), [`check`] (what is sound), [`interpret`] (what it
//! computes), [`shape`] (how instances lie in registers).
//!
//! A machine program comes from selection, goes through the passes of code generation and is printed as C or assembly.
//! Printers take a [`Checked`] program, which only the checker makes.

mod bounds;
pub mod check;
pub mod interpret;
pub mod messages;
pub mod program;
mod rows;
pub mod shape;
pub mod text;

pub use check::{Checked, check};
pub use interpret::run;
pub use messages::{Fault, Flaw, Rule, TextError};
pub use program::Program;
pub use shape::Shape;
