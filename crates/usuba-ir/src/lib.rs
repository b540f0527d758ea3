//! Usuba0: the normal form of Usuba programs.
//!
//! Reading order: [`layout`] (how atoms lie in registers), [`program`] (nodes, values, operations), [`builder`] (the way
//! to make them), [`evaluate`] and [`laws`] (what the operators compute, and what they simplify to), [`check`] (the
//! invariants), [`text`] (the form that prints and parses), [`interpret`] (the meaning), [`random`] (programs to test with).

pub mod aes;
mod affine;
pub mod block;
pub mod builder;
pub mod bytes;
pub mod carryless;
pub mod check;
pub mod evaluate;
pub mod interpret;
pub mod laws;
pub mod layout;
pub mod messages;
pub mod program;
pub mod random;
mod renumber;
pub mod text;
mod visit;
