//! Tries what the compiler and [`usuba_package`] make: runs it, compares it with known answers, times it, and searches for
//! the best choices.
//!
//! Floors, in reading order: [`vectors`] (files of known answers), [`run`] (compiling and running C), [`harness`] (the C that
//! tests C), [`variant`] (all that can be chosen about the code of a primitive), [`known_answers`] (the same tests every way),
//! [`bench`] (the C that times C), [`disassembly`] (what compilers made of it), [`tune`] (which variants are tried), [`tuned`]
//! (the file of what was found best), [`proof`] (kernels, to be proved as object code).
//!
//! The crate is pure, with the exception of [`run`]: nothing else reads files or starts processes.

pub mod bench;
pub mod disassembly;
pub mod harness;
pub mod known_answers;
pub mod proof;
pub mod run;
pub mod tune;
pub mod tuned;
pub mod variant;
pub mod vectors;

mod messages;
