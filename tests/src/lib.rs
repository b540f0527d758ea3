//! Tests that cross crates: layering, known answers, random programs.

pub mod random;
