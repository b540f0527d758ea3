//! Functions of messages: hash functions, extendable-output functions, authenticators.

use crate::buffers::{Memory, expect_length, output};
use crate::ciphers::{check, key_of, named};
use crate::exception;
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Mutex;
use usuba::raw;
use zeroize::Zeroize;

/// A hash function with the message so far: `Hash("ascon-hash256", b"message").digest()`.
#[pyclass(frozen, module = "usuba")]
pub struct Hash {
    raw: raw::Hash,
    context: Mutex<Vec<u64>>,
}

#[pymethods]
impl Hash {
    #[new]
    #[pyo3(signature = (name, data=None))]
    fn new(py: Python<'_>, name: &str, data: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let raw = named(raw::HASHES, |one| one.name, "hash function", name)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: the context has the size that the function wants.
        check(unsafe { (raw.init)(context.as_mut_ptr().cast()) })?;
        let hash = Hash { raw, context: Mutex::new(context) };
        data.map_or(Ok(()), |data| hash.update(py, data))?;
        Ok(hash)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    #[getter]
    fn digest_size(&self) -> usize {
        self.raw.digest_bytes
    }

    /// Bytes of a block of the message, as HMAC asks for it.
    #[getter]
    fn block_size(&self) -> usize {
        self.raw.block_bytes
    }

    /// The same with the message so far: both go on by themselves.
    fn copy(&self) -> Hash {
        let context = self.context.lock().unwrap_or_else(|poison| poison.into_inner()).clone();
        Hash { raw: self.raw, context: Mutex::new(context) }
    }

    /// Adds to the message.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Memory::of(data, "data")?;
        let (address, length, update) = (input.address(), input.len(), self.raw.update);
        py.detach(|| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and the data have their length.
            check(unsafe { update(context.as_mut_ptr().cast(), address as *const u8, length) })
        })
    }

    /// The digest, `digest_size` bytes, of the message so far; more may follow.
    fn digest(&self) -> PyResult<Vec<u8>> {
        let mut copy = self.context.lock().unwrap_or_else(|poison| poison.into_inner()).clone();
        let mut digest = vec![0; self.raw.digest_bytes];
        // SAFETY: context and digest have the sizes that the functions want.
        let result = unsafe { (self.raw.finish)(copy.as_mut_ptr().cast(), digest.as_mut_ptr()) };
        // SAFETY: as above.
        unsafe { (self.raw.wipe)(copy.as_mut_ptr().cast()) };
        check(result)?;
        Ok(digest)
    }

    /// The digests of n messages, a sequence of buffers, side by side: n times `digest_size` bytes, one digest after another;
    /// `out` may be an array of shape `(n, digest_size)` and type `uint8`.
    #[staticmethod]
    #[pyo3(signature = (name, messages, out=None))]
    fn digest_many<'py>(
        py: Python<'py>,
        name: &str,
        messages: Vec<Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let raw = named(raw::HASHES, |one| one.name, "hash function", name)?;
        let inputs: Vec<Memory> =
            messages.iter().map(|message| Memory::of(message, "message")).collect::<PyResult<_>>()?;
        let inputs: Vec<(usize, usize)> = inputs.iter().map(|input| (input.address(), input.len())).collect();
        output(py, out, inputs.len() * raw.digest_bytes, |out| {
            let mut rows: Vec<raw::HashMessage> = inputs
                .iter()
                .enumerate()
                .map(|(number, &(address, length))| raw::HashMessage {
                    input: address as *const u8,
                    length,
                    digest: out.wrapping_add(number * raw.digest_bytes),
                    result: 0,
                })
                .collect();
            if let (Some(batch), false) = (raw.batch, rows.is_empty()) {
                // SAFETY: messages have their lengths, digests their places.
                return check(unsafe { batch(rows.len(), rows.as_mut_ptr()) });
            }
            let mut context = vec![0_u64; raw.context_words];
            let place = context.as_mut_ptr().cast();
            for row in rows {
                // SAFETY: the context has the size that the functions want, the others as above.
                unsafe {
                    check((raw.init)(place))?;
                    check((raw.update)(place, row.input, row.length))?;
                    check((raw.finish)(place, row.digest))?;
                }
            }
            Ok(())
        })
    }

    /// The digest in hexadecimal.
    fn hexdigest(&self) -> PyResult<String> {
        Ok(hexadecimal(&self.digest()?))
    }

    fn __repr__(&self) -> String {
        format!("<usuba.Hash {}>", self.raw.name)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Drop for Hash {
    fn drop(&mut self) {
        let context = self.context.get_mut().unwrap_or_else(|poison| poison.into_inner());
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(context.as_mut_ptr().cast()) }
    }
}

/// What the two kinds of extendable-output functions have in common.
#[derive(Clone, Copy)]
struct Absorbing {
    name: &'static str,
    block_bytes: usize,
    update: raw::Update,
    squeeze: raw::Squeeze,
    wipe: raw::Wipe,
}

