//! Stream ciphers: those with a counter, and those with a state.

use crate::buffers::{Memory, expect_length, output};
use crate::ciphers::{check, key_of, named};
use crate::exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Mutex;
use usuba::raw;
use zeroize::Zeroize;

/// A stream cipher with a key: `StreamCipher("chacha20", key)`.
#[pyclass(frozen, module = "usuba")]
pub struct StreamCipher {
    raw: raw::StreamCipher,
    key: Vec<u8>,
}

#[pymethods]
impl StreamCipher {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::STREAM_CIPHERS, |one| one.name, "stream cipher", name)?;
        Ok(StreamCipher { raw, key: key_of(key, raw.key_bytes)? })
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    #[getter]
    fn key_size(&self) -> usize {
        self.raw.key_bytes
    }

    #[getter]
    fn nonce_size(&self) -> usize {
        self.raw.nonce_bytes
    }

    /// Encrypts or decrypts any number of bytes: adds the keystream of `nonce` (`nonce_size` bytes) from the block `counter` on.
    /// No nonce may be used twice under one key.
    ///
    /// The counter wraps to zero. Raises `ValueError` if there are more blocks than numbers.
    #[pyo3(signature = (nonce, data, counter=0, out=None))]
    fn xor<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        counter: u64,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.raw.counter_bits < 64 && counter >> self.raw.counter_bits != 0 {
            return Err(PyValueError::new_err(format!("counter must be below 2**{}", self.raw.counter_bits)));
        }
        let nonce = Memory::of(nonce, "nonce")?;
        expect_length("nonce", nonce.len(), self.raw.nonce_bytes)?;
        let input = Memory::of(data, "data")?;
        let (nonce, address, length, key) = (nonce.address(), input.address(), input.len(), &self.key);
        let xor = self.raw.xor;
        output(py, out, length, move |out| {
            // SAFETY: key and nonce have their sizes, the others have `length` bytes.
            check(unsafe {
                xor(key.as_ptr(), nonce as *const u8, counter, out, address as *const u8, length)
            })
        })
    }

    fn __repr__(&self) -> String {
        format!("<usuba.StreamCipher {}>", self.raw.name)
    }
}

impl Drop for StreamCipher {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

/// A stream of a cipher with a state, as far as it has come: `Generator("trivium", key, nonce)`.
///
/// No nonce may be used twice under one key.
#[pyclass(frozen, module = "usuba")]
pub struct Generator {
    raw: raw::Generator,
    context: Mutex<Vec<u64>>,
}

#[pymethods]
impl Generator {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>, nonce: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::GENERATORS, |one| one.name, "generator", name)?;
        let nonce = Memory::of(nonce, "nonce")?;
        expect_length("nonce", nonce.len(), raw.nonce_bytes)?;
        let mut key = key_of(key, raw.key_bytes)?;
        let mut context = vec![0; raw.context_words];
        let nonce = nonce.address() as *const u8;
        // SAFETY: key, nonce and context have the sizes that the function wants.
        let result = unsafe { (raw.init)(context.as_mut_ptr().cast(), key.as_ptr(), nonce) };
        key.zeroize();
        check(result)?;
        Ok(Generator { raw, context: Mutex::new(context) })
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    #[getter]
    fn key_size(&self) -> usize {
        self.raw.key_bytes
    }

    #[getter]
    fn nonce_size(&self) -> usize {
        self.raw.nonce_bytes
    }

    /// Encrypts or decrypts the next `len(data)` bytes of the stream.
    #[pyo3(signature = (data, out=None))]
    fn xor<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Memory::of(data, "data")?;
        let (address, length, xor) = (input.address(), input.len(), self.raw.xor);
        output(py, out, length, |out| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and both have `length` bytes.
            check(unsafe { xor(context.as_mut_ptr().cast(), out, address as *const u8, length) })
        })
    }

    /// Encrypts or decrypts the next bytes of n streams of one cipher, side by side: `data` is an array of shape `(n, length)` and
    /// type `uint8`, or the rows of one, and so is `out`. Much faster than one after another where all have had as many bytes.
    #[staticmethod]
    #[pyo3(signature = (streams, data, out=None))]
    fn xor_many<'py>(
        py: Python<'py>,
        streams: Vec<Bound<'py, Generator>>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Memory::of(data, "data")?;
        let count = streams.len();
        let Some(first) = streams.first() else {
            expect_length("data", input.len(), 0)?;
            return output(py, out, 0, |_| Ok(()));
        };
        let raw = first.get().raw;
        if let Some(other) = streams.iter().find(|one| one.get().raw.name != raw.name) {
            return Err(PyValueError::new_err(format!(
                "all streams must be of one cipher, not of {} and {}",
                raw.name,
                other.get().raw.name
            )));
        }
        for (number, one) in streams.iter().enumerate() {
            if streams[..number].iter().any(|before| before.is(one)) {
                return Err(PyValueError::new_err("a stream must not be there twice"));
            }
        }
        if !input.len().is_multiple_of(count) {
            return Err(PyValueError::new_err(format!(
                "data must be {count} rows of one length, not {} bytes",
                input.len()
            )));
        }
        let (address, total, length, words) =
            (input.address(), input.len(), input.len() / count, raw.context_words);
        // In the order of their addresses, so that two calls cannot wait for each other.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&number| streams[number].as_ptr() as usize);
        let streams: Vec<&Generator> = streams.iter().map(|one| one.get()).collect();
        output(py, out, total, |out| {
            let mut locks: Vec<_> = streams.iter().map(|_| None).collect();
            for &number in &order {
                let lock = streams[number].context.lock().unwrap_or_else(|poison| poison.into_inner());
                locks[number] = Some(lock);
            }
            let mut locks: Vec<_> = locks.into_iter().flatten().collect();
            let mut contexts: Vec<u64> = locks.iter().flat_map(|lock| lock.iter().copied()).collect();
            let from: Vec<*const u8> =
                (0..count).map(|row| (address as *const u8).wrapping_add(row * length)).collect();
            let to: Vec<*mut u8> = (0..count).map(|row| out.wrapping_add(row * length)).collect();
            // The function compares the places of one stream; those of different ones are for us.
            let apart =
                out as usize == address || out as usize >= address + total || address >= out as usize + total;
            // SAFETY: there are so many contexts, initialised and one after another, and rows of `length` bytes.
            let result = if apart {
                check(unsafe {
                    (raw.xor_batch)(contexts.as_mut_ptr().cast(), to.as_ptr(), from.as_ptr(), length, count)
                })
            } else {
                Err(exception(usuba::Error::Overlap))
            };
            if result.is_ok() {
                for (lock, context) in locks.iter_mut().zip(contexts.chunks(words)) {
                    lock.copy_from_slice(context);
                }
            }
            contexts.zeroize();
            result
        })
    }

    fn __repr__(&self) -> String {
        format!("<usuba.Generator {}>", self.raw.name)
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        let context = self.context.get_mut().unwrap_or_else(|poison| poison.into_inner());
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(context.as_mut_ptr().cast()) }
    }
}
