//! A C program around the public functions of a primitive, for known answers and for checks of the modes.
//!
//! It includes the source of these functions, so that it also reaches what the public header does not show. It reads requests
//! from standard input until the end, and writes one answer for each to standard output. Numbers are 64 bits,
//! little-endian.
//!
//! | primitive | request | answer |
//! |---|---|---|
//! | block cipher | `K`, key: sets the key | the round keys as bytes |
//! | | `E` or `D`, n, n tweaks if it has them, n blocks | n blocks |
//! | | `C`, n, counter, n bytes: counter mode | n bytes, counter |
//! | | `N`, n, block: encrypt n times | block |
//! | stream cipher | `X`, counter, n, key, nonce, n bytes | n bytes |
//! | generator | the same; the counter is not used | |
//! | permutation | `P`, n, n states | n states |
//! | | `N`, n, state: permute n times | state |
//! | all | `M`: compare the modes with a loop that takes one block at a time | a [`MESSAGE`]-byte text, empty if all is well |

use usuba_package::OutputFile;
use usuba_package::manifest::{Construction, Function, Mode, Primitive, Scheme};

/// Bytes of the answer to `M`.
pub const MESSAGE: usize = 128;

/// The program, to be compiled with the engines of a library; the source of the primitive's public functions is included and
/// must not be compiled again. `prefix` is that of the library, `batch` the greatest of its engines.
pub fn generate(primitive: &Primitive, prefix: &str, batch: u32) -> OutputFile {
    let stem = format!("{prefix}{}", primitive.identifier());
    let upper = stem.to_uppercase();
    let mut defines = vec![format!("#include \"{stem}.c\"")];
    let mut define = |name: &str, value: String| defines.push(format!("#define {name} {value}"));
    define("BATCH", batch.to_string());
    let body = match &primitive.function {
        Function::BlockCipher(cipher) => {
            define("BLOCK", format!("{upper}_BLOCK_BYTES"));
            if cipher.tweak.is_some() {
                define("TWEAK", format!("{upper}_TWEAK_BYTES"));
            }
            define("KEY", format!("{upper}_KEY_BYTES"));
            define("ROUND_KEYS", cipher.round_keys.bytes.to_string());
            define("CONTEXT", format!("{stem}_ctx"));
            define("INIT", format!("{stem}_init"));
            define("WIPE", format!("{stem}_wipe"));
            if cipher.modes.contains(&Mode::Ecb) {
                define("ENCRYPT", format!("{stem}_encrypt_blocks"));
                if cipher.decrypt.is_some() {
                    define("DECRYPT", format!("{stem}_decrypt_blocks"));
                }
            }
            if cipher.modes.contains(&Mode::Ctr) {
                define("CTR", format!("{stem}_ctr_xor"));
                define("CTR32", format!("{stem}_ctr32_xor"));
            }
            include_str!("harness/block_cipher.c")
        }
        Function::Stream(cipher) => {
            define("BLOCK", format!("{upper}_BLOCK_BYTES"));
            define("KEY", format!("{upper}_KEY_BYTES"));
            define("NONCE", format!("{upper}_NONCE_BYTES"));
            define("XOR", format!("{stem}_xor"));
            define("COUNTER", format!("uint{}_t", 8 * cipher.counter.bytes));
            include_str!("harness/stream.c")
        }
        Function::Generator(_) => {
            define("BLOCK", format!("{upper}_BLOCK_BYTES"));
            define("KEY", format!("{upper}_KEY_BYTES"));
            define("NONCE", format!("{upper}_NONCE_BYTES"));
            define("CONTEXT", format!("{stem}_ctx"));
            for (name, function) in
                [("INIT", "init"), ("XOR", "xor"), ("XOR_BATCH", "xor_batch"), ("WIPE", "wipe")]
            {
                define(name, format!("{stem}_{function}"));
            }
            include_str!("harness/generator.c")
        }
        Function::Permutation(_) => {
            define("BLOCK", format!("{upper}_STATE_BYTES"));
            define("PERMUTE", format!("{stem}_permute"));
            include_str!("harness/permutation.c")
        }
    };
    let contents = format!("{}\n\n{}\n{body}", defines.join("\n"), include_str!("harness/common.c"));
    OutputFile { path: "harness.c".into(), contents }
}

/// The program around a construction: `harness/construction.c` says what it can be asked. Its own files and those of the
/// primitives must be compiled with it, with the prefix `usuba_`.
pub fn of_construction(construction: &Construction) -> OutputFile {
    let stem = format!("usuba_{}", construction.identifier());
    let mut text = format!("#include \"{stem}.h\"\n\n");
    let mut define = |name: &str, value: String| text += &format!("#define {name} {value}\n");
    // Functions of hashes and authenticators differ in what stands before the message and in how it ends.
    let (call, init, end) = match construction.scheme {
        Scheme::Aead { key_bytes, nonce_bytes, tag_bytes } => {
            for (name, size) in [("KEY", key_bytes), ("NONCE", nonce_bytes), ("TAG", tag_bytes)] {
                define(name, size.to_string());
            }
            define("SEAL", format!("{stem}_seal"));
            define("OPEN", format!("{stem}_open"));
            ("", "", "")
        }
        Scheme::Hash { .. } => ("out, in, length", "ctx", "_final(ctx, out)"),
        Scheme::Xof { customization_bytes: None } => {
            ("out, size, in, length", "ctx", "_squeeze(ctx, out, size)")
        }
        Scheme::Xof { customization_bytes: Some(_) } => {
            ("out, size, before, bytes, in, length", "ctx, before, bytes", "_squeeze(ctx, out, size)")
        }
        Scheme::Mac { .. } => ("out, before, in, length", "ctx, before", "_final(ctx, out)"),
    };
    if !matches!(construction.scheme, Scheme::Aead { .. }) {
        define("CONTEXT", format!("{stem}_ctx"));
        define("CALL(out, size, before, bytes, in, length)", format!("{stem}({call})"));
        define("INIT(ctx, before, bytes)", format!("{stem}_init({init})"));
        define("UPDATE", format!("{stem}_update"));
        define("END(ctx, out, size)", format!("{stem}{end}"));
        define("WIPE", format!("{stem}_wipe"));
    }
    let contents = format!("{text}\n{}", include_str!("harness/construction.c"));
    OutputFile { path: "harness.c".into(), contents }
}
