//! Block ciphers.

use crate::error::{Error, ensure};
use cipher::inout::{InOut, InOutBuf};
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherEncBackend, BlockSizeUser, ParBlocks, ParBlocksSizeUser, consts,
};
use core::ffi::{c_int, c_void};

/// The memory of a C context of `WORDS` words of 8 bytes, aligned as C wants it.
#[derive(Clone)]
#[repr(C, align(8))]
pub struct Context<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Context<WORDS> {
    /// Memory that no function takes for a context before it is initialised.
    pub const fn new() -> Self {
        Context([0; WORDS])
    }

    /// What C functions that read take.
    pub fn get(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    /// What C functions that write take.
    pub fn get_mut(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// Ciphers that encrypt blocks, each by itself.
pub trait Encrypts: BlockSizeUser {
    /// The C function.
    ///
    /// # Safety
    /// The pointers must be to `blocks` blocks; they may be equal.
    unsafe fn encrypt_raw(&self, out: *mut u8, input: *const u8, blocks: usize) -> c_int;
}

/// Ciphers that decrypt blocks, each by itself.
pub trait Decrypts: BlockSizeUser {
    /// The C function.
    ///
    /// # Safety
    /// As [`Encrypts::encrypt_raw`].
    unsafe fn decrypt_raw(&self, out: *mut u8, input: *const u8, blocks: usize) -> c_int;
}

/// Encrypts all blocks in one call, so that the C chooses how many it does at a time.
pub fn encrypt_all<C: Encrypts>(cipher: &C, blocks: InOutBuf<'_, '_, Block<C>>) {
    let count = blocks.len();
    let (input, out) = blocks.into_raw();
    // SAFETY: both are `count` blocks, which are equal or apart, as an `InOutBuf` guarantees.
    ensure(unsafe { cipher.encrypt_raw(out.cast(), input.cast(), count) });
}

/// Decrypts all blocks in one call.
pub fn decrypt_all<C: Decrypts>(cipher: &C, blocks: InOutBuf<'_, '_, Block<C>>) {
    let count = blocks.len();
    let (input, out) = blocks.into_raw();
    // SAFETY: both are `count` blocks, which are equal or apart, as an `InOutBuf` guarantees.
    ensure(unsafe { cipher.decrypt_raw(out.cast(), input.cast(), count) });
}

/// A buffer of one block.
pub fn one<'i, 'o, T>(block: InOut<'i, 'o, T>) -> InOutBuf<'i, 'o, T> {
    let (input, out) = block.into_raw();
    // SAFETY: both are one block, which are equal or apart, as an `InOut` guarantees.
    unsafe { InOutBuf::from_raw(input, out, 1) }
}

/// Calls `work` with output, input and number of blocks, for whole blocks of `block` bytes in place.
///
/// # Errors
/// [`Error::Length`] if they are no whole blocks; then `work` is not called.
pub fn in_place(
    block: usize,
    data: &mut [u8],
    work: impl FnOnce(*mut u8, *const u8, usize) -> c_int,
) -> Result<(), Error> {
    if !data.len().is_multiple_of(block) {
        return Err(Error::Length);
    }
    let (out, blocks) = (data.as_mut_ptr(), data.len() / block);
    Error::check(work(out, out, blocks))
}

/// The same from one place to another.
///
/// # Errors
/// Also [`Error::Length`] if they are not equally long.
pub fn apart(
    block: usize,
    input: &[u8],
    out: &mut [u8],
    work: impl FnOnce(*mut u8, *const u8, usize) -> c_int,
) -> Result<(), Error> {
    if input.len() != out.len() || !input.len().is_multiple_of(block) {
        return Err(Error::Length);
    }
    Error::check(work(out.as_mut_ptr(), input.as_ptr(), input.len() / block))
}

/// What modes of other crates get: 64 blocks at a time, which fill the registers of most code, and on the stack of a mode
/// are a kilobyte.
pub struct Backend<'a, C>(pub &'a C);

impl<C: BlockSizeUser> BlockSizeUser for Backend<'_, C> {
    type BlockSize = C::BlockSize;
}

impl<C: BlockSizeUser> ParBlocksSizeUser for Backend<'_, C> {
    type ParBlocksSize = consts::U64;
}

impl<C: Encrypts> BlockCipherEncBackend for Backend<'_, C> {
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        encrypt_all(self.0, one(block));
    }

    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        encrypt_all(self.0, blocks.into_buf());
    }

    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        encrypt_all(self.0, blocks);
    }
}

impl<C: Decrypts> BlockCipherDecBackend for Backend<'_, C> {
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        decrypt_all(self.0, one(block));
    }

    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        decrypt_all(self.0, blocks.into_buf());
    }

    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        decrypt_all(self.0, blocks);
    }
}

