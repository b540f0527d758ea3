//! The generated C and assembly of @TITLE@, compiled and linked. There is nothing to call here: the crate `usuba`
//! declares the functions.
#![no_std]

use usuba_common_sys as _;
