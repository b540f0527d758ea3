//! What can be wrong with arguments.

use core::ffi::c_int;
use core::fmt;

/// What is wrong with the arguments of a function. Nothing was written, except that a message that was refused may leave
/// zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// A length is not what the function takes: a multiple of the block, the size of a key or of a nonce, or not more than
    /// the counter can number.
    Length,
    /// Input and output overlap without being the same.
    Overlap,
    /// A tag is not right: the data are not authentic.
    Tag,
    /// There is no target of this name, or this machine lacks it.
    Target,
    /// The primitive has no such function.
    Unsupported,
    /// The C library refused the call for a reason that safe code cannot cause: this number.
    Internal(i32),
}

impl Error {
    /// What a C function has returned.
    ///
    /// # Errors
    /// All numbers but 0.
    pub(crate) fn check(result: c_int) -> Result<(), Error> {
        match result {
            0 => Ok(()),
            -2 => Err(Error::Length),
            -3 => Err(Error::Overlap),
            -4 => Err(Error::Tag),
            -7 => Err(Error::Target),
            other => Err(Error::Internal(other)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Length => f.write_str("a length is not what the function takes"),
            Error::Overlap => f.write_str("input and output overlap without being the same"),
            Error::Tag => f.write_str("the tag is not right: the data are not authentic"),
            Error::Target => f.write_str("there is no target of this name, or this machine lacks it"),
            Error::Unsupported => f.write_str("the primitive has no such function"),
            Error::Internal(number) => write!(f, "the C library refused the call: {number}"),
        }
    }
}

impl core::error::Error for Error {}

/// Makes sure of a result that the types of the arguments leave no other choice for.
///
/// # Panics
/// The C library refused: its code and this crate do not belong together. To go on would leave data as they were.
#[track_caller]
pub(crate) fn ensure(result: c_int) {
    assert!(result == 0, "the generated C refused arguments of the right sizes: {result}");
}