/// An extendable-output function with the message so far, and later with its output so far:
/// `Xof("ascon-xof128", b"message").read(64)`, `Xof("ascon-cxof128", b"message", customization=b"mine")`.
#[pyclass(frozen, module = "usuba")]
pub struct Xof {
    raw: Absorbing,
    context: Mutex<Vec<u64>>,
}

/// The names of those without a customization string, and those with.
fn xof_names() -> String {
    let plain = raw::XOFS.iter().map(|one| one.name);
    plain.chain(raw::CUSTOM_XOFS.iter().map(|one| one.name)).collect::<Vec<_>>().join(", ")
}

#[pymethods]
impl Xof {
    #[new]
    #[pyo3(signature = (name, data=None, *, customization=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        data: Option<&Bound<'_, PyAny>>,
        customization: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let plain = raw::XOFS.iter().find(|one| one.name == name);
        let custom = raw::CUSTOM_XOFS.iter().find(|one| one.name == name);
        let (raw, context) = match (plain, custom) {
            (Some(_), _) if customization.is_some() => {
                return Err(PyValueError::new_err(format!("{name} takes no customization string")));
            }
            (Some(raw), _) => {
                let mut context = vec![0_u64; raw.context_words];
                // SAFETY: the context has the size that the function wants.
                check(unsafe { (raw.init)(context.as_mut_ptr().cast()) })?;
                let raw = Absorbing {
                    name: raw.name,
                    block_bytes: raw.block_bytes,
                    update: raw.update,
                    squeeze: raw.squeeze,
                    wipe: raw.wipe,
                };
                (raw, context)
            }
            (_, Some(raw)) => {
                let string = customization.map(|string| Memory::of(string, "customization")).transpose()?;
                let (address, length) = string.as_ref().map_or((0, 0), |one| (one.address(), one.len()));
                if length > raw.customization_bytes {
                    return Err(PyValueError::new_err(format!(
                        "customization must have at most {} bytes, not {length}",
                        raw.customization_bytes
                    )));
                }
                let mut context = vec![0_u64; raw.context_words];
                // SAFETY: the context has the size that the function wants, the string its length.
                let result = unsafe { (raw.init)(context.as_mut_ptr().cast(), address as *const u8, length) };
                check(result)?;
                let raw = Absorbing {
                    name: raw.name,
                    block_bytes: raw.block_bytes,
                    update: raw.update,
                    squeeze: raw.squeeze,
                    wipe: raw.wipe,
                };
                (raw, context)
            }
            (None, None) => {
                return Err(PyValueError::new_err(format!(
                    "there is no extendable-output function {name:?}; there are {}",
                    xof_names()
                )));
            }
        };
        let xof = Xof { raw, context: Mutex::new(context) };
        data.map_or(Ok(()), |data| xof.update(py, data))?;
        Ok(xof)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    /// Adds to the message. Raises `ValueError` after output was read.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Memory::of(data, "data")?;
        let (address, length, update) = (input.address(), input.len(), self.raw.update);
        py.detach(|| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and the data have their length.
            match unsafe { update(context.as_mut_ptr().cast(), address as *const u8, length) } {
                -5 => Err(PyValueError::new_err("nothing can be added after output was read")),
                result => check(result),
            }
        })
    }

    /// 0: the output has any length, as `hashlib` says it of SHAKE.
    #[getter]
    fn digest_size(&self) -> usize {
        0
    }

    /// Bytes of a block of the message.
    #[getter]
    fn block_size(&self) -> usize {
        self.raw.block_bytes
    }

    /// The same with the message, and the output, so far: both go on by themselves.
    fn copy(&self) -> Xof {
        let context = self.context.lock().unwrap_or_else(|poison| poison.into_inner()).clone();
        Xof { raw: self.raw, context: Mutex::new(context) }
    }

    /// The first `length` bytes of output for the message so far, as `hashlib` has it: more may follow. After `read`, those that
    /// it would read next.
    fn digest<'py>(&self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyAny>> {
        self.copy().read(py, length)
    }

    /// The same in hexadecimal.
    fn hexdigest(&self, py: Python<'_>, length: usize) -> PyResult<String> {
        Ok(hexadecimal(self.digest(py, length)?.cast::<PyBytes>()?.as_bytes()))
    }

    fn __repr__(&self) -> String {
        format!("<usuba.Xof {}>", self.raw.name)
    }

    /// The next `length` bytes of output.
    fn read<'py>(&self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyAny>> {
        output(py, None, length, |out| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and the output has its length.
            check(unsafe { (self.raw.squeeze)(context.as_mut_ptr().cast(), out, length) })
        })
    }
}

impl Drop for Xof {
    fn drop(&mut self) {
        let context = self.context.get_mut().unwrap_or_else(|poison| poison.into_inner());
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(context.as_mut_ptr().cast()) }
    }
}

