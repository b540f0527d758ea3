//! Which code is used.

use crate::Error;
use core::ffi::{CStr, c_char, c_int};
// The C of the functions below, and of modes over any cipher.
use usuba_common_sys as _;

unsafe extern "C" {
    fn usuba_target() -> *const c_char;
    fn usuba_set_target(name: *const c_char) -> c_int;
}

/// The target whose code is used, such as `avx2`; `gp64` runs everywhere.
///
/// The CPU and the operating system are asked once. The environment variable `USUBA_TARGET` may name a lesser target;
/// what it names and the machine lacks is said once on the standard error, and left aside.
pub fn target() -> &'static str {
    // SAFETY: the function takes nothing and returns one of its own constant strings.
    unsafe { CStr::from_ptr(usuba_target()) }.to_str().unwrap_or_default()
}

/// Uses the target of this name from now on, in the whole process, for tests and comparisons; `None` asks the machine anew.
/// Keys that were expanded before keep the code that they were made for.
///
/// # Errors
/// [`Error::Target`] if there is no such target or this machine lacks it; then nothing has changed.
pub fn set_target(name: Option<&str>) -> Result<(), Error> {
    // Longer names than any target has cannot be one.
    let mut bytes = [0_u8; 32];
    let pointer = match name {
        None => core::ptr::null(),
        Some(name) if name.len() < bytes.len() && !name.contains('\0') => {
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            bytes.as_ptr().cast()
        }
        Some(_) => return Err(Error::Target),
    };
    // SAFETY: the pointer is null or to a string that a zero ends.
    Error::check(unsafe { usuba_set_target(pointer) })
}
