//! Keys for modes of block ciphers that carry a vector.

use crate::{Error, raw};
use core::ffi::{c_int, c_void};

/// Messages of one call of a function for many: more than any code has side by side, so that those that are over make room for
/// others, and few enough for the stack.
const TOGETHER: usize = 256;

/// Calls the C function for many messages in place, each with its vector, whose lengths are multiples of `step`.
///
/// # Errors
/// [`Error::Length`] if there are not as many vectors as messages, or one has another length; then nothing was written.
///
/// # Safety
/// The function must be for vectors of `BLOCK` bytes, and the context initialised for it.
pub(crate) unsafe fn batch<const BLOCK: usize>(
    context: *const c_void,
    function: raw::ChainedBatch,
    step: usize,
    vectors: &mut [[u8; BLOCK]],
    data: &mut [&mut [u8]],
) -> Result<(), Error> {
    if vectors.len() != data.len() || !data.iter().all(|one| one.len().is_multiple_of(step)) {
        return Err(Error::Length);
    }
    let none = raw::ChainedMessage {
        vector: core::ptr::null_mut(),
        input: core::ptr::null(),
        length: 0,
        out: core::ptr::null_mut(),
        result: 0,
    };
    for (vectors, data) in vectors.chunks_mut(TOGETHER).zip(data.chunks_mut(TOGETHER)) {
        let mut messages = [none; TOGETHER];
        for ((message, vector), data) in messages.iter_mut().zip(vectors).zip(data.iter_mut()) {
            message.vector = vector.as_mut_ptr();
            (message.out, message.length) = (data.as_mut_ptr(), data.len());
            message.input = message.out;
        }
        // SAFETY: vectors and data have their sizes and are apart, as they are borrowed; the rest is the caller's.
        Error::check(unsafe { function(context, data.len(), messages.as_mut_ptr()) })?;
    }
    Ok(())
}

/// Calls `work` with output, input and their length, in place.
///
/// # Errors
/// [`Error::Length`] if it is no multiple of `step`; then `work` is not called.
pub fn in_place(
    step: usize,
    data: &mut [u8],
    work: impl FnOnce(*mut u8, *const u8, usize) -> c_int,
) -> Result<(), Error> {
    let length = data.len();
    crate::block::in_place(step, data, |out, input, _| work(out, input, length))
}

/// The same from one place to another.
///
/// # Errors
/// Also [`Error::Length`] if they are not equally long.
pub fn apart(
    step: usize,
    input: &[u8],
    out: &mut [u8],
    work: impl FnOnce(*mut u8, *const u8, usize) -> c_int,
) -> Result<(), Error> {
    let length = input.len();
    crate::block::apart(step, input, out, |out, input, _| work(out, input, length))
}

/// What all keys for modes have.
macro_rules! mode_key {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, context $words:literal, $init:ident, $wipe:ident) => {
        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void, key: *const u8) -> core::ffi::c_int;
            fn $wipe(context: *mut core::ffi::c_void);
        }

        impl $name {
            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;

            /// Expands a key: [`KeyInit::new`](cipher::KeyInit::new) for arrays.
            pub fn from_key(key: &[u8; $key]) -> Self {
                cipher::KeyInit::new(key.into())
            }
        }

        impl cipher::KeySizeUser for $name {
            type KeySize = cipher::consts::$key_size;
        }

        impl cipher::KeyInit for $name {
            fn new(key: &cipher::Key<Self>) -> Self {
                let mut context = crate::block::Context::new();
                // SAFETY: the key has the size that the C wants, and the context, too: the build has compared them.
                crate::error::ensure(unsafe { $init(context.get_mut(), key.as_ptr()) });
                $name { context }
            }
        }

        crate::block::wiped!($name, $text, $wipe);
    };
}

