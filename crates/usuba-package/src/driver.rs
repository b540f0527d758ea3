//! The C around the kernels of a primitive: a header and a source with the functions of an engine.
//!
//! A kernel works on registers; the functions made here work on bytes. For each of them the text is short: which function
//! of `runtime/usuba_transpose.h` packs which input, the call, and which mode of `runtime/usuba_drivers.h` is around it.
//!
//! An engine is one of the implementations behind the functions that users call ([`crate::library`]). A block
//! cipher has functions that make what its kernels read of round keys in bytes, and those for blocks take that; contexts of
//! generators are the same for all engines. Its functions trust their arguments, which the public ones have checked:
//! - block cipher: `usuba_<name>_load_round_keys`, `_encrypt_blocks`, `_decrypt_blocks`, `_ctr_xor`;
//! - stream cipher: `usuba_<name>_xor`;
//! - generator: `usuba_<name>_init`, `_xor_batch`;
//! - permutation: `usuba_<name>_permute`.

use crate::OutputFile;
use crate::manifest::{BlockCipher, Function, Mode, Permutation, Primitive, Stream};
use crate::order::{Order, OrderError};
use keys::Keys;
use text::File;
use thiserror::Error;
use transposition::{Transposition, Wanted};
use usuba_target::Target;

mod generator;
mod keys;
mod network;
mod parts;
mod text;
pub mod transposition;

pub use text::format_definition;
pub(crate) use text::{TWEAKS, header};
/// How a kernel takes round keys whose number the caller says; here in elements of C, not in atoms.
pub use usuba_codegen::Rounds;
/// How the atoms of a kernel's parameters lie in registers.
pub use usuba_transpose::Image;

/// A byte string and what it means: the twin of `struct usuba_format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// How the words lie in the bytes.
    pub order: Order,
    /// Bits of a word.
    pub width: u32,
    /// Number of words.
    pub words: u32,
    /// Number of bytes.
    pub bytes: u32,
}

/// A parameter of a kernel, an array of registers (or of uniform words).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The C type of an element of the array.
    pub element: String,
    /// The number of elements.
    pub elements: u32,
    /// Whether it is the same for all instances.
    pub uniform: bool,
    /// Bits of a word in the source.
    pub width: u32,
    /// Words.
    pub words: u32,
}

/// What a driver needs to know of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The node that it was made from.
    pub node: String,
    /// The name of the C function, which takes the inputs, then the outputs.
    pub symbol: String,
    /// The name of the header that declares it.
    pub header: String,
    /// Instances per call.
    pub instances: u32,
    /// Batches of them, at least 1: each parameter that is not uniform has the registers of one after those of another.
    pub interleave: u32,
    /// The layout of the parameters.
    pub image: Image,
    /// The inputs in order. If there is something to prepare, the uniform one has as many elements as that, and the width and
    /// words of what it is made from.
    pub inputs: Vec<Parameter>,
    /// The outputs in order.
    pub outputs: Vec<Parameter>,
    /// The kernel that makes the uniform input of what callers have, if it is not that itself.
    pub prepare: Option<Prepare>,
    /// If the number of turns is a parameter, the last: how many the primitive has, and how many elements of the uniform input are
    /// read before its loop, by a turn, and after it, each from an array of its own.
    pub rounds: Option<Rounds>,
}

/// A kernel that runs once a key: from a uniform input to that of another kernel, in registers whose first bytes it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepare {
    /// The name of the C function.
    pub symbol: String,
    /// The name of the header that declares it.
    pub header: String,
    /// The C type of an element of its input.
    pub element: String,
    /// Elements of its input.
    pub given: u32,
    /// The C type of the registers that it hands out.
    pub register: String,
    /// How many.
    pub registers: u32,
    /// What it computes: two that say the same here make the same.
    pub meaning: String,
}

/// The kernels of a primitive.
// One is made for each library: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kernels {
    /// Of a block cipher.
    BlockCipher {
        /// Of the node `encrypt`.
        encrypt: Kernel,
        /// Of the node `decrypt`.
        decrypt: Option<Kernel>,
    },
    /// Of a stream cipher.
    Stream(Kernel),
    /// Of a stream cipher with a state.
    Generator {
        /// Of the node `generate`.
        generate: Kernel,
        /// Of the node from key and nonce to the state, for one instance on general-purpose registers.
        initialise: Kernel,
    },
    /// Of a permutation.
    Permutation(Kernel),
}

