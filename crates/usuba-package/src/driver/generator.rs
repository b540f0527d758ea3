//! The C around the kernels of a generator, which is a stream cipher with a state and without a counter.
//!
//! The context has the state as bytes and the keystream that is left of the last word, so that a stream can go on at any byte.
//! The kernel works on as many streams as it has instances; what is alone, or at another place in its word than its
//! neighbours, is worked on by itself. Contexts are the same for all slicings and targets.

use super::text::{self, File};
use super::{DriverError, Form, Image, Kernel, Labels, Parameter, format};
use crate::OutputFile;
use crate::manifest::Generator;

/// The header and the source.
///
/// # Errors
/// The manifest does not fit the kernels.
pub fn files(
    form: Form,
    cipher: &Generator,
    generate: &Kernel,
    initialise: &Kernel,
    stem: &str,
    labels: &Labels,
) -> Result<[OutputFile; 2], DriverError> {
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
    let file = File::new(stem, labels);
    let mut source = file.source_head([generate, initialise]);
    for (field, name, bytes, kernel, parameter) in [
        ("key", "key_format", cipher.key, initialise, key),
        ("nonce", "nonce_format", cipher.nonce, initialise, nonce),
        ("state", "initial_format", cipher.state, initialise, initial),
        ("state", "state_format", cipher.state, generate, state),
        ("keystream", "keystream_format", cipher.keystream, generate, keystream),
    ] {
        let format = format(field, bytes.bytes, bytes.order, kernel, parameter)?;
        source += &text::format_definition(name, &format);
    }
    source += &first_state(initialise, [key, nonce], initial);
    source += &movers(generate, state, next, keystream);
    source += &go_on(stem, generate, [state, next, keystream]);
    source += &functions(form, stem);
    Ok(file.pair(header(&file, form, stem, cipher, generate.instances), source))
}

fn parameters(kernel: &Kernel, expected: &'static str) -> DriverError {
    let found = format!("{} inputs and {} outputs", kernel.inputs.len(), kernel.outputs.len());
    DriverError::Parameters { node: kernel.node.clone(), found, expected }
}

/// `first_state`, from key and nonce to the bytes of a state.
fn first_state(kernel: &Kernel, [key, nonce]: [&Parameter; 2], initial: &Parameter) -> String {
    let back = match kernel.image {
        Image::V { lane } => format!("usuba_bytes_v(state, out, {lane}, initial_format);"),
        _ => "usuba_bytes_b(state, out, initial_format);".into(),
    };
    format!(
        "/* The state of a stream that begins. */\n\
         static void first_state(unsigned char *state, const unsigned char *key, const unsigned char *nonce)\n{{\n    \
         {};\n    {};\n    {};\n    {}\n    {}\n    {}(keys, nonces, out);\n    {back}\n    \
         usuba_wipe(keys, sizeof keys);\n    usuba_wipe(out, sizeof out);\n}}\n\n",
        text::array_declaration(key, "keys"),
        text::array_declaration(nonce, "nonces"),
        text::array_declaration(initial, "out"),
        text::uniform(&kernel.image, "keys", "key", "key_format"),
        text::uniform(&kernel.image, "nonces", "nonce", "nonce_format"),
        kernel.symbol,
    )
}

/// What brings the states of a batch to registers and back, and keystream from registers.
fn movers(kernel: &Kernel, state: &Parameter, next: &Parameter, keystream: &Parameter) -> String {
    format!(
        "static void load_states({} *states, const unsigned char *in)\n{{\n    {}\n}}\n\n\
         static void store_states({} *states, unsigned char *out)\n{{\n    {}\n}}\n\n\
         static void store_keystream({} *keystream, unsigned char *out)\n{{\n    {}\n}}\n\n",
        state.element,
        text::pack(kernel, (state, "states"), "in", "state_format"),
        next.element,
        text::unpack(kernel, (next, "states"), None, "state_format"),
        keystream.element,
        text::unpack(kernel, (keystream, "keystream"), None, "keystream_format"),
    )
}

