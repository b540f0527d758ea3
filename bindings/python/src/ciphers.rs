//! Ciphers by name, over buffers.

use crate::buffers::{Memory, expect_length, output};
use crate::exception;
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::c_int;
use usuba::raw;
use zeroize::Zeroize;

/// The primitive of this name.
pub fn named<T: Copy>(
    table: &[&T],
    name_of: impl Fn(&T) -> &'static str,
    kind: &str,
    name: &str,
) -> PyResult<T> {
    table.iter().find(|one| name_of(one) == name).map(|one| **one).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|one| name_of(one)).collect();
        PyValueError::new_err(format!("there is no {kind} {name:?}; there are {}", names.join(", ")))
    })
}

pub fn check(result: c_int) -> PyResult<()> {
    match result {
        0 => Ok(()),
        -2 => Err(exception(usuba::Error::Length)),
        -3 => Err(exception(usuba::Error::Overlap)),
        -4 => Err(exception(usuba::Error::Tag)),
        other => Err(PyRuntimeError::new_err(format!("the C library refused the call: {other}"))),
    }
}

/// A copy of a key, of the right length, which is for the caller to overwrite.
pub fn key_of(key: &Bound<'_, PyAny>, wanted: usize) -> PyResult<Vec<u8>> {
    let memory = Memory::of(key, "key")?;
    expect_length("key", memory.len(), wanted)?;
    // SAFETY: the memory has `wanted` bytes; the interpreter lock is held.
    Ok(unsafe { std::slice::from_raw_parts(memory.address() as *const u8, wanted) }.to_vec())
}

/// The target whose code is used, such as `avx2`.
#[pyfunction]
pub fn target() -> &'static str {
    usuba::target()
}

/// Uses the code of another target from now on, in the whole process, for tests and comparisons; `None` asks the machine
/// anew. Keys that were expanded before keep the code that they were made for.
///
/// Raises `ValueError` if there is no such target or this machine lacks it.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub fn set_target(name: Option<&str>) -> PyResult<()> {
    usuba::set_target(name).map_err(exception)
}

/// All primitives: for each kind (`"block-cipher"`, `"block-mode"`, `"unit-cipher"`, `"nonce-mac"`, `"tweakable-block-cipher"`, `"stream"`, `"generator"`,
/// `"permutation"`, `"aead"`, `"mac"`, `"hash"`, `"xof"`) a dictionary from names to sizes in bytes.
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
    for one in raw::BLOCK_MODES {
        add("block-mode", one.name, &[("key", one.key_bytes), ("block", one.block_bytes)])?;
    }
    for one in raw::UNIT_MODES {
        add("unit-cipher", one.name, &[("key", one.key_bytes), ("unit", one.unit_bytes)])?;
    }
    for one in raw::NONCE_MACS {
        let sizes = [("key", one.key_bytes), ("nonce", one.nonce_bytes), ("tag", one.tag_bytes)];
        add("nonce-mac", one.name, &sizes)?;
    }
    for one in raw::TWEAKABLE_BLOCK_CIPHERS {
        let sizes = [("key", one.key_bytes), ("block", one.block_bytes), ("tweak", one.tweak_bytes)];
        add("tweakable-block-cipher", one.name, &sizes)?;
    }
    for one in raw::GENERATORS {
        add("generator", one.name, &[("key", one.key_bytes), ("nonce", one.nonce_bytes)])?;
    }
    for one in raw::MACS {
        add("mac", one.name, &[("key", one.key_bytes), ("tag", one.tag_bytes)])?;
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
        add("hash", one.name, &[("digest", one.digest_bytes), ("block", one.block_bytes)])?;
    }
    for one in raw::XOFS {
        add("xof", one.name, &[("block", one.block_bytes)])?;
    }
    for one in raw::CUSTOM_XOFS {
        let sizes = [("block", one.block_bytes), ("customization", one.customization_bytes)];
        add("xof", one.name, &sizes)?;
    }
    Ok(all)
}

/// How many blocks some bytes are.
fn whole_blocks(length: usize, block: usize) -> PyResult<usize> {
    if length.is_multiple_of(block) {
        return Ok(length / block);
    }
    Err(PyValueError::new_err(format!("data must be whole blocks of {block} bytes, not {length} bytes")))
}