/// The type of a block cipher, with its key.
macro_rules! block_cipher {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, block $block:literal $block_size:ident,
     context $words:literal, $init:ident, $wipe:ident
     $(, encrypt $encrypt:ident)? $(, decrypt $decrypt:ident)? $(, counter $ctr:ident)?
     $(, counter32 $ctr32:ident)?) => {
        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void, key: *const u8) -> core::ffi::c_int;
            fn $wipe(context: *mut core::ffi::c_void);
            $(fn $encrypt(
                context: *const core::ffi::c_void, out: *mut u8, input: *const u8, blocks: usize,
            ) -> core::ffi::c_int;)?
            $(fn $decrypt(
                context: *const core::ffi::c_void, out: *mut u8, input: *const u8, blocks: usize,
            ) -> core::ffi::c_int;)?
            $(fn $ctr(
                context: *const core::ffi::c_void, counter: *mut u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;)?
            $(fn $ctr32(
                context: *const core::ffi::c_void, counter: *mut u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;)?
        }

        #[doc = concat!("The block cipher ", $text, ": keys of ", $key, " bytes, blocks of ", $block, ".")]
        ///
        /// It holds the round keys, which are overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::BlockCipher = crate::raw::BlockCipher {
                name: $text,
                key_bytes: $key,
                block_bytes: $block,
                context_words: $words,
                init: $init,
                wipe: $wipe,
                encrypt_blocks: crate::block::optional!($($encrypt)?),
                decrypt_blocks: crate::block::optional!($($decrypt)?),
                ctr_xor: crate::block::optional!($($ctr)?),
                ctr32_xor: crate::block::optional!($($ctr32)?),
            };

            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;
            /// Bytes of a block.
            pub const BLOCK_BYTES: usize = $block;

            /// Expands a key: [`KeyInit::new`](cipher::KeyInit::new) for arrays.
            pub fn from_key(key: &[u8; $key]) -> Self {
                cipher::KeyInit::new(key.into())
            }

            $(
                /// Encrypts whole blocks, one after another in `data`, each by itself.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if the number of bytes is no multiple of a block's; then nothing
                /// has changed.
                pub fn encrypt_bytes(&self, data: &mut [u8]) -> Result<(), crate::Error> {
                    // SAFETY: both are of so many blocks and the same; the context was initialised.
                    crate::block::in_place($block, data, |out, input, blocks| unsafe {
                        $encrypt(self.context.get(), out, input, blocks)
                    })
                }

                /// Encrypts the whole blocks of `input` to `out`, each by itself.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if they are no whole blocks, or not equally many; then nothing
                /// was written.
                pub fn encrypt_bytes_to(&self, input: &[u8], out: &mut [u8]) -> Result<(), crate::Error> {
                    // SAFETY: both are of so many blocks and apart; the context was initialised.
                    crate::block::apart($block, input, out, |out, input, blocks| unsafe {
                        $encrypt(self.context.get(), out, input, blocks)
                    })
                }
            )?

            $(
                /// Decrypts whole blocks, one after another in `data`, each by itself.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if the number of bytes is no multiple of a block's; then nothing
                /// has changed.
                pub fn decrypt_bytes(&self, data: &mut [u8]) -> Result<(), crate::Error> {
                    // SAFETY: both are of so many blocks and the same; the context was initialised.
                    crate::block::in_place($block, data, |out, input, blocks| unsafe {
                        $decrypt(self.context.get(), out, input, blocks)
                    })
                }

                /// Decrypts the whole blocks of `input` to `out`, each by itself.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if they are no whole blocks, or not equally many; then nothing
                /// was written.
                pub fn decrypt_bytes_to(&self, input: &[u8], out: &mut [u8]) -> Result<(), crate::Error> {
                    // SAFETY: both are of so many blocks and apart; the context was initialised.
                    crate::block::apart($block, input, out, |out, input, blocks| unsafe {
                        $decrypt(self.context.get(), out, input, blocks)
                    })
                }
            )?

            $(
                /// Encrypts or decrypts any number of bytes in counter mode. `counter` is a big-endian number, which is left
                /// one beyond the last block used: calls whose lengths are whole blocks continue each other.
                pub fn ctr_xor(&self, counter: &mut [u8; $block], data: &mut [u8]) {
                    let (place, length) = (data.as_mut_ptr(), data.len());
                    // SAFETY: the counter is a block, the others are the same bytes; the context was initialised.
                    crate::error::ensure(unsafe {
                        $ctr(self.context.get(), counter.as_mut_ptr(), place, place, length)
                    });
                }
            )?

            $(
                /// The same with a counter of 32 bits, as in GCM: the last four bytes of `counter` count and wrap to zero, the
                /// others stay as they are.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are more blocks than numbers; then nothing has changed.
                pub fn ctr32_xor(&self, counter: &mut [u8; $block], data: &mut [u8]) -> Result<(), crate::Error> {
                    let (place, length) = (data.as_mut_ptr(), data.len());
                    // SAFETY: the counter is a block, the others are the same bytes; the context was initialised.
                    crate::Error::check(unsafe {
                        $ctr32(self.context.get(), counter.as_mut_ptr(), place, place, length)
                    })
                }
            )?
        }

        impl cipher::KeySizeUser for $name {
            type KeySize = cipher::consts::$key_size;
        }

        impl cipher::BlockSizeUser for $name {
            type BlockSize = cipher::consts::$block_size;
        }

        impl cipher::KeyInit for $name {
            fn new(key: &cipher::Key<Self>) -> Self {
                let mut context = crate::block::Context::new();
                // SAFETY: the key has the size that the C wants, and the context, too: the build has compared them.
                crate::error::ensure(unsafe { $init(context.get_mut(), key.as_ptr()) });
                $name { context }
            }
        }

        $(
            impl crate::block::Encrypts for $name {
                unsafe fn encrypt_raw(&self, out: *mut u8, input: *const u8, blocks: usize) -> core::ffi::c_int {
                    // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                    unsafe { $encrypt(self.context.get(), out, input, blocks) }
                }
            }

            impl cipher::BlockCipherEncrypt for $name {
                fn encrypt_with_backend(
                    &self,
                    f: impl cipher::BlockCipherEncClosure<BlockSize = Self::BlockSize>,
                ) {
                    f.call(&crate::block::Backend(self));
                }

                fn encrypt_blocks_inout(&self, blocks: cipher::InOutBuf<'_, '_, cipher::Block<Self>>) {
                    crate::block::encrypt_all(self, blocks);
                }

                fn encrypt_blocks(&self, blocks: &mut [cipher::Block<Self>]) {
                    crate::block::encrypt_all(self, blocks.into());
                }

                fn encrypt_blocks_b2b(
                    &self,
                    in_blocks: &[cipher::Block<Self>],
                    out_blocks: &mut [cipher::Block<Self>],
                ) -> Result<(), cipher::inout::NotEqualError> {
                    cipher::InOutBuf::new(in_blocks, out_blocks)
                        .map(|blocks| crate::block::encrypt_all(self, blocks))
                }
            }
        )?

        $(
            impl crate::block::Decrypts for $name {
                unsafe fn decrypt_raw(&self, out: *mut u8, input: *const u8, blocks: usize) -> core::ffi::c_int {
                    // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                    unsafe { $decrypt(self.context.get(), out, input, blocks) }
                }
            }

            impl cipher::BlockCipherDecrypt for $name {
                fn decrypt_with_backend(
                    &self,
                    f: impl cipher::BlockCipherDecClosure<BlockSize = Self::BlockSize>,
                ) {
                    f.call(&crate::block::Backend(self));
                }

                fn decrypt_blocks_inout(&self, blocks: cipher::InOutBuf<'_, '_, cipher::Block<Self>>) {
                    crate::block::decrypt_all(self, blocks);
                }

                fn decrypt_blocks(&self, blocks: &mut [cipher::Block<Self>]) {
                    crate::block::decrypt_all(self, blocks.into());
                }

                fn decrypt_blocks_b2b(
                    &self,
                    in_blocks: &[cipher::Block<Self>],
                    out_blocks: &mut [cipher::Block<Self>],
                ) -> Result<(), cipher::inout::NotEqualError> {
                    cipher::InOutBuf::new(in_blocks, out_blocks)
                        .map(|blocks| crate::block::decrypt_all(self, blocks))
                }
            }
        )?

        $(
            impl crate::CounterMode for $name {
                unsafe fn ctr_raw(
                    &self,
                    counter: *mut u8,
                    out: *mut u8,
                    input: *const u8,
                    length: usize,
                ) -> core::ffi::c_int {
                    // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                    unsafe { $ctr(self.context.get(), counter, out, input, length) }
                }
            }
        )?

        crate::block::wiped!($name, $text, $wipe);
    };
}

/// What overwrites a context when its owner is dropped, and what is said of the owner: its name and nothing of what it holds.
macro_rules! wiped {
    ($name:ident, $text:literal, $wipe:ident) => {
        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the context has the size that the C wants.
                unsafe { $wipe(self.context.get_mut()) }
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        impl cipher::AlgorithmName for $name {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($text)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

/// A function that there may be.
macro_rules! optional {
    () => {
        None
    };
    ($function:ident) => {
        Some($function)
    };
}

pub(crate) use {block_cipher, optional, wiped};
