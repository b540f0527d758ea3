//! The C around the kernels of a generator, which is a stream cipher with a state and without a counter.
//!
//! The context has the state as bytes and the keystream that is left of the last word, so that a stream can go on at any byte.
//! The kernel works on as many streams as it has instances; what is alone, or at another place in its word than its
//! neighbours, is worked on by itself. Contexts are the same for all slicings and targets.

use super::text::{self, File};
use super::transposition::{self, Transposition, Wanted};
use super::{DriverError, Files, Kernel, Parameter, format};
use crate::manifest::Generator;
use crate::template::Values;

/// The files.
///
/// # Errors
/// The manifest does not fit the kernels.
pub fn files(
    cipher: &Generator,
    generate: &Kernel,
    initialise: &Kernel,
    file: &File,
) -> Result<Files, DriverError> {
    let ([state], [next, keystream]) = (&generate.inputs[..], &generate.outputs[..]) else {
        return Err(parameters(
            generate,
            "one input, the state, and two outputs, the state and the keystream",
        ));
    };
    let ([key, nonce], [initial]) = (&initialise.inputs[..], &initialise.outputs[..]) else {
        return Err(parameters(initialise, "two inputs, the key and the nonce, and one output, the state"));
    };
    if state.uniform {
        return Err(DriverError::Uniform { node: generate.node.clone(), input: 1, uniform: false });
    }
    format("state", cipher.state.bytes, cipher.state.order, generate, next)?;
    let mut source = file.source_head([generate, initialise]);
    let mut transpositions = Vec::new();
    for (field, name, bytes, kernel, parameter, wanted) in [
        ("key", "key_format", cipher.key, initialise, key, None),
        ("nonce", "nonce_format", cipher.nonce, initialise, nonce, None),
        ("state", "initial_format", cipher.state, initialise, initial, None),
        (
            "state",
            "state_format",
            cipher.state,
            generate,
            state,
            Some(Wanted { pack: true, unpack: true, add: false }),
        ),
        (
            "keystream",
            "keystream_format",
            cipher.keystream,
            generate,
            keystream,
            Some(Wanted { pack: false, unpack: true, add: false }),
        ),
    ] {
        let format = format(field, bytes.bytes, bytes.order, kernel, parameter)?;
        source += &text::format_definition(name, &format);
        transpositions
            .extend(wanted.map(|wanted| Transposition::of(kernel, parameter, field, format, wanted)));
    }
    let (functions, networks) = transposition::functions(&transpositions, file.target);
    source += &functions;
    let values = file
        .values()
        .text("state", cipher.state.bytes)
        .text("block", cipher.keystream.bytes)
        .text("batch", generate.instances);
    let summary = "a stream cipher with a state; time does not depend on keys or data.";
    let header = file.header(summary, include_str!("templates/generator.h"), &values);
    let values = initialising(values, initialise, [key, nonce], initial);
    let values = generating(values, generate, [state, next, keystream]);
    source += &values.fill(include_str!("templates/generator.c"));
    Ok(file.files(header, source, networks))
}

fn parameters(kernel: &Kernel, expected: &'static str) -> DriverError {
    let found = format!("{} inputs and {} outputs", kernel.inputs.len(), kernel.outputs.len());
    DriverError::Parameters { node: kernel.node.clone(), found, expected }
}

/// What makes the bytes of a state of key and nonce.
fn initialising(
    values: Values,
    kernel: &Kernel,
    [key, nonce]: [&Parameter; 2],
    initial: &Parameter,
) -> Values {
    values
        .text("keys", text::array_declaration(key, "keys"))
        .text("nonces", text::array_declaration(nonce, "nonces"))
        .text("out", text::array_declaration(initial, "out"))
        .text("key_from_bytes", text::uniform(&kernel.image, "keys", "key", "key_format"))
        .text("nonce_from_bytes", text::uniform(&kernel.image, "nonces", "nonce", "nonce_format"))
        .text("initialise", &kernel.symbol)
        .text("to_bytes", text::to_bytes(&kernel.image, "state", "out", "initial_format"))
}

/// What brings the states of a batch to registers, and states and keystream back.
fn generating(values: Values, kernel: &Kernel, [state, next, keystream]: [&Parameter; 3]) -> Values {
    let stored = |parameter, registers, name| text::unpack(kernel, (parameter, registers), None, name);
    values
        .text("states_element", &state.element)
        .text("load_states", text::pack(kernel, (state, "states"), "in", "state"))
        .text("next_element", &next.element)
        .text("store_states", stored(next, "states", "state"))
        .text("keystream_element", &keystream.element)
        .text("store_keystream", stored(keystream, "keystream", "keystream"))
        .text("instances", kernel.instances / kernel.interleave.max(1))
        .text("registers", text::array_declaration(state, "registers"))
        .text("next", text::array_declaration(next, "next"))
        .text("keystream", text::array_declaration(keystream, "keystream"))
        .text("generate", &kernel.symbol)
}