/// The type of a key for a mode that encrypts and decrypts with a vector.
macro_rules! block_mode {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, block $block:literal $block_size:ident,
     segment $segment_size:ident, lengths $step:literal $($any_length:ident)?, context $words:literal, $init:ident, $wipe:ident,
     encrypt $encrypt:ident, decrypt $decrypt:ident $(, batch $batch:ident)?) => {
        unsafe extern "C" {
            fn $encrypt(
                context: *const core::ffi::c_void, vector: *mut u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;
            fn $decrypt(
                context: *const core::ffi::c_void, vector: *mut u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;
            $(fn $batch(
                context: *const core::ffi::c_void, count: usize, messages: *mut crate::raw::ChainedMessage,
            ) -> core::ffi::c_int;)?
        }

        #[doc = concat!("A key for ", $text, ", of ", $key, " bytes; vectors have ", $block, ".")]
        ///
        #[doc = crate::chained::rules!($step)]
        ///
        /// [`Encryptor`](crate::Encryptor) and [`Decryptor`](crate::Decryptor) have it with a vector, for traits. What was made of
        /// the key is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        crate::chained::mode_key!($name, $text, key $key $key_size, context $words, $init, $wipe);

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::BlockMode = crate::raw::BlockMode {
                name: $text,
                key_bytes: $key,
                block_bytes: $block,
                step_bytes: $step,
                context_words: $words,
                init: $init,
                wipe: $wipe,
                encrypt: $encrypt,
                decrypt: $decrypt,
                encrypt_batch: crate::block::optional!($($batch)?),
            };

            /// Bytes of a block of the cipher, and of a vector.
            pub const BLOCK_BYTES: usize = $block;

            /// Encrypts `data` in place. `vector` is left as what continues the message.
            ///
            /// # Errors
            #[doc = crate::chained::refused!($step)]
            pub fn encrypt_bytes(&self, vector: &mut [u8; $block], data: &mut [u8]) -> Result<(), crate::Error> {
                // SAFETY: the vector is a block, the others have so many bytes; the context was initialised.
                crate::chained::in_place($step, data, |out, input, length| unsafe {
                    $encrypt(self.context.get(), vector.as_mut_ptr(), out, input, length)
                })
            }

            /// Encrypts `input` to `out`. `vector` is left as what continues the message.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) also if they are not equally long; else as
            /// [`encrypt_bytes`](Self::encrypt_bytes).
            pub fn encrypt_bytes_to(
                &self,
                vector: &mut [u8; $block],
                input: &[u8],
                out: &mut [u8],
            ) -> Result<(), crate::Error> {
                // SAFETY: as above, and both are apart.
                crate::chained::apart($step, input, out, |out, input, length| unsafe {
                    $encrypt(self.context.get(), vector.as_mut_ptr(), out, input, length)
                })
            }

            /// Decrypts `data` in place. `vector` is left as what continues the message.
            ///
            /// # Errors
            /// As [`encrypt_bytes`](Self::encrypt_bytes).
            pub fn decrypt_bytes(&self, vector: &mut [u8; $block], data: &mut [u8]) -> Result<(), crate::Error> {
                // SAFETY: the vector is a block, the others have so many bytes; the context was initialised.
                crate::chained::in_place($step, data, |out, input, length| unsafe {
                    $decrypt(self.context.get(), vector.as_mut_ptr(), out, input, length)
                })
            }

            /// Decrypts `input` to `out`. `vector` is left as what continues the message.
            ///
            /// # Errors
            /// As [`encrypt_bytes_to`](Self::encrypt_bytes_to).
            pub fn decrypt_bytes_to(
                &self,
                vector: &mut [u8; $block],
                input: &[u8],
                out: &mut [u8],
            ) -> Result<(), crate::Error> {
                // SAFETY: as above, and both are apart.
                crate::chained::apart($step, input, out, |out, input, length| unsafe {
                    $decrypt(self.context.get(), vector.as_mut_ptr(), out, input, length)
                })
            }

            $(
                /// Encrypts many messages in place, each with its vector, of any lengths: the next block of each at the same time,
                /// much faster than one after another. The vectors are left as what continues the messages.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are not as many vectors as messages, or one of these has a length
                /// that [`encrypt_bytes`](Self::encrypt_bytes) refuses; then nothing has changed.
                pub fn encrypt_batch(
                    &self,
                    vectors: &mut [[u8; $block]],
                    data: &mut [&mut [u8]],
                ) -> Result<(), crate::Error> {
                    // SAFETY: vectors are blocks, and the context was initialised.
                    unsafe { crate::chained::batch(self.context.get(), $batch, $step, vectors, data) }
                }
            )?
        }

        impl cipher::BlockSizeUser for $name {
            type BlockSize = cipher::consts::$segment_size;
        }

        impl crate::ChainedMode for $name {
            type VectorSize = cipher::consts::$block_size;

            unsafe fn encrypt_raw(
                &self,
                vector: *mut u8,
                out: *mut u8,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                unsafe { $encrypt(self.context.get(), vector, out, input, length) }
            }

            unsafe fn decrypt_raw(
                &self,
                vector: *mut u8,
                out: *mut u8,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                unsafe { $decrypt(self.context.get(), vector, out, input, length) }
            }
        }

        $(impl crate::$any_length for $name {})?
    };
}

