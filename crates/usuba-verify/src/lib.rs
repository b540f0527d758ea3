//! Checks that two programs compute the same function, and proves it.
//!
//! [`mod@compare`] runs two programs of Usuba0, [`machine`] one and the machine program made from it: on all inputs if there are
//! few, else on chosen and random ones. [`symbolic`] runs programs on the bits of a [`graph`], [`prove`] decides for all inputs
//! whether bits are equal, [`equal`] is both for two programs, and [`object`] for the object code of a kernel;
//! [`circuit`] writes graphs for other tools. The crate knows
//! the meanings of programs, rows and instructions, and nothing of the passes and back ends that it checks.

pub mod circuit;
pub mod compare;
pub mod equal;
pub mod graph;
pub mod machine;
pub mod object;
pub mod prove;
mod shapes;
pub mod symbolic;
pub mod taint;
