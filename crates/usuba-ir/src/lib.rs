//! Usuba0: the normal form of Usuba programs.
//!
//! Reading order: [`layout`] (how atoms lie in registers), [`program`] (nodes, values, operations), [`builder`] (the way
//! to make them), [`check`] (the invariants), [`text`] (the form that prints and parses), [`interpret`] (the meaning).

pub mod layout;
pub mod program;
