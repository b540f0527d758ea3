//! Authenticated ciphers.

use crate::{Error, raw};
use core::fmt;
use core::marker::PhantomData;

/// One of many messages for the authenticated cipher `C`, with key, nonce and places: what `seal_batch` and `open_batch` take.
///
/// It borrows what it names, and what was done to it is there when it is dropped.
// The C takes slices of it.
#[repr(transparent)]
pub struct Message<'a, C> {
    raw: raw::AeadMessage,
    memory: PhantomData<&'a mut [u8]>,
    cipher: PhantomData<fn() -> C>,
}

// SAFETY: it is references to bytes, as `memory` says; the pointers are only for C to read.
unsafe impl<C> Send for Message<'_, C> {}

impl<C> Message<'_, C> {
    /// A message whose parts have the right sizes. `out` may be `input`.
    ///
    /// What it borrows is up to the caller to say.
    pub(crate) fn of(raw: raw::AeadMessage) -> Self {
        Message { raw, memory: PhantomData, cipher: PhantomData }
    }

    /// What became of the message in the last call: [`Error::Tag`] if it was not authentic, and then its data are zeros or as
    /// they were.
    ///
    /// # Errors
    /// Those of the function for one message. A message that was in no call yet is [`Error::Unsupported`].
    pub fn result(&self) -> Result<(), Error> {
        match self.raw.result {
            NOT_YET => Err(Error::Unsupported),
            result => Error::check(result),
        }
    }
}

impl<C> fmt::Debug for Message<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("result", &self.result()).finish_non_exhaustive()
    }
}

/// The result of a message that was in no call: no function returns it.
pub(crate) const NOT_YET: core::ffi::c_int = core::ffi::c_int::MIN;