/// Why no driver can be made. The manifest and the source disagree.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DriverError {
    /// The node has other parameters than its role asks for.
    #[error("`{node}` has {found}; a node in this role has {expected}")]
    Parameters {
        /// The node.
        node: String,
        /// What it has.
        found: String,
        /// What it should have.
        expected: &'static str,
    },
    /// An input is uniform that must not be, or the reverse.
    #[error("input {input} of `{node}` must {}be declared `const`", if *.uniform { "" } else { "not " })]
    Uniform {
        /// The node.
        node: String,
        /// The number of the input, from 1.
        input: usize,
        /// Whether it should be.
        uniform: bool,
    },
    /// The bytes of the manifest do not fit the words of the source.
    #[error("`{field}` of the manifest does not fit `{node}`: {error}")]
    Order {
        /// The field of the manifest.
        field: &'static str,
        /// The node.
        node: String,
        /// What does not fit.
        error: OrderError,
    },
    /// The bytes of a program that looks up bytes are put in planes, and the manifest says that they are planes.
    #[error(
        "under `--slicing h` its bytes are put in planes of bits, and by the orders `planes` and `nibbles` of the manifest they are \
         planes already; use another slicing"
    )]
    Planes,
    /// Encryption and decryption take different round keys.
    #[error("`{encrypt}` and `{decrypt}` take round keys of different sizes; give them the same type")]
    RoundKeys {
        /// The node that encrypts.
        encrypt: String,
        /// The node that decrypts.
        decrypt: String,
    },
    /// The counter of a stream cipher is no little-endian integer of C.
    #[error(
        "a counter of {bytes} bytes in the order `{order}`: drivers exist for counters of 1, 2, 4 or 8 bytes in the order \
         `little`"
    )]
    Counter {
        /// Its size.
        bytes: u32,
        /// Its order.
        order: Order,
    },
    /// A word too wide for a lane.
    #[error("words of {width} bits of `{node}`: drivers exist for words of up to 64 bits")]
    Wide {
        /// The node.
        node: String,
        /// Bits of the word.
        width: u32,
    },
    /// A key schedule on blocks whose parameters are not those bytes.
    #[error(
        "`{node}` has {found} bytes of {name} in blocks of 16, the manifest {expected}: a `packed` schedule is from blocks of bytes to \
         blocks of bytes; the last block of the key is its last 16 bytes, also where it has no whole number of blocks"
    )]
    PackedBytes {
        /// The node.
        node: String,
        /// What the bytes are.
        name: &'static str,
        /// Bytes of the parameter.
        found: u32,
        /// Those of the manifest.
        expected: u32,
    },
    /// The kernels belong to another kind of primitive than the manifest says.
    #[error("the kernels given are not those of the kind of primitive that the manifest says")]
    Kind,
}

/// What a key schedule has.
pub(crate) const SCHEDULE: &str = "one input, the key, and one output, the round keys";
pub(crate) const DECRYPTION_KEYS: &str =
    "one input, the round keys, and one output, those under which encryption decrypts";

/// What stands in the head of the files, and how names begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labels {
    /// What all public names begin with: `usuba_`.
    pub prefix: String,
    /// Sentences about what was made and how, one per line, for the comment at the top of each file.
    pub head: Vec<String>,
}

/// The files of a driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// `<prefix><name>.h`.
    pub header: OutputFile,
    /// `<prefix><name>.c`.
    pub source: OutputFile,
    /// The headers of the networks that the source includes: the same for all drivers that have them.
    pub networks: Vec<OutputFile>,
    /// How a block cipher's kernels read round keys.
    pub keys: KeyForms,
    /// A source that has the functions which make these forms alone, if the others may be those of another size of keys.
    pub keys_only: Option<KeysOnly>,
}

/// A source with the functions that make round keys as kernels read them, for primitives that differ in the number of turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeysOnly {
    /// The source, of the same name.
    pub source: String,
    /// What the whole source has besides.
    pub rest: String,
}

/// How the kernels of a block cipher read round keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyForms {
    /// For each direction the function that makes the form, from round keys in bytes; `None` if it is these bytes.
    pub loads: Vec<Option<String>>,
    /// Bytes of the longest.
    pub bytes: u32,
}

