//! The C functions behind the types, by name: for bindings to other languages, and for tests over all primitives.
//!
//! A context is memory of the size given, aligned to 8 bytes, that `init` fills. It has no pointers and may be copied.
//! What functions return is 0, or below zero for an error. The rules are those of the C headers: pointers must be to as
//! many bytes as the sizes say; `out` may be `input`, and other overlaps are refused.

use core::ffi::{c_int, c_void};

pub use crate::tables::*;

/// Fills a context from a key.
pub type Init = unsafe extern "C" fn(context: *mut c_void, key: *const u8) -> c_int;
/// Overwrites a context.
pub type Wipe = unsafe extern "C" fn(context: *mut c_void);
/// Takes whole blocks to whole blocks.
pub type Blocks =
    unsafe extern "C" fn(context: *const c_void, out: *mut u8, input: *const u8, blocks: usize) -> c_int;
/// Adds keystream; the counter is left one beyond the last block used.
pub type CtrXor = unsafe extern "C" fn(
    context: *const c_void,
    counter: *mut u8,
    out: *mut u8,
    input: *const u8,
    length: usize,
) -> c_int;
/// Makes a message and its tag of a plaintext: output, tag, key, nonce, associated data, input.
pub type Seal = unsafe extern "C" fn(
    out: *mut u8,
    tag: *mut u8,
    key: *const u8,
    nonce: *const u8,
    ad: *const u8,
    ad_length: usize,
    input: *const u8,
    length: usize,
) -> c_int;
/// Takes a message apart, if the tag is right.
pub type Open = unsafe extern "C" fn(
    out: *mut u8,
    tag: *const u8,
    key: *const u8,
    nonce: *const u8,
    ad: *const u8,
    ad_length: usize,
    input: *const u8,
    length: usize,
) -> c_int;
/// Begins a message.
pub type Begin = unsafe extern "C" fn(context: *mut c_void) -> c_int;
/// Adds to a message.
pub type Update = unsafe extern "C" fn(context: *mut c_void, input: *const u8, length: usize) -> c_int;
/// Ends a message and writes its digest.
pub type Final = unsafe extern "C" fn(context: *mut c_void, digest: *mut u8) -> c_int;
/// Writes the next bytes of output.
pub type Squeeze = unsafe extern "C" fn(context: *mut c_void, out: *mut u8, length: usize) -> c_int;

/// A block cipher.
#[derive(Clone, Copy, Debug)]
pub struct BlockCipher {
    /// Its name: `aes-128`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Expands a key.
    pub init: Init,
    /// Overwrites the round keys.
    pub wipe: Wipe,
    /// Encrypts blocks, each by itself.
    pub encrypt_blocks: Option<Blocks>,
    /// Decrypts blocks, each by itself.
    pub decrypt_blocks: Option<Blocks>,
    /// Counter mode.
    pub ctr_xor: Option<CtrXor>,
}

/// A stream cipher.
#[derive(Clone, Copy, Debug)]
pub struct StreamCipher {
    /// Its name: `chacha20`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a nonce.
    pub nonce_bytes: usize,
    /// Bytes of a block of keystream.
    pub block_bytes: usize,
    /// Bits of the number of a block.
    pub counter_bits: u32,
    /// Adds keystream from the block `counter` on: key, nonce, counter (its low bits), output, input, length.
    pub xor: unsafe fn(*const u8, *const u8, u64, *mut u8, *const u8, usize) -> c_int,
}

/// A permutation.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    /// Its name: `ascon-p12`.
    pub name: &'static str,
    /// Bytes of a state.
    pub state_bytes: usize,
    /// Replaces states, one after another, by their images.
    pub permute: unsafe extern "C" fn(states: *mut u8, count: usize) -> c_int,
}

/// An authenticated cipher.
#[derive(Clone, Copy, Debug)]
pub struct Aead {
    /// Its name: `ascon-aead128`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a nonce.
    pub nonce_bytes: usize,
    /// Bytes of a tag.
    pub tag_bytes: usize,
    /// Encrypts and makes the tag.
    pub seal: Seal,
    /// Decrypts if the tag is right, else writes nothing but zeros.
    pub open: Open,
}

/// A hash function.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    /// Its name: `ascon-hash256`.
    pub name: &'static str,
    /// Bytes of a digest.
    pub digest_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Begins a message.
    pub init: Begin,
    /// Adds to the message.
    pub update: Update,
    /// Ends it and writes the digest.
    pub finish: Final,
    /// Overwrites the context.
    pub wipe: Wipe,
}

/// An extendable-output function.
#[derive(Clone, Copy, Debug)]
pub struct Xof {
    /// Its name: `ascon-xof128`.
    pub name: &'static str,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Begins a message.
    pub init: Begin,
    /// Adds to the message.
    pub update: Update,
    /// Writes the next bytes of output; the first time, it ends the message.
    pub squeeze: Squeeze,
    /// Overwrites the context.
    pub wipe: Wipe,
}
