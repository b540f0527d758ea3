//! Authenticated ciphers.

use crate::buffers::{Memory, expect_length, output};
use crate::ciphers::{check, key_of, named};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_int;
use usuba::raw;
use zeroize::Zeroize;

/// What functions return for a tag that is not right.
const TAG: c_int = -4;

/// Messages for the C functions, which may go where the interpreter lock is not held.
struct Messages(Vec<raw::AeadMessage>);

impl Messages {
    fn all(&mut self) -> &mut [raw::AeadMessage] {
        &mut self.0
    }
}

// SAFETY: the pointers are to memory that stays as it is while the call lasts.
unsafe impl Send for Messages {}

/// An authenticated cipher with a key: `Aead("ascon-aead128", key)`.
#[pyclass(frozen, module = "usuba")]
pub struct Aead {
    raw: raw::Aead,
    /// What was made of the key; of a cipher with functions for many messages that is the key.
    context: Vec<u64>,
}

#[pymethods]
impl Aead {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::AEADS, |one| one.name, "authenticated cipher", name)?;
        let mut key = key_of(key, raw.key_bytes)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: both have their sizes.
        let result = unsafe { (raw.init)(context.as_mut_ptr(), key.as_ptr()) };
        key.zeroize();
        check(result)?;
        Ok(Aead { raw, context })
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

    #[getter]
    fn tag_size(&self) -> usize {
        self.raw.tag_bytes
    }

    /// The ciphertext and then the tag, `len(data) + tag_size` bytes, of `data` and of the associated data `ad`. `nonce` are
    /// `nonce_size` bytes, which must not be used twice under one key. `out` must not overlap `data`, unless it begins where they do.
    #[pyo3(signature = (nonce, data, ad=None, out=None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        ad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (nonce, ad) = self.beside(nonce, ad)?;
        let input = Memory::of(data, "data")?;
        let (nonce, address, length) = (nonce.address(), input.address(), input.len());
        let context = &self.context;
        let (ad, ad_length) = ad.as_ref().map_or((0, 0), |ad| (ad.address(), ad.len()));
        let seal = self.raw.seal;
        output(py, out, length + self.raw.tag_bytes, move |out| {
            let input = address as *const u8;
            // SAFETY: everything has its size, and the output room for the tag after the data.
            check(unsafe {
                let tag = out.add(length);
                let (nonce, ad) = (nonce as *const u8, ad as *const u8);
                seal(context.as_ptr(), out, tag, nonce, ad, ad_length, input, length)
            })
        })
    }

    /// The plaintext of a ciphertext with its tag, `len(data) - tag_size` bytes.
    ///
    /// Raises `TagError` if it is not authentic, and then `out` has no plaintext, but perhaps zeros.
    #[pyo3(signature = (nonce, data, ad=None, out=None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        ad: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (nonce, ad) = self.beside(nonce, ad)?;
        let input = Memory::of(data, "data")?;
        let length = input
            .len()
            .checked_sub(self.raw.tag_bytes)
            .ok_or_else(|| crate::TagError::new_err("the message is shorter than a tag"))?;
        let (nonce, address, context) = (nonce.address(), input.address(), &self.context);
        let (ad, ad_length) = ad.as_ref().map_or((0, 0), |ad| (ad.address(), ad.len()));
        let open = self.raw.open;
        output(py, out, length, move |out| {
            let input = address as *const u8;
            // SAFETY: everything has its size, and the tag is the end of the input.
            check(unsafe {
                let tag = input.add(length);
                let (nonce, ad) = (nonce as *const u8, ad as *const u8);
                open(context.as_ptr(), out, tag, nonce, ad, ad_length, input, length)
            })
        })
    }

    /// Seals n messages, side by side where the cipher can: for each its ciphertext and tag. `nonces`, `data` and `ads` are
    /// sequences of n buffers, such as arrays with n rows.
    #[pyo3(signature = (nonces, data, ads=None))]
    fn seal_many<'py>(
        &self,
        py: Python<'py>,
        nonces: Vec<Bound<'py, PyAny>>,
        data: Vec<Bound<'py, PyAny>>,
        ads: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let made = self.many(py, self.raw.seal_batch, false, &nonces, &data, ads.as_deref())?;
        made.into_iter().map(|(out, result)| check(result).map(|()| PyBytes::new(py, &out))).collect()
    }

    /// Opens n messages: for each its plaintext, or `None` if it is not authentic.
    #[pyo3(signature = (nonces, data, ads=None))]
    fn open_many<'py>(
        &self,
        py: Python<'py>,
        nonces: Vec<Bound<'py, PyAny>>,
        data: Vec<Bound<'py, PyAny>>,
        ads: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
        let made = self.many(py, self.raw.open_batch, true, &nonces, &data, ads.as_deref())?;
        made.into_iter()
            .map(|(mut out, result)| {
                let bytes = match result {
                    TAG => Ok(None),
                    result => check(result).map(|()| Some(PyBytes::new(py, &out))),
                };
                out.zeroize();
                bytes
            })
            .collect()
    }

    fn __repr__(&self) -> String {
        format!("<usuba.Aead {}>", self.raw.name)
    }
}