/// A block cipher with a key: `BlockCipher("aes-128", key)`.
///
/// `key` are as many bytes as `primitives()["block-cipher"][name]["key"]` says; the key of SKINNY is the whole tweakey.
/// Another size is a `ValueError`.
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
        let blocks = whole_blocks(length, block)?;
        let (address, context) = (input.address(), &self.context);
        output(py, out, length, move |out| {
            // SAFETY: both have `length` bytes; other overlaps than the whole are refused by the function.
            check(unsafe { function(context.as_ptr().cast(), out, address as *const u8, blocks) })
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

    /// Encrypts each block by itself. `data` are whole blocks, one after another, such as an array of shape
    /// `(n, block_size)` and type `uint8`; so is `out`.
    #[pyo3(signature = (data, out=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.blocks(py, self.raw.encrypt_blocks, data, out)
    }

    /// Decrypts each block by itself; the same shapes.
    #[pyo3(signature = (data, out=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.blocks(py, self.raw.decrypt_blocks, data, out)
    }

    /// Encrypts or decrypts any number of bytes in counter mode. `counter` is the first counter: a block, which is a big-endian
    /// number, and stays as it is. The next call begins `len(data) / block_size`, rounded up, beyond it.
    ///
    /// With `bits=32` only the last four bytes count, and wrap, as in GCM.
    ///
    /// Raises `NotImplementedError` for a cipher without the mode.
    #[pyo3(signature = (counter, data, out=None, *, bits=None))]
    fn ctr<'py>(
        &self,
        py: Python<'py>,
        counter: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        bits: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = match bits {
            None => self.raw.ctr_xor,
            Some(32) => self.raw.ctr32_xor,
            Some(bits) if bits as usize == 8 * self.raw.block_bytes => self.raw.ctr_xor,
            Some(bits) => {
                return Err(PyValueError::new_err(format!(
                    "bits must be 32 or {}, not {bits}",
                    8 * self.raw.block_bytes
                )));
            }
        };
        let function = function.ok_or_else(|| {
            PyNotImplementedError::new_err(format!("{} has no such counter mode", self.raw.name))
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

/// A block cipher with a key, and a tweak for every block: `TweakableBlockCipher("clyde-128", key)`.
#[pyclass(frozen, module = "usuba")]
pub struct TweakableBlockCipher {
    raw: raw::TweakableBlockCipher,
    context: Vec<u64>,
}

impl TweakableBlockCipher {
    fn blocks<'py>(
        &self,
        py: Python<'py>,
        function: Option<raw::TweakedBlocks>,
        tweaks: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = function.ok_or_else(|| {
            PyNotImplementedError::new_err(format!("{} has no such function", self.raw.name))
        })?;
        let (tweaks, input) = (Memory::of(tweaks, "tweaks")?, Memory::of(data, "data")?);
        let blocks = whole_blocks(input.len(), self.raw.block_bytes)?;
        expect_length("tweaks", tweaks.len(), blocks * self.raw.tweak_bytes)?;
        let (given, address, context) = (tweaks.address(), input.address(), &self.context);
        output(py, out, input.len(), move |out| {
            let (tweaks, input) = (given as *const u8, address as *const u8);
            // SAFETY: all have so many blocks or tweaks; what overlaps in other ways than the whole is refused.
            check(unsafe { function(context.as_ptr().cast(), tweaks, out, input, blocks) })
        })
    }
}

#[pymethods]
impl TweakableBlockCipher {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::TWEAKABLE_BLOCK_CIPHERS, |one| one.name, "tweakable block cipher", name)?;
        let mut key = key_of(key, raw.key_bytes)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: key and context have the sizes that the function wants.
        let result = unsafe { (raw.init)(context.as_mut_ptr().cast(), key.as_ptr()) };
        key.zeroize();
        check(result)?;
        Ok(TweakableBlockCipher { raw, context })
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

    #[getter]
    fn tweak_size(&self) -> usize {
        self.raw.tweak_bytes
    }

    /// Encrypts each block by itself, under its tweak. `data` are n whole blocks, one after another, and `tweaks` n tweaks: arrays
    /// of shapes `(n, block_size)` and `(n, tweak_size)` and type `uint8`, or bytes.
    #[pyo3(signature = (tweaks, data, out=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        tweaks: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.blocks(py, Some(self.raw.encrypt_blocks), tweaks, data, out)
    }

    /// Decrypts each block by itself, under its tweak; the same shapes.
    #[pyo3(signature = (tweaks, data, out=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        tweaks: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.blocks(py, self.raw.decrypt_blocks, tweaks, data, out)
    }

    fn __repr__(&self) -> String {
        format!("<usuba.TweakableBlockCipher {}>", self.raw.name)
    }
}

impl Drop for TweakableBlockCipher {
    fn drop(&mut self) {
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(self.context.as_mut_ptr().cast()) }
    }
}

/// A permutation: `Permutation("ascon-p12")`.
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

    /// The images of n states, one after another: an array of shape `(n, state_size)` and type `uint8`, or bytes. Many at a time
    /// are faster.
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