/// `go_on`, which works on a batch.
fn go_on(stem: &str, kernel: &Kernel, [state, next, keystream]: [&Parameter; 3]) -> String {
    let upper = stem.to_uppercase();
    let instances = kernel.instances / kernel.interleave.max(1);
    format!(
        "/* Where states are among those of a batch so that their keystreams come one after another: blocks of 8 bytes and\n \
         * longer ones go to instances in different orders. `size` is that of a register. */\n\
         static void find_places(size_t *places, size_t size)\n{{\n    size_t j;\n    \
         for (j = 0; j < {upper}_BATCH; j++) {{\n        const size_t instance = j % {instances}, batch = j - instance;\n        \
         places[batch + usuba_block_of(instance, {instances}, size, {upper}_BLOCK_BYTES)] =\n            \
         batch + usuba_block_of(instance, {instances}, size, {upper}_STATE_BYTES);\n    }}\n}}\n\n\
         static void add(unsigned char *out, const unsigned char *in, const unsigned char *keystream, size_t size)\n{{\n    \
         size_t i;\n    for (i = 0; i < size; i++)\n        out[i] = in[i] ^ keystream[i];\n}}\n\n\
         /* `length` bytes of each of `streams` streams, at most a batch, that have as many bytes left of their last words. */\n\
         static void go_on({stem}_ctx *ctx, unsigned char *const *out, const unsigned char *const *in, size_t length,\n                  \
         size_t streams)\n{{\n    \
         unsigned char states[{upper}_BATCH * {upper}_STATE_BYTES], words[{upper}_BATCH * {upper}_BLOCK_BYTES];\n    \
         size_t places[{upper}_BATCH];\n    {};\n    {};\n    {};\n    \
         const size_t left = ctx[0].left;\n    size_t done = length < left ? length : left, part = 0, s;\n    \
         for (s = 0; s < streams; s++) {{\n        \
         add(out[s], in[s], ctx[s].keystream + {upper}_BLOCK_BYTES - left, done);\n        ctx[s].left -= done;\n    }}\n    \
         if (done == length)\n        return;\n    find_places(places, sizeof registers[0]);\n    \
         memset(states, 0, sizeof states);\n    for (s = 0; s < streams; s++)\n        \
         memcpy(states + places[s] * {upper}_STATE_BYTES, ctx[s].state, {upper}_STATE_BYTES);\n    \
         load_states(registers, states);\n    \
         for (; done < length; done += part) {{\n        \
         {}(registers, next, keystream);\n        memcpy(registers, next, sizeof registers);\n        \
         store_keystream(keystream, words);\n        \
         part = length - done < {upper}_BLOCK_BYTES ? length - done : {upper}_BLOCK_BYTES;\n        \
         for (s = 0; s < streams; s++)\n            \
         add(out[s] + done, in[s] + done, words + s * {upper}_BLOCK_BYTES, part);\n    }}\n    \
         store_states(next, states);\n    \
         for (s = 0; s < streams; s++) {{\n        \
         memcpy(ctx[s].state, states + places[s] * {upper}_STATE_BYTES, {upper}_STATE_BYTES);\n        \
         memcpy(ctx[s].keystream, words + s * {upper}_BLOCK_BYTES, {upper}_BLOCK_BYTES);\n        \
         ctx[s].left = {upper}_BLOCK_BYTES - part;\n    }}\n    \
         usuba_wipe(states, sizeof states);\n    usuba_wipe(words, sizeof words);\n    \
         usuba_wipe(registers, sizeof registers);\n    usuba_wipe(next, sizeof next);\n    \
         usuba_wipe(keystream, sizeof keystream);\n}}\n\n",
        text::array_declaration(state, "registers"),
        text::array_declaration(next, "next"),
        text::array_declaration(keystream, "keystream"),
        kernel.symbol,
    )
}

/// What comes before `init` and `xor_batch` in their declarations, and how the first argument becomes a context. Those of an
/// engine are called for contexts of the library.
fn context(form: Form, stem: &str) -> (String, String) {
    match form {
        Form::Whole => (format!("{stem}_ctx *ctx"), String::new()),
        Form::Engine => ("void *context".into(), format!("    {stem}_ctx *ctx = ({stem}_ctx *)context;\n")),
    }
}

