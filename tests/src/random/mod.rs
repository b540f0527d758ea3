//! Random programs and what is done with them.
//!
//! [`program`] writes well-typed Usuba text from a seed ([`prng`]); [`node`] writes the equations, keeping track of which
//! atoms have a value ([`scope`], [`reference`]). [`comparison`] runs a program through the interpreters and the passes
//! ([`stages`]), [`passes`] through code generation, each machine program being interpreted; [`kernels`] compiles many of them to C and runs them on register images that [`packing`] makes from the
//! definition of the layouts. [`shrink`] makes what fails small. [`mutation`] makes wrong programs out of right ones.

pub mod comparison;
pub mod kernels;
pub mod message;
pub mod mutation;
pub mod node;
pub mod packing;
pub mod passes;
pub mod prng;
pub mod program;
pub mod reference;
pub mod scope;
pub mod shrink;
pub mod stages;

/// What the generator leaves out, or the comparison overlooks, because the compiler does not have it right yet, and why. Each line is work for someone.
pub const KNOWN_GAPS: &[(&str, &str)] = &[(
    "untyped constants under a complement in a tuple",
    "`y = (~(0, 0:u8), 0)` for y: u8[3] is refused with E0435, though each constant stands where a u8 is wanted",
)];

/// Whether something is among the [`KNOWN_GAPS`].
pub fn has_gap(name: &str) -> bool {
    KNOWN_GAPS.iter().any(|(gap, _)| *gap == name)
}
