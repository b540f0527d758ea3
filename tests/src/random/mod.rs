//! Random programs and what is done with them.
//!
//! [`program`] writes well-typed Usuba text from a seed ([`prng`]); [`node`] writes the equations, keeping track of which
//! atoms have a value ([`scope`], [`reference`]).

pub mod node;
pub mod prng;
pub mod program;
pub mod reference;
pub mod scope;
pub mod stages;
pub mod shrink;
pub mod comparison;
pub mod packing;
pub mod kernels;
