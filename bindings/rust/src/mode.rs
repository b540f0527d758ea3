//! Modes of block ciphers that carry a vector and are no stream ciphers: cipher block chaining and cipher feedback.

use crate::block::one;
use crate::error::ensure;
use cipher::array::ArraySize;
use cipher::inout::{InOut, InOutBuf, NotEqualError};
use cipher::{
    AlgorithmName, Array, Block, BlockModeDecBackend, BlockModeDecClosure, BlockModeDecrypt,
    BlockModeEncBackend, BlockModeEncClosure, BlockModeEncrypt, BlockSizeUser, InnerIvInit, Iv, IvSizeUser,
    IvState, ParBlocks, ParBlocksSizeUser, SetIvState, consts,
};
use core::ffi::c_int;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Keys for a mode that carries a vector: what [`Encryptor`] and [`Decryptor`] are made of. Not for other crates to implement.
pub trait ChainedMode: BlockSizeUser {
    /// Bytes of the vector, which is a block of the cipher. A block of the mode is what [`BlockSizeUser`] says: that, or one byte.
    type VectorSize: ArraySize;

    /// The C function for encryption.
    ///
    /// # Safety
    /// `vector` must be to a vector, the others to `length` bytes; they may be equal.
    #[doc(hidden)]
    unsafe fn encrypt_raw(&self, vector: *mut u8, out: *mut u8, input: *const u8, length: usize) -> c_int;

    /// The C function for decryption.
    ///
    /// # Safety
    /// As [`ChainedMode::encrypt_raw`].
    #[doc(hidden)]
    unsafe fn decrypt_raw(&self, vector: *mut u8, out: *mut u8, input: *const u8, length: usize) -> c_int;
}

/// Keys for a mode that takes messages of any number of bytes. Not for other crates to implement.
pub trait AnyLength: ChainedMode {}

