//! Stream ciphers.

/// The type of a stream cipher, with its key, nonce and place in the keystream.
macro_rules! stream_cipher {
    ($name:ident, $core:ident, $function:ident, $text:literal, key $key:literal $key_size:ident, nonce $nonce:literal $nonce_size:ident,
     block $block:literal $block_size:ident, counter $counter:ident $position:ident, $xor:ident) => {
        unsafe extern "C" {
            fn $xor(
                key: *const u8,
                nonce: *const u8,
                counter: $counter,
                out: *mut u8,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
        }

        #[doc = concat!("The stream cipher ", $text, ": keys of ", $key, " bytes, nonces of ", $nonce, ".")]
        ///
        /// The keystream begins with block 0; seeking gets to others. Its last block is never used, and asking for more
        /// is an error. A nonce must not be used twice under one key. Key and nonce are overwritten when it is dropped.
        pub type $name = cipher::StreamCipherCoreWrapper<$core>;

        #[doc = concat!("Adds the keystream of ", $text, " from the block `counter` on to any number of bytes.")]
        ///
        /// The counter wraps to zero; the type refuses to go so far.
        ///
        /// # Errors
        /// [`Error::Length`](crate::Error::Length) if there are more blocks than numbers; then nothing has changed.
        pub fn $function(
            key: &[u8; $key],
            nonce: &[u8; $nonce],
            counter: $counter,
            data: &mut [u8],
        ) -> Result<(), crate::Error> {
            let (place, length) = (data.as_mut_ptr(), data.len());
            // SAFETY: key and nonce have the sizes that the C wants, and the data their length.
            crate::Error::check(unsafe { $xor(key.as_ptr(), nonce.as_ptr(), counter, place, place, length) })
        }

        #[doc = concat!("The blocks of [`", stringify!($name), "`]: ", $block, " bytes of keystream each.")]
        #[derive(Clone)]
        pub struct $core {
            key: cipher::Key<Self>,
            nonce: cipher::Iv<Self>,
            counter: $position,
        }

        impl $core {
            /// Its C functions.
            pub const RAW: crate::raw::StreamCipher = {
                /// # Safety
                /// As the C function has it.
                unsafe fn xor(
                    key: *const u8,
                    nonce: *const u8,
                    counter: u64,
                    out: *mut u8,
                    input: *const u8,
                    length: usize,
                ) -> core::ffi::c_int {
                    // SAFETY: the caller's.
                    unsafe { $xor(key, nonce, counter as $counter, out, input, length) }
                }
                crate::raw::StreamCipher {
                    name: $text,
                    key_bytes: $key,
                    nonce_bytes: $nonce,
                    block_bytes: $block,
                    counter_bits: $counter::BITS,
                    xor,
                }
            };

            fn xor(&mut self, blocks: cipher::InOutBuf<'_, '_, cipher::Block<Self>>) {
                let count = blocks.len();
                let (input, out) = blocks.into_raw();
                // SAFETY: both are `count` blocks, which are equal or apart, as an `InOutBuf` guarantees; key and nonce have
                // the sizes that the C wants.
                crate::error::ensure(unsafe {
                    $xor(
                        self.key.as_ptr(),
                        self.nonce.as_ptr(),
                        self.counter as $counter,
                        out.cast(),
                        input.cast(),
                        $block * count,
                    )
                });
                self.counter = self.counter.wrapping_add(count as $position);
            }
        }

        impl cipher::KeySizeUser for $core {
            type KeySize = cipher::consts::$key_size;
        }

        impl cipher::IvSizeUser for $core {
            type IvSize = cipher::consts::$nonce_size;
        }

        impl cipher::BlockSizeUser for $core {
            type BlockSize = cipher::consts::$block_size;
        }

        impl cipher::ParBlocksSizeUser for $core {
            type ParBlocksSize = cipher::consts::U1;
        }

        impl cipher::KeyIvInit for $core {
            fn new(key: &cipher::Key<Self>, nonce: &cipher::Iv<Self>) -> Self {
                $core { key: key.clone(), nonce: nonce.clone(), counter: 0 }
            }
        }

        impl cipher::StreamCipherBackend for $core {
            fn gen_ks_block(&mut self, block: &mut cipher::Block<Self>) {
                cipher::StreamCipherCore::write_keystream_block(self, block);
            }
        }

        impl cipher::StreamCipherCore for $core {
            fn remaining_blocks(&self) -> Option<usize> {
                let last = u64::from($counter::MAX);
                usize::try_from(last.saturating_sub(u64::from(self.counter))).ok()
            }

            fn process_with_backend(
                &mut self,
                f: impl cipher::StreamCipherClosure<BlockSize = Self::BlockSize>,
            ) {
                f.call(self);
            }

            fn write_keystream_block(&mut self, block: &mut cipher::Block<Self>) {
                *block = cipher::Array::default();
                self.xor(cipher::InOutBuf::from_mut(block));
            }

            fn write_keystream_blocks(&mut self, blocks: &mut [cipher::Block<Self>]) {
                blocks.fill(cipher::Array::default());
                self.xor(blocks.into());
            }

            fn apply_keystream_block_inout(&mut self, block: cipher::InOut<'_, '_, cipher::Block<Self>>) {
                self.xor(crate::block::one(block));
            }

            fn apply_keystream_blocks(&mut self, blocks: &mut [cipher::Block<Self>]) {
                self.xor(blocks.into());
            }

            fn apply_keystream_blocks_inout(
                &mut self,
                blocks: cipher::InOutBuf<'_, '_, cipher::Block<Self>>,
            ) {
                self.xor(blocks);
            }
        }

        impl cipher::StreamCipherSeekCore for $core {
            type Counter = $position;

            fn get_block_pos(&self) -> $position {
                self.counter
            }

            fn set_block_pos(&mut self, position: $position) {
                self.counter = position;
            }
        }

        impl Drop for $core {
            fn drop(&mut self) {
                zeroize::Zeroize::zeroize(&mut self.key[..]);
                zeroize::Zeroize::zeroize(&mut self.nonce[..]);
            }
        }

        impl zeroize::ZeroizeOnDrop for $core {}

        impl cipher::AlgorithmName for $core {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($text)
            }
        }

        impl core::fmt::Debug for $core {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($core)).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use stream_cipher;
