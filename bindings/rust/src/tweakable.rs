//! Block ciphers with a tweak for every block.

use core::ffi::c_int;

/// Tweakable ciphers that encrypt blocks, each under its tweak.
pub trait Encrypts: cipher::BlockSizeUser + cipher::TweakSizeUser {
    /// The C function.
    ///
    /// # Safety
    /// The pointers must be to `blocks` tweaks and blocks; `out` may be `input`.
    unsafe fn encrypt_raw(&self, tweaks: *const u8, out: *mut u8, input: *const u8, blocks: usize) -> c_int;
}

/// Tweakable ciphers that decrypt blocks, each under its tweak.
pub trait Decrypts: cipher::BlockSizeUser + cipher::TweakSizeUser {
    /// The C function.
    ///
    /// # Safety
    /// As [`Encrypts::encrypt_raw`].
    unsafe fn decrypt_raw(&self, tweaks: *const u8, out: *mut u8, input: *const u8, blocks: usize) -> c_int;
}

/// What the traits get: a block at a time, as they know no more.
pub struct Backend<'a, C>(pub &'a C);

impl<C: cipher::BlockSizeUser> cipher::BlockSizeUser for Backend<'_, C> {
    type BlockSize = C::BlockSize;
}

impl<C: cipher::TweakSizeUser> cipher::TweakSizeUser for Backend<'_, C> {
    type TweakSize = C::TweakSize;
}

impl<C: Encrypts> cipher::TweakBlockCipherEncBackend for Backend<'_, C> {
    fn encrypt_block_inout(
        &self,
        tweak: &cipher::Tweak<Self>,
        block: cipher::InOut<'_, '_, cipher::Block<Self>>,
    ) {
        let (input, out) = block.into_raw();
        // SAFETY: both are one block, which are equal or apart, as an `InOut` guarantees.
        crate::error::ensure(unsafe { self.0.encrypt_raw(tweak.as_ptr(), out.cast(), input.cast(), 1) });
    }
}

impl<C: Decrypts> cipher::TweakBlockCipherDecBackend for Backend<'_, C> {
    fn decrypt_block_inout(
        &self,
        tweak: &cipher::Tweak<Self>,
        block: cipher::InOut<'_, '_, cipher::Block<Self>>,
    ) {
        let (input, out) = block.into_raw();
        // SAFETY: both are one block, which are equal or apart, as an `InOut` guarantees.
        crate::error::ensure(unsafe { self.0.decrypt_raw(tweak.as_ptr(), out.cast(), input.cast(), 1) });
    }
}

