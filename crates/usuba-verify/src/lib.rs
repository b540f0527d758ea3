//! Checks that two programs compute the same function.
//!
//! [`compare`] runs both: on all inputs if there are few, else on chosen and random ones. It knows the interpreter of
//! Usuba0 and nothing of the passes and back ends that it checks.

pub mod compare;
