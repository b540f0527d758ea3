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
/// From bytes to as many in a mode that carries a vector, which is left as what continues the message.
pub type Chained = unsafe extern "C" fn(
    context: *const c_void,
    vector: *mut u8,
    out: *mut u8,
    input: *const u8,
    length: usize,
) -> c_int;
/// The same for many messages under one key.
pub type ChainedBatch =
    unsafe extern "C" fn(context: *const c_void, count: usize, messages: *mut ChainedMessage) -> c_int;
/// Makes the tags of many messages under one key.
pub type TagBatch =
    unsafe extern "C" fn(context: *const c_void, count: usize, messages: *mut TaggedMessage) -> c_int;
/// Fills a context from a key and a nonce.
pub type InitStream = unsafe extern "C" fn(context: *mut c_void, key: *const u8, nonce: *const u8) -> c_int;
/// Takes whole blocks, each with its tweak, to whole blocks: context, tweaks, output, input, blocks.
pub type TweakedBlocks = unsafe extern "C" fn(
    context: *const c_void,
    tweaks: *const u8,
    out: *mut u8,
    input: *const u8,
    blocks: usize,
) -> c_int;
/// Adds the next bytes of keystream.
pub type Xor =
    unsafe extern "C" fn(context: *mut c_void, out: *mut u8, input: *const u8, length: usize) -> c_int;
/// Adds the next bytes of keystream of each of many streams, whose contexts are one after another.
pub type XorBatch = unsafe extern "C" fn(
    contexts: *mut c_void,
    out: *const *mut u8,
    input: *const *const u8,
    length: usize,
    streams: usize,
) -> c_int;
/// Seals or opens many messages.
pub type AeadBatch = unsafe extern "C" fn(count: usize, messages: *mut AeadMessage) -> c_int;
/// Hashes many messages.
pub type HashBatch = unsafe extern "C" fn(count: usize, messages: *mut HashMessage) -> c_int;
/// Takes many messages to their outputs.
pub type XofBatch = unsafe extern "C" fn(count: usize, messages: *mut XofMessage) -> c_int;
/// Takes many messages with customization strings to their outputs.
pub type CustomXofBatch = unsafe extern "C" fn(count: usize, messages: *mut CustomXofMessage) -> c_int;
/// Begins a message under a customization string.
pub type BeginCustom =
    unsafe extern "C" fn(context: *mut c_void, customization: *const u8, length: usize) -> c_int;
/// Makes a message and its tag of a plaintext: output, tag, key, nonce, associated data, input.
pub type Seal = unsafe fn(
    context: *const u64,
    out: *mut u8,
    tag: *mut u8,
    nonce: *const u8,
    ad: *const u8,
    ad_length: usize,
    input: *const u8,
    length: usize,
) -> c_int;
/// Takes a message apart, if the tag is right.
pub type Open = unsafe fn(
    context: *const u64,
    out: *mut u8,
    tag: *const u8,
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
    /// Counter mode in which only the last four bytes count.
    pub ctr32_xor: Option<CtrXor>,
}

/// A mode of a block cipher that carries a vector.
#[derive(Clone, Copy, Debug)]
pub struct BlockMode {
    /// Its name: `aes-128-cbc`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a block of the cipher, and of a vector.
    pub block_bytes: usize,
    /// What the length of a message is a multiple of.
    pub step_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Expands a key.
    pub init: Init,
    /// Overwrites what was made of it.
    pub wipe: Wipe,
    /// Encrypts.
    pub encrypt: Chained,
    /// Decrypts; in output feedback it is the same function.
    pub decrypt: Chained,
    /// Encrypts many messages.
    pub encrypt_batch: Option<ChainedBatch>,
}

/// One of many messages in a mode that carries a vector, and what came of it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ChainedMessage {
    /// The vector, which is left as what continues the message.
    pub vector: *mut u8,
    /// The text.
    pub input: *const u8,
    /// Bytes of the text.
    pub length: usize,
    /// Where the other text goes.
    pub out: *mut u8,
    /// What the function for one message would have returned.
    pub result: c_int,
}

/// One of many messages of which tags are made, and what came of it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TaggedMessage {
    /// The message.
    pub input: *const u8,
    /// Bytes of it.
    pub length: usize,
    /// Where the tag goes.
    pub tag: *mut u8,
    /// Bytes of the tag.
    pub tag_bytes: usize,
    /// What the function for one message would have returned.
    pub result: c_int,
}

/// A block cipher with a tweak for every block.
#[derive(Clone, Copy, Debug)]
pub struct TweakableBlockCipher {
    /// Its name: `clyde-128`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Bytes of a tweak.
    pub tweak_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Expands a key.
    pub init: Init,
    /// Overwrites the round keys.
    pub wipe: Wipe,
    /// Encrypts blocks, each by itself.
    pub encrypt_blocks: TweakedBlocks,
    /// Decrypts blocks, each by itself.
    pub decrypt_blocks: Option<TweakedBlocks>,
}

/// A stream cipher with a state, which goes on from call to call.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its name: `trivium`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a nonce.
    pub nonce_bytes: usize,
    /// Bytes of keystream that are made at once.
    pub block_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Begins a stream.
    pub init: InitStream,
    /// Adds keystream.
    pub xor: Xor,
    /// Adds keystream to many streams.
    pub xor_batch: XorBatch,
    /// Overwrites the stream.
    pub wipe: Wipe,
}