/// Makes a driver.
///
/// # Errors
/// The manifest does not fit the kernels.
pub fn generate(
    primitive: &Primitive,
    kernels: &Kernels,
    target: &'static Target,
    labels: &Labels,
) -> Result<Files, DriverError> {
    let stem = format!("{}{}", labels.prefix, primitive.identifier());
    match (&primitive.function, kernels) {
        (Function::BlockCipher(cipher), Kernels::BlockCipher { encrypt, decrypt }) => {
            block_cipher(cipher, encrypt, decrypt.as_ref(), &File::new(&stem, target, labels))
        }
        (Function::Stream(cipher), Kernels::Stream(kernel)) => {
            stream(cipher, kernel, &File::new(&stem, target, labels))
        }
        (Function::Generator(cipher), Kernels::Generator { generate, initialise }) => {
            generator::files(cipher, generate, initialise, &File::new(&stem, target, labels))
        }
        (Function::Permutation(permutation), Kernels::Permutation(kernel)) => {
            permute(permutation, kernel, &File::new(&stem, target, labels))
        }
        _ => Err(DriverError::Kind),
    }
}

/// Checks the number of parameters and which of them are uniform.
fn signature(kernel: &Kernel, uniform: &[bool], expected: &'static str) -> Result<(), DriverError> {
    if kernel.inputs.len() != uniform.len() || kernel.outputs.len() != 1 {
        let found = format!("{} inputs and {} outputs", kernel.inputs.len(), kernel.outputs.len());
        return Err(DriverError::Parameters { node: kernel.node.clone(), found, expected });
    }
    for (number, (input, &uniform)) in kernel.inputs.iter().zip(uniform).enumerate() {
        if input.uniform != uniform {
            return Err(DriverError::Uniform { node: kernel.node.clone(), input: number + 1, uniform });
        }
    }
    Ok(())
}

/// The format of a parameter, checked.
fn format(
    field: &'static str,
    bytes: u32,
    order: Order,
    kernel: &Kernel,
    parameter: &Parameter,
) -> Result<Format, DriverError> {
    let Parameter { width, words, .. } = *parameter;
    order.check(width, words as usize, bytes as usize).map_err(|error| DriverError::Order {
        field,
        node: kernel.node.clone(),
        error,
    })?;
    if width > 64 && matches!(kernel.image, Image::V { .. }) {
        return Err(DriverError::Wide { node: kernel.node.clone(), width });
    }
    Ok(Format { order, width, words, bytes })
}

