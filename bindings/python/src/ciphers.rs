//! Ciphers by name, over buffers.

use crate::buffers::{Memory, expect_length, output};
use crate::exception;
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::c_int;
use std::sync::Mutex;
use usuba::raw;
use zeroize::Zeroize;

/// The primitive of this name.
fn named<T: Copy>(table: &[&T], name_of: impl Fn(&T) -> &'static str, kind: &str, name: &str) -> PyResult<T> {
    table.iter().find(|one| name_of(one) == name).map(|one| **one).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|one| name_of(one)).collect();
        PyValueError::new_err(format!("there is no {kind} {name:?}; there are {}", names.join(", ")))
    })
}

fn check(result: c_int) -> PyResult<()> {
    match result {
        0 => Ok(()),
        -2 => Err(exception(usuba::Error::Length)),
        -3 => Err(exception(usuba::Error::Overlap)),
        -4 => Err(exception(usuba::Error::Tag)),
        other => Err(PyRuntimeError::new_err(format!("the C library refused the call: {other}"))),
    }
}

/// A copy of a key, of the right length.
fn key_of(key: &Bound<'_, PyAny>, wanted: usize) -> PyResult<Vec<u8>> {
    let memory = Memory::of(key, "key")?;
    expect_length("key", memory.len(), wanted)?;
    // SAFETY: the memory has `wanted` bytes; the interpreter lock is held.
    Ok(unsafe { std::slice::from_raw_parts(memory.address() as *const u8, wanted) }.to_vec())
}

/// The name of the target whose code is used.
#[pyfunction]
pub fn target() -> &'static str {
    usuba::target()
}

/// Uses the code of another target from now on.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub fn set_target(name: Option<&str>) -> PyResult<()> {
    usuba::set_target(name).map_err(exception)
}

/// All primitives: for each kind a dictionary from names to sizes in bytes.
#[pyfunction]
pub fn primitives(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let add = |kind: &str, name: &str, sizes: &[(&str, usize)]| -> PyResult<()> {
        let of_kind = match all.get_item(kind)? {
            Some(known) => known.cast_into::<PyDict>()?,
            None => PyDict::new(py),
        };
        let row = PyDict::new(py);
        sizes.iter().try_for_each(|(size, bytes)| row.set_item(size, bytes))?;
        of_kind.set_item(name, row)?;
        all.set_item(kind, of_kind)
    };
    for one in raw::BLOCK_CIPHERS {
        add("block-cipher", one.name, &[("key", one.key_bytes), ("block", one.block_bytes)])?;
    }
    for one in raw::STREAM_CIPHERS {
        add(
            "stream",
            one.name,
            &[("key", one.key_bytes), ("nonce", one.nonce_bytes), ("block", one.block_bytes)],
        )?;
    }
    for one in raw::PERMUTATIONS {
        add("permutation", one.name, &[("state", one.state_bytes)])?;
    }
    for one in raw::AEADS {
        add("aead", one.name, &[("key", one.key_bytes), ("nonce", one.nonce_bytes), ("tag", one.tag_bytes)])?;
    }
    for one in raw::HASHES {
        add("hash", one.name, &[("digest", one.digest_bytes)])?;
    }
    for one in raw::XOFS {
        add("xof", one.name, &[])?;
    }
    Ok(all)
}

/// A block cipher with a key.
#[pyclass(frozen, module = "usuba")]
pub struct BlockCipher {
    raw: raw::BlockCipher,
    context: Vec<u64>,
}

impl BlockCipher {
    fn blocks<'py>(
        &self,
        py: Python<'py>,
        function: Option<raw::Blocks>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = function.ok_or_else(|| {
            PyNotImplementedError::new_err(format!("{} has no such function", self.raw.name))
        })?;
        let input = Memory::of(data, "data")?;
        let (length, block) = (input.len(), self.raw.block_bytes);
        if !length.is_multiple_of(block) {
            return Err(PyValueError::new_err(format!(
                "data must be whole blocks of {block} bytes, not {length} bytes"
            )));
        }
        let (address, context) = (input.address(), &self.context);
        output(py, out, length, move |out| {
            // SAFETY: both have `length` bytes; other overlaps than the whole are refused by the function.
            check(unsafe { function(context.as_ptr().cast(), out, address as *const u8, length / block) })
        })
    }
}

#[pymethods]
impl BlockCipher {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::BLOCK_CIPHERS, |one| one.name, "block cipher", name)?;
        let mut key = key_of(key, raw.key_bytes)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: key and context have the sizes that the function wants.
        let result = unsafe { (raw.init)(context.as_mut_ptr().cast(), key.as_ptr()) };
        key.zeroize();
        check(result)?;
        Ok(BlockCipher { raw, context })
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
    fn block_size(&self) -> usize {
        self.raw.block_bytes
    }

    #[pyo3(signature = (data, out=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.blocks(py, self.raw.encrypt_blocks, data, out)
    }

    #[pyo3(signature = (data, out=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.blocks(py, self.raw.decrypt_blocks, data, out)
    }

    #[pyo3(signature = (counter, data, out=None))]
    fn ctr<'py>(
        &self,
        py: Python<'py>,
        counter: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.raw.ctr_xor.ok_or_else(|| {
            PyNotImplementedError::new_err(format!("{} has no counter mode", self.raw.name))
        })?;
        let first = Memory::of(counter, "counter")?;
        expect_length("counter", first.len(), self.raw.block_bytes)?;
        // SAFETY: the memory has so many bytes; the interpreter lock is held.
        let first = unsafe { std::slice::from_raw_parts(first.address() as *const u8, self.raw.block_bytes) }
            .to_vec();
        let input = Memory::of(data, "data")?;
        let (address, length, context) = (input.address(), input.len(), &self.context);
        output(py, out, length, move |out| {
            let mut counter = first.clone();
            let input = address as *const u8;
            // SAFETY: the counter is a block, the others have `length` bytes.
            check(unsafe { function(context.as_ptr().cast(), counter.as_mut_ptr(), out, input, length) })
        })
    }

    fn __repr__(&self) -> String {
        format!("<usuba.BlockCipher {}>", self.raw.name)
    }
}