/// The type of a key for output feedback.
macro_rules! output_feedback {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, block $block:literal $block_size:ident,
     context $words:literal, $init:ident, $wipe:ident, xor $xor:ident $(, batch $batch:ident)?) => {
        unsafe extern "C" {
            fn $xor(
                context: *const core::ffi::c_void, vector: *mut u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;
            $(fn $batch(
                context: *const core::ffi::c_void, count: usize, messages: *mut crate::raw::ChainedMessage,
            ) -> core::ffi::c_int;)?
        }

        #[doc = concat!("A key for ", $text, ", of ", $key, " bytes; vectors have ", $block, ".")]
        ///
        /// Any number of bytes is taken; calls whose lengths are whole blocks continue each other. The first vector of a message must
        /// not be used twice under one key.
        ///
        /// [`Ofb`](crate::Ofb) has it with a vector, as a stream cipher. What was made of the key is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        crate::chained::mode_key!($name, $text, key $key $key_size, context $words, $init, $wipe);

        impl $name {
            /// Its C functions; those of both directions are the same.
            pub const RAW: crate::raw::BlockMode = crate::raw::BlockMode {
                name: $text,
                key_bytes: $key,
                block_bytes: $block,
                step_bytes: 1,
                context_words: $words,
                init: $init,
                wipe: $wipe,
                encrypt: $xor,
                decrypt: $xor,
                encrypt_batch: crate::block::optional!($($batch)?),
            };

            /// Bytes of a block of the cipher, and of a vector.
            pub const BLOCK_BYTES: usize = $block;

            /// Encrypts or decrypts `data` in place. `vector` is left as what continues the message after whole blocks.
            ///
            /// # Errors
            #[doc = crate::chained::refused!(1)]
            pub fn xor_bytes(&self, vector: &mut [u8; $block], data: &mut [u8]) -> Result<(), crate::Error> {
                // SAFETY: the vector is a block, the others have so many bytes; the context was initialised.
                crate::chained::in_place(1, data, |out, input, length| unsafe {
                    $xor(self.context.get(), vector.as_mut_ptr(), out, input, length)
                })
            }

            /// Encrypts or decrypts `input` to `out`. `vector` is left as what continues the message after whole blocks.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if they are not equally long; then nothing was written.
            pub fn xor_bytes_to(
                &self,
                vector: &mut [u8; $block],
                input: &[u8],
                out: &mut [u8],
            ) -> Result<(), crate::Error> {
                // SAFETY: as above, and both are apart.
                crate::chained::apart(1, input, out, |out, input, length| unsafe {
                    $xor(self.context.get(), vector.as_mut_ptr(), out, input, length)
                })
            }

            $(
                /// Encrypts or decrypts many messages in place, each with its vector, of any lengths: the next block of each at the
                /// same time, much faster than one after another. The vectors are left as what continues the messages after whole
                /// blocks.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are not as many vectors as messages; then nothing has changed.
                pub fn xor_batch(
                    &self,
                    vectors: &mut [[u8; $block]],
                    data: &mut [&mut [u8]],
                ) -> Result<(), crate::Error> {
                    // SAFETY: vectors are blocks, and the context was initialised.
                    unsafe { crate::chained::batch(self.context.get(), $batch, 1, vectors, data) }
                }
            )?
        }

        impl cipher::BlockSizeUser for $name {
            type BlockSize = cipher::consts::$block_size;
        }

        impl crate::OutputFeedback for $name {
            unsafe fn ofb_raw(
                &self,
                vector: *mut u8,
                out: *mut u8,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                unsafe { $xor(self.context.get(), vector, out, input, length) }
            }
        }
    };
}

/// What users must keep to: which lengths are taken decides which mode it is.
macro_rules! rules {
    (1) => {
        "Any number of bytes is taken; calls whose lengths are whole blocks of the mode continue each other. The first vector of a \
         message must not be used twice under one key."
    };
    ($step:literal) => {
        "Whole blocks are taken, and calls continue each other; padding is the caller's, or that of the methods `encrypt_padded` and \
         `decrypt_padded` of the traits. The first vector of a message must not be predictable."
    };
}

/// Which lengths are refused.
macro_rules! refused {
    (1) => {
        "[`Error::Target`](crate::Error::Target) where modes have no code, and then nothing has changed."
    };
    ($step:literal) => {
        concat!(
            "[`Error::Length`](crate::Error::Length) if the number of bytes is no multiple of ",
            $step,
            ", and [`Error::Target`](crate::Error::Target) where modes have no code; then nothing has changed."
        )
    };
}

pub(crate) use {block_mode, mode_key, output_feedback, refused, rules};
