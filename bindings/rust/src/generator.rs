//! Stream ciphers with a state and without a counter: they go on, and nothing else.

/// The type of such a stream cipher, with its state.
macro_rules! generator {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, nonce $nonce:literal $nonce_size:ident, block $block:literal,
     context $words:literal, $init:ident, $xor:ident, $xor_batch:ident, $wipe:ident) => {
        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void, key: *const u8, nonce: *const u8) -> core::ffi::c_int;
            fn $xor(
                context: *mut core::ffi::c_void,
                out: *mut u8,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            fn $xor_batch(
                contexts: *mut core::ffi::c_void,
                out: *const *mut u8,
                input: *const *const u8,
                length: usize,
                streams: usize,
            ) -> core::ffi::c_int;
            fn $wipe(context: *mut core::ffi::c_void);
        }

        #[doc = concat!("The stream cipher ", $text, ": keys of ", $key, " bytes, nonces of ", $nonce, ".")]
        ///
        /// It has a state and no counter, so it cannot seek. A nonce must not be used twice under one key. The state is
        /// overwritten when it is dropped.
        #[derive(Clone)]
        // Slices of it are what the C takes for contexts one after another.
        #[repr(transparent)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Generator = crate::raw::Generator {
                name: $text,
                key_bytes: $key,
                nonce_bytes: $nonce,
                block_bytes: $block,
                context_words: $words,
                init: $init,
                xor: $xor,
                xor_batch: $xor_batch,
                wipe: $wipe,
            };

            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;
            /// Bytes of a nonce.
            pub const NONCE_BYTES: usize = $nonce;

            /// Begins a stream: [`KeyIvInit::new`](cipher::KeyIvInit::new) for arrays.
            pub fn from_key(key: &[u8; $key], nonce: &[u8; $nonce]) -> Self {
                cipher::KeyIvInit::new(key.into(), nonce.into())
            }

            /// Encrypts or decrypts the next bytes of many streams, each in its buffer, side by side: much faster than one
            /// after another.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if there are not as many buffers as streams, or the buffers are not
            /// equally long; then nothing has changed.
            pub fn apply_keystreams(
                streams: &mut [$name],
                buffers: &mut [&mut [u8]],
            ) -> Result<(), crate::Error> {
                let length = buffers.first().map_or(0, |buffer| buffer.len());
                if streams.len() != buffers.len() || buffers.iter().any(|buffer| buffer.len() != length) {
                    return Err(crate::Error::Length);
                }
                for (streams, buffers) in streams
                    .chunks_mut(crate::generator::TOGETHER)
                    .zip(buffers.chunks_mut(crate::generator::TOGETHER))
                {
                    let mut places = [core::ptr::null_mut(); crate::generator::TOGETHER];
                    places
                        .iter_mut()
                        .zip(buffers.iter_mut())
                        .for_each(|(place, buffer)| *place = buffer.as_mut_ptr());
                    // SAFETY: there are as many contexts, initialised and one after another, as buffers of this length,
                    // which are apart as they are borrowed.
                    crate::error::ensure(unsafe {
                        $xor_batch(
                            streams.as_mut_ptr().cast(),
                            places.as_ptr(),
                            places.as_ptr().cast(),
                            length,
                            streams.len(),
                        )
                    });
                }
                Ok(())
            }
        }

        impl cipher::KeySizeUser for $name {
            type KeySize = cipher::consts::$key_size;
        }

        impl cipher::IvSizeUser for $name {
            type IvSize = cipher::consts::$nonce_size;
        }

        impl cipher::KeyIvInit for $name {
            fn new(key: &cipher::Key<Self>, nonce: &cipher::Iv<Self>) -> Self {
                let mut context = crate::block::Context::new();
                // SAFETY: key and nonce have the sizes that the C wants, and the context, too: the build has compared them.
                crate::error::ensure(unsafe { $init(context.get_mut(), key.as_ptr(), nonce.as_ptr()) });
                $name { context }
            }
        }

        impl cipher::StreamCipher for $name {
            // As many as nobody can use.
            fn check_remaining(&self, _: usize) -> Result<(), cipher::StreamCipherError> {
                Ok(())
            }

            fn unchecked_apply_keystream_inout(&mut self, buffer: cipher::InOutBuf<'_, '_, u8>) {
                let length = buffer.len();
                let (input, out) = buffer.into_raw();
                // SAFETY: both are of `length` bytes, which are equal or apart, as an `InOutBuf` guarantees.
                crate::error::ensure(unsafe { $xor(self.context.get_mut(), out, input, length) });
            }

            fn unchecked_write_keystream(&mut self, buffer: &mut [u8]) {
                buffer.fill(0);
                self.unchecked_apply_keystream_inout(buffer.into());
            }
        }

        crate::block::wiped!($name, $text, $wipe);
    };
}

/// Streams of one call: more than any code has side by side.
pub const TOGETHER: usize = 512;

pub(crate) use generator;
