//! Machine programs: instructions of one machine on typed registers, memory regions, loops and calls.
//!
//! Reading order: [`program`] (what there is), [`text`] (how it is written), [`check`] (what is sound), [`interpret`] (what it
//! computes), [`shape`] (how instances lie in registers), [`Rounds`] (how a
//! kernel takes round keys whose number its caller says).
//!
//! A machine program comes from selection, goes through the passes of code generation and is printed as C or assembly.
//! Printers take a [`Checked`] program, which only the checker makes.

mod bounds;
pub mod check;
pub mod interpret;
pub mod messages;
pub mod program;
mod rounds;
mod rows;
pub mod shape;
pub mod text;

pub use check::{Checked, check};
pub use interpret::run;
pub use messages::{Fault, Flaw, Rule, TextError};
pub use program::Program;
pub use rounds::Rounds;
pub use shape::Shape;