fn block_cipher(
    cipher: &BlockCipher,
    encrypt: &Kernel,
    decrypt: Option<&Kernel>,
    file: &File,
) -> Result<Files, DriverError> {
    const CIPHER: &str = "two inputs, the block and the `const` round keys, and one output, the block";
    const TWEAKABLE: &str =
        "three inputs, the block, the tweak and the `const` round keys, and one output, the block";
    let directions: Vec<(&str, &Kernel)> =
        [("encrypt", encrypt)].into_iter().chain(decrypt.map(|kernel| ("decrypt", kernel))).collect();
    for (_, kernel) in &directions {
        match cipher.tweak {
            None => signature(kernel, &[false, true], CIPHER)?,
            Some(_) => signature(kernel, &[false, false, true], TWEAKABLE)?,
        }
    }
    let ([block, tweak @ .., round_keys], [result]) = (&encrypt.inputs[..], &encrypt.outputs[..]) else {
        return Err(DriverError::Kind);
    };
    let tweak_format = match (cipher.tweak, tweak) {
        (Some(bytes), [tweak]) => Some(format("tweak", bytes.bytes, bytes.order, encrypt, tweak)?),
        _ => None,
    };
    let sizes = cipher.round_keys;
    let cipher_format = format("round-keys", sizes.bytes, sizes.cipher_order, encrypt, round_keys)?;
    let block_format = format("block", cipher.block.bytes, cipher.block.order, encrypt, block)?;
    format("block", cipher.block.bytes, cipher.block.order, encrypt, result)?;
    if let Some(decrypt) = decrypt
        && let ([block, other_tweak @ .., keys], [result]) = (&decrypt.inputs[..], &decrypt.outputs[..])
    {
        if let (Some(bytes), [tweak]) = (cipher.tweak, other_tweak) {
            format("tweak", bytes.bytes, bytes.order, decrypt, tweak)?;
        }
        format("block", cipher.block.bytes, cipher.block.order, decrypt, block)?;
        format("block", cipher.block.bytes, cipher.block.order, decrypt, result)?;
        let alike = keys == round_keys || decrypt.prepare.is_some() || encrypt.prepare.is_some();
        if !alike
            || (keys.width, keys.words) != (round_keys.width, round_keys.words)
            || decrypt.image != encrypt.image
            || decrypt.instances != encrypt.instances
        {
            return Err(DriverError::RoundKeys {
                encrypt: encrypt.node.clone(),
                decrypt: decrypt.node.clone(),
            });
        }
    }
    let keys = Keys::of(encrypt, decrypt, cipher_format);
    let ecb = cipher.modes.contains(&Mode::Ecb);
    let ctr = cipher.modes.contains(&Mode::Ctr);

    let values = file
        .values()
        .text("block", cipher.block.bytes)
        .text("round_keys", sizes.bytes)
        .text("batch", encrypt.instances)
        .text("tweak", cipher.tweak.map_or(0, |tweak| tweak.bytes))
        .text("tweaks", if tweak_format.is_some() { TWEAKS } else { "" })
        .when("ecb", ecb)
        .when("decrypt", decrypt.is_some())
        .when("ctr", ctr)
        .when("tweak", tweak_format.is_some())
        .when("untweaked", tweak_format.is_none());
    let summary = "a block cipher; time does not depend on keys or data.";
    let header = file.header(summary, include_str!("driver/templates/block_cipher.h"), &values);

    let head = file.source_head(directions.iter().map(|(_, kernel)| *kernel));
    let load = text::format_definition("round_key_format", &cipher_format) + &keys.load(file.stem);
    let mut source = text::format_definition("block_format", &block_format);
    if let Some(format) = &tweak_format {
        source += &text::format_definition("tweak_format", format);
    }
    let transposed =
        |name, format, parameter, wanted| Transposition::of(encrypt, parameter, name, format, wanted);
    let wanted = Wanted { pack: ecb || ctr, unpack: ecb, add: ctr };
    let mut transpositions = vec![transposed("block", block_format, block, wanted)];
    if let (Some(format), [tweak]) = (tweak_format, tweak) {
        let wanted = Wanted { pack: ecb, unpack: false, add: false };
        transpositions.push(transposed("tweak", format, tweak, wanted));
    }
    let (transposing, networks) = transposition::functions(&transpositions, file.target);
    source += &transposing;
    let mut functions = String::new();
    if ecb {
        if tweak_format.is_some() {
            source += &values.fill(include_str!("driver/templates/tweaking.c"));
        }
        for (direction, kernel) in &directions {
            let values = text::direction_values(keys.values(values.clone(), direction), direction, kernel);
            source += &values.fill(include_str!("driver/templates/blocks_batch.c"));
            functions += &values.fill(include_str!("driver/templates/blocks.c"));
        }
    }
    if ctr {
        let values = keys.values(values, "encrypt");
        source += &text::counter_batch(values.clone(), file.stem, encrypt);
        functions += &values.fill(include_str!("driver/templates/ctr.c"));
    }
    let names: Vec<&str> = directions.iter().map(|(direction, _)| *direction).collect();
    let rest = source + &functions;
    let keys_only = directions
        .iter()
        .all(|(_, kernel)| kernel.rounds.is_some() && !keys::is_plain(kernel))
        .then(|| KeysOnly { source: format!("{head}{load}"), rest: rest.clone() });
    let files = file.files(header, format!("{head}{load}{rest}"), networks);
    Ok(Files { keys: keys.forms(file.stem, &names), keys_only, ..files })
}