/// The type of a block cipher with tweaks, with its key.
macro_rules! tweakable_block_cipher {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, block $block:literal $block_size:ident,
     tweak $tweak:literal $tweak_size:ident, context $words:literal, $init:ident, $wipe:ident, encrypt $encrypt:ident
     $(, decrypt $decrypt:ident)?) => {
        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void, key: *const u8) -> core::ffi::c_int;
            fn $wipe(context: *mut core::ffi::c_void);
            fn $encrypt(
                context: *const core::ffi::c_void,
                tweaks: *const u8,
                out: *mut u8,
                input: *const u8,
                blocks: usize,
            ) -> core::ffi::c_int;
            $(fn $decrypt(
                context: *const core::ffi::c_void,
                tweaks: *const u8,
                out: *mut u8,
                input: *const u8,
                blocks: usize,
            ) -> core::ffi::c_int;)?
        }

        #[doc = concat!("The tweakable block cipher ", $text, ": keys of ", $key, " bytes, blocks of ", $block,
                        ", tweaks of ", $tweak, ".")]
        ///
        /// It holds the round keys, which are overwritten when it is dropped. The traits for tweaks take a block at a time;
        /// the functions for many are much faster.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::TweakableBlockCipher = crate::raw::TweakableBlockCipher {
                name: $text,
                key_bytes: $key,
                block_bytes: $block,
                tweak_bytes: $tweak,
                context_words: $words,
                init: $init,
                wipe: $wipe,
                encrypt_blocks: $encrypt,
                decrypt_blocks: crate::block::optional!($($decrypt)?),
            };

            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;
            /// Bytes of a block.
            pub const BLOCK_BYTES: usize = $block;
            /// Bytes of a tweak.
            pub const TWEAK_BYTES: usize = $tweak;

            /// Expands a key: [`KeyInit::new`](cipher::KeyInit::new) for arrays.
            pub fn from_key(key: &[u8; $key]) -> Self {
                cipher::KeyInit::new(key.into())
            }

            /// Encrypts whole blocks, one after another in `data`, each under its tweak; the tweaks are one after another,
            /// too.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if `data` are no whole blocks, or there are not as many tweaks; then
            /// nothing has changed.
            pub fn encrypt_bytes(&self, tweaks: &[u8], data: &mut [u8]) -> Result<(), crate::Error> {
                if tweaks.len().checked_mul($block) != data.len().checked_mul($tweak) {
                    return Err(crate::Error::Length);
                }
                // SAFETY: all are of so many blocks and tweaks; the context was initialised.
                crate::block::in_place($block, data, |out, input, blocks| unsafe {
                    $encrypt(self.context.get(), tweaks.as_ptr(), out, input, blocks)
                })
            }

            $(
                /// Decrypts whole blocks; the same rules.
                ///
                /// # Errors
                /// As [`encrypt_bytes`](Self::encrypt_bytes).
                pub fn decrypt_bytes(&self, tweaks: &[u8], data: &mut [u8]) -> Result<(), crate::Error> {
                    if tweaks.len().checked_mul($block) != data.len().checked_mul($tweak) {
                        return Err(crate::Error::Length);
                    }
                    // SAFETY: all are of so many blocks and tweaks; the context was initialised.
                    crate::block::in_place($block, data, |out, input, blocks| unsafe {
                        $decrypt(self.context.get(), tweaks.as_ptr(), out, input, blocks)
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

        impl cipher::TweakSizeUser for $name {
            type TweakSize = cipher::consts::$tweak_size;
        }

        impl cipher::KeyInit for $name {
            fn new(key: &cipher::Key<Self>) -> Self {
                let mut context = crate::block::Context::new();
                // SAFETY: the key has the size that the C wants, and the context, too: the build has compared them.
                crate::error::ensure(unsafe { $init(context.get_mut(), key.as_ptr()) });
                $name { context }
            }
        }

        impl crate::tweakable::Encrypts for $name {
            unsafe fn encrypt_raw(
                &self,
                tweaks: *const u8,
                out: *mut u8,
                input: *const u8,
                blocks: usize,
            ) -> core::ffi::c_int {
                // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                unsafe { $encrypt(self.context.get(), tweaks, out, input, blocks) }
            }
        }

        impl cipher::TweakBlockCipherEncrypt for $name {
            fn encrypt_with_backend(
                &self,
                f: impl cipher::TweakBlockCipherEncClosure<BlockSize = Self::BlockSize, TweakSize = Self::TweakSize>,
            ) {
                f.call(&crate::tweakable::Backend(self));
            }
        }

        $(
            impl crate::tweakable::Decrypts for $name {
                unsafe fn decrypt_raw(
                    &self,
                    tweaks: *const u8,
                    out: *mut u8,
                    input: *const u8,
                    blocks: usize,
                ) -> core::ffi::c_int {
                    // SAFETY: the pointers are what the C wants, says the caller; the context was initialised.
                    unsafe { $decrypt(self.context.get(), tweaks, out, input, blocks) }
                }
            }

            impl cipher::TweakBlockCipherDecrypt for $name {
                fn decrypt_with_backend(
                    &self,
                    f: impl cipher::TweakBlockCipherDecClosure<
                        BlockSize = Self::BlockSize,
                        TweakSize = Self::TweakSize,
                    >,
                ) {
                    f.call(&crate::tweakable::Backend(self));
                }
            }
        )?

        crate::block::wiped!($name, $text, $wipe);
    };
}

pub(crate) use tweakable_block_cipher;