/// The public functions, or those of an engine.
fn functions(form: Form, stem: &str) -> String {
    let upper = stem.to_uppercase();
    let (argument, context) = context(form, stem);
    let mut text = format!(
        "int {stem}_init({argument}, const unsigned char *key, const unsigned char *nonce)\n{{\n{context}    \
         if (ctx == NULL || key == NULL || nonce == NULL)\n        return USUBA_ERROR_NULL;\n    \
         first_state(ctx->state, key, nonce);\n    memset(ctx->keystream, 0, sizeof ctx->keystream);\n    \
         ctx->left = 0;\n    ctx->made = USUBA_CONTEXT_MADE;\n    return USUBA_OK;\n}}\n\n\
         int {stem}_xor_batch({argument}, unsigned char *const *out, const unsigned char *const *in, size_t length,\n    \
         size_t streams)\n{{\n{context}    size_t first, count, s;\n    \
         if (streams > 0 && (ctx == NULL || out == NULL || in == NULL))\n        return USUBA_ERROR_NULL;\n    \
         for (s = 0; s < streams; s++) {{\n        const int result = ctx[s].made == USUBA_CONTEXT_MADE ?\n            \
         usuba_check(out[s], in[s], length) : USUBA_ERROR_CONTEXT;\n        \
         if (result != USUBA_OK)\n            return result;\n    }}\n    \
         for (first = 0; first < streams && length > 0; first += count) {{\n        \
         for (count = 1; count < {upper}_BATCH && first + count < streams; count++)\n            \
         if (ctx[first + count].left != ctx[first].left)\n                break;\n        \
         go_on(ctx + first, out + first, in + first, length, count);\n    }}\n    return USUBA_OK;\n}}\n"
    );
    if form == Form::Whole {
        text += &format!(
            "\nint {stem}_xor({stem}_ctx *ctx, unsigned char *out, const unsigned char *in, size_t length)\n{{\n    \
             if (ctx == NULL)\n        return USUBA_ERROR_NULL;\n    \
             return {stem}_xor_batch(ctx, &out, &in, length, 1);\n}}\n\n\
             void {stem}_wipe({stem}_ctx *ctx)\n{{\n    if (ctx != NULL)\n        usuba_wipe(ctx, sizeof *ctx);\n}}\n"
        );
    }
    text
}

fn header(file: &File, form: Form, stem: &str, cipher: &Generator, batch: u32) -> String {
    let upper = stem.to_uppercase();
    let (argument, _) = context(form, stem);
    let mut declarations = format!(
        "/* Bytes of a key, of a nonce, of the state, and of the keystream that is made at once. */\n\
         #define {upper}_KEY_BYTES {}\n#define {upper}_NONCE_BYTES {}\n#define {upper}_STATE_BYTES {}\n\
         #define {upper}_BLOCK_BYTES {}\n\
         /* Streams that are worked on at once. */\n#define {upper}_BATCH {batch}\n\n\
         /* A stream: its state, the last keystream that was made, and how many bytes at its end were not used yet. It has no\n \
         * pointers and may be copied. */\n\
         typedef struct {stem}_ctx {{\n    uint64_t made;\n    unsigned char state[{upper}_STATE_BYTES];\n    \
         unsigned char keystream[{upper}_BLOCK_BYTES];\n    size_t left;\n}} {stem}_ctx;\n\n\
         /* Begins a stream. No nonce may be used twice under one key. */\n\
         int {stem}_init({argument}, const unsigned char *key, const unsigned char *nonce);\n\n\
         /* Encrypts or decrypts the next `length` bytes of each of `streams` streams, which have a context, an output and an\n \
         * input each: out = in ^ keystream. Calls continue each other at any byte. It is fastest where all streams have had\n \
         * as many bytes before. `out` may be `in`; other overlaps are refused, and so is a context that was not made or was\n \
         * wiped: nothing is written then; buffers of different streams must not overlap. Time depends on lengths only. */\n\
         int {stem}_xor_batch({argument}, unsigned char *const *out, const unsigned char *const *in, size_t length,\n    \
         size_t streams);\n",
        cipher.key.bytes, cipher.nonce.bytes, cipher.state.bytes, cipher.keystream.bytes
    );
    if form == Form::Whole {
        declarations += &format!(
            "\n/* The same for one stream. */\n\
             int {stem}_xor({stem}_ctx *ctx, unsigned char *out, const unsigned char *in, size_t length);\n\n\
             /* Overwrites a stream; functions then refuse it. */\nvoid {stem}_wipe({stem}_ctx *ctx);\n"
        );
    }
    file.header("a stream cipher with a state; time does not depend on keys or data.", &declarations)
}