/// The function `schedule` from a key to round keys in bytes, with the formats that it needs. Without a kernel they are the
/// key.
///
/// # Errors
/// The node is no key schedule, or the manifest does not fit it.
pub fn key_schedule(cipher: &BlockCipher, kernel: Option<&Kernel>) -> Result<String, DriverError> {
    let Some(kernel) = kernel else { return Ok(text::no_schedule(cipher.key.bytes)) };
    let [key] = &kernel.inputs[..] else {
        signature(kernel, &[false], SCHEDULE)?;
        return Err(DriverError::Kind);
    };
    signature(kernel, &[key.uniform], SCHEDULE)?;
    let [scheduled] = &kernel.outputs[..] else {
        return Err(DriverError::Kind);
    };
    let sizes = cipher.round_keys;
    let key_format = format("key", cipher.key.bytes, cipher.key.order, kernel, key)?;
    let schedule_format = format("round-keys", sizes.bytes, sizes.schedule_order, kernel, scheduled)?;
    Ok(text::format_definition("key_format", &key_format)
        + &text::format_definition("schedule_format", &schedule_format)
        + &text::schedule(kernel, key, scheduled))
}

/// The function `decryption_keys` from round keys to others, both in bytes as the schedule writes them, with the formats that it
/// needs.
///
/// # Errors
/// The node does something else, or the manifest does not fit it.
pub fn decryption_keys(cipher: &BlockCipher, kernel: &Kernel) -> Result<String, DriverError> {
    let [given] = &kernel.inputs[..] else {
        signature(kernel, &[false], DECRYPTION_KEYS)?;
        return Err(DriverError::Kind);
    };
    signature(kernel, &[given.uniform], DECRYPTION_KEYS)?;
    let [made] = &kernel.outputs[..] else {
        return Err(DriverError::Kind);
    };
    let sizes = cipher.round_keys;
    let given_format = format("round-keys", sizes.bytes, sizes.schedule_order, kernel, given)?;
    let made_format = format("round-keys", sizes.bytes, sizes.schedule_order, kernel, made)?;
    Ok(text::format_definition("given_format", &given_format)
        + &text::format_definition("made_format", &made_format)
        + &text::decryption_keys(kernel, given, made))
}

/// The function called `name` from a key to round keys in bytes, around a kernel on blocks of 16 bytes that stand as they are
/// specified.
///
/// # Errors
/// The node is no key schedule, or has other bytes than the manifest.
pub fn packed_schedule(cipher: &BlockCipher, kernel: &Kernel, name: &str) -> Result<String, DriverError> {
    signature(kernel, &[false], SCHEDULE)?;
    let ([key], [scheduled]) = (&kernel.inputs[..], &kernel.outputs[..]) else {
        return Err(DriverError::Kind);
    };
    let bytes = |parameter: &Parameter| parameter.words * parameter.width / 8;
    for (name, parameter, expected, whole) in [
        ("the key", key, cipher.key.bytes, cipher.key.bytes.next_multiple_of(16)),
        ("the round keys", scheduled, cipher.round_keys.bytes, cipher.round_keys.bytes),
    ] {
        if parameter.width != 8 || bytes(parameter) != whole || expected < 16 {
            let node = kernel.node.clone();
            return Err(DriverError::PackedBytes { node, name, found: bytes(parameter), expected });
        }
    }
    Ok(text::packed_schedule(cipher, kernel, key, scheduled, name))
}

fn stream(cipher: &Stream, kernel: &Kernel, file: &File) -> Result<Files, DriverError> {
    const BLOCK: &str =
        "three inputs, the `const` key, the counter and the `const` nonce, and one output, the keystream";
    let apart = parts::apart(kernel, cipher, file.stem)?;
    let (kernel, parts) = apart.as_ref().map_or((kernel, ""), |(kernel, text)| (kernel, text));
    signature(kernel, &[true, false, true], BLOCK)?;
    let ([key, counter, nonce], [keystream]) = (&kernel.inputs[..], &kernel.outputs[..]) else {
        return Err(DriverError::Kind);
    };
    if cipher.counter.order != Order::Little || ![1, 2, 4, 8].contains(&cipher.counter.bytes) {
        return Err(DriverError::Counter { bytes: cipher.counter.bytes, order: cipher.counter.order });
    }
    let mut source = file.source_head([kernel]);
    let mut transpositions = Vec::new();
    // Counters are packed where they are whole blocks.
    let counted = Wanted { pack: cipher.counter.bytes == cipher.keystream.bytes, unpack: false, add: false };
    let added = Wanted { pack: false, unpack: false, add: true };
    for (field, name, bytes, parameter, wanted) in [
        ("key", "key_format", cipher.key, key, None),
        ("counter", "counter_format", cipher.counter, counter, Some(counted)),
        ("nonce", "nonce_format", cipher.nonce, nonce, None),
        ("keystream", "keystream_format", cipher.keystream, keystream, Some(added)),
    ] {
        let format = format(field, bytes.bytes, bytes.order, kernel, parameter)?;
        source += &text::format_definition(name, &format);
        transpositions
            .extend(wanted.map(|wanted| Transposition::of(kernel, parameter, field, format, wanted)));
    }
    let (transposing, networks) = transposition::functions(&transpositions, file.target);
    source += &transposing;
    source += parts;
    let values = file
        .values()
        .text("block", cipher.keystream.bytes)
        .text("counter", cipher.counter.bytes)
        .text("counter_bits", 8 * cipher.counter.bytes)
        .text("batch", kernel.instances);
    let summary = "a stream cipher; time does not depend on keys or data.";
    let header = file.header(summary, include_str!("driver/templates/stream.h"), &values);
    source +=
        &text::stream_functions(values, file.stem, kernel, [key, counter, nonce, keystream], counted.pack);
    Ok(file.files(header, source, networks))
}

