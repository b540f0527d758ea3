//! Bytes-like objects as memory.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The memory of an object that holds one piece of bytes, whatever its elements are. It stays as long as this lives.
pub struct Memory {
    /// None for no bytes.
    buffer: Option<PyBuffer<u8>>,
}

impl Memory {
    /// Memory to read.
    ///
    /// # Errors
    /// The object has no memory, or it is not in one piece.
    pub fn of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Memory> {
        // What are bytes already needs no other view, which takes Python longer than a short message takes a cipher.
        if let Ok(buffer) = PyBuffer::<u8>::get(object)
            && buffer.is_c_contiguous()
        {
            return Ok(Memory { buffer: Some(buffer).filter(|buffer| buffer.len_bytes() > 0) });
        }
        let view = object.py().import("builtins")?.getattr("memoryview")?.call1((object,)).map_err(|_| {
            let name = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            PyTypeError::new_err(format!("{what} must be a bytes-like object or an array, not {name}"))
        })?;
        if !view.getattr("c_contiguous")?.extract::<bool>()? {
            return Err(PyValueError::new_err(format!("{what} must lie in memory in one piece, in C order")));
        }
        // `memoryview.cast` takes no view of nothing.
        if view.getattr("nbytes")?.extract::<usize>()? == 0 {
            return Ok(Memory { buffer: None });
        }
        let bytes = view.call_method1("cast", ("B",))?;
        Ok(Memory { buffer: Some(PyBuffer::get(&bytes)?) })
    }

    /// Memory to write.
    ///
    /// # Errors
    /// As [`Memory::of`], or it is only for reading.
    pub fn writable(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Memory> {
        let memory = Memory::of(object, what)?;
        match &memory.buffer {
            Some(buffer) if buffer.readonly() => {
                Err(PyValueError::new_err(format!("{what} must be writable")))
            }
            _ => Ok(memory),
        }
    }

    /// Bytes of it.
    pub fn len(&self) -> usize {
        self.buffer.as_ref().map_or(0, |buffer| buffer.len_bytes())
    }

    /// Where it begins, as a number, which closures that run without the interpreter may take along.
    pub fn address(&self) -> usize {
        self.buffer
            .as_ref()
            .map_or(std::ptr::NonNull::<u8>::dangling().as_ptr() as usize, |buffer| buffer.buf_ptr() as usize)
    }
}

/// Calls `work` with the place for `length` bytes of output, without the interpreter lock: in `out` if there is one, which
/// is then returned, else in new bytes.
///
/// # Errors
/// Those of `work`; and `out` has another length.
pub fn output<'py>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    length: usize,
    work: impl Fn(*mut u8) -> PyResult<()> + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    match out {
        Some(object) => {
            let memory = Memory::writable(object, "out")?;
            expect_length("out", memory.len(), length)?;
            let address = memory.address();
            py.detach(|| work(address as *mut u8))?;
            Ok(object.clone())
        }
        None => {
            let fill = |bytes: &mut [u8]| {
                let address = bytes.as_mut_ptr() as usize;
                py.detach(|| work(address as *mut u8))
            };
            Ok(PyBytes::new_with(py, length, fill)?.into_any())
        }
    }
}

/// # Errors
/// The lengths differ.
pub fn expect_length(what: &str, found: usize, wanted: usize) -> PyResult<()> {
    if found == wanted {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{what} must be {wanted} bytes long, not {found}")))
}
