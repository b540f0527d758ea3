//! Usuba0: the normal form of Usuba programs.
//!
//! Reading order: [`layout`] (how atoms lie in registers), [`program`] (nodes, values, operations), [`builder`] (the way
//! to make them), [`evaluate`] and [`laws`] (what the operators compute, and what they simplify to).

pub mod builder;
pub mod evaluate;
pub mod laws;
pub mod layout;
pub mod program;
