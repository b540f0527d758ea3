//! Messages: programs with public lengths, in a form in which loops stay loops.
//!
//! [`mod@elaborate`] makes the form ([`mod@form`]) of a node of a checked program; [`mod@interpret`] runs it, and must agree with
//! the reference interpreter, which elaborates the same node for every list of lengths anew. [`mod@passes`] takes arrays of public
//! length out, so that what is left is loops from strings to strings.

pub mod bounds;
pub mod classes;
pub mod elaborate;
pub mod facts;
pub mod form;
pub mod in_place;
pub mod incremental;
pub mod interpret;
pub mod number;
pub mod passes;
pub mod print;
mod prune;
pub mod strings;
