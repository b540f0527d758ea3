//! Modes of block ciphers that are given a number or a nonce for each message: XTS, GMAC.

use crate::buffers::{Memory, expect_length, output};
use crate::ciphers::{check, key_of, named};
use crate::exception;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use usuba::raw;
use zeroize::Zeroize;

/// What `init` makes of a key.
fn expanded(init: raw::Init, words: usize, key: &Bound<'_, PyAny>, bytes: usize) -> PyResult<Vec<u64>> {
    let mut key = key_of(key, bytes)?;
    let mut context = vec![0; words];
    // SAFETY: key and context have the sizes that the function wants.
    let result = unsafe { init(context.as_mut_ptr().cast(), key.as_ptr()) };
    key.zeroize();
    check(result)?;
    Ok(context)
}

/// A block cipher in a mode for units of storage, with a key: `UnitCipher("aes-128-xts", key)`.
///
/// The key is one for blocks, then one for the numbers of units, which must not be the same. A unit has a block or more, and by the
/// standard at most 2^24 bytes. Nothing tells whether data were changed.
#[pyclass(frozen, module = "usuba")]
pub struct UnitCipher {
    raw: raw::UnitMode,
    context: Vec<u64>,
}

#[pymethods]
impl UnitCipher {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::UNIT_MODES, |one| one.name, "mode for units of storage", name)?;
        Ok(UnitCipher { raw, context: expanded(raw.init, raw.context_words, key, raw.key_bytes)? })
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    #[getter]
    fn key_size(&self) -> usize {
        self.raw.key_bytes
    }

    /// Encrypts the unit of this number, which is below 2^128.
    #[pyo3(signature = (unit, data, out=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        unit: u128,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(py, self.raw.encrypt, unit, data, out)
    }

    /// Decrypts the unit of this number.
    #[pyo3(signature = (unit, data, out=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        unit: u128,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(py, self.raw.decrypt, unit, data, out)
    }

    fn __repr__(&self) -> String {
        format!("<usuba.UnitCipher {}>", self.raw.name)
    }
}

impl UnitCipher {
    fn call<'py>(
        &self,
        py: Python<'py>,
        function: raw::Unit,
        unit: u128,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let number = unit.to_le_bytes();
        expect_length("the number of a unit", number.len(), self.raw.unit_bytes)?;
        let input = Memory::of(data, "data")?;
        let (address, length, context) = (input.address(), input.len(), &self.context);
        output(py, out, length, move |out| {
            let input = address as *const u8;
            // SAFETY: the number has its bytes, the others have `length`; the context was initialised.
            check(unsafe { function(context.as_ptr().cast(), number.as_ptr(), out, input, length) })
        })
    }
}

impl Drop for UnitCipher {
    fn drop(&mut self) {
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(self.context.as_mut_ptr().cast()) }
    }
}

/// An authenticator that takes a nonce for each message, with a key: `NonceMac("aes-128-gmac", key)`.
///
/// A nonce must not be used twice under one key: who sees two tags under one can forge others.
#[pyclass(frozen, module = "usuba")]
pub struct NonceMac {
    raw: raw::NonceMac,
    context: Vec<u64>,
}

#[pymethods]
impl NonceMac {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::NONCE_MACS, |one| one.name, "authenticator with nonces", name)?;
        Ok(NonceMac { raw, context: expanded(raw.init, raw.context_words, key, raw.key_bytes)? })
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    #[getter]
    fn key_size(&self) -> usize {
        self.raw.key_bytes
    }

    /// Bytes of the usual nonce; others are taken, but not none.
    #[getter]
    fn nonce_size(&self) -> usize {
        self.raw.nonce_bytes
    }

    #[getter]
    fn tag_size(&self) -> usize {
        self.raw.tag_bytes
    }

    /// The tag, `tag_size` bytes, of a message.
    fn tag<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.made(py, nonce, data)?))
    }

    /// Compares a tag with that of a message, in a time that does not depend on it. Raises `TagError` if it is another.
    fn verify(
        &self,
        py: Python<'_>,
        nonce: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let given = Memory::of(tag, "tag")?;
        expect_length("tag", given.len(), self.raw.tag_bytes)?;
        let made = self.made(py, nonce, data)?;
        // SAFETY: the memory has so many bytes; the interpreter lock is held.
        let given = unsafe { std::slice::from_raw_parts(given.address() as *const u8, given.len()) };
        let difference = made.iter().zip(given).fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        if difference == 0 { Ok(()) } else { Err(exception(usuba::Error::Tag)) }
    }

    fn __repr__(&self) -> String {
        format!("<usuba.NonceMac {}>", self.raw.name)
    }
}

impl NonceMac {
    fn made(&self, py: Python<'_>, nonce: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let (nonce, data) = (Memory::of(nonce, "nonce")?, Memory::of(data, "data")?);
        let places = [(nonce.address(), nonce.len()), (data.address(), data.len())];
        let (raw, context) = (self.raw, &self.context);
        let mut tag = vec![0; raw.tag_bytes];
        py.detach(|| {
            let [(nonce, nonce_bytes), (data, length)] = places;
            let (context, made) = (context.as_ptr().cast(), tag.as_mut_ptr());
            // SAFETY: tag, nonce and data have their lengths; the context was initialised.
            check(unsafe {
                (raw.compute)(
                    context,
                    made,
                    raw.tag_bytes,
                    nonce as *const u8,
                    nonce_bytes,
                    data as *const u8,
                    length,
                )
            })
        })?;
        Ok(tag)
    }
}

impl Drop for NonceMac {
    fn drop(&mut self) {
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(self.context.as_mut_ptr().cast()) }
    }
}
