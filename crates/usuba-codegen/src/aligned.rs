//! Functions whose stack Clang shall align.
//!
//! It keeps vectors of 32 and 64 bytes on the stack where that happens to be, unless the function has a local array of them: on a
//! stack that is aligned to 16 bytes, as the System V ABI has it, every second of 32 bytes lies in two lines of the cache. On
//! Zen 4 ChaCha20 on AVX2 then takes 1.79 cycles a byte for 1.02, in every second process or from every second caller. GCC aligns
//! the stack where it needs to.

use usuba_target::Target;

/// What such functions begin with, and its definition.
pub(crate) const KEYWORD: &str = "USUBA_ALIGNED_STACK";
pub(crate) const DEFINITION: &str = "\
/* Clang keeps vectors on the stack as it finds it, across lines of the cache. */
#if defined(__clang__)
#define USUBA_ALIGNED_STACK __attribute__((force_align_arg_pointer))
#else
#define USUBA_ALIGNED_STACK
#endif

";

/// Whether code for a target has vectors that are longer than what the ABI aligns the stack to.
pub(crate) fn is_needed(target: &Target) -> bool {
    target.register_bits > 128
}
