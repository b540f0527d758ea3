//! Modes of block ciphers that carry a vector: CBC, CFB, OFB.

use crate::buffers::{Memory, expect_length, output};
use crate::ciphers::{check, key_of, named};
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use usuba::raw;
use zeroize::Zeroize;

/// Messages for the C functions, which may go where the interpreter lock is not held.
struct Messages(Vec<raw::ChainedMessage>);

impl Messages {
    fn all(&mut self) -> &mut [raw::ChainedMessage] {
        &mut self.0
    }
}

// SAFETY: the pointers are to memory that stays as it is while the call lasts.
unsafe impl Send for Messages {}

/// A block cipher in a mode that carries a vector, with a key: `BlockMode("aes-128-cbc", key)`.
///
/// The modes are those of SP 800-38A: cipher block chaining (`cbc`), cipher feedback of whole blocks (`cfb`) and of bytes
/// (`cfb8`), and output feedback (`ofb`). CBC takes whole blocks, and padding is for the caller; the others any number of
/// bytes. None of them tells whether data were changed.
#[pyclass(frozen, module = "usuba")]
pub struct BlockMode {
    raw: raw::BlockMode,
    context: Vec<u64>,
}

#[pymethods]
impl BlockMode {
    #[new]
    fn new(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raw = named(raw::BLOCK_MODES, |one| one.name, "mode of a block cipher", name)?;
        let mut key = key_of(key, raw.key_bytes)?;
        let mut context = vec![0; raw.context_words];
        // SAFETY: key and context have the sizes that the function wants.
        let result = unsafe { (raw.init)(context.as_mut_ptr().cast(), key.as_ptr()) };
        key.zeroize();
        check(result)?;
        Ok(BlockMode { raw, context })
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

    /// Encrypts a message. `iv` is the first vector: a block, which stays as it is. That of CBC must not be predictable, and those
    /// of the others must not be used twice under one key.
    ///
    /// After whole blocks a message goes on with another vector: of CBC and CFB the last block of ciphertext, of OFB the sum
    /// modulo 2 of the last blocks of plaintext and ciphertext.
    #[pyo3(signature = (iv, data, out=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        iv: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(py, self.raw.encrypt, iv, data, out)
    }

    /// Decrypts a message; the same rules. With OFB it is what `encrypt` is.
    #[pyo3(signature = (iv, data, out=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        iv: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(py, self.raw.decrypt, iv, data, out)
    }

    /// Encrypts n messages of any lengths, the next block of each at the same time: much faster than one after another, since the
    /// blocks of one message wait for each other. For each its ciphertext. `ivs` and `data` are sequences of n buffers, such as
    /// arrays with n rows; so is `out`, whose buffers may be those of `data`, and are then returned.
    #[pyo3(signature = (ivs, data, out=None))]
    fn encrypt_many<'py>(
        &self,
        py: Python<'py>,
        ivs: Vec<Bound<'py, PyAny>>,
        data: Vec<Bound<'py, PyAny>>,
        out: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batch = self.raw.encrypt_batch.ok_or_else(|| {
            PyNotImplementedError::new_err(format!("{} has no such function", self.raw.name))
        })?;
        let count = data.len();
        for (name, found) in [("ivs", ivs.len()), ("out", out.as_ref().map_or(count, Vec::len))] {
            if found != count {
                return Err(PyValueError::new_err(format!("there are {found} {name} for {count} messages")));
            }
        }
        let mut vectors = Vec::with_capacity(count * self.raw.block_bytes);
        for (number, iv) in ivs.iter().enumerate() {
            vectors.extend(self.vector(iv, &format!("ivs[{number}]"))?);
        }
        let mut inputs = Vec::with_capacity(count);
        for (number, data) in data.iter().enumerate() {
            let what = format!("data[{number}]");
            let input = Memory::of(data, &what)?;
            self.expect_step(&what, input.len())?;
            inputs.push(input);
        }
        let mut made: Vec<Vec<u8>> = Vec::new();
        let mut places = Vec::with_capacity(count);
        match &out {
            Some(out) => {
                for (number, (out, input)) in out.iter().zip(&inputs).enumerate() {
                    let what = format!("out[{number}]");
                    let memory = Memory::writable(out, &what)?;
                    expect_length(&what, memory.len(), input.len())?;
                    places.push(memory);
                }
                expect_apart(&inputs, &places)?;
            }
            None => made.extend(inputs.iter().map(|input| vec![0_u8; input.len()])),
        }
        let messages = inputs.iter().enumerate().map(|(number, input)| raw::ChainedMessage {
            vector: vectors[number * self.raw.block_bytes..].as_mut_ptr(),
            input: input.address() as *const u8,
            length: input.len(),
            out: match places.get(number) {
                Some(place) => place.address() as *mut u8,
                None => made[number].as_mut_ptr(),
            },
            result: 0,
        });
        let mut messages = Messages(messages.collect());
        let context = &self.context;
        let result = py.detach(|| {
            let messages = messages.all();
            // SAFETY: vectors are blocks, and texts have their lengths; outputs are apart from what is of other messages.
            check(unsafe { batch(context.as_ptr().cast(), messages.len(), messages.as_mut_ptr()) })
        });
        vectors.zeroize();
        result?;
        places.iter().try_for_each(|place| place.written(py))?;
        Ok(out.unwrap_or_else(|| made.iter().map(|made| PyBytes::new(py, made).into_any()).collect()))
    }

    fn __repr__(&self) -> String {
        format!("<usuba.BlockMode {}>", self.raw.name)
    }
}

