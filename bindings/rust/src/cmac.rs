//! CMAC over block ciphers.

use crate::{Error, raw};
use core::ffi::c_void;

/// Messages of one call of a function for many, as for modes that carry a vector.
const TOGETHER: usize = 256;

/// Calls the C function for many messages, each with the place of its tag.
///
/// # Errors
/// [`Error::Length`] if there are not as many tags as messages; then nothing was written.
///
/// # Safety
/// The function must take tags of `TAG` bytes, and the context be initialised for it.
pub(crate) unsafe fn batch<const TAG: usize>(
    context: *const c_void,
    function: raw::TagBatch,
    messages: &[&[u8]],
    tags: &mut [[u8; TAG]],
) -> Result<(), Error> {
    if messages.len() != tags.len() {
        return Err(Error::Length);
    }
    let none = raw::TaggedMessage {
        input: core::ptr::null(),
        length: 0,
        tag: core::ptr::null_mut(),
        tag_bytes: TAG,
        result: 0,
    };
    for (messages, tags) in messages.chunks(TOGETHER).zip(tags.chunks_mut(TOGETHER)) {
        let mut batch = [none; TOGETHER];
        for ((one, message), tag) in batch.iter_mut().zip(messages).zip(tags) {
            (one.input, one.length) = (message.as_ptr(), message.len());
            one.tag = tag.as_mut_ptr();
        }
        // SAFETY: messages have their lengths, and every tag a place of its own; the rest is the caller's.
        Error::check(unsafe { function(context, messages.len(), batch.as_mut_ptr()) })?;
    }
    Ok(())
}