/// Calls the C function for messages.
///
/// # Errors
/// That of the first message that has one.
#[allow(dead_code, reason = "which ciphers have batches depends on the features")]
pub(crate) fn batch<C>(function: raw::AeadBatch, messages: &mut [Message<'_, C>]) -> Result<(), Error> {
    // SAFETY: a `Message` is a `raw::AeadMessage` and nothing else; its pointers are to parts of the right sizes, which no
    // other message may write to, as they are borrowed.
    Error::check(unsafe { function(messages.len(), messages.as_mut_ptr().cast()) })
}

/// The functions of an authenticated cipher on a context: those of C that take a context, or a key, which is then the context.
macro_rules! aead_functions {
    ($name:ident, key $key:literal, nonce $nonce:literal, tag $tag:literal, context $context:literal,
     plain $seal:ident $open:ident) => {
        unsafe extern "C" {
            fn $seal(
                out: *mut u8,
                tag: *mut u8,
                key: *const u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            fn $open(
                out: *mut u8,
                tag: *const u8,
                key: *const u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
        }

        impl $name {
            unsafe fn init(context: *mut u64, key: *const u8) -> core::ffi::c_int {
                // SAFETY: a context has room for a key.
                unsafe { core::ptr::copy_nonoverlapping(key, context.cast(), $key) };
                0
            }

            #[allow(clippy::too_many_arguments, reason = "these are those of C")]
            unsafe fn seal(
                context: *const u64,
                out: *mut u8,
                tag: *mut u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the caller's.
                unsafe { $seal(out, tag, context.cast(), nonce, ad, ad_length, input, length) }
            }

            #[allow(clippy::too_many_arguments, reason = "these are those of C")]
            unsafe fn open(
                context: *const u64,
                out: *mut u8,
                tag: *const u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the caller's.
                unsafe { $open(out, tag, context.cast(), nonce, ad, ad_length, input, length) }
            }
        }
    };
    ($name:ident, key $key:literal, nonce $nonce:literal, tag $tag:literal, context $context:literal,
     keyed $init:ident $seal:ident $open:ident $wipe:ident) => {
        unsafe extern "C" {
            fn $init(context: *mut u64, key: *const u8) -> core::ffi::c_int;
            fn $seal(
                context: *const u64,
                out: *mut u8,
                tag: *mut u8,
                tag_bytes: usize,
                nonce: *const u8,
                nonce_bytes: usize,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            fn $open(
                context: *const u64,
                out: *mut u8,
                tag: *const u8,
                tag_bytes: usize,
                nonce: *const u8,
                nonce_bytes: usize,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
        }

        impl $name {
            unsafe fn init(context: *mut u64, key: *const u8) -> core::ffi::c_int {
                // SAFETY: the caller's.
                unsafe { $init(context, key) }
            }

            #[allow(clippy::too_many_arguments, reason = "these are those of C")]
            unsafe fn seal(
                context: *const u64,
                out: *mut u8,
                tag: *mut u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the caller's.
                unsafe { $seal(context, out, tag, $tag, nonce, $nonce, ad, ad_length, input, length) }
            }

            #[allow(clippy::too_many_arguments, reason = "these are those of C")]
            unsafe fn open(
                context: *const u64,
                out: *mut u8,
                tag: *const u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the caller's.
                unsafe { $open(context, out, tag, $tag, nonce, $nonce, ad, ad_length, input, length) }
            }
        }
    };
}

pub(crate) use aead_functions;

/// The type of an authenticated cipher, with its key.
macro_rules! aead {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, nonce $nonce:literal $nonce_size:ident,
     tag $tag:literal $tag_size:ident, context $context:literal, $how:ident $($function:ident)*
     $(, batch $seal_batch:ident $open_batch:ident)?) => {
        crate::authenticated::aead_functions!($name, key $key, nonce $nonce, tag $tag, context $context,
                                              $how $($function)*);

        $(
            unsafe extern "C" {
                fn $seal_batch(count: usize, messages: *mut crate::raw::AeadMessage) -> core::ffi::c_int;
                fn $open_batch(count: usize, messages: *mut crate::raw::AeadMessage) -> core::ffi::c_int;
            }
        )?

        #[doc = concat!("The authenticated cipher ", $text, ": keys of ", $key, " bytes, nonces of ", $nonce, ", tags of ",
                        $tag, ".")]
        ///
        /// A nonce must not be used twice under one key. The key is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: [u64; $context],
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Aead = crate::raw::Aead {
                name: $text,
                key_bytes: $key,
                nonce_bytes: $nonce,
                tag_bytes: $tag,
                context_words: $context,
                init: $name::init,
                seal: $name::seal,
                open: $name::open,
                seal_batch: crate::block::optional!($($seal_batch)?),
                open_batch: crate::block::optional!($($open_batch)?),
            };

            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;
            /// Bytes of a nonce.
            pub const NONCE_BYTES: usize = $nonce;
            /// Bytes of a tag.
            pub const TAG_BYTES: usize = $tag;

            /// Takes a key: [`KeyInit::new`](cipher::KeyInit::new) for arrays.
            pub fn from_key(key: &[u8; $key]) -> Self {
                cipher::KeyInit::new(key.into())
            }

            /// Encrypts `data` in place, and returns the tag for them and for the associated data.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if there are more data than the cipher takes; then nothing has
            /// changed.
            pub fn seal_in_place(
                &self,
                nonce: &[u8; $nonce],
                associated_data: &[u8],
                data: &mut [u8],
            ) -> Result<[u8; $tag], crate::Error> {
                let mut tag = [0; $tag];
                let (place, length) = (data.as_mut_ptr(), data.len());
                let (ad, ad_length) = (associated_data.as_ptr(), associated_data.len());
                // SAFETY: everything has its length, and output overlaps nothing but the whole input.
                crate::Error::check(unsafe {
                    let context = self.context.as_ptr();
                    $name::seal(context, place, tag.as_mut_ptr(), nonce.as_ptr(), ad, ad_length, place, length)
                })?;
                Ok(tag)
            }

            /// Decrypts `data` in place, if the tag is theirs and that of the associated data.
            ///
            /// # Errors
            /// [`Error::Tag`](crate::Error::Tag) if it is not; then the data are as they were, or zeros. As
            /// [`seal_in_place`](Self::seal_in_place) for the other.
            pub fn open_in_place(
                &self,
                nonce: &[u8; $nonce],
                associated_data: &[u8],
                data: &mut [u8],
                tag: &[u8; $tag],
            ) -> Result<(), crate::Error> {
                let (place, length) = (data.as_mut_ptr(), data.len());
                let (ad, ad_length) = (associated_data.as_ptr(), associated_data.len());
                // SAFETY: as in encryption; the tag is only read.
                crate::Error::check(unsafe {
                    let context = self.context.as_ptr();
                    $name::open(context, place, tag.as_ptr(), nonce.as_ptr(), ad, ad_length, place, length)
                })
            }

            $(
                /// A message for [`seal_batch`](Self::seal_batch) and [`open_batch`](Self::open_batch), whose data are
                /// replaced. Its key may be another than that of other messages; the tag is written in sealing, and compared
                /// in opening.
                pub fn message<'a>(
                    key: &'a [u8; $key],
                    nonce: &'a [u8; $nonce],
                    associated_data: &'a [u8],
                    data: &'a mut [u8],
                    tag: &'a mut [u8; $tag],
                ) -> crate::Message<'a, $name> {
                    let place = data.as_mut_ptr();
                    crate::Message::of(crate::raw::AeadMessage {
                        key: key.as_ptr(),
                        nonce: nonce.as_ptr(),
                        ad: associated_data.as_ptr(),
                        ad_length: associated_data.len(),
                        input: place,
                        length: data.len(),
                        out: place,
                        tag: tag.as_mut_ptr(),
                        result: crate::authenticated::NOT_YET,
                    })
                }

                /// Encrypts many messages, side by side where the cipher can.
                ///
                /// # Errors
                /// Those of the first message that has one; [`Message::result`](crate::Message::result) tells which. It does
                /// not keep the others from being done.
                pub fn seal_batch(messages: &mut [crate::Message<'_, $name>]) -> Result<(), crate::Error> {
                    crate::authenticated::batch($seal_batch, messages)
                }

                /// Decrypts those of many messages whose tags are right.
                ///
                /// # Errors
                /// As [`seal_batch`](Self::seal_batch).
                pub fn open_batch(messages: &mut [crate::Message<'_, $name>]) -> Result<(), crate::Error> {
                    crate::authenticated::batch($open_batch, messages)
                }
            )?
        }

        impl cipher::KeySizeUser for $name {
            type KeySize = cipher::consts::$key_size;
        }

        impl cipher::KeyInit for $name {
            fn new(key: &cipher::Key<Self>) -> Self {
                let mut made = $name { context: [0; $context] };
                // SAFETY: the context has its length, and so has the key, which is all that could be wrong.
                let result = unsafe { $name::init(made.context.as_mut_ptr(), key.as_ptr()) };
                debug_assert_eq!(result, 0, "a key of the right size is taken");
                made
            }
        }

        impl aead::AeadCore for $name {
            type NonceSize = cipher::consts::$nonce_size;
            type TagSize = cipher::consts::$tag_size;
            const TAG_POSITION: aead::TagPosition = aead::TagPosition::Postfix;
        }

        impl aead::AeadInOut for $name {
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: cipher::InOutBuf<'_, '_, u8>,
            ) -> aead::Result<aead::Tag<Self>> {
                let mut tag = aead::Tag::<Self>::default();
                let length = buffer.len();
                let (input, out) = buffer.into_raw();
                // SAFETY: all have their lengths, and output overlaps nothing but perhaps the whole input, as an `InOutBuf`
                // guarantees.
                let result = unsafe {
                    $name::seal(
                        self.context.as_ptr(),
                        out,
                        tag.as_mut_ptr(),
                        nonce.as_ptr(),
                        associated_data.as_ptr(),
                        associated_data.len(),
                        input,
                        length,
                    )
                };
                crate::Error::check(result).map_err(|_| aead::Error)?;
                Ok(tag)
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: cipher::InOutBuf<'_, '_, u8>,
                tag: &aead::Tag<Self>,
            ) -> aead::Result<()> {
                let length = buffer.len();
                let (input, out) = buffer.into_raw();
                // SAFETY: as in encryption; the tag is only read.
                let result = unsafe {
                    $name::open(
                        self.context.as_ptr(),
                        out,
                        tag.as_ptr(),
                        nonce.as_ptr(),
                        associated_data.as_ptr(),
                        associated_data.len(),
                        input,
                        length,
                    )
                };
                crate::Error::check(result).map_err(|_| aead::Error)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                zeroize::Zeroize::zeroize(&mut self.context[..]);
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use aead;