impl BlockMode {
    /// A copy of a vector.
    fn vector(&self, iv: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
        let iv = Memory::of(iv, what)?;
        expect_length(what, iv.len(), self.raw.block_bytes)?;
        // SAFETY: the memory has so many bytes; the interpreter lock is held.
        Ok(unsafe { std::slice::from_raw_parts(iv.address() as *const u8, self.raw.block_bytes) }.to_vec())
    }

    /// # Errors
    /// The mode takes no message of this length.
    fn expect_step(&self, what: &str, length: usize) -> PyResult<()> {
        let step = self.raw.step_bytes;
        if length.is_multiple_of(step) {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("{what} must be whole blocks of {step} bytes, not {length} bytes")))
    }

    fn call<'py>(
        &self,
        py: Python<'py>,
        function: raw::Chained,
        iv: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let first = self.vector(iv, "iv")?;
        let input = Memory::of(data, "data")?;
        self.expect_step("data", input.len())?;
        let (address, length, context) = (input.address(), input.len(), &self.context);
        output(py, out, length, move |out| {
            let mut vector = first.clone();
            let (iv, input) = (vector.as_mut_ptr(), address as *const u8);
            // SAFETY: the vector is a block, the others have `length` bytes.
            let result = check(unsafe { function(context.as_ptr().cast(), iv, out, input, length) });
            vector.zeroize();
            result
        })
    }
}

/// # Errors
/// An output overlaps another one, or the input of another message, which the C function does not look for.
fn expect_apart(inputs: &[Memory], outputs: &[Memory]) -> PyResult<()> {
    let refused = |number: usize| {
        Err(PyValueError::new_err(format!("out[{number}] must not overlap what is of another message")))
    };
    let ends = |memory: &Memory| (memory.address(), memory.address() + memory.len());
    let mut sorted: Vec<usize> = (0..outputs.len()).filter(|&number| outputs[number].len() > 0).collect();
    sorted.sort_by_key(|&number| outputs[number].address());
    for pair in sorted.windows(2) {
        if ends(&outputs[pair[0]]).1 > outputs[pair[1]].address() {
            return refused(pair[1]);
        }
    }
    for (number, input) in inputs.iter().enumerate().filter(|(_, input)| input.len() > 0) {
        let (first, end) = ends(input);
        // Those that begin before its end; they are apart, so that the last ones of them end last.
        let before = sorted.partition_point(|&one| outputs[one].address() < end);
        let overlapping = sorted[..before].iter().rev().take_while(|&&one| ends(&outputs[one]).1 > first);
        if let Some(&other) = overlapping.into_iter().find(|&&one| one != number) {
            return refused(other);
        }
    }
    Ok(())
}

impl Drop for BlockMode {
    fn drop(&mut self) {
        // SAFETY: the context has the size that the function wants.
        unsafe { (self.raw.wipe)(self.context.as_mut_ptr().cast()) }
    }
}