impl Drop for BlockCipher {
    fn drop(&mut self) {
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(self.context.as_mut_ptr().cast()) }
    }
}

/// A stream cipher with a key.
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

/// An authenticated cipher with a key.
#[pyclass(frozen, module = "usuba")]
pub struct Aead {
    raw: raw::Aead,
    key: Vec<u8>,
}

#[pymethods]
impl Aead {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::AEADS, |one| one.name, "authenticated cipher", name)?;
        Ok(Aead { raw, key: key_of(key, raw.key_bytes)? })
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
        let (nonce, address, length, key) = (nonce.address(), input.address(), input.len(), &self.key);
        let (ad, ad_length) = ad.as_ref().map_or((0, 0), |ad| (ad.address(), ad.len()));
        let seal = self.raw.seal;
        output(py, out, length + self.raw.tag_bytes, move |out| {
            let input = address as *const u8;
            // SAFETY: everything has its size, and the output room for the tag after the data.
            check(unsafe {
                let tag = out.add(length);
                seal(out, tag, key.as_ptr(), nonce as *const u8, ad as *const u8, ad_length, input, length)
            })
        })
    }

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
        let (nonce, address, key) = (nonce.address(), input.address(), &self.key);
        let (ad, ad_length) = ad.as_ref().map_or((0, 0), |ad| (ad.address(), ad.len()));
        let open = self.raw.open;
        output(py, out, length, move |out| {
            let input = address as *const u8;
            // SAFETY: everything has its size, and the tag is the end of the input.
            check(unsafe {
                let tag = input.add(length);
                open(out, tag, key.as_ptr(), nonce as *const u8, ad as *const u8, ad_length, input, length)
            })
        })
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
}

impl Drop for Aead {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

/// A permutation.
#[pyclass(frozen, module = "usuba")]
pub struct Permutation {
    raw: raw::Permutation,
}

#[pymethods]
impl Permutation {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        Ok(Permutation { raw: named(raw::PERMUTATIONS, |one| one.name, "permutation", name)? })
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

    #[getter]
    fn state_size(&self) -> usize {
        self.raw.state_bytes
    }

    #[pyo3(signature = (states, out=None))]
    fn permute<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Memory::of(states, "states")?;
        let (address, length, state) = (input.address(), input.len(), self.raw.state_bytes);
        if !length.is_multiple_of(state) {
            return Err(PyValueError::new_err(format!(
                "states must be whole states of {state} bytes, not {length} bytes"
            )));
        }
        let permute = self.raw.permute;
        output(py, out, length, move |out| {
            // SAFETY: both have `length` bytes, and may overlap.
            check(unsafe {
                std::ptr::copy(address as *const u8, out, length);
                permute(out, length / state)
            })
        })
    }

    fn __repr__(&self) -> String {
        format!("<usuba.Permutation {}>", self.raw.name)
    }
}

/// A hash function with the message so far.
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

    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Memory::of(data, "data")?;
        let (address, length, update) = (input.address(), input.len(), self.raw.update);
        py.detach(|| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and the data have their length.
            check(unsafe { update(context.as_mut_ptr().cast(), address as *const u8, length) })
        })
    }

    /// The digest of what was added so far; more may follow.
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

    fn hexdigest(&self) -> PyResult<String> {
        Ok(self.digest()?.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// An extendable-output function with the message so far, or what comes after its output so far.
#[pyclass(frozen, module = "usuba")]
pub struct Xof {
    raw: raw::Xof,
    context: Mutex<Vec<u64>>,
}

#[pymethods]
impl Xof {
    #[new]
    #[pyo3(signature = (name, data=None))]
    fn new(py: Python<'_>, name: &str, data: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let raw = named(raw::XOFS, |one| one.name, "extendable-output function", name)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: the context has the size that the function wants.
        check(unsafe { (raw.init)(context.as_mut_ptr().cast()) })?;
        let xof = Xof { raw, context: Mutex::new(context) };
        data.map_or(Ok(()), |data| xof.update(py, data))?;
        Ok(xof)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.raw.name
    }

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

    fn read<'py>(&self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyAny>> {
        output(py, None, length, |out| {
            let mut context = self.context.lock().unwrap_or_else(|poison| poison.into_inner());
            // SAFETY: the context was initialised, and the output has its length.
            check(unsafe { (self.raw.squeeze)(context.as_mut_ptr().cast(), out, length) })
        })
    }
}
