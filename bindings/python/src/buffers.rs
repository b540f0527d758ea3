//! Bytes-like objects as memory.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::{CStr, c_char, c_int, c_void};
use zeroize::Zeroize;

/// `Py_buffer`. The limited API has it from Python 3.11 on, so that pyo3 does not declare it for 3.9; the structure and the
/// functions below are the same in all versions from 3.3 on.
#[repr(C)]
struct View {
    memory: *mut c_void,
    owner: *mut PyObject,
    bytes: isize,
    item_bytes: isize,
    readonly: c_int,
    dimensions: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut c_void,
}

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut PyObject, view: *mut View, flags: c_int) -> c_int;
    fn PyBuffer_IsContiguous(view: *const View, order: c_char) -> c_int;
    fn PyBuffer_ToContiguous(to: *mut c_void, view: *const View, bytes: isize, order: c_char) -> c_int;
    fn PyBuffer_FromContiguous(view: *const View, from: *const c_void, bytes: isize, order: c_char) -> c_int;
    fn PyBuffer_Release(view: *mut View);
}

/// `PyBUF_FULL_RO`: with format, shape, strides and suboffsets; it may be read-only.
const FULL_READ_ONLY: c_int = 0x011c;

/// Elements in the order of C, the last index fastest.
const ORDER: c_char = b'C' as c_char;

/// The bytes of an object, whatever its elements are, in one piece: its own memory, or a copy if that is not in one piece. They stay
/// as long as this lives.
pub struct Memory {
    /// Where it is does not change: objects may point into their views.
    view: Box<View>,
    /// The bytes of an object that are not in one piece.
    copy: Option<Vec<u8>>,
    /// Where the bytes begin, as a number.
    address: usize,
}

impl Memory {
    /// Memory to read.
    ///
    /// # Errors
    /// The object has no memory, or it is of objects.
    pub fn of(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Memory> {
        let refused = || {
            let name = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            PyTypeError::new_err(format!("{what} must be a bytes-like object or an array, not {name}"))
        };
        let mut view = Box::new(View {
            memory: std::ptr::null_mut(),
            owner: std::ptr::null_mut(),
            bytes: 0,
            item_bytes: 0,
            readonly: 0,
            dimensions: 0,
            format: std::ptr::null_mut(),
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            suboffsets: std::ptr::null_mut(),
            internal: std::ptr::null_mut(),
        });
        // SAFETY: the object is alive and the interpreter lock is held; the view is memory for one.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), &mut *view, FULL_READ_ONLY) } != 0 {
            drop(PyErr::take(object.py()));
            return Err(refused());
        }
        let address = view.memory as usize;
        let mut memory = Memory { view, copy: None, address };
        // SAFETY: the format is null or a string that a zero ends, which lives as the view does.
        let is_of_objects = !memory.view.format.is_null()
            && unsafe { CStr::from_ptr(memory.view.format) }.to_bytes().contains(&b'O');
        if is_of_objects {
            return Err(PyTypeError::new_err(format!("{what} must be an array of numbers, not of objects")));
        }
        // SAFETY: the view was filled.
        if unsafe { PyBuffer_IsContiguous(&*memory.view, ORDER) } == 0 {
            let mut copy = vec![0_u8; memory.len()];
            // SAFETY: the view was filled, and the copy has as many bytes.
            let failed = unsafe {
                PyBuffer_ToContiguous(copy.as_mut_ptr().cast(), &*memory.view, memory.view.bytes, ORDER)
            };
            if failed != 0 {
                return Err(PyErr::fetch(object.py()));
            }
            memory.address = copy.as_mut_ptr() as usize;
            memory.copy = Some(copy);
        }
        if memory.len() == 0 {
            // Objects without bytes may have no memory.
            memory.address = std::ptr::NonNull::<u8>::dangling().as_ptr() as usize;
        }
        Ok(memory)
    }

    /// Memory to write: [`Memory::written`] is to be called when it is.
    ///
    /// # Errors
    /// As [`Memory::of`], or it is only for reading.
    pub fn writable(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Memory> {
        let memory = Memory::of(object, what)?;
        if memory.view.readonly != 0 {
            return Err(PyValueError::new_err(format!("{what} must be writable")));
        }
        Ok(memory)
    }

    /// Bytes of it.
    pub fn len(&self) -> usize {
        usize::try_from(self.view.bytes).unwrap_or(0)
    }

    /// Where it begins, as a number, which closures that run without the interpreter may take along.
    pub fn address(&self) -> usize {
        self.address
    }

    /// The object gets what was written to a copy of it.
    ///
    /// # Errors
    /// Those of Python.
    pub fn written(&self, py: Python<'_>) -> PyResult<()> {
        let Some(copy) = &self.copy else { return Ok(()) };
        // SAFETY: the view was filled and is writable, the copy has as many bytes; the interpreter lock is held.
        let failed =
            unsafe { PyBuffer_FromContiguous(&*self.view, copy.as_ptr().cast(), self.view.bytes, ORDER) };
        if failed == 0 { Ok(()) } else { Err(PyErr::fetch(py)) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(copy) = &mut self.copy {
            copy.zeroize();
        }
        // SAFETY: the view was filled, and is released once, with the interpreter lock.
        Python::attach(|_| unsafe { PyBuffer_Release(&mut *self.view) });
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
            memory.written(py)?;
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