/// An authenticator.
#[derive(Clone, Copy, Debug)]
pub struct Mac {
    /// Its name: `poly1305`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of a tag.
    pub tag_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Begins a message under a key.
    pub init: Init,
    /// Adds to the message.
    pub update: Update,
    /// Ends it and writes the tag.
    pub finish: Final,
    /// Overwrites the context.
    pub wipe: Wipe,
    /// The tags of many messages under the key of a context, whose own message does not matter; none if a key is for one message.
    pub batch: Option<TagBatch>,
}

/// From a unit of storage to another one of as many bytes: context, number, output, input, length.
pub type Unit = unsafe extern "C" fn(
    context: *const c_void,
    unit: *const u8,
    out: *mut u8,
    input: *const u8,
    length: usize,
) -> c_int;

/// A mode of a block cipher for units of storage.
#[derive(Clone, Copy, Debug)]
pub struct UnitMode {
    /// Its name: `aes-128-xts`.
    pub name: &'static str,
    /// Bytes of a key: one for blocks, then one for the numbers of units.
    pub key_bytes: usize,
    /// Bytes of the number of a unit.
    pub unit_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Expands a key.
    pub init: Init,
    /// Overwrites what was made of it.
    pub wipe: Wipe,
    /// Encrypts.
    pub encrypt: Unit,
    /// Decrypts.
    pub decrypt: Unit,
}

/// Makes the tag of a message: context, tag, its bytes, nonce, its bytes, input, its length.
pub type ComputeTag = unsafe extern "C" fn(
    context: *const c_void,
    tag: *mut u8,
    tag_bytes: usize,
    nonce: *const u8,
    nonce_bytes: usize,
    input: *const u8,
    length: usize,
) -> c_int;

/// An authenticator that takes a nonce for each message.
#[derive(Clone, Copy, Debug)]
pub struct NonceMac {
    /// Its name: `aes-128-gmac`.
    pub name: &'static str,
    /// Bytes of a key.
    pub key_bytes: usize,
    /// Bytes of the usual nonce.
    pub nonce_bytes: usize,
    /// Bytes of the longest tag.
    pub tag_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Expands a key.
    pub init: Init,
    /// Overwrites what was made of it.
    pub wipe: Wipe,
    /// Makes a tag, of a size that the mode has.
    pub compute: ComputeTag,
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
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Makes a context of a key.
    pub init: unsafe fn(*mut u64, *const u8) -> c_int,
    /// Encrypts and makes the tag: context, output, tag, nonce, associated data and their size, input and its size.
    pub seal: Seal,
    /// Decrypts if the tag is right, else writes nothing but zeros.
    pub open: Open,
    /// Encrypts many messages and makes their tags.
    pub seal_batch: Option<AeadBatch>,
    /// Decrypts those of many messages whose tags are right.
    pub open_batch: Option<AeadBatch>,
}

/// A message to seal or to open, and what came of it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AeadMessage {
    /// The key.
    pub key: *const u8,
    /// The nonce.
    pub nonce: *const u8,
    /// The associated data.
    pub ad: *const u8,
    /// Bytes of them.
    pub ad_length: usize,
    /// The text.
    pub input: *const u8,
    /// Bytes of the text.
    pub length: usize,
    /// Where the other text goes.
    pub out: *mut u8,
    /// The tag, which is only read in opening.
    pub tag: *mut u8,
    /// What the function for one message would have returned.
    pub result: c_int,
}

/// A message to hash, and what came of it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HashMessage {
    /// The message.
    pub input: *const u8,
    /// Bytes of it.
    pub length: usize,
    /// Where the digest goes.
    pub digest: *mut u8,
    /// What the function for one message would have returned.
    pub result: c_int,
}

/// A message of an extendable-output function, and what came of it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct XofMessage {
    /// The message.
    pub input: *const u8,
    /// Bytes of it.
    pub length: usize,
    /// Where the output goes.
    pub out: *mut u8,
    /// Bytes of output.
    pub out_length: usize,
    /// What the function for one message would have returned.
    pub result: c_int,
}

/// The same with a customization string.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CustomXofMessage {
    /// The customization string.
    pub customization: *const u8,
    /// Bytes of it.
    pub customization_length: usize,
    /// The message.
    pub input: *const u8,
    /// Bytes of it.
    pub length: usize,
    /// Where the output goes.
    pub out: *mut u8,
    /// Bytes of output.
    pub out_length: usize,
    /// What the function for one message would have returned.
    pub result: c_int,
}

/// A hash function.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    /// Its name: `ascon-hash256`.
    pub name: &'static str,
    /// Bytes of a digest.
    pub digest_bytes: usize,
    /// Bytes of a block of the message: HMAC pads keys to it.
    pub block_bytes: usize,
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
    /// The digests of many messages.
    pub batch: Option<HashBatch>,
}

/// An extendable-output function.
#[derive(Clone, Copy, Debug)]
pub struct Xof {
    /// Its name: `ascon-xof128`.
    pub name: &'static str,
    /// Bytes of a block of the message.
    pub block_bytes: usize,
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
    /// The outputs of many messages.
    pub batch: Option<XofBatch>,
}

/// An extendable-output function whose messages have a customization string.
#[derive(Clone, Copy, Debug)]
pub struct CustomXof {
    /// Its name: `ascon-cxof128`.
    pub name: &'static str,
    /// The most bytes of a customization string.
    pub customization_bytes: usize,
    /// Bytes of a block of the message.
    pub block_bytes: usize,
    /// Words of 8 bytes of a context.
    pub context_words: usize,
    /// Begins a message.
    pub init: BeginCustom,
    /// Adds to the message.
    pub update: Update,
    /// Writes the next bytes of output; the first time, it ends the message.
    pub squeeze: Squeeze,
    /// Overwrites the context.
    pub wipe: Wipe,
    /// The outputs of many messages.
    pub batch: Option<CustomXofBatch>,
}
