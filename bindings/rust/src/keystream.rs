//! Modes of block ciphers that are stream ciphers: counter mode and output feedback.

use crate::block::one;
use crate::error::ensure;
use cipher::array::Array;
use cipher::inout::{InOut, InOutBuf};
use cipher::{
    AlgorithmName, Block, BlockSizeUser, InnerIvInit, Iv, IvSizeUser, IvState, ParBlocksSizeUser, SetIvState,
    StreamCipherBackend, StreamCipherClosure, StreamCipherCore, StreamCipherCoreWrapper, consts,
};
use core::ffi::c_int;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Block ciphers that have a counter mode: what [`Ctr`] is made of. Not for other crates to implement.
pub trait CounterMode: BlockSizeUser {
    /// The C function.
    ///
    /// # Safety
    /// `counter` must be to a block, the others to `length` bytes; they may be equal.
    #[doc(hidden)]
    unsafe fn ctr_raw(&self, counter: *mut u8, out: *mut u8, input: *const u8, length: usize) -> c_int;
}

/// Keys for output feedback: what [`Ofb`] is made of. Not for other crates to implement.
pub trait OutputFeedback: BlockSizeUser {
    /// The C function.
    ///
    /// # Safety
    /// `vector` must be to a block, the others to `length` bytes; they may be equal.
    #[doc(hidden)]
    unsafe fn ofb_raw(&self, vector: *mut u8, out: *mut u8, input: *const u8, length: usize) -> c_int;
}

/// A block cipher in counter mode (SP 800-38A), as a stream cipher: the counter is a big-endian number of a whole block,
/// begins as the nonce and wraps to zero. Any number of bytes at a time.
///
/// It is for the caller to see to it that no counter is used twice under one key.
pub type Ctr<C> = StreamCipherCoreWrapper<CtrCore<C>>;

/// A block cipher in output feedback (SP 800-38A), as a stream cipher: every block of keystream is the one before it, encrypted;
/// the first is made of the vector. Any number of bytes at a time.
///
/// Under a key that is there already it is `Ofb::from_core(OfbCore::inner_iv_init(key, vector))`.
///
/// It is for the caller to see to it that no vector is used twice under one key. Blocks wait for one another: counter mode is
/// much faster, and of many messages the function of the key for many at once, such as
/// `usuba::aes::Aes128OfbKey::xor_batch`.
pub type Ofb<K> = StreamCipherCoreWrapper<OfbCore<K>>;

/// The blocks of a mode that is a stream cipher: a key, and the block that is carried.
macro_rules! core_of_mode {
    ($core:ident, $mode:ident, $raw:ident, $about:literal, $said:literal) => {
        #[doc = $about]
        #[derive(Clone)]
        pub struct $core<C: $mode> {
            cipher: C,
            carried: Block<C>,
        }

        impl<C: $mode> $core<C> {
            fn xor(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
                let length = core::mem::size_of::<Block<C>>() * blocks.len();
                let (input, out) = blocks.into_raw();
                // SAFETY: both are of `length` bytes, which are equal or apart, as an `InOutBuf` guarantees; what is carried is a
                // block.
                ensure(unsafe {
                    self.cipher.$raw(self.carried.as_mut_ptr(), out.cast(), input.cast(), length)
                });
            }
        }

        impl<C: $mode> BlockSizeUser for $core<C> {
            type BlockSize = C::BlockSize;
        }

        impl<C: $mode> cipher::common::InnerUser for $core<C> {
            type Inner = C;
        }

        impl<C: $mode> IvSizeUser for $core<C> {
            type IvSize = C::BlockSize;
        }

        impl<C: $mode> InnerIvInit for $core<C> {
            fn inner_iv_init(inner: C, iv: &Iv<Self>) -> Self {
                $core { cipher: inner, carried: iv.clone() }
            }
        }

        impl<C: $mode> IvState for $core<C> {
            fn iv_state(&self) -> Iv<Self> {
                self.carried.clone()
            }
        }

        impl<C: $mode> SetIvState for $core<C> {
            fn set_iv(&mut self, iv: &Iv<Self>) {
                self.carried = iv.clone();
            }
        }

        impl<C: $mode> ParBlocksSizeUser for $core<C> {
            type ParBlocksSize = consts::U1;
        }

        impl<C: $mode> StreamCipherBackend for $core<C> {
            fn gen_ks_block(&mut self, block: &mut Block<Self>) {
                self.write_keystream_block(block);
            }
        }

        impl<C: $mode> StreamCipherCore for $core<C> {
            // As many as nobody can use.
            fn remaining_blocks(&self) -> Option<usize> {
                None
            }

            fn process_with_backend(&mut self, f: impl StreamCipherClosure<BlockSize = Self::BlockSize>) {
                f.call(self);
            }

            fn write_keystream_block(&mut self, block: &mut Block<Self>) {
                *block = Array::default();
                self.xor(InOutBuf::from_mut(block));
            }

            fn write_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
                blocks.fill(Array::default());
                self.xor(blocks.into());
            }

            fn apply_keystream_block_inout(&mut self, block: InOut<'_, '_, Block<Self>>) {
                self.xor(one(block));
            }

            fn apply_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
                self.xor(blocks.into());
            }

            fn apply_keystream_blocks_inout(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.xor(blocks);
            }
        }

        impl<C: $mode + AlgorithmName> AlgorithmName for $core<C> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                C::write_alg_name(f)?;
                f.write_str($said)
            }
        }

        impl<C: $mode> fmt::Debug for $core<C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($core)).finish_non_exhaustive()
            }
        }

        impl<C: $mode> Drop for $core<C> {
            fn drop(&mut self) {
                self.carried.zeroize();
            }
        }

        impl<C: $mode + ZeroizeOnDrop> ZeroizeOnDrop for $core<C> {}
    };
}

core_of_mode!(CtrCore, CounterMode, ctr_raw, "The blocks of [`Ctr`].", " in counter mode");
// The name of a key for the mode has the mode in it.
core_of_mode!(OfbCore, OutputFeedback, ofb_raw, "The blocks of [`Ofb`].", "");