/// One direction of a mode: a key and the vector, which goes on from call to call.
macro_rules! direction {
    ($name:ident, $about:literal, $mode:ident, $with_backend:ident, $closure:ident, $backend:ident, $raw:ident, $all:ident,
     block $block_inout:ident, $par_blocks:ident, $tail_blocks:ident,
     blocks $blocks_inout:ident, $blocks:ident, $blocks_b2b:ident, any $any:ident, $any_inout:ident, $any_b2b:ident) => {
        #[doc = $about]
        ///
        /// Key and vector are overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name<K: ChainedMode> {
            key: K,
            vector: Array<u8, K::VectorSize>,
        }

        impl<K: ChainedMode> $name<K> {
            /// All blocks in one call, so that the C chooses how many it does at a time.
            fn $all(&mut self, blocks: InOutBuf<'_, '_, Block<K>>) {
                let length = core::mem::size_of::<Block<K>>() * blocks.len();
                let (input, out) = blocks.into_raw();
                // SAFETY: both are of `length` bytes, which are equal or apart, as an `InOutBuf` guarantees; the vector is one.
                ensure(unsafe { self.key.$raw(self.vector.as_mut_ptr(), out.cast(), input.cast(), length) });
            }
        }

        /// For modes that take any number of bytes: the rest of a message, which may end within a block.
        impl<K: AnyLength> $name<K> {
            /// The rest of a message, in place.
            pub fn $any(self, data: &mut [u8]) {
                self.$any_inout(data.into());
            }

            /// The rest of a message, from one place to another or in place.
            pub fn $any_inout(mut self, data: InOutBuf<'_, '_, u8>) {
                let length = data.len();
                let (input, out) = data.into_raw();
                // SAFETY: both are of `length` bytes, which are equal or apart, as an `InOutBuf` guarantees; the vector is one.
                ensure(unsafe { self.key.$raw(self.vector.as_mut_ptr(), out, input, length) });
            }

            /// The rest of a message, from one place to another.
            ///
            /// # Errors
            /// They are not equally long; then nothing was written.
            pub fn $any_b2b(self, input: &[u8], out: &mut [u8]) -> Result<(), NotEqualError> {
                InOutBuf::new(input, out).map(|data| self.$any_inout(data))
            }
        }

        impl<K: ChainedMode> BlockSizeUser for $name<K> {
            type BlockSize = K::BlockSize;
        }

        // As for block ciphers.
        impl<K: ChainedMode> ParBlocksSizeUser for $name<K> {
            type ParBlocksSize = consts::U64;
        }

        impl<K: ChainedMode> cipher::common::InnerUser for $name<K> {
            type Inner = K;
        }

        impl<K: ChainedMode> IvSizeUser for $name<K> {
            type IvSize = K::VectorSize;
        }

        impl<K: ChainedMode> InnerIvInit for $name<K> {
            fn inner_iv_init(inner: K, iv: &Iv<Self>) -> Self {
                $name { key: inner, vector: iv.clone() }
            }
        }

        impl<K: ChainedMode> IvState for $name<K> {
            fn iv_state(&self) -> Iv<Self> {
                self.vector.clone()
            }
        }

        impl<K: ChainedMode> SetIvState for $name<K> {
            fn set_iv(&mut self, iv: &Iv<Self>) {
                self.vector = iv.clone();
            }
        }

        impl<K: ChainedMode> $backend for $name<K> {
            fn $block_inout(&mut self, block: InOut<'_, '_, Block<Self>>) {
                self.$all(one(block));
            }

            fn $par_blocks(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                self.$all(blocks.into_buf());
            }

            fn $tail_blocks(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.$all(blocks);
            }
        }

        impl<K: ChainedMode> $mode for $name<K> {
            fn $with_backend(&mut self, f: impl $closure<BlockSize = Self::BlockSize>) {
                f.call(self);
            }

            fn $blocks_inout(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.$all(blocks);
            }

            fn $blocks(&mut self, blocks: &mut [Block<Self>]) {
                self.$all(blocks.into());
            }

            fn $blocks_b2b(
                &mut self,
                in_blocks: &[Block<Self>],
                out_blocks: &mut [Block<Self>],
            ) -> Result<(), NotEqualError> {
                InOutBuf::new(in_blocks, out_blocks).map(|blocks| self.$all(blocks))
            }
        }

        impl<K: ChainedMode + AlgorithmName> AlgorithmName for $name<K> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                K::write_alg_name(f)
            }
        }

        impl<K: ChainedMode> fmt::Debug for $name<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl<K: ChainedMode> Drop for $name<K> {
            fn drop(&mut self) {
                self.vector.zeroize();
            }
        }

        impl<K: ChainedMode + ZeroizeOnDrop> ZeroizeOnDrop for $name<K> {}
    };
}

direction!(
    Encryptor, "Encryption in a mode that carries a vector, as [`cipher::BlockModeEncrypt`]: `Encryptor<Aes128CbcKey>`.",
    BlockModeEncrypt, encrypt_with_backend, BlockModeEncClosure, BlockModeEncBackend, encrypt_raw, encrypt_all,
    block encrypt_block, encrypt_par_blocks, encrypt_tail_blocks,
    blocks encrypt_blocks_inout, encrypt_blocks, encrypt_blocks_b2b,
    any encrypt, encrypt_inout, encrypt_b2b
);
direction!(
    Decryptor, "Decryption in a mode that carries a vector, as [`cipher::BlockModeDecrypt`]: `Decryptor<Aes128CbcKey>`.",
    BlockModeDecrypt, decrypt_with_backend, BlockModeDecClosure, BlockModeDecBackend, decrypt_raw, decrypt_all,
    block decrypt_block, decrypt_par_blocks, decrypt_tail_blocks,
    blocks decrypt_blocks_inout, decrypt_blocks, decrypt_blocks_b2b,
    any decrypt, decrypt_inout, decrypt_b2b
);
