//! Random programs and what is done with them.
//!
//! [`program`] writes well-typed Usuba text from a seed ([`prng`]); [`node`] writes the equations, keeping track of which
//! atoms have a value ([`scope`], [`reference`]).

pub mod node;
pub mod prng;
pub mod program;
pub mod reference;
pub mod scope;
