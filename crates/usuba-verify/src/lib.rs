//! Checks that two programs compute the same function.
//!
//! [`mod@compare`] runs two programs of Usuba0, [`machine`] one and the machine program made from it: on all inputs if there are
//! few, else on chosen and random ones. The crate knows the interpreters and nothing of the passes and back ends that it checks.

pub mod compare;
pub mod machine;
