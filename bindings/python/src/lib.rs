//! The native half of the Python package: ciphers over buffers, and kernels compiled while Python runs.

mod aead;
mod buffers;
mod ciphers;
mod digests;
mod kernel;
mod keyed;
mod layout;
mod modes;
mod streams;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(usuba, TagError, PyValueError, "A tag is not right: the data are not authentic.");
create_exception!(
    usuba,
    CompileError,
    PyException,
    "A program cannot be compiled; the text says why and where."
);

/// The exception for an error of the crate.
fn exception(error: usuba::Error) -> PyErr {
    match error {
        usuba::Error::Tag => TagError::new_err("the tag is not right: the data are not authentic"),
        error => PyValueError::new_err(error.to_string()),
    }
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::aead::Aead;
    #[pymodule_export]
    use super::ciphers::{BlockCipher, Permutation, TweakableBlockCipher};
    #[pymodule_export]
    use super::ciphers::{primitives, set_target, target};
    #[pymodule_export]
    use super::digests::{Hash, Mac, Xof};
    #[pymodule_export]
    use super::kernel::{Kernel, compile};
    #[pymodule_export]
    use super::keyed::{NonceMac, UnitCipher};
    #[pymodule_export]
    use super::modes::BlockMode;
    #[pymodule_export]
    use super::streams::{Generator, StreamCipher};
    #[pymodule_export]
    use super::{CompileError, TagError};
}