/// The types of CMAC over a cipher: a key, and a key with the message so far.
macro_rules! cmac {
    ($name:ident, $key_name:ident, $text:literal, key $key:literal $key_size:ident, tag $tag:literal $tag_size:ident,
     context $words:literal, stream $stream_words:literal, $init:ident, $wipe:ident, $compute:ident, $begin:ident,
     $update:ident, $end:ident, $stream_wipe:ident $(, batch $batch:ident)?) => {
        unsafe extern "C" {
            fn $compute(
                context: *const core::ffi::c_void,
                tag: *mut u8,
                tag_bytes: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            fn $begin(
                stream: *mut core::ffi::c_void,
                context: *const core::ffi::c_void,
                tag_bytes: usize,
            ) -> core::ffi::c_int;
            fn $update(
                stream: *mut core::ffi::c_void,
                context: *const core::ffi::c_void,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            fn $end(
                stream: *mut core::ffi::c_void,
                context: *const core::ffi::c_void,
                tag: *mut u8,
                tag_bytes: usize,
            ) -> core::ffi::c_int;
            fn $stream_wipe(stream: *mut core::ffi::c_void);
            $(fn $batch(
                context: *const core::ffi::c_void,
                count: usize,
                messages: *mut crate::raw::TaggedMessage,
            ) -> core::ffi::c_int;)?
        }

        #[doc = concat!("A key for ", $text, ", of ", $key, " bytes; tags have ", $tag, ".")]
        ///
        #[doc = concat!("[`", stringify!($name), "`] has it with a message that comes in pieces. What was made of the key is ",
                        "overwritten when it is dropped.")]
        #[derive(Clone)]
        pub struct $key_name {
            context: crate::block::Context<$words>,
        }

        crate::chained::mode_key!($key_name, $text, key $key $key_size, context $words, $init, $wipe);

        impl $key_name {
            /// Bytes of a tag.
            pub const TAG_BYTES: usize = $tag;

            /// The tag of a message.
            pub fn tag(&self, message: &[u8]) -> [u8; $tag] {
                let mut tag = [0; $tag];
                // SAFETY: tag and message have their lengths; the context was initialised.
                crate::error::ensure(unsafe {
                    $compute(self.context.get(), tag.as_mut_ptr(), $tag, message.as_ptr(), message.len())
                });
                tag
            }

            /// Makes sure of the tag of a message, in a time that does not depend on the tag.
            ///
            /// # Errors
            /// [`Error::Tag`](crate::Error::Tag) if it is another one.
            pub fn verify(&self, message: &[u8], tag: &[u8; $tag]) -> Result<(), crate::Error> {
                let output = |tag: [u8; $tag]| digest::CtOutput::<$name>::new(tag.into());
                match output(self.tag(message)) == output(*tag) {
                    true => Ok(()),
                    false => Err(crate::Error::Tag),
                }
            }

            $(
                /// The tags of many messages of any lengths: the next block of each at the same time, much faster than one after
                /// another.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are not as many tags as messages; then nothing was written.
                pub fn tag_batch(&self, messages: &[&[u8]], tags: &mut [[u8; $tag]]) -> Result<(), crate::Error> {
                    // SAFETY: tags are of this size, and the context was initialised.
                    unsafe { crate::cmac::batch(self.context.get(), $batch, messages, tags) }
                }
            )?
        }

        #[doc = concat!("The authenticator ", $text, ": keys of ", $key, " bytes, tags of ", $tag, ".")]
        ///
        /// It is a [`Mac`](digest::Mac), whose `verify` compares tags in constant time; a copy begins another message under the same
        #[doc = concat!("key, and [`", stringify!($key_name), "`] takes whole messages, and many at once. ")]
        /// Key and message are overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            key: $key_name,
            stream: crate::block::Context<$stream_words>,
        }

        impl $name {
            /// Its C functions: a context is that of the key and then that of the message.
            pub const RAW: crate::raw::Mac = {
                fn stream_of(context: *mut core::ffi::c_void) -> *mut core::ffi::c_void {
                    context.cast::<u64>().wrapping_add($words).cast()
                }
                /// # Safety
                /// As [`crate::raw::Mac`] has it.
                unsafe extern "C" fn init(context: *mut core::ffi::c_void, key: *const u8) -> core::ffi::c_int {
                    // SAFETY: the caller's.
                    match unsafe { $init(context, key) } {
                        // SAFETY: the context has been initialised, and the stream is behind it.
                        0 => unsafe { $begin(stream_of(context), context, $tag) },
                        error => error,
                    }
                }
                /// # Safety
                /// As [`crate::raw::Mac`] has it.
                unsafe extern "C" fn update(
                    context: *mut core::ffi::c_void,
                    input: *const u8,
                    length: usize,
                ) -> core::ffi::c_int {
                    // SAFETY: the caller's.
                    unsafe { $update(stream_of(context), context, input, length) }
                }
                /// # Safety
                /// As [`crate::raw::Mac`] has it.
                unsafe extern "C" fn finish(context: *mut core::ffi::c_void, tag: *mut u8) -> core::ffi::c_int {
                    // SAFETY: the caller's.
                    unsafe { $end(stream_of(context), context, tag, $tag) }
                }
                /// # Safety
                /// As [`crate::raw::Mac`] has it.
                unsafe extern "C" fn wipe(context: *mut core::ffi::c_void) {
                    // SAFETY: the caller's.
                    unsafe {
                        $stream_wipe(stream_of(context));
                        $wipe(context);
                    }
                }
                crate::raw::Mac {
                    name: $text,
                    key_bytes: $key,
                    tag_bytes: $tag,
                    context_words: $words + $stream_words,
                    init,
                    update,
                    finish,
                    wipe,
                    batch: crate::block::optional!($($batch)?),
                }
            };

            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;
            /// Bytes of a tag.
            pub const TAG_BYTES: usize = $tag;

            /// The tag of a message.
            pub fn tag(key: &[u8; $key], message: &[u8]) -> [u8; $tag] {
                $key_name::from_key(key).tag(message)
            }

            /// Makes sure of the tag of a message, in a time that does not depend on the tag.
            ///
            /// # Errors
            /// [`Error::Tag`](crate::Error::Tag) if it is another one.
            pub fn verify(key: &[u8; $key], message: &[u8], tag: &[u8; $tag]) -> Result<(), crate::Error> {
                $key_name::from_key(key).verify(message, tag)
            }
        }

        impl cipher::common::InnerUser for $name {
            type Inner = $key_name;
        }

        impl digest::InnerInit for $name {
            fn inner_init(key: $key_name) -> Self {
                let mut mac = $name { key, stream: crate::block::Context::new() };
                digest::Reset::reset(&mut mac);
                mac
            }
        }

        impl digest::Reset for $name {
            fn reset(&mut self) {
                // SAFETY: the context was initialised, and the stream has the size that the C wants: the build has compared them.
                crate::error::ensure(unsafe { $begin(self.stream.get_mut(), self.key.context.get(), $tag) });
            }
        }

        impl digest::Update for $name {
            fn update(&mut self, data: &[u8]) {
                let (input, length) = (data.as_ptr(), data.len());
                // SAFETY: the message has begun, and the data have their length.
                let result = unsafe { $update(self.stream.get_mut(), self.key.context.get(), input, length) };
                crate::error::ensure(result);
            }
        }

        impl digest::OutputSizeUser for $name {
            type OutputSize = digest::consts::$tag_size;
        }

        impl digest::FixedOutput for $name {
            fn finalize_into(mut self, out: &mut digest::Output<Self>) {
                let (stream, context) = (self.stream.get_mut(), self.key.context.get());
                // SAFETY: the message has begun, and the tag has the size that the C wants.
                crate::error::ensure(unsafe { $end(stream, context, out.as_mut_ptr(), $tag) });
            }
        }

        impl digest::FixedOutputReset for $name {
            fn finalize_into_reset(&mut self, out: &mut digest::Output<Self>) {
                let (stream, context) = (self.stream.get_mut(), self.key.context.get());
                // SAFETY: as above.
                crate::error::ensure(unsafe { $end(stream, context, out.as_mut_ptr(), $tag) });
                digest::Reset::reset(self);
            }
        }

        impl digest::MacMarker for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the stream has the size that the C wants.
                unsafe { $stream_wipe(self.stream.get_mut()) }
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

pub(crate) use cmac;