fn permute(permutation: &Permutation, kernel: &Kernel, file: &File) -> Result<Files, DriverError> {
    signature(kernel, &[false], "one input and one output, the state")?;
    let ([state], [result]) = (&kernel.inputs[..], &kernel.outputs[..]) else {
        return Err(DriverError::Kind);
    };
    let format_of_state = format("state", permutation.state.bytes, permutation.state.order, kernel, state)?;
    format("state", permutation.state.bytes, permutation.state.order, kernel, result)?;
    let mut source = file.source_head([kernel]);
    source += &text::format_definition("state_format", &format_of_state);
    let wanted = Wanted { pack: true, unpack: true, add: false };
    let transposed = Transposition::of(kernel, state, "state", format_of_state, wanted);
    let (transposing, networks) = transposition::functions(&[transposed], file.target);
    source += &transposing;
    let values = file.values().text("state", permutation.state.bytes).text("batch", kernel.instances);
    let summary = "a permutation; time does not depend on data.";
    let header = file.header(summary, include_str!("driver/templates/permutation.h"), &values);
    source += &text::permutation_functions(values, kernel, state, result);
    Ok(file.files(header, source, networks))
}

#[cfg(test)]
mod tests {
    use super::{Image, Kernel, Parameter, packed_schedule};
    use crate::manifest::{BlockCipher, Bytes, RoundKeys};
    use crate::order::Order;

    fn schedule(key_bytes: u32, key_words: u32, width: u32) -> Result<String, String> {
        let key = Bytes { bytes: key_bytes, order: Order::Big };
        let cipher = BlockCipher {
            encrypt: "Encrypt".into(),
            decrypt: None,
            decryption_keys: None,
            schedule: None,
            block: key,
            key,
            tweak: None,
            round_keys: RoundKeys { bytes: 32, schedule_order: Order::Big, cipher_order: Order::Big },
            packed: None,
            words: None,
            modes: Vec::new(),
        };
        let parameter = |words: u32, width: u32| Parameter {
            element: "__m128i".into(),
            elements: words / 16,
            uniform: false,
            width,
            words,
        };
        let kernel = Kernel {
            node: "Packed".into(),
            symbol: "packed".into(),
            header: "packed.h".into(),
            instances: 1,
            interleave: 1,
            image: Image::Packed { lane: 1 },
            inputs: vec![parameter(key_words, width)],
            outputs: vec![parameter(32, 8)],
            prepare: None,
            rounds: None,
        };
        packed_schedule(&cipher, &kernel, "schedule").map_err(|error| error.to_string())
    }

    /// The last block of a key is its last sixteen bytes.
    #[test]
    fn schedules_on_blocks_take_keys_of_any_length_from_a_block_on() {
        for (bytes, words) in [(16, 16), (24, 32), (32, 32), (33, 48)] {
            let text = schedule(bytes, words, 8).expect("it fits");
            assert!(text.contains(&format!("(i + 16 <= {bytes} ? i : {bytes} - 16)")), "{text}");
        }
        for (bytes, words, width) in [(10, 16, 8), (24, 16, 8), (16, 32, 8), (32, 16, 16)] {
            let error = schedule(bytes, words, width).expect_err("it does not fit");
            assert!(error.contains("bytes of the key in blocks of 16"), "{error}");
        }
    }
}