/// An authenticator with a key and the message so far: `Mac("aes-128-cmac", key, b"message").tag()`.
///
/// A key of Poly1305 must be used for one message only.
#[pyclass(frozen, module = "usuba")]
pub struct Mac {
    raw: raw::Mac,
    context: Mutex<Vec<u64>>,
}

#[pymethods]
impl Mac {
    #[new]
    #[pyo3(signature = (name, key, data=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        key: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let raw = named(raw::MACS, |one| one.name, "authenticator", name)?;
        let mut key = key_of(key, raw.key_bytes)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: key and context have the sizes that the function wants.
        let result = unsafe { (raw.init)(context.as_mut_ptr().cast(), key.as_ptr()) };
        key.zeroize();
        check(result)?;
        let mac = Mac { raw, context: Mutex::new(context) };
        data.map_or(Ok(()), |data| mac.update(py, data))?;
        Ok(mac)
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
    fn tag_size(&self) -> usize {
        self.raw.tag_bytes
    }

    /// Adds to the message.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Memory::of(data, "data")?;
        let (address, length, update) = (input.address(), input.len(), self.raw.update);
        py.detach(|| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and the data have their length.
            check(unsafe { update(context.as_mut_ptr().cast(), address as *const u8, length) })
        })
    }

    /// The tag, `tag_size` bytes, of the message so far; more may follow.
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.made()?))
    }

    /// The tags of n messages under one key, a sequence of buffers of any lengths, the next block of each at the same time: n times
    /// `tag_size` bytes, one tag after another; `out` may be an array of shape `(n, tag_size)` and type `uint8`.
    ///
    /// Raises `NotImplementedError` for an authenticator whose keys are for one message, such as Poly1305.
    #[staticmethod]
    #[pyo3(signature = (name, key, messages, out=None))]
    fn tag_many<'py>(
        py: Python<'py>,
        name: &str,
        key: &Bound<'py, PyAny>,
        messages: Vec<Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mac = Mac::new(py, name, key, None)?;
        let batch = mac
            .raw
            .batch
            .ok_or_else(|| PyNotImplementedError::new_err(format!("a key of {name} is for one message")))?;
        let mut inputs = Vec::with_capacity(messages.len());
        for (number, message) in messages.iter().enumerate() {
            inputs.push(Memory::of(message, &format!("messages[{number}]"))?);
        }
        let inputs: Vec<(usize, usize)> = inputs.iter().map(|input| (input.address(), input.len())).collect();
        let tag_bytes = mac.raw.tag_bytes;
        output(py, out, inputs.len() * tag_bytes, |out| {
            // The function compares a tag with its own message; those of others are for us.
            let end = (out as usize).saturating_add(inputs.len() * tag_bytes);
            if inputs
                .iter()
                .any(|&(input, length)| input < end && (out as usize) < input.saturating_add(length))
            {
                return Err(exception(usuba::Error::Overlap));
            }
            let rows = inputs.iter().enumerate().map(|(number, &(address, length))| raw::TaggedMessage {
                input: address as *const u8,
                length,
                tag: out.wrapping_add(number * tag_bytes),
                tag_bytes,
                result: 0,
            });
            let mut rows: Vec<raw::TaggedMessage> = rows.collect();
            let context = mac.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: messages have their lengths, tags their places; the context was initialised.
            check(unsafe { batch(context.as_ptr().cast(), rows.len(), rows.as_mut_ptr()) })
        })
    }

    /// Compares a tag with that of the message so far, in a time that does not depend on it. Raises `TagError` if it is another.
    fn verify(&self, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Memory::of(tag, "tag")?;
        expect_length("tag", given.len(), self.raw.tag_bytes)?;
        // SAFETY: the memory has so many bytes; the interpreter lock is held.
        let given = unsafe { std::slice::from_raw_parts(given.address() as *const u8, given.len()) };
        let difference =
            self.made()?.iter().zip(given).fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        if difference == 0 { Ok(()) } else { Err(exception(usuba::Error::Tag)) }
    }

    fn __repr__(&self) -> String {
        format!("<usuba.Mac {}>", self.raw.name)
    }
}

impl Mac {
    fn made(&self) -> PyResult<Vec<u8>> {
        let mut copy = self.context.lock().unwrap_or_else(|poison| poison.into_inner()).clone();
        let mut tag = vec![0; self.raw.tag_bytes];
        // SAFETY: context and tag have the sizes that the functions want.
        let result = unsafe { (self.raw.finish)(copy.as_mut_ptr().cast(), tag.as_mut_ptr()) };
        // SAFETY: as above.
        unsafe { (self.raw.wipe)(copy.as_mut_ptr().cast()) };
        check(result)?;
        Ok(tag)
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        let context = self.context.get_mut().unwrap_or_else(|poison| poison.into_inner());
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(context.as_mut_ptr().cast()) }
    }
}