impl Aead {
    /// The memory of nonce and associated data.
    fn beside(
        &self,
        nonce: &Bound<'_, PyAny>,
        ad: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Memory, Option<Memory>)> {
        let nonce = Memory::of(nonce, "nonce")?;
        expect_length("nonce", nonce.len(), self.raw.nonce_bytes)?;
        Ok((nonce, ad.map(|ad| Memory::of(ad, "ad")).transpose()?))
    }

    /// Seals or opens messages with functions for many at a time, if the cipher has them, else one by one. What is made of
    /// each and its result; the tag follows the text where it is made.
    fn many<'py>(
        &self,
        py: Python<'py>,
        function: Option<raw::AeadBatch>,
        opening: bool,
        nonces: &[Bound<'py, PyAny>],
        data: &[Bound<'py, PyAny>],
        ads: Option<&[Bound<'py, PyAny>]>,
    ) -> PyResult<Vec<(Vec<u8>, c_int)>> {
        let count = data.len();
        for (name, found) in [("nonces", nonces.len()), ("ads", ads.map_or(count, <[_]>::len))] {
            if found != count {
                return Err(PyValueError::new_err(format!("there are {found} {name} for {count} messages")));
            }
        }
        let (tag, mut beside, mut inputs, mut outputs) =
            (self.raw.tag_bytes, Vec::new(), Vec::new(), Vec::new());
        for (number, (nonce, data)) in nonces.iter().zip(data).enumerate() {
            beside.push(self.beside(nonce, ads.map(|ads| &ads[number]))?);
            let input = Memory::of(data, "data")?;
            // A message that is shorter than a tag has none; it is refused below.
            let made = if opening { input.len().saturating_sub(tag) } else { input.len() + tag };
            outputs.push((vec![0_u8; made], 0));
            inputs.push(input);
        }
        let mut rows = Vec::new();
        for (number, ((nonce, ad), input)) in beside.iter().zip(&inputs).enumerate() {
            let out = outputs[number].0.as_mut_ptr();
            let length = if opening { input.len().saturating_sub(tag) } else { input.len() };
            if opening && input.len() < tag {
                outputs[number].1 = TAG;
                continue;
            }
            let text = input.address() as *mut u8;
            rows.push((
                number,
                raw::AeadMessage {
                    key: self.context.as_ptr().cast(),
                    nonce: nonce.address() as *const u8,
                    ad: ad.as_ref().map_or(std::ptr::null(), |ad| ad.address() as *const u8),
                    ad_length: ad.as_ref().map_or(0, Memory::len),
                    input: text,
                    length,
                    out,
                    // Opening only reads it.
                    tag: if opening { text.wrapping_add(length) } else { out.wrapping_add(length) },
                    result: 0,
                },
            ));
        }
        let numbers: Vec<usize> = rows.iter().map(|row| row.0).collect();
        let mut messages = Messages(rows.into_iter().map(|row| row.1).collect());
        let (seal, open) = (self.raw.seal, self.raw.open);
        py.detach(|| {
            let messages = messages.all();
            // SAFETY: all parts have their sizes; the outputs are new.
            unsafe {
                match function {
                    Some(function) if !messages.is_empty() => {
                        function(messages.len(), messages.as_mut_ptr());
                    }
                    _ => messages.iter_mut().for_each(|one| {
                        let raw::AeadMessage { key, nonce, ad, ad_length, input, length, out, tag, .. } =
                            *one;
                        one.result = if opening {
                            open(key.cast(), out, tag, nonce, ad, ad_length, input, length)
                        } else {
                            seal(key.cast(), out, tag, nonce, ad, ad_length, input, length)
                        };
                    }),
                }
            }
        });
        for (number, message) in numbers.into_iter().zip(messages.all()) {
            outputs[number].1 = message.result;
        }
        Ok(outputs)
    }
}

impl Drop for Aead {
    fn drop(&mut self) {
        self.context.zeroize();
    }
}
